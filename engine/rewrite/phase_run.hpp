// The fixpoint loop of one phase. It sweeps the graph once in program order; a rewrite asks for another look at
// what it made and at the users of what it changed, as deep as the deepest pattern, where the sweep has passed them.
// Matches that failed for a reason that lies elsewhere (a use count, a write in between) wait until that changes.
#pragma once

#include <chrono>
#include <deque>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/rewrite/session.hpp"
#include "engine/rewrite/worklist.hpp"

namespace fxrules::rewrite {

class PhaseRun {
 public:
  PhaseRun(Session& session, const program::RuleSet& rules, const program::Phase& phase, const ApplyOptions& options,
           Report& report);

  // False when the limit was reached.
  bool run(std::size_t limit);
  // The rules that fired last, a thousand at most.
  [[nodiscard]] const std::deque<program::Index>& recent() const { return recent_; }

 private:
  bool visit(NodeId n);
  Outcome attempt(program::Index rule, NodeId n);
  void bind(const program::Accept& accept);
  bool remember(NodeId n);
  void requeue(NodeId root);
  void finish_versions();
  void look_at_touched();
  void revisit(NodeId n) {
    if (tables_.start(n) != 0) work_.revisit(n);
  }
  void revisit_from(NodeId changed, unsigned levels);
  bool seen(NodeId n, unsigned left);
  void wake_watchers(const Rewriter::Changes& changes);
  void wake_watchers_of(NodeId n);
  void wake(std::vector<NodeId>& roots);
  bool retry_waiting();
  bool revisit_settled();
  void tell();

  static constexpr std::size_t kRecent = 1000;
  Session& session_;
  const program::RuleSet& rules_;
  const program::Phase& phase_;
  const ApplyOptions& options_;
  Report& report_;
  Graph& graph_;
  Matcher matcher_;
  FormTables& tables_;
  Worklist work_;
  std::vector<Value> variables_;
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

}  // namespace fxrules::rewrite
