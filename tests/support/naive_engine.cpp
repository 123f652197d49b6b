#include "naive_engine.hpp"

#include <algorithm>
#include <optional>

#include "engine/rewrite/entries.hpp"
#include "engine/rewrite/inputs.hpp"
#include "engine/rewrite/session.hpp"
#include "naive_match.hpp"

namespace fxrules::testing {

using program::Index;
using rewrite::Outcome;
using rewrite::Session;
using rewrite::Value;

namespace {

// The state of one run.
class Run {
 public:
  Run(const dsl::Ast& ast, const program::RuleSet& rules, const std::vector<const dsl::Rule*>& trees, Graph& graph,
      const ApplyOptions& options)
      : ast_(ast), rules_(rules), trees_(trees), graph_(graph), options_(options) {}

  Report run() {
    report_.nodes_before = graph_.size();
    Report ignored;
    Session keeper(rules_, graph_, options_, ignored);
    rewrite::Entries entries(keeper.binding());
    rewrite::Inputs inputs(keeper.binding(), keeper.rewriter());
    for (const program::Phase& phase : rules_.phases) {
      if (report_.stop != StopReason::converged) break;
      phase.once ? once(phase) : fixpoint(phase);
      if (session_ != nullptr) session_->settle_metadata();
    }
    session_.reset();
    entries.settle();
    inputs.settle(keeper.versions(), options_, report_);
    report_.nodes_after = graph_.size();
    return std::move(report_);
  }

 private:
  enum class Step { nothing, rewritten, stop };

  void fixpoint(const program::Phase& phase) {
    Step step = Step::rewritten;
    while (step == Step::rewritten) {
      step = Step::nothing;
      renew();
      for (const NodeId node : in_order(phase)) {
        step = at(phase, node);
        if (step != Step::nothing) break;
      }
      if (step == Step::nothing && !session_->settle_metadata().empty()) step = Step::rewritten;
    }
  }

  void once(const program::Phase& phase) {
    renew();
    for (const NodeId node : in_order(phase)) {
      if (!graph_.alive(node)) continue;
      const Step step = at(phase, node);
      if (step == Step::stop) return;
      if (step == Step::rewritten) renew();
    }
  }

  std::vector<NodeId> in_order(const program::Phase& phase) const {
    std::vector<NodeId> nodes(graph_.nodes().begin(), graph_.nodes().end());
    if (phase.reverse) std::reverse(nodes.begin(), nodes.end());
    return nodes;
  }

  // Everything that the last rewrite left behind is forgotten.
  void renew() {
    scratch_ = Report();
    auto fresh = std::make_unique<Session>(rules_, graph_, options_, scratch_);
    if (session_ != nullptr) fresh->take_changes_of(*session_);
    session_ = std::move(fresh);
  }

  Step at(const program::Phase& phase, NodeId node) {
    for (const Index rule : phase.rules) {
      if (!session_->enabled(rule)) continue;
      NaiveMatcher matcher(ast_, session_->machine());
      session_->begin_matching(phase, node);
      Step step = Step::nothing;
      matcher.each_match(*trees_[rule], node, [&](NaiveMatch& match) {
        step = attempt(rule, node, match);
        return step != Step::nothing;
      });
      if (step != Step::nothing) return step;
    }
    return Step::nothing;
  }

  Step attempt(Index rule, NodeId root, NaiveMatch& match) {
    if (report_.rewrites >= options_.max_rewrites) {
      report_.stop = StopReason::limit;
      return Step::stop;
    }
    const auto& names = rules_.rules[rule].variables;
    std::vector<Value> variables(names.size());
    variables[0] = Value::of_node(root);
    for (std::size_t v = 1; v < names.size(); ++v) {
      if (const auto bound = match.bound.find(names[v]); bound != match.bound.end()) {
        variables[v] = bound->second;
      } else if (const auto op = match.ops.find(names[v]); op != match.ops.end() && op->second.count == 1) {
        variables[v] = Value::of_node(op->second.node);
      }
    }
    const Outcome outcome = session_->attempt(rule, root, variables, match.nodes);
    if (outcome == Outcome::failed || has_errors(scratch_.diagnostics)) {
      report_.stop = StopReason::failed;
      report_.diagnostics = scratch_.diagnostics;
      return Step::stop;
    }
    if (outcome != Outcome::applied) return Step::nothing;
    ++report_.rewrites;
    Application application = scratch_.applications.back();
    report_.applications.push_back(std::move(application));
    return Step::rewritten;
  }

  const dsl::Ast& ast_;
  const program::RuleSet& rules_;
  const std::vector<const dsl::Rule*>& trees_;
  Graph& graph_;
  const ApplyOptions& options_;
  Report report_, scratch_;
  std::unique_ptr<Session> session_;
};

}  // namespace

NaiveEngine::NaiveEngine(const dsl::Ast& ast, const program::RuleSet& rules)
    : ast_(&ast), rules_(rules), tree_of_(rules.rules.size()) {
  for (std::size_t r = 0; r < rules_.rules.size(); ++r) {
    rules_.rules[r].extra.clear();
    for (const dsl::Rule& rule : ast.rules) {
      const auto head = rule.head.end > rule.head.begin ? rule.head : rule.range;
      if (head.begin == rules_.rules[r].span.begin) tree_of_[r] = &rule;
    }
  }
}

Report NaiveEngine::apply(Graph& graph, const ApplyOptions& options) {
  return Run(*ast_, rules_, tree_of_, graph, options).run();
}

}  // namespace fxrules::testing
