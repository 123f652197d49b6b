// Calls that run nested graphs: `cond`, `while_loop`, `invoke_subgraph`, a module that the file holds. Which
// graphs a call runs, which operand each placeholder takes, and what the graphs do to the operands. What a
// higher-order op is like stands in the catalogue (`graphs=… operands=… calls=…`).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/rewrite/storage.hpp"

namespace fxrules::rewrite {

struct BodyCall {
  NodeId call;
  GraphCall::Kind kind = GraphCall::Kind::once;
  std::vector<Graph*> graphs;     // in the catalogue's order
  std::vector<SlotId> operands;   // one for each placeholder; valid until the call's arguments change
  std::uint32_t carried = 0;      // loop, scan: as many first operands become the first results
  std::uint32_t first_group = 0;  // argument of the call that holds those
};

// Nothing for a node that is no such call, or whose graphs are not known. O(arguments).
[[nodiscard]] std::optional<BodyCall> body_call(Binding& binding, NodeId n);
// Calls whose graphs and operands are known, in program order. O(forms) when no graph is nested, else O(size).
[[nodiscard]] std::vector<BodyCall> body_calls(Binding& binding);

// What a graph does to what it is called with, by placeholder.
struct BodyFacts {
  std::vector<NodeId> placeholders;
  std::vector<bool> writes;                            // may write its storage
  std::vector<bool> returned;                          // a result may share its storage
  bool stays = false, several = false, apart = false;  // as Binding::Effects has them
  [[nodiscard]] bool any_writes() const;
};
using FactsOfGraphs = std::unordered_map<const Graph*, BodyFacts>;

// Requires: the effects of the calls in the graph are known. O(size).
[[nodiscard]] BodyFacts facts_of(Binding& binding, Storage& storage);

// Why a write inside must not become a result of the call, by call and operand.
struct Obstacle {
  NodeId call;
  std::uint32_t operand = 0;
  std::string why;
};
using Obstacles = std::vector<Obstacle>;
// Requires: the storage knows the effects of the calls. O(operands² of a call, where one is written).
[[nodiscard]] Obstacles obstacles(Binding& binding, const std::vector<BodyCall>& calls, const FactsOfGraphs& facts,
                                  Storage& storage);

// Placeholders without metadata get that of what they are called with, where it is the same value.
void tell_placeholders(const Graph& graph, const BodyCall& call);

// Tells the binding what its calls do. O(operands of the calls × their graphs).
void add_effects(Binding& binding, const std::vector<BodyCall>& calls, const FactsOfGraphs& facts);

}  // namespace fxrules::rewrite
