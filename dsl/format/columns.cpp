#include "dsl/format/columns.hpp"

#include <algorithm>

namespace fxrules::dsl::layout {
namespace {

constexpr std::uint32_t kFarther = 16;       // a line that is wider than the middle one by more stands for itself
constexpr std::uint32_t kGuardFarther = 64;  // guards and comments stand apart from what they are about
constexpr std::uint32_t kWidest = 100;

struct Gap {
  Part part;
  std::uint32_t least, farther;
};
constexpr Gap kGaps[] = {{Part::body, 1, kFarther},
                         {Part::arrow, 1, kFarther},
                         {Part::guard, 3, kGuardFarther},
                         {Part::naming, 3, kFarther},
                         {Part::comment, 2, kGuardFarther}};

// A row on its way: the text so far, and the pieces that are still to come.
struct Open {
  std::string text;
  std::size_t next = 0;
};

// Nothing but indentation so far.
bool is_blank(const Open& open) { return open.text.find_first_not_of(' ') == std::string::npos; }

bool has_next(const Row& row, const Open& open, Part part) {
  return open.next < row.pieces.size() && row.pieces[open.next].part == part;
}

// Appends the pieces of one kind in one column, those of rows that are too wide for it behind a gap.
void append_part(const std::vector<Row>& rows, std::vector<Open>& open, const Gap& gap) {
  std::vector<std::uint32_t> widths, sorted;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!has_next(rows[i], open[i], gap.part)) continue;
    widths.push_back(width_of(open[i].text));
    if (!is_blank(open[i])) sorted.push_back(widths.back());
  }
  if (sorted.empty() && !widths.empty()) sorted.push_back(0);  // all of them begin their lines
  if (widths.empty()) return;
  std::sort(sorted.begin(), sorted.end());
  const bool leads = sorted.back() == 0;
  const std::uint32_t limit = std::min(kWidest, sorted[(sorted.size() - 1) / 2] + gap.farther);
  std::uint32_t column = 0;
  for (const std::uint32_t w : widths) {
    if (w <= limit) column = std::max(column, w);
  }
  for (std::size_t i = 0, k = 0; i < rows.size(); ++i) {
    if (!has_next(rows[i], open[i], gap.part)) continue;
    const std::uint32_t width = widths[k++];
    if (!leads) open[i].text.append((width <= limit ? column - width : 0) + gap.least, ' ');
    open[i].text += rows[i].pieces[open[i].next++].text;
  }
}

std::uint32_t last_piece_width(const Row& row) { return row.pieces.empty() ? 0 : width_of(row.pieces.back().text); }

}  // namespace

std::uint32_t width_of(std::string_view text) {
  return static_cast<std::uint32_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string set_in_columns(const std::vector<Row>& rows) {
  std::vector<Open> open(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool head = !rows[i].pieces.empty() && rows[i].pieces[0].part == Part::head;
    open[i].text.assign(rows[i].indent, ' ');
    if (head) open[i].text += rows[i].pieces[open[i].next++].text;
  }
  for (const Gap& gap : kGaps) append_part(rows, open, gap);
  std::string out;
  std::uint32_t expression = 0;  // the column of the one that a hanging line continues
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::string& text = open[i].text;
    if (rows[i].hangs) {
      text = std::string(std::max(expression, 1U), ' ') + text.substr(rows[i].indent);
    } else {
      expression = width_of(text) - last_piece_width(rows[i]) + rows[i].expression;
    }
    out += text + '\n';
  }
  return out;
}

}  // namespace fxrules::dsl::layout
