// Which node is the value of a member in a version: views are made again, and the base is made of what was
// written through a view.
#include <fmt/format.h>

#include "engine/rewrite/strides.hpp"
#include "engine/rewrite/versions.hpp"

namespace fxrules::rewrite {

NodeId Versions::value_of(std::uint32_t member, NodeId place) {
  for (std::uint32_t same = same_as(member); members_[same].renamed != kNone; same = same_as(member))
    member = members_[same].renamed;
  std::vector<std::uint32_t> path;
  NodeId value;
  while (!value.valid()) {
    Member& m = members_[member];
    Buffer& buffer = buffers_[m.buffer];
    if (m.version == buffer.version && graph_->alive(m.value)) {
      value = m.value;
    } else if (m.parent == kNone) {
      if (buffer.written != kNone && !make_base(buffer, place)) return {};
      value = buffer.current;
    } else {
      path.push_back(member);
      member = m.parent;
    }
  }
  for (; !path.empty(); path.pop_back()) {
    const Member m = members_[path.back()];
    if (m.relation == Relation::maybe) {
      const CallClass& call = binding_->call_class(m.node);
      const bool told = call.schema != nullptr && !has(call.schema->tags, OpTag::other_values);
      failed(place, fmt::format("`{}` may or may not share storage with what was written before{}",
                                graph_->name(m.node), told ? "; metadata would say" : ""));
      return {};
    }
    if (m.relation == Relation::view) {
      value = remake(path.back(), value, place);
      if (!value.valid()) return {};
      members_[path.back()].call = value;
      members_[path.back()].call_version = buffers_[m.buffer].version;
    }
    members_[path.back()].value = value;
    members_[path.back()].version = buffers_[members_[path.back()].buffer].version;
  }
  return value;
}

// The member in the version of `current`, which lacks the write through a view.
NodeId Versions::value_before_write(std::uint32_t member, NodeId place) {
  std::vector<std::uint32_t> path;
  NodeId value;
  while (!value.valid()) {
    const Member& m = members_[member];
    const Buffer& buffer = buffers_[m.buffer];
    if (m.version == buffer.current_version && graph_->alive(m.value)) {
      value = m.value;
    } else if (m.call_version == buffer.current_version && graph_->alive(m.call)) {
      value = m.call;
    } else if (m.born == buffer.current_version && graph_->alive(m.node)) {
      value = m.node;
    } else if (m.parent == kNone) {
      value = buffer.current;
    } else {
      path.push_back(member);
      member = m.parent;
    }
  }
  for (; !path.empty() && value.valid(); path.pop_back()) {
    if (members_[path.back()].relation != Relation::view) continue;
    value = remake(path.back(), value, place);
    members_[path.back()].call = value;
    members_[path.back()].call_version = buffers_[members_[path.back()].buffer].current_version;
  }
  return value;
}

// The view as a call of its operand in that version: the value may be what was written, which is no view.
NodeId Versions::call_before_write(std::uint32_t member, NodeId place) {
  const Member& m = members_[member];
  const std::uint32_t version = buffers_[m.buffer].current_version;
  if (m.call_version == version && graph_->alive(m.call)) return m.call;
  if (m.born == version && graph_->alive(m.node)) return m.node;
  const NodeId operand = value_before_write(m.parent, place);
  if (!operand.valid()) return {};
  const NodeId call = remake(member, operand, place);
  members_[member].call = call;
  members_[member].call_version = version;
  return call;
}

bool Versions::keeps_strides(NodeId operand, NodeId value) const {
  const TensorMeta* before = graph_->metas().tensor_of(graph_->meta(operand));
  const TensorMeta* now = graph_->metas().tensor_of(graph_->meta(value));
  if (before == nullptr || now == nullptr || !before->shape || !now->shape || !before->strides || !now->strides)
    return false;
  Expressions& expressions = graph_->metas().expressions();
  if (before->shape->size() != now->shape->size()) return false;
  for (std::size_t i = 0; i < now->shape->size(); ++i) {
    if (expressions.equal((*before->shape)[i], (*now->shape)[i]) != Truth::yes) return false;
  }
  return same_strides(expressions, *now->shape, *before->strides, *now->strides) == Truth::yes;
}

// The same view of another version of what it is a view of.
NodeId Versions::remake(std::uint32_t member, NodeId parent_value, NodeId place) {
  const NodeId source = members_[member].node;
  NodeId operand;
  aliased_operands(*binding_, source, [&](NodeId o) {
    if (!operand.valid()) operand = o;
  });
  CallForm form = graph_->form(source);
  const CallClass& call = binding_->call_class(source);
  const bool strided = call.schema != nullptr && has(call.schema->tags, OpTag::strided);
  if (strided && !keeps_strides(operand, parent_value)) {
    const Catalogue& catalogue = binding_->catalogue();
    const OpId reshape = catalogue.role("reshape");
    // Of a size and nothing else (`view`, `_unsafe_view`): `reshape` takes any strides.
    const bool sizes = call.schema->arguments.size() == 2 && call.schema->find("size") >= 0;
    if (!sizes) {
      failed(place, fmt::format("`{}` depends on strides, and those of `{}` are not known to be those of `{}`",
                                graph_->name(source), graph_->name(parent_value), graph_->name(operand)));
      return {};
    }
    // Where nothing says what strides are, they are taken to stay.
    const TensorMeta* known = graph_->metas().tensor_of(graph_->meta(operand));
    const std::string target = known == nullptr || !known->strides ? std::string(graph_->text(form.target))
                               : form.opcode == Opcode::call_method
                                   ? std::string(catalogue.method_of(reshape))
                                   : catalogue.overload_target(catalogue.overloads(reshape).front());
    form.target = graph_->symbols().intern(target);
  }
  NodeId made;
  {
    CallBuilder builder(*graph_);
    for (std::uint32_t i = 0; i < form.count(); ++i) {
      if (i >= form.positional) builder.keyword(form.keywords[i - form.positional]);
      builder.copy(graph_->argument(source, i));
    }
    const SymbolId name = graph_->unique_name(Graph::base_name(form.opcode, graph_->text(form.target)));
    made = builder.create(form.opcode, form.target, name, place);
  }
  for (std::uint32_t s = graph_->slots_begin(made); s < graph_->slots_end(made); ++s) {
    const Slot& slot = (*graph_)[SlotId(s)];
    if (slot.kind == ArgKind::node && slot.node() == operand) graph_->rebind(SlotId(s), parent_value);
  }
  graph_->set_type(made, graph_->type(source));
  graph_->set_meta(made, graph_->meta(operand) == graph_->meta(parent_value)
                             ? graph_->meta(source)
                             : rewriter_->without_strides(graph_->meta(source)));
  rewriter_->made_by_engine(made);
  know(made, member);
  buffers_[members_[member].buffer].fresh.emplace_back(made, member);
  touched_.push_back(made);
  return made;
}

// The base with what was written through a view, by the inverse of each view on the way.
bool Versions::make_base(Buffer& buffer, NodeId place) {
  std::uint32_t member = buffer.written;
  const std::uint32_t view = member;
  NodeId value = buffer.written_value;
  for (; members_[member].parent != kNone; member = members_[member].parent) {
    if (members_[member].relation == Relation::same) continue;
    std::uint32_t parent = members_[member].parent;
    // A part of several: the inverse of the part looks through the call that makes them (`split(b, n)[k]`).
    const bool part = gives_several(*binding_, members_[parent].node) && members_[parent].parent != kNone;
    const NodeId at = call_before_write(member, place);
    if (!at.valid()) return false;
    machine_->set_root(at);
    const Value result =
        members_[member].relation == Relation::view ? machine_->inverse(at, Value::of_node(value)) : Value();
    const bool last = same_as(part ? members_[parent].parent : parent) == buffer.base;
    const SymbolId name = last && buffer.name.valid() ? graph_->numbered_name(graph_->text(buffer.name)) : SymbolId();
    const std::size_t before = rewriter_->changes().created.size();
    if ((!result.is(Tag::node) && !result.is(Tag::fresh)) || !rewriter_->make(result, at, place, name)) {
      const std::string why =
          result.is(Tag::failure)
              ? machine_->text_of(result)
              : fmt::format("no `inverse` says what a write through `{}` makes of its operand", graph_->target(at));
      failed(place, fmt::format("reads `{}`, which was written through `{}`: {}",
                                graph_->name(members_[buffer.base].node), graph_->name(members_[view].node), why));
      buffer.written = kNone;  // said once
      return false;
    }
    const auto& created = rewriter_->changes().created;
    touched_.insert(touched_.end(), created.begin() + static_cast<std::ptrdiff_t>(before), created.end());
    value = rewriter_->node_of(result);
    if (part) member = parent, parent = members_[parent].parent;
    const MetaId meta = graph_->meta(members_[parent].node);
    if (!graph_->meta(value).valid()) graph_->set_meta(value, rewriter_->without_strides(meta));
  }
  buffer.current = value;
  buffer.current_version = buffer.version;
  buffer.written = kNone;
  Member& base = members_[buffer.base];
  base.value = value;
  base.version = buffer.version;
  know(value, buffer.base);
  buffer.fresh.emplace_back(value, buffer.base);
  if (value != base.node) origins_.insert_or_assign(value.value, origin(base.node));
  rewriter_->share_storage(value, base.node);
  return true;
}

}  // namespace fxrules::rewrite
