// Element types as torch has them, their spellings, and the arithmetic on them: promotion and casts.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace fxrules {

enum class Dtype : std::uint8_t {
  boolean,
  uint8,
  int8,
  int16,
  int32,
  int64,
  uint16,
  uint32,
  uint64,
  float16,
  bfloat16,
  float32,
  float64,
  float8_e4m3fn,
  float8_e5m2,
  float8_e4m3fnuz,
  float8_e5m2fnuz,
  float8_e8m0fnu,
  float4_e2m1fn_x2,
  complex32,
  complex64,
  complex128,
  bcomplex32,
  qint8,
  quint8,
  qint32,
  quint4x2,
  quint2x4,
  bits8,
  bits16,
  bits1x8,
  bits2x4,
  bits4x2,
  unknown,
};

enum class DtypeCategory : std::uint8_t { boolean, integral, floating, complex, other };

[[nodiscard]] std::string_view to_string(Dtype dtype);                  // "torch.float32"
[[nodiscard]] std::string_view short_name(Dtype dtype);                 // "f32"; bool is "b8"
[[nodiscard]] std::optional<Dtype> parse_dtype(std::string_view text);  // "torch.float32", "torch.half", "f32", "bool"
[[nodiscard]] DtypeCategory category(Dtype dtype);
[[nodiscard]] Dtype promote_types(Dtype a, Dtype b);  // torch.promote_types; unknown where torch raises
[[nodiscard]] bool can_cast(Dtype from, Dtype to);    // torch.can_cast

// What takes part in torch.result_type: dimensioned tensors outrank 0-d tensors, those outrank numbers,
// unless the lower rank has the higher category.
enum class PromotionRank : std::uint8_t { number, zero_dim, dimensioned };
struct Promotion {
  Dtype dtype = Dtype::unknown;
  PromotionRank rank = PromotionRank::number;
};
// torch.result_type over any number of operands, folded left: start from a default-constructed state.
// An operand of unknown dtype counts as absent, so ask before: the result with it is unknown.
struct PromotionState {
  Dtype dimensioned = Dtype::unknown, zero_dim = Dtype::unknown, number = Dtype::unknown;
};
void promote(PromotionState& state, Promotion operand);
// Numbers alone promote to torch's default types: bool, int64, float32, complex64.
[[nodiscard]] Dtype result_type(const PromotionState& state);

}  // namespace fxrules
