// One graph file through the rules: a graph, a diff, a report and a page out of it.
#pragma once

#include "cli/arguments.hpp"
#include "cli/console.hpp"
#include "cli/graph_choice.hpp"
#include "fxrules/rule_set.hpp"

namespace fxrules::cli {

// Rewrites the chosen graphs and those nested in them, writes what the options ask for, and returns the exit code.
// Throws Error and UsageError.
[[nodiscard]] int apply_to_file(const Options& options, const RuleSet& rules, const SourcePtr& source,
                                const std::shared_ptr<const Catalogue>& catalogue, ChosenGraphs graphs,
                                Console& console);

}  // namespace fxrules::cli
