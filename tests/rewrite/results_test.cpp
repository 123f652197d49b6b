// What rules leave behind: values, blocks, kept nodes, names, notes and errors; and how runs end.
#include <fmt/format.h>

#include "support.hpp"
#include "tests/support/catch.hpp"

using namespace fxrules;
using namespace fxrules::testing;

namespace {

const std::string kChain = "x = placeholder\na = torch.neg(x)\nb = torch.exp(a)\nc = torch.abs(b)\nreturn (c,)";

std::string only_call(const std::string& rules, const std::string& call) {
  const Applied run = applied(rules, "x: f32[4] = placeholder\ny = placeholder\nn = " + call + "\nreturn (n,)");
  return run.text.substr(0, run.text.find('\n'));
}

}  // namespace

TEST_CASE("keep replaces an argument by role and leaves node, name and users alone") {
  const std::string rule = "phase one once\nadd(_, _, ..) => keep(alpha = 3)\n";
  CHECK(only_call(rule, "torch.add(x, y, alpha=2)") == "n = torch.add(x, y, alpha=3)");
  CHECK(only_call(rule, "torch.add(x, y)") == "n = torch.add(x, y, alpha=3)");
  CHECK(only_call(rule, "torch.ops.aten.add.Tensor(x, y, alpha=3)") == "n = torch.ops.aten.add.Tensor(x, y, alpha=3)");
  const std::string positional = "phase one once\nsum(_, _, ..) => keep(keepdim = True)\n";
  CHECK(only_call(positional, "torch.sum(x, 0, False)") == "n = torch.sum(x, 0, True)");
  CHECK(only_call(positional, "torch.sum(x, 0, keepdim=False)") == "n = torch.sum(x, 0, keepdim=True)");
  CHECK(only_call(positional, "torch.sum(x, 0)") == "n = torch.sum(x, 0, keepdim=True)");
}

TEST_CASE("keep applies once where nothing changes any more") {
  const Applied run =
      applied("add(_, _, ..) => keep(alpha = 3)\n", "x = placeholder\nn = torch.add(x, x)\nreturn (n,)");
  CHECK(run.report.rewrites == 1);
  CHECK(run.report.stop == StopReason::converged);
}

TEST_CASE("keep of metadata") {
  Graph graph = graph_of("x = placeholder\nn: f32[4] device=cuda:0 = torch.neg(x)\nreturn (n,)");
  const Report report = apply(rules_of("neg(_) => keep(meta.dtype = torch.float16)\n"), graph, {});
  CHECK(report.rewrites == 1);
  CHECK(graph.metas().text(graph.meta(graph.find("n")), true, false) == "f16[4]");
}

TEST_CASE("a new node stands at the root, in the root's spelling, with its type") {
  const auto spelled = [](const std::string& call) { return only_call("abs(x) => neg(x)\n", call); };
  CHECK(spelled("torch.abs(x)") == "neg = torch.neg(x)");
  CHECK(spelled(".abs(x)") == "neg = torch.neg(x)");
  CHECK(spelled("torch.ops.aten.abs.default(x)") == "neg_default = torch.ops.aten.neg.default(x)");
  CHECK(only_call("phase one once\n<f>(x) => <f>(exp(x))\n", ".abs(x)") == "exp = torch.exp(x)");
  CHECK(only_call("abs(x) => aten.neg.default(x)\n", ".abs(x)") == "neg_default = torch.ops.aten.neg.default(x)");
  CHECK(only_call("abs(x) => .neg(x)\n", "torch.abs(x)") == "neg = .neg(x)");
  Graph graph = graph_of("x = placeholder\nn: f32[4] strides=(1) = torch.abs(x)\nreturn (n,)");
  graph.set_type(graph.find("n"), graph.symbols().intern("torch.Tensor"));
  static_cast<void>(apply(rules_of("abs(x) => neg(x)\n"), graph, {}));
  const NodeId made = graph.find("neg");
  REQUIRE(made.valid());
  CHECK(graph.text(graph.type(made)) == "torch.Tensor");
  CHECK(graph.metas().text(graph.meta(made)) == "f32[4]");  // strides belong to the op
}

TEST_CASE("an aten overload is chosen by the arguments, defaults are left out") {
  CHECK(only_call("abs(x) => add(x, 1)\n", "torch.ops.aten.abs.default(x)") ==
        "add_scalar = torch.ops.aten.add.Scalar(x, 1)");
  CHECK(only_call("sub(x, y) => add(x, y, alpha = 1)\n", "torch.ops.aten.sub.Tensor(x, y)") ==
        "add_tensor = torch.ops.aten.add.Tensor(x, y)");
  CHECK(only_call("sub(x, y) => add(x, y, alpha = 2)\n", "torch.sub(x, y)") == "add = torch.add(x, y, alpha=2)");
}

