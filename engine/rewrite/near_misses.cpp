#include "engine/rewrite/near_misses.hpp"

#include "engine/rewrite/rule_tests.hpp"

namespace fxrules::rewrite {
namespace {

using program::Instruction;
using program::Test;

constexpr std::size_t kMostPairs = 100'000;

// Which of the counted tests failed first while everything else held; `other` ends the search.
enum class Miss : std::uint8_t { none, kind, literal, repeated, other };

// Later tests take a slice, a list or a tuple apart, and need one.
bool is_container(program::KindName kind) {
  using program::KindName;
  return kind == KindName::slice || kind == KindName::tuple || kind == KindName::list || kind == KindName::dict;
}

Miss miss_of(const Instruction& test) {
  switch (test.test) {
    case Test::kind:
      return is_container(static_cast<program::KindName>(test.b)) ? Miss::other : Miss::kind;
    case Test::literal:
      return Miss::literal;
    case Test::same:
      return Miss::repeated;
    default:
      return Miss::other;
  }
}

// Of the first way in which the helper patterns match.
Miss look(RuleTests& tests, const program::Rule& rule, NodeId node) {
  tests.begin(rule, node);
  Miss first = Miss::none;
  for (const Instruction& test : rule.tests) {
    if (tests.holds(test)) continue;
    const Miss miss = miss_of(test);
    if (miss == Miss::other) return Miss::other;
    if (first == Miss::none) first = miss;
  }
  return first;
}

}  // namespace

void count_near_misses(const program::RuleSet& rules, Session& session, Report& report) {
  Binding& binding = session.binding();
  RuleTests tests(binding, session.machine());
  std::size_t pairs = 0;
  for (const program::Phase& phase : rules.phases) {
    for (NodeId n = binding.graph().first(); n.valid(); n = binding.graph().next(n)) {
      if (binding.start(n, phase.match) == 0) continue;
      for (const program::Index r : phase.rules) {
        const program::Rule& rule = rules.rules[r];
        if (!session.enabled(r) || rule.tests.empty() || !binding.accepts(n, rule.tests[0].b)) continue;
        if (++pairs > kMostPairs) return;
        session.begin_matching(phase, n);
        session.machine().reset();
        const Miss miss = look(tests, rule, n);
        report.rules[r].kind_failed += miss == Miss::kind;
        report.rules[r].literal_failed += miss == Miss::literal;
        report.rules[r].repeated_failed += miss == Miss::repeated;
      }
    }
  }
}

}  // namespace fxrules::rewrite
