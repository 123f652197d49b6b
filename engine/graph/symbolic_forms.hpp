// Normal forms of symbolic integers: polynomials with integer coefficients over atoms. Atoms and
// polynomials are interned, and what is asked of them (range, size, text) is worked out when they are
// made, from their parts alone: nothing here walks an expression, however deep it is.
//
// Operations return nullopt where a coefficient would leave 64 bits or the expression would grow beyond
// kMaxWeight: what is not representable is unknown, never approximated.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fxrules {

// Inclusive bounds; the extreme values mean "unbounded".
struct Interval {
  static constexpr std::int64_t kLow = INT64_MIN, kHigh = INT64_MAX;
  std::int64_t low = kLow, high = kHigh;
};

using PolyId = std::uint32_t;

enum class AtomKind : std::uint8_t { symbol, floor_divide, modulo, minimum, maximum, power, divide, call, text };

struct Atom {
  AtomKind kind = AtomKind::symbol;
  std::string name;  // symbol, call; the whole text of a text atom
  std::vector<PolyId> operands;
  std::string text;
  bool tight = true;     // needs no parentheses inside a product or a sum
  bool integral = true;  // its value is an integer
  Interval range;
  std::uint32_t weight = 1;
};

struct Factor {
  std::uint32_t atom = 0, power = 1;
  friend auto operator<=>(const Factor&, const Factor&) = default;
};
struct Term {
  std::vector<Factor> factors;  // by atom; none: the constant
  std::int64_t coefficient = 0;
  friend bool operator==(const Term&, const Term&) = default;
};
struct Poly {
  std::vector<Term> terms;  // by factors, no zero coefficients
  std::string text;
  bool tight = true;
  bool integral = true;
  Interval range;
  std::uint32_t weight = 1;
};

class Forms {
 public:
  static constexpr std::uint32_t kMaxWeight = 1024;
  static constexpr std::size_t kMaxTerms = 128;
  using Result = std::optional<PolyId>;

  [[nodiscard]] const Poly& operator[](PolyId id) const { return polys_[id]; }
  [[nodiscard]] std::optional<std::int64_t> constant_of(PolyId id) const;

  PolyId constant(std::int64_t value);
  PolyId symbol(std::string_view name);
  PolyId opaque(std::string_view text);  // a text that has no normal form; equal to itself only
  Result add(PolyId a, PolyId b) { return combine(a, b, 1); }
  Result subtract(PolyId a, PolyId b) { return combine(a, b, -1); }
  Result multiply(PolyId a, PolyId b);
  Result floor_divide(PolyId a, PolyId b);
  Result modulo(PolyId a, PolyId b);
  Result minimum(PolyId a, PolyId b) { return extremum(AtomKind::minimum, a, b); }
  Result maximum(PolyId a, PolyId b) { return extremum(AtomKind::maximum, a, b); }
  Result power(PolyId base, PolyId exponent);
  Result divide(PolyId a, PolyId b);  // true division
  Result call(std::string_view name, std::vector<PolyId> operands);

 private:
  using Terms = std::vector<Term>;
  Result combine(PolyId a, PolyId b, std::int64_t sign);
  Result extremum(AtomKind kind, PolyId a, PolyId b);
  Result divide_exactly(PolyId a, PolyId b);
  Result divide_by_constant(PolyId a, std::int64_t divisor);
  Result make(Terms terms);
  Result of_atom(Atom atom);
  std::uint32_t intern(Atom atom);
  void describe(Poly& poly) const;
  [[nodiscard]] std::string term_text(const Term& term) const;
  [[nodiscard]] bool prints_before(const Term& a, const Term& b) const;
  [[nodiscard]] std::string wrapped(PolyId id) const;
  [[nodiscard]] std::string list_text(const std::vector<PolyId>& operands) const;
  [[nodiscard]] Interval range_of(const Atom& atom) const;
  void describe(Atom& atom) const;

  std::vector<Atom> atoms_;
  std::vector<Poly> polys_;
  std::map<std::pair<std::string, std::vector<PolyId>>, std::uint32_t> atom_index_;
  std::map<std::vector<std::int64_t>, PolyId> poly_index_;
};

}  // namespace fxrules
