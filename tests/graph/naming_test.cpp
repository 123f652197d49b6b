// Names as FX gives them.
#include <string>

#include "fxrules/graph.hpp"
#include "tests/support/catch.hpp"

using namespace fxrules;

namespace {

std::string named(Graph& g, std::string_view base) {
  const SymbolId name = g.unique_name(base);
  CallBuilder(g).create(Opcode::placeholder, g.symbols().intern("p"), name);
  return std::string(g.text(name));
}

}  // namespace

TEST_CASE("the second node of a name gets _1, the third _2") {
  Graph g;
  CHECK(named(g, "add") == "add");
  CHECK(named(g, "add") == "add_1");
  CHECK(named(g, "add") == "add_2");
  CHECK(named(g, "mul") == "mul");
}

TEST_CASE("a number at the end of a base counts on") {
  Graph g;
  CHECK(named(g, "add_3") == "add_3");
  CHECK(named(g, "add_3") == "add_4");
  CHECK(named(g, "add") == "add");
  CHECK(named(g, "add") == "add_5");
}

TEST_CASE("a number with a leading zero, of nine digits or without a stem is part of the name") {
  Graph g;
  CHECK(named(g, "add_01") == "add_01");
  CHECK(named(g, "add_01") == "add_01_1");
  CHECK(named(g, "t_123456789") == "t_123456789");
  CHECK(named(g, "t_123456789") == "t_123456789_1");
  CHECK(named(g, "x2") == "x2");
  CHECK(named(g, "x2") == "x2_1");
}

TEST_CASE("what Python would not take as a name is changed") {
  Graph g;
  CHECK(named(g, "layers.0.weight") == "layers_0_weight");
  CHECK(named(g, "2d") == "_2d");
  CHECK(named(g, "") == "_unnamed");
  CHECK(named(g, "a-b c") == "a_b_c");
}

TEST_CASE("keywords and builtins of Python get a number at once") {
  Graph g;
  CHECK(named(g, "sum") == "sum_1");
  CHECK(named(g, "sum") == "sum_2");
  CHECK(named(g, "def") == "def_1");
  CHECK(named(g, "None") == "None_1");
  CHECK(named(g, "abs") == "abs_1");
}

TEST_CASE("numbers are not used again once given, but free unnumbered names are") {
  Graph g;
  const SymbolId first = g.unique_name("add");
  const NodeId n = CallBuilder(g).create(Opcode::placeholder, g.symbols().intern("p"), first);
  CHECK(named(g, "add") == "add_1");
  g.erase(n);
  CHECK(named(g, "add") == "add");
  CHECK(named(g, "add") == "add_2");
}

TEST_CASE("a node is named after its target") {
  const auto base = [](Opcode opcode, std::string_view target) { return Graph::base_name(opcode, target); };
  CHECK(base(Opcode::call_function, "torch.add") == "add");
  CHECK(base(Opcode::call_function, "torch.nn.functional.relu") == "relu");
  CHECK(base(Opcode::call_function, "torch._C._nn.linear") == "linear");
  CHECK(base(Opcode::call_function, "operator.getitem") == "getitem");
  CHECK(base(Opcode::call_function, "torch.ops.aten.add") == "add");
  CHECK(base(Opcode::call_function, "torch.ops.aten.slice.Tensor") == "slice.tensor");
  CHECK(base(Opcode::call_function, "torch.ops.aten.sum.dim_IntList") == "sum.dim_int_list");
  CHECK(base(Opcode::call_method, "view") == "view");
  CHECK(base(Opcode::call_method, "__add__") == "add");
  CHECK(base(Opcode::call_method, "add_") == "add_");
  CHECK(base(Opcode::call_module, "layers.0.linear1") == "layers.0.linear1");
  CHECK(base(Opcode::get_attr, "model.fooBar") == "model.foo_bar");
  CHECK(base(Opcode::placeholder, "*args") == "args");
  CHECK(base(Opcode::placeholder, "**kwargs") == "kwargs");
}

TEST_CASE("a node without a given name gets a legal one from its target") {
  Graph g;
  const NodeId n = CallBuilder(g).create(Opcode::call_function, "torch.ops.aten.slice.Tensor");
  const NodeId m = CallBuilder(g).create(Opcode::call_function, "torch.ops.aten.slice.Tensor");
  CHECK(g.name(n) == "slice_tensor");
  CHECK(g.name(m) == "slice_tensor_1");
}

TEST_CASE("names taken back are counted again") {
  Graph g;
  CHECK(named(g, "add") == "add");
  g.mark_names();
  CHECK(g.text(g.unique_name("add")) == "add_1");
  CHECK(g.text(g.unique_name("add")) == "add_2");
  g.take_back_names();
  CHECK(named(g, "add") == "add_1");
}

TEST_CASE("rename moves the name and frees the old one") {
  Graph g;
  const NodeId n = CallBuilder(g).create(Opcode::placeholder, "x", "x");
  g.rename(n, g.symbols().intern("y"));
  CHECK(g.name(n) == "y");
  CHECK(g.find("y") == n);
  CHECK_FALSE(g.find("x").valid());
  CHECK(verify(g).empty());
}

TEST_CASE("100,000 nodes of one name are named in linear time") {
  Graph g;
  for (int i = 0; i < 100'000; ++i) CallBuilder(g).create(Opcode::call_function, "torch.add");
  CHECK(g.name(g.last()) == "add_99999");
}
