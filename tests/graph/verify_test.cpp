// Every invariant, broken on purpose.
#include <algorithm>

#include "fxrules/graph.hpp"
#include "tests/support/catch.hpp"

namespace fxrules {

struct GraphTamperer {
  Graph& graph;
  auto& node(NodeId n) { return graph.nodes_[n.value]; }
  Slot& slot(SlotId s) { return graph.slots_[s.value]; }
  void forget_tail() { graph.tail_ = graph.prev(graph.tail_); }
  void miscount() { ++graph.live_; }
  void bind(std::string_view name, NodeId n) { graph.bind_name(graph.symbols().intern(name), n.value); }
};

}  // namespace fxrules

using namespace fxrules;

namespace {

struct Broken {
  Graph g;
  NodeId x = CallBuilder(g).create(Opcode::placeholder, "x", "x");
  NodeId w = CallBuilder(g).create(Opcode::get_attr, "w", "w");
  NodeId a = CallBuilder(g).node(x).node(w).create(Opcode::call_function, "torch.a");
  NodeId m = CallBuilder(g).node(a).open(ArgKind::list).node(x).integer(1).close().create(Opcode::call_method, "m");
  NodeId out = CallBuilder(g).node(m).create(Opcode::output, "output", "output");
  GraphTamperer door{g};

  std::vector<std::string> kinds() const {
    std::vector<std::string> out;
    for (const Diagnostic& d : verify(g)) out.push_back(d.kind);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }
  [[nodiscard]] bool says(const std::string& kind, const std::string& message) const {
    const auto found = verify(g);
    INFO(render(found));
    return std::any_of(found.begin(), found.end(),
                       [&](const Diagnostic& d) { return d.kind == kind && d.message == message; });
  }
};

}  // namespace

TEST_CASE("nothing is wrong with a sound graph") { CHECK(Broken().kinds().empty()); }

TEST_CASE("the node list") {
  SECTION("a link back that is wrong") {
    Broken b;
    b.door.node(b.a).prev = b.x.value;
    CHECK(b.says("node-list", "`a` does not follow the node before it"));
  }
  SECTION("a last node that is not the last") {
    Broken b;
    b.door.forget_tail();
    CHECK(b.says("node-list", "the node list and the node count disagree"));
  }
  SECTION("a count that is wrong") {
    Broken b;
    b.door.miscount();
    CHECK(b.says("node-list", "the node list and the node count disagree"));
  }
  SECTION("a list that runs in a circle ends") {
    Broken b;
    b.door.node(b.out).next = b.x.value;
    CHECK_FALSE(b.kinds().empty());
  }
}

TEST_CASE("order labels that do not increase") {
  Broken b;
  b.door.node(b.a).order = b.door.node(b.w).order;
  CHECK(b.says("order-label", "the order label of `a` is not behind that of `w`"));
}

TEST_CASE("names") {
  SECTION("two nodes of one name") {
    Broken b;
    b.door.node(b.a).name = b.door.node(b.x).name;
    CHECK(b.says("duplicate-name", "two nodes are called `x`"));
  }
  SECTION("a name that finds another node") {
    Broken b;
    b.door.bind("a", b.x);
    CHECK(b.kinds() == std::vector<std::string>{"duplicate-name"});
  }
  SECTION("a name that is no identifier") {
    Broken b;
    for (const std::string_view name : {"a.b", "a-", "", "a b"}) {
      b.g.rename(b.a, b.g.symbols().intern(name));
      CHECK(b.says("illegal-name", "`" + std::string(name) + "` is no name for a node"));
    }
  }
}

TEST_CASE("uses") {
  SECTION("a use that the value does not know") {
    Broken b;
    b.door.node(b.w).first_use = SlotId::kNone;
    CHECK(b.kinds() == std::vector<std::string>{"use-count", "use-list"});
    CHECK(b.says("use-list", "5 node arguments, but 4 linked uses"));
  }
  SECTION("a use list that leads to another value's uses") {
    Broken b;
    b.door.node(b.w).first_use = b.g.first_use(b.a).value;
    CHECK(b.says("use-list", "the use list of `w` is broken"));
  }
  SECTION("a link back that is wrong") {
    Broken b;
    b.door.slot(b.g.first_use(b.x)).c = 0;
    CHECK(b.says("use-list", "the use list of `x` is broken"));
  }
  SECTION("a count that is wrong") {
    Broken b;
    b.door.node(b.x).use_count = 7;
    CHECK(b.says("use-count", "`x` has 2 uses and says that it has 7"));
  }
  SECTION("an erased value") {
    Broken b;
    b.door.node(b.w).first_use = SlotId::kNone;
    b.g.erase(b.w);
    CHECK(b.says("dangling-use", "`a` uses a node that was erased"));
  }
  SECTION("a value that is defined later") {
    Broken b;
    b.g.move_before(b.a, b.w);
    CHECK(b.says("use-before-definition", "`a` uses `w`, which is defined later"));
  }
}

