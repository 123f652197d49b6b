// `meta` and `inverse`: what is known of values that rules make, or might make, and how writes reach a base.
#include "engine/rewrite/rewriter.hpp"
#include "fxrules/infer.hpp"
#include "support.hpp"
#include "tests/support/catch.hpp"

using namespace fxrules;
using namespace fxrules::testing;

namespace {

// Metadata of each node that has some, `name = f32[4]`, after the rules.
std::string metas_of(const Graph& graph) {
  std::string out;
  for (const NodeId n : graph.nodes()) {
    if (!graph.meta(n).valid()) continue;
    out += std::string(graph.name(n)) + " = " + graph.metas().text(graph.meta(n)) + "\n";
  }
  return out;
}

std::string after(const std::string& rules, const std::string& text) {
  Graph graph = graph_of(text);
  const Report report = apply(rules_of(rules), graph, {});
  CHECK(report.rewrites > 0);
  CHECK(verify(graph).empty());
  return metas_of(graph);
}

const std::string kSame = "meta {neg, exp, abs, tanh}(x) = Tensor(dtype(x), shape(x), strides(x), device(x))\n";
const std::string kRelu = "x: f32[4] strides=(1) device=cpu = placeholder\nr = torch.relu(x)\nreturn (r,)";

// What a write of `value` through the view gives for its base.
std::string written_through(const std::string& rules, const std::string& text, const std::string& view) {
  const RuleSet set = rules_of(rules);
  Graph graph = graph_of(text);
  rewrite::Binding binding(set.program(), graph);
  rewrite::Rewriter* made_by = nullptr;
  rewrite::Machine machine(binding, [&]() -> rewrite::Storage& { return made_by->storage(); });
  rewrite::Rewriter rewriter(binding, machine);
  made_by = &rewriter;
  machine.use(set.program().facts.at(0));
  machine.use(rewriter);
  machine.set_root(graph.find(view));
  const std::size_t before = graph.size();
  const rewrite::Value base = machine.inverse(graph.find(view), rewrite::Value::of_node(graph.find("value")));
  CHECK(graph.size() == before);
  if (base.is(rewrite::Tag::failure)) return "error: " + machine.text_of(base);
  if (base.unusable()) return "unknown";
  rewriter.begin();
  REQUIRE(rewriter.make(base, graph.find(view), graph.output(), SymbolId()));
  std::string out;
  for (const NodeId n : rewriter.changes().created) {
    out += std::string(graph.target(n)) + "(";
    for (std::uint32_t i = 0; i < graph.argument_count(n); ++i)
      out += (i == 0 ? "" : ", ") + format_argument(graph, graph.argument(n, i), true);
    out += ")";
  }
  return out.empty() ? std::string(graph.name(rewriter.node_of(base))) : out;
}

}  // namespace

TEST_CASE("the nodes that a rule makes get the metadata that shape functions give") {
  CHECK(after(kSame + "relu(x) => test.last(neg(exp(x)))\n", kRelu) ==
        "x = f32[4][1]cpu\nexp = f32[4][1]cpu\nneg = f32[4][1]cpu\n");
  // What no equation covers is unknown, but for the value that takes the root's place.
  CHECK(after(kSame + "relu(x) => neg(sin(x))\n", kRelu) == "x = f32[4][1]cpu\n");
  const std::string annotated =
      "x: f32[4] strides=(1) = placeholder\nr: f32[4] device=cpu = torch.relu(x)\nreturn (r,)";
  CHECK(after(kSame + "relu(x) => sin(x)\n", annotated) == "x = f32[4][1]\nsin = f32[4]cpu\n");
  CHECK(after(kSame + "relu(x) => neg(x)\n", annotated) == "x = f32[4][1]\nneg = f32[4][1]cpu\n");
}

TEST_CASE("the first equation whose guard is known true counts, the file's own before those it imports") {
  const std::string guarded =
      "meta neg(x) = Tensor(torch.int8, [1])   if dtype(x) == torch.float16\n"
      "meta neg(x) = Tensor(torch.int8, [2])   if rank(test.unknown(x)) == 1\n"
      "meta neg(x) = Tensor(torch.int8, [3])   if rank(x) == 1\n"
      "meta neg(_) = Tensor(torch.int8, [4])\n";
  CHECK(after(guarded + "relu(x) => test.last(neg(x))\n", kRelu) == "x = f32[4][1]cpu\nneg = i8[3]\n");
  Graph graph = graph_of(kRelu);
  static_cast<void>(apply(
      rules_with_prelude("meta neg(_) = Tensor(torch.int8, [7])\nrelu(x) => test.last(neg(tanh(x)))\n"), graph, {}));
  CHECK(metas_of(graph) == "x = f32[4][1]cpu\ntanh = f32[4][1]cpu\nneg = i8[7]\nlast = f32[4]cpu\n");
}

