// Functions of the program that loads the rules, and metadata that is read when a rule asks for it.
#include "fxrules/functions.hpp"

#include <string>
#include <vector>

#include "support.hpp"
#include "tests/support/catch.hpp"

using namespace fxrules;
using namespace fxrules::testing;

namespace {

LoadResult load_with(const std::string& text, std::shared_ptr<const Functions> functions) {
  LoadOptions options;
  options.catalogue = catalogue();
  options.prelude = false;
  options.functions = std::move(functions);
  return load_rules({{"my.rules", std::make_shared<Source>(Source{"my.rules", text})}}, options);
}

// Metadata that counts how often it is read.
class Counting : public MetaSource {
 public:
  explicit Counting(Graph& graph) : graph_(graph) {}
  MetaId read(NodeId) override {
    ++reads;
    return *graph_.metas().parse("f32[4]");
  }
  std::size_t reads = 0;

 private:
  Graph& graph_;
};

}  // namespace

TEST_CASE("a function is called with values and gives one") {
  std::vector<UserValue::Kind> seen;
  auto functions = std::make_shared<Functions>();
  functions->add({"twice", 1, 1, [](std::span<const UserValue> a) { return UserValue::of(2 * a[0].integer); }});
  functions->add({"look", 0, 255, [&](std::span<const UserValue> a) {
                    for (const UserValue& v : a) seen.push_back(v.kind);
                    return UserValue::of(true);
                  }});
  const LoadResult loaded = load_with(
      "sum(x, d: int, ..) => sum(x, twice(d)) if look(x, d, 1.5, \"a\", None, [1], torch.float32, shape(x)) and d == "
      "1\n",
      functions);
  REQUIRE(loaded.rules.valid());
  const Applied run = applied(loaded.rules, graph_of("x = placeholder\nn = torch.sum(x, 1)\nreturn (n,)"));
  CHECK(run.text.find("torch.sum(x, 2)") != std::string::npos);
  using Kind = UserValue::Kind;
  seen.resize(8);  // the new call is looked at too
  CHECK(seen == std::vector<Kind>{Kind::node, Kind::integer, Kind::floating, Kind::string, Kind::none, Kind::list,
                                  Kind::dtype, Kind::unknown});
}

TEST_CASE("what a function does not know is no yes, and its arguments are counted when the rules load") {
  auto functions = std::make_shared<Functions>();
  functions->add({"silent", 1, 1, [](std::span<const UserValue>) { return UserValue(); }});
  const LoadResult loaded = load_with("neg(x) => x if silent(x)\n", functions);
  REQUIRE(loaded.rules.valid());
  const Applied run =
      applied(loaded.rules, graph_of("x = placeholder\nn = torch.neg(x)\nm = torch.exp(n)\nreturn (m,)"));
  CHECK(run.report.rewrites == 0);
  CHECK(run.report.rules[0].guard_unknown == 1);
  CHECK(has_errors(load_with("neg(x) => x if silent(x, x)\n", functions).diagnostics));
  CHECK(has_errors(load_with("neg(x) => x if silent(x)\n", nullptr).diagnostics));
}

TEST_CASE("metadata is read for the nodes that a rule asks about") {
  Graph graph = graph_of("x = placeholder\na = torch.neg(x)\nb = torch.exp(a)\nc = torch.abs(b)\nreturn (c,)");
  Counting source(graph);
  graph.set_meta_source(&source);
  for (const NodeId n : graph.nodes()) graph.set_meta_later(n);
  CHECK(graph.has_meta(graph.find("a")));
  CHECK(apply(rules_of("relu(x) => x if rank(x) == 2\n"), graph).rewrites == 0);
  CHECK(source.reads == 0);
  CHECK(apply(rules_of("exp(x) => x if rank(x) == 2\n"), graph).rewrites == 0);
  CHECK(source.reads == 1);
  CHECK(!graph.meta_waits(graph.find("a")));
  CHECK(graph.meta_waits(graph.find("b")));
}
