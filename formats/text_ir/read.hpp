#pragma once

#include "fxrules/formats.hpp"

namespace fxrules::text_ir {

// The graphs of a text that holds text IR, at most `most`, with the texts around them.
void read_all(const SourcePtr& source, const ReadOptions& options, std::size_t most, GraphFiles& out);

}  // namespace fxrules::text_ir
