// What guards, helpers and built-ins compute, on what is known, unknown and ill-typed.
#include <fmt/format.h>

#include "support.hpp"
#include "tests/support/catch.hpp"

using namespace fxrules;
using namespace fxrules::testing;

namespace {

const std::string kGraph = R"(
  x: f32[2,3] strides=(3,1) device=cuda:1 requires_grad=True = placeholder
  w: f32[2,3] strides=(1,2) = placeholder
  u = placeholder
  h: f16[s0,4] = placeholder
  z: f32[] = placeholder
  i: i64[1] = placeholder
  s: Sym(s0) = placeholder
  o: f32[3,3] strides=(0,1) = placeholder
  q: qint8[2] = placeholder
  p = test.probe(x, w, u, h, z, i, s, o, q)
  return (p,)
)";

// The value over x w u h z i s o q, or "unknown".
std::string value(const std::string& expression) {
  std::string used;
  const std::string rules = "phase one once\ntest.probe(x, w, u, h, z, i, s, o, q) => test.result(" + expression +
                            ")\n  => note \"{x} {w} {u} {h} {z} {i} {s} {o} {q}\" otherwise\n";
  const std::string guarded = "phase one once\ntest.probe(x, w, u, h, z, i, s, o, q) => test.result(" + expression +
                              ") if known(" + expression +
                              ")\n  => note \"{x} {w} {u} {h} {z} {i} {s} {o} {q}\" otherwise\n";
  const Applied run = applied(rules_with_prelude(guarded), graph_of(kGraph));
  const std::size_t at = run.text.find("test.result(");
  if (at == std::string::npos) return "unknown";
  return run.text.substr(at + 12, run.text.find('\n', at) - at - 13);
}

struct Row {
  std::string expression, value;
};
void check(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    INFO(row.expression);
    CHECK(value(row.expression) == row.value);
  }
}

}  // namespace

TEST_CASE("metadata of a value") {
  check({{"shape(x)", "[2, 3]"},
         {"shape(u)", "unknown"},
         {"shape(1)", "unknown"},
         {"shape(h)", "[s0, 4]"},
         {"shape(z)", "[]"},
         {"rank(x)", "2"},
         {"rank(z)", "0"},
         {"rank(u)", "unknown"},
         {"dtype(x)", "torch.float32"},
         {"dtype(u)", "unknown"},
         {"dtype(s)", "unknown"},
         {"strides(x)", "[3, 1]"},
         {"strides(h)", "unknown"},
         {"device(x)", "device(type='cuda', index=1)"},
         {"device(w)", "unknown"},
         {"requires_grad(x)", "True"},
         {"requires_grad(w)", "unknown"},
         {"quantised(x)", "False"},
         {"quantised(q)", "True"},
         {"quantised(u)", "unknown"}});
}

TEST_CASE("layout of a value") {
  check({{"is_contiguous(x)", "True"},
         {"is_contiguous(w)", "False"},
         {"is_contiguous(h)", "unknown"},
         {"is_contiguous(u)", "unknown"},
         {"is_dense(x)", "True"},
         {"is_dense(w)", "True"},
         {"is_dense(o)", "False"},
         {"is_dense(u)", "unknown"},
         {"overlapping(x)", "False"},
         {"overlapping(w)", "False"},
         {"overlapping(o)", "True"},
         {"overlapping(u)", "unknown"},
         {"row_major([2, 3, 4])", "[12, 4, 1]"},
         {"row_major([])", "[]"},
         {"row_major(3)", "unknown"}});
}

