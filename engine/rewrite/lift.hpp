// What a rule made of a write inside of a nested graph reaches outside through the call alone: as one more
// result of each graph that the call may run, or as one more value that a loop carries. Behind the call stands,
// until the rules run there, a write of that result to the operand: a write like any other.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/program/program.hpp"
#include "engine/rewrite/graph_calls.hpp"

namespace fxrules::rewrite {

// What the rules made of what a graph takes.
struct BodyResult {
  std::vector<NodeId> placeholders, values;  // the placeholder itself where nothing was written
  std::vector<SymbolId> names;               // what the rule calls the new value; none when it does not say
  std::vector<NodeId> reshaped;              // placeholders that have another shape afterwards
  program::Index rule = program::kNone;      // that wrote last
};

// The new value of the operand of such a write.
struct HandBack {
  NodeId call, operand, value;
  SymbolId name, inside;  // what the rule calls the new value of the placeholder, and the placeholder
  program::Index rule = program::kNone;
};
using ResultsOfGraphs = std::unordered_map<const Graph*, BodyResult>;

class Lifting {
 public:
  Lifting(Binding& binding, const program::RuleSet& rules, std::vector<BodyCall> calls, ResultsOfGraphs& results);

  // Changes the graphs and their calls. What cannot reach outside goes to `diagnostics`.
  // O(size of the graphs + calls × operands). Graphs that several calls share change for all of them.
  void run(const Obstacles& obstacles, std::vector<Diagnostic>& diagnostics);
  // By the node that writes.
  [[nodiscard]] std::unordered_map<std::uint32_t, HandBack>& hand_backs() { return hand_backs_; }

 private:
  struct Group {  // graphs that some call may run in each other's place, or one after the other
    std::vector<Graph*> graphs;
    std::vector<Graph*> giving;  // those whose results are the call's
    std::vector<std::size_t> calls;
  };
  [[nodiscard]] std::vector<Group> groups() const;
  [[nodiscard]] std::vector<std::uint32_t> written(const Group& group) const;
  void lift(const Group& group, std::vector<Diagnostic>& diagnostics);
  [[nodiscard]] std::string refusal(const Group& group, const std::vector<std::uint32_t>& positions) const;
  [[nodiscard]] bool called_otherwise(const Group& group) const;
  [[nodiscard]] std::optional<std::uint32_t> result_of(const Group& group, std::uint32_t position) const;
  void carry(const Group& group, std::uint32_t position);
  void carry_operand(BodyCall& call, std::uint32_t position);
  std::uint32_t add_result(const Group& group, std::uint32_t position);
  void make_room(const BodyCall& call, std::uint32_t at, bool was_bare);
  void hand_back(const Group& group, const BodyCall& call, std::uint32_t position, std::optional<std::uint32_t> result);
  [[nodiscard]] NodeId item(NodeId call, std::uint32_t index, NodeId before);
  [[nodiscard]] NodeId new_call(Graph& graph, std::string_view role, std::initializer_list<NodeId> operands,
                                NodeId before);

  Binding* binding_;
  const program::RuleSet* rules_;
  Graph* graph_;
  std::vector<BodyCall> calls_;
  ResultsOfGraphs* results_;
  const Obstacles* obstacles_ = nullptr;
  std::unordered_map<const Graph*, bool> overloads_;  // whether it spells them
  std::unordered_map<std::uint32_t, HandBack> hand_backs_;
};

}  // namespace fxrules::rewrite
