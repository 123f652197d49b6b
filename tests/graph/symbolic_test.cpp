// Symbolic sizes: what is kept as spelled, what is proven, and that arithmetic agrees with integers.
#include "fxrules/symbolic.hpp"

#include <array>
#include <map>
#include <random>
#include <string>

#include "tests/support/catch.hpp"

using namespace fxrules;

namespace {

struct Table {
  Symbols symbols;
  Expressions e{symbols};
  Size operator()(std::string_view text) {
    const auto size = e.parse(text);
    INFO(text);
    REQUIRE(size.has_value());
    return *size;
  }
  Truth equal(std::string_view a, std::string_view b) { return e.equal((*this)(a), (*this)(b)); }
  Truth less(std::string_view a, std::string_view b) { return e.less((*this)(a), (*this)(b)); }
};

}  // namespace

TEST_CASE("expressions keep their spelling", "[symbolic]") {
  Table t;
  for (const char* text : {"s77",
                           "8",
                           "-1",
                           "s17 + 2*s77 - 1",
                           "6*s17 + 12*s77 - 6",
                           "s77**2",
                           "s77 + ((s17//2))",
                           "((s77 + 1)//2)",
                           "((s17*s77)//4)",
                           "Mod(s77, 3)",
                           "Max(s17, s77)",
                           "Max(7, s77)",
                           "Min(16384, s1)",
                           "PythonMod(s0, 2)",
                           "ModularIndexing(s0, 2, 3)",
                           "CeilToInt(s0/2)",
                           "-s0",
                           "s0 * 2",
                           "2 + 3",
                           "f()",
                           "s17*s77**3*Max(1, ((s77 + 1)//2))*Max(1, Mod(s77, 3))*Min(s17, s77)",
                           "99999999999999999999*s0"}) {
    CHECK(t.e.text(t(text)) == text);
    CHECK(t.e.equal(t(text), t(text)) == Truth::yes);
  }
}

TEST_CASE("what is no expression is refused", "[symbolic]") {
  Table t;
  for (const char* text :
       {"",   " ",   "s0 +", "+",   "(s0", "s0)",    "s0 s1", "u0 >= 0", "Min(s0,", "Min(s0, )", "(s0, s1)",
        "()", "1.5", "None", "2s0", "'a'", "s0 ** ", "a.b",   "f(,)",    "*s0",     "True"}) {
    INFO(text);
    CHECK_FALSE(t.e.parse(text).has_value());
  }
  CHECK_FALSE(t.e.parse(std::string(201, '(') + "s0" + std::string(201, ')')).has_value());
  CHECK(t.e.parse(std::string(199, '(') + "s0" + std::string(199, ')')).has_value());
}

TEST_CASE("long and hostile texts end quickly", "[symbolic]") {
  Table t;
  std::string sum = "s0";
  for (int i = 1; i < 200000; ++i) sum += " + s" + std::to_string(i);
  CHECK(t.e.text(t(sum)) == sum);
  CHECK_FALSE(t.e.parse(std::string(1000000, '(')).has_value());
  CHECK_FALSE(t.e.parse(std::string(1000000, '-') + "s0").has_value());
  std::string powers = "(s0 + s1)";
  for (int i = 0; i < 60; ++i) powers += "**64";
  CHECK(t.e.text(t(powers)) == powers);
  // Doubling an expression again and again becomes unknown, not exponential.
  Size x = t("s0");
  for (int i = 0; i < 100; ++i) x = t.e.minimum(t.e.multiply(x, x), t.e.add(x, t("s1")));
  CHECK_FALSE(x.known);
}

