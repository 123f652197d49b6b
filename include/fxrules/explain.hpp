// Why a rule did or did not match at a node. Works by matching one rule again, test by test; the graph is
// not changed.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fxrules/graph.hpp"
#include "fxrules/rule_set.hpp"

namespace fxrules {

enum class Verdict : std::uint8_t {
  other_op,  // the rule's root is another op
  no_match,  // a test of the pattern fails
  guard,     // the pattern matches, no guard is known true
  applies,   // pattern and a guard hold
};

// An alternative of a rule whose pattern matched.
struct AlternativeVerdict {
  Span span;                 // of the whole alternative
  Truth holds = Truth::yes;  // its guard; without one it holds
  std::string guard;         // the part of the guard that decided it, as written
  std::string why;           // what that part compares, or why it is not known
};

struct Explanation {
  std::uint32_t rule = 0;  // index into RuleSet::rules()
  Verdict verdict = Verdict::other_op;
  // Rule names and code in backticks: "`d` is `x` in one place and `y` in another", "`uses(l) == 1` is false".
  std::string reason;
  std::string needed;                                         // what would have to hold instead; may be empty
  std::vector<std::pair<std::string, std::string>> bindings;  // variables that are bound, with their values
  std::vector<AlternativeVerdict> alternatives;               // in order, up to the first that holds
  std::size_t further_roots = 0;                              // of a rule with several, which are not looked at
};

// One explanation a rule whose root accepts the node's op; `rule` empty means all rules. O(rules + pattern).
[[nodiscard]] std::vector<Explanation> explain(const RuleSet& rules, Graph& graph, NodeId node,
                                               const std::string& rule = {});

}  // namespace fxrules
