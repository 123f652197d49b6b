// Rewriting to a fixpoint, against the floor, side by side in one run. Graphs are built afresh for each
// repetition and building is not counted; neither is loading the rules (bench_load does that).
#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bench/floor.hpp"
#include "bench/instance.hpp"
#include "bench/measure.hpp"

namespace fxrules::bench {
namespace {

struct Options {
  std::vector<std::uint32_t> nodes{10'000, 1'000'000};
  std::vector<std::uint32_t> rules{10, 1'000};
  unsigned repetitions = 5;
  std::string filter;
  bool record = true;
};

struct Case {
  const Workload* workload;
  Dialect dialect;
  std::uint32_t nodes, rules;
  [[nodiscard]] std::string name() const {
    std::string text = fmt::format("{}{}/{}", workload->name, dialect == Dialect::torch ? "/torch" : "", nodes);
    return workload->many_rules ? fmt::format("{}/{}", text, rules) : text;
  }
};

struct Samples {
  std::vector<double> apply, floor, lean;
  std::size_t rewrites = 0, visits = 0;
  Structure structure;
  double bytes = 0;  // a node, when the rules are through
};

bool is_w2down(const Workload& w) { return w.name == "w2down"; }

// Small graphs are soon done; the first rounds of a process are not typical.
unsigned repetitions_of(const Case& c, const Options& options) {
  constexpr std::uint32_t kNodesInAll = 300'000;
  return std::max<unsigned>(options.repetitions, kNodesInAll / c.nodes);
}

Samples measure(const Case& c, const Plan& plan, const RuleSet& rules, const Options& options) {
  Samples samples;
  const LeanStore lean(plan);
  ApplyOptions apply_options;
  apply_options.record = options.record;
  apply_options.restore_on_failure = false;
  const unsigned repetitions = repetitions_of(c, options);
  for (unsigned i = 0; i <= repetitions; ++i) {
    Graph graph = build(plan, c.dialect, is_w2down(*c.workload));
    keep(lean.walk());  // once untimed: the floor is what caches allow, not what building left in them
    const double lean_time = timed([&] { keep(lean.walk()); });
    keep(walk(graph));
    const double floor_time = timed([&] { keep(walk(graph)); });
    Report report;
    const double apply_time = timed([&] { report = apply(rules, graph, apply_options); });
    if (i == 0) continue;  // warms caches and the allocator
    samples.lean.push_back(lean_time);
    samples.floor.push_back(floor_time);
    samples.apply.push_back(apply_time);
    samples.rewrites = report.rewrites;
    samples.visits = report.visits;
    samples.bytes = static_cast<double>(graph.bytes()) / plan.size();
    if (i == repetitions) samples.structure = structure_of(graph);
  }
  return samples;
}

std::string verdict(const Case& c, const Samples& s) {
  const Expected* e = expected(c.workload->name, c.nodes);
  if (e == nullptr) return "-";
  const bool equal = e->rewrites == s.rewrites && e->final_nodes == s.structure.nodes && e->hash == s.structure.hash;
  return equal ? "equal"
               : fmt::format("NOT EQUAL ({} rewrites, {} nodes, hash {:016x})", s.rewrites, s.structure.nodes,
                             s.structure.hash);
}

void print_header() {
  fmt::print("{:<20} {:>8} {:>9} {:>8} {:>8} {:>8} {:>10} {:>10} {:>7}  {}\n", "workload/nodes/rules", "ns/node",
             "ns/rewr.", "floor", "lean", "x floor", "x lean", "rewrites", "B/node", "work");
}

bool print_row(const Case& c, const Plan& plan, const Samples& s) {
  const double apply = median(s.apply), floor = median(s.floor), lean = median(s.lean);
  const double ns = 1e9 / plan.size();
  const std::string work = verdict(c, s);
  fmt::print("{:<20} {:>8.1f} {:>9.1f} {:>8.2f} {:>8.2f} {:>8.1f} {:>10.1f} {:>10} {:>7.0f}  {}\n", c.name(),
             apply * ns, apply * 1e9 / static_cast<double>(std::max<std::size_t>(s.rewrites, 1)), floor * ns, lean * ns,
             apply / floor, apply / lean, s.rewrites, s.bytes, work);
  std::fflush(stdout);
  return !work.starts_with("NOT");
}

std::vector<Case> cases(const Options& options) {
  std::vector<Case> out;
  for (const std::uint32_t nodes : options.nodes) {
    for (const Workload& w : workloads()) {
      const std::vector<std::uint32_t> one{0};
      for (const std::uint32_t rules : w.many_rules ? options.rules : one) {
        out.push_back({&w, Dialect::aten, nodes, rules});
        if (w.name == "w1") out.push_back({&w, Dialect::torch, nodes, rules});
      }
    }
  }
  std::erase_if(out, [&](const Case& c) { return c.name().find(options.filter) == std::string::npos; });
  return out;
}

int run(const Options& options) {
  fmt::print("{}\n", environment());
  fmt::print(
      "Rewriting to a fixpoint: medians of {} or more, processor time of the thread. floor: ns a node to read our "
      "nodes\n"
      "and arguments once in list order; lean: the same over 24-byte nodes and 16-byte arguments.\n\n",
      options.repetitions);
  print_header();
  const std::shared_ptr<Catalogue> catalogue = catalogue_with_ops();
  bool equal = true;
  for (const Case& c : cases(options)) {
    const Plan plan = c.workload->plan(c.nodes);
    const RuleSet rules = load(c.workload->rules(c.rules), catalogue);
    equal &= print_row(c, plan, measure(c, plan, rules, options));
  }
  fmt::print("\n");
  return equal ? 0 : 1;
}

}  // namespace
}  // namespace fxrules::bench

int main(int argc, char** argv) {
  fxrules::bench::Options options;
  CLI::App app("Measures rewriting to a fixpoint");
  app.add_option("--nodes", options.nodes, "sizes of the graphs")->delimiter(',');
  app.add_option("--rules", options.rules, "numbers of rules, for w3a and w3b")->delimiter(',');
  app.add_option("--repetitions", options.repetitions, "medians are of so many, or more for small graphs")
      ->check(CLI::Range(1, 1000));
  app.add_option("--filter,--benchmark_filter", options.filter, "only cases whose name contains this");
  app.add_flag("!--no-record", options.record, "keep no record of the applications");
  app.allow_extras();  // `./dev bench` hands the same arguments to every benchmark
  CLI11_PARSE(app, argc, argv);
  return fxrules::bench::run(options);
}
