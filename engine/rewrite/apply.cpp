// A graph and those that are nested in it, from what rules are given to the report.
#include "fxrules/apply.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "engine/rewrite/entries.hpp"
#include "engine/rewrite/inputs.hpp"
#include "engine/rewrite/lift.hpp"
#include "engine/rewrite/near_misses.hpp"
#include "engine/rewrite/phases.hpp"
#include "engine/rewrite/session.hpp"
#include "engine/rewrite/stopwatch.hpp"
#include "fxrules/infer.hpp"
#include "fxrules/nested.hpp"

namespace fxrules {

using rewrite::Stopwatch;

std::string_view to_string(StopReason reason) {
  static constexpr std::string_view kNames[] = {"converged", "limit", "default limit", "cycle", "failed"};
  return kNames[static_cast<std::size_t>(reason)];
}

int Report::exit_code() const {
  switch (stop) {
    case StopReason::converged:
    case StopReason::limit:
      return 0;
    case StopReason::failed:
      return 1;
    default:
      return 3;
  }
}

namespace {

// In program order. Forms are few: only when one of them is unknown are the nodes looked at.
void list_unknown_targets(rewrite::Session& session, Report& report) {
  const Graph& graph = session.graph();
  std::vector<bool> unknown(graph.form_count());
  for (std::uint32_t f = 0; f < unknown.size(); ++f) unknown[f] = session.binding().unknown_target(FormId(f));
  if (std::find(unknown.begin(), unknown.end(), true) == unknown.end()) return;
  std::unordered_set<std::uint32_t> listed;  // targets: a target has a form for each argument count
  for (const NodeId n : graph.nodes()) {
    if (!unknown[graph.form_id(n).value]) continue;
    if (listed.insert(graph.form(n).target.value).second) report.unknown_targets.emplace_back(graph.target(n));
    unknown[graph.form_id(n).value] = false;
  }
}

std::size_t remove_dead(rewrite::Binding& binding) {
  Graph& graph = binding.graph();
  std::size_t removed = 0;
  for (NodeId n = graph.last(); n.valid();) {  // users first
    const NodeId before = graph.prev(n);
    const Opcode opcode = graph.opcode(n);
    if (!graph.has_uses(n) && opcode != Opcode::placeholder && opcode != Opcode::output && binding.removable(n)) {
      graph.erase(n);
      ++removed;
    }
    n = before;
  }
  return removed;
}

// What of the time of the phases is neither a match's nor settling is matching.
void split_time(Report& report) {
  double matches = 0;
  for (const RuleReport& r : report.rules) matches += r.guard_seconds + r.rewrite_seconds;
  report.match_seconds = std::max(0.0, report.match_seconds - matches - report.settle_seconds);
}

// Metadata of some input: there is something to infer from.
bool knows_inputs(const Graph& graph) {
  for (NodeId n = graph.first(); n.valid(); n = graph.next(n)) {
    const Opcode opcode = graph.opcode(n);
    if (opcode != Opcode::placeholder && opcode != Opcode::get_attr) return false;
    if (graph.has_meta(n)) return true;
  }
  return false;
}

// Nested graphs first: what their writes become, the calls of the graphs around them know when rules run there.
class TreeRun {
 public:
  TreeRun(const RuleSet& rules, const ApplyOptions& options) : rules_(rules), options_(options) {}

  Report run(Graph& top) {
    collect(top);
    look_at_all();
    for (std::size_t p = places_.size(); p-- > 0;) work_on(places_[p], p == 0);
    if (options_.dce) remove_all_dead();
    return gather();
  }

 private:
  void collect(Graph& top) {
    for (NestedGraph<Graph>& each : with_nested(top)) places_.push_back({std::move(each.path), each.graph, {}});
  }

  // What each graph writes and returns, before rules run; metadata of what a graph takes, from its calls.
  void look_at_all() {
    if (places_.size() == 1) return;
    for (const NestedReport& place : places_) {
      rewrite::Binding binding(rules_.program(), *place.graph);
      for (const rewrite::BodyCall& call : rewrite::body_calls(binding)) rewrite::tell_placeholders(*place.graph, call);
    }
    for (std::size_t p = places_.size(); p-- > 0;) {
      rewrite::Binding binding(rules_.program(), *places_[p].graph);
      const std::vector<rewrite::BodyCall> calls = rewrite::body_calls(binding);
      rewrite::add_effects(binding, calls, facts_);
      rewrite::Storage storage(binding);
      facts_[places_[p].graph] = rewrite::facts_of(binding, storage);
      obstacles_[places_[p].graph] = rewrite::obstacles(binding, calls, facts_, storage);
    }
  }

