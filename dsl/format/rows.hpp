// Lines of an item as rows: what stands between which tokens, and how far a line is indented.
#pragma once

#include <string>
#include <vector>

#include "dsl/format/columns.hpp"
#include "dsl/format/tokens.hpp"

namespace fxrules::dsl::layout {

// The tokens [begin, end) of a line with the blanks that belong between them.
[[nodiscard]] std::string spaced(const Line& line, std::size_t begin, std::size_t end);

// Lays out the items of a file, one line after the other.
class ItemLayout {
 public:
  // One row a line; `next` is the line behind it, for comments stand where what they are about does.
  [[nodiscard]] Row row(const Line& line, const Line* next);

 private:
  void begin_item(const Line& line);
  [[nodiscard]] std::uint32_t indent_of(const Line& line);
  [[nodiscard]] bool aligns_first(const Line& line) const;
  void add_pieces(const Line& line, Row& row) const;

  bool declaration_ = false;  // `def`, `meta`, …: its first `=` or `,` is the arrow
  bool arrow_in_head_ = false;
  bool only_label_ = false;        // so far
  std::uint32_t last_indent_ = 0;  // of the last line that no other line's indentation decided
  std::int64_t shift_ = 0;         // how far it was moved
};

}  // namespace fxrules::dsl::layout
