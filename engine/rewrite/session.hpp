// One rule set at work on one graph: decides whether a match may be rewritten, and rewrites it. Which
// matches are tried and in what order is the driver's business (apply.cpp; the reference engine of the
// tests has another one).
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/rewrite/lift.hpp"
#include "engine/rewrite/rewriter.hpp"
#include "engine/rewrite/versions.hpp"
#include "fxrules/apply.hpp"

namespace fxrules::rewrite {

// Why a match with a guard that holds is not rewritten.
enum class Refusal : std::uint8_t {
  none,
  root_writes,      // the root changes an operand in place
  read_moves,       // something writes a value between where the pattern read it and the root
  written_later,    // a later write would reach, or no longer reach, other readers
  aliases_output,   // an output would become an input or another output
  not_before,       // an operand of the new node stands behind it
  replaced,         // a result uses a root that the rule replaces
  no_spelling,      // no op of that name takes these arguments
  not_known,        // the result needs a value that is not known
  keeps_new,        // `keep` of a node that would have to be made
  no_node,          // the result is a number, a list, …: only a node can take a node's place
  operand_left,     // the root writes an operand that the rule gives no new value
  shared_operands,  // two written operands share storage
  result_used,      // the root's result is used and is none of its operands
  read_later,       // something behind a new write reads what it writes to
  not_writable,     // a new write to an input that keeps its value
  reads_written,    // a new write reads what it writes to through another operand
  writes_nothing,   // a result that is only made for what it writes does not write
  effect_moves,     // the new write would repeat or move a call that is random or has an effect
  read_before,      // a matched value that gets another one is read before the root
};

enum class Outcome : std::uint8_t { declined, applied, failed, noted };

class Session {
 public:
  Session(const program::RuleSet& rules, Graph& graph, const ApplyOptions& options, Report& report);

  [[nodiscard]] Binding& binding() { return binding_; }
  [[nodiscard]] Machine& machine() { return machine_; }
  [[nodiscard]] Rewriter& rewriter() { return rewriter_; }
  [[nodiscard]] Versions& versions() { return versions_; }
  [[nodiscard]] Graph& graph() { return *graph_; }
  [[nodiscard]] bool enabled(program::Index rule) const { return enabled_[rule]; }

  // Before a node is matched against the phase.
  void begin_matching(const program::Phase& phase, NodeId root);
  // What a matcher gave up, into the report.
  void report_given_up(Matcher& matcher);

  // Tries the rule on a match of its main pattern. `variables` is sized and filled as the accept says,
  // `nodes` holds the matched nodes, root first. Registers of the matcher are not touched.
  Outcome attempt(program::Index rule, NodeId root, std::vector<Value>& variables, std::vector<NodeId>& nodes);

  // What the last attempt asked about, for the driver to know when to try again.
  [[nodiscard]] const Dependencies& dependencies() const { return last_dependencies_; }
  [[nodiscard]] Refusal refusal() const { return refusal_; }

  // Writes behind calls whose graphs wrote before: each is a value already, for the operand's later uses.
  void expect(std::unordered_map<std::uint32_t, HandBack> hand_backs) { hand_backs_ = std::move(hand_backs); }
  [[nodiscard]] bool hands_back(NodeId n) const { return !hand_backs_.empty() && hand_backs_.contains(n.value); }
  // Requires: hands_back(n). False when the write is a write-back, which stays.
  bool hand_back(NodeId n);
  [[nodiscard]] program::Index writing() const { return writing_; }

  // Metadata that follows from changed devices, when nothing more is rewritten; the nodes that it changed.
  std::vector<NodeId> settle_metadata();
  // What is not settled yet goes on in another session.
  void take_changes_of(Session& other) { device_changes_ = std::move(other.device_changes_); }

 private:
  Outcome alternatives(const program::Rule& rule, program::Index index, NodeId root, std::vector<Value>& variables,
                       std::vector<NodeId>& nodes);
  Truth truth_of_guard(program::Index index, const program::Alternative& alternative, std::vector<Value>& variables);
  struct Joined {
    std::vector<Value> variables;
    std::vector<NodeId> nodes;
  };
  Outcome join(const program::Rule& rule, program::Index index, NodeId root, std::size_t extra,
               std::vector<Value>& variables, std::vector<NodeId>& nodes);
  std::vector<Joined> matches_of(const program::ExtraRoot& extra, NodeId user, const std::vector<Value>& variables,
                                 const std::vector<NodeId>& nodes);
  [[nodiscard]] const program::ExtraRoot::Anchor* cheapest_anchor(const program::ExtraRoot& extra,
                                                                  const std::vector<Value>& variables) const;
  Outcome value(const program::Rule& rule, program::Index index, const program::Alternative& alternative, NodeId root,
                std::vector<Value>& variables, const std::vector<NodeId>& nodes);
  Outcome keep(program::Index index, const program::Alternative& alternative, NodeId root,
               std::vector<Value>& variables, const std::vector<NodeId>& nodes);
  Outcome say(program::Index index, const program::Alternative& alternative, NodeId root,
              std::vector<Value>& variables);
  Outcome refuse(program::Index index, NodeId root, Refusal why);
  void report_refusal(program::Index index, NodeId root, Refusal why);
  void report_helper();
  void record(program::Index index, NodeId root, const std::vector<NodeId>& nodes, SymbolId result);

