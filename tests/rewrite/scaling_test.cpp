// Work is counted, not timed: visits stay linear on long chains and around hubs.
#include <fmt/format.h>

#include "support.hpp"
#include "tests/support/catch.hpp"

using namespace fxrules;
using namespace fxrules::testing;

namespace {

constexpr std::uint32_t kMany = 100'000;

// x -> op -> op -> … -> output
Graph chain(std::uint32_t links, std::initializer_list<const char*> ops) {
  Graph g;
  NodeId n = CallBuilder(g).create(Opcode::placeholder, "x", "x");
  for (std::uint32_t i = 0; i < links; ++i)
    n = CallBuilder(g).node(n).create(Opcode::call_function, ops.begin()[i % ops.size()]);
  CallBuilder(g).node(n).create(Opcode::output, "output", "output");
  return g;
}

// One value and `users` calls of it, each of which is an output.
Graph hub(std::uint32_t users, const char* op) {
  Graph g;
  const NodeId x = CallBuilder(g).create(Opcode::placeholder, "x", "x");
  const NodeId h = CallBuilder(g).node(x).create(Opcode::call_function, "torch.exp");
  std::vector<NodeId> made;
  for (std::uint32_t i = 0; i < users; ++i) made.push_back(CallBuilder(g).node(h).create(Opcode::call_function, op));
  CallBuilder b(g);
  b.open(ArgKind::list);
  for (const NodeId n : made) b.node(n);
  b.close();
  b.create(Opcode::output, "output", "output");
  return g;
}

Report run(const std::string& rules, Graph& graph) {
  const RuleSet loaded = rules_of(rules);
  ApplyOptions options;
  options.record = false;
  options.restore_on_failure = false;
  Report report = apply(loaded, graph, options);
  CHECK(report.stop == StopReason::converged);
  CHECK(verify(graph).empty());
  return report;
}

}  // namespace

TEST_CASE("a chain of 100,000 links collapses in linear work") {
  Graph g = chain(kMany, {"torch.neg"});
  const Report report = run("neg(neg(x)) => x\n", g);
  // The last pair would make the input an output.
  CHECK(report.rewrites >= kMany / 2 - 1);
  CHECK(report.visits <= 4 * kMany);
}

TEST_CASE("a chain of 100,000 links is rewritten link by link in linear work") {
  Graph g = chain(kMany, {"torch.neg", "torch.exp"});
  const Report report = run("neg(x) => abs(x)\nexp(abs(x)) => relu(x)\n", g);
  CHECK(report.rewrites == kMany);
  CHECK(report.visits <= 8 * kMany);
  CHECK(g.size() == kMany / 2 + 2);
}

TEST_CASE("in a reverse phase too") {
  Graph g = chain(kMany, {"torch.neg"});
  const Report report = run("phase back reverse\nneg(neg(x)) => x\n", g);
  CHECK(report.rewrites >= kMany / 2 - 1);
  CHECK(report.visits <= 4 * kMany);
}

TEST_CASE("kinds along a chain of 100,000 calls without metadata need neither time nor stack") {
  Graph g = chain(kMany, {"torch.ops.aten.add", "torch.sum"});
  for (const NodeId n : std::vector<NodeId>(g.nodes().begin(), g.nodes().end())) {
    if (g.target(n) != "torch.ops.aten.add") continue;
    const NodeId x = g[g.argument(n, 0)].node();
    CallBuilder(g).node(x).node(x).reassign(n, Opcode::call_function, g.form(n).target);
  }
  const Report report = run("add(_: Tensor, _: int) => note \"int\"\nsum(_: int) => note \"int\"\n", g);
  CHECK(report.visits <= 2 * g.size());
  CHECK(report.notes.empty());
}

TEST_CASE("rewriting 100,000 users of one value does not walk the others") {
  Graph g = hub(kMany, "torch.neg");
  const Report report = run("neg(x) => abs(x)\n", g);
  CHECK(report.rewrites == kMany);
  CHECK(report.visits <= 4 * kMany);
}

TEST_CASE("nor does taking 100,000 detours to one value out") {
  Graph g = hub(kMany, "torch.neg");
  for (const NodeId n : std::vector<NodeId>(g.nodes().begin(), g.nodes().end())) {
    if (g.target(n) != "torch.neg") continue;
    const NodeId again = CallBuilder(g).node(n).create(Opcode::call_function, "torch.neg", {}, g.next(n));
    const NodeId user = CallBuilder(g).node(again).create(Opcode::call_function, "torch.abs", {}, g.next(again));
    for (SlotId s = g.first_use(n); s.valid(); s = g.next_use(s)) {
      if (g.owner(s) != g.output()) continue;
      g.rebind(s, user);
      break;
    }
  }
  const Report report = run("neg(neg(x)) => x\n", g);
  CHECK(report.rewrites == kMany);
  CHECK(report.visits <= 8 * kMany);
  CHECK(g.size() == kMany + 3);
}

