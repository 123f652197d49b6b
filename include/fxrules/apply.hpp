// Applies a rule set to a graph until no rule applies.
//
//   Report report = apply(rules, graph);
//   if (report.stop == StopReason::converged) …
//
// Order: the next application is at the earliest node in program order where a rule of the phase matches,
// by the first such rule in file order; phases run one after the other. Deterministic.
// Cost: O(nodes + rewrites × size of a match), independent of rules that cannot match.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fxrules/diagnostic.hpp"
#include "fxrules/graph.hpp"
#include "fxrules/rule_set.hpp"

namespace fxrules {

enum class StopReason : std::uint8_t {
  converged,      // no rule applies
  limit,          // stopped at max_rewrites; the graph is valid and holds what was rewritten so far
  default_limit,  // 20 × nodes + 10,000 applications: the rules do not seem to end
  cycle,          // the rules in `cycle` undo each other
  failed,         // `error` results or refusals; see diagnostics
};
[[nodiscard]] std::string_view to_string(StopReason reason);

struct Progress {
  std::string_view phase;
  std::size_t visited = 0, total = 0, rewrites = 0;
};

struct ApplyOptions {
  std::size_t max_rewrites = SIZE_MAX;  // SIZE_MAX: the default limit
  std::vector<std::string> only;        // labels; empty: all rules
  std::vector<std::string> disable;
  bool dce = false;    // also remove what was dead in the input
  bool record = true;  // keep one Application for each rewrite
  // On failure (failed, default_limit, cycle) put the graph back as it was. Costs a copy of the graph.
  bool restore_on_failure = true;
  std::function<void(const Progress&)> progress;  // about ten times a second, or not at all
};

// One rewrite. Names are symbols of the graph and stay readable after their nodes are gone.
struct Application {
  std::uint32_t rule = 0;  // index into Report::rules
  SymbolId root;
  std::vector<SymbolId> matched;  // all matched nodes, root first
  std::vector<SymbolId> created;
  SymbolId result;  // the value that took the root's place; the root itself when it was kept
};

struct RuleReport {
  std::string name;
  std::string phase;
  Span span;
  std::size_t rewrites = 0;
  std::size_t guard_false = 0;    // matched, every alternative's guard false
  std::size_t guard_unknown = 0;  // matched, no guard known true, one of them unknown
  std::size_t refused = 0;        // matched and guarded, but not safe: a read would pass a write, …
};

struct Note {  // `=> note "…"` and refusals of pure rules
  std::uint32_t rule = 0;
  SymbolId node;
  std::string text;
};

struct Report {
  StopReason stop = StopReason::converged;
  std::vector<RuleReport> rules;  // all rules that took part, in order
  std::vector<Application> applications;
  std::vector<Note> notes;
  std::vector<std::string> cycle;            // rule names
  std::vector<std::string> unknown_targets;  // targets that the catalogue does not know, each once, in order
  std::vector<Diagnostic> diagnostics;
  std::size_t rewrites = 0, visits = 0, nodes_before = 0, nodes_after = 0, removed = 0, created = 0;

  [[nodiscard]] bool ok() const { return stop == StopReason::converged || stop == StopReason::limit; }
  // 0 converged or the user's limit, 1 failed, 3 default limit or cycle.
  [[nodiscard]] int exit_code() const;
};

[[nodiscard]] Report apply(const RuleSet& rules, Graph& graph, const ApplyOptions& options = {});

// Removes nodes whose value nobody uses and that have no effect. Returns how many. O(size).
std::size_t remove_dead_nodes(const std::shared_ptr<const Catalogue>& catalogue, Graph& graph);

}  // namespace fxrules
