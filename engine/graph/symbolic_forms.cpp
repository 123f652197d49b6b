// Why polynomials: sizes are sums and products in nearly all graphs, and for those equality of normal
// forms is complete. Divisions, remainders, minima and maxima are atoms over normal forms, simplified
// only by laws that hold for all integers.
#include "engine/graph/symbolic_forms.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

namespace fxrules {
namespace {

using Wide = __int128;

// ---- bounds

Wide low_of(const Interval& i) { return i.low == Interval::kLow ? -(Wide{1} << 100) : Wide{i.low}; }
Wide high_of(const Interval& i) { return i.high == Interval::kHigh ? Wide{1} << 100 : Wide{i.high}; }

// Bounds beyond 64 bits are widened to the nearest that can be said.
Interval interval(Wide low, Wide high) {
  Interval out;
  if (low > Interval::kLow) out.low = low >= Interval::kHigh ? Interval::kHigh - 1 : static_cast<std::int64_t>(low);
  if (high < Interval::kHigh) out.high = high <= Interval::kLow ? Interval::kLow + 1 : static_cast<std::int64_t>(high);
  return out;
}

Interval sum(const Interval& a, const Interval& b) { return interval(low_of(a) + low_of(b), high_of(a) + high_of(b)); }

// Products of two unbounded ends would leave 128 bits: their sign alone matters.
Wide product_of_ends(Wide a, Wide b) {
  constexpr Wide kEnd = Wide{1} << 100;
  if (a == 0 || b == 0) return 0;
  const bool unbounded = a <= -kEnd || a >= kEnd || b <= -kEnd || b >= kEnd;
  if (!unbounded) return a * b;
  return (a < 0) == (b < 0) ? kEnd : -kEnd;
}

Interval product(const Interval& a, const Interval& b) {
  const Wide ends[] = {product_of_ends(low_of(a), low_of(b)), product_of_ends(low_of(a), high_of(b)),
                       product_of_ends(high_of(a), low_of(b)), product_of_ends(high_of(a), high_of(b))};
  return interval(*std::min_element(std::begin(ends), std::end(ends)),
                  *std::max_element(std::begin(ends), std::end(ends)));
}

Interval power_of(const Interval& base, std::uint32_t power) {
  Interval out{1, 1};
  for (std::uint32_t i = 0; i < power; ++i) {
    out = product(out, base);
    if (out.low == Interval::kLow && out.high == Interval::kHigh) break;
  }
  if (power % 2 == 0) out.low = std::max<std::int64_t>(out.low, 0);
  return out;
}

Wide floor_of(Wide a, Wide b) {
  const Wide quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

Interval quotient(const Interval& a, std::int64_t divisor) {
  const Wide d = divisor;
  const Wide one = a.low == Interval::kLow ? low_of(a) : floor_of(low_of(a), d);
  const Wide other = a.high == Interval::kHigh ? high_of(a) : floor_of(high_of(a), d);
  if (divisor > 0) return interval(one, other);
  const Wide low = a.high == Interval::kHigh ? -high_of(a) : other;
  const Wide high = a.low == Interval::kLow ? -low_of(a) : one;
  return interval(low, high);
}

// ---- symbols: `s3` is a size, `u3` any integer, `zf3` and `zuf3` floats

bool is_numbered(std::string_view name, std::string_view prefix) {
  if (name.size() <= prefix.size() || !name.starts_with(prefix)) return false;
  return std::all_of(name.begin() + static_cast<std::ptrdiff_t>(prefix.size()), name.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

bool calls_integer(std::string_view name) {
  static constexpr std::string_view kNames[] = {"CeilToInt",
                                                "FloorToInt",
                                                "TruncToInt",
                                                "RoundToInt",
                                                "ModularIndexing",
                                                "LShift",
                                                "RShift",
                                                "BitwiseFn_bitwise_and",
                                                "BitwiseFn_bitwise_or",
                                                "floor",
                                                "ceiling"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

std::vector<std::int64_t> key_of(const std::vector<Term>& terms) {
  std::vector<std::int64_t> key;
  for (const Term& t : terms) {
    key.push_back(t.coefficient);
    key.push_back(static_cast<std::int64_t>(t.factors.size()));
    for (const Factor& f : t.factors) key.push_back(static_cast<std::int64_t>(std::uint64_t{f.atom} << 32 | f.power));
  }
  return key;
}

std::vector<Factor> product(const std::vector<Factor>& a, const std::vector<Factor>& b) {
  std::vector<Factor> out;
  auto i = a.begin();
  auto j = b.begin();
  while (i != a.end() || j != b.end()) {
    if (j == b.end() || (i != a.end() && i->atom < j->atom)) {
      out.push_back(*i++);
    } else if (i == a.end() || j->atom < i->atom) {
      out.push_back(*j++);
    } else {
      out.push_back({i->atom, i->power + j->power});
      ++i, ++j;
    }
  }
  return out;
}

// Removes the factors of `b` from `a`; false when one is missing.
bool divide_factors(std::vector<Factor>& a, const std::vector<Factor>& b) {
  for (const Factor& f : b) {
    const auto at = std::find_if(a.begin(), a.end(), [&](const Factor& x) { return x.atom == f.atom; });
    if (at == a.end() || at->power < f.power) return false;
    at->power -= f.power;
    if (at->power == 0) a.erase(at);
  }
  return true;
}

// Sorts, merges equal products and drops zeros; false when a coefficient overflows.
bool normalise(std::vector<Term>& terms) {
  std::sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) { return a.factors < b.factors; });
  std::vector<Term> out;
  for (Term& t : terms) {
    if (!out.empty() && out.back().factors == t.factors) {
      if (__builtin_add_overflow(out.back().coefficient, t.coefficient, &out.back().coefficient)) return false;
    } else {
      if (!out.empty() && out.back().coefficient == 0) out.pop_back();
      out.push_back(std::move(t));
    }
  }
  if (!out.empty() && out.back().coefficient == 0) out.pop_back();
  terms = std::move(out);
  return true;
}

}  // namespace

// ---------------------------------------------------------------- making

std::optional<std::int64_t> Forms::constant_of(PolyId id) const {
  const Poly& p = polys_[id];
  if (p.terms.empty()) return 0;
  if (p.terms.size() > 1 || !p.terms[0].factors.empty()) return std::nullopt;
  return p.terms[0].coefficient;
}

PolyId Forms::constant(std::int64_t value) { return *make({Term{{}, value}}); }

PolyId Forms::symbol(std::string_view name) {
  Atom atom;
  atom.name = name;
  return *of_atom(std::move(atom));
}

PolyId Forms::opaque(std::string_view text) {
  Atom atom;
  atom.kind = AtomKind::text;
  atom.name = text;
  return *of_atom(std::move(atom));
}

Forms::Result Forms::make(Terms terms) {
  if (!normalise(terms) || terms.size() > kMaxTerms) return std::nullopt;
  const auto [at, fresh] = poly_index_.try_emplace(key_of(terms), static_cast<PolyId>(polys_.size()));
  if (!fresh) return at->second;
  Poly poly;
  poly.terms = std::move(terms);
  std::uint64_t weight = 0;
  for (const Term& t : poly.terms) {
    ++weight;
    for (const Factor& f : t.factors) weight += atoms_[f.atom].weight;
  }
  if (weight > kMaxWeight) {
    poly_index_.erase(at);
    return std::nullopt;
  }
  poly.weight = static_cast<std::uint32_t>(std::max<std::uint64_t>(weight, 1));
  describe(poly);
  polys_.push_back(std::move(poly));
  return static_cast<PolyId>(polys_.size() - 1);
}

Forms::Result Forms::of_atom(Atom atom) { return make({Term{{{intern(std::move(atom)), 1}}, 1}}); }

std::uint32_t Forms::intern(Atom atom) {
  std::string key(1, static_cast<char>('0' + static_cast<int>(atom.kind)));
  key += atom.name;
  const auto [at, fresh] =
      atom_index_.try_emplace({std::move(key), atom.operands}, static_cast<std::uint32_t>(atoms_.size()));
  if (!fresh) return at->second;
  atom.weight = static_cast<std::uint32_t>(std::min<std::size_t>(1 + atom.name.size() / 16, kMaxWeight / 4));
  for (const PolyId p : atom.operands) atom.weight += polys_[p].weight;
  describe(atom);
  atoms_.push_back(std::move(atom));
  return at->second;
}

// ---------------------------------------------------------------- facts of atoms and polynomials

void Forms::describe(Atom& atom) const {
  switch (atom.kind) {
    case AtomKind::symbol:
      atom.text = atom.name;
      atom.integral = !is_numbered(atom.name, "zf") && !is_numbered(atom.name, "zuf");
      break;
    case AtomKind::text:
      atom.text = atom.name;
      atom.tight = atom.integral = false;
      break;
    case AtomKind::floor_divide:
      atom.text = "(" + wrapped(atom.operands[0]) + "//" + wrapped(atom.operands[1]) + ")";
      atom.tight = false;
      break;
    case AtomKind::modulo:
      atom.text = "Mod(" + list_text(atom.operands) + ")";
      break;
    case AtomKind::minimum:
      atom.text = "Min(" + list_text(atom.operands) + ")";
      break;
    case AtomKind::maximum:
      atom.text = "Max(" + list_text(atom.operands) + ")";
      break;
    case AtomKind::power:
      atom.text = wrapped(atom.operands[0]) + "**" + wrapped(atom.operands[1]);
      atom.tight = false;
      atom.integral = polys_[atom.operands[1]].range.low >= 0;
      break;
    case AtomKind::divide:
      atom.text = wrapped(atom.operands[0]) + "/" + wrapped(atom.operands[1]);
      atom.tight = atom.integral = false;
      break;
    case AtomKind::call:
      atom.text = atom.name + "(" + list_text(atom.operands) + ")";
      atom.integral = calls_integer(atom.name);
      break;
  }
  if (atom.kind == AtomKind::minimum || atom.kind == AtomKind::maximum || atom.kind == AtomKind::power) {
    for (const PolyId p : atom.operands) atom.integral = atom.integral && polys_[p].integral;
  }
  atom.range = range_of(atom);
}

Interval Forms::range_of(const Atom& atom) const {
  const auto operand = [&](std::size_t i) { return polys_[atom.operands[i]].range; };
  switch (atom.kind) {
    case AtomKind::symbol:
      return is_numbered(atom.name, "s") ? Interval{0, Interval::kHigh} : Interval{};
    case AtomKind::floor_divide: {
      const auto divisor = constant_of(atom.operands[1]);
      if (divisor && *divisor != 0) return quotient(operand(0), *divisor);
      const Interval d = operand(1);
      // Non-negative by positive (a divisor of 0 has no value at all): between 0 and the dividend.
      const bool integral = polys_[atom.operands[0]].integral && polys_[atom.operands[1]].integral;
      if (integral && operand(0).low >= 0 && d.low >= 0) return {0, operand(0).high};
      return {};
    }
    case AtomKind::modulo: {
      const Interval d = operand(1);
      if (d.low < 0) return {};
      const bool integral = polys_[atom.operands[0]].integral && polys_[atom.operands[1]].integral;
      const std::int64_t below = integral ? 1 : 0;
      return {0, d.high == Interval::kHigh ? Interval::kHigh : std::max<std::int64_t>(d.high - below, 0)};
    }
    case AtomKind::minimum:
    case AtomKind::maximum: {
      Interval out = operand(0);
      for (std::size_t i = 1; i < atom.operands.size(); ++i) {
        const bool least = atom.kind == AtomKind::minimum;
        out.low = least ? std::min(out.low, operand(i).low) : std::max(out.low, operand(i).low);
        out.high = least ? std::min(out.high, operand(i).high) : std::max(out.high, operand(i).high);
      }
      return out;
    }
    case AtomKind::power:
      return operand(0).low >= 0 ? Interval{0, Interval::kHigh} : Interval{};
    default:
      return {};
  }
}

void Forms::describe(Poly& poly) const {
  poly.range = {0, 0};
  for (const Term& t : poly.terms) {
    Interval range{t.coefficient, t.coefficient};
    for (const Factor& f : t.factors) {
      range = product(range, power_of(atoms_[f.atom].range, f.power));
      poly.integral = poly.integral && atoms_[f.atom].integral;
    }
    poly.range = sum(poly.range, range);
  }
  std::vector<Term> terms = poly.terms;
  std::sort(terms.begin(), terms.end(), [this](const Term& a, const Term& b) { return prints_before(a, b); });
  // `8 - s0`, as sympy prints it.
  if (terms.size() == 2 && terms[1].factors.empty() && terms[1].coefficient > 0 && terms[0].coefficient < 0 &&
      terms[0].factors.size() == 1)
    std::swap(terms[0], terms[1]);
  for (const Term& t : terms) {
    const std::string text = term_text(t);
    if (poly.text.empty()) {
      poly.text = text;
    } else {
      poly.text += text[0] == '-' ? " - " + text.substr(1) : " + " + text;
    }
  }
  if (terms.empty()) poly.text = "0";
  const bool single =
      terms.size() == 1 && terms[0].factors.size() == 1 && terms[0].factors[0].power == 1 && terms[0].coefficient == 1;
  const bool number = terms.empty() || (terms.size() == 1 && terms[0].factors.empty() && terms[0].coefficient >= 0);
  poly.tight = number || (single && atoms_[terms[0].factors[0].atom].tight);
  // A lone atom stands as it is: `((s0 + 1)//2)`, without the parentheses of a product.
  if (single) poly.text = atoms_[terms[0].factors[0].atom].text;
}

std::string Forms::term_text(const Term& term) const {
  std::vector<Factor> factors = term.factors;
  std::sort(factors.begin(), factors.end(), [this](const Factor& a, const Factor& b) {
    return std::pair(atoms_[a.atom].kind != AtomKind::symbol, atoms_[a.atom].text) <
           std::pair(atoms_[b.atom].kind != AtomKind::symbol, atoms_[b.atom].text);
  });
  std::string out;
  for (const Factor& f : factors) {
    const Atom& atom = atoms_[f.atom];
    if (!out.empty()) out += "*";
    out += atom.tight ? atom.text : "(" + atom.text + ")";
    if (f.power > 1) out += "**" + std::to_string(f.power);
  }
  if (out.empty()) return std::to_string(term.coefficient);
  if (term.coefficient == 1) return out;
  return term.coefficient == -1 ? "-" + out : std::to_string(term.coefficient) + "*" + out;
}

// Lexicographic in the atoms, higher powers first, the constant last.
bool Forms::prints_before(const Term& a, const Term& b) const {
  const auto sorted = [this](std::vector<Factor> factors) {
    std::sort(factors.begin(), factors.end(),
              [this](const Factor& x, const Factor& y) { return atoms_[x.atom].text < atoms_[y.atom].text; });
    return factors;
  };
  const auto rank = [this](const Factor& f) {
    return std::pair(atoms_[f.atom].kind != AtomKind::symbol, std::string_view(atoms_[f.atom].text));
  };
  const std::vector<Factor> x = sorted(a.factors), y = sorted(b.factors);
  for (std::size_t i = 0; i < x.size() && i < y.size(); ++i) {
    if (x[i].atom != y[i].atom) return rank(x[i]) < rank(y[i]);
    if (x[i].power != y[i].power) return x[i].power > y[i].power;
  }
  return x.size() > y.size();
}

std::string Forms::wrapped(PolyId id) const { return polys_[id].tight ? polys_[id].text : "(" + polys_[id].text + ")"; }

std::string Forms::list_text(const std::vector<PolyId>& operands) const {
  std::string out;
  for (const PolyId p : operands) out += (out.empty() ? "" : ", ") + polys_[p].text;
  return out;
}

// ---------------------------------------------------------------- arithmetic

Forms::Result Forms::combine(PolyId a, PolyId b, std::int64_t sign) {
  Terms terms = polys_[a].terms;
  for (Term t : polys_[b].terms) {
    if (__builtin_mul_overflow(t.coefficient, sign, &t.coefficient)) return std::nullopt;
    terms.push_back(std::move(t));
  }
  return make(std::move(terms));
}

Forms::Result Forms::multiply(PolyId a, PolyId b) {
  if (polys_[a].terms.size() * polys_[b].terms.size() > kMaxTerms) return std::nullopt;
  Terms terms;
  for (const Term& x : polys_[a].terms) {
    for (const Term& y : polys_[b].terms) {
      Term t{product(x.factors, y.factors), 0};
      if (__builtin_mul_overflow(x.coefficient, y.coefficient, &t.coefficient)) return std::nullopt;
      terms.push_back(std::move(t));
    }
  }
  return make(std::move(terms));
}

// The quotient where `b` is one product that divides every product of `a`.
Forms::Result Forms::divide_exactly(PolyId a, PolyId b) {
  if (polys_[b].terms.size() != 1) return std::nullopt;
  const Term& divisor = polys_[b].terms[0];
  Terms terms = polys_[a].terms;
  for (Term& t : terms) {
    if (t.coefficient == INT64_MIN || t.coefficient % divisor.coefficient != 0) return std::nullopt;
    t.coefficient /= divisor.coefficient;
    if (!divide_factors(t.factors, divisor.factors)) return std::nullopt;
  }
  return make(std::move(terms));
}

// (q*d + r)//d is q + r//d for all integers: what the divisor divides moves out.
Forms::Result Forms::divide_by_constant(PolyId a, std::int64_t divisor) {
  Terms outside, inside;
  std::int64_t common = divisor;
  for (const Term& t : polys_[a].terms) {
    if (t.coefficient == INT64_MIN) return std::nullopt;
    const auto whole = static_cast<std::int64_t>(floor_of(t.coefficient, divisor));
    const std::int64_t rest = t.coefficient - whole * divisor;
    const bool moves = rest == 0 || t.factors.empty();
    if (moves && whole != 0) outside.push_back({t.factors, whole});
    if (!moves || rest != 0) inside.push_back({t.factors, moves ? rest : t.coefficient});
    if (!inside.empty()) common = std::gcd(common, inside.back().coefficient);
  }
  // A lone remainder is between 0 and the divisor.
  if (inside.size() == 1 && inside[0].factors.empty()) inside.clear();
  const Result quotient = make(std::move(outside));
  if (inside.empty() || !quotient) return quotient;
  // (g*r)//(g*d) is r//d.
  for (Term& t : inside) t.coefficient /= common;
  Atom atom;
  atom.kind = AtomKind::floor_divide;
  const Result rest = make(std::move(inside));
  if (!rest) return std::nullopt;
  const std::int64_t reduced = divisor / common;
  if (reduced == 1 || reduced == -1) return combine(*quotient, *rest, reduced);
  atom.operands = {*rest, constant(reduced)};
  const Result division = of_atom(std::move(atom));
  return division ? add(*quotient, *division) : std::nullopt;
}

Forms::Result Forms::floor_divide(PolyId a, PolyId b) {
  const auto divisor = constant_of(b);
  const bool integral = polys_[a].integral && polys_[b].integral;
  if (integral && !(divisor && *divisor == 0)) {
    if (const Result exact = divide_exactly(a, b)) return exact;
    if (divisor && *divisor != INT64_MIN) return divide_by_constant(a, *divisor);
  }
  Atom atom;
  atom.kind = AtomKind::floor_divide;
  atom.operands = {a, b};
  return of_atom(std::move(atom));
}

// Python's remainder: it has the sign of the divisor, so multiples of the divisor drop out.
Forms::Result Forms::modulo(PolyId a, PolyId b) {
  const auto divisor = constant_of(b);
  PolyId dividend = a;
  if (polys_[a].integral && polys_[b].integral && divisor != 0) {
    if (divide_exactly(a, b)) return constant(0);
    if (divisor && *divisor > 0) {
      Terms terms = polys_[a].terms;
      for (Term& t : terms) t.coefficient -= static_cast<std::int64_t>(floor_of(t.coefficient, *divisor) * *divisor);
      const Result reduced = make(std::move(terms));
      if (!reduced) return std::nullopt;
      if (constant_of(*reduced)) return reduced;
      dividend = *reduced;
    }
  }
  Atom atom;
  atom.kind = AtomKind::modulo;
  atom.operands = {dividend, b};
  return of_atom(std::move(atom));
}

Forms::Result Forms::extremum(AtomKind kind, PolyId a, PolyId b) {
  // Operands of nested ones of the same kind are taken over, then those that another one beats go.
  std::vector<PolyId> all;
  for (const PolyId p : {a, b}) {
    const Poly& poly = polys_[p];
    const bool single = poly.terms.size() == 1 && poly.terms[0].coefficient == 1 && poly.terms[0].factors.size() == 1 &&
                        poly.terms[0].factors[0].power == 1;
    const Atom* atom = single ? &atoms_[poly.terms[0].factors[0].atom] : nullptr;
    if (atom != nullptr && atom->kind == kind) {
      all.insert(all.end(), atom->operands.begin(), atom->operands.end());
    } else {
      all.push_back(p);
    }
  }
  std::vector<PolyId> kept;
  for (const PolyId p : all) {
    const auto beats = [&](PolyId x, PolyId y) {  // x makes y superfluous
      const Result difference = kind == AtomKind::minimum ? subtract(y, x) : subtract(x, y);
      return difference && polys_[*difference].range.low >= 0;
    };
    if (std::any_of(kept.begin(), kept.end(), [&](PolyId k) { return beats(k, p); })) continue;
    std::erase_if(kept, [&](PolyId k) { return beats(p, k); });
    kept.push_back(p);
    if (kept.size() > kMaxTerms) return std::nullopt;
  }
  if (kept.size() == 1) return kept[0];
  std::sort(kept.begin(), kept.end(), [this](PolyId x, PolyId y) {
    return std::pair(!constant_of(x).has_value(), polys_[x].text) <
           std::pair(!constant_of(y).has_value(), polys_[y].text);
  });
  Atom atom;
  atom.kind = kind;
  atom.operands = std::move(kept);
  return of_atom(std::move(atom));
}

Forms::Result Forms::power(PolyId base, PolyId exponent) {
  constexpr std::int64_t kMostUnrolled = 64;
  const auto n = constant_of(exponent);
  if (n && *n >= 0 && *n <= kMostUnrolled) {
    Result out = constant(1);
    for (std::int64_t i = 0; i < *n && out; ++i) out = multiply(*out, base);
    if (out) return out;
  }
  Atom atom;
  atom.kind = AtomKind::power;
  atom.operands = {base, exponent};
  return of_atom(std::move(atom));
}

Forms::Result Forms::divide(PolyId a, PolyId b) {
  Atom atom;
  atom.kind = AtomKind::divide;
  atom.operands = {a, b};
  return of_atom(std::move(atom));
}

Forms::Result Forms::call(std::string_view name, std::vector<PolyId> operands) {
  Atom atom;
  atom.kind = AtomKind::call;
  atom.name = name;
  atom.operands = std::move(operands);
  return of_atom(std::move(atom));
}

}  // namespace fxrules
