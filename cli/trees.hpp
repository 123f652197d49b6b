// Rule files as syntax trees, for commands that look at more than the compiled rules.
#pragma once

#include <string>
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

// The files that these rule files are made of: they themselves, what they import, the catalogues that they name. A
// file that is missing is among them as it was named.
[[nodiscard]] std::vector<std::string> files_of_rules(const std::vector<std::string>& names,
                                                      const LoadOptions& options);

}  // namespace fxrules::cli
