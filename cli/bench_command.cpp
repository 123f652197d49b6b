// fxrules bench: rules on copies of one graph, measured.
#include <algorithm>
#include <chrono>
#include <ostream>

#include <fmt/format.h>

#include "cli/bench.hpp"
#include "cli/files.hpp"
#include "cli/graph_choice.hpp"
#include "cli/graph_file.hpp"
#include "cli/inputs.hpp"
#include "cli/progress.hpp"
#include "cli/rule_files.hpp"
#include "cli/run.hpp"
#include "cli/workloads.hpp"
#include "fxrules/apply.hpp"

namespace fxrules::cli {
namespace {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::string title_of(const std::vector<std::string>& rules) {
  std::string title;
  for (const std::string& name : rules) title += (title.empty() ? "" : " ") + name;
  return title;
}

ApplyOptions quiet() {
  ApplyOptions options;
  options.record = false;
  options.restore_on_failure = false;
  return options;
}

// What was seen of one set of rules over the runs.
class Measured {
 public:
  Measured(std::string title, const RuleSet& rules, const Graph& graph)
      : title_(std::move(title)), rules_(&rules), graph_(&graph) {}

  // One run with nothing but a clock around it, and one that looks inside.
  void run() {
    using Clock = std::chrono::steady_clock;
    {
      Graph copy = graph_->clone();
      const Clock::time_point start = Clock::now();
      (void)apply(*rules_, copy, quiet());
      totals_.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    }
    Graph copy = graph_->clone();
    ApplyOptions options = quiet();
    options.profile = true;
    reports_.push_back(apply(*rules_, copy, options));
  }

  [[nodiscard]] SetBench result() const {
    Graph copy = graph_->clone();
    ApplyOptions options = quiet();
    options.near_misses = true;
    const Report last = apply(*rules_, copy, options);
    SetBench out;
    out.title = title_;
    out.stop = to_string(last.stop);
    out.nodes_after = last.nodes_after;
    out.visits = last.visits;
    out.rewrites = last.rewrites;
    out.total = median(totals_);
    out.matching = of([](const Report& r) { return r.match_seconds; });
    out.settling = of([](const Report& r) { return r.settle_seconds; });
    for (std::size_t i = 0; i < last.rules.size(); ++i) add_rule(last.rules[i], i, out);
    out.rest = std::max(0.0, of([](const Report& r) { return r.total_seconds; }) - out.measured());
    std::stable_sort(out.rules.begin(), out.rules.end(),
                     [](const RuleBench& a, const RuleBench& b) { return a.seconds() > b.seconds(); });
    return out;
  }

 private:
  template <class Value>
  [[nodiscard]] double of(Value value) const {
    std::vector<double> values;
    for (const Report& report : reports_) values.push_back(value(report));
    return median(std::move(values));
  }

  void add_rule(const RuleReport& rule, std::size_t i, SetBench& out) const {
    if (rule.matched == 0 && rule.near_misses() == 0) return;
    RuleBench& bench = out.rules.emplace_back();
    bench.name = rule.name;
    bench.phase = rule.phase;
    if (rule.span.source != nullptr) {
      bench.file = rule.span.source->name;
      bench.line = line_column(rule.span.source->text, rule.span.begin).line;
    }
    bench.matched = rule.matched;
    bench.rewrites = rule.rewrites;
    bench.near_misses = rule.near_misses();
    bench.guards = of([&](const Report& r) { return r.rules[i].guard_seconds; });
    bench.rewriting = of([&](const Report& r) { return r.rules[i].rewrite_seconds; });
    out.matched += bench.matched;
    out.guards += bench.guards;
    out.rewriting += bench.rewriting;
  }

  std::string title_;
  const RuleSet* rules_;
  const Graph* graph_;
  std::vector<double> totals_;
  std::vector<Report> reports_;
};

Graph graph_of(const Options& options, const std::shared_ptr<Catalogue>& catalogue, Console& console) {
  if (!options.workload.empty()) return generate(options.workload);
  return read_graph_file(read_graph_source(options.graph, console), catalogue, console).graph;
}

void write_chart(const Bench& bench, const std::string& path) {
  OutputFile out(path);
  out.write(bench_chart(bench));
  out.commit();
}

}  // namespace

int bench_command(const Options& options, Console& console) {
  const std::shared_ptr<Catalogue> catalogue = load_catalogue();
  std::vector<std::vector<std::string>> names{options.rules};
  if (!options.others.empty()) names.push_back(options.others);
  std::vector<RuleSet> sets;
  for (const std::vector<std::string>& each : names) {
    std::optional<RuleSet> rules =
        load_rule_set(rule_files(each, console.in), load_options(options, catalogue), console);
    if (!rules) return kFailure;
    sets.push_back(std::move(*rules));
  }
  Graph graph = graph_of(options, catalogue, console);
  take_inputs(options, sets.front(), graph);
  std::vector<Measured> measured;
  for (std::size_t s = 0; s < sets.size(); ++s) measured.emplace_back(title_of(names[s]), sets[s], graph);
  ProgressLine progress(console);
  for (std::size_t run = 0; run < options.runs; ++run) {  // in turn, so that a slower minute is everybody's
    for (Measured& each : measured) {
      progress.show(fmt::format("run {} of {}", run + 1, options.runs));
      each.run();
    }
  }
  Bench bench{options.workload.empty() ? options.graph : options.workload, graph.size(), options.runs, {}};
  for (const Measured& each : measured) bench.sets.push_back(each.result());
  progress.clear();
  console.out << (options.report == ReportForm::json ? bench_json(bench) : bench_text(bench));
  if (!options.chart.empty()) write_chart(bench, options.chart);
  return kSuccess;
}

}  // namespace fxrules::cli
