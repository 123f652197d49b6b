// Loading rules: from text to compiled matchers, by the number of rules. What a run pays before it sees a
// graph, so the catalogue is measured as well.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "bench/instance.hpp"
#include "bench/measure.hpp"
#include "fxrules/apply.hpp"

namespace fxrules::bench {
namespace {

void load_catalogue(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(Catalogue::load(data_directory()));
}

// The catalogue stays; schemas that rules ask for are parsed once, in the first round.
void load_rules_of(benchmark::State& state, const Workload& workload) {
  const std::shared_ptr<Catalogue> catalogue = catalogue_with_ops();
  const std::string text = workload.rules(static_cast<std::uint32_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(load(text, catalogue));
  state.SetComplexityN(state.range(0));
}

void add_benchmarks() {
  benchmark::RegisterBenchmark("load_catalogue", load_catalogue)->Unit(benchmark::kMillisecond);
  for (const Workload& w : workloads()) {
    if (!w.many_rules) continue;
    benchmark::RegisterBenchmark(fmt::format("load_rules/{}", w.name).c_str(),
                                 [&w](benchmark::State& state) { load_rules_of(state, w); })
        ->RangeMultiplier(10)
        ->Range(10, 1'000)
        ->Repetitions(5)
        ->ReportAggregatesOnly()
        ->MinTime(0.05)
        ->Complexity()
        ->Unit(benchmark::kMillisecond);
  }
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
