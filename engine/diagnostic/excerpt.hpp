// The part of a source line that a diagnostic shows, made safe and measurable: what a terminal would
// interpret is spelt out, tabs are spaces, and widths are counted in columns, not bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fxrules {

inline constexpr std::size_t kMaxLineColumns = 160;

struct Excerpt {
  std::string line;              // without its newline; at most kMaxLineColumns columns
  std::size_t caret_column = 0;  // columns to the left of the caret
  std::size_t caret_width = 1;   // at least 1; a span over several lines ends with its first
};

// The line around [begin, end), offsets clamped to `text`. Looks at a bounded neighbourhood of the span,
// so a line of any length costs the search for its ends.
[[nodiscard]] Excerpt excerpt(std::string_view text, std::size_t begin, std::size_t end);

// `text` with control characters and bytes that are no UTF-8 spelt as \xNN; newlines stay.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace fxrules
