// Building graphs, their arguments and uses, and every mutation.
#include "fxrules/graph.hpp"

#include <limits>
#include <random>
#include <set>

#include <fmt/format.h>

#include "tests/support/catch.hpp"

using namespace fxrules;

namespace {

NodeId input(Graph& g, std::string_view name) { return CallBuilder(g).create(Opcode::placeholder, name, name); }
NodeId call(Graph& g, std::string_view target, std::initializer_list<NodeId> operands, NodeId before = {}) {
  CallBuilder builder(g);
  for (const NodeId n : operands) builder.node(n);
  return builder.create(Opcode::call_function, target, {}, before);
}

std::vector<std::string> names(const Graph& g) {
  std::vector<std::string> out;
  for (const NodeId n : g.nodes()) out.emplace_back(g.name(n));
  return out;
}

std::vector<NodeId> users(const Graph& g, NodeId n) {
  std::vector<NodeId> out;
  for (SlotId s = g.first_use(n); s.valid(); s = g.next_use(s)) out.push_back(g.owner(s));
  return out;
}

void check_sound(const Graph& g) {
  const auto problems = verify(g);
  INFO(render(problems));
  CHECK(problems.empty());
}

}  // namespace

TEST_CASE("a new graph is empty and sound") {
  const Graph g;
  CHECK(g.size() == 0);
  CHECK_FALSE(g.first().valid());
  CHECK_FALSE(g.output().valid());
  CHECK(g.nodes().begin() == g.nodes().end());
  check_sound(g);
}

TEST_CASE("the builder keeps every literal exactly") {
  Graph g;
  const NodeId x = input(g, "x");
  CallBuilder b(g);
  b.node(x)
      .integer(std::numeric_limits<std::int64_t>::min())
      .integer(std::numeric_limits<std::int64_t>::max())
      .integer(-1);
  b.floating(-0.0).floating(5e-324).boolean(true).boolean(false).none().ellipsis();
  b.spelled(ArgKind::complex, "(1+2j)").spelled(ArgKind::string, "it's").spelled(ArgKind::device, "cuda:0");
  const NodeId n = b.create(Opcode::call_function, "torch.f");
  const auto at = [&](std::uint32_t i) { return g[g.argument(n, i)]; };
  REQUIRE(g.argument_count(n) == 13);
  CHECK(at(0).node() == x);
  CHECK(at(1).integer() == std::numeric_limits<std::int64_t>::min());
  CHECK(at(2).integer() == std::numeric_limits<std::int64_t>::max());
  CHECK(at(3).integer() == -1);
  CHECK(std::signbit(at(4).floating()));
  CHECK(at(5).floating() == 5e-324);
  CHECK(at(6).boolean());
  CHECK_FALSE(at(7).boolean());
  CHECK(at(8).kind == ArgKind::none);
  CHECK(at(9).kind == ArgKind::ellipsis);
  CHECK(g.text(at(10).symbol()) == "(1+2j)");
  CHECK(g.text(at(11).symbol()) == "it's");
  CHECK(at(12).kind == ArgKind::device);
  check_sound(g);
}

TEST_CASE("keywords come behind positional arguments and are found by name") {
  Graph g;
  const NodeId x = input(g, "x");
  const NodeId n = CallBuilder(g).node(x).keyword("alpha").integer(2).keyword("out").node(x).create(
      Opcode::call_function, "torch.add");
  CHECK(g.form(n).positional == 1);
  CHECK(g.form(n).keywords.size() == 2);
  CHECK(g[g.keyword(n, *g.symbols().find("alpha"))].integer() == 2);
  CHECK(g[g.keyword(n, *g.symbols().find("out"))].node() == x);
  CHECK_FALSE(g.keyword(n, g.symbols().intern("other")).valid());
  CHECK(g.use_count(x) == 2);
  CHECK(g.user_count(x) == 1);
}

