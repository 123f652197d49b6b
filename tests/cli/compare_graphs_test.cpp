#include "cli/compare_graphs.hpp"

#include "cli/test_graph.hpp"
#include "dsl/ast.hpp"
#include "tests/support/catch.hpp"

using namespace fxrules;
using namespace fxrules::cli;

namespace {

std::shared_ptr<Catalogue> catalogue() {
  static const std::shared_ptr<Catalogue> loaded = Catalogue::load(FXRULES_SHARE_DIR);
  return loaded;
}

TestGraphResult build(const std::string& statements) {
  const dsl::ParseResult parsed = dsl::parse(
      std::make_shared<Source>(Source{"t.rules", "test \"t\" {\n  before {\n    " + statements + " }\n}\n"}));
  INFO(render(parsed.diagnostics));
  REQUIRE_FALSE(has_errors(parsed.diagnostics));
  TestGraphResult built = build_test_graph(parsed.ast, parsed.ast.tests.at(0), parsed.ast.tests[0].before, catalogue());
  INFO(render(built.diagnostics));
  REQUIRE(built.diagnostics.empty());
  return built;
}

// Inputs x, y and z, then the statements. Empty when the graphs are the same.
std::string difference(const std::string& got, const std::string& expected, CompareOptions options = {}) {
  const std::string inputs = "x = placeholder  y = placeholder  z = placeholder  ";
  TestGraphResult a = build(inputs + got), b = build(inputs + expected);
  options.catalogue = catalogue();
  options.exact = b.exact;
  return find_difference(a.graph, b.graph, options).value_or("");
}

std::string calls(const std::string& got, const std::string& expected) {
  return difference("r = " + got + "  return r", "r = " + expected + "  return r");
}

}  // namespace

TEST_CASE("names do not matter") {
  CHECK(difference("a = neg(x)  b = relu(a)  return b", "c = neg(x)  d = relu(c)  return d").empty());
}

TEST_CASE("an op without a dot is any spelling, one with a dot is itself") {
  CHECK(calls(".neg(x)", "neg(x)").empty());
  CHECK(calls("aten.neg.default(x)", "neg(x)").empty());
  CHECK(calls("neg(x)", ".neg(x)") == "`r` is call_function torch.neg, expected is call_method neg (`r`)");
  CHECK(calls("torch.neg(x)", "aten.neg.default(x)") ==
        "`r` is call_function torch.neg, expected is call_function torch.ops.aten.neg.default (`r`)");
  CHECK(calls("neg(x)", "relu(x)") == "`r` is call_function torch.neg, expected is call_function torch.relu (`r`)");
}

TEST_CASE("arguments are compared by schema role") {
  CHECK(calls("torch.add(x, y)", "add(input = x, other = y)").empty());
  CHECK(calls("torch.add(x, y, alpha = 1)", "add(x, y)").empty());
  CHECK(calls("torch.add(x, y, alpha = 2)", "add(x, y)") == "`r`: its argument `alpha` differs");
  CHECK(calls("x.view(2, 2)", "view(x, [2, 2])").empty());
  CHECK(calls("x.view(2, 2)", "view(x, [2, 3])") == "`r`: its argument `size` differs");
  CHECK(calls("x.permute([0, 1])", "permute(x, (0, 1))").empty());
  CHECK(calls("aten.add.Tensor(x, y)", "add(x, y)").empty());
}

TEST_CASE("a start of 0 is None, in slices") {
  CHECK(calls("torch.slice_scatter(x, y, 0, 0, 5)", "slice_scatter(x, y, dim = 0, end = 5)").empty());
  CHECK(calls("torch.slice_scatter(x, y, 0, None, 5)", "slice_scatter(x, y, 0, 0, 5)").empty());
  CHECK(calls("torch.slice_scatter(x, y, 0, 1, 5)", "slice_scatter(x, y, 0, 0, 5)") ==
        "`r`: its argument `start` differs");
}

TEST_CASE("literals differ by type and by value") {
  CHECK(calls("f.f(1)", "f.f(1)").empty());
  for (const char* other : {"f.f(2)", "f.f(1.0)", "f.f(True)", "f.f(\"1\")", "f.f(None)", "f.f([1])", "f.f(x)", "f.f()",
                            "f.f(1, 1)", "f.f(a = 1)"}) {
    CHECK(calls("f.f(1)", other) == "`r`: its arguments differ");
  }
  CHECK(calls("f.f([1])", "f.f((1,))") == "`r`: its arguments differ");
  CHECK(calls("f.f(0.0)", "f.f(-0.0)") == "`r`: its arguments differ");
  CHECK(calls("f.f(nan)", "f.f(nan)").empty());
  CHECK(calls("f.f(a = 1, b = 2)", "f.f(b = 2, a = 1)").empty());
  CHECK(calls("torch.empty(2, device = \"cpu\")", "torch.empty(2, device = torch.device(\"cpu\"))") ==
        "`r`: its argument `device` differs");
}