TEST_CASE("parts of metadata stay unknown on their own") {
  const auto of = [](const std::string& body) {
    const std::string text = after("meta neg(x) = " + body + "\nrelu(x) => test.last(neg(x))\n", kRelu);
    return text.substr(text.find('\n') + 1);
  };
  CHECK(of("Tensor(unknown, [2, unknown])") == "neg = ?[2, ?]\n");
  CHECK(of("Tensor(torch.bool, unknown)") == "neg = b8\n");
  CHECK(of("Tensor(torch.bool, [2], [1, 2])") == "neg = b8[2]\n");  // strides of another rank
  CHECK(of("Tensor(torch.bool, [2], unknown, \"cuda:1\")") == "neg = b8[2]cuda:1\n");
  CHECK(of("Tensor(unknown, unknown)").empty());
  CHECK(of("error \"no {x}\"").empty());
  CHECK(of("[Tensor(torch.bool, [2]), unknown]") == "neg = (b8[2], ?)\n");
  CHECK(of("shape(x)[0] + 1") == "neg = Sym(5)\n");
}

TEST_CASE("a guard may ask about a call that nothing has made") {
  const auto text = [](const std::string& guard) {
    return applied(kSame + "relu(x) => exp(exp(x)) if " + guard + "\n", kRelu).text;
  };
  const std::string made = "exp = torch.exp(x)\nexp_1 = torch.exp(exp)\nreturn (exp_1,)\n";
  CHECK(text("shape(exp(x)) == [4] and dtype(exp(neg(x))) == torch.float32") == made);
  CHECK(text("strides(exp(x)) == [1] and uses(x) == 1") == made);  // it is no use
  CHECK(text("uses(x) == 1 and is_contiguous(exp(x)) and uses(x) == 1") == made);
  CHECK(text("device_type(device(exp(x))) == \"cpu\" and rank(neg(exp(exp(x)))) == 1") == made);
  CHECK(text("shape(exp(x)) == [5]") == "r = torch.relu(x)\nreturn (r,)\n");
  CHECK(text("shape(sin(x)) == [4]") == "r = torch.relu(x)\nreturn (r,)\n");
  CHECK(text("known(shape(exp(sin(x))))") == "r = torch.relu(x)\nreturn (r,)\n");
}

TEST_CASE("helpers ask about what they build, however long it grows") {
  const std::string rules = kSame +
                            "def chain(x, []) = x\n"
                            "def chain(x, [_, n..]) = chain(exp(x), n) if shape(x) == [4]\n"
                            "relu(x) => chain(x, upto(2000))\n";
  Graph graph = graph_of(kRelu);
  const Report report = apply(rules_of(rules), graph, {});
  CHECK(report.rewrites == 1);
  CHECK(graph.size() == 2002);
  CHECK(graph.metas().text(graph.meta(graph.find("exp_1999"))) == "f32[4][1]cpu");
}

TEST_CASE("a shape function may build calls, and one that asks about itself ends") {
  CHECK(after(kSame + "meta relu6(x) = Tensor(dtype(neg(x)), shape(neg(exp(x))))\nrelu(x) => test.last(relu6(x))\n",
              kRelu) == "x = f32[4][1]cpu\nrelu6 = f32[4]\n");
  CHECK(after("meta neg(x) = Tensor(dtype(x), shape(neg(x)))\nrelu(x) => test.last(neg(x))\n", kRelu) ==
        "x = f32[4][1]cpu\nneg = f32\n");
  // Where a call stands is nothing that its metadata could depend on.
  CHECK(after("meta neg(x) = Tensor(dtype(x), [uses(x)])\nrelu(x) => test.last(neg(x))\n", kRelu) ==
        "x = f32[4][1]cpu\nneg = f32[?]\n");
}

TEST_CASE("inference fills the nodes without metadata, in program order") {
  Graph graph = graph_of(
      "x: f32[4, s0] strides=(s0, 1) device=cpu = placeholder\ny = placeholder\na = .neg(x)\nb: f16[1] = torch.exp(a)\n"
      "c = torch.ops.aten.tanh.default(b)\nd = torch.neg(y)\ne = torch.sin(x)\n"
      "f = .add_(b, 1)\ng = .t_(b)\nreturn (c,)");
  CHECK(infer_metadata(rules_of(kSame), graph) == 3);
  CHECK(metas_of(graph) == "x = f32[4, s0][s0, 1]cpu\na = f32[4, s0][s0, 1]cpu\nb = f16[1]\nc = f16[1]\nf = f16[1]\n");
}

