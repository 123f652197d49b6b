// Writes that become values: time by the number of nodes, which must be linear. What a write costs must depend
// neither on how often its buffer was written nor on how many views it has.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "bench/instance.hpp"
#include "bench/measure.hpp"
#include "fxrules/apply.hpp"

namespace fxrules::bench {
namespace {

constexpr const char* kRules =
    "add_(d, s) => add(d, s)   as \"{origin(d)}_modified\"\n"
    "mul_(d, s) => mul(d, s)   as \"{origin(d)}_modified\"\n";

NodeId input(Graph& graph, std::string_view type) {
  const NodeId x = CallBuilder(graph).create(Opcode::placeholder, "x", "x");
  graph.set_meta(x, *graph.metas().parse(type));
  return x;
}

NodeId method(Graph& graph, std::string_view name, NodeId self, std::initializer_list<std::int64_t> numbers) {
  CallBuilder builder(graph);
  builder.node(self);
  for (const std::int64_t n : numbers) builder.integer(n);
  return builder.create(Opcode::call_method, name);
}

Graph returning(Graph graph, NodeId value) {
  CallBuilder(graph).node(value).create(Opcode::output, "output", "output");
  return graph;
}

// A write through one view, a read of another, in turn: each read makes the base and the view that it reads.
Graph views_of_one_base(std::int64_t views) {
  Graph graph;
  const NodeId x = input(graph, fmt::format("f32[{},4][4, 1]cpu", views));
  std::vector<NodeId> rows;
  for (std::int64_t i = 0; i < views; ++i) rows.push_back(method(graph, "select", x, {0, i}));
  NodeId last = x;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    method(graph, "add_", rows[i], {1});
    last = method(graph, "neg", rows[rows.size() - 1 - i], {});
  }
  return returning(std::move(graph), last);
}

Graph writes_to_one_buffer(std::int64_t writes) {
  Graph graph;
  const NodeId x = input(graph, "f32[4][1]cpu");
  NodeId last = x;
  for (std::int64_t i = 0; i < writes; ++i) {
    method(graph, "add_", x, {1});
    last = method(graph, "neg", x, {});
  }
  return returning(std::move(graph), last);
}

// No rule takes `sub_`; each is called on what the one before returned.
Graph writes_that_stay(std::int64_t writes) {
  Graph graph;
  const NodeId x = input(graph, "f32[4][1]cpu");
  NodeId last = method(graph, "add_", x, {1});
  for (std::int64_t i = 0; i < writes; ++i) last = method(graph, i % 8 == 7 ? "mul_" : "sub_", last, {2});
  return returning(std::move(graph), last);
}

// A view of a view of a view, written now and then on the way down.
Graph views_of_views(std::int64_t views) {
  Graph graph;
  NodeId last = method(graph, "neg", input(graph, "f32[4,4][4, 1]cpu"), {});
  for (std::int64_t i = 0; i < views; ++i) {
    last = method(graph, "transpose", last, {0, 1});
    if (i % 64 == 63) method(graph, "add_", last, {1});
  }
  return returning(std::move(graph), last);
}

void rewrite(benchmark::State& state, Graph (*make)(std::int64_t)) {
  const RuleSet rules = load(kRules, Catalogue::load(data_directory()));
  ApplyOptions options;
  options.record = options.restore_on_failure = false;
  std::size_t nodes = 0;
  for (auto _ : state) {
    state.PauseTiming();
    Graph graph = make(state.range(0));
    nodes = graph.size();
    state.ResumeTiming();
    const Report report = apply(rules, graph, options);
    if (!report.ok()) state.SkipWithError("the rules refused the graph");
  }
  state.SetComplexityN(static_cast<std::int64_t>(nodes));
  state.counters["ns/node"] = benchmark::Counter(
      static_cast<double>(nodes) * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void add_benchmarks() {
  const auto add = [](const char* name, Graph (*make)(std::int64_t), std::int64_t from) {
    benchmark::RegisterBenchmark(name, [make](benchmark::State& state) { rewrite(state, make); })
        ->RangeMultiplier(2)
        ->Range(from, 8 * from)
        ->Complexity()
        ->Unit(benchmark::kMillisecond);
  };
  add("views_of_one_base", views_of_one_base, 1'250);
  add("writes_to_one_buffer", writes_to_one_buffer, 12'500);
  add("writes_that_stay", writes_that_stay, 12'500);
  add("views_of_views", views_of_views, 12'500);
}

}  // namespace
}  // namespace fxrules::bench

int main(int argc, char** argv) {
  fxrules::bench::add_benchmarks();
  benchmark::Initialize(&argc, argv);
  fmt::print("{}\n", fxrules::bench::environment());
  std::fflush(stdout);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
