// Several graph files through the same rules, over all cores.
#pragma once

#include <memory>

#include "cli/arguments.hpp"
#include "cli/console.hpp"
#include "fxrules/rule_set.hpp"

namespace fxrules::cli {

// A worker a core takes one file after the other; what comes out, and in which order, is what one file at a time
// gives. Each graph is written to the folder `options.out` under its own name, or not at all where it fails: the others
// go on. Returns the highest exit code.
[[nodiscard]] int apply_to_several(const Options& options, const RuleSet& rules,
                                   const std::shared_ptr<const Catalogue>& catalogue, Console& console);

}  // namespace fxrules::cli
