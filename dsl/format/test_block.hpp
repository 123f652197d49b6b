// The layout of `test` items: statements of graphs in columns where they fit.
#pragma once

#include <span>
#include <string>

#include "dsl/format/tokens.hpp"

namespace fxrules::dsl::layout {

[[nodiscard]] bool is_test(const Line& line);
// All lines of one test, blank ones excepted, each ending in a newline.
[[nodiscard]] std::string test_block(std::span<const Line> lines);

}  // namespace fxrules::dsl::layout
