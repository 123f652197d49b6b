// The signature stays true whatever happens to the graph.
#include "fxrules/graph.hpp"
#include "tests/support/catch.hpp"

using namespace fxrules;

namespace {

struct Exported {
  Graph g;
  NodeId w = CallBuilder(g).create(Opcode::placeholder, "w", "w");
  NodeId k = CallBuilder(g).create(Opcode::placeholder, "k", "k");
  NodeId x = CallBuilder(g).create(Opcode::placeholder, "x", "x");
  NodeId u = CallBuilder(g).node(k).node(x).create(Opcode::call_function, "torch.ops.aten.add.Tensor", "u");
  NodeId y = CallBuilder(g).node(u).node(w).create(Opcode::call_function, "torch.ops.aten.mul.Tensor", "y");
  NodeId out = CallBuilder(g).open(ArgKind::tuple).node(u).node(y).close().create(Opcode::output, "output", "output");

  Exported() {
    Signature s;
    s.inputs = {{w, InputRole::parameter, g.symbols().intern("lin.w"), true},
                {k, InputRole::buffer, g.symbols().intern("cache.k"), false},
                {x, InputRole::user, {}, true}};
    s.outputs = {{OutputRole::buffer_mutation, k}, {OutputRole::user, {}}};
    g.set_signature(std::move(s));
  }
  [[nodiscard]] std::string problem() const {
    const auto found = verify(g);
    return found.empty() ? "" : found[0].kind + ": " + found[0].message;
  }
};

}  // namespace

TEST_CASE("a signature names inputs by placeholder and outputs by place", "[signature]") {
  Exported e;
  CHECK(e.problem().empty());
  REQUIRE(e.g.signature() != nullptr);
  const Signature& s = *e.g.signature();
  CHECK(s.find(e.w)->role == InputRole::parameter);
  CHECK_FALSE(s.find(e.k)->persistent);
  CHECK(s.find(e.u) == nullptr);
  CHECK(s.mutation_of(e.k) == 0);
  CHECK(s.mutation_of(e.x) == s.outputs.size());
  CHECK(e.g.output_count() == 2);
  CHECK(e.g[e.g.output_value(0)].node() == e.u);
  CHECK_FALSE(e.g.output_value(2).valid());
}

TEST_CASE("it survives renames, replaced outputs and copies", "[signature]") {
  Exported e;
  e.g.rename(e.k, e.g.symbols().intern("other"));
  e.g.replace_uses(e.u, e.x);
  CHECK(e.problem().empty());
  CHECK(e.g.signature()->find(e.k)->role == InputRole::buffer);
  CHECK(e.g[e.g.output_value(0)].node() == e.x);
  const Graph copy = e.g.clone();
  REQUIRE(copy.signature() != nullptr);
  CHECK(copy.signature()->inputs.size() == 3);
  CHECK(verify(copy).empty());
}

TEST_CASE("an erased placeholder takes its entry with it", "[signature]") {
  Exported e;
  e.g.replace_uses(e.w, e.x);
  e.g.erase(e.w);
  CHECK(e.problem().empty());
  CHECK(e.g.signature()->inputs.size() == 2);
}

TEST_CASE("verify sees a signature that the graph does not bear out", "[signature]") {
  Exported missing;
  missing.g.signature()->inputs.pop_back();
  CHECK(missing.problem() == "signature: the inputs of the signature are not the placeholders");
  Exported more;
  more.g.signature()->outputs.push_back({OutputRole::user, {}});
  CHECK(more.problem() == "signature: the signature has 3 outputs and the output node 2");
  Exported lost;
  lost.g.replace_uses(lost.k, lost.x);
  lost.g.erase(lost.k);
  CHECK(lost.problem() == "signature: an output of the signature is the new value of an input that is not there");
}