TEST_CASE("operands and sharing are compared") {
  CHECK(difference("a = sub(x, y)  return a", "a = sub(y, x)  return a") == "`x` stands where `y` is expected");
  CHECK(difference("a = neg(x)  b = neg(x)  c = add(a, b)  return c", "a = neg(x)  c = add(a, a)  return c") != "");
  CHECK(difference("a = neg(x)  c = add(a, a)  return c", "a = neg(x)  b = neg(x)  c = add(a, b)  return c") != "");
  CHECK(difference("a = neg(x)  return a, x", "a = neg(x)  return a, y") != "");
  CHECK(difference("a = neg(x)  return a", "a = neg(x)  return [a]") == "`output`: its arguments differ");
}

TEST_CASE("inputs are compared by place") {
  TestGraphResult one = build("x = placeholder  return x"), two = build("x = placeholder  y = placeholder  return x");
  CompareOptions options;
  options.catalogue = catalogue();
  CHECK(find_difference(one.graph, two.graph, options) == "there are 1 inputs, expected are 2");
}

TEST_CASE("the order of independent pure nodes is not compared") {
  CHECK(
      difference("a = neg(x)  b = relu(y)  c = add(a, b)  return c", "b = relu(y)  a = neg(x)  c = add(a, b)  return c")
          .empty());
}

TEST_CASE("the order of reads and writes is") {
  const std::string message = "`a` stands on another side of a write to `x` than expected";
  CHECK(difference("a = relu(x)  w = add_(x, y)  return a, w", "w = add_(x, y)  a = relu(x)  return a, w") == message);
  CHECK(difference("v = view(x, [4])  a = relu(v)  w = add_(x, y)  return a",
                   "v = view(x, [4])  w = add_(x, y)  a = relu(v)  return a") != "");
  CHECK(difference("a = relu(z)  w = add_(x, y)  return a, w", "w = add_(x, y)  a = relu(z)  return a, w").empty());
  CHECK(difference("w = add_(x, y)  u = mul_(x, y)  return x", "u = mul_(x, y)  w = add_(x, y)  return x") != "");
}

TEST_CASE("what is dead counts too") {
  CHECK(difference("a = neg(x)  return y", "return y") == "`a` is not expected");
  CHECK(difference("return y", "a = neg(x)  return y") == "nothing corresponds to `a`");
  CHECK(difference("a = neg(x)  b = relu(a)  return y", "c = neg(x)  d = relu(c)  return y").empty());
  CHECK(difference("a = neg(x)  b = relu(z)  return y", "b = relu(z)  a = neg(x)  return y").empty());
}

TEST_CASE("effects are kept and ordered") {
  CHECK(difference("a = f.f(x)  return y", "return y") == "there are 1 nodes with an effect, expected are 0");
  CHECK(difference("a = bernoulli(x)  b = rand_like(x)  return y", "b = rand_like(x)  a = bernoulli(x)  return y") !=
        "");
  CHECK(difference("r = torch.nn.functional.relu(x, inplace = True)  return y", "return y") != "");
}

TEST_CASE("names are compared where asked for") {
  CompareOptions options;
  options.named = {"a"};
  CHECK(difference("a = neg(x)  b = relu(a)  return b", "c = neg(x)  d = relu(c)  return d", options) ==
        "`a` should be called `c`");
  CHECK(difference("a = neg(x)  b = relu(a)  return b", "a = neg(x)  d = relu(a)  return d", options).empty());
  options.all_named = true;
  CHECK(difference("a = neg(x)  b = relu(a)  return b", "a = neg(x)  d = relu(a)  return d", options) ==
        "`b` should be called `d`");
}

TEST_CASE("metadata is compared where it is stated") {
  CHECK(difference("a = neg(x) : f32[2] device=cpu  return a", "a = neg(x)  return a").empty());
  CHECK(difference("a = neg(x) : f32[2] device=cpu  return a", "a = neg(x) : f32[2]  return a").empty());
  CHECK(difference("a = neg(x) : f32[2] device=cpu  return a", "a = neg(x) : f32[2] device=xla  return a") ==
        "`a` has metadata f32[2]cpu, expected is f32[2]xla");
  CHECK(difference("a = neg(x)  return a", "a = neg(x) : f32[2]  return a") ==
        "`a` has metadata unknown, expected is f32[2]");
  CHECK(difference("a = neg(x) : f32[4,2] strides=(2,1)  return a", "a = neg(x) : f32[4,2] strides=(1,4)  return a") !=
        "");
}

TEST_CASE("nested graphs are compared by their path") {
  const std::string tail = "  r = my.call(body, x)  return r";
  CHECK(difference("graph body { a = placeholder  b = neg(a)  return b }" + tail,
                   "graph body { p = placeholder  q = neg(p)  return q }" + tail)
            .empty());
  CHECK(difference("graph body { a = placeholder  b = neg(a)  return b }" + tail,
                   "graph body { p = placeholder  q = relu(p)  return q }" + tail) ==
        "in body: `b` is call_function torch.neg, expected is call_function torch.relu (`q`)");
}

TEST_CASE("a long chain is no matter") {
  std::string chain = "n0 = neg(x)  ";
  for (int i = 1; i < 50'000; ++i) chain += "n" + std::to_string(i) + " = neg(n" + std::to_string(i - 1) + ")  ";
  CHECK(difference(chain + "return n49999", chain + "return n49999").empty());
  CHECK(difference(chain + "return n49999", chain + "return n49998") != "");
}
