// Dtypes by table. promotion.inc is torch's own answer for every pair; the rest are its rules, checked
// against torch's answers in tests/catalogue.
#include "fxrules/dtype.hpp"

#include <array>
#include <utility>

namespace fxrules {
namespace {

constexpr std::size_t count = static_cast<std::size_t>(Dtype::unknown);

struct DtypeNames {
  std::string_view full, brief;
  DtypeCategory category;
};

using enum DtypeCategory;
constexpr std::array<DtypeNames, count> names{{
    {"torch.bool", "b8", boolean},
    {"torch.uint8", "u8", integral},
    {"torch.int8", "i8", integral},
    {"torch.int16", "i16", integral},
    {"torch.int32", "i32", integral},
    {"torch.int64", "i64", integral},
    {"torch.uint16", "u16", integral},
    {"torch.uint32", "u32", integral},
    {"torch.uint64", "u64", integral},
    {"torch.float16", "f16", floating},
    {"torch.bfloat16", "bf16", floating},
    {"torch.float32", "f32", floating},
    {"torch.float64", "f64", floating},
    {"torch.float8_e4m3fn", "f8e4m3fn", floating},
    {"torch.float8_e5m2", "f8e5m2", floating},
    {"torch.float8_e4m3fnuz", "f8e4m3fnuz", floating},
    {"torch.float8_e5m2fnuz", "f8e5m2fnuz", floating},
    {"torch.float8_e8m0fnu", "f8e8m0fnu", floating},
    {"torch.float4_e2m1fn_x2", "f4e2m1fnx2", floating},
    {"torch.complex32", "c32", complex},
    {"torch.complex64", "c64", complex},
    {"torch.complex128", "c128", complex},
    {"torch.bcomplex32", "bc32", complex},
    {"torch.qint8", "qi8", other},
    {"torch.quint8", "qu8", other},
    {"torch.qint32", "qi32", other},
    {"torch.quint4x2", "qu4x2", other},
    {"torch.quint2x4", "qu2x4", other},
    {"torch.bits8", "b8x1", other},
    {"torch.bits16", "b16x1", other},
    {"torch.bits1x8", "b1x8", other},
    {"torch.bits2x4", "b2x4", other},
    {"torch.bits4x2", "b4x2", other},
}};

constexpr std::array<std::array<Dtype, count>, count> promotions{{
#include "engine/catalogue/promotion.inc"
}};

// Other names that torch has for the same dtypes, and spellings of its older versions.
constexpr std::array<std::pair<std::string_view, Dtype>, 12> synonyms{{
    {"half", Dtype::float16},
    {"float", Dtype::float32},
    {"double", Dtype::float64},
    {"short", Dtype::int16},
    {"int", Dtype::int32},
    {"long", Dtype::int64},
    {"chalf", Dtype::complex32},
    {"cfloat", Dtype::complex64},
    {"cdouble", Dtype::complex128},
    {"b16", Dtype::bits16},
    {"i1", Dtype::boolean},
    {"b1", Dtype::boolean},
}};

std::size_t index_of(Dtype dtype) { return static_cast<std::size_t>(dtype); }

}  // namespace

std::string_view to_string(Dtype dtype) {
  return dtype == Dtype::unknown ? std::string_view("unknown") : names[index_of(dtype)].full;
}

std::string_view short_name(Dtype dtype) {
  return dtype == Dtype::unknown ? std::string_view("?") : names[index_of(dtype)].brief;
}

std::optional<Dtype> parse_dtype(std::string_view text) {
  constexpr std::string_view prefix = "torch.";
  const std::string_view bare = text.starts_with(prefix) ? text.substr(prefix.size()) : text;
  const bool dotted = bare.size() != text.size();
  for (std::size_t k = 0; k < count; ++k) {
    if (names[k].full.substr(prefix.size()) == bare || (!dotted && names[k].brief == bare)) {
      return static_cast<Dtype>(k);
    }
  }
  for (const auto& [name, dtype] : synonyms) {
    if (name == bare) return dtype;
  }
  return std::nullopt;
}

DtypeCategory category(Dtype dtype) { return dtype == Dtype::unknown ? other : names[index_of(dtype)].category; }

Dtype promote_types(Dtype a, Dtype b) {
  if (a == Dtype::unknown || b == Dtype::unknown) return Dtype::unknown;
  return promotions[index_of(a)][index_of(b)];
}

bool can_cast(Dtype from, Dtype to) {
  if (from == Dtype::unknown || to == Dtype::unknown) return false;
  const DtypeCategory source = category(from), result = category(to);
  if (source == complex && result != complex) return false;
  if (source == floating && result == integral) return false;
  return from == Dtype::boolean || to != Dtype::boolean;
}

}  // namespace fxrules
