// The numbers that the program JSON has for element types, layouts and memory formats; they are its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "fxrules/dtype.hpp"

namespace fxrules::pt2 {

[[nodiscard]] std::optional<Dtype> dtype_of(std::int64_t number);
[[nodiscard]] std::optional<std::int64_t> number_of(Dtype dtype);
// "torch.strided", "torch.channels_last"; empty for numbers that mean none.
[[nodiscard]] std::string_view layout_of(std::int64_t number);
[[nodiscard]] std::optional<std::int64_t> layout_number(std::string_view layout);
[[nodiscard]] std::string_view memory_format_of(std::int64_t number);
[[nodiscard]] std::optional<std::int64_t> memory_format_number(std::string_view format);

}  // namespace fxrules::pt2
