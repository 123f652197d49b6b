// Names of dtypes, and their arithmetic against torch's own answers.
#include "fxrules/dtype.hpp"

#include <fstream>
#include <sstream>

#include "tests/support/catch.hpp"

using namespace fxrules;

namespace {

constexpr int dtype_count = static_cast<int>(Dtype::unknown);

Dtype named(const std::string& name) { return parse_dtype("torch." + name).value(); }

Promotion operand(const std::string& kind, const std::string& name) {
  if (kind == "tensor") return {named(name), PromotionRank::dimensioned};
  return {named(name), kind == "number" ? PromotionRank::number : PromotionRank::zero_dim};
}

Dtype result_of(std::initializer_list<Promotion> operands) {
  PromotionState state;
  for (const Promotion& one : operands) promote(state, one);
  return result_type(state);
}

// Calls `check` with every line of a file of torch's answers.
template <typename Check>
int for_each_line(const char* file, Check check) {
  std::ifstream stream(std::string(FXRULES_SOURCE_DIR "/tests/catalogue/") + file);
  REQUIRE(stream.good());
  int lines = 0;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    check(words, line);
    ++lines;
  }
  return lines;
}

}  // namespace

TEST_CASE("dtypes print as torch prints them and read back") {
  for (int k = 0; k < dtype_count; ++k) {
    const auto dtype = static_cast<Dtype>(k);
    CHECK(parse_dtype(to_string(dtype)) == dtype);
    CHECK(parse_dtype(short_name(dtype)) == dtype);
  }
  CHECK(to_string(Dtype::boolean) == "torch.bool");
  CHECK(short_name(Dtype::boolean) == "b8");
  CHECK(short_name(Dtype::bits8) == "b8x1");
  CHECK(short_name(Dtype::float8_e4m3fn) == "f8e4m3fn");
}

TEST_CASE("other names of dtypes") {
  CHECK(parse_dtype("torch.half") == Dtype::float16);
  CHECK(parse_dtype("torch.float") == Dtype::float32);
  CHECK(parse_dtype("torch.long") == Dtype::int64);
  CHECK(parse_dtype("bool") == Dtype::boolean);
  CHECK(parse_dtype("float32") == Dtype::float32);
  CHECK_FALSE(parse_dtype("torch.f32"));
  CHECK_FALSE(parse_dtype("torch.strided"));
  CHECK_FALSE(parse_dtype(""));
  CHECK_FALSE(parse_dtype("torch."));
}

TEST_CASE("categories") {
  CHECK(category(Dtype::boolean) == DtypeCategory::boolean);
  CHECK(category(Dtype::uint64) == DtypeCategory::integral);
  CHECK(category(Dtype::bfloat16) == DtypeCategory::floating);
  CHECK(category(Dtype::complex32) == DtypeCategory::complex);
  CHECK(category(Dtype::quint8) == DtypeCategory::other);
}

TEST_CASE("promotion of two dtypes") {
  CHECK(promote_types(Dtype::float16, Dtype::bfloat16) == Dtype::float32);
  CHECK(promote_types(Dtype::uint8, Dtype::int8) == Dtype::int16);
  CHECK(promote_types(Dtype::int64, Dtype::float16) == Dtype::float16);
  CHECK(promote_types(Dtype::float64, Dtype::complex64) == Dtype::complex128);
  CHECK(promote_types(Dtype::uint16, Dtype::int32) == Dtype::unknown);
  CHECK(promote_types(Dtype::unknown, Dtype::float32) == Dtype::unknown);
  for (int a = 0; a < dtype_count; ++a) {
    for (int b = 0; b < dtype_count; ++b) {
      const auto x = static_cast<Dtype>(a), y = static_cast<Dtype>(b);
      CHECK(promote_types(x, y) == promote_types(y, x));
    }
  }
}

TEST_CASE("casts are torch's") {
  const int lines = for_each_line("casts.txt", [](std::istringstream& words, const std::string& line) {
    std::string from, to;
    bool castable = false;
    words >> from >> to >> castable;
    INFO(line);
    CHECK(can_cast(named(from), named(to)) == castable);
  });
  CHECK(lines >= 32 * 32);
  CHECK_FALSE(can_cast(Dtype::unknown, Dtype::float32));
  CHECK_FALSE(can_cast(Dtype::float32, Dtype::unknown));
}

TEST_CASE("result types of two operands are torch's") {
  const int lines = for_each_line("result_types.txt", [](std::istringstream& words, const std::string& line) {
    std::string kind_a, a, kind_b, b, result;
    words >> kind_a >> a >> kind_b >> b >> result;
    INFO(line);
    CHECK(result_of({operand(kind_a, a), operand(kind_b, b)}) == named(result));
  });
  CHECK(lines == 28 * 28);
}

TEST_CASE("any number of operands, one, or none") {
  const Promotion half{Dtype::float16, PromotionRank::dimensioned}, integer{Dtype::int64, PromotionRank::dimensioned};
  const Promotion zero_dim{Dtype::float64, PromotionRank::zero_dim}, number{Dtype::float64, PromotionRank::number};
  CHECK(result_of({integer, half, zero_dim, number}) == Dtype::float16);
  CHECK(result_of({integer, zero_dim, number}) == Dtype::float64);
  CHECK(result_of({integer, number}) == Dtype::float32);
  CHECK(result_of({number}) == Dtype::float32);
  CHECK(result_of({}) == Dtype::unknown);
}
