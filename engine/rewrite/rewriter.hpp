// All mutation of a graph by rules goes through here: new nodes are made from fresh ones, uses move,
// arguments change, dead nodes go. It keeps the storage analysis true and tells a listener what changed.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/rewrite/spelling.hpp"
#include "engine/rewrite/users.hpp"

namespace fxrules::rewrite {

class Versions;

class Rewriter : public Maker {
 public:
  Rewriter(Binding& binding, Machine& machine);

  // ---- storage, worked out when first asked for
  [[nodiscard]] Storage& storage();
  void forget_storage() { storage_.reset(); }
  // The two count as sharing storage from now on.
  void share_storage(NodeId a, NodeId b) {
    if (storage_ != nullptr) storage_->unite(a, b);
  }

  [[nodiscard]] Users& users() { return users_; }

  // ---- what changed since `begin`
  struct Changes {
    std::vector<NodeId> created;
    std::vector<NodeId> kept;         // whose own arguments or metadata changed
    std::vector<NodeId> readers;      // which read another value than before
    std::vector<NodeId> gained_uses;  // values that are used more
    std::vector<NodeId> lost_uses;    // still there, with fewer uses
    std::vector<SymbolId> removed;    // names
    bool removed_write = false;
    void clear();
  };
  Changes& begin();
  [[nodiscard]] Changes& changes() { return changes_; }
  void on_erase(std::function<void(NodeId)> listener) { on_erase_ = std::move(listener); }

  // Whether the value can stand in a graph: no unknowns, sets, …
  [[nodiscard]] bool can_write(const Value& v) { return v.is(Tag::node) || v.is(Tag::fresh) || can_write_literal(v); }
  // Makes the fresh nodes that the value needs, before `place`; each stands for the root's dialect and
  // inherits what FX passes inherit; its metadata is what the shape functions say. `name` is for the last one.
  // False when one has no spelling.
  bool make(const Value& v, NodeId root, NodeId place, SymbolId name);
  [[nodiscard]] bool unwritable() const { return unwritable_; }  // that was because an argument cannot be written
  [[nodiscard]] NodeId node_of(const Value& v) const;            // of a node or made fresh value
  void unmake();                                                 // takes the created nodes back
  // A node that did not come from a rule.
  void made_by_engine(NodeId n) {
    if (storage_ != nullptr) storage_->created(n);
  }
  // Strides belong to the op that makes a value.
  [[nodiscard]] MetaId without_strides(MetaId meta) const;

  // Nodes for shape functions to look at: they change nothing that is counted here, take no names, and
  // neither the storage analysis nor the listener hears of them.
  void try_out(std::uint32_t fresh, NodeId root) override;
  void take_back() override;

  // All uses of `old` move; `old` goes, and so do pure nodes that this leaves without uses.
  void replace(NodeId old, NodeId value);
  // Replaces one argument by schema role; adds a keyword argument where there is none. False: same already.
  enum class Kept { changed, same, impossible };
  // The entry gives its input that value; what it named before goes if it is pure and nobody uses it.
  void set_value_of_entry(NodeId entry, NodeId value);
  // The nodes that were made since `begin` stand before `place`, in their order. Requires: no operand stands behind it.
  void move_created(NodeId place);
  Kept set_argument(NodeId n, std::string_view name, const Value& value);
  void erase_dead(NodeId n);   // requires no uses; cascades
  void erase_unused();         // what lost its last use and may go
  void erase_write(NodeId n);  // whatever waits for it means its new value
  // Values that wait for uses stay.
  void keep_alive(const Versions& versions) { versions_ = &versions; }

 private:
  [[nodiscard]] bool can_write_literal(const Value& v);
  // Makes a fresh node and those that it needs, operands first; `made` hears of each.
  template <class Make>
  bool make_all(std::uint32_t fresh, Make make);
  NodeId make_one(std::uint32_t fresh, NodeId root, NodeId place, SymbolId name);
  void infer(std::uint32_t fresh);
  bool missing_operand(std::uint32_t fresh);
  [[nodiscard]] bool unmade(const Value& v) const { return v.is(Tag::fresh) && !machine_->fresh()[v.a].made.valid(); }
  void leave_out_defaults(const FreshNode& node, const Overload& schema);
  void write(CallBuilder& builder, const Value& v);
  void note_operands(NodeId n, std::vector<NodeId>& out) const;
  void erase_all(const Versions* holds);

  Binding* binding_;
  Machine* machine_;
  Graph* graph_;
  std::unique_ptr<Storage> storage_;
  Users users_;
  bool unwritable_ = false;
  const Versions* versions_ = nullptr;
  Changes changes_;
  Speller speller_;
  // Kept, so that a rewrite allocates nothing.
  std::vector<NodeId> dead_, operands_;
  std::vector<Value> checked_;
  std::vector<std::uint32_t> todo_;  // fresh nodes to make, the first one last
  std::vector<const FreshArgument*> arguments_;
  std::vector<std::uint32_t> made_;   // by the `make` that is running
  std::vector<std::uint32_t> tried_;  // fresh nodes that are tried out
  std::function<void(NodeId)> on_erase_;
};

}  // namespace fxrules::rewrite
