// Items are laid out line by line; lines without a blank one between them share columns.
#include "dsl/format.hpp"

#include <vector>

#include "dsl/format/columns.hpp"
#include "dsl/format/rows.hpp"
#include "dsl/format/test_block.hpp"
#include "dsl/format/tokens.hpp"

namespace fxrules::dsl {

std::string format(std::string_view text) {
  using namespace layout;  // NOLINT
  const std::vector<Line> lines = lines_of(text);
  std::string out;
  std::vector<Row> rows;  // since the last blank line or test
  const auto flush = [&] {
    out += set_in_columns(rows);
    rows.clear();
  };
  ItemLayout layout;
  for (std::size_t i = 0; i < lines.size();) {
    if (lines[i].empty()) {
      flush();
      if (!out.empty() && !out.ends_with("\n\n")) out += '\n';
      ++i;
    } else if (is_test(lines[i])) {
      flush();
      std::size_t end = i + 1;
      while (end < lines.size() && !lines[end].starts_item() && !(lines[end].comment() && lines[end].indent == 0))
        ++end;
      std::size_t last = end;
      while (lines[last - 1].empty()) --last;
      out += test_block({lines.data() + i, last - i});
      i = last;
    } else {
      rows.push_back(layout.row(lines[i], i + 1 < lines.size() ? &lines[i + 1] : nullptr));
      ++i;
    }
  }
  flush();
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

}  // namespace fxrules::dsl