  // writes.cpp: the root writes operands, whose later uses move
  struct Written {
    NodeId operand;
    Value value;
    program::Code as;
    SymbolId name;  // of the base, when the operand is a view
  };
  struct Gathered {
    std::vector<Written> written;
    Value root = Value::make(Tag::none);           // where the root's uses get a value of their own
    std::vector<Value> effects;                    // made for what they write
    std::vector<std::pair<NodeId, Value>> others;  // matched values whose uses behind the root mean another one
    [[nodiscard]] bool keeps_operands() const;     // what was written stands there already, or new calls write it
  };
  [[nodiscard]] std::vector<NodeId> written_by(NodeId root);
  [[nodiscard]] bool may_write(NodeId root) {
    const CallClass& call = binding_.call_class(root);
    return (call.writes || call.unknown) && !written_by(root).empty();
  }
  [[nodiscard]] bool is_write_back(NodeId root);
  Outcome write(program::Index index, const program::Alternative& alternative, NodeId root,
                std::vector<Value>& variables, const std::vector<NodeId>& nodes);
  Refusal gather_written(const program::Alternative& alternative, NodeId root, const std::vector<NodeId>& operands,
                         const std::vector<Value>& variables, const std::vector<NodeId>& nodes, Gathered& gathered);
  Refusal written_in_place(NodeId root, const std::vector<NodeId>& nodes, const Gathered& gathered);
  [[nodiscard]] Refusal new_value_allows(NodeId root, NodeId operand, NodeId value);
  [[nodiscard]] bool reads_what_it_writes(NodeId root, const std::vector<Written>& written);
  void settle_root(NodeId root, NodeId value);
  Outcome refuse_write(program::Index index, NodeId root, Refusal why);

  [[nodiscard]] Refusal operands_allow(const std::vector<Value>& values, NodeId root, const std::vector<NodeId>& nodes);
  [[nodiscard]] bool decides_write(NodeId n, std::string_view argument);

  // new_writes.cpp: what rules make writes operands
  [[nodiscard]] Refusal make_effects(const std::vector<Value>& effects, NodeId root);
  [[nodiscard]] bool reads_written(NodeId write, NodeId operand);
  [[nodiscard]] Refusal new_writes_allow(const std::vector<NodeId>& going);
  [[nodiscard]] Refusal new_write_allows(NodeId write, NodeId operand, const std::vector<NodeId>& except);
  [[nodiscard]] bool writes_anew(NodeId value);
  [[nodiscard]] Refusal takes_over(NodeId old, NodeId value);
  [[nodiscard]] NodeId in_place_base(NodeId n);

  // write_backs.cpp: the root is an entry of the signature
  Outcome write_back(program::Index index, const program::Alternative& alternative, NodeId root,
                     std::vector<Value>& variables, const std::vector<NodeId>& nodes);
  [[nodiscard]] Refusal entry_allows(NodeId root, NodeId old, NodeId value);
  void move_up(NodeId root);
  [[nodiscard]] NodeId last_input();
  // An entry is reported under the name of its input. Erased nodes keep their names.
  [[nodiscard]] SymbolId name_of(NodeId n) {
    const bool entry = graph_->signature() != nullptr && graph_->alive(n) && binding_.is_entry(n);
    return graph_->name_id(entry ? binding_.input_of_entry(n) : n);
  }

  // legality.cpp
  struct Replacement {
    NodeId old;
    Value value;
    program::Code as;
  };
  [[nodiscard]] Refusal reads_move(const std::vector<NodeId>& nodes, NodeId root);
  enum class Sharing : std::uint8_t { none, maybe, alike, view, same };
  [[nodiscard]] bool is_new(NodeId n);
  [[nodiscard]] Sharing sharing(NodeId old, NodeId value);
  [[nodiscard]] bool returns_itself(const CallClass& call, NodeId n, NodeId operand);
  [[nodiscard]] Refusal storage_allows(NodeId old, NodeId value);
  [[nodiscard]] Refusal output_allows(NodeId old, NodeId value);
  void inherit(NodeId from, NodeId to);
  void join(TensorMeta& known, const TensorMeta& inferred);
  bool keep_meta(NodeId n, std::string_view key, const Value& value);
  void device_changed(NodeId n, const Value& device);

  const program::RuleSet* rules_;
  Graph* graph_;
  const ApplyOptions* options_;
  Report* report_;
  Binding binding_;
  Machine machine_;
  Rewriter rewriter_;
  Versions versions_;
  program::Index writing_ = program::kNone;                 // the rule whose write made the versions, for diagnostics
  std::unordered_map<std::uint32_t, HandBack> hand_backs_;  // by the node that writes
  Matcher extra_matcher_;
  std::vector<bool> enabled_;
  std::vector<std::vector<bool>> noted_, refused_;  // by rule, by node: each is said once
  std::unordered_set<std::uint32_t> wrong_;         // nodes with an error of a rule; what follows from it is not said
  Dependencies last_dependencies_;
  Refusal refusal_ = Refusal::none;
  Refusal unbuilt_ = Refusal::none;                          // why an alternative whose guard holds gave no result
  std::vector<std::pair<NodeId, SymbolId>> device_changes_;  // not settled yet, each with the device it was on
  // Kept, so that an attempt allocates nothing.
  std::vector<Replacement> replacements_;
  std::vector<Value> effects_;
  std::vector<NodeId> new_writes_, going_;
  std::unordered_map<std::uint32_t, NodeId> moved_behind_;  // by node: the last one that was put behind it
  NodeId last_input_;
  std::unordered_map<std::uint32_t, NodeId> in_place_of_;  // in-place results: what they are, as far as it was looked
  std::vector<SymbolId> matched_, created_, replaced_;
};

[[nodiscard]] std::string describe(Refusal refusal);

}  // namespace fxrules::rewrite
