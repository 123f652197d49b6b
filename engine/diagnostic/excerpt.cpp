// A line is decoded into cells, one per character, each with the text that is shown and its width. The
// caret is placed by adding widths, so neither tabs, wide characters nor escapes can misalign it.
#include "engine/diagnostic/excerpt.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

namespace fxrules {
namespace {

constexpr std::string_view kCut = "...";
constexpr std::string_view kTab = "    ";
constexpr std::size_t kMaxBytesPerCharacter = 4;
constexpr std::size_t kReach = kMaxBytesPerCharacter * kMaxLineColumns;

struct Cell {
  std::size_t offset;  // of the character in the source
  std::string text;
  std::size_t width;
};

struct Range {
  char32_t first;
  char32_t last;
};

// Rough on purpose: the blocks that terminals agree about.
constexpr std::array kZeroWidth{Range{0x300, 0x36F}, Range{0x200B, 0x200F}, Range{0xFE00, 0xFE0F}};
constexpr std::array kDoubleWidth{Range{0x1100, 0x115F},  Range{0x2E80, 0xA4CF},   Range{0xAC00, 0xD7A3},
                                  Range{0xF900, 0xFAFF},  Range{0xFE30, 0xFE6F},   Range{0xFF00, 0xFF60},
                                  Range{0xFFE0, 0xFFE6},  Range{0x1F300, 0x1F64F}, Range{0x1F900, 0x1F9FF},
                                  Range{0x20000, 0x3FFFD}};

template <std::size_t N>
bool contains(const std::array<Range, N>& ranges, char32_t code) {
  return std::any_of(ranges.begin(), ranges.end(), [&](Range r) { return r.first <= code && code <= r.last; });
}

std::size_t width_of(char32_t code) {
  if (contains(kZeroWidth, code)) return 0;
  return contains(kDoubleWidth, code) ? 2 : 1;
}

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0u) == 0x80u; }

std::size_t sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return 2;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  if (lead >= 0xF0 && lead < 0xF5) return 4;
  return 0;
}

struct Character {
  char32_t code = 0;
  std::size_t length = 0;  // 0: not UTF-8
};

Character decode(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t length = sequence_length(lead);
  if (length == 0 || at + length > text.size()) return {};
  char32_t code = length == 1 ? lead : lead & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if (!is_continuation(text[at + i])) return {};
    code = (code << 6u) | (static_cast<unsigned char>(text[at + i]) & 0x3Fu);
  }
  return {code, length};
}

bool is_control(char32_t code) {
  const bool bidirectional = (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || bidirectional;
}

std::string spelt_out(std::string_view bytes) {
  std::string out;
  for (const char byte : bytes) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
  return out;
}

// The cell at `at`, and in `length` how many bytes it stands for.
Cell cell_at(std::string_view text, std::size_t at, std::size_t& length) {
  const Character character = decode(text, at);
  length = std::max<std::size_t>(character.length, 1);
  const std::string_view bytes = text.substr(at, length);
  if (bytes == "\t") return {at, std::string(kTab), kTab.size()};
  if (character.length != 0 && !is_control(character.code)) return {at, std::string(bytes), width_of(character.code)};
  std::string escaped = spelt_out(bytes);
  const std::size_t width = escaped.size();
  return {at, std::move(escaped), width};
}

std::vector<Cell> cells_of(std::string_view text, std::size_t begin, std::size_t end) {
  std::vector<Cell> cells;
  std::size_t length = 0;
  for (std::size_t at = begin; at < end; at += length) cells.push_back(cell_at(text.substr(0, end), at, length));
  return cells;
}

// Bytes of the line that can be shown at all: whole, or as far as the window may reach.
struct Neighbourhood {
  std::size_t begin;
  std::size_t end;
  bool cut_left;
  bool cut_right;
};

Neighbourhood neighbourhood(std::string_view text, std::size_t at) {
  const std::size_t newline = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  const std::size_t line_begin = newline == std::string_view::npos ? 0 : newline + 1;
  std::size_t line_end = std::min(text.find('\n', at), text.size());
  if (line_end > line_begin && text[line_end - 1] == '\r') --line_end;
  const std::size_t reach_left = at > kReach ? at - kReach : 0;
  Neighbourhood near{std::max(line_begin, reach_left), std::min(line_end, at + kReach), false, false};
  near.begin = std::min(near.begin, near.end);
  while (near.begin > line_begin && near.begin < near.end && is_continuation(text[near.begin])) ++near.begin;
  while (near.end < line_end && near.end > near.begin && is_continuation(text[near.end])) --near.end;
  near.cut_left = near.begin > line_begin;
  near.cut_right = near.end < line_end;
  return near;
}

// The cell that the byte at `offset` belongs to; the last one for what lies behind.
std::size_t index_of(const std::vector<Cell>& cells, std::size_t offset) {
  const auto starts_after = [](std::size_t at, const Cell& cell) { return at < cell.offset; };
  const auto next = std::upper_bound(cells.begin(), cells.end(), offset, starts_after);
  return next == cells.begin() ? 0 : static_cast<std::size_t>(next - cells.begin()) - 1;
}

std::size_t width_between(const std::vector<Cell>& cells, std::size_t first, std::size_t last) {
  std::size_t width = 0;
  for (std::size_t i = first; i < last; ++i) width += cells[i].width;
  return width;
}

// Indices [first, last) of the cells that are shown: all if they fit, else a window that keeps the start
// of the span in its left half and uses the room that a near end of the line leaves.
struct Window {
  std::size_t first;
  std::size_t last;
};

Window window_around(const std::vector<Cell>& cells, std::size_t caret, bool cut) {
  if (!cut && width_between(cells, 0, cells.size()) <= kMaxLineColumns) return {0, cells.size()};
  const std::size_t room = kMaxLineColumns - 2 * kCut.size() - 1;
  Window window{caret, caret};
  std::size_t used = 0;
  const auto grow_left = [&](std::size_t limit) {
    while (window.first > 0 && used + cells[window.first - 1].width <= limit) used += cells[--window.first].width;
  };
  grow_left(room / 2);
  while (window.last < cells.size() && used + cells[window.last].width <= room) used += cells[window.last++].width;
  grow_left(room);
  return window;
}

}  // namespace

Excerpt excerpt(std::string_view text, std::size_t begin, std::size_t end) {
  begin = std::min(begin, text.size());
  const Neighbourhood near = neighbourhood(text, begin);
  const std::vector<Cell> cells = cells_of(text, near.begin, near.end);
  const std::size_t caret = begin < near.end ? index_of(cells, begin) : cells.size();
  const Window window = window_around(cells, caret, near.cut_left || near.cut_right);

  Excerpt out;
  if (near.cut_left || window.first > 0) out.line = kCut;
  out.caret_column = out.line.size() + width_between(cells, window.first, caret);
  for (std::size_t i = window.first; i < window.last; ++i) out.line += cells[i].text;
  if (near.cut_right || window.last < cells.size()) out.line += kCut;

  const std::size_t underlined = end > begin ? std::min(index_of(cells, end - 1) + 1, window.last) : caret;
  out.caret_width = std::max<std::size_t>(1, width_between(cells, caret, underlined));
  return out;
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  std::size_t length = 0;
  for (std::size_t at = 0; at < text.size(); at += length) {
    length = 1;
    if (text[at] == '\n') {
      out += '\n';
    } else {
      out += cell_at(text, at, length).text;
    }
  }
  return out;
}

}  // namespace fxrules
