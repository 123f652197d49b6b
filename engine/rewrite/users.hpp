// Users of a value, for the further roots of a rule: in program order, and of a value with many users only
// those whose call form the root's pattern can start with, so that a hub is looked through once and not once
// for each of its users.
#pragma once

#include <memory>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/rewrite/binding.hpp"

namespace fxrules::rewrite {

class Users {
 public:
  explicit Users(Binding& binding) : binding_(&binding), graph_(&binding.graph()) {}

  struct Before {
    const Graph* graph;
    bool operator()(NodeId a, NodeId b) const { return graph->precedes(a, b); }
  };
  using Ordered = std::set<NodeId, Before>;

  [[nodiscard]] bool many(NodeId value) const { return graph_->use_count(value) > kFew; }
  // Users of the value that may match, and perhaps some that may not. Stays valid while nodes are made and
  // taken back; what is erased leaves it.
  const Ordered& of(NodeId value, const program::MatchProgram& match);
  // What lies that many uses behind the value, in program order.
  [[nodiscard]] std::vector<NodeId> behind(NodeId value, unsigned hops) const;

  // The graph changes: before a node's operands go, after they came, before the node goes, after uses moved.
  void leaving(NodeId n) {
    if (!hubs_.empty()) leave_hubs(n);
  }
  void arrived(NodeId n) {
    if (!hubs_.empty()) enter_hubs(n);
  }
  void erased(NodeId n) {
    leaving(n);
    if (!hubs_.empty()) hubs_.erase(n.value);
  }
  void forget() { hubs_.clear(); }  // uses moved otherwise
  void moved(NodeId old, NodeId value, std::span<const NodeId> readers, std::uint32_t uses);

 private:
  static constexpr std::uint32_t kFew = 16;
  struct Hub {
    std::uint32_t uses = 0;  // that are accounted for: another number means that the index is out of date
    std::vector<std::pair<const program::MatchProgram*, std::unique_ptr<Ordered>>> by_match;
  };
  template <class Visit>
  void hubs_of(NodeId n, Visit visit);
  void leave_hubs(NodeId n);
  void enter_hubs(NodeId n);

  Binding* binding_;
  Graph* graph_;
  std::unordered_map<std::uint32_t, Hub> hubs_;
};

}  // namespace fxrules::rewrite
