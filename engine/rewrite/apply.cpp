// The fixpoint loop. A phase sweeps the graph once in program order; a rewrite asks for another look at
// what it made and at the users of what it changed, as deep as the deepest pattern, where the sweep has
// passed them. Matches that failed for a reason that lies elsewhere (a use count, a write in between) wait
// until that changes.
#include "fxrules/apply.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "engine/rewrite/entries.hpp"
#include "engine/rewrite/inputs.hpp"
#include "engine/rewrite/lift.hpp"
#include "engine/rewrite/near_misses.hpp"
#include "engine/rewrite/session.hpp"
#include "engine/rewrite/stopwatch.hpp"
#include "engine/rewrite/worklist.hpp"
#include "fxrules/infer.hpp"

namespace fxrules {

using rewrite::Outcome;
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

// Matches that wait for something elsewhere. A few are looked at after every rewrite; many only when the
// sweep is through, in rounds until nothing happens.
constexpr std::size_t kFewWaiting = 64;

class PhaseRun {
 public:
  PhaseRun(rewrite::Session& session, const program::RuleSet& rules, const program::Phase& phase,
           const ApplyOptions& options, Report& report)
      : session_(session),
        rules_(rules),
        phase_(phase),
        options_(options),
        report_(report),
        graph_(session.graph()),
        matcher_(session.binding(), session.machine().heap()),
        work_(graph_, phase.reverse) {
    matcher_.use(session.machine());
  }

  // False when a limit was reached.
  bool run(std::size_t limit) {
    limit_ = limit;
    session_.versions().wait_for_sweep(!phase_.reverse);
    session_.rewriter().on_erase([this](NodeId n) { work_.erased(n); });
    bound_ = graph_.id_bound();
    total_ = graph_.size();
    bool through = true;
    do {
      for (NodeId n = work_.take(); n.valid() && through; n = work_.take()) {
        session_.versions().reach(n);
        if (!graph_.alive(n)) continue;
        through = visit(n);
        if (session_.versions().pending()) session_.versions().stays(n);
        look_at_touched();
      }
      finish_versions();
      look_at_touched();
    } while (through && !phase_.once && (work_.waiting() || retry_waiting() || revisit_settled()));
    return through;
  }

  [[nodiscard]] const std::deque<program::Index>& recent() const { return recent_; }

 private:
  bool visit(NodeId n) {
    if (phase_.once && n.value >= bound_) return true;  // made in this phase
    ++report_.visits;
    if (options_.progress && (report_.visits & 0x3FFF) == 0) tell();
    if (session_.hands_back(n) && session_.hand_back(n)) return true;
    program::Index pc = session_.binding().start(n, phase_.match);
    if (pc == 0) return true;
    session_.begin_matching(phase_, n);
    if (session_.versions().pending()) matcher_.forget();
    matcher_.begin(phase_.match, rewrite::Value::of_node(n));
    bool waits = false;
    while (const program::Accept* accept = matcher_.next(phase_.match, pc)) {
      if (!session_.enabled(accept->rule)) continue;
      if (report_.rewrites >= limit_) return false;
      bind(*accept);
      const Outcome outcome = attempt(accept->rule, n);
      if (outcome == Outcome::applied) {
        matcher_.forget();
        recent_.push_back(accept->rule);
        if (recent_.size() > kRecent) recent_.pop_front();
        if (!phase_.once) requeue(n);
        return true;
      }
      if (outcome == Outcome::failed) return true;
      waits |= remember(n);
    }
    session_.report_given_up(matcher_);
    if (waits && !phase_.once) waiting_.push_back(n);
    return true;
  }

  Outcome attempt(program::Index rule, NodeId n) {
    RuleReport& report = report_.rules[rule];
    ++report.matched;
    const double guards = report.guard_seconds;
    Outcome outcome;
    {
      const Stopwatch watch(options_.profile ? &report.rewrite_seconds : nullptr);
      outcome = session_.attempt(rule, n, variables_, nodes_);
    }
    report.rewrite_seconds -= report.guard_seconds - guards;
    return outcome;
  }

