#include "engine/rewrite/phase_run.hpp"

#include "engine/rewrite/stopwatch.hpp"

namespace fxrules::rewrite {
namespace {

// Matches that wait for something elsewhere. A few are looked at after every rewrite; many only when the
// sweep is through, in rounds until nothing happens.
constexpr std::size_t kFewWaiting = 64;

}  // namespace

PhaseRun::PhaseRun(Session& session, const program::RuleSet& rules, const program::Phase& phase,
                   const ApplyOptions& options, Report& report)
    : session_(session),
      rules_(rules),
      phase_(phase),
      options_(options),
      report_(report),
      graph_(session.graph()),
      matcher_(session.binding(), session.machine().heap()),
      tables_(session.binding().tables(phase.match)),
      work_(graph_, phase.reverse) {
  matcher_.use(session.machine());
}

bool PhaseRun::run(std::size_t limit) {
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
      if (!session_.versions().touched().empty()) look_at_touched();
    }
    finish_versions();
    look_at_touched();
  } while (through && !phase_.once && (work_.waiting() || retry_waiting() || revisit_settled()));
  return through;
}

bool PhaseRun::visit(NodeId n) {
  if (phase_.once && n.value >= bound_) return true;  // made in this phase
  ++report_.visits;
  if (options_.progress && (report_.visits & 0x3FFF) == 0) tell();
  if (session_.hands_back(n) && session_.hand_back(n)) return true;
  program::Index pc = tables_.start_by_operands(n);
  if (pc == 0) return true;
  session_.begin_matching(phase_, n);
  if (session_.versions().pending()) matcher_.forget();
  matcher_.begin(phase_.match, Value::of_node(n));
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

Outcome PhaseRun::attempt(program::Index rule, NodeId n) {
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

void PhaseRun::bind(const program::Accept& accept) {
  const auto& registers = matcher_.registers();
  variables_.assign(rules_.rules[accept.rule].variables.size(), Value());
  for (std::size_t v = 0; v < accept.registers.size(); ++v) {
    if (accept.registers[v] != 0xFFFF) variables_[v] = registers[accept.registers[v]];
  }
  nodes_.clear();
  matcher_.add_nodes(accept, nodes_);
}

// Whether the match failed for something that is not local to it.
bool PhaseRun::remember(NodeId n) {
  const Dependencies& asked = session_.dependencies();
  for (const NodeId counted : asked.use_counts) watched_[counted.value].push_back(n);
  return asked.elsewhere;
}

// A pattern reads `depth` levels of nodes, a guard one more: what changed may stand at any of them.
void PhaseRun::requeue(NodeId root) {
  const Rewriter::Changes& changes = session_.rewriter().changes();
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

void PhaseRun::finish_versions() {
  const Stopwatch watch(options_.profile ? &report_.settle_seconds : nullptr);
  session_.versions().finish();
}

// What the versions of written storage made and bound.
void PhaseRun::look_at_touched() {
  if (session_.versions().touched().empty()) return;
  matcher_.forget();
  for (const NodeId n : std::exchange(session_.versions().touched(), {})) {
    if (!phase_.once) revisit_from(n, phase_.depth);
  }
  something_happened_ = true;
}

// The node, its users and theirs, `levels` in all, as far as the sweep has passed them. Calls that a helper
// pattern may pass any number of times are no level: a change behind a chain matters in front of it.
void PhaseRun::revisit_from(NodeId changed, unsigned levels) {
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
bool PhaseRun::seen(NodeId n, unsigned left) {
  if (n.value >= walked_.size()) walked_.resize(graph_.id_bound());
  auto& [walk, levels] = walked_[n.value];
  if (walk == walk_ && levels >= left) return true;
  walk = walk_;
  levels = left;
  return false;
}

void PhaseRun::wake_watchers(const Rewriter::Changes& changes) {
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
void PhaseRun::wake_watchers_of(NodeId n) {
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

void PhaseRun::wake(std::vector<NodeId>& roots) {
  for (const NodeId n : std::exchange(roots, {})) {
    if (graph_.alive(n)) work_.revisit(n);
  }
}

// After the sweep: those that still wait get another look if anything was rewritten meanwhile.
bool PhaseRun::retry_waiting() {
  if (!something_happened_ || waiting_.empty()) return false;
  something_happened_ = false;
  wake(waiting_);
  return true;
}

// Rules may ask for the metadata that follows from what was rewritten.
bool PhaseRun::revisit_settled() {
  const std::vector<NodeId> settled = [this] {
    const Stopwatch watch(options_.profile ? &report_.settle_seconds : nullptr);
    return session_.settle_metadata();
  }();
  for (const NodeId n : settled) revisit_from(n, phase_.depth + 1u);
  matcher_.forget();
  if (!settled.empty()) wake(waiting_);
  return !settled.empty();
}

void PhaseRun::tell() {
  const auto now = std::chrono::steady_clock::now();
  if (now - told_ < std::chrono::milliseconds(100)) return;
  told_ = now;
  options_.progress({phase_.name, report_.visits, total_, report_.rewrites});
}

}  // namespace fxrules::rewrite
