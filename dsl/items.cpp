#include "dsl/items.hpp"

#include <algorithm>

namespace fxrules::dsl {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool continues(char c) { return std::string_view(" \t\r\f)]}#\n").find(c) != std::string_view::npos; }

// The first line's text, if it is neither blank nor a comment.
Range stray(std::string_view line, std::uint32_t begin) {
  const std::size_t first = line.find_first_not_of(" \t\r\f");
  if (first == std::string_view::npos || line[first] == '#') return {};
  const std::size_t last = line.find_last_not_of(" \t\r\f");
  return {begin + static_cast<std::uint32_t>(first), begin + static_cast<std::uint32_t>(last + 1)};
}

}  // namespace

Items split_items(std::string_view text) {
  Items items;
  const auto size = static_cast<std::uint32_t>(text.size());
  std::uint32_t begin = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  while (begin < size) {
    const auto end = static_cast<std::uint32_t>(std::min<std::size_t>(text.find('\n', begin), size));
    if (!continues(text[begin])) {
      items.ranges.push_back({begin, size});
    } else if (items.ranges.empty()) {
      const Range found = stray(text.substr(begin, end - begin), begin);
      if (found.end != 0) items.strays.push_back(found);
    }
    begin = end + 1;
  }
  for (std::size_t i = 0; i + 1 < items.ranges.size(); ++i) items.ranges[i].end = items.ranges[i + 1].begin;
  return items;
}

}  // namespace fxrules::dsl
