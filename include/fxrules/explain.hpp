// Why a rule did or did not match at a node. Works by matching one rule again, test by test; the graph is
// not changed.
#pragma once

#include <string>
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

struct Explanation {
  std::uint32_t rule = 0;  // index into RuleSet::rules()
  Verdict verdict = Verdict::other_op;
  // Rule names and code in backticks: "`d` is `x` in one place and `y` in another", "`uses(l) == 1` is false".
  std::string reason;
};

// One explanation a rule whose root accepts the node's op; `rule` empty means all rules. O(rules + pattern).
[[nodiscard]] std::vector<Explanation> explain(const RuleSet& rules, Graph& graph, NodeId node,
                                               const std::string& rule = {});

}  // namespace fxrules