TEST_CASE("an inverse gives the base's new value") {
  const std::string text =
      "b: f32[4, 8] = placeholder\nvalue = placeholder\ns = torch.select(b, 1, 2)\nt = .t(b)\nu = torch.neg(b)\n"
      "r = .reshape(b, (8, 4))\nv = .narrow(b, 0, 1, 2)\nreturn (s, t, u, r, v)";
  const std::string rules =
      "inverse select(b, d, i), v => select_scatter(b, v, d, i)\n"
      "inverse t(_), v => t(v)\n"
      "inverse reshape(b, s), v => error \"not through {root}\" if s == shape(b)\n"
      "                         => b if len(s) == 2 and shape(test.unknown(v)) == s\n"
      "                         => reshape(v, shape(b)) if rank(b) == len(s)\n"
      "                         => b otherwise\n"
      "inverse narrow(b, ..), v => error \"no write through `{root}` of {shape(b)}\"\n";
  CHECK(written_through(rules, text, "s") == "torch.select_scatter(b, value, 1, 2)");
  CHECK(written_through(rules, text, "t") == "torch.t(value)");
  CHECK(written_through(rules, text, "r") == "torch.reshape(value, [4, 8])");
  CHECK(written_through(rules, text, "v") == "error: no write through `v` of [4, 8]");
  CHECK(written_through(rules, text, "u") == "unknown");
  CHECK(written_through("inverse neg(b), v => b\n", text, "u") == "b");
}

TEST_CASE("a new tensor has the strides that its operands suggest") {
  const auto dense = [](const std::string& shape, const std::string& operands, const std::string& inputs) {
    return evaluated("dense_strides(" + shape + ", " + operands + ")", inputs + "\np = test.probe(x)\nreturn (p,)");
  };
  CHECK(dense("shape(x)", "x", "x: f32[2, 3] strides=(3, 1) = placeholder") == "[3, 1]");
  CHECK(dense("shape(x)", "x", "x: f32[2, 3] strides=(1, 2) = placeholder") == "[1, 2]");
  CHECK(dense("shape(x)", "x", "x: f32[2, 3] strides=(12, 2) = placeholder") == "[3, 1]");    // gaps close
  CHECK(dense("shape(x)", "x", "x: f32[2, 3] strides=(2, 12) = placeholder") == "[1, 2]");    // the order stays
  CHECK(dense("shape(x)", "x, 2", "x: f32[2, 3] strides=(1, 2) = placeholder") == "[1, 2]");  // numbers have no say
  CHECK(dense("[2, 3]", "x", "x: f32[3] strides=(1) = placeholder") == "[3, 1]");
  CHECK(dense("shape(x)", "x", "x: f32[2, s0] strides=(s0, 1) = placeholder") == "[s0, 1]");
  CHECK(dense("shape(x)", "x", "x: f32[2, s0] strides=(1, 2) = placeholder") == "unknown");
  CHECK(dense("shape(x)", "x", "x: f32[2, 3] = placeholder") == "unknown");
}

TEST_CASE("a view has the strides that lie behind its sizes, if it is possible at all") {
  const auto view = [](const std::string& shape, const std::string& strides, const std::string& wanted) {
    return evaluated("[view_strides(" + shape + ", " + strides + ", " + wanted + "), rank(x)][0]",
                     "x = placeholder\np = test.probe(x)\nreturn (p,)");
  };
  CHECK(view("[4, 6]", "[6, 1]", "[2, 2, 3, 2]") == "[12, 6, 2, 1]");
  CHECK(view("[4, 6]", "[12, 1]", "[4, 2, 3]") == "[12, 3, 1]");
  CHECK(view("[4, 6]", "[12, 1]", "[24]") == "None");
  CHECK(view("[4, 6]", "[1, 4]", "[2, 2, 6]") == "[2, 1, 4]");
  CHECK(view("[4, 6]", "[1, 4]", "[4, 6]") == "[1, 4]");
  CHECK(view("[4, 6]", "[1, 4]", "[6, 4]") == "None");
  CHECK(view("[]", "[]", "[1, 1]") == "[1, 1]");
  CHECK(view("[0, 3]", "[3, 1]", "[3, 0]") == "[1, 1]");
  CHECK(view("[4, 1, 6]", "[6, 99, 1]", "[24]") == "[1]");
  CHECK(view("[4, 6]", "unknown", "[24]") == "unknown");
}

TEST_CASE("results of calls with several, and numbers among operands") {
  Graph g = graph_of(
      "x: f16[4, 6] strides=(6, 1) = placeholder\nu = torch.unbind(x, 0)\na = operator.getitem(u, -1)\n"
      "b = .size(x, 1)\nc = operator.add(b, 2)\nd = torch.mul(a, b)\nreturn (a, c, d)");
  CHECK(infer_metadata(rules_with_prelude(""), g) == 5);
  CHECK(g.metas().text(g.meta(g.find("a"))) == "f16[6][1]");
  CHECK(g.metas().text(g.meta(g.find("c"))) == "Sym(8)");
  CHECK(g.metas().text(g.meta(g.find("d"))) == "f16[6][1]");
}
