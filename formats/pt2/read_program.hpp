// A program JSON into a Graph with its signature.
#pragma once

#include <memory>

#include "formats/pt2/origin.hpp"
#include "fxrules/formats.hpp"

namespace fxrules::pt2 {

// `source` has room for a parser behind its text, as `with_room` gives it.
void read_program(const SourcePtr& source, const ReadOptions& options, Origin& origin, GraphFile& out);

// The source itself where its text has room, else a copy.
[[nodiscard]] SourcePtr with_room(const SourcePtr& source);

}  // namespace fxrules::pt2
