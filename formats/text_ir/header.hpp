// Where a graph begins in a text that may hold other things too.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace fxrules::text_ir {

struct Line {
  std::size_t begin = 0;
  std::size_t end = 0;   // without the line end and blanks in front of it
  std::size_t next = 0;  // start of the next line
};
[[nodiscard]] Line line_at(std::string_view text, std::size_t begin);

struct Header {
  Line line;
  std::size_t at = 0;            // where its text begins, behind the prefix
  std::string_view prefix;       // what stands in front, on this line and the next
  std::string_view text;         // "graph():"; empty: the graph starts with a node line
  std::string_view parameters;   // between the parentheses
  std::string_view return_type;  // behind `->`
};

// The header that a line is, if any. O(length of this line and the next).
[[nodiscard]] std::optional<Header> header_of_line(std::string_view text, const Line& line);
// The next header at or behind `from`, which is the start of a line. O(distance).
[[nodiscard]] std::optional<Header> find_header(std::string_view text, std::size_t from);
// The offset of `%` where a line holds `%name : … [num_users=`, whatever stands in front of it; npos: none.
[[nodiscard]] std::size_t find_node(std::string_view text, std::size_t begin, std::size_t end);
// A graph without header: a line that holds a node. O(distance).
[[nodiscard]] std::optional<Header> find_headless(std::string_view text, std::size_t from);

}  // namespace fxrules::text_ir