TEST_CASE("equality is proven by normal forms", "[symbolic]") {
  Table t;
  CHECK(t.equal("s0 + 1", "1 + s0") == Truth::yes);
  CHECK(t.equal("2*(s0 + s1)", "2*s1 + 2*s0") == Truth::yes);
  CHECK(t.equal("(s0 + 1)**2", "s0**2 + 2*s0 + 1") == Truth::yes);
  CHECK(t.equal("((2*s0 + 1)//2)", "s0") == Truth::yes);
  CHECK(t.equal("((4*s0 + 2)//4)", "s0") == Truth::yes);
  CHECK(t.equal("((2*s0 + 2*s1)//4)", "((s0 + s1)//2)") == Truth::yes);
  CHECK(t.equal("((s0*s1)//s0)", "s1") == Truth::yes);
  CHECK(t.equal("FloorDiv(s0, 2)", "(s0//2)") == Truth::yes);
  CHECK(t.equal("-s0//-1", "s0") == Truth::yes);
  CHECK(t.equal("Mod(s0 + 6, 3)", "Mod(s0, 3)") == Truth::yes);
  CHECK(t.equal("Mod(3*s0, 3)", "0") == Truth::yes);
  CHECK(t.equal("Max(s0, 0)", "s0") == Truth::yes);
  CHECK(t.equal("Max(u0, 0)", "u0") == Truth::unknown);
  CHECK(t.equal("Max(s0, Max(s1, 3))", "Max(3, s1, s0)") == Truth::yes);
  CHECK(t.equal("Min(s0, s0 + 1)", "s0") == Truth::yes);
  CHECK(t.equal("s0", "s0 + 1") == Truth::no);
  CHECK(t.equal("s0", "-1") == Truth::no);
  CHECK(t.equal("2*s0", "3") == Truth::no);
  CHECK(t.equal("s0", "s1") == Truth::unknown);
  CHECK(t.equal("s0", "8") == Truth::unknown);
  CHECK(t.equal("s0/2", "(s0//2)") == Truth::unknown);
  CHECK(t.equal("2*(s0/2)", "2*(s0/2)") == Truth::yes);
  CHECK(t.equal("(2*(s0/2))//2", "s0/2") != Truth::yes);
  CHECK(t.e.equal(Size::unknown(), Size::unknown()) == Truth::unknown);
  CHECK(t.equal("9223372036854775807*s0 + s0", "s1") == Truth::unknown);
}

TEST_CASE("order is proven where bounds allow", "[symbolic]") {
  Table t;
  CHECK(t.less("s0", "s0 + 1") == Truth::yes);
  CHECK(t.less("s0 + 1", "s0") == Truth::no);
  CHECK(t.less("s0", "0") == Truth::no);
  CHECK(t.less("0", "s0") == Truth::unknown);
  CHECK(t.less("-1", "s0*s1") == Truth::yes);
  CHECK(t.less("u0", "0") == Truth::unknown);
  CHECK(t.less("Mod(u0, 3)", "3") == Truth::yes);
  CHECK(t.less("8", "Min(8, s0)") == Truth::no);
  CHECK(t.less("0", "Max(1, u0)") == Truth::yes);
  CHECK(t.less("(s0//2)", "0") == Truth::no);
  CHECK(t.less("s0", "s0") == Truth::no);
  CHECK(t.less("-1", "u0**2") == Truth::yes);
  CHECK(t.e.at_least(t("Max(1, s0)"), 1) == Truth::yes);
  CHECK(t.e.at_least(t("s0"), 1) == Truth::unknown);
}

TEST_CASE("results are spelled as sympy spells them", "[symbolic]") {
  Table t;
  Expressions& e = t.e;
  CHECK(e.text(e.add(t("s0"), Size::of(1))) == "s0 + 1");
  CHECK(e.text(e.subtract(Size::of(8), t("s0"))) == "8 - s0");
  CHECK(e.text(e.subtract(t("2*s77 + s17"), Size::of(1))) == "s17 + 2*s77 - 1");
  CHECK(e.text(e.multiply(t("s77"), t("s77"))) == "s77**2");
  CHECK(e.text(e.floor_divide(t("s77 + 1"), Size::of(2))) == "((s77 + 1)//2)");
  CHECK(e.text(e.add(t("s77"), e.floor_divide(t("s17"), Size::of(2)))) == "s77 + ((s17//2))");
  CHECK(e.text(e.floor_divide(t("s17*s77"), Size::of(4))) == "((s17*s77)//4)");
  CHECK(e.text(e.maximum(t("s77"), Size::of(7))) == "Max(7, s77)");
  CHECK(e.text(e.minimum(t("s77"), t("s17"))) == "Min(s17, s77)");
  CHECK(e.text(e.modulo(t("s77"), Size::of(3))) == "Mod(s77, 3)");
  CHECK(e.text(e.subtract(t("s0"), t("s0"))) == "0");
  CHECK(e.subtract(t("s0"), t("s0")).is_static());
  CHECK_FALSE(e.floor_divide(t("s0"), Size::of(0)).known);
  CHECK_FALSE(e.modulo(t("s0"), t("s1 - s1")).known);
  CHECK_FALSE(e.add(Size::of(INT64_MAX), Size::of(1)).known);
  CHECK_FALSE(e.multiply(Size::of(INT64_MIN), Size::of(-1)).known);
  CHECK(e.floor_divide(Size::of(-7), Size::of(2)) == Size::of(-4));
  CHECK(e.modulo(Size::of(-7), Size::of(2)) == Size::of(1));
}

