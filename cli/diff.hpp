// Which lines of one text stand in another. Made for graph dumps: nearly every line names a node and so is
// unlike all others, which makes lines that occur once on each side good anchors.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace fxrules::cli {

// With its line end; only the last one may lack it. O(size).
[[nodiscard]] std::vector<std::string_view> split_lines(std::string_view text);

inline constexpr std::uint32_t kNoLine = 0xFFFFFFFFu;

// For each line of `before` its line in `after`, or kNoLine; matched lines are equal and increase. The lines
// that are unlike in between are paired as well as a bounded effort allows. O(n log n), n lines of both.
[[nodiscard]] std::vector<std::uint32_t> match_lines(const std::vector<std::string_view>& before,
                                                     const std::vector<std::string_view>& after);

}  // namespace fxrules::cli
