// --alias, `# alias:` in front of a graph, and what its file makes from one storage: inputs that share it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/arguments.hpp"
#include "fxrules/formats.hpp"

namespace fxrules::cli {

// What is said is checked against the graph. `y=x` and `y=x[1:]` act at once: uses of y become uses of x or of a
// view of it. `x,y` (they share storage, in a way that is not said) is returned, for ApplyOptions::shared_inputs.
// Throws Error, each problem with its place.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> take_aliases(const Options& options,
                                                                            const SourcePtr& source, GraphFile& file);

}  // namespace fxrules::cli
