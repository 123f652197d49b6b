// The tests of one rule's pattern as they were written, one by one: for what wants to know which of them fails.
#pragma once

#include "engine/rewrite/matcher.hpp"

namespace fxrules::rewrite {

class RuleTests {
 public:
  RuleTests(Binding& binding, std::vector<Value>& heap) : matcher_(binding, heap) {}

  // Tests of this rule at this node from here on.
  void begin(const program::Rule& rule, NodeId root);
  // Runs one test; those before it that bind what it looks at have held.
  bool holds(const program::Instruction& test);
  [[nodiscard]] const Value& value(std::uint16_t place) { return matcher_.registers()[place]; }

 private:
  Matcher matcher_;
  program::MatchProgram step_;
};

}  // namespace fxrules::rewrite
