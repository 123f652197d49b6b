// Graph files, read and verified.
#pragma once

#include <memory>
#include <string>

#include "cli/console.hpp"
#include "fxrules/formats.hpp"

namespace fxrules::cli {

// The text of a graph file; empty for an archive, of which only the program is read, and that later.
[[nodiscard]] SourcePtr read_graph_source(const std::string& path, Console& console);
// Prints warnings; throws Error with everything that is wrong.
[[nodiscard]] GraphFile read_graph_file(const SourcePtr& source, std::shared_ptr<const Catalogue> catalogue,
                                        Console& console);

}  // namespace fxrules::cli
