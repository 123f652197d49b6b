// What stands around the graphs of a file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "fxrules/formats.hpp"

namespace fxrules {

// The last line that says something, without `=` and `#` around it: "== aten cond" names the graph behind it.
[[nodiscard]] std::string title_of(std::string_view before);
// Notes that lines of [begin, end) are no part of a graph, unless they are blank.
void report_kept(GraphFiles& out, const SourcePtr& source, std::size_t begin, std::size_t end);

}  // namespace fxrules