TEST_CASE("what is known") {
  check({{"known(shape(x))", "True"},
         {"known(shape(u))", "False"},
         {"known(unknown)", "False"},
         {"known([1, dtype(u)])", "False"},
         {"known(3)", "True"},
         {"static(shape(x))", "True"},
         {"static(shape(h))", "False"},
         {"static([])", "True"},
         {"static(shape(u))", "unknown"},
         {"broadcasts([1, 3], [2, 3])", "True"},
         {"broadcasts([3], [2, 3])", "True"},
         {"broadcasts([2, 3], [3])", "False"},
         {"broadcasts([2], [3])", "False"},
         {"broadcasts(shape(h), shape(h))", "True"},
         {"broadcasts(shape(h), [2, 4])", "unknown"},
         {"broadcasts(shape(u), [2])", "unknown"},
         {"broadcasts([], [2])", "True"}});
}

TEST_CASE("list functions") {
  check({{"len([1, x])", "2"},
         {"len(\"abc\")", "3"},
         {"len(3)", "unknown"},
         {"list((1, 2))", "[1, 2]"},
         {"tuple([1, 2])", "(1, 2)"},
         {"reversed([1, 2, 3])", "[3, 2, 1]"},
         {"reversed(1)", "unknown"},
         {"first([1, 2, 3], 2)", "[1, 2]"},
         {"first([1, 2, 3], 9)", "[1, 2, 3]"},
         {"last([1, 2, 3], 2)", "[2, 3]"},
         {"last([1], 0)", "[]"},
         {"after([1, 2, 3], 1)", "[2, 3]"},
         {"after([1, 2, 3], 7)", "[]"},
         {"after([1], s)", "unknown"},
         {"drop([1, 2, 3], 1)", "[1, 3]"},
         {"drop([1, 2, 3], -1)", "[1, 2]"},
         {"drop([1], 5)", "unknown"},
         {"replace([1, 2], 0, x)", "[x, 2]"},
         {"replace([1], 1, 2)", "unknown"},
         {"insert_at([1, 2], 1, 9)", "[1, 9, 2]"},
         {"insert_at([1, 2], 2, 9)", "[1, 2, 9]"},
         {"insert_at([1, 2], -1, 9)", "[1, 2, 9]"},
         {"insert_at([1], 3, 9)", "unknown"},
         {"position([1, x, 2], x)", "1"},
         {"position([1], 2)", "unknown"},
         {"position([1], 1.0)", "unknown"},
         {"copies(7, 3)", "[7, 7, 7]"},
         {"copies(7, 0)", "[]"},
         {"copies(7, -1)", "[]"},
         {"copies(7, s)", "unknown"},
         {"copies(7, 99999999)", "unknown"},
         {"upto(3)", "[0, 1, 2]"},
         {"upto(0)", "[]"},
         {"upto(s)", "unknown"},
         {"[1, 2, 3][0]", "1"},
         {"[1, 2, 3][-1]", "3"},
         {"[1][1]", "unknown"},
         {"3[0]", "unknown"},
         {"shape(h)[0]", "s0"},
         {"[1, 2] + [3]", "[1, 2, 3]"},
         {"[0, [1, 2].., 3]", "[0, 1, 2, 3]"},
         {"(1, upto(2)..)", "(1, 0, 1)"}});
}

TEST_CASE("membership") {
  check({{"1 in [1, 2]", "True"},
         {"3 in [1, 2]", "False"},
         {"1.0 in [1, 2]", "True"},
         {"x in [w, x]", "True"},
         {"3 not in [1, 2]", "True"},
         {"\"b\" in \"abc\"", "True"},
         {"1 in 3", "unknown"},
         {"1 in shape(u)", "unknown"},
         {"5 in shape(h)", "unknown"},
         {"4 in shape(h)", "True"},
         {"dtype(u) in [1]", "unknown"}});
}

