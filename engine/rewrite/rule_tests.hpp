// The tests of one rule's pattern as they were written, one by one: for what wants to know which of them fails.
#pragma once

#include "engine/rewrite/machine.hpp"
#include "engine/rewrite/matcher.hpp"

namespace fxrules::rewrite {

class RuleTests {
 public:
  RuleTests(Binding& binding, Machine& machine) : rules_(&binding.rules()), matcher_(binding, machine.heap()) {
    matcher_.use(machine);
  }

  // Tests of this rule at this node from here on.
  void begin(const program::Rule& rule, NodeId root);
  // Runs one test; those before it that bind what it looks at have held. A `next` that is run again gives the
  // next way in which the helper pattern matches.
  bool holds(const program::Instruction& test);
  [[nodiscard]] const Value& value(std::uint16_t place) { return matcher_.registers()[place]; }

 private:
  const program::RuleSet* rules_;
  Matcher matcher_;
  program::MatchProgram step_;
};

}  // namespace fxrules::rewrite
