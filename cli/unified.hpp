// Unified diffs, as `diff -u` and `patch` know them.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace fxrules::cli {

struct DiffStyle {
  std::string before_name = "before";
  std::string after_name = "after";
  std::string indent;   // in front of every line
  bool headers = true;  // the `---` and `+++` lines
  bool color = false;
  std::size_t context = 3;  // unchanged lines around a change
};

// Writes nothing when the texts are equal. O(n log n), n lines of both.
void unified_diff(std::string_view before, std::string_view after, const DiffStyle& style,
                  const std::function<void(std::string_view)>& sink);
[[nodiscard]] std::string unified_diff(std::string_view before, std::string_view after, const DiffStyle& style = {});

}  // namespace fxrules::cli