TEST_CASE("arithmetic") {
  check({{"1 + 2", "3"},
         {"1 - 2", "-1"},
         {"2 * 3", "6"},
         {"7 // 2", "3"},
         {"-7 // 2", "-4"},
         {"7 % 3", "1"},
         {"-7 % 3", "2"},
         {"1 / 2", "0.5"},
         {"4 / 2", "2.0"},
         {"1 / 0", "unknown"},
         {"1 // 0", "unknown"},
         {"1 % 0", "unknown"},
         {"1.5 + 1", "2.5"},
         {"1.5 * 2", "3.0"},
         {"7.5 // 2", "3.0"},
         {"-1.5", "-1.5"},
         {"-(1 + 2)", "-3"},
         {"s + 1", "s0 + 1"},
         {"s - s", "0"},
         {"s * 2", "2*s0"},
         {"s + 0", "s0"},
         {"shape(h)[0] * 4", "4*s0"},
         {"u + 1", "unknown"},
         {"\"a\" + 1", "unknown"},
         {"None + 1", "unknown"},
         {"dtype(u) + 1", "unknown"},
         {"9223372036854775807 + 1", "unknown"}});
}

TEST_CASE("folds") {
  check({{"least(3, 1, 2)", "1"},
         {"least([3, 1])", "1"},
         {"greatest(3, 1)", "3"},
         {"least([])", "unknown"},
         {"greatest(u, 1)", "unknown"},
         {"total([1, 2, 3])", "6"},
         {"total([])", "0"},
         {"product([2, 3])", "6"},
         {"product([])", "1"},
         {"product(shape(x))", "6"},
         {"product(shape(h))", "4*s0"},
         {"total(shape(u))", "unknown"},
         {"total([1, \"a\"])", "unknown"}});
}

TEST_CASE("comparisons") {
  check({{"1 == 1", "True"},
         {"1 == 1.0", "True"},
         {"1 != 2", "True"},
         {"1 < 2", "True"},
         {"2 <= 2", "True"},
         {"3 > 4", "False"},
         {"1.5 >= 1", "True"},
         {"s == s", "True"},
         {"s == 4", "unknown"},
         {"s + 1 > s", "True"},
         {"s < s", "False"},
         {"shape(x) == [2, 3]", "True"},
         {"shape(x) == [2]", "False"},
         {"shape(h) == [4, 4]", "unknown"},
         {"shape(h) == [4, 5]", "False"},
         {"shape(h) == shape(h)", "True"},
         {"shape(u) == [2]", "unknown"},
         {"dtype(x) == torch.float32", "True"},
         {"dtype(x) != dtype(h)", "True"},
         {"dtype(x) == dtype(u)", "unknown"},
         {"x == x", "True"},
         {"x == w", "False"},
         {"None == None", "True"},
         {"x == None", "False"},
         {"\"a\" == \"a\"", "True"},
         {"\"a\" < \"b\"", "unknown"},
         {"None < 1", "unknown"},
         {"u == 1", "unknown"},
         {"True == True", "True"},
         {"True == 1", "False"}});
}

TEST_CASE("and, or and not as Kleene has them") {
  const std::vector<std::pair<std::string, int>> truths{
      {"(1 == 1)", 1}, {"(1 == 2)", 0}, {"(dtype(u) == torch.float32)", -1}};
  const auto text = [](int t) { return t == 1 ? "True" : t == 0 ? "False" : "unknown"; };
  for (const auto& [a, p] : truths) {
    INFO(a);
    CHECK(value("not " + a) == text(p == -1 ? -1 : 1 - p));
    for (const auto& [b, q] : truths) {
      INFO(b);
      const int both = p == 0 || q == 0 ? 0 : p == 1 && q == 1 ? 1 : -1;
      const int either = p == 1 || q == 1 ? 1 : p == 0 && q == 0 ? 0 : -1;
      CHECK(value(a + " and " + b) == text(both));
      CHECK(value(a + " or " + b) == text(either));
    }
  }
  check({{"not 1", "unknown"}, {"1 and 1 == 1", "unknown"}, {"1 == 2 and 3", "False"}, {"1 == 1 or 3", "True"}});
}