TEST_CASE("the rest of the arguments goes along") {
  CHECK(only_call("sub(x, y, ..) => add(y, x, ..)\n", "torch.sub(x, y, alpha=2)") == "add = torch.add(y, x, alpha=2)");
  CHECK(only_call("sum(x, d, rest..) => mean(x, d, rest..)\n", "torch.sum(x, 0, True)") ==
        "mean = torch.mean(x, [0], True)");
  CHECK(only_call("cat([h, t..]) => cat([t.., h])\n  if uses(root) == 7\n  => stack([h, h, t..]) otherwise\n",
                  "torch.cat([x, y])") == "stack = torch.stack([x, x, y])");
}

TEST_CASE("`as` names a new value, numbers where the name is taken") {
  const Applied run = applied("phase one once\nneg(x) => abs(x) as \"{origin(x)}_new\"\n",
                              "x = placeholder\nx_new_2 = torch.exp(x)\na = torch.neg(x)\nb = torch.neg(x)\nc = "
                              "torch.neg(x)\nreturn (a, b, c, x_new_2)");
  CHECK(run.text ==
        "x_new_2 = torch.exp(x)\nx_new = torch.abs(x)\nx_new_3 = torch.abs(x)\nx_new_4 = torch.abs(x)\nreturn (x_new, "
        "x_new_3, x_new_4, x_new_2)\n");
}

TEST_CASE("a refused rewrite uses up no name") {
  const Applied run = applied("phase one once\nclone(x) => .view(x, [4])\nphase two once\nexp(x) => .view(x, [4])\n",
                              "x = placeholder\na = .clone(x)\nb = torch.exp(x)\nc = torch.abs(b)\nreturn (a, c)");
  CHECK(run.report.rules[0].refused == 1);
  CHECK(run.text == "a = .clone(x)\nview = .view(x, [4])\nc = torch.abs(view)\nreturn (a, c)\n");
}

TEST_CASE("several roots and several results") {
  const Applied run = applied("{ s = split(x, n), a = s[0], b = s[1] } => { a = neg(x), b = exp(x) } if n == 2\n",
                              "x = placeholder\ns = torch.split(x, 2)\na = operator.getitem(s, 0)\nb = "
                              "operator.getitem(s, 1)\nc = torch.add(a, b)\nreturn (c,)");
  CHECK(run.report.rewrites == 1);
  CHECK(run.text == "neg = torch.neg(x)\nexp = torch.exp(x)\nc = torch.add(neg, exp)\nreturn (c,)\n");
}

TEST_CASE("a further root is found through several uses, in both orders, and each candidate is tried") {
  const std::string rule = "{ a = neg(x), b = add(abs(x), y) } => { b = sub(a, y) } if uses(b) == 2\n";
  const Applied run = applied(rule,
                              "x = placeholder\ny = placeholder\na = torch.neg(x)\nm = torch.abs(x)\nb = torch.add(m, "
                              "y)\nc = torch.add(y, m)\nd = torch.mul(c, c)\nreturn (a, b, d)");
  CHECK(run.report.rewrites == 1);
  CHECK(run.text.find("sub = torch.sub(a, y)\nd = torch.mul(sub, sub)") != std::string::npos);
}

TEST_CASE("local values of a block are made once") {
  CHECK(
      applied("abs(x) => { v = neg(x), root = add(v, v) }\n", "x = placeholder\na = torch.abs(x)\nreturn (a,)").text ==
      "neg = torch.neg(x)\nadd = torch.add(neg, neg)\nreturn (add,)\n");
}

TEST_CASE("what a helper builds and the result does not use is not made") {
  CHECK(
      applied("def pick(a, b) = a\nabs(x) => pick(exp(x), neg(x))\n", "x = placeholder\na = torch.abs(x)\nreturn (a,)")
          .text == "exp = torch.exp(x)\nreturn (exp,)\n");
}

TEST_CASE("an op that the pattern names once is a value on the right") {
  CHECK(applied("clone(exp(_)) => exp\n", "x = placeholder\na = torch.exp(x)\nb = .clone(a)\nreturn (b,)").text ==
        "a = torch.exp(x)\nreturn (a,)\n");
}

TEST_CASE("alternatives: the first whose guard is known true") {
  const std::string rules =
      "phase one once\nabs(x) => neg(x) if rank(x) == 1\n  => exp(x) if rank(x) == 2\n  => relu(x) otherwise\n";
  CHECK(only_call(rules, "torch.abs(x)") == "neg = torch.neg(x)");
  CHECK(only_call(rules, "torch.abs(y)") == "relu = torch.relu(y)");
}

