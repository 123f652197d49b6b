// torch.result_type: operands gather in three ranks, and a lower rank counts only where its category is
// the higher one.
#include "fxrules/dtype.hpp"

namespace fxrules {
namespace {

// Where one side is still empty, the other.
Dtype promote_known(Dtype a, Dtype b) {
  if (a == Dtype::unknown) return b;
  return b == Dtype::unknown ? a : promote_types(a, b);
}

// A Python number stands for its category alone.
Dtype default_of(Dtype number) {
  switch (category(number)) {
    case DtypeCategory::complex:
      return Dtype::complex64;
    case DtypeCategory::floating:
      return Dtype::float32;
    default:
      return number;
  }
}

Dtype complex_of(Dtype floating) {
  switch (floating) {
    case Dtype::float16:
      return Dtype::complex32;
    case Dtype::float64:
      return Dtype::complex128;
    default:
      return Dtype::complex64;
  }
}

bool is(Dtype dtype, DtypeCategory wanted) { return dtype != Dtype::unknown && category(dtype) == wanted; }

Dtype combine(Dtype higher, Dtype lower) {
  if (is(higher, DtypeCategory::complex)) return higher;
  if (is(higher, DtypeCategory::floating)) {
    return is(lower, DtypeCategory::complex) ? complex_of(higher) : higher;
  }
  if (higher == Dtype::boolean || is(lower, DtypeCategory::floating) || is(lower, DtypeCategory::complex)) {
    return promote_known(higher, lower);
  }
  return higher == Dtype::unknown ? lower : higher;
}

}  // namespace

void promote(PromotionState& state, Promotion operand) {
  switch (operand.rank) {
    case PromotionRank::number:
      state.number = promote_known(state.number, default_of(operand.dtype));
      return;
    case PromotionRank::zero_dim:
      state.zero_dim = promote_known(state.zero_dim, operand.dtype);
      return;
    case PromotionRank::dimensioned:
      state.dimensioned = promote_known(state.dimensioned, operand.dtype);
      return;
  }
}

Dtype result_type(const PromotionState& state) {
  return combine(state.dimensioned, combine(state.zero_dim, state.number));
}

}  // namespace fxrules
