// The first law, for rules with a pure left side: what the engine guarantees whatever a rule says.
//
// Reads. The pattern read its operands where the matched nodes stand; the replacement reads them at the
// root. Nothing may write in between what a matched node is or what it read.
//
// Storage. Before, the root's value lived in one group of values that share storage; afterwards its users
// see another. A later write to either group must not come to reach, or cease to reach, a reader.
//
// Outputs. No output may newly be, or share storage with, an input or another output.
#include <algorithm>

#include "engine/rewrite/session.hpp"

namespace fxrules::rewrite {

Refusal Session::reads_move(const std::vector<NodeId>& nodes, NodeId root) {
  if (nodes.size() < 2) return Refusal::none;
  for (const NodeId n : nodes) {
    if (n == root || graph_->next(n) == root || !graph_->precedes(n, root)) continue;
    Storage& storage = rewriter_.storage();
    if (!storage.any_writes()) return Refusal::none;
    if (storage.write_between(n, n, root).valid()) return Refusal::read_moves;
    for (const Slot& s : graph_->slots(n)) {
      if (s.kind == ArgKind::node && storage.write_between(s.node(), n, root).valid()) return Refusal::read_moves;
    }
  }
  return Refusal::none;
}

bool Session::is_new(NodeId n) {
  const std::vector<NodeId>& created = rewriter_.changes().created;
  return std::find(created.begin(), created.end(), n) != created.end();
}

// How the root and the value that replaces it share storage, as far as it is certain.
Session::Sharing Session::sharing(NodeId old, NodeId value) {
  Storage& storage = rewriter_.storage();
  if (!storage.together(old, value)) return Sharing::none;
  if (is_new(value)) {
    // Both may share storage with the same operand; the new one must not do so more surely than the old one did.
    const CallClass& now = binding_.call_class(value);
    const CallClass& before = binding_.call_class(old);
    const bool surer = now.schema == nullptr || (has(now.schema->tags, OpTag::view) &&
                                                 (before.schema == nullptr || !has(before.schema->tags, OpTag::view)));
    return surer ? Sharing::maybe : Sharing::alike;
  }
  Sharing result = Sharing::same;
  NodeId at = old;
  while (at != value) {
    const CallClass& call = binding_.call_class(at);
    NodeId operand;
    storage.aliased_operands_once(at, operand);
    if (call.schema == nullptr || !operand.valid()) return Sharing::maybe;
    if (has(call.schema->tags, OpTag::view)) {
      result = Sharing::view;
    } else if (!returns_itself(call, at, operand)) {
      return Sharing::maybe;
    }
    at = operand;
  }
  return result;
}

// `x.to(dtype)` and kin give x itself where nothing has to change, unless they are asked for a copy.
bool Session::returns_itself(const CallClass& call, NodeId n, NodeId operand) {
  if (!has(call.schema->tags, OpTag::may_alias) || has(call.schema->tags, OpTag::other_values)) return false;
  if (!graph_->meta(n).valid() || graph_->meta(n) != graph_->meta(operand)) return false;
  const TensorMeta* meta = graph_->metas().tensor_of(graph_->meta(n));
  if (meta == nullptr || meta->dtype == Dtype::unknown || !meta->shape || !meta->strides || !meta->device.valid())
    return false;
  return true;  // asked for a copy, it would not be in the group
}

Refusal Session::output_allows(NodeId old, NodeId value) {
  const NodeId output = graph_->output();
  if (!output.valid()) return Refusal::none;
  Storage& storage = rewriter_.storage();
  if (!storage.reaches_output(old)) return Refusal::none;
  // A new node of an op that only the rule's author knows is no existing value: its result is its own.
  if (is_new(value) && binding_.call_class(value).unknown) return Refusal::none;
  const Sharing shared = sharing(old, value);
  if (shared == Sharing::same) return Refusal::none;
  if (shared == Sharing::none) {
    return storage.holds_input(value) || storage.reaches_output(value) ? Refusal::aliases_output : Refusal::none;
  }
  if (shared == Sharing::maybe && (storage.holds_input(value) || storage.returned_otherwise(old)))
    return Refusal::aliases_output;
  // The storage is the same already: what counts is which values are returned.
  const auto returned = [&](NodeId n) {
    for (SlotId s = graph_->first_use(n); s.valid(); s = graph_->next_use(s)) {
      if (graph_->owner(s) == output || binding_.is_entry(graph_->owner(s))) return true;
    }
    return false;
  };
  if (!returned(old)) return Refusal::none;
  const Opcode opcode = graph_->opcode(value);
  const bool input = opcode == Opcode::placeholder || opcode == Opcode::get_attr;
  return input || returned(value) ? Refusal::aliases_output : Refusal::none;
}

Refusal Session::storage_allows(NodeId old, NodeId value) {
  Storage& storage = rewriter_.storage();
  if (!storage.any_writes()) return Refusal::none;
  const Sharing shared = sharing(old, value);
  if ((shared == Sharing::same || shared == Sharing::view) && !storage.changes_views()) return Refusal::none;
  const NodeId old_write = storage.write_between(old, old, NodeId());
  const NodeId value_write = storage.write_between(value, old, NodeId());
  if (!old_write.valid() && !value_write.valid()) return Refusal::none;
  // The root may be a view of something: its readers saw writes to that, and might no longer.
  if (shared != Sharing::none || storage.derived(old)) return Refusal::written_later;
  if (value_write.valid() && (storage.used_after(old, value_write, NodeId()) || storage.reaches_output(old)))
    return Refusal::written_later;
  if (old_write.valid() && (storage.holds_input(value) || storage.used_after(value, old_write, old)))
    return Refusal::written_later;
  return Refusal::none;
}

// The value that replaces a root computes what the root computed: it has its dtype and shape, and FX's
// annotation. Strides belong to the op that makes it: they, and what the root did not say, come from its
// shape function.
void Session::inherit(NodeId from, NodeId to) {
  graph_->set_type(to, graph_->type(from));
  Metas& metas = graph_->metas();
  const TensorMeta* before = metas.tensor_of(graph_->meta(from));
  const TensorMeta* inferred = metas.tensor_of(graph_->meta(to));
  if (before == nullptr || (inferred == nullptr && graph_->meta(to).valid())) {
    if (!graph_->meta(to).valid()) graph_->set_meta(to, graph_->meta(from));
    return;
  }
  TensorMeta meta = *before;
  meta.strides.reset();
  if (inferred != nullptr) join(meta, *inferred);
  const CallClass& call = binding_.call_class(to);
  for (std::size_t a = 0; a < call.by_argument.size(); ++a) {
    const Access& access = call.by_argument[a];
    if (access.type != TypeKind::device || access.how != Access::How::slot) continue;
    const Value device = binding_.argument(to, access);
    if (device.is(Tag::device)) meta.device = device.symbol();
  }
  if (before->device.valid() && meta.device != before->device) device_changes_.emplace_back(to, before->device);
  graph_->set_meta(to, metas.tensor(meta));
}

// What a shape function says of a value, and what the value that it replaces was known to be: sizes keep
// their spelling where they are the same.
void Session::join(TensorMeta& known, const TensorMeta& inferred) {
  if (inferred.dtype != Dtype::unknown) known.dtype = inferred.dtype;
  if (inferred.device.valid()) known.device = inferred.device;
  known.strides = inferred.strides;
  if (!inferred.shape) return;
  if (!known.shape || known.shape->size() != inferred.shape->size()) {
    known.shape = inferred.shape;
    return;
  }
  for (std::size_t i = 0; i < known.shape->size(); ++i) {
    Size& size = (*known.shape)[i];
    const Size other = (*inferred.shape)[i];
    if (!size.known || graph_->metas().expressions().equal(size, other) == Truth::no) size = other;
  }
}

bool Session::keep_meta(NodeId n, std::string_view key, const Value& value) {
  const TensorMeta* tensor = graph_->metas().tensor_of(graph_->meta(n));
  TensorMeta meta = tensor != nullptr ? *tensor : TensorMeta{};
  if (key == "device" && (value.is(Tag::device) || value.is(Tag::string))) {
    if (meta.device == value.symbol()) return false;
    device_changed(n, value);
    return true;
  }
  if (key == "dtype" && value.is(Tag::dtype)) {
    if (meta.dtype == static_cast<Dtype>(value.i)) return false;
    meta.dtype = static_cast<Dtype>(value.i);
    graph_->set_meta(n, graph_->metas().tensor(meta));
    return true;
  }
  return false;
}

void Session::device_changed(NodeId n, const Value& device) {
  const TensorMeta* tensor = graph_->metas().tensor_of(graph_->meta(n));
  if (tensor == nullptr || !(device.is(Tag::device) || device.is(Tag::string))) return;
  TensorMeta meta = *tensor;
  if (meta.device == device.symbol()) return;
  if (meta.device.valid()) device_changes_.emplace_back(n, meta.device);
  meta.device = device.symbol();
  graph_->set_meta(n, graph_->metas().tensor(meta));
}

// Values computed from a value that changed its device follow it, unless their own call names a device.
std::vector<NodeId> Session::settle_metadata() {
  std::vector<NodeId> settled;
  if (device_changes_.empty()) return settled;
  std::vector<SymbolId> was(graph_->id_bound());
  for (const auto& [n, device] : device_changes_) {
    if (graph_->alive(n) && !was[n.value].valid()) was[n.value] = device;
  }
  device_changes_.clear();
  for (const NodeId n : graph_->nodes()) {
    const TensorMeta* tensor = graph_->metas().tensor_of(graph_->meta(n));
    if (tensor == nullptr || !tensor->device.valid() || was[n.value].valid()) continue;
    const CallClass& call = binding_.call_class(n);
    bool names_device = false;
    for (const Access& access : call.by_argument) {
      names_device |= access.type == TypeKind::device && access.how == Access::How::slot &&
                      !binding_.argument(n, access).is(Tag::none);
    }
    if (names_device) continue;
    for (const Slot& s : graph_->slots(n)) {
      if (s.kind != ArgKind::node || was[s.node().value] != tensor->device) continue;
      const TensorMeta* operand = graph_->metas().tensor_of(graph_->meta(s.node()));
      if (operand == nullptr) continue;
      was[n.value] = tensor->device;
      TensorMeta meta = *tensor;
      meta.device = operand->device;
      graph_->set_meta(n, graph_->metas().tensor(meta));
      settled.push_back(n);
      break;
    }
  }
  return settled;
}

}  // namespace fxrules::rewrite
