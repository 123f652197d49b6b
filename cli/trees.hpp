// Rule files as syntax trees, for commands that look at more than the compiled rules.
#pragma once

#include <vector>

#include "cli/console.hpp"
#include "dsl/load.hpp"
#include "fxrules/rule_set.hpp"

namespace fxrules::cli {

struct LoadedTrees {
  std::vector<dsl::AstPtr> trees;  // by file; null where it cannot be read
  std::vector<bool> failed;        // by file: it has errors, which were printed
};

[[nodiscard]] LoadedTrees load_trees(const std::vector<RuleFile>& files, const LoadOptions& options, Console& console);

}  // namespace fxrules::cli
