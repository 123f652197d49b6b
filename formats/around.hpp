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

// Graphs of one file; a line of nine characters could be one. Says so and gives false when there are as many already.
[[nodiscard]] bool may_hold_more(GraphFiles& out, const SourcePtr& source);
// Notes that further graphs are there and were not asked for: they stay as text, or are left out.
enum class Others : std::uint8_t { kept, left_out };
void report_several(GraphFiles& out, Others others = Others::kept);

}  // namespace fxrules
