// Which names of a function stand for which nodes.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "fxrules/column.hpp"
#include "fxrules/graph.hpp"

namespace fxrules::code {

class Scope {
 public:
  explicit Scope(const Graph& graph) : graph_(graph) {}

  // A node by its name, or by that of its parameter.
  [[nodiscard]] NodeId find(std::string_view name) const {
    const NodeId node = graph_.find(name);
    if (node.valid() || parameters_.empty()) return node;
    const auto found = parameters_.find(name);
    return found == parameters_.end() ? NodeId() : found->second;
  }
  void bind_parameter(std::string_view name, NodeId node) { parameters_[name] = node; }

  // `x = None` behind the last use: a later use would read None.
  void free(NodeId node) {
    if (node.value >= freed_.size()) freed_.resize(node.value + 1, 0);
    freed_[node.value] = 1;
  }
  [[nodiscard]] bool is_freed(NodeId node) const { return node.value < freed_.size() && freed_[node.value] != 0; }

 private:
  const Graph& graph_;
  std::unordered_map<std::string_view, NodeId> parameters_;  // whose nodes have another name
  Column<std::uint8_t> freed_;
};

}  // namespace fxrules::code
