// Lowering: checked syntax trees become a compiled rule set. Patterns turn into sequences of tests over
// registers and are merged into one decision tree a phase; replacements and guards turn into stack code.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/ast.hpp"
#include "engine/program/program.hpp"

namespace fxrules::dsl {

// What one rule file sees: its own tree first, then what it imports and the prelude. A name defined by an
// earlier tree hides the later ones whole. Names are lexical: what a tree says means what that tree sees.
struct Scope {
  std::vector<const Ast*> trees;
  std::map<const Ast*, std::vector<const Ast*>> visible;   // by tree; one that is missing sees `trees`
  std::map<std::string, std::string, std::less<>> params;  // -D name=value
};

// Appends the phases and rules of `scope.trees[0]` (and the definitions they use) to `rules`. The tree has
// passed the load checks; what is found here are facts of the catalogue or values of -D that do not fit.
[[nodiscard]] std::vector<Diagnostic> lower(const Scope& scope, program::RuleSet& rules);

}  // namespace fxrules::dsl
