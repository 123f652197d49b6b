// Puts the parts of neighbouring lines under each other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fxrules::dsl::layout {

// What a part begins with. Parts of one kind share a column; a line has each kind at most once, in this order.
enum class Part : std::uint8_t { head, body, arrow, guard, naming, comment };

struct Piece {
  Part part = Part::head;
  std::string text;
};

// A line that is laid out but for its columns.
struct Row {
  std::uint32_t indent = 0;
  std::vector<Piece> pieces;
  bool hangs = false;            // begins with `and` or `or`: under the expression that it continues
  std::uint32_t expression = 0;  // where the expression of the last piece begins, counted from that piece
};

// The width of a text on a screen: bytes of UTF-8 that go on with a character count nothing.
[[nodiscard]] std::uint32_t width_of(std::string_view text);

// The text of rows that belong together, without blank lines among them, each ending in a newline.
[[nodiscard]] std::string set_in_columns(const std::vector<Row>& rows);

}  // namespace fxrules::dsl::layout
