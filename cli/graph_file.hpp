// Graph files, read and verified.
#pragma once

#include "cli/console.hpp"
#include "fxrules/formats.hpp"

namespace fxrules::cli {

// Prints warnings; throws Error with everything that is wrong.
[[nodiscard]] GraphFile read_graph_file(const SourcePtr& source, Console& console);

}  // namespace fxrules::cli
