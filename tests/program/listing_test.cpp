// Rules as the matcher runs them: text in, listing out. Shows what rules of a phase share, and that sharing
// never changes which rule is tried first.
#include <string>

#include "engine/program/program.hpp"
#include "tests/rewrite/support.hpp"
#include "tests/support/catch.hpp"

using namespace fxrules;

namespace {

// The match program of the first phase, behind a line end.
std::string listing(const std::string& rules) {
  const testing::Loaded loaded = testing::load_text(rules);
  INFO(rules);
  INFO(render(loaded.diagnostics));
  REQUIRE(loaded.ok());
  return "\n" + program::to_text(*loaded.program, loaded.program->phases.at(0).match, "");
}

}  // namespace

TEST_CASE("a call is its op, what must be at its default, and its arguments") {
  CHECK(listing("neg(x) => x\n") == R"(
start 1, 2 registers
   0  fail
   1  op        r0 neg  else 0
   2  rest      r0 defaults except {#0}  else 0
   3  argument  r1 = r0[#0]  else 0
   4  accept    0  else 0
)");
}

TEST_CASE("an operand that is a call is tested behind the leaves") {
  CHECK(listing("neg(neg(x)) => x\n") == R"(
start 1, 3 registers
   0  fail
   1  op        r0 neg  else 0
   2  rest      r0 defaults except {#0}  else 0
   3  argument  r1 = r0[#0]  else 0
   4  op        r1 neg  else 0
   5  rest      r1 defaults except {#0}  else 0
   6  argument  r2 = r1[#0]  else 0
   7  accept    0  else 0
)");
  CHECK(listing("split(x, n)[1] => mine.second(x, n)\n") == R"(
start 1, 5 registers
   0  fail
   1  op        r0 getitem  else 0
   2  argument  r1 = r0[#0]  else 0
   3  op        r1 split  else 0
   4  rest      r1 defaults except {#0 #1}  else 0
   5  argument  r2 = r1[#0]  else 0
   6  argument  r3 = r1[#1]  else 0
   7  argument  r4 = r0[#1]  else 0
   8  literal   r4 1  else 0
   9  accept    0  else 0
)");
}

TEST_CASE("both orders of a commutative op follow each other") {
  CHECK(listing("add(x, 0) => x\n") == R"(
start 1, 3 registers
   0  fail
   1  op        r0 add  else 0
   2  rest      r0 defaults except {#0 #1}  else 0
   3  argument  r1 = r0[#0]  else 7
   4  argument  r2 = r0[#1]  else 7
   5  literal   r2 0  else 7
   6  accept    0  else 7
   7  commutes  r0  else 0
   8  argument  r2 = r0[#1]  else 0
   9  argument  r1 = r0[#0]  else 0
  10  literal   r1 0  else 0
  11  accept    1  else 0
)");
}

TEST_CASE("`..` binds what is not mentioned only where the right side takes it") {
  CHECK(listing("sub(x, y, ..) => add(x, y, ..)\n") == R"(
start 1, 4 registers
   0  fail
   1  op        r0 sub  else 0
   2  bind_rest r1 = r0 except {#0 #1}
   3  argument  r2 = r0[#0]  else 0
   4  argument  r3 = r0[#1]  else 0
   5  accept    0  else 0
)");
  CHECK(listing("*(x, ..) => x\n") == R"(
start 1, 2 registers
   0  fail
   1  op        r0 *  else 0
   2  argument  r1 = r0[#0]  else 0
   3  accept    0  else 0
)");
}

TEST_CASE("a repeated variable, a kind, a keyword and a literal") {
  CHECK(listing("add(x, x: Tensor, alpha = 2) => mul(x, 3)\n") == R"(
start 1, 4 registers
   0  fail
   1  op        r0 add  else 0
   2  rest      r0 defaults except {#0 #1 alpha}  else 0
   3  argument  r1 = r0[#0]  else 10
   4  argument  r2 = r0[#1]  else 10
   5  kind      r2 Tensor  else 10
   6  same      r2 r1  else 10
   7  argument  r3 = r0[alpha]  else 10
   8  literal   r3 2  else 10
   9  accept    0  else 10
  10  commutes  r0  else 0
  11  argument  r2 = r0[#1]  else 0
  12  argument  r1 = r0[#0]  else 0
  13  kind      r1 Tensor  else 0
  14  same      r1 r2  else 0
  15  argument  r3 = r0[alpha]  else 0
  16  literal   r3 2  else 0
  17  accept    1  else 0
)");
}

TEST_CASE("lists from the front, from the back and between") {
  CHECK(listing("cat([h, t..]) => mine.cat(h, t)\n") == R"(
start 1, 4 registers
   0  fail
   1  op        r0 cat  else 0
   2  rest      r0 defaults except {#0}  else 0
   3  argument  r1 = r0[#0]  else 0
   4  list_min  r1 of at least 1  else 0
   5  item      r2 = r1[0]  else 0
   6  span      r3 = r1[1:-0]  else 0
   7  accept    0  else 0
)");
  CHECK(listing("cat([i.., (l, _)], dim = 1) => mine.cat(i, l)\n") == R"(
start 1, 7 registers
   0  fail
   1  op        r0 cat  else 0
   2  rest      r0 defaults except {#0 dim}  else 0
   3  argument  r1 = r0[#0]  else 0
   4  argument  r2 = r0[dim]  else 0
   5  literal   r2 1  else 0
   6  list_min  r1 of at least 1  else 0
   7  span      r3 = r1[0:-1]  else 0
   8  item      r4 = r1[-1]  else 0
   9  list      r4 of 2  else 0
  10  item      r5 = r4[0]  else 0
  11  item      r6 = r4[1]  else 0
  12  accept    0  else 0
)");
}

TEST_CASE("slices") {
  CHECK(listing("getitem(x, 0:n:_) => mine.narrow(x, n)\n") == R"(
start 1, 6 registers
   0  fail
   1  op        r0 getitem  else 0
   2  rest      r0 defaults except {#0 #1}  else 0
   3  argument  r1 = r0[#0]  else 0
   4  argument  r2 = r0[#1]  else 0
   5  kind      r2 slice  else 0
   6  part      r3 = r2.start  else 0
   7  literal   r3 0  else 0
   8  part      r4 = r2.stop  else 0
   9  part      r5 = r2.step  else 0
  10  accept    0  else 0
)");
}

TEST_CASE("name holes and sets are one test") {
  CHECK(listing("<f>_(x) => <f>(x)\n") == R"(
start 1, 3 registers
   0  fail
   1  op        r0 <f>_  else 0
   2  rest      r0 defaults except {#0}  else 0
   3  argument  r2 = r0[#0]  else 0
   4  accept    0  else 0
)");
  CHECK(listing("aten.<f>.default(x) => <f>(x)\n") == R"(
start 1, 3 registers
   0  fail
   1  op        r0 aten.<f>.default  else 0
   2  rest      r0 defaults except {#0}  else 0
   3  argument  r2 = r0[#0]  else 0
   4  accept    0  else 0
)");
  CHECK(listing("{neg, .abs}(x) => x\n") == R"(
start 1, 2 registers
   0  fail
   1  op        r0 {neg, .abs}  else 0
   2  rest      r0 defaults except {#0}  else 0
   3  argument  r1 = r0[#0]  else 0
   4  accept    0  else 0
)");
}

TEST_CASE("a name for a node costs nothing") {
  CHECK(listing("r @ neg(u @ abs(_)) => u if uses(r) == 1\n") == R"(
start 1, 3 registers
   0  fail
   1  op        r0 neg  else 0
   2  rest      r0 defaults except {#0}  else 0
   3  argument  r1 = r0[#0]  else 0
   4  op        r1 abs  else 0
   5  rest      r1 defaults except {#0}  else 0
   6  argument  r2 = r1[#0]  else 0
   7  accept    0  else 0
)");
}

TEST_CASE("rules with different roots are found by one look-up") {
  CHECK(listing("neg(x) => x\n"
                "abs(x) => x\n"
                "exp(neg(x)) => x\n") == R"(
start 1, 3 registers
   0  fail
   1  select    r0 neg->2 abs->5 exp->8  else 0
   2  rest      r0 defaults except {#0}  else 0
   3  argument  r1 = r0[#0]  else 0
   4  accept    0  else 0
   5  rest      r0 defaults except {#0}  else 0
   6  argument  r1 = r0[#0]  else 0
   7  accept    1  else 0
   8  rest      r0 defaults except {#0}  else 0
   9  argument  r1 = r0[#0]  else 0
  10  op        r1 neg  else 0
  11  rest      r1 defaults except {#0}  else 0
  12  argument  r2 = r1[#0]  else 0
  13  accept    2  else 0
)");
}

TEST_CASE("rules share what they begin with, at every depth") {
  CHECK(listing("neg(abs(x)) => x\n"
                "neg(exp(x)) => x\n"
                "neg(relu(x)) => x\n") == R"(
start 1, 3 registers
   0  fail
   1  op        r0 neg  else 0
   2  rest      r0 defaults except {#0}  else 0
   3  argument  r1 = r0[#0]  else 0
   4  select    r1 abs->5 exp->8 relu->11  else 0
   5  rest      r1 defaults except {#0}  else 0
   6  argument  r2 = r1[#0]  else 0
   7  accept    0  else 0
   8  rest      r1 defaults except {#0}  else 0
   9  argument  r2 = r1[#0]  else 0
  10  accept    1  else 0
  11  rest      r1 defaults except {#0}  else 0
  12  argument  r2 = r1[#0]  else 0
  13  accept    2  else 0
)");
  CHECK(listing("neg(x) => x if uses(x) == 1\n"
                "neg(x) => abs(x) if uses(x) == 2\n") == R"(
start 1, 2 registers
   0  fail
   1  op        r0 neg  else 0
   2  rest      r0 defaults except {#0}  else 0
   3  argument  r1 = r0[#0]  else 0
   4  accept    0  else 5
   5  accept    1  else 0
)");
  CHECK(listing("add(x, 1) => x\n"
                "add(x, 2) => x\n"
                "add(x, _: int) => x\n") == R"(
start 1, 3 registers
   0  fail
   1  op        r0 add  else 0
   2  rest      r0 defaults except {#0 #1}  else 0
   3  argument  r1 = r0[#0]  else 7
   4  argument  r2 = r0[#1]  else 7
   5  literal   r2 1  else 7
   6  accept    0  else 7
   7  commutes  r0  else 12
   8  argument  r2 = r0[#1]  else 12
   9  argument  r1 = r0[#0]  else 12
  10  literal   r1 1  else 12
  11  accept    1  else 12
  12  argument  r1 = r0[#0]  else 16
  13  argument  r2 = r0[#1]  else 16
  14  literal   r2 2  else 16
  15  accept    2  else 16
  16  commutes  r0  else 21
  17  argument  r2 = r0[#1]  else 21
  18  argument  r1 = r0[#0]  else 21
  19  literal   r1 2  else 21
  20  accept    3  else 21
  21  argument  r1 = r0[#0]  else 25
  22  argument  r2 = r0[#1]  else 25
  23  kind      r2 int  else 25
  24  accept    4  else 25
  25  commutes  r0  else 0
  26  argument  r2 = r0[#1]  else 0
  27  argument  r1 = r0[#0]  else 0
  28  kind      r1 int  else 0
  29  accept    5  else 0
)");
}

TEST_CASE("a rule joins an earlier one past rules for other ops") {
  CHECK(listing("neg(abs(x)) => x\n"
                "abs(x) => x\n"
                "neg(exp(x)) => x\n") == R"(
start 1, 3 registers
   0  fail
   1  select    r0 neg->2 abs->11  else 0
   2  rest      r0 defaults except {#0}  else 0
   3  argument  r1 = r0[#0]  else 0
   4  select    r1 abs->5 exp->8  else 0
   5  rest      r1 defaults except {#0}  else 0
   6  argument  r2 = r1[#0]  else 0
   7  accept    0  else 0
   8  rest      r1 defaults except {#0}  else 0
   9  argument  r2 = r1[#0]  else 0
  10  accept    2  else 0
  11  rest      r0 defaults except {#0}  else 0
  12  argument  r1 = r0[#0]  else 0
  13  accept    1  else 0
)");
}

TEST_CASE("a rule for any op between two named ones stays between them") {
  CHECK(listing("neg(x) => x if uses(x) == 1\n"
                "*(x, ..) => x if uses(x) == 2\n"
                "neg(x) => x\n") == R"(
start 1, 2 registers
   0  fail
   1  op        r0 neg  else 5
   2  rest      r0 defaults except {#0}  else 5
   3  argument  r1 = r0[#0]  else 5
   4  accept    0  else 5
   5  op        r0 *  else 8
   6  argument  r1 = r0[#0]  else 8
   7  accept    1  else 8
   8  op        r0 neg  else 0
   9  rest      r0 defaults except {#0}  else 0
  10  argument  r1 = r0[#0]  else 0
  11  accept    2  else 0
)");
}

TEST_CASE("so does one for a set") {
  CHECK(listing("neg(abs(x)) => x\n"
                "{neg, exp}(exp(x)) => x if uses(x) == 1\n"
                "neg(exp(exp(x))) => x\n") == R"(
start 1, 4 registers
   0  fail
   1  op        r0 neg  else 8
   2  rest      r0 defaults except {#0}  else 8
   3  argument  r1 = r0[#0]  else 8
   4  op        r1 abs  else 8
   5  rest      r1 defaults except {#0}  else 8
   6  argument  r2 = r1[#0]  else 8
   7  accept    0  else 8
   8  op        r0 {neg, exp}  else 15
   9  rest      r0 defaults except {#0}  else 15
  10  argument  r1 = r0[#0]  else 15
  11  op        r1 exp  else 15
  12  rest      r1 defaults except {#0}  else 15
  13  argument  r2 = r1[#0]  else 15
  14  accept    1  else 15
  15  op        r0 neg  else 0
  16  rest      r0 defaults except {#0}  else 0
  17  argument  r1 = r0[#0]  else 0
  18  op        r1 exp  else 0
  19  rest      r1 defaults except {#0}  else 0
  20  argument  r2 = r1[#0]  else 0
  21  op        r2 exp  else 0
  22  rest      r2 defaults except {#0}  else 0
  23  argument  r3 = r2[#0]  else 0
  24  accept    2  else 0
)");
}

TEST_CASE("a further root is a program of its own, loaded with what the roots before it bound") {
  const testing::Loaded loaded =
      testing::load_text("{ s = split(x, n), a = s[0], b = add(s[1], y) } => { a = neg(x), b = add(y, n) }\n");
  REQUIRE(loaded.ok());
  CHECK("\n" + program::to_text(*loaded.program) == R"(
phase (default): 1 rules, depth 3
  start 1, 3 registers
     0  fail
     1  op        r0 split  else 0
     2  rest      r0 defaults except {#0 #1}  else 0
     3  argument  r1 = r0[#0]  else 0
     4  argument  r2 = r0[#1]  else 0
     5  accept    0  else 0
  accept 0: random.rules:1 root=r0 x=r1 n=r2 s=r0
  rule random.rules:1
    start 1, 4 registers
       0  fail
       1  op        r0 getitem  else 0
       2  argument  r1 = r0[#0]  else 0
       3  same      r1 r2  else 0
       4  argument  r3 = r0[#1]  else 0
       5  literal   r3 0  else 0
       6  accept    0  else 0
    start 1, 8 registers
       0  fail
       1  op        r0 add  else 0
       2  rest      r0 defaults except {#0 #1}  else 0
       3  argument  r1 = r0[#0]  else 11
       4  argument  r2 = r0[#1]  else 11
       5  op        r1 getitem  else 11
       6  argument  r3 = r1[#0]  else 11
       7  same      r3 r4  else 11
       8  argument  r5 = r1[#1]  else 11
       9  literal   r5 1  else 11
      10  accept    0  else 11
      11  commutes  r0  else 0
      12  argument  r2 = r0[#1]  else 0
      13  argument  r1 = r0[#0]  else 0
      14  op        r2 getitem  else 0
      15  argument  r6 = r2[#0]  else 0
      16  same      r6 r4  else 0
      17  argument  r7 = r2[#1]  else 0
      18  literal   r7 1  else 0
      19  accept    1  else 0
    value
         0  load 1
         1  build neg 1
         2  store 7
         3  load 5
         4  load 2
         5  build add 2
         6  store 8
         7  end
)");
}

TEST_CASE("phases, guards, alternatives and helpers are listed too") {
  const testing::Loaded loaded = testing::load_text(
      "def twice(v: Tensor) = add(v, v)\n\nphase tidy once reverse\nneg(x) => twice(x) if uses(x) == 1 or not "
      "is_input(x)\n"
      "  => note \"{x} stays\" otherwise\nsum(_, _, ..) => keep(keepdim = True)\n");
  REQUIRE(loaded.ok());
  CHECK("\n" + program::to_text(*loaded.program) == R"(
phase tidy once reverse: 2 rules, depth 1
  start 1, 3 registers
     0  fail
     1  select    r0 neg->2 sum->5  else 0
     2  rest      r0 defaults except {#0}  else 0
     3  argument  r1 = r0[#0]  else 0
     4  accept    0  else 0
     5  argument  r1 = r0[#0]  else 0
     6  argument  r2 = r0[#1]  else 0
     7  accept    1  else 0
  accept 0: random.rules:4 root=r0 x=r1
  accept 1: random.rules:6 root=r0
  rule random.rules:4
    guard
         0  load 1
         1  builtin uses 1
         2  constant 1
         3  equal
         4  skip_if_true 9
         5  load 1
         6  builtin is_input 1
         7  not
         8  or
         9  end
    value
        10  load 1
        11  call twice 1
        12  store 2
        13  end
    note
        14  load 1
        15  constant " stays"
        16  text 2
        17  end
  rule random.rules:6
    keep
      keepdim =
        18  constant True
        19  end
def twice
  start 1, 1 registers
     0  fail
     1  kind      r0 Tensor  else 0
     2  accept    0  else 0
  equation 0
    body
        20  load 0
        21  load 0
        22  build add 2
        23  end
)");
}
