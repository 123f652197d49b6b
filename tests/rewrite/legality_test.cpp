// What the engine guarantees whatever a rule says: reads, writes, outputs, dead code.
#include "support.hpp"
#include "tests/support/catch.hpp"

using namespace fxrules;
using namespace fxrules::testing;

namespace {

struct Tried {
  std::size_t rewrites;
  std::string note;  // of the first refusal
  std::string text;
};
Tried tried(const std::string& rules, const std::string& graph) {
  const Applied run = applied(rules, graph);
  return {run.report.rewrites, run.report.notes.empty() ? "" : run.report.notes[0].text, run.text};
}

void check_refused(const std::string& rules, const std::string& graph, const std::string& why) {
  INFO(graph);
  const std::string before = lines_of(graph_of(graph));
  const Tried run = tried(rules, graph);
  CHECK(run.rewrites == 0);
  CHECK(run.note == "not rewritten: " + why);
  CHECK(run.text == before);
}

void check_applied(const std::string& rules, const std::string& graph, const std::string& after) {
  INFO(graph);
  const Tried run = tried(rules, graph);
  CHECK(run.note == "");
  CHECK(run.rewrites == 1);
  CHECK(run.text == after);
}

const std::string kTwice = "neg(neg(x)) => x\n";
constexpr const char* kReadMoves = "a read would move past a write";
constexpr const char* kLater = "a later write would reach other readers than it does now";
constexpr const char* kOutput = "an output would become an input or another output";

}  // namespace

TEST_CASE("a read does not move past a write") {
  const std::string fuse = "add(abs(x), y) => mul(x, y)\n";
  check_refused(
      fuse, "x = placeholder\ny = placeholder\na = torch.abs(x)\nw = .add_(x, 1)\nb = torch.add(a, y)\nreturn (b, w)",
      kReadMoves);
  SECTION("through a view of the value") {
    check_refused(fuse,
                  "x = placeholder\ny = placeholder\nv = .view(x, [4])\na = torch.abs(x)\nw = .add_(v, 1)\nb = "
                  "torch.add(a, y)\nreturn (b,)",
                  kReadMoves);
  }
  SECTION("through an op that nobody knows") {
    check_refused(
        fuse, "x = placeholder\ny = placeholder\na = torch.abs(x)\nw = mine.op(x)\nb = torch.add(a, y)\nreturn (b,)",
        kReadMoves);
  }
  SECTION("a write in front of the read, or to something else, does no harm") {
    check_applied(
        fuse, "x = placeholder\ny = placeholder\nw = .add_(x, 1)\na = torch.abs(x)\nb = torch.add(a, y)\nreturn (b,)",
        "w = .add_(x, 1)\nmul = torch.mul(x, y)\nreturn (mul,)\n");
    check_applied(
        fuse, "x = placeholder\ny = placeholder\na = torch.abs(x)\nw = .add_(y, 1)\nb = torch.add(a, 2)\nreturn (b,)",
        "w = .add_(y, 1)\nmul = torch.mul(x, 2)\nreturn (mul,)\n");
  }
}

TEST_CASE("no output newly is, or shares storage with, an input or another output") {
  check_refused(kTwice, "x = placeholder\na = torch.neg(x)\nb = torch.neg(a)\nreturn (b,)", kOutput);
  check_refused("add(x, 0) => x\n", "x = placeholder\na = torch.neg(x)\nb = torch.add(a, 0)\nreturn (a, b)", kOutput);
  SECTION("through a view") {
    check_refused("add(x, 0) => x\n", "x = placeholder\na = torch.add(x, 0)\nb = .view(a, [4])\nreturn (b,)", kOutput);
    check_refused("add(x, 0) => x\n", "x = placeholder\nv = .view(x, [4])\na = torch.add(v, 0)\nreturn (a,)", kOutput);
  }
  SECTION("an attribute is an input") {
    check_refused("add(x, 0) => x\n", "w = get_attr w\na = torch.add(w, 0)\nreturn (a,)", kOutput);
  }
  SECTION("inside nested outputs") {
    check_refused(kTwice, "x = placeholder\na = torch.neg(x)\nb = torch.neg(a)\nreturn {'k': [(b,)]}", kOutput);
  }
  SECTION("a value that is computed is fine") {
    check_applied("add(x, 0) => x\n", "x = placeholder\na = torch.neg(x)\nb = torch.add(a, 0)\nreturn (b,)",
                  "a = torch.neg(x)\nreturn (a,)\n");
    check_applied(kTwice, "x = placeholder\na = torch.neg(x)\nb = torch.neg(a)\nc = torch.exp(b)\nreturn (c,)",
                  "c = torch.exp(x)\nreturn (c,)\n");
  }
  SECTION("what was an alias stays one") {
    check_applied(".view(x, [4]) => .reshape(x, [4])\n", "x = placeholder\na = .view(x, [4])\nreturn (a,)",
                  "reshape = .reshape(x, [4])\nreturn (reshape,)\n");
  }
}

