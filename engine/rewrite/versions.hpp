// Which value a use means once a write has become a value. As in SSA construction, storage that rules write
// has versions, and each use behind a write is bound once, to the version that is current where it stands.
//
// Storage is a *buffer*: its base and the members that share it, each with the view that makes it of another.
// A rewritten write gives the buffer a new version. The uses behind it are not walked again at the next
// write: they wait in one queue in program order and are bound when the sweep reaches them. A member that is
// read in a later version is made again from the new base; a write through a view reaches the base by the
// view's inverse, once somebody reads it. N writes to one buffer cost O(uses · log uses) together.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/rewrite/effects.hpp"
#include "engine/rewrite/rewriter.hpp"

namespace fxrules::rewrite {

class Versions {
 public:
  // A use could not be bound: its place and why.
  using Report = std::function<void(NodeId user, std::string why)>;

  Versions(Binding& binding, Machine& machine, Rewriter& rewriter, Report report);

  // Uses may wait until the sweep reaches them; otherwise each write binds all of them at once.
  void wait_for_sweep(bool wait) { lazy_ = wait; }
  [[nodiscard]] bool pending() const { return !waiting_.empty(); }

  // Binds what stands up to and at `n`. The sweep calls it for each node in program order. O(1) when nothing waits.
  void reach(NodeId n) {
    if (!waiting_.empty()) bind_until(n);
  }
  // The node was not rewritten: what it writes in place is written.
  void stays(NodeId n);
  // Binds everything: nothing waits afterwards.
  void settle();
  // And lets go what was held for it and nobody reads.
  void finish();

  // Before anything else is asked about a write at `root`.
  void begin(NodeId root);
  // The write of `root` to `operand` is from now on the value `value`, which stands before the root (or is
  // the root, when an argument of it was changed). `name` is what the rule calls the new value of the base;
  // it is given when the operand is a view and the base is made. `returned`: the root's own uses mean the new
  // value too. Requires: `root` is still in the graph.
  void write(NodeId root, NodeId operand, NodeId value, SymbolId name, bool returned);
  // An op gave the value another shape or stride in place (`t_`).
  [[nodiscard]] bool reshaped(NodeId origin) const { return reshaped_.contains(origin.value); }
  // Whether the operand is a view, whose base gets the name.
  [[nodiscard]] bool through_view(NodeId root, NodeId operand);
  // The buffer that the operand belongs to, where a write stands; equal for operands that share storage.
  [[nodiscard]] std::uint32_t buffer_of(NodeId root, NodeId operand);

  // The graph input, or the value, that the node's storage began as: through views and earlier writes.
  [[nodiscard]] NodeId origin(NodeId n);
  // What rules call the last new value of this origin; none when they do not say.
  [[nodiscard]] SymbolId name_of(NodeId origin) const {
    const auto known = names_.find(origin.value);
    return known == names_.end() ? SymbolId() : known->second;
  }
  // Uses of this node may not be what they will be: `finish` settles them.
  [[nodiscard]] bool knows(NodeId n) const { return pending() && member_of_.contains(n.value); }
  // Must stay although nothing seems to use it.
  [[nodiscard]] bool holds(NodeId n) const { return pending() && member_of_.contains(n.value); }

