#include "engine/rewrite/phases.hpp"

#include <algorithm>
#include <deque>

#include <fmt/format.h>

#include "engine/rewrite/phase_run.hpp"
#include "engine/rewrite/stopwatch.hpp"

namespace fxrules::rewrite {
namespace {

// The rules that fired in the window before the default limit, each once, in rule order.
std::vector<program::Index> each_once(const program::RuleSet& rules, const std::deque<program::Index>& recent) {
  std::vector<bool> seen(rules.rules.size());
  for (const program::Index r : recent) seen[r] = true;
  std::vector<program::Index> once;
  for (program::Index r = 0; r < seen.size(); ++r) {
    if (seen[r]) once.push_back(r);
  }
  return once;
}

// What a graph says, names aside, in program order.
std::uint64_t fingerprint(const Graph& graph) {
  std::vector<std::uint32_t> place(graph.id_bound());
  std::uint32_t next = 0;
  std::uint64_t h = 0;
  const auto mix = [&h](std::uint64_t x) { h = (h ^ x) * 0x9E3779B97F4A7C15ull, h ^= h >> 29; };
  for (const NodeId n : graph.nodes()) {
    place[n.value] = next++;
    mix(graph.form_id(n).value);
    for (const Slot& s : graph.slots(n)) {
      mix(static_cast<std::uint64_t>(s.kind));
      if (s.kind == ArgKind::node) {
        mix(place[s.a]);
      } else if (is_container(s.kind)) {
        mix(s.b);
      } else {
        mix(s.a);
        mix((std::uint64_t{s.c} << 32) | s.b);
      }
    }
  }
  return h;
}

// A rule that undoes another brings a graph back: two equal states within a few rewrites are a cycle.
bool comes_back(Session& session, const program::RuleSet& rules, const program::Phase& phase,
                const ApplyOptions& options, Report& report, std::vector<program::Index>& names) {
  constexpr std::size_t kLook = 64, kMostWork = 50'000'000;
  const std::size_t steps = std::min(kLook, kMostWork / (session.graph().size() + 1));
  const std::uint64_t start = fingerprint(session.graph());
  std::deque<program::Index> fired;
  for (std::size_t i = 0; i < steps; ++i) {
    PhaseRun run(session, rules, phase, options, report);
    const std::size_t before = report.rewrites;
    run.run(before + 1);
    session.rewriter().on_erase(nullptr);
    if (report.rewrites == before) return false;
    fired.insert(fired.end(), run.recent().begin(), run.recent().end());
    if (fingerprint(session.graph()) != start) continue;
    names = each_once(rules, fired);
    return true;
  }
  return false;
}

std::string with_place(const program::Rule& rule) {
  if (rule.span.source == nullptr) return fmt::format("`{}`", rule.name);
  const std::string place =
      fmt::format("{}:{}", rule.span.source->name, line_column(rule.span.source->text, rule.span.begin).line);
  return place.ends_with(rule.name) ? fmt::format("`{}`", rule.name) : fmt::format("`{}` ({})", rule.name, place);
}

// At the first of the rules; the others are related places.
Diagnostic limit_diagnostic(const Report& report, const program::RuleSet& rules,
                            const std::vector<program::Index>& fired) {
  constexpr std::size_t kMostNamed = 10;
  std::string names;
  for (std::size_t i = 0; i < std::min(fired.size(), kMostNamed); ++i)
    names += (i == 0 ? "" : ", ") + with_place(rules.rules[fired[i]]);
  if (fired.size() > kMostNamed) names += fmt::format(" and {} more", fired.size() - kMostNamed);
  const bool cycle = report.stop == StopReason::cycle;
  Diagnostic d;
  d.kind = cycle ? "cycle" : "rewrite-limit";
  if (!cycle) {
    d.message = fmt::format("no end after {} rewrites; the rules that still apply: {}", report.rewrites, names);
    d.hint = "--max-rewrites N stops after N and keeps the result";
  } else if (fired.size() == 1) {
    d.message = fmt::format("the rule {} undoes itself, or repeats", names);
    d.hint = "give it a guard that its result does not satisfy";
  } else {
    d.message = fmt::format("these rules undo each other, or repeat: {}", names);
    d.hint = "give one of them a guard that its result does not satisfy";
  }
  if (!fired.empty()) d.span = rules.rules[fired[0]].span;
  for (std::size_t i = 1; i < std::min(fired.size(), kMostNamed); ++i)
    d.related.push_back({Severity::note, d.kind, "and this one", rules.rules[fired[i]].span, {}, {}});
  return d;
}

}  // namespace

void run_phases(Session& session, const program::RuleSet& rules, const ApplyOptions& options, Report& report) {
  const std::size_t default_limit = 20 * report.nodes_before + 10'000;
  const bool own_limit = options.max_rewrites != SIZE_MAX;
  for (const program::Phase& phase : rules.phases) {
    PhaseRun run(session, rules, phase, options, report);
    const bool done = run.run(own_limit ? options.max_rewrites : default_limit);
    session.rewriter().on_erase(nullptr);
    {
      const Stopwatch watch(options.profile ? &report.settle_seconds : nullptr);
      session.settle_metadata();  // the next phase sees it
    }
    if (done && !options.until.empty() && phase.name == options.until) return;
    if (done) continue;
    if (own_limit) {
      report.stop = StopReason::limit;
      return;
    }
    std::vector<program::Index> fired = each_once(rules, run.recent());
    const bool cycle = comes_back(session, rules, phase, options, report, fired);
    report.stop = cycle ? StopReason::cycle : StopReason::default_limit;
    for (const program::Index r : fired) report.cycle.push_back(rules.rules[r].name);
    report.diagnostics.push_back(limit_diagnostic(report, rules, fired));
    return;
  }
}

}  // namespace fxrules::rewrite
