// Which values share storage, and who writes it. Values form groups: a view joins its base, an in-place
// result its operand, what an unknown op returns joins everything it got. A group knows the nodes that
// write to it in program order, and whether an input or the output is among its members and users.
// Kept up to date while the graph is rewritten; nothing here decides whether a rewrite is allowed.
#pragma once

#include <vector>

#include "engine/rewrite/binding.hpp"
#include "fxrules/column.hpp"

namespace fxrules::rewrite {

class Storage {
 public:
  explicit Storage(Binding& binding);  // O(size)

  [[nodiscard]] bool together(NodeId a, NodeId b) const { return group_[a.value] == group_[b.value]; }
  [[nodiscard]] bool any_writes() const { return writes_ > 0; }
  // The first node strictly between two nodes that writes to the value's storage; `to` none: to the end.
  [[nodiscard]] NodeId write_between(NodeId value, NodeId from, NodeId to);
  // Some member of the group is used at or behind `place` by a node other than `except`.
  [[nodiscard]] bool used_after(NodeId value, NodeId place, NodeId except) const;
  [[nodiscard]] bool holds_input(NodeId value) const;
  [[nodiscard]] bool reaches_output(NodeId value) const;
  // The output holds a member of the group other than the value itself.
  [[nodiscard]] bool returned_otherwise(NodeId value) const;
  [[nodiscard]] bool derived(NodeId value);  // the value may alias an operand

  void created(NodeId n);
  void erased(NodeId n);                       // before the node leaves the graph
  void replacing(NodeId old, NodeId value);    // before all uses of old move to value
  void replaced(NodeId old, NodeId value);     // after

  // The first operand that the result may share storage with; none when it shares none.
  void aliased_operands_once(NodeId n, NodeId& operand);

  // Operands that the node's result may share storage with, and those it writes.
  template <class Visit>
  void aliased_operands(NodeId n, Visit visit);
  template <class Visit>
  void written_operands(NodeId n, Visit visit);

 private:
  struct Facts {
    std::uint32_t inputs = 0, outputs = 0;
    std::vector<NodeId> writes;  // program order; may hold nodes that are gone
  };
  void grow();
  void single(NodeId n);
  void join(NodeId a, NodeId b);
  void leave(NodeId n);
  void enter(NodeId n, NodeId member);
  void add_write(NodeId value, NodeId write);
  Facts& facts(std::uint32_t group);
  [[nodiscard]] const Facts* find_facts(std::uint32_t group) const;
  [[nodiscard]] bool is_input(NodeId n) const;
  bool asks_for_copy(const CallClass& call, NodeId n);
  template <class Visit>
  void operands_of(NodeId n, const Access& access, Visit visit);

  Binding* binding_;
  Graph* graph_;
  Column<std::uint32_t> group_, next_, prev_;  // by node; members of a group form a ring
  Column<std::uint32_t> facts_of_;             // by group
  std::vector<Facts> facts_;
  std::unordered_map<std::uint32_t, NodeId> attributes_;  // get_attr by path: one storage
  std::size_t writes_ = 0;
};

}  // namespace fxrules::rewrite