  void bind(const program::Accept& accept) {
    const auto& registers = matcher_.registers();
    variables_.assign(rules_.rules[accept.rule].variables.size(), rewrite::Value());
    for (std::size_t v = 0; v < accept.registers.size(); ++v) {
      if (accept.registers[v] != 0xFFFF) variables_[v] = registers[accept.registers[v]];
    }
    nodes_.clear();
    matcher_.add_nodes(accept, nodes_);
  }

  // Whether the match failed for something that is not local to it.
  bool remember(NodeId n) {
    const rewrite::Dependencies& asked = session_.dependencies();
    for (const NodeId counted : asked.use_counts) watched_[counted.value].push_back(n);
    return asked.elsewhere;
  }

  // A pattern reads `depth` levels of nodes, a guard one more: what changed may stand at any of them.
  void requeue(NodeId root) {
    const rewrite::Rewriter::Changes& changes = session_.rewriter().changes();
    if (graph_.alive(root)) revisit(root);
    for (const NodeId n : changes.created) revisit_from(n, phase_.depth);
    for (const NodeId n : changes.readers) revisit_from(n, phase_.depth);
    for (const NodeId n : changes.kept) revisit_from(n, phase_.depth + 1u);
    wake_watchers(changes);
    if (!waiting_.empty()) {
      something_happened_ = true;
      if (waiting_.size() <= kFewWaiting) wake(waiting_);
    }
  }

  void finish_versions() {
    const Stopwatch watch(options_.profile ? &report_.settle_seconds : nullptr);
    session_.versions().finish();
  }

  // What the versions of written storage made and bound.
  void look_at_touched() {
    if (session_.versions().touched().empty()) return;
    matcher_.forget();
    for (const NodeId n : std::exchange(session_.versions().touched(), {})) {
      if (!phase_.once) revisit_from(n, phase_.depth);
    }
    something_happened_ = true;
  }

  void revisit(NodeId n) {
    if (session_.binding().start(n, phase_.match) != 0) work_.revisit(n);
  }

  // The node, its users and theirs, `levels` in all, as far as the sweep has passed them. Calls that a helper
  // pattern may pass any number of times are no level: a change behind a chain matters in front of it.
  void revisit_from(NodeId changed, unsigned levels) {
    if (!graph_.alive(changed)) return;
    const bool chains = phase_.chain != program::kNone;
    if (chains) ++walk_;
    todo_.assign(1, {changed, levels});
    while (!todo_.empty()) {
      const auto [n, left] = todo_.back();
      todo_.pop_back();
      if (work_.ahead_with_users(n) || (chains && seen(n, left))) continue;
      revisit(n);
      for (SlotId s = graph_.first_use(n); s.valid(); s = graph_.next_use(s)) {
        const NodeId user = graph_.owner(s);
        const bool link = chains && session_.binding().accepts(user, phase_.chain);
        if (left > 1 || link) todo_.emplace_back(user, link ? left : left - 1);
      }
    }
  }

  // In this walk, with no fewer levels left.
  bool seen(NodeId n, unsigned left) {
    if (n.value >= walked_.size()) walked_.resize(graph_.id_bound());
    auto& [walk, levels] = walked_[n.value];
    if (walk == walk_ && levels >= left) return true;
    walk = walk_;
    levels = left;
    return false;
  }

  void wake_watchers(const rewrite::Rewriter::Changes& changes) {
    if (watched_.empty()) return;
    for (const NodeId n : changes.lost_uses) wake_watchers_of(n);
    for (const NodeId n : changes.gained_uses) wake_watchers_of(n);
    for (const NodeId n : changes.created) {
      for (const Slot& s : graph_.slots(n)) {
        if (s.kind == ArgKind::node) wake_watchers_of(s.node());
      }
    }
  }

  // The watchers of a hub wait with the others: looking at all of them after each rewrite would be quadratic.
  void wake_watchers_of(NodeId n) {
    const auto found = watched_.find(n.value);
    if (found == watched_.end()) return;
    if (found->second.size() <= kFewWaiting) {
      wake(found->second);
    } else {
      waiting_.insert(waiting_.end(), found->second.begin(), found->second.end());
      something_happened_ = true;
    }
    watched_.erase(found);
  }