TEST_CASE("arguments") {
  SECTION("an owner that is wrong") {
    Broken b;
    b.door.slot(b.g.argument(b.a, 1)).owner = b.m.value;
    CHECK(b.says("slot-owner", "an argument of `a` says that it belongs to another node"));
  }
  SECTION("a container that reaches outside its node") {
    Broken b;
    b.door.slot(b.g.argument(b.m, 1)).a = b.g.slots_begin(b.a);
    CHECK(b.says("container", "a list of `m` reaches outside its node"));
    b.door.slot(b.g.argument(b.m, 1)).a = b.g.slots_end(b.m) - 1;
    CHECK(b.says("container", "a list of `m` reaches outside its node"));
  }
  SECTION("a slice with two parts, a dict with a key too many") {
    Broken b;
    b.door.slot(b.g.argument(b.m, 1)).kind = ArgKind::slice;
    CHECK(b.says("container", "a slice of `m` has 2 parts"));
    b.door.slot(b.g.argument(b.m, 1)).kind = ArgKind::dict;
    CHECK(b.kinds().empty());
    b.door.slot(b.g.argument(b.m, 1)).b = 1;
    CHECK(b.says("container", "a dict of `m` has 1 parts"));
  }
}

TEST_CASE("what FX asks of each kind of node") {
  SECTION("the output stands last") {
    Broken b;
    CallBuilder(b.g).create(Opcode::placeholder, "late", "late");
    CHECK(b.says("output", "the output node `output` is not the last one"));
  }
  SECTION("and has one value") {
    Broken b;
    CallBuilder(b.g).node(b.x).node(b.x).reassign(b.out, Opcode::output, b.g.form(b.out).target);
    CHECK(b.says("output", "the output node `output` has 2 values"));
  }
  SECTION("inputs and attributes take no node") {
    Broken b;
    CallBuilder(b.g).node(b.x).reassign(b.w, Opcode::get_attr, b.g.form(b.w).target);
    CHECK(b.says("operand", "`w` is a get_attr and takes no node"));
  }
  SECTION("a method call has its self in front") {
    Broken b;
    CallBuilder(b.g).keyword("self").node(b.a).reassign(b.m, Opcode::call_method, b.g.form(b.m).target);
    CHECK(b.says("missing-self",
                 "`m` calls the method `m` without its self as first positional argument; `self` is given by keyword"));
    CallBuilder(b.g).reassign(b.m, Opcode::call_method, b.g.form(b.m).target);
    CHECK(b.says("missing-self", "`m` calls the method `m` without its self as first positional argument"));
  }
  SECTION("a call has a target") {
    Broken b;
    CallBuilder(b.g).node(b.x).reassign(b.a, Opcode::call_function, b.g.symbols().intern(""));
    CHECK(b.says("target", "`a` has no target"));
  }
}

TEST_CASE("nested graphs are checked too") {
  Broken b;
  Graph& body = b.g.add_subgraph(b.g.symbols().intern("body"));
  const NodeId z = CallBuilder(body).create(Opcode::placeholder, "z", "z");
  CHECK(b.kinds().empty());
  GraphTamperer{body}.node(z).use_count = 1;
  CHECK(b.says("use-count", "`z` has 0 uses and says that it has 1"));
  GraphTamperer{body}.node(z).use_count = 0;
  b.g.add_subgraph(b.g.symbols().intern("body"));
  CHECK(b.says("nested-graph", "two nested graphs are called `body`"));
}

TEST_CASE("no more than 100 problems are listed") {
  Graph g;
  for (int i = 0; i < 200; ++i) CallBuilder(g).create(Opcode::call_method, "m");
  CHECK(verify(g).size() == 100);
}
