// Rules whose result writes to an operand: what the engine guarantees whatever a rule says.
//
// Nothing behind a new write reads what it writes to: not the operand, nor anything that shares its storage, the
// output and the caller included. The write reads it through that operand alone. An input is written only where
// the signature gives it a new value anyway.
//
// The value that replaces a root may live in the operand's storage, which nobody else reads any more. Where that is
// an input's, the caller would come to see the value change: so the output may hold it only as the input's own new
// value, and that entry must name it after in-place ops alone, for what is written back is then what is there.
#include <algorithm>

#include "engine/rewrite/session.hpp"

namespace fxrules::rewrite {

// What a rule makes only for what it writes.
Refusal Session::make_effects(const std::vector<Value>& effects, NodeId root) {
  for (const Value& effect : effects) {
    if (!rewriter_.make(effect, root, root, SymbolId())) return Refusal::no_spelling;
    if (!binding_.writes(rewriter_.node_of(effect))) return Refusal::writes_nothing;
  }
  return Refusal::none;
}

// `going`: nodes that the rewrite replaces, whose reads do not count.
Refusal Session::new_writes_allow(const std::vector<NodeId>& going) {
  new_writes_.clear();
  for (const NodeId n : rewriter_.changes().created) {
    if (binding_.writes(n)) new_writes_.push_back(n);
  }
  if (new_writes_.empty()) return Refusal::none;
  std::vector<NodeId> except = rewriter_.changes().created;
  except.insert(except.end(), going.begin(), going.end());
  Refusal why = Refusal::none;
  for (const NodeId n : new_writes_) {
    written_operands(binding_, n, [&](NodeId operand) {
      if (why == Refusal::none) why = new_write_allows(n, operand, except);
    });
  }
  return why;
}

// The write gets what it writes to a second time: as it is, or as a value that shares its storage.
bool Session::reads_written(NodeId write, NodeId operand) {
  const std::span<const Slot> slots = graph_->slots(write);
  return std::count_if(slots.begin(), slots.end(), [&](const Slot& s) {
           return s.kind == ArgKind::node && rewriter_.storage().together(s.node(), operand);
         }) > 1;
}

Refusal Session::new_write_allows(NodeId write, NodeId operand, const std::vector<NodeId>& except) {
  Storage& storage = rewriter_.storage();
  if (reads_written(write, operand)) return Refusal::reads_written;
  if (storage.holds_input(operand)) {
    const NodeId input = storage.only_input(operand);
    if (!input.valid() || !binding_.entry_of(input).valid()) return Refusal::not_writable;
  }
  return storage.used_after(operand, write, except) ? Refusal::read_later : Refusal::none;
}

// The value lives where a new call writes.
bool Session::writes_anew(NodeId value) {
  return std::any_of(new_writes_.begin(), new_writes_.end(),
                     [&](NodeId write) { return rewriter_.storage().together(write, value); });
}

Refusal Session::takes_over(NodeId old, NodeId value) {
  Storage& storage = rewriter_.storage();
  if (!storage.holds_input(value)) return Refusal::none;
  if (storage.changes_views()) return Refusal::written_later;
  const Storage::Outputs outputs = storage.outputs(old);
  if (outputs.all == 0) return Refusal::none;
  const NodeId input = storage.only_input(value);
  const NodeId entry = input.valid() ? binding_.entry_of(input) : NodeId();
  const bool own = entry.valid() && outputs.entries == 1 && outputs.entry == entry && in_place_base(value) == input &&
                   in_place_base((*graph_)[binding_.value_of_entry(entry)].node()) == old;
  return own ? Refusal::none : Refusal::aliases_output;
}

// What the value is once the in-place ops that return it are looked through. Paths are remembered: a chain of
// updates is walked once.
NodeId Session::in_place_base(NodeId n) {
  std::vector<NodeId> path;
  NodeId at = n;
  for (;;) {
    const auto known = in_place_of_.find(at.value);
    if (known != in_place_of_.end()) {
      path.push_back(at);
      at = known->second;
      continue;
    }
    if (!graph_->alive(at) || !binding_.writes(at)) break;
    if (has(binding_.call_class(at).schema->tags, OpTag::inplace_view)) break;
    NodeId operand;
    rewriter_.storage().aliased_operands_once(at, operand);
    if (!operand.valid()) break;
    path.push_back(at);
    at = operand;
  }
  for (const NodeId p : path) in_place_of_.insert_or_assign(p.value, at);
  return at;
}

}  // namespace fxrules::rewrite