  // Nodes that were made or bound since the last call, for another look.
  [[nodiscard]] std::vector<NodeId>& touched() { return touched_; }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  // A value of a buffer, as the graph makes it.
  struct Member {
    NodeId node;                   // its own node, whose call makes it again
    std::uint32_t parent = kNone;  // the member that it is a view of; none: the base
    std::uint32_t buffer = 0;
    std::uint32_t same = 0;              // the member that it is, through results of in-place ops
    std::uint32_t depth = 0, jump = 0;   // views up to the base; an ancestor far above
    Relation relation = Relation::view;  // to the parent
    std::uint32_t born = 0;              // the version that `node` is the value in
    NodeId value;                        // the value in version `version`
    std::uint32_t version = 0;
    NodeId call;  // the view as a call of its parent in version `call_version`, for its inverse
    std::uint32_t call_version = 0;
    std::uint32_t renamed = kNone;  // `t_`, `set_`: later uses mean this member
  };
  struct Buffer {
    std::uint32_t base = 0;  // member
    NodeId current;          // the base in version `current_version`
    std::uint32_t version = 0, current_version = 0;
    std::uint32_t written = kNone;  // the view that was written since: `current` lacks it
    NodeId written_value;
    SymbolId name;                                        // for the base when it is made
    std::uint32_t apart = kNone;                          // a view whose value does not share storage with `current`
    std::vector<std::pair<NodeId, std::uint32_t>> fresh;  // nodes whose later uses do not wait yet, their members
  };
  struct Use {
    SlotId slot;
    NodeId owner;
    std::uint32_t member = 0;
  };

  [[nodiscard]] bool later(const Use& a, const Use& b) const;
  void bind_until(NodeId n);
  void bind_uses_of(NodeId owner);
  void wait(SlotId slot, NodeId owner, std::uint32_t member);
  void wait_for_uses_behind(Buffer& buffer, NodeId place);
  [[nodiscard]] bool still_there(const Use& use) const;

  std::uint32_t adopt(NodeId n, NodeId place);
  void adopt_users(std::uint32_t base, NodeId place);
  void adopt_result(NodeId n);
  [[nodiscard]] bool reshapes(NodeId n);
  std::uint32_t add_member(NodeId node, std::uint32_t parent, std::uint32_t buffer, Relation relation);
  void know(NodeId node, std::uint32_t member);
  [[nodiscard]] std::uint32_t same_as(std::uint32_t member) const { return members_[member].same; }
  [[nodiscard]] bool several_operands(NodeId n);
  [[nodiscard]] std::span<const NodeId> same_parts(NodeId part);
  [[nodiscard]] bool below(std::uint32_t member, std::uint32_t ancestor) const;

  void give_another_shape(NodeId root, NodeId operand, std::uint32_t member, NodeId value);
  void rebind(NodeId root, NodeId operand, std::uint32_t member, NodeId value);

  // version_values.cpp
  NodeId value_of(std::uint32_t member, NodeId place);
  NodeId value_before_write(std::uint32_t member, NodeId place);
  NodeId call_before_write(std::uint32_t member, NodeId place);
  [[nodiscard]] bool keeps_strides(NodeId operand, NodeId value) const;
  NodeId remake(std::uint32_t member, NodeId parent_value, NodeId place);
  bool make_base(Buffer& buffer, NodeId place);
  void failed(NodeId user, const std::string& why);
  void release();

  Binding* binding_;
  Machine* machine_;
  Rewriter* rewriter_;
  Graph* graph_;
  Report report_;
  std::unordered_map<std::uint32_t, std::vector<NodeId>> attributes_;  // get_attr nodes by path
  struct Parts {
    std::uint32_t uses = 0;  // of the call when they were looked up
    std::unordered_map<std::int64_t, std::vector<NodeId>> by_index;
  };
  std::unordered_map<std::uint32_t, Parts> parts_;  // items of calls that give several new tensors, by call
  std::unordered_set<std::uint32_t> reshaped_;      // origins whose own sizes or strides an op changed
  bool lazy_ = false, written_ = false;
  std::vector<Member> members_;
  std::vector<Buffer> buffers_;
  std::unordered_map<std::uint32_t, std::uint32_t> member_of_;  // by node, values of versions included
  std::vector<Use> waiting_;                                    // a heap, the earliest use first
  NodeId reached_;                                              // uses up to here are bound while others wait
  std::vector<NodeId> touched_, known_;
  std::unordered_map<std::uint32_t, SymbolId> names_;  // by origin
  std::unordered_map<std::uint32_t, NodeId> origins_;  // of values that took a base's place, and of those asked for
};

}  // namespace fxrules::rewrite
