// Spelled expressions over normal forms: an expression keeps its text, questions go to its polynomial.
#include "fxrules/symbolic.hpp"

#include <numeric>

#include "engine/graph/symbolic_forms.hpp"
#include "engine/graph/symbolic_parse.hpp"

namespace fxrules {
namespace {

struct Expression {
  SymbolId text;
  PolyId poly;
};

bool is_integer_text(std::string_view text, std::int64_t value) { return std::to_string(value) == text; }

// No integers make a sum zero whose coefficients share a divisor that the constant lacks: 2*s0 - 3.
bool never_zero(const Forms& forms, PolyId id) {
  const Poly& poly = forms[id];
  std::int64_t shared = 0, constant = 0;
  for (const Term& t : poly.terms) {
    if (t.coefficient == INT64_MIN) return false;
    if (t.factors.empty()) {
      constant = t.coefficient;
    } else {
      shared = std::gcd(shared, t.coefficient);
    }
  }
  return poly.integral && shared > 1 && constant % shared != 0;
}

}  // namespace

struct Expressions::Impl {
  explicit Impl(Symbols& s) : symbols(s) {}

  // The expression of this text; made when it is new.
  Size spelled(std::string_view text, PolyId poly) {
    const SymbolId symbol = symbols.intern(text);
    const auto [at, fresh] = by_text.try_emplace(symbol, ExprId(static_cast<std::uint32_t>(expressions.size())));
    if (fresh) expressions.push_back({symbol, poly});
    return Size::of(at->second);
  }

  PolyId poly(Size size) { return size.expr.valid() ? expressions[size.expr.value].poly : forms.constant(size.value); }

  Size computed(Forms::Result result) {
    if (!result) return Size::unknown();
    if (const auto value = forms.constant_of(*result)) return Size::of(*value);
    return spelled(std::string(forms[*result].text), *result);
  }

  Size binary(Forms::Result (Forms::*operation)(PolyId, PolyId), Size a, Size b) {
    if (!a.known || !b.known) return Size::unknown();
    return computed((forms.*operation)(poly(a), poly(b)));
  }

  Symbols& symbols;
  Forms forms;
  std::vector<Expression> expressions;
  std::unordered_map<SymbolId, ExprId> by_text;
};

Expressions::Expressions(Symbols& symbols) : impl_(std::make_unique<Impl>(symbols)) {}
Expressions::~Expressions() = default;

std::optional<Size> Expressions::parse(std::string_view text) {
  if (const auto symbol = impl_->symbols.find(text)) {
    const auto known = impl_->by_text.find(*symbol);
    if (known != impl_->by_text.end()) return Size::of(known->second);
  }
  const auto poly = parse_expression(impl_->forms, text);
  if (!poly) return std::nullopt;
  const auto value = impl_->forms.constant_of(*poly);
  if (value && is_integer_text(text, *value)) return Size::of(*value);
  return impl_->spelled(text, *poly);
}

std::string Expressions::text(Size size) const {
  if (!size.known) return "?";
  if (!size.expr.valid()) return std::to_string(size.value);
  return std::string(impl_->symbols.text(impl_->expressions[size.expr.value].text));
}

Size Expressions::add(Size a, Size b) { return impl_->binary(&Forms::add, a, b); }
Size Expressions::subtract(Size a, Size b) { return impl_->binary(&Forms::subtract, a, b); }
Size Expressions::multiply(Size a, Size b) { return impl_->binary(&Forms::multiply, a, b); }
Size Expressions::minimum(Size a, Size b) { return impl_->binary(&Forms::minimum, a, b); }
Size Expressions::maximum(Size a, Size b) { return impl_->binary(&Forms::maximum, a, b); }

Size Expressions::floor_divide(Size a, Size b) {
  if (is_zero(b)) return Size::unknown();
  return impl_->binary(&Forms::floor_divide, a, b);
}

Size Expressions::modulo(Size a, Size b) {
  if (is_zero(b)) return Size::unknown();
  return impl_->binary(&Forms::modulo, a, b);
}

bool Expressions::is_zero(Size size) const { return size.known && impl_->forms.constant_of(impl_->poly(size)) == 0; }

Truth Expressions::equal(Size a, Size b) {
  if (!a.known || !b.known) return Truth::unknown;
  if (a == b) return Truth::yes;
  const Forms::Result difference = impl_->forms.subtract(impl_->poly(a), impl_->poly(b));
  if (!difference) return Truth::unknown;
  const Poly& poly = impl_->forms[*difference];
  if (poly.terms.empty()) return Truth::yes;
  if (poly.range.low > 0 || poly.range.high < 0) return Truth::no;
  return never_zero(impl_->forms, *difference) ? Truth::no : Truth::unknown;
}

Truth Expressions::less(Size a, Size b) {
  if (!a.known || !b.known) return Truth::unknown;
  if (a == b) return Truth::no;
  const Forms::Result difference = impl_->forms.subtract(impl_->poly(b), impl_->poly(a));
  if (!difference) return Truth::unknown;
  const Interval range = impl_->forms[*difference].range;
  if (range.low > 0) return Truth::yes;
  return range.high <= 0 ? Truth::no : Truth::unknown;
}

Truth Expressions::at_least(Size a, std::int64_t bound) { return !less(a, Size::of(bound)); }

}  // namespace fxrules
