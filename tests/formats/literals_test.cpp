// Python's spelling of numbers and strings.
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "formats/python_literals.hpp"
#include "tests/formats/support.hpp"

using namespace fxrules;

namespace {

std::string float_repr(double value) {
  std::string out;
  append_float_repr(out, value);
  return out;
}
std::string string_repr(std::string_view value) {
  std::string out;
  append_string_repr(out, value);
  return out;
}

}  // namespace

TEST_CASE("floats print as Python prints them", "[formats]") {
  CHECK(float_repr(2) == "2.0");
  CHECK(float_repr(-0.0) == "-0.0");
  CHECK(float_repr(1e-5) == "1e-05");
  CHECK(float_repr(1.5e-5) == "1.5e-05");
  CHECK(float_repr(0.0001) == "0.0001");
  CHECK(float_repr(1e20) == "1e+20");
  CHECK(float_repr(1e16) == "1e+16");
  CHECK(float_repr(9999999999999998) == "9999999999999998.0");
  CHECK(float_repr(123456.789) == "123456.789");
  CHECK(float_repr(1e15) == "1000000000000000.0");
  CHECK(float_repr(1e23) == "1e+23");
  CHECK(float_repr(5e-324) == "5e-324");
  CHECK(float_repr(1.7976931348623157e308) == "1.7976931348623157e+308");
  CHECK(float_repr(0.1) == "0.1");
  CHECK(float_repr(1.0 / 3) == "0.3333333333333333");
  CHECK(float_repr(-12.5) == "-12.5");
  CHECK(float_repr(std::numeric_limits<double>::infinity()) == "inf");
  CHECK(float_repr(-std::numeric_limits<double>::infinity()) == "-inf");
  CHECK(float_repr(std::nan("")) == "nan");
}

TEST_CASE("a float is what prints as the same text", "[formats]") {
  for (const char* text : {"2.0", "-0.0", "1e-05", "1e+20", "inf", "-inf", "nan", "0.3333333333333333"})
    CHECK(parse_float_repr(text).has_value());
  for (const char* text : {"", "2", "1e5", "1e-5", "1.50", ".5", "5.", "1_0.0", "0x1p3", "-", "-nan", "+1.0", "1.0 ",
                           "0.1000000000000000055511151231257827", "1e400", "infinity"}) {
    INFO(text);
    CHECK_FALSE(parse_float_repr(text).has_value());
  }
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    const double value = std::bit_cast<double>(random());
    if (std::isnan(value)) continue;
    const auto back = parse_float_repr(float_repr(value));
    REQUIRE(back.has_value());
    REQUIRE(std::bit_cast<std::uint64_t>(*back) == std::bit_cast<std::uint64_t>(value));
  }
}

TEST_CASE("strings are quoted as Python quotes them", "[formats]") {
  CHECK(string_repr("") == "''");
  CHECK(string_repr("it") == "'it'");
  CHECK(string_repr("it's") == "\"it's\"");
  CHECK(string_repr("\"") == "'\"'");
  CHECK(string_repr("'\"") == R"('\'"')");
  CHECK(string_repr("a\nb\tc\rd\\e") == R"('a\nb\tc\rd\\e')");
  CHECK(string_repr(std::string_view("\0\x1b\x7f", 3)) == R"('\x00\x1b\x7f')");
  CHECK(string_repr("gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80") == "'gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80'");
  CHECK(string_repr("\xc2\xa0\xe2\x80\x8b\xef\xbb\xbf") == R"('\xa0\u200b\ufeff')");
  CHECK(string_repr("\xf3\xa0\x80\x81") == R"('\U000e0001')");
}

TEST_CASE("string literals read back", "[formats]") {
  std::mt19937 random(3);
  const std::vector<std::string> parts{"a",    "'",        "\"",           "\\", "\n", "\t", "\r", std::string(1, '\0'),
                                       "\x7f", "\xc3\xbc", "\xe2\x80\x8b", " ",  "{",  ")"};
  for (int i = 0; i < 5000; ++i) {
    std::string value;
    for (unsigned n = random() % 8; n > 0; --n) value += parts[random() % parts.size()];
    CHECK(parse_string_literal(string_repr(value)) == value);
  }
  CHECK(parse_string_literal(R"('\x41\u00fc\U0001f600')") == "A\xc3\xbc\xf0\x9f\x98\x80");
  for (const char* text :
       {"", "'", "'a", "a'", "'a'b'", R"('\')", R"('\q')", R"('\x4')", R"('\u12')", R"('\U00110000')", "'a\""}) {
    INFO(text);
    CHECK_FALSE(parse_string_literal(text).has_value());
  }
}

TEST_CASE("complex numbers are recognised", "[formats]") {
  for (const char* text : {"2j", "-2j", "1.5j", "(1+2j)", "(-0-2j)", "(1e+20-0.5j)", "(nan+infj)", "1e-05j"})
    CHECK(is_complex_repr(text));
  for (const char* text : {"", "j", "1+2j", "(1+2)", "(1+j)", "(2j)", "()", "(1 + 2j)", "2", "1.j", "(1+2j"}) {
    INFO(text);
    CHECK_FALSE(is_complex_repr(text));
  }
}
