#include "cli/labels.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cli/console.hpp"

namespace fxrules::cli {

void check_labels(const std::vector<std::string>& labels, std::string_view option, const RuleSet& rules) {
  if (labels.empty()) return;
  const std::vector<RuleInfo> infos = rules.rules();
  std::vector<std::string_view> names;
  for (const RuleInfo& info : infos) names.push_back(info.name);
  for (const std::string& label : labels) {
    if (std::find(names.begin(), names.end(), label) != names.end()) continue;
    const std::vector<std::string> near = nearest_names(label, names, 1);
    throw UsageError(fmt::format("{} {}: no rule has this label", option, label),
                     near.empty() ? std::string("a rule without a label is called FILE:LINE, as reports show it")
                                  : fmt::format("did you mean `{}`?", near[0]));
  }
}

void check_phase(const std::string& phase, const RuleSet& rules) {
  if (phase.empty()) return;
  const std::vector<RuleInfo> infos = rules.rules();
  std::vector<std::string_view> names;
  for (const RuleInfo& info : infos) names.push_back(info.phase);
  if (std::find(names.begin(), names.end(), phase) != names.end()) return;
  const std::vector<std::string> near = nearest_names(phase, names, 1);
  throw UsageError(fmt::format("--until {}: no phase has this name", phase),
                   near.empty() ? std::string("`phase NAME` in a rule file begins one")
                                : fmt::format("did you mean `{}`?", near[0]));
}

}  // namespace fxrules::cli
