#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/bench.hpp"

namespace fxrules::cli {
namespace {

constexpr std::size_t kEnough = 30;  // rules of the text form

double per_cent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

struct Part {
  std::string_view name;
  double SetBench::*seconds;
};
constexpr Part kParts[] = {{"matching", &SetBench::matching},
                           {"guards", &SetBench::guards},
                           {"rewriting", &SetBench::rewriting},
                           {"settling", &SetBench::settling},
                           {"the rest", &SetBench::rest}};

void append_set(std::string& out, const SetBench& set, std::size_t nodes) {
  auto to = std::back_inserter(out);
  fmt::format_to(to, "\n{}\n  {}, {:.1f} ns a node; {}, {} nodes after\n", set.title, duration(set.total),
                 1e9 * set.total / static_cast<double>(std::max<std::size_t>(nodes, 1)), set.stop, set.nodes_after);
  fmt::format_to(to, "  {} visits, {} matches, {} rewrites ({:.1f} % of the matches)\n ", set.visits, set.matched,
                 set.rewrites, per_cent(static_cast<double>(set.rewrites), static_cast<double>(set.matched)));
  for (const Part& part : kParts)
    fmt::format_to(to, " {} {:.0f} %{}", part.name, per_cent(set.*part.seconds, set.measured()),
                   &part == std::end(kParts) - 1 ? "\n" : ",");
  if (set.rules.empty()) return;
  fmt::format_to(to, "\n  {:>10} {:>7} {:>10} {:>10} {:>9} {:>9} {:>8}  rule\n", "time", "share", "guards", "rewriting",
                 "matches", "rewrites", "near");
  for (std::size_t i = 0; i < std::min(kEnough, set.rules.size()); ++i) {
    const RuleBench& r = set.rules[i];
    fmt::format_to(to, "  {:>10} {:>5.1f} % {:>10} {:>10} {:>9} {:>9} {:>8}  {}\n", duration(r.seconds()),
                   per_cent(r.seconds(), set.measured()), duration(r.guards), duration(r.rewriting), r.matched,
                   r.rewrites, r.near_misses, r.name);
  }
  if (set.rules.size() > kEnough)
    fmt::format_to(to, "  ... and {} more; --report json has them all\n", set.rules.size() - kEnough);
}

void append_comparison(std::string& out, const SetBench& a, const SetBench& b) {
  auto to = std::back_inserter(out);
  fmt::format_to(to, "\n  {:<10} {:>12} {:>12}   ratio\n", "", "first", "second");
  const auto line = [&](std::string_view name, double first, double second) {
    fmt::format_to(to, "  {:<10} {:>12} {:>12}   {}\n", name, duration(first), duration(second),
                   first > 0 ? fmt::format("{:.2f}", second / first) : "-");
  };
  line("total", a.total, b.total);
  for (const Part& part : kParts) line(part.name, a.*part.seconds, b.*part.seconds);
}

nlohmann::ordered_json json_of(const SetBench& set) {
  nlohmann::ordered_json rules = nlohmann::ordered_json::array();
  for (const RuleBench& r : set.rules)
    rules.push_back({{"rule", r.name},
                     {"phase", r.phase},
                     {"file", r.file},
                     {"line", r.line},
                     {"matches", r.matched},
                     {"rewrites", r.rewrites},
                     {"near_misses", r.near_misses},
                     {"guard_seconds", r.guards},
                     {"rewrite_seconds", r.rewriting}});
  return {{"rules", set.title},
          {"stop", set.stop},
          {"nodes_after", set.nodes_after},
          {"visits", set.visits},
          {"matches", set.matched},
          {"rewrites", set.rewrites},
          {"seconds", set.total},
          {"parts",
           {{"matching", set.matching},
            {"guards", set.guards},
            {"rewriting", set.rewriting},
            {"settling", set.settling},
            {"rest", set.rest}}},
          {"by_rule", rules}};
}

}  // namespace

std::string duration(double seconds) {
  if (seconds >= 1) return fmt::format("{:.2f} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.2f} ms", seconds * 1e3);
  return fmt::format("{:.1f} us", seconds * 1e6);
}

std::string bench_text(const Bench& bench) {
  std::string out = fmt::format("{}: {} nodes, medians of {} runs\n", bench.graph, bench.nodes, bench.runs);
  for (const SetBench& set : bench.sets) append_set(out, set, bench.nodes);
  if (bench.sets.size() == 2) append_comparison(out, bench.sets[0], bench.sets[1]);
  return out;
}

std::string bench_json(const Bench& bench) {
  nlohmann::ordered_json out{{"graph", bench.graph}, {"nodes", bench.nodes}, {"runs", bench.runs}};
  out["sets"] = nlohmann::ordered_json::array();
  for (const SetBench& set : bench.sets) out["sets"].push_back(json_of(set));
  if (bench.sets.size() == 2) out["ratio"] = bench.sets[1].total / bench.sets[0].total;
  return out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace fxrules::cli
