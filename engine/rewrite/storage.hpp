// Which values share storage, and who writes it. Values form groups: a view joins its base, an in-place
// result its operand, what an unknown op returns joins everything it got. A group knows the nodes that
// write to it in program order, and whether an input or the output is among its members and users.
// Kept up to date while the graph is rewritten; nothing here decides whether a rewrite is allowed.
#pragma once

#include <span>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "engine/rewrite/binding.hpp"
#include "fxrules/column.hpp"

namespace fxrules::rewrite {

class Storage {
 public:
  explicit Storage(Binding& binding);  // O(size)

  [[nodiscard]] bool together(NodeId a, NodeId b) const { return group_of(a) == group_of(b); }
  [[nodiscard]] bool any_writes() const { return writes_ > 0; }
  // Placeholders and get_attr nodes in program order, as the graph was when this was made.
  [[nodiscard]] const std::vector<NodeId>& inputs() const { return inputs_; }
  // Some call changes the sizes or strides of its operand alone (`t_`): views of one storage are then not alike.
  [[nodiscard]] bool changes_views() const { return changes_views_; }
  // The first node strictly between two nodes that writes to the value's storage; `to` none: to the end.
  [[nodiscard]] NodeId write_between(NodeId value, NodeId from, NodeId to);
  // Some member of the group is used at or behind `place` by a node that is none of `except`.
  [[nodiscard]] bool used_after(NodeId value, NodeId place, std::span<const NodeId> except) const;
  [[nodiscard]] bool used_after(NodeId value, NodeId place, NodeId except) const {
    return used_after(value, place, std::span(&except, 1));
  }
  // The last node that uses a member and is none of `except`; none where nobody does.
  [[nodiscard]] NodeId last_user(NodeId value, std::span<const NodeId> except) const;
  [[nodiscard]] bool holds_input(NodeId value) const;
  // The input whose storage it is; none where it is none's, or more than one.
  [[nodiscard]] NodeId only_input(NodeId value) const;
  // How often the output holds a member, entries of the signature included, and how many are such entries.
  [[nodiscard]] bool reaches_output(NodeId value) const;
  struct Outputs {
    std::uint32_t all = 0, entries = 0;
    NodeId entry;  // one of them
  };
  [[nodiscard]] Outputs outputs(NodeId value) const;
  // The output holds a member of the group other than the value itself.
  [[nodiscard]] bool returned_otherwise(NodeId value) const;
  [[nodiscard]] bool derived(NodeId value);  // the value may alias an operand

  void created(NodeId n);
  void erased(NodeId n);                                         // before the node leaves the graph
  void replacing(NodeId old, NodeId value);                      // before all uses of old move to value
  void replaced(NodeId old, NodeId value, std::uint32_t moved);  // after; how many uses moved

  // The output holds the value once more.
  void returned(NodeId value) { ++facts(group_of(value)).outputs.all; }

  // From now on the two count as sharing storage: uses of one move to the other as they are met.
  void unite(NodeId a, NodeId b) { join(a, b); }
  // The value of an entry, before and after it changes.
  void leaves_entry(NodeId value) { count_output(value, -1, NodeId()); }
  void enters_entry(NodeId value, NodeId entry) { count_output(value, 1, entry); }

  // The first operand that the result may share storage with; none when it shares none.
  void aliased_operands_once(NodeId n, NodeId& operand);

 private:
  using Writes = boost::container::small_vector<NodeId, 2>;  // nearly all storage is written once, if at all
  struct Facts {
    std::uint32_t inputs = 0;
    NodeId input;  // one of them
    Outputs outputs;
    Writes writes;          // program order; may hold nodes that are gone
    std::size_t first = 0;  // of `writes` that counts: a sweep that removes writes removes the first ones
    [[nodiscard]] auto begin() { return writes.begin() + static_cast<std::ptrdiff_t>(first); }
    void forget_removed() {
      writes.erase(writes.begin(), begin());
      first = 0;
    }
  };
  // Members of a group form a ring. Ids are kept as differences from the node's own, so that zeros mean a
  // node that shares its storage with no other: nearly all nodes do, and need no setting up.
  struct Member {
    std::uint32_t group = 0, next = 0, prev = 0;  // each XOR the node's id
    std::uint32_t facts = 0;                      // of the group that has this id: index + 1, or 0
  };
  [[nodiscard]] std::uint32_t group_of(NodeId n) const { return members_[n.value].group ^ n.value; }
  [[nodiscard]] NodeId next_of(NodeId n) const { return NodeId(members_[n.value].next ^ n.value); }
  [[nodiscard]] NodeId prev_of(NodeId n) const { return NodeId(members_[n.value].prev ^ n.value); }
  void link(NodeId n, NodeId next) {
    members_[n.value].next = next.value ^ n.value;
    members_[next.value].prev = n.value ^ next.value;
  }
  [[nodiscard]] bool alone(NodeId n) const { return members_[n.value].next == 0; }
  void grow();
  void single(NodeId n);
  void join(NodeId a, NodeId b);
  void leave(NodeId n);
  void enter(NodeId n, NodeId member);
  void add_write(NodeId value, NodeId write);
  Facts& facts(std::uint32_t group);
  [[nodiscard]] const Facts* find_facts(std::uint32_t group) const;
  [[nodiscard]] bool is_input(NodeId n) const;
  void take_place(NodeId old, NodeId value);
  void move_derived(NodeId old, NodeId value, std::uint32_t uses);
  void move_outputs(NodeId member, std::uint32_t from, std::uint32_t to);
  [[nodiscard]] bool is_output(NodeId n) const;
  void count_output(NodeId value, int by, NodeId entry);

  Binding* binding_;
  Graph* graph_;
  Column<Member> members_;  // by node
  std::vector<Facts> facts_;
  std::vector<NodeId> inputs_;
  std::vector<NodeId> todo_, moved_;                      // kept, so that a rewrite allocates nothing
  std::unordered_map<std::uint32_t, NodeId> attributes_;  // get_attr by path: one storage
  std::size_t writes_ = 0;
  bool changes_views_ = false;
  bool takes_place_ = false;  // by the replacement that is going on
};

}  // namespace fxrules::rewrite