// Random expressions, computed once symbolically and once with integers put in: every proof must agree,
// and a spelled result must parse again.
TEST_CASE("proofs agree with integers", "[symbolic]") {
  Table t;
  std::mt19937 random(20260729);
  const std::array<std::string, 4> names{"s0", "s1", "s2", "u0"};
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const auto floor_divide = [](std::int64_t a, std::int64_t b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
  };
  int proofs = 0;
  for (int round = 0; round < 600; ++round) {
    constexpr int kSamples = 6;
    struct Value {
      Size size;
      std::array<std::int64_t, kSamples> at{};
      bool defined = true;
    };
    std::vector<Value> values;
    for (const std::string& name : names) {
      Value v{t(name)};
      for (std::int64_t& x : v.at) x = name[0] == 's' ? pick(9) : pick(17) - 8;
      values.push_back(v);
    }
    for (int step = 0; step < 10; ++step) {
      const Value a = values[static_cast<std::size_t>(pick(static_cast<int>(values.size())))];
      Value b = values[static_cast<std::size_t>(pick(static_cast<int>(values.size())))];
      if (pick(2) == 0) {
        const int constant = pick(9) - 4;
        b = {Size::of(constant)};
        b.at.fill(constant);
      }
      Value out;
      out.defined = a.defined && b.defined;
      const int operation = pick(7);
      for (std::size_t i = 0; i < kSamples && out.defined; ++i) {
        const std::int64_t x = a.at[i], y = b.at[i];
        if (operation >= 3 && operation <= 4 && y == 0) out.defined = false;
        if (x > 1000000 || x < -1000000 || y > 1000000 || y < -1000000) out.defined = false;
        if (!out.defined) break;
        switch (operation) {
          case 0:
            out.at[i] = x + y;
            break;
          case 1:
            out.at[i] = x - y;
            break;
          case 2:
            out.at[i] = x * y;
            break;
          case 3:
            out.at[i] = floor_divide(x, y);
            break;
          case 4:
            out.at[i] = x - y * floor_divide(x, y);
            break;
          case 5:
            out.at[i] = std::min(x, y);
            break;
          default:
            out.at[i] = std::max(x, y);
            break;
        }
      }
      if (!out.defined) continue;
      switch (operation) {
        case 0:
          out.size = t.e.add(a.size, b.size);
          break;
        case 1:
          out.size = t.e.subtract(a.size, b.size);
          break;
        case 2:
          out.size = t.e.multiply(a.size, b.size);
          break;
        case 3:
          out.size = t.e.floor_divide(a.size, b.size);
          break;
        case 4:
          out.size = t.e.modulo(a.size, b.size);
          break;
        case 5:
          out.size = t.e.minimum(a.size, b.size);
          break;
        default:
          out.size = t.e.maximum(a.size, b.size);
          break;
      }
      if (!out.size.known) continue;
      const std::string text = t.e.text(out.size);
      Table fresh;
      if (!fresh.e.parse(text)) FAIL("cannot read back " << text);
      values.push_back(out);
    }
    for (const Value& a : values) {
      for (const Value& b : values) {
        const Truth equal = t.e.equal(a.size, b.size), less = t.e.less(a.size, b.size);
        proofs += equal != Truth::unknown;
        for (std::size_t i = 0; i < kSamples; ++i) {
          const bool agrees = (equal == Truth::unknown || (equal == Truth::yes) == (a.at[i] == b.at[i])) &&
                              (less == Truth::unknown || (less == Truth::yes) == (a.at[i] < b.at[i]));
          if (agrees) continue;
          FAIL(t.e.text(a.size) << " = " << a.at[i] << ", " << t.e.text(b.size) << " = " << b.at[i]);
        }
      }
    }
  }
  CHECK(proofs > 15000);
}
