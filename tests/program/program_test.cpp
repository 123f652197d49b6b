// Kinds, literals and op patterns as values.
#include "engine/program/program.hpp"

#include <limits>

#include "tests/support/catch.hpp"

using namespace fxrules;
using namespace fxrules::program;

TEST_CASE("kinds are spelled as rules spell them") {
  for (const std::string_view name : kind_names()) {
    INFO(name);
    const auto kind = parse_kind(name);
    REQUIRE(kind);
    CHECK(to_string(*kind) == name);
  }
  CHECK(kind_names().size() == 17);
  CHECK_FALSE(parse_kind("tensor"));
  CHECK_FALSE(parse_kind("Tensor[float]"));
  CHECK_FALSE(parse_kind(""));
}

TEST_CASE("literals are equal bit by bit") {
  const auto number = [](double d) {
    Literal l;
    l.kind = ArgKind::floating;
    l.floating = d;
    return l;
  };
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  CHECK(number(1.5) == number(1.5));
  CHECK_FALSE(number(0.0) == number(-0.0));
  CHECK(number(kNan) == number(kNan));
  Literal integer;
  integer.kind = ArgKind::integer;
  Literal boolean = integer;
  boolean.kind = ArgKind::boolean;
  CHECK_FALSE(integer == boolean);
  Literal unknown;
  unknown.unknown = true;
  CHECK_FALSE(unknown == Literal{});
}

TEST_CASE("patterns of different ops exclude each other, others may not") {
  OpPattern add, mul, path, method, any;
  add.kind = mul.kind = OpPatternKind::op;
  add.op = OpId(1);
  mul.op = OpId(2);
  path.kind = method.kind = OpPatternKind::exact;
  path.target = method.target = "add";
  method.opcode = Opcode::call_method;
  CHECK(disjoint(add, mul));
  CHECK_FALSE(disjoint(add, add));
  CHECK(disjoint(path, method));
  CHECK_FALSE(disjoint(path, path));
  CHECK_FALSE(disjoint(add, path));
  CHECK_FALSE(disjoint(add, any));
}

TEST_CASE("holes are counted") {
  OpPattern pattern;
  pattern.pieces = {{"aten.", false, program::kNone},
                    {"f", true, program::kNone},
                    {".", false, program::kNone},
                    {"o", true, program::kNone}};
  CHECK(hole_count(pattern) == 2);
}
