#include "engine/rewrite/rule_tests.hpp"

namespace fxrules::rewrite {

using program::Instruction;
using program::Test;

void RuleTests::begin(const program::Rule& rule, NodeId root) {
  step_.registers = rules_->phases[rule.phase].match.registers;
  matcher_.begin(step_, Value::of_node(root));
}

// A program of its own: the test, then an accept.
bool RuleTests::holds(const Instruction& test) {
  step_.code.assign(3, Instruction{});
  step_.code[1] = test;
  step_.code[1].fail = 0;
  step_.code[2].test = Test::accept;
  step_.accepts.resize(1);
  program::Index pc = 1;
  return matcher_.next(step_, pc) != nullptr;
}

}  // namespace fxrules::rewrite
