// Cuts a rule file into items: an item starts in column 1, indented lines and closing brackets continue it.
// That is also where the parser resumes after an error.
#pragma once

#include <string_view>
#include <vector>

#include "dsl/ast.hpp"

namespace fxrules::dsl {

struct Items {
  std::vector<Range> ranges;  // each begins with its first token and ends before the next item
  std::vector<Range> strays;  // indented text before the first item: continues nothing
};
[[nodiscard]] Items split_items(std::string_view text);

}  // namespace fxrules::dsl
