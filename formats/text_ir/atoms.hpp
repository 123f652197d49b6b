// What an unquoted, undivided text of the text IR stands for.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "fxrules/graph.hpp"

namespace fxrules::text_ir {

// The literal that prints as this text. What Python prints for no number, constant, type, op or torch
// constant is `bare`: a string, a device or a symbolic size, which the form does not tell apart.
[[nodiscard]] Slot literal_of(Symbols& symbols, std::string_view text);

// Asked of every character: one look-up.
constexpr std::array<std::uint8_t, 256> character_classes() {
  std::array<std::uint8_t, 256> out{};
  for (int c = 0; c < 128; ++c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool digit = c >= '0' && c <= '9';
    out[static_cast<std::size_t>(c)] = static_cast<std::uint8_t>((letter ? 1 : 0) | (digit ? 2 : 0));
  }
  return out;
}
inline constexpr std::array<std::uint8_t, 256> kClasses = character_classes();
[[nodiscard]] constexpr bool is_letter(char c) { return (kClasses[static_cast<unsigned char>(c)] & 1) != 0; }
[[nodiscard]] constexpr bool is_digit(char c) { return (kClasses[static_cast<unsigned char>(c)] & 2) != 0; }
[[nodiscard]] constexpr bool is_name(char c) { return kClasses[static_cast<unsigned char>(c)] != 0; }
[[nodiscard]] bool is_identifier(std::string_view text);
// `s0`, `u12`, `zuf3`: how torch names the symbols of sizes.
[[nodiscard]] bool is_size_symbol(std::string_view text);
[[nodiscard]] std::string_view trimmed(std::string_view text);  // of blanks, tabs and line ends, both ends

}  // namespace fxrules::text_ir