TEST_CASE("an alternative that cannot be written does not hold") {
  CHECK(only_call("phase one once\nabs(x) => reshape(x, shape(x)) if uses(x) == 1\n  => neg(x) otherwise\n",
                  "torch.abs(y)") == "neg = torch.neg(y)");
}

TEST_CASE("guards are counted by what they said") {
  const Applied run =
      applied("abs(x) => x if rank(x) == 3\n",
              "x: f32[4] = placeholder\ny = placeholder\na = torch.abs(x)\nb = torch.abs(y)\nreturn (a, b)");
  CHECK(run.report.rules[0].guard_false == 1);
  CHECK(run.report.rules[0].guard_unknown == 1);
}

TEST_CASE("a note is said once and the next rule is tried") {
  const Applied run = applied("abs(x) => note \"seen {x}\"\nabs(x) => neg(x) if is_input(x)\n",
                              "x = placeholder\na = torch.abs(x)\nb = torch.abs(a)\nreturn (b,)");
  CHECK(run.report.rewrites == 1);
  REQUIRE(run.report.notes.size() == 2);
  CHECK(run.report.notes[0].text == "seen x");
  CHECK(run.report.notes[1].text == "seen neg");
}

TEST_CASE("errors of one run are collected, and the graph is put back") {
  const std::string rules = "abs(x) => error \"no abs of {x}\"\nexp(x) => neg(x)\n";
  const std::string graph = "x = placeholder\na = torch.exp(x)\nb = torch.abs(a)\nc = torch.abs(x)\nreturn (b, c)";
  const Applied run = applied(rules, graph);
  CHECK(run.report.stop == StopReason::failed);
  CHECK(run.report.exit_code() == 1);
  REQUIRE(run.report.diagnostics.size() == 2);
  CHECK(run.report.diagnostics[0].message == "`b`: no abs of neg");
  CHECK(run.report.diagnostics[1].message == "`c`: no abs of x");
  CHECK(run.report.diagnostics[0].kind == "rule-error");
  CHECK(run.text == lines_of(graph_of(graph)));
  ApplyOptions options;
  options.restore_on_failure = false;
  CHECK(applied(rules, graph, options).text.find("torch.neg(x)") != std::string::npos);
}

TEST_CASE("max_rewrites stops the run and keeps what was done") {
  ApplyOptions options;
  options.max_rewrites = 2;
  const Applied run = applied("{neg, exp, abs}(x) => relu(x)\n", kChain, options);
  CHECK(run.report.rewrites == 2);
  CHECK(run.report.stop == StopReason::limit);
  CHECK(run.report.exit_code() == 0);
  CHECK(run.text == "relu = torch.relu(x)\nrelu_1 = torch.relu(relu)\nc = torch.abs(relu_1)\nreturn (c,)\n");
}

TEST_CASE("a refused match that is tried again counts once") {
  const Applied run = applied("neg(neg(x)) => x\nabs(x) => exp(x)\n",
                              "x = placeholder\na = torch.neg(x)\nb = torch.neg(a)\nc = torch.abs(x)\n"
                              "d = torch.abs(c)\nreturn (b, d)");
  CHECK(run.report.rewrites == 2);
  CHECK(run.report.rules[0].refused == 1);
  CHECK(run.report.notes.size() == 1);
}

TEST_CASE("rules that undo each other are a cycle, named") {
  const Applied run = applied("there: neg(x) => abs(x)\nback: abs(x) => neg(x)\nother: exp(x) => relu(x)\n",
                              "x = placeholder\na = torch.exp(x)\nb = torch.neg(a)\nreturn (b,)");
  CHECK(run.report.stop == StopReason::cycle);
  CHECK(run.report.exit_code() == 3);
  CHECK(run.report.cycle == std::vector<std::string>{"there", "back"});
  REQUIRE(run.report.diagnostics.size() == 1);
  CHECK(run.report.diagnostics[0].message ==
        "these rules undo each other, or repeat: `there` (test.rules:1), `back` (test.rules:2)");
  CHECK(run.text == "a = torch.exp(x)\nb = torch.neg(a)\nreturn (b,)\n");
}