  void wake(std::vector<NodeId>& roots) {
    for (const NodeId n : std::exchange(roots, {})) {
      if (graph_.alive(n)) work_.revisit(n);
    }
  }

  // After the sweep: those that still wait get another look if anything was rewritten meanwhile.
  bool retry_waiting() {
    if (!something_happened_ || waiting_.empty()) return false;
    something_happened_ = false;
    wake(waiting_);
    return true;
  }

  // Rules may ask for the metadata that follows from what was rewritten.
  bool revisit_settled() {
    const std::vector<NodeId> settled = [this] {
      const Stopwatch watch(options_.profile ? &report_.settle_seconds : nullptr);
      return session_.settle_metadata();
    }();
    for (const NodeId n : settled) revisit_from(n, phase_.depth + 1u);
    matcher_.forget();
    if (!settled.empty()) wake(waiting_);
    return !settled.empty();
  }

  void tell() {
    const auto now = std::chrono::steady_clock::now();
    if (now - told_ < std::chrono::milliseconds(100)) return;
    told_ = now;
    options_.progress({phase_.name, report_.visits, total_, report_.rewrites});
  }

  static constexpr std::size_t kRecent = 1000;
  rewrite::Session& session_;
  const program::RuleSet& rules_;
  const program::Phase& phase_;
  const ApplyOptions& options_;
  Report& report_;
  Graph& graph_;
  rewrite::Matcher matcher_;
  rewrite::Worklist work_;
  std::vector<rewrite::Value> variables_;
  std::vector<NodeId> nodes_;
  std::vector<std::pair<NodeId, unsigned>> todo_;           // of revisit_from
  std::vector<std::pair<std::uint32_t, unsigned>> walked_;  // by node: in which walk, with how many levels left
  std::uint32_t walk_ = 0;
  std::unordered_map<std::uint32_t, std::vector<NodeId>> watched_;  // by node whose use count was asked
  std::vector<NodeId> waiting_;
  bool something_happened_ = false;
  std::deque<program::Index> recent_;
  std::size_t limit_ = 0, bound_ = 0, total_ = 0;
  std::chrono::steady_clock::time_point told_ = std::chrono::steady_clock::now();
};

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

// A rule that undoes another brings a graph back: two equal states within a few rewrites are a cycle.
bool comes_back(rewrite::Session& session, const program::RuleSet& rules, const program::Phase& phase,
                const ApplyOptions& options, Report& report, std::vector<program::Index>& fired);

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

// What of the time of the phases is neither a match's nor settling is matching.
void split_time(Report& report) {
  double matches = 0;
  for (const RuleReport& r : report.rules) matches += r.guard_seconds + r.rewrite_seconds;
  report.match_seconds = std::max(0.0, report.match_seconds - matches - report.settle_seconds);
}

void run_phases(rewrite::Session& session, const program::RuleSet& rules, const ApplyOptions& options, Report& report) {
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

bool comes_back(rewrite::Session& session, const program::RuleSet& rules, const program::Phase& phase,
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

  static std::vector<NestedReport> nested(Graph& top) {
    std::vector<NestedReport> found;
    std::vector<std::pair<std::string, Graph*>> todo{{"", &top}};
    while (!todo.empty()) {
      const auto [path, g] = std::move(todo.back());
      todo.pop_back();
      found.push_back({path, g, {}});
      for (std::size_t i = g->subgraphs().size(); i-- > 0;) {
        const Subgraph& s = g->subgraphs()[i];
        todo.emplace_back((path.empty() ? "" : path + ".") + std::string(g->text(s.path)), s.graph.get());
      }
    }
    return found;  // the graph itself, then those in it, each in front of its own
  }

 private:
  void collect(Graph& top) { places_ = nested(top); }

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
      obstacles_[places_[p].graph] = rewrite::obstacles(*places_[p].graph, calls, facts_, storage);
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
      run_phases(session, rules_.program(), options, report);
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
    std::vector<NestedReport> again = TreeRun::nested(graph);
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