TEST_CASE("nested containers are walked as one run of slots") {
  Graph g;
  const NodeId x = input(g, "x"), y = input(g, "y");
  CallBuilder b(g);
  b.open(ArgKind::tuple).node(x).open(ArgKind::list).node(y).integer(1).close();
  b.open(ArgKind::dict).key("k").node(x).close().open(ArgKind::slice).node(y).none().integer(2).close().close();
  b.keyword("r").open(ArgKind::range).integer(0).node(x).close();
  const NodeId n = b.create(Opcode::call_function, "torch.f");
  const Slot tuple = g[g.argument(n, 0)];
  REQUIRE(tuple.kind == ArgKind::tuple);
  REQUIRE(tuple.count() == 4);
  CHECK(g[tuple.child(1)].kind == ArgKind::list);
  CHECK(g[g[tuple.child(1)].child(0)].node() == y);
  CHECK(g.text(g[g[tuple.child(2)].child(0)].symbol()) == "k");
  CHECK(g[g[tuple.child(3)].child(2)].integer() == 2);
  std::size_t nodes = 0;
  for (const Slot& s : g.slots(n)) {
    nodes += s.kind == ArgKind::node;
    CHECK(s.owner == n.value);
  }
  CHECK(nodes == 5);
  CHECK(g.use_count(x) == 3);
  CHECK(g.use_count(y) == 2);
  check_sound(g);
}

TEST_CASE("copy takes a whole argument along") {
  Graph g;
  const NodeId x = input(g, "x");
  const NodeId n = CallBuilder(g)
                       .open(ArgKind::list)
                       .node(x)
                       .open(ArgKind::tuple)
                       .integer(3)
                       .node(x)
                       .close()
                       .close()
                       .create(Opcode::call_function, "torch.f");
  CallBuilder again(g);
  again.copy(g.argument(n, 0)).keyword("k").copy(g.argument(n, 0));
  const NodeId m = again.create(Opcode::call_function, "torch.g");
  CHECK(g.use_count(x) == 6);
  const Slot list = g[g.argument(m, 0)];
  CHECK(g[g[list.child(1)].child(0)].integer() == 3);
  check_sound(g);
}

TEST_CASE("nesting a million deep neither recurses nor costs more than its size") {
  constexpr std::uint32_t kDeep = 1'000'000;
  Graph g;
  const NodeId x = input(g, "x");
  NodeId n;
  {
    CallBuilder b(g);
    for (std::uint32_t i = 0; i < kDeep; ++i) b.open(i % 2 == 0 ? ArgKind::list : ArgKind::tuple);
    b.node(x);
    for (std::uint32_t i = 0; i < kDeep; ++i) b.close();
    n = b.create(Opcode::call_function, "torch.f");
  }
  const NodeId m = CallBuilder(g).copy(g.argument(n, 0)).create(Opcode::call_function, "torch.g");
  CallBuilder(g).node(m).create(Opcode::output, "output", "output");
  CHECK(g.use_count(x) == 2);
  CHECK(g.slots_end(m) - g.slots_begin(m) == kDeep + 1);
  check_sound(g);
  const Graph twin = g.clone();
  check_sound(twin);
  const NodeId y = call(g, "torch.y", {}, x);
  g.replace_uses(x, y);
  CHECK(g.use_count(y) == 2);
  check_sound(g);
}

TEST_CASE("the first use in a list is the first of the node that was made last") {
  Graph g;
  const NodeId x = input(g, "x");
  const NodeId a = call(g, "torch.a", {x, x}), b = call(g, "torch.b", {x});
  CHECK(users(g, x) == std::vector<NodeId>{b, a, a});
  CHECK(g.use_count(x) == 3);
  CHECK(g.user_count(x) == 2);
  CHECK(g.user_count_up_to(x, 1) == 1);
  CHECK(g.has_uses(x));
  CHECK_FALSE(g.has_uses(b));
}

TEST_CASE("replace_uses moves every use, wherever it stands") {
  Graph g;
  const NodeId x = input(g, "x"), y = input(g, "y");
  const NodeId n = CallBuilder(g)
                       .node(x)
                       .open(ArgKind::list)
                       .open(ArgKind::slice)
                       .none()
                       .node(x)
                       .none()
                       .close()
                       .node(y)
                       .close()
                       .keyword("k")
                       .node(x)
                       .create(Opcode::call_function, "torch.f");
  CallBuilder(g).open(ArgKind::dict).key("a").node(x).close().create(Opcode::output, "output", "output");
  g.replace_uses(x, y);
  CHECK(g.use_count(x) == 0);
  CHECK_FALSE(g.first_use(x).valid());
  CHECK(g.use_count(y) == 5);
  CHECK(g[g.argument(n, 0)].node() == y);
  check_sound(g);
}

