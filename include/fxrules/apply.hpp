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
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fxrules/column.hpp"
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

// What becomes of the storage of an input (a placeholder, a get_attr) whose writes the rules removed.
enum class MutatedInputs : std::uint8_t {
  as_output,  // its new value is an output: one that returns it already, or one more, in input order
  copy_back,  // a `copy_` at the end writes it back
  drop,       // nothing: the caller does not look at it
};

struct Progress {
  std::string_view phase;
  std::size_t visited = 0, total = 0, rewrites = 0;
};

struct ApplyOptions {
  std::size_t max_rewrites = SIZE_MAX;  // SIZE_MAX: the default limit
  std::vector<std::string> only;        // labels; empty: all rules
  std::vector<std::string> disable;
  std::string until;  // the phases behind the first one of this name do not run; empty: all run
  MutatedInputs mutated_inputs = MutatedInputs::as_output;      // placeholders
  MutatedInputs mutated_attributes = MutatedInputs::copy_back;  // get_attr
  // Inputs of the graph, by name, that the caller passes with one storage, in a way that nobody knows.
  std::vector<std::pair<std::string, std::string>> shared_inputs;
  bool infer = true;         // first give nodes without metadata what the shape functions say
  bool dce = false;          // also remove what was dead in the input
  bool record = true;        // keep one Application for each rewrite
  bool near_misses = false;  // look afterwards at what almost matched
  bool profile = false;      // measure where the time goes: a few looks at the clock for each match
  // On failure (failed, default_limit, cycle) put the graph back as it was. Costs a copy of the graph.
  bool restore_on_failure = true;
  std::function<void(const Progress&)> progress;  // about ten times a second, or not at all
};

// One rewrite. Names are symbols of the graph and stay readable after their nodes are gone.
struct Application {
  std::uint32_t rule = 0;  // index into Report::rules
  SymbolId root;
  std::span<const SymbolId> matched;  // all matched nodes, root first
  std::span<const SymbolId> created;
  SymbolId result;  // the value that took the root's place; the root itself when it was kept
  // Of a rule with several roots, the others: each name followed by that of the value that took its place.
  std::span<const SymbolId> replaced = {};
};

// A list of applications, kept flat: there may be millions. What it gives stays valid until it grows.
class Applications {
 public:
  class iterator;
  [[nodiscard]] std::size_t size() const { return heads_.size(); }
  [[nodiscard]] bool empty() const { return heads_.empty(); }
  [[nodiscard]] Application operator[](std::size_t i) const {
    const Head& h = heads_[i];
    const SymbolId* names = names_.data() + h.names;
    return {h.rule,
            h.root,
            {names, h.matched},
            {names + h.matched, h.created},
            h.result,
            {names + h.matched + h.created, h.replaced}};
  }
  [[nodiscard]] Application back() const { return (*this)[size() - 1]; }
  [[nodiscard]] iterator begin() const;
  [[nodiscard]] iterator end() const;
  // Requires: the names do not belong to this list.
  void push_back(const Application& a) {
    const auto length = [](const auto& names) { return static_cast<std::uint32_t>(names.size()); };
    heads_.push_back(
        {a.rule, a.root, a.result, length(names_), length(a.matched), length(a.created), length(a.replaced)});
    for (const SymbolId name : a.matched) names_.push_back(name);
    for (const SymbolId name : a.created) names_.push_back(name);
    for (const SymbolId name : a.replaced) names_.push_back(name);
  }
  void clear() {
    heads_.resize(0);
    names_.resize(0);
  }

 private:
  struct Head {
    std::uint32_t rule = 0;
    SymbolId root, result;
    std::uint32_t names = 0, matched = 0, created = 0, replaced = 0;  // first name, how many
  };
  Column<Head> heads_;
  Column<SymbolId> names_;
};

