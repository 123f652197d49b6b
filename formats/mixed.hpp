// Files that hold graphs in several forms: what the reader of one form left between its graphs is read by the others.
#pragma once

#include <cstddef>
#include <functional>

#include "fxrules/formats.hpp"

namespace fxrules {

using ReadPart = std::function<GraphFiles(const SourcePtr&)>;

// Puts the graphs that stand between and around those of `files` in their places; `most` 1: only one in front of the
// first graph, in whose place it then stands. Parts without a graph stay text. O(size).
void read_between(const SourcePtr& source, std::size_t most, const ReadPart& read, GraphFiles& files);

}  // namespace fxrules
