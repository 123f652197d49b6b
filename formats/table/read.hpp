#pragma once

#include "fxrules/formats.hpp"

namespace fxrules::table {

// The graphs of a text that holds tables of `print_tabular()`, at most `most`.
void read_all(const SourcePtr& source, const ReadOptions& options, std::size_t most, GraphFiles& out);

}  // namespace fxrules::table