TEST_CASE("dtypes and devices") {
  check({{"promote(torch.float16, torch.float32)", "torch.float32"},
         {"promote(x, h)", "torch.float32"},
         {"promote(i, 1.5)", "torch.float32"},
         {"promote(i, z)", "torch.float32"},
         {"promote(h, z)", "torch.float16"},
         {"promote(u, x)", "unknown"},
         {"promote(torch.int32, 2)", "torch.int32"},
         {"promote(\"a\")", "unknown"},
         {"can_cast(torch.float32, torch.int64)", "False"},
         {"can_cast(torch.int64, torch.float32)", "True"},
         {"can_cast(dtype(u), torch.int64)", "unknown"},
         {"can_cast(1, 2)", "unknown"},
         {"integral(torch.int64)", "True"},
         {"integral(torch.bool)", "True"},
         {"integral(dtype(x))", "False"},
         {"integral(dtype(u))", "unknown"},
         {"integral(1)", "unknown"},
         {"device_type(device(x))", "'cuda'"},
         {"device_type(\"cpu:0\")", "'cpu'"},
         {"device_type(1)", "unknown"},
         {"device_type(device(w))", "unknown"},
         {"with_type(\"cpu\", \"xla\")", "'xla'"},
         {"with_type(device(x), \"xla\")", "device(type='xla')"},
         {"with_type(device(w), \"xla\")", "unknown"}});
}

TEST_CASE("the graph around the match") {
  check({{"uses(x)", "1"},
         {"uses(root)", "1"},
         {"uses(1)", "unknown"},
         {"occurrences(root, x)", "1"},
         {"occurrences(root, root)", "0"},
         {"is_input(x)", "True"},
         {"is_input(root)", "False"},
         {"outputs(root)", "1"},
         {"outputs(x)", "0"},
         {"mutates(root)", "unknown"},
         {"dominates(x, root)", "True"},
         {"dominates(root, x)", "False"},
         {"dominates(x, 1)", "unknown"},
         {"post_dominates(root, x)", "True"},
         {"post_dominates(x, root)", "False"},
         {"post_dominates(x, x)", "True"},
         {"name(x)", "'x'"},
         {"name(1)", "unknown"},
         {"op(root)", "'test.probe'"},
         {"may_alias(x, w)", "True"},
         {"base(x) == x", "True"}});
}

TEST_CASE("more of the graph around the match") {
  const auto at = [](const std::string& pattern, const std::string& guard) {
    return applied("phase one once\n" + pattern + " => note \"yes\" if " + guard + "\n  => note \"no\" if not (" +
                       guard + ")\n  => note \"unknown\" otherwise\n",
                   R"(
      x = placeholder
      v = .view(x, [4])
      w = .reshape(v, [2, 2])
      a = .add_(w, 1)
      b = torch.add(a, x, alpha=2)
      c = torch.split(b, 2)
      d = torch.nn.functional.relu(b, inplace=True)
      e = .frob_(x)
      return (b,))")
        .report.notes;
  };
  const auto one = [&](const std::string& pattern, const std::string& guard) {
    const auto notes = at(pattern, guard);
    return notes.size() == 1 ? notes[0].text : fmt::format("{} notes", notes.size());
  };
  CHECK(one("view(x, _)", "is_view(root) and is_input(x)") == "yes");
  CHECK(one("reshape(_, _)", "is_view(root)") == "unknown");
  CHECK(one("split(_, 2)", "results(root) == 2") == "unknown");
  CHECK(one("add(_, _, ..)", "is_view(root)") == "no");
  CHECK(one("add(_, _, ..)", "given(root, \"alpha\")") == "yes");
  CHECK(one("split(_, _)", "given(root, \"dim\")") == "no");
  CHECK(one("add_(_, _)", "mutates(root)") == "yes");
  CHECK(one("add(_, _, ..)", "mutates(root)") == "no");
  CHECK(one("relu(_, ..)", "mutates(root)") == "yes");
  CHECK(one(".frob_(_)", "mutates(root)") == "yes");
  CHECK(one("view(x, _)", "base(root) == x") == "yes");
  CHECK(one("reshape(v, _)", "may_alias(root, v)") == "yes");
  CHECK(one("view(x, _)", "last_use(x, root)") == "no");
  CHECK(one("view(x, _)", "writable(x)") == "no");
  CHECK(one("add(_, _, ..)", "writable(root)") == "yes");
  CHECK(at("view(_, _)", "origin(root) == \"x\"").at(0).text == "yes");
}