TEST_CASE("a guard that counts the uses of a hub is asked a few times a user, not once a user a rewrite") {
  Graph g = hub(kMany, "torch.neg");
  const Report report =
      run(fmt::format("neg(x) => abs(x) if uses(x) == 1\nphase two\nneg(x) => relu(x) if uses(x) == {}\n", kMany), g);
  CHECK(report.rewrites == kMany);  // the count stays: each new node reads the hub in place of an old one
  CHECK(report.visits <= 8 * kMany);
}

TEST_CASE("waiting for a hub's uses to go is linear in its users") {
  // Half of the users change one by one; the others wait for a count that is never reached.
  const auto visits = [](std::uint32_t users) {
    Graph g = hub(users, "torch.neg");
    std::uint32_t i = 0;
    for (const NodeId n : std::vector<NodeId>(g.nodes().begin(), g.nodes().end())) {
      if (g.target(n) == "torch.neg" && i++ % 2 == 0)
        CallBuilder(g)
            .node(g.find("exp"))
            .integer(0)
            .reassign(n, Opcode::call_function, g.symbols().intern("torch.add"));
    }
    const Report report = run("add(x, 0) => full_like(x, 1) if uses(x) > 0\nneg(x) => abs(x) if uses(x) == 3\n", g);
    CHECK(report.rewrites == users / 2);
    return report.visits;
  };
  const std::size_t few = visits(10'000), many = visits(40'000);
  CHECK(many <= 4.4 * static_cast<double>(few));
}

TEST_CASE("rules that cannot match cost nothing") {
  std::string rules;
  for (int i = 0; i < 500; ++i) rules += fmt::format("mul(x, {}) => add(x, {})\n", i + 10, i);
  Graph g = chain(10'000, {"torch.neg", "torch.exp"});
  const Report report = run(rules, g);
  CHECK(report.visits == g.size());
}

TEST_CASE("roots that share a value with 100,000 users are found without looking at all of them for each") {
  Graph none = hub(kMany, "torch.relu");
  const Report nothing = run("{ a = relu(x), b = neg(x) } => { a = abs(x), b = abs(x) }\n", none);
  CHECK(nothing.rewrites == 0);
  CHECK(nothing.visits <= 4 * kMany);

  Graph pairs = hub(kMany, "torch.relu");
  std::uint32_t i = 0;
  for (const NodeId n : std::vector<NodeId>(pairs.nodes().begin(), pairs.nodes().end())) {
    if (pairs.target(n) != "torch.relu" || i++ % 2 != 0) continue;
    CallBuilder(pairs).node(pairs.find("exp")).reassign(n, Opcode::call_function, pairs.symbols().intern("torch.neg"));
  }
  const Report all = run("{ a = relu(x), b = neg(x) } => { a = abs(x), b = sin(x) }\n", pairs);
  CHECK(all.rewrites == kMany / 2);
  CHECK(all.visits <= 8 * kMany);
}

TEST_CASE("helper patterns pass a chain of 100,000 links, and fail along it, in linear work") {
  const std::string patterns =
      "pattern through(p) = p\npattern through(p) = exp(through(p))\n"
      "pattern maybe(p) = exp(p)\npattern maybe(p) = p\n";
  Graph found = chain(kMany, {"torch.exp"});
  const std::string from_the_end = patterns + "phase p reverse\nexp(through(x)) => torch.sigmoid(x) if is_input(x)\n";
  CHECK(run(from_the_end, found).rewrites == 1);
  CHECK(found.size() == 3);
  // Whatever the number of patterns in a row, and from every root of the chain.
  Graph lost = chain(kMany, {"torch.exp"});
  CHECK(run(patterns + "exp(through(through(neg(x)))) => x\n", lost).rewrites == 0);
  Graph shorter = chain(1000, {"torch.exp"});
  std::string deep = "abs(x)";
  for (int i = 0; i < 30; ++i) deep = "maybe(" + deep + ")";
  CHECK(run(patterns + "exp(" + deep + ") => x\n", shorter).rewrites == 0);
}

TEST_CASE("a helper pattern that matches in too many ways is given up, and the run ends") {
  std::string deep = "x";
  for (int i = 0; i < 30; ++i) deep = "maybe(" + deep + ")";
  Graph g = chain(60, {"torch.exp"});
  const Report report =
      run("pattern maybe(p) = exp(p)\npattern maybe(p) = p\nexp(" + deep + ") => x if uses(x) == 7\n", g);
  std::size_t given_up = 0;
  for (const Diagnostic& d : report.diagnostics) given_up += d.kind == "pattern-limit";
  CHECK(given_up == 3);
}
