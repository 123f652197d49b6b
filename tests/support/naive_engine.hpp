// A slow engine that is easy to believe: no worklist, no compiled matcher, no shared tests, nothing kept
// from one rewrite to the next. It walks the syntax trees of the rules and matches them recursively against
// each node, the earliest node first, rules in file order, and starts over after every rewrite.
//
// Shared with the engine under test: the catalogue's answers about a call (Binding), guards and replacements
// (Machine) and the rewrite itself (Session), each of which is tested by itself. Every rewrite has a new
// Session, so that whatever the fast engine carries along is held against what is worked out anew.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dsl/ast.hpp"
#include "engine/program/program.hpp"
#include "fxrules/apply.hpp"

namespace fxrules::testing {

// One rule file: its tree, and the compiled form of the same tree for what is not matching.
class NaiveEngine {
 public:
  // `ast` is the tree that `rules` was lowered from; it has neither imports nor params.
  NaiveEngine(const dsl::Ast& ast, const program::RuleSet& rules);

  // As fxrules::apply, but that a failed run leaves the graph as it is. Requires options.max_rewrites.
  Report apply(Graph& graph, const ApplyOptions& options);

 private:
  const dsl::Ast* ast_;
  program::RuleSet rules_;                 // without the further roots of rules: those are found here
  std::vector<const dsl::Rule*> tree_of_;  // by rule of rules_
};

}  // namespace fxrules::testing
