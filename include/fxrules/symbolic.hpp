// Symbolic integers: sizes such as `s0 + 1` or `Min(16384, ((s72 + 1)//2))`. An expression is kept as it
// was spelled and compared in a normal form: a sum of integer multiples of products of atoms, where an
// atom is a symbol or an opaque call (floor division, Mod, Min, Max, power with a symbolic exponent)
// over normal forms. Equal normal forms are equal for every value of the symbols; nothing is specialised
// and no hint is ever used.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "fxrules/ids.hpp"
#include "fxrules/symbols.hpp"

namespace fxrules {

// An integer or a symbolic expression. Unknown sizes (a data-dependent extent) are `unknown`.
struct Size {
  std::int64_t value = 0;
  ExprId expr;  // none: the integer
  bool known = true;

  static Size of(std::int64_t v) { return Size{v, ExprId(), true}; }
  static Size of(ExprId e) { return Size{0, e, true}; }
  static Size unknown() { return Size{0, ExprId(), false}; }
  [[nodiscard]] bool is_static() const { return known && !expr.valid(); }
  friend bool operator==(const Size&, const Size&) = default;  // same spelling, not provably equal
};

enum class Truth : std::uint8_t { no, yes, unknown };
[[nodiscard]] constexpr Truth truth(bool b) { return b ? Truth::yes : Truth::no; }
[[nodiscard]] constexpr Truth operator!(Truth t) {
  return t == Truth::unknown ? t : (t == Truth::yes ? Truth::no : Truth::yes);
}
[[nodiscard]] constexpr Truth both(Truth a, Truth b) {
  if (a == Truth::no || b == Truth::no) return Truth::no;
  return a == Truth::yes && b == Truth::yes ? Truth::yes : Truth::unknown;
}
[[nodiscard]] constexpr Truth either(Truth a, Truth b) { return !both(!a, !b); }

class Expressions {
 public:
  explicit Expressions(Symbols& symbols);
  ~Expressions();
  Expressions(const Expressions&) = delete;
  Expressions& operator=(const Expressions&) = delete;

  // Parses a spelled expression (torch's printing of sympy: + - * // / ** % Min Max Mod FloorDiv
  // PythonMod CeilToInt …; unknown functions are opaque atoms). nullopt when it is none. Nesting deeper
  // than 200 is none. A text of more than 4096 characters, or whose normal form leaves 64 bits or grows
  // beyond bounds, is kept and is equal to itself only. O(length).
  [[nodiscard]] std::optional<Size> parse(std::string_view text);
  [[nodiscard]] std::string text(Size size) const;  // as spelled; "?" when unknown

  // `unknown` when an operand is, when a coefficient leaves 64 bits, or when the result grows beyond
  // bounds. A result that is no constant is spelled as sympy spells it.
  Size add(Size a, Size b);
  Size subtract(Size a, Size b);
  Size multiply(Size a, Size b);
  Size floor_divide(Size a, Size b);  // unknown when the divisor is 0
  Size modulo(Size a, Size b);
  Size minimum(Size a, Size b);
  Size maximum(Size a, Size b);

  // Provable for every value of the symbols. Shape symbols (`s…`) are at least 0 (torch: at least 2 when
  // backed; only non-negativity is used); unbacked `u…` are any integer.
  [[nodiscard]] Truth equal(Size a, Size b);
  [[nodiscard]] Truth less(Size a, Size b);
  [[nodiscard]] Truth at_least(Size a, std::int64_t bound);

 private:
  struct Impl;
  [[nodiscard]] bool is_zero(Size size) const;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fxrules