class Applications::iterator {
 public:
  using value_type = Application;
  using difference_type = std::ptrdiff_t;
  iterator() = default;
  iterator(const Applications& list, std::size_t at) : list_(&list), at_(at) {}
  Application operator*() const { return (*list_)[at_]; }
  iterator& operator++() {
    ++at_;
    return *this;
  }
  iterator operator++(int) {
    iterator before = *this;
    ++at_;
    return before;
  }
  friend bool operator==(const iterator& a, const iterator& b) { return a.at_ == b.at_; }

 private:
  const Applications* list_ = nullptr;
  std::size_t at_ = 0;
};
inline Applications::iterator Applications::begin() const { return {*this, 0}; }
inline Applications::iterator Applications::end() const { return {*this, size()}; }

struct RuleReport {
  std::string name;
  std::string phase;
  Span span;
  std::size_t rewrites = 0;
  std::size_t matched = 0;        // how often the pattern matched; a match that waits counts each time it is tried
  std::size_t guard_false = 0;    // matched, every alternative's guard false
  std::size_t guard_unknown = 0;  // matched, no guard known true, one of them unknown
  std::size_t refused = 0;        // matched and guarded, but not safe: a read would pass a write, …
  // With ApplyOptions::near_misses. All ops of the pattern were there at the end, but first failed:
  std::size_t kind_failed = 0;      // `x: Tensor`
  std::size_t literal_failed = 0;   // `0`
  std::size_t repeated_failed = 0;  // a name in two places
  // With ApplyOptions::profile, of its matches: evaluating guards; everything else, from results to moved uses.
  double guard_seconds = 0, rewrite_seconds = 0;

  [[nodiscard]] std::size_t near_misses() const {
    return guard_false + guard_unknown + refused + kind_failed + literal_failed + repeated_failed;
  }
};

struct Note {  // `=> note "…"` and refusals of pure rules
  std::uint32_t rule = 0;
  SymbolId node;
  std::string text;
};

// An input whose new value is where the options say.
struct MutatedInput {
  SymbolId input;
  SymbolId value;                     // the node that holds the new value
  std::optional<std::size_t> output;  // index of the output that returns it
  bool appended = false;              // that output is new
  bool copied_back = false;
};

struct NestedReport;

struct Report {
  StopReason stop = StopReason::converged;
  std::vector<RuleReport> rules;  // all rules that took part, in order
  Applications applications;
  std::vector<Note> notes;
  std::vector<MutatedInput> mutated_inputs;  // in input order
  std::vector<std::string> cycle;            // rule names
  std::vector<std::string> unknown_targets;  // targets that the catalogue does not know, each once, in order
  std::vector<Diagnostic> diagnostics;
  std::size_t rewrites = 0, visits = 0, nodes_before = 0, nodes_after = 0, removed = 0, created = 0;
  // With ApplyOptions::profile. Matching is shared by the rules of a phase and is nobody's; settling binds the uses of
  // written storage and spreads metadata between phases; the total has reading inputs and writing them back, too.
  double match_seconds = 0, settle_seconds = 0, total_seconds = 0;

  // Of nested graphs, each in front of those that it holds. The outer report fails where one of them does.
  std::vector<NestedReport> nested;

  [[nodiscard]] bool ok() const { return stop == StopReason::converged || stop == StopReason::limit; }
  // 0 converged or the user's limit, 1 failed, 3 default limit or cycle.
  [[nodiscard]] int exit_code() const;
};

struct NestedReport {
  std::string path;  // "true_graph_0", "body.inner"
  Graph* graph = nullptr;
  Report report;
};

// Rewrites the graph and all that are nested in it. What rules make of a write to an operand inside of a nested
// graph is one more result of the call, which later uses outside mean.
[[nodiscard]] Report apply(const RuleSet& rules, Graph& graph, const ApplyOptions& options = {});

// Removes nodes whose value nobody uses and that have no effect. Returns how many. O(size).
std::size_t remove_dead_nodes(const std::shared_ptr<const Catalogue>& catalogue, Graph& graph);

}  // namespace fxrules
