// The labels of --only and --disable, the phase of --until.
#pragma once

#include <string>
#include <vector>

#include "fxrules/rule_set.hpp"

namespace fxrules::cli {

// Throws UsageError for a label that no rule has, with the nearest one.
void check_labels(const std::vector<std::string>& labels, std::string_view option, const RuleSet& rules);
// The same for a phase that holds no rule; the empty name is none.
void check_phase(const std::string& phase, const RuleSet& rules);

}  // namespace fxrules::cli
