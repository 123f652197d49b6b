// The operators that FX prints as Python's, by the functions of `operator` that they stand for.
#pragma once

#include <string_view>

namespace fxrules::code {

struct Operator {
  std::string_view function;  // behind "operator."
  std::string_view token;
};

// The binary operator at the front of the text, longest token first; null: none.
[[nodiscard]] const Operator* binary_at(std::string_view text);
// `+=` and its kin at the front of the text.
[[nodiscard]] const Operator* in_place_at(std::string_view text);
[[nodiscard]] const Operator* unary_at(char token);

// By function name: "add", "iadd", "neg"; null: printed as a call.
[[nodiscard]] const Operator* find_binary(std::string_view function);
[[nodiscard]] const Operator* find_in_place(std::string_view function);
[[nodiscard]] const Operator* find_unary(std::string_view function);

}  // namespace fxrules::code