TEST_CASE("a later write does not come to reach other readers") {
  const std::string copy = "clone(x) => x\n";
  check_refused(copy,
                "x = placeholder\na = torch.neg(x)\nc = .clone(a)\nw = .add_(c, 1)\nd = torch.exp(a)\nreturn (d, w)",
                kLater);
  check_refused(
      copy, "x = placeholder\na = torch.neg(x)\nc = .clone(a)\nw = .add_(a, 1)\nd = torch.exp(c)\nreturn (d,)", kLater);
  check_refused(copy, "x = placeholder\nc = .clone(x)\nw = .add_(c, 1)\nd = torch.exp(w)\nreturn (d,)", kLater);
  SECTION("the copy is the only reader left") {
    check_applied(copy, "x = placeholder\na = torch.neg(x)\nc = .clone(a)\nw = .add_(c, 1)\nreturn (w,)",
                  "a = torch.neg(x)\nw = .add_(a, 1)\nreturn (w,)\n");
  }
  SECTION("a write that is over") {
    check_applied(copy,
                  "x = placeholder\na = torch.neg(x)\nw = .add_(a, 1)\nc = .clone(a)\nd = torch.exp(c)\nreturn (d,)",
                  "a = torch.neg(x)\nw = .add_(a, 1)\nd = torch.exp(a)\nreturn (d,)\n");
  }
}

TEST_CASE("a copy of an index update that is written later may go") {
  check_applied("copy(d, u @ index_put(d, ..), ..) => u\n",
                "s = placeholder\ni = placeholder\nv = placeholder\nu = torch.ops.aten.index_put.default(s, [i], v)\n"
                "c = torch.ops.aten.copy.default(s, u)\nw = .add_(c, 1)\nreturn (w,)",
                "u = torch.ops.aten.index_put.default(s, [i], v)\nw = .add_(u, 1)\nreturn (w,)\n");
}

TEST_CASE("a write of which a rule says that the operand stays is no write") {
  check_applied("add_(x, 0) => x\n", "x = placeholder\na = torch.neg(x)\nb = .add_(a, 0)\nreturn (b, a)",
                "a = torch.neg(x)\nreturn (a, a)\n");
}

TEST_CASE("an operand of the new node stands in front of it") {
  const Applied run = applied("{ a = neg(p), b = exp(p) } => { a = mul(b, 2) }\n",
                              "x = placeholder\na = torch.neg(x)\nb = torch.exp(x)\nreturn (a, b)");
  CHECK(run.report.rewrites == 0);
  REQUIRE(run.report.notes.size() == 1);
  CHECK(run.report.notes[0].text == "not rewritten: an operand of the new node is computed after it");
}

TEST_CASE("what has an effect is never deleted") {
  // Each is used by nothing but the node that goes.
  for (const std::string call :
       {".add_(a, 1)", "operator.setitem(a, 0, x)", "torch.add(x, 1, out=a)", "torch.bernoulli(x)", "mine.op(x)",
        "$layers.0(x)", ".frob(x)", "torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')",
        "torch._assert(x, 'message')", "torch.nn.functional.relu(a, inplace=True)", "torch.dropout(x, 0.5, True)",
        "builtins.print(x)"}) {
    INFO(call);
    const Applied run = applied("test.pick(y, _) => exp(y)\n", "x = placeholder\na = torch.neg(x)\ne = " + call +
                                                                   "\np = test.pick(x, e)\nreturn (p,)");
    CHECK(run.report.rewrites == 1);
    CHECK(run.text.find("e = ") != std::string::npos);
    CHECK(run.text.find("test.pick") == std::string::npos);
  }
}

TEST_CASE("pure nodes that a rewrite made dead are removed, as far up as they reach") {
  const Applied run = applied("test.pick(y, _) => exp(y)\n",
                              "x = placeholder\nw = get_attr w\na = torch.neg(x)\nb = torch.add(a, w)\nc = "
                              "torch.abs(b)\np = test.pick(x, c)\nreturn (p,)");
  CHECK(run.text == "exp = torch.exp(x)\nreturn (exp,)\n");
  CHECK(run.report.removed == 5);
}

TEST_CASE("nodes that were dead in the input stay, unless asked") {
  const std::string graph =
      "x = placeholder\nd = torch.abs(x)\ne = torch.exp(d)\nr = torch.bernoulli(x)\na = torch.neg(x)\nb = "
      "torch.neg(a)\nc = torch.exp(b)\nreturn (c,)";
  CHECK(applied(kTwice, graph).text ==
        "d = torch.abs(x)\ne = torch.exp(d)\nr = torch.bernoulli(x)\nc = torch.exp(x)\nreturn (c,)\n");
  ApplyOptions options;
  options.dce = true;
  CHECK(applied(kTwice, graph, options).text == "r = torch.bernoulli(x)\nc = torch.exp(x)\nreturn (c,)\n");
}

TEST_CASE("uses move wherever they stand") {
  const Applied run = applied("exp(exp(x)) => neg(x)\n", R"(
    x = placeholder
    y = placeholder
    a = torch.exp(x)
    b = torch.exp(a)
    c = torch.stack([b, y, b])
    d = operator.getitem(c, (slice(b, None, 2), [b, (b, 1)], b))
    e = torch.add(d, other=b)
    f = mine.op({k: [b]}, key=(b, slice(None, b, None)))
    m = $layers.0(b)
    return {'r': [(b, f)], 's': m})");
  CHECK(run.text == R"(neg = torch.neg(x)
c = torch.stack([neg, y, neg])
d = operator.getitem(c, (slice(neg, None, 2), [neg, (neg, 1)], neg))
e = torch.add(d, other=neg)
f = mine.op({'k': [neg]}, key=(neg, slice(None, neg, None)))
m = $layers.0(neg)
return {'r': [(neg, f)], 's': m}
)");
}

TEST_CASE("an op that nobody knows may write what it gets: no read of a copy becomes a read of the original") {
  check_refused("clone(x) => x\n",
                "x = placeholder\na = torch.neg(x)\nc = .clone(a)\nf = mine.op(c)\nd = torch.exp(a)\nreturn (d,)",
                kLater);
}
