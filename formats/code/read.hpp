#pragma once

#include "fxrules/formats.hpp"

namespace fxrules::code {

// The graphs of a text that holds generated code, at most `most`, with their nested graphs and the texts
// around them.
void read_all(const SourcePtr& source, const ReadOptions& options, std::size_t most, GraphForm form, GraphFiles& out);

}  // namespace fxrules::code
