// The one layout of rule files, for `fxrules fmt`.
#pragma once

#include <string>
#include <string_view>

namespace fxrules::dsl {

// The text with blanks, indentation and blank lines as the layout wants them: arrows, equals signs, guards and
// comments of neighbouring lines stand in columns. Line breaks, comments and every token stay. Formatting twice is
// formatting once. Requires: the text parses. O(n log n).
[[nodiscard]] std::string format(std::string_view text);

}  // namespace fxrules::dsl
