// The decision tree of a phase while it is being built. Sequences of tests are inserted in rule order and
// share prefixes wherever that cannot change which rule is tried first; `flatten` lays the tree out so
// that a test that holds falls through to the next one. Nothing is shared behind a call of a helper pattern:
// a rule tries all its ways before the next rule is looked at.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "engine/program/program.hpp"

namespace fxrules::dsl {

class DecisionTree {
 public:
  explicit DecisionTree(const program::RuleSet& rules);
  // `accept` is an index into the match program's accepts.
  void insert(const std::vector<program::Instruction>& tests, program::Index accept);
  // Writes code and switch tables.
  void flatten(program::MatchProgram& out) const;

 private:
  struct Edge {
    program::Instruction test;
    program::Index child = program::kNone;  // none: an accept
  };
  struct Node {
    std::vector<Edge> edges;
    // The edges from here to the end all test the op in `run_register` for plain ops, which are disjoint:
    // their order does not matter, so a new rule may join any of them.
    std::size_t run_begin = 0;
    std::uint16_t run_register = 0xFFFF;
    std::unordered_map<program::Index, std::size_t> run_edges;  // op pattern -> edge
  };
  [[nodiscard]] bool is_plain_op(const program::Instruction& test) const;
  program::Index step(program::Index node, const program::Instruction& test);

  const program::RuleSet* rules_;
  std::vector<Node> nodes_;
};

}  // namespace fxrules::dsl
