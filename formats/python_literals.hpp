// Python's repr of numbers and strings, both ways.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fxrules/graph.hpp"

namespace fxrules {

void append_integer(std::string& out, std::int64_t value);
// `1e-05`, `2.0`, `-0.0`, `inf`: the shortest digits that read back as the same number.
void append_float_repr(std::string& out, double value);
// `2j`, `(1+2j)`, `(-0-1.5j)`.
void append_complex_repr(std::string& out, double real, double imaginary);
// The parts of what `append_complex_repr` prints; nullopt for other text.
struct ComplexParts {
  double real = 0, imaginary = 0;
};
[[nodiscard]] std::optional<ComplexParts> parse_complex_repr(std::string_view text);
// Quoted as Python quotes: `'it'`, `"it's"`, `'a\nb'`. Bytes that are no UTF-8 stand as they are.
void append_string_repr(std::string& out, std::string_view value);

// `device(type='cuda', index=0)` of `cuda:0`.
void append_device_repr(std::string& out, std::string_view device);
// Of what stands between the brackets: `type='cuda', index=0`, and as people write it, `'cuda', 0`, `"cuda:0"`.
[[nodiscard]] std::optional<std::string> parse_device_arguments(std::string_view arguments);
// What a named tuple is called: `Point` of `Point(x, y)`, which says its fields too.
[[nodiscard]] constexpr std::string_view without_fields(std::string_view tuple_name) {
  return tuple_name.substr(0, tuple_name.find('('));
}
// A slot whose value is no text of the graph's: None, a truth value, a number, Ellipsis. False for others.
bool append_simple_repr(std::string& out, const Slot& slot);
// Python's repr of a string or device with this text. False for other kinds.
bool append_text_repr(std::string& out, ArgKind kind, std::string_view text);

// The value of a quoted literal without prefix; nullopt when it is malformed.
[[nodiscard]] std::optional<std::string> parse_string_literal(std::string_view literal);
// The number that `append_float_repr` would print as this very text.
[[nodiscard]] std::optional<double> parse_float_repr(std::string_view text);
// `2j`, `(1+2j)`: a text that Python's repr of a complex number may be.
[[nodiscard]] bool is_complex_repr(std::string_view text);

}  // namespace fxrules