TEST_CASE("built-ins that nothing provides, and those that ask a signature where there is none, are unknown") {
  for (const std::string call : {"is_parameter(x)", "is_buffer(x)", "written_back(x)", "mutated(x)"}) {
    INFO(call);
    CHECK(value(call) == "unknown");
  }
}

TEST_CASE("defined asks the catalogue") {
  const auto defined = [](const std::string& call) {
    return applied(
               "phase one once\n<f>_(_, ..) => note \"yes\" if defined(<f>)\n  => note \"no\" if not defined(<f>)\n",
               "x = placeholder\na = " + call + "\nreturn (a,)")
        .report.notes.at(0)
        .text;
  };
  CHECK(defined(".add_(x, 1)") == "yes");
  CHECK(defined(".frob_(x)") == "no");
}

TEST_CASE("helpers: equations in order, an uncovered call is unknown, an error is unknown in a guard") {
  const std::string defs = R"(
def size(0) = "none"
def size(n: int) = "few" if n < 5
def size(n: int) = "many"
def size(x: Tensor) = error "a tensor"
def rev([]) = []
def rev([h, t..]) = [rev(t).., h]
def sum_of([]) = 0
def sum_of([h, t..]) = h + sum_of(t)
)";
  const auto run = [&](const std::string& expression) {
    return evaluated(expression, "x: f32[2] = placeholder\np = test.probe(x)\nreturn (p,)", defs);
  };
  CHECK(run("x, size(0)") == "x, 'none'");
  CHECK(run("x, size(3)") == "x, 'few'");
  CHECK(run("x, size(7)") == "x, 'many'");
  CHECK(run("x, size(1.5)") == "unknown");
  CHECK(run("x, rev([1, 2, 3])") == "x, [3, 2, 1]");
  CHECK(run("x, sum_of([1, 2, 3])") == "x, 6");
  CHECK(run("x, sum_of([1, \"a\"])") == "unknown");
  CHECK(run("x, known(size(x))") == "x, False");
}

TEST_CASE("an error of a helper is the run's error where a result needs it") {
  const Applied run = applied("def f(x: Tensor) = error \"no {x}\"\nneg(x) => f(x)\n",
                              "x = placeholder\na = torch.neg(x)\nreturn (a,)");
  CHECK(run.report.stop == StopReason::failed);
  REQUIRE(run.report.diagnostics.size() == 1);
  CHECK(run.report.diagnostics[0].message == "`a`: no x");
}

TEST_CASE("a list of 100,000 items is walked by a helper in linear time and without a deep stack") {
  std::string list;
  for (int i = 0; i < 100'000; ++i) list += i == 0 ? "1" : ", 1";
  const std::string graph = "x = placeholder\np = test.probe(x, [" + list + "])\nreturn (p,)";
  const std::string defs =
      "def add_all([]) = 0\ndef add_all([h, t..]) = h + add_all(t)\ndef same([]) = []\ndef same([h, t..]) = [h, "
      "same(t)..]\n"
      "def back([]) = []\ndef back([h, t..]) = [back(t).., h]\n";
  for (const std::string result : {"add_all(l)", "len(same(l))", "len(back(l))"}) {
    INFO(result);
    const Applied run = applied(rules_of(defs + "phase one once\ntest.probe(x, l) => test.result(x, " + result + ")\n"),
                                graph_of(graph));
    CHECK(run.text.find("test.result(x, 100000)") != std::string::npos);
  }
}