TEST_CASE("rebind moves one use") {
  Graph g;
  const NodeId x = input(g, "x"), y = input(g, "y");
  const NodeId n = call(g, "torch.f", {x, x, x});
  g.rebind(g.argument(n, 1), y);  // from the middle of the use list
  CHECK(g.use_count(x) == 2);
  CHECK(users(g, y) == std::vector<NodeId>{n});
  check_sound(g);
  g.rebind(g.argument(n, 0), y);
  g.rebind(g.argument(n, 2), y);
  CHECK_FALSE(g.has_uses(x));
  CHECK(g.use_count(y) == 3);
  check_sound(g);
}

TEST_CASE("set_literal replaces a scalar and lets go of a node") {
  Graph g;
  const NodeId x = input(g, "x");
  const NodeId n = CallBuilder(g).node(x).integer(1).create(Opcode::call_function, "torch.f");
  const FormId form = g.form_id(n);
  g.set_literal(g.argument(n, 0), Slot::of_floating(2.5));
  CHECK_FALSE(g.has_uses(x));
  CHECK(g[g.argument(n, 0)].floating() == 2.5);
  g.set_literal(g.argument(n, 1), Slot::of_symbol(ArgKind::string, g.symbols().intern("mean")));
  CHECK(g.text(g[g.argument(n, 1)].symbol()) == "mean");
  CHECK(g.form_id(n) == form);
  check_sound(g);
}

TEST_CASE("reassign gives a node other arguments and keeps the rest") {
  Graph g;
  const NodeId x = input(g, "x"), y = input(g, "y");
  const NodeId n = call(g, "torch.f", {x}), m = call(g, "torch.g", {n});
  {
    CallBuilder b(g);
    b.node(y).keyword("k").open(ArgKind::list).node(y).close();
    b.reassign(n, Opcode::call_method, g.symbols().intern("h"));
  }
  CHECK(g.opcode(n) == Opcode::call_method);
  CHECK(g.target(n) == "h");
  CHECK(g.name(n) == "f");
  CHECK_FALSE(g.has_uses(x));
  CHECK(g.use_count(y) == 2);
  CHECK(users(g, n) == std::vector<NodeId>{m});
  check_sound(g);
}

TEST_CASE("erase takes a node out of the list, its uses and its name") {
  Graph g;
  const NodeId x = input(g, "x");
  const NodeId a = call(g, "torch.a", {x, x}), b = call(g, "torch.b", {x});
  g.erase(a);
  CHECK_FALSE(g.alive(a));
  CHECK(g.size() == 2);
  CHECK(g.use_count(x) == 1);
  CHECK_FALSE(g.find("a").valid());
  CHECK(g.next(x) == b);
  CHECK(g.prev(b) == x);
  check_sound(g);
  g.erase(b);
  g.erase(x);
  CHECK(g.size() == 0);
  CHECK_FALSE(g.first().valid());
  CHECK_FALSE(g.last().valid());
  check_sound(g);
  const NodeId again = input(g, "a");  // the name is free
  CHECK(g.find("a") == again);
}

TEST_CASE("nodes are created and moved where they are asked to stand") {
  Graph g;
  const NodeId a = input(g, "a"), c = input(g, "c");
  const NodeId b = CallBuilder(g).create(Opcode::placeholder, "b", "b", c);
  CHECK(names(g) == std::vector<std::string>{"a", "b", "c"});
  CHECK(g.precedes(a, b));
  CHECK(g.precedes(b, c));
  g.move_before(c, a);
  CHECK(names(g) == std::vector<std::string>{"c", "a", "b"});
  CHECK(g.first() == c);
  CHECK(g.last() == b);
  g.move_before(c, b);
  CHECK(names(g) == std::vector<std::string>{"a", "c", "b"});
  CHECK(g.precedes(c, b));
  check_sound(g);
}

TEST_CASE("the output node is the last one") {
  Graph g;
  const NodeId x = input(g, "x");
  CHECK_FALSE(g.output().valid());
  const NodeId out = CallBuilder(g).node(x).create(Opcode::output, "output", "output");
  CHECK(g.output() == out);
}

