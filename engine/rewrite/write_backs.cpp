// Rules for entries of the signature: `writeback(p, v) => writeback(p, e)` gives the entry another value, in its own
// place. What is made for it stands as early as it may: behind its operands and behind the last read of what it
// writes to; nothing that it reads is written later.
#include <algorithm>

#include "engine/rewrite/session.hpp"

namespace fxrules::rewrite {

using program::Index;

Outcome Session::write_back(Index index, const program::Alternative& alternative, NodeId root,
                            std::vector<Value>& variables, const std::vector<NodeId>& nodes) {
  const program::Assignment& assignment = alternative.assignments[0];
  const Value value = variables[assignment.value];
  if (!value.is(Tag::node) && !value.is(Tag::fresh)) {
    unbuilt_ = value.unusable() ? Refusal::not_known : Refusal::no_node;
    return Outcome::declined;
  }
  const NodeId old = (*graph_)[binding_.value_of_entry(root)].node(), first = binding_.first_entry();
  if (value.is(Tag::node) && value.node() == old) return Outcome::declined;  // nothing would change
  Refusal why = reads_move(nodes, root);
  if (why == Refusal::none && value.is(Tag::node) && !graph_->precedes(value.node(), first)) why = Refusal::not_before;
  if (why != Refusal::none) return refuse(index, root, why);
  SymbolId name;
  if (assignment.as.present() && value.is(Tag::fresh)) {
    const Value text = machine_.run(assignment.as, variables);
    if (text.is(Tag::string)) name = graph_->numbered_name(graph_->text(text.symbol()));
  }
  if (!rewriter_.make(value, root, first, name)) {
    rewriter_.unmake();
    if (!rewriter_.unwritable()) return refuse(index, root, Refusal::no_spelling);
    unbuilt_ = Refusal::not_known;
    return Outcome::declined;
  }
  for (const NodeId n : rewriter_.changes().created) {
    for (const Slot& s : graph_->slots(n)) {
      if (s.kind == ArgKind::node && !graph_->precedes(s.node(), n)) why = Refusal::not_before;
    }
  }
  if (why == Refusal::none) why = new_writes_allow({root});
  if (why == Refusal::none) why = entry_allows(root, old, rewriter_.node_of(value));
  if (why != Refusal::none) {
    rewriter_.unmake();
    return refuse(index, root, why);
  }
  const NodeId now = rewriter_.node_of(value);
  if (value.is(Tag::fresh) && !graph_->meta(now).valid()) inherit(old, now);
  move_up(root);
  rewriter_.set_value_of_entry(root, now);
  replaced_.clear();
  record(index, root, nodes, graph_->name_id(now));
  return Outcome::applied;
}

// All entries are read at the end, after one another: a value must not newly be another input or another output.
Refusal Session::entry_allows(NodeId root, NodeId old, NodeId value) {
  Storage& storage = rewriter_.storage();
  const Sharing shared = sharing(old, value);
  if (shared != Sharing::none && shared != Sharing::maybe) return Refusal::none;
  const bool own = in_place_base(value) == binding_.input_of_entry(root) && storage.only_input(value).valid();
  if (storage.holds_input(value) && !own) return Refusal::aliases_output;
  return shared == Sharing::none && storage.reaches_output(value) ? Refusal::aliases_output : Refusal::none;
}

void Session::move_up(NodeId root) {
  const std::vector<NodeId>& created = rewriter_.changes().created;
  if (created.empty()) return;
  Storage& storage = rewriter_.storage();
  std::vector<NodeId> except = created;
  except.push_back(root);
  NodeId last;
  const auto behind = [&](NodeId n) {
    if (n.valid() && (!last.valid() || graph_->precedes(last, n))) last = n;
  };
  for (const NodeId n : created) {
    if (!binding_.call_class(n).removable && !binding_.writes(n))
      return;  // random numbers, effects: they keep their turn
    for (const Slot& s : graph_->slots(n)) {
      if (s.kind == ArgKind::node && !is_new(s.node())) behind(s.node());
    }
    written_operands(binding_, n, [&](NodeId operand) { behind(storage.last_user(operand, except)); });
  }
  if (!last.valid()) return;
  for (const NodeId n : created) {
    for (const Slot& s : graph_->slots(n)) {
      if (s.kind != ArgKind::node || is_new(s.node())) continue;
      const NodeId write = storage.write_between(s.node(), last, NodeId());
      if (write.valid() && !is_new(write)) return;
    }
  }
  if (graph_->opcode(last) == Opcode::placeholder) last = last_input();
  // Behind what was put there for earlier entries: they keep their order.
  NodeId& tail = moved_behind_.try_emplace(last.value, last).first->second;
  const NodeId place = graph_->next(graph_->alive(tail) ? tail : last);
  if (graph_->precedes(place, created.front())) rewriter_.move_created(place);
  tail = created.back();
}

// Placeholders stand together.
NodeId Session::last_input() {
  if (last_input_.valid()) return last_input_;
  for (NodeId n = graph_->first(); n.valid() && graph_->opcode(n) == Opcode::placeholder; n = graph_->next(n))
    last_input_ = n;
  return last_input_;
}

}  // namespace fxrules::rewrite