  void prepare(rewrite::Session& session, Report& report) {
    Graph& graph = session.graph();
    if (graph.subgraphs().empty()) return;
    rewrite::Lifting lifting(session.binding(), rules_.program(), rewrite::body_calls(session.binding()), results_);
    lifting.run(obstacles_[&graph], report.diagnostics);
    for (const Subgraph& s : graph.subgraphs()) {
      rewrite::Binding binding(rules_.program(), *s.graph);
      rewrite::add_effects(binding, rewrite::body_calls(binding), facts_);
      rewrite::Storage storage(binding);
      facts_[s.graph.get()] = rewrite::facts_of(binding, storage);
    }
    rewrite::add_effects(session.binding(), rewrite::body_calls(session.binding()), facts_);
    // A branch that does not write may return the operand; nothing that is written later tells it from a copy.
    for (const auto& [write, back] : lifting.hand_backs()) {
      rewrite::Binding::Effects effects = *session.binding().effects(back.call);
      std::erase(effects.returned, back.operand);
      session.binding().add_effects(back.call, std::move(effects));
    }
    session.expect(std::move(lifting.hand_backs()));
  }

  void work_on(NestedReport& place, bool top) {
    Graph& graph = *place.graph;
    Report& report = place.report;
    const Stopwatch watch(options_.profile ? &report.total_seconds : nullptr);
    report.nodes_before = graph.size();
    ApplyOptions options = options_;
    if (!top) options.mutated_inputs = MutatedInputs::drop;  // the calls give them back
    rewrite::Session session(rules_.program(), graph, options, report);
    if (top) share_inputs(session);
    prepare(session, report);
    list_unknown_targets(session, report);
    if (options.infer && knows_inputs(graph)) infer_metadata(rules_, graph);
    rewrite::Entries entries(session.binding());
    rewrite::Inputs inputs(session.binding(), session.rewriter());
    {
      const Stopwatch phases(options.profile ? &report.match_seconds : nullptr);
      rewrite::run_phases(session, rules_.program(), options, report);
    }
    split_time(report);
    if (!top) results_[&graph] = result(session, inputs);
    if (options.near_misses) rewrite::count_near_misses(rules_.program(), session, report);
    entries.settle();
    inputs.settle(session.versions(), options, report);
    report.nodes_after = graph.size();
  }

  // When every call has what it needs of its graphs.
  void remove_all_dead() {
    for (std::size_t p = places_.size(); p-- > 0;) {
      NestedReport& place = places_[p];
      rewrite::Binding binding(rules_.program(), *place.graph);
      rewrite::add_effects(binding, rewrite::body_calls(binding), facts_);
      place.report.removed += remove_dead(binding);
      place.report.nodes_after = place.graph->size();
    }
  }

  void share_inputs(rewrite::Session& session) {
    for (const auto& [a, b] : options_.shared_inputs) {
      const NodeId x = session.graph().find(a), y = session.graph().find(b);
      if (x.valid() && y.valid() && x != y) session.binding().share_inputs(x, y);
    }
  }

  rewrite::BodyResult result(rewrite::Session& session, const rewrite::Inputs& inputs) {
    rewrite::BodyResult out;
    const std::unordered_map<std::uint32_t, NodeId> changed = inputs.changed();
    for (const NodeId n : session.graph().nodes()) {
      if (session.graph().opcode(n) != Opcode::placeholder) continue;
      const auto found = changed.find(n.value);
      out.placeholders.push_back(n);
      out.values.push_back(found == changed.end() ? n : found->second);
      out.names.push_back(session.versions().name_of(n));
      if (session.versions().reshaped(n)) out.reshaped.push_back(n);
    }
    out.rule = session.writing();
    return out;
  }

  Report gather() {
    Report report = std::move(places_[0].report);
    for (std::size_t p = 1; p < places_.size(); ++p) {
      Report& inside = places_[p].report;
      if (has_errors(inside.diagnostics) && inside.ok()) inside.stop = StopReason::failed;
      if (!inside.ok() && report.ok()) report.stop = inside.stop;
      report.nested.push_back(std::move(places_[p]));
    }
    if (has_errors(report.diagnostics) && report.ok()) report.stop = StopReason::failed;
    return report;
  }

  const RuleSet& rules_;
  const ApplyOptions& options_;
  std::vector<NestedReport> places_;  // the graph itself first
  rewrite::FactsOfGraphs facts_;
  rewrite::ResultsOfGraphs results_;
  std::unordered_map<const Graph*, rewrite::Obstacles> obstacles_;
};

}  // namespace

Report apply(const RuleSet& rules, Graph& graph, const ApplyOptions& options) {
  std::optional<Graph> saved;
  if (options.restore_on_failure) saved = graph.clone();
  Report report = TreeRun(rules, options).run(graph);
  if (!report.ok() && saved) {
    graph = std::move(*saved);
    const std::vector<NestedGraph<Graph>> again = with_nested(graph);
    for (std::size_t i = 0; i < report.nested.size(); ++i) report.nested[i].graph = again[i + 1].graph;
  }
  return report;
}

std::size_t remove_dead_nodes(const std::shared_ptr<const Catalogue>& catalogue, Graph& graph) {
  program::RuleSet none;
  none.catalogue = catalogue;
  rewrite::Binding binding(none, graph);
  return remove_dead(binding);
}

}  // namespace fxrules
