// Why rules left a graph alone, for `unchanged because` in tests.
#pragma once

#include <string>
#include <vector>

#include "fxrules/apply.hpp"

namespace fxrules::cli {

// A sentence for each node and each rule whose root accepts it, as `explain` says it; then notes, refusals
// among them, and the messages of a run that failed. Each sentence once.
[[nodiscard]] std::vector<std::string> reasons(const RuleSet& rules, Graph& graph, const Report& report);

}  // namespace fxrules::cli