TEST_CASE("calls of one shape share a form") {
  Graph g;
  const NodeId x = input(g, "x");
  const NodeId a = CallBuilder(g).node(x).keyword("k").integer(1).create(Opcode::call_function, "torch.f");
  const NodeId b = CallBuilder(g).node(a).keyword("k").none().create(Opcode::call_function, "torch.f");
  const NodeId c = CallBuilder(g).node(a).keyword("l").none().create(Opcode::call_function, "torch.f");
  const NodeId d = CallBuilder(g).node(a).node(a).create(Opcode::call_function, "torch.f");
  const NodeId e = CallBuilder(g).node(a).keyword("k").integer(1).create(Opcode::call_method, "torch.f");
  CHECK(g.form_id(a) == g.form_id(b));
  CHECK(
      std::set<std::uint32_t>{g.form_id(a).value, g.form_id(c).value, g.form_id(d).value, g.form_id(e).value}.size() ==
      4);
}

TEST_CASE("order labels stay true under 100,000 insertions at one place") {
  const bool in_front = GENERATE(true, false);
  Graph g;
  const NodeId first = input(g, "first"), last = input(g, "last");
  NodeId place = last;
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    const NodeId n = CallBuilder(g).create(Opcode::placeholder, "p", fmt::format("p{}", i), place);
    if (in_front) place = n;  // always in front of the last one, or always right behind the first
    REQUIRE(g.precedes(first, n));
    REQUIRE(g.precedes(n, last));
  }
  CHECK(g.size() == 100'002);
  check_sound(g);
}

TEST_CASE("order labels stay true under insertions at random places") {
  std::mt19937 random(7);
  Graph g;
  std::vector<NodeId> nodes{input(g, "first")};
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    const NodeId place = nodes[random() % std::min<std::size_t>(nodes.size(), 4)];
    nodes.push_back(CallBuilder(g).create(Opcode::placeholder, "p", fmt::format("p{}", i), place));
    if (i % 3 == 0) g.move_before(nodes.back(), nodes[random() % (nodes.size() - 1)]);
  }
  check_sound(g);
}

TEST_CASE("a clone is a copy of everything, with the same ids") {
  Graph g;
  const NodeId x = input(g, "x");
  const NodeId a = call(g, "torch.a", {x}), dead = call(g, "torch.b", {a});
  g.erase(dead);
  g.set_meta(a, *g.metas().parse("f32[4]"));
  g.set_type(x, g.symbols().intern("torch.Tensor"));
  Graph& body = g.add_subgraph(g.symbols().intern("body_0"));
  Graph& deeper = body.add_subgraph(g.symbols().intern("deeper"));
  input(deeper, "z");
  Graph twin = g.clone();
  check_sound(twin);
  CHECK(names(twin) == names(g));
  CHECK(twin.meta(a) == g.meta(a));
  CHECK(twin.type(x) == g.type(x));
  CHECK(twin.id_bound() == g.id_bound());
  CHECK_FALSE(twin.alive(dead));
  REQUIRE(twin.subgraphs().size() == 1);
  CHECK(twin.subgraphs()[0].graph->subgraphs()[0].graph->find("z").valid());
  // They go separate ways from here.
  twin.erase(a);
  CHECK(g.alive(a));
  CHECK(g.use_count(x) == 1);
  CHECK(twin.use_count(x) == 0);
  CHECK(twin.unique_name("a") == *twin.symbols().find("a"));
  CHECK(g.text(g.unique_name("a")) == "a_1");
}

TEST_CASE("nested graphs are found by path and share the tables") {
  Graph g;
  Graph& body = g.add_subgraph(g.symbols().intern("cond.true_graph_0"));
  CHECK(g.find_subgraph(*g.symbols().find("cond.true_graph_0")) == &body);
  CHECK(g.find_subgraph(g.symbols().intern("other")) == nullptr);
  CHECK(&body.symbols() == &g.symbols());
}

TEST_CASE("graphs may nest 10,000 deep") {
  Graph g;
  Graph* at = &g;
  for (int i = 0; i < 10'000; ++i) {
    input(*at, "x");
    at = &at->add_subgraph(g.symbols().intern("body"));
  }
  check_sound(g);
  const Graph twin = g.clone();
  check_sound(twin);
  CHECK(twin.bytes() > 10'000 * sizeof(Slot));
}
