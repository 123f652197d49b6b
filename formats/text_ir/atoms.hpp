// What an unquoted, undivided text of the text IR stands for.
#pragma once

#include <string_view>

#include "fxrules/graph.hpp"

namespace fxrules::text_ir {

// The literal that prints as this text. What Python prints for no number, constant, type, op or torch
// constant is `bare`: a string, a device or a symbolic size, which the form does not tell apart.
[[nodiscard]] Slot literal_of(Symbols& symbols, std::string_view text);

[[nodiscard]] constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
[[nodiscard]] constexpr bool is_name(char c) { return is_letter(c) || is_digit(c); }
[[nodiscard]] bool is_identifier(std::string_view text);
// `s0`, `u12`, `zuf3`: how torch names the symbols of sizes.
[[nodiscard]] bool is_size_symbol(std::string_view text);
[[nodiscard]] std::string_view trimmed(std::string_view text);  // of blanks, tabs and line ends, both ends

}  // namespace fxrules::text_ir