TEST_CASE("rules that grow for ever reach the default limit") {
  const Applied run =
      applied("grow: neg(x) => neg(exp(x)) if uses(root) > 0\n", "x = placeholder\na = torch.neg(x)\nreturn (a,)");
  CHECK(run.report.stop == StopReason::default_limit);
  CHECK(run.report.rewrites >= 20 * 3 + 10'000);
  CHECK(run.report.exit_code() == 3);
  REQUIRE(run.report.diagnostics.size() == 1);
  CHECK(run.report.diagnostics[0].kind == "rewrite-limit");
  CHECK(run.text == "a = torch.neg(x)\nreturn (a,)\n");
}

TEST_CASE("once visits what was there, once; reverse starts at the end") {
  CHECK(applied("phase one once\nneg(x) => neg(exp(x))\n", "x = placeholder\na = torch.neg(x)\nreturn (a,)").text ==
        "exp = torch.exp(x)\nneg = torch.neg(exp)\nreturn (neg,)\n");
  const std::string graph = "x = placeholder\na = torch.neg(x)\nb = torch.neg(a)\nc = torch.neg(b)\nreturn (c,)";
  const Applied forward = applied("neg(neg(x)) => exp(x)\n", graph),
                reverse = applied("phase one reverse\nneg(neg(x)) => exp(x)\n", graph);
  CHECK(forward.text == "exp = torch.exp(x)\nc = torch.neg(exp)\nreturn (c,)\n");
  CHECK(reverse.text == "a = torch.neg(x)\nexp = torch.exp(a)\nreturn (exp,)\n");
}

TEST_CASE("only and disable choose rules by label") {
  const std::string rules = "one: neg(x) => relu(x)\ntwo: exp(x) => relu(x)\nthree: abs(x) => relu(x)\n";
  ApplyOptions only, disable;
  only.only = {"two"};
  disable.disable = {"two"};
  const auto fired = [](const Report& report) {
    std::string out;
    for (const RuleReport& r : report.rules) {
      if (r.rewrites > 0) out += r.name + " ";
    }
    return out;
  };
  CHECK(fired(applied(rules, kChain, only).report) == "two ");
  CHECK(fired(applied(rules, kChain, disable).report) == "one three ");
}

TEST_CASE("unknown targets are reported once each, in order") {
  const Applied run = applied("neg(x) => x\n",
                              "x = placeholder\na = mine.b(x)\nb = mine.a(a)\nc = mine.b(b)\nd = .frob(c)\ne = "
                              "torch.exp(d)\nm = $layers.0(e)\nreturn (m,)");
  CHECK(run.report.unknown_targets == std::vector<std::string>{"mine.b", "mine.a", "frob"});
}

TEST_CASE("every application is recorded") {
  Graph graph = graph_of("x = placeholder\na = torch.neg(x)\nb = torch.neg(a)\nc = torch.exp(b)\nreturn (c,)");
  const Report report = apply(rules_of("first: neg(neg(x)) => x\nsecond: exp(x) => abs(relu(x))\n"), graph, {});
  REQUIRE(report.applications.size() == 2);
  const auto text = [&](std::span<const SymbolId> symbols) {
    std::string out;
    for (const SymbolId s : symbols) out += std::string(graph.text(s)) + " ";
    return out;
  };
  CHECK(report.applications[0].rule == 0);
  CHECK(graph.text(report.applications[0].root) == "b");
  CHECK(text(report.applications[0].matched) == "b a ");
  CHECK(report.applications[0].created.empty());
  CHECK(graph.text(report.applications[0].result) == "x");
  CHECK(text(report.applications[1].created) == "relu abs_1 ");
  CHECK(report.created == 2);
  CHECK(report.removed == 3);
  CHECK(report.nodes_before == 5);
  CHECK(report.nodes_after == 4);
}

TEST_CASE("100,000 matches at one place keep their order") {
  // Every rewrite inserts in front of the same node: labels are spread again and again.
  std::string graph = "x = placeholder\n", sum;
  Graph g = graph_of("x = placeholder\ny = torch.exp(x)\nreturn (y,)");
  const NodeId y = g.find("y");
  std::vector<NodeId> made;
  for (int i = 0; i < 2000; ++i)
    made.push_back(CallBuilder(g).node(g.find("x")).create(Opcode::call_method, "neg", {}, y));
  {
    CallBuilder b(g);
    b.open(ArgKind::list);
    for (const NodeId n : made) b.node(n);
    b.close();
    b.reassign(y, Opcode::call_function, g.symbols().intern("torch.stack"));
  }
  const Report report = apply(rules_of("neg(x) => abs(relu(exp(x)))\n"), g, {});
  CHECK(report.rewrites == 2000);
  std::size_t last = 0;
  bool in_order = true;
  for (const Application& a : report.applications) {
    const std::string name(g.text(a.root));
    const std::size_t number = name == "neg" ? 0 : std::stoul(name.substr(4));
    in_order &= number >= last;
    last = number;
  }
  CHECK(in_order);
  CHECK(verify(g).empty());
}
