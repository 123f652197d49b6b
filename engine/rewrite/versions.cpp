#include "engine/rewrite/versions.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace fxrules::rewrite {

Versions::Versions(Binding& binding, Machine& machine, Rewriter& rewriter, Report report)
    : binding_(&binding),
      machine_(&machine),
      rewriter_(&rewriter),
      graph_(&binding.graph()),
      report_(std::move(report)) {}

// ---------------------------------------------------------------- uses that wait

bool Versions::later(const Use& a, const Use& b) const {
  return a.owner == b.owner ? a.slot.value > b.slot.value : graph_->precedes(b.owner, a.owner);
}

void Versions::wait(SlotId slot, NodeId owner, std::uint32_t member) {
  waiting_.push_back({slot, owner, member});
  std::push_heap(waiting_.begin(), waiting_.end(), [this](const Use& a, const Use& b) { return later(a, b); });
}

// Arguments may have been replaced or their node removed meanwhile.
bool Versions::still_there(const Use& use) const {
  return graph_->alive(use.owner) && use.slot.value >= graph_->slots_begin(use.owner) &&
         use.slot.value < graph_->slots_end(use.owner) && (*graph_)[use.slot].kind == ArgKind::node;
}

void Versions::bind_uses_of(NodeId owner) {
  while (!waiting_.empty() && waiting_.front().owner == owner) {
    std::pop_heap(waiting_.begin(), waiting_.end(), [this](const Use& a, const Use& b) { return later(a, b); });
    const Use use = waiting_.back();
    waiting_.pop_back();
    if (!still_there(use)) continue;
    const NodeId value = value_of(use.member, owner);
    if (!value.valid() || value == (*graph_)[use.slot].node()) continue;
    graph_->rebind(use.slot, value);
    rewriter_->users().forget();
    touched_.push_back(owner);
  }
  if (graph_->alive(owner)) adopt_result(owner);
}

void Versions::bind_until(NodeId n) {
  while (!waiting_.empty() && !graph_->precedes(n, waiting_.front().owner)) {
    const NodeId owner = waiting_.front().owner;
    bind_uses_of(owner);
    if (owner != n) stays(owner);
  }
  reached_ = n;
}

void Versions::settle() {
  while (!waiting_.empty()) {
    const NodeId owner = waiting_.front().owner;
    bind_uses_of(owner);
    stays(owner);
  }
}

void Versions::finish() {
  settle();
  release();
  if (written_) rewriter_->forget_storage();  // it took old and new versions for one
  written_ = false;
}

// What the versions held on to and nobody reads goes.
void Versions::release() {
  const std::vector<NodeId> known = std::exchange(known_, {});
  members_.clear();
  buffers_.clear();
  member_of_.clear();
  reached_ = NodeId();
  for (const NodeId n : known) {
    if (graph_->alive(n) && !graph_->has_uses(n) && graph_->opcode(n) != Opcode::placeholder && binding_->removable(n))
      rewriter_->erase_dead(n);
  }
}

void Versions::failed(NodeId user, const std::string& why) { report_(user, why); }

// ---------------------------------------------------------------- buffers and their members

void Versions::know(NodeId node, std::uint32_t member) {
  if (member_of_.try_emplace(node.value, member).second) known_.push_back(node);
}

std::uint32_t Versions::add_member(NodeId node, std::uint32_t parent, std::uint32_t buffer, Relation relation) {
  const auto index = static_cast<std::uint32_t>(members_.size());
  const std::uint32_t version = buffers_[buffer].version;
  members_.push_back({node, parent, buffer, relation, version, node, version, kNone});
  // What is dead already was so in the input, and stays.
  if (member_of_.try_emplace(node.value, index).second && graph_->has_uses(node)) known_.push_back(node);
  return index;
}

std::uint32_t Versions::same_as(std::uint32_t member) const {
  while (members_[member].relation == Relation::same && members_[member].parent != kNone)
    member = members_[member].parent;
  return member;
}

bool Versions::below(std::uint32_t member, std::uint32_t ancestor) const {
  for (; member != kNone; member = members_[member].parent) {
    if (member == ancestor) return true;
  }
  return false;
}

// The member that a node is where `place` stands; its buffer, with all that shares the storage, is looked up
// when the first write meets it.
std::uint32_t Versions::adopt(NodeId n, NodeId place) {
  std::vector<NodeId> views;
  NodeId base = n;
  for (;;) {
    if (member_of_.contains(base.value)) break;
    NodeId operand;
    aliased_operands(*binding_, base, [&](NodeId o) {
      if (!operand.valid() && relation(*binding_, base, o) != Relation::none) operand = o;
    });
    if (!operand.valid()) break;
    views.push_back(base);
    base = operand;
  }
  std::uint32_t member = kNone;
  if (const auto known = member_of_.find(base.value); known != member_of_.end()) {
    member = known->second;
  } else {
    const auto buffer = static_cast<std::uint32_t>(buffers_.size());
    buffers_.emplace_back();
    member = add_member(base, kNone, buffer, Relation::view);
    buffers_.back().base = member;
    buffers_.back().current = base;
    adopt_users(member, place);
  }
  for (std::size_t v = views.size(); v-- > 0;) {
    if (const auto known = member_of_.find(views[v].value); known != member_of_.end()) {
      member = known->second;
      continue;
    }
    const NodeId operand = v + 1 == views.size() ? base : views[v + 1];
    member = add_member(views[v], member, members_[member].buffer, relation(*binding_, views[v], operand));
    adopt_users(member, place);
  }
  return member;
}

// All that shares storage with a member and stands up to `place`. Uses behind it wait.
void Versions::adopt_users(std::uint32_t member, NodeId place) {
  std::vector<std::uint32_t> todo{member};
  const NodeId base = members_[member].node;
  if (graph_->opcode(base) == Opcode::get_attr) {  // nodes of one path are one storage
    if (attributes_.empty()) {                     // rules make calls only: what there is, is there from the start
      for (const NodeId n : graph_->nodes()) {
        if (graph_->opcode(n) == Opcode::get_attr) attributes_[graph_->form(n).target.value].push_back(n);
      }
    }
    for (const NodeId n : attributes_[graph_->form(base).target.value]) {
      if (n != base && graph_->alive(n)) todo.push_back(add_member(n, member, members_[member].buffer, Relation::same));
    }
  }
  while (!todo.empty()) {
    const std::uint32_t at = todo.back();
    todo.pop_back();
    const NodeId node = members_[at].node;
    for (SlotId s = graph_->first_use(node); s.valid(); s = graph_->next_use(s)) {
      const NodeId user = graph_->owner(s);
      if (graph_->precedes(place, user)) {
        wait(s, user, at);
        continue;
      }
      bool shares = false;
      aliased_operands(*binding_, user, [&](NodeId o) { shares |= o == node; });
      if (user == place || !shares || member_of_.contains(user.value)) continue;
      const Relation how = relation(*binding_, user, node);
      if (how != Relation::none) todo.push_back(add_member(user, at, members_[at].buffer, how));
    }
  }
}

// A node that was reached and shares storage with members: one member for each, should it be in doubt whose.
void Versions::adopt_result(NodeId n) {
  if (binding_->shares_nothing(n) || member_of_.contains(n.value)) return;
  std::vector<std::pair<std::uint32_t, Relation>> parents;
  aliased_operands(*binding_, n, [&](NodeId o) {
    const auto known = member_of_.find(o.value);
    const Relation how = known == member_of_.end() ? Relation::none : relation(*binding_, n, o);
    const auto same = [&](const auto& p) { return p.first == known->second; };
    if (how == Relation::none || std::any_of(parents.begin(), parents.end(), same)) return;
    parents.emplace_back(known->second, how);
  });
  for (const auto& [parent, how] : parents) {
    const std::uint32_t buffer = members_[parent].buffer;
    const std::uint32_t member = add_member(n, parent, buffer, how);
    buffers_[buffer].fresh.emplace_back(n, member);
    // What is made of it is met in its turn.
    for (SlotId s = graph_->first_use(n); s.valid(); s = graph_->next_use(s)) wait(s, graph_->owner(s), member);
  }
}

void Versions::wait_for_uses_behind(Buffer& buffer, NodeId place) {
  for (const auto& [node, member] : std::exchange(buffer.fresh, {})) {
    if (!graph_->alive(node) || node == place) continue;  // the write itself says what its uses mean
    for (SlotId s = graph_->first_use(node); s.valid(); s = graph_->next_use(s)) {
      if (graph_->precedes(place, graph_->owner(s))) wait(s, graph_->owner(s), member);
    }
  }
}

bool Versions::several_operands(NodeId n) {
  NodeId first;
  bool several = false;
  aliased_operands(*binding_, n, [&](NodeId o) {
    several |= first.valid() && o != first;
    first = o;
  });
  return several;
}

// A tuple or list of tensors.
bool Versions::makes_several(NodeId n) {
  const CallClass& call = binding_->call_class(n);
  return call.schema != nullptr && !call.schema->returns.empty() &&
         (call.schema->returns.size() > 1 || call.schema->returns[0].type.list);
}

bool Versions::through_view(NodeId root, NodeId operand) {
  return members_[same_as(adopt(operand, root))].parent != kNone;
}

std::uint32_t Versions::buffer_of(NodeId root, NodeId operand) { return members_[adopt(operand, root)].buffer; }

void Versions::begin(NodeId root) {
  if (pending() && reached_.valid() && graph_->precedes(root, reached_)) settle();
  if (!pending()) {
    release();
    reached_ = root;
  }
}

NodeId Versions::origin(NodeId n) {
  for (;;) {
    if (const auto known = origins_.find(n.value); known != origins_.end()) return known->second;
    NodeId operand;
    aliased_operands(*binding_, n, [&](NodeId o) {
      if (!operand.valid()) operand = o;
    });
    if (!operand.valid()) return n;
    n = operand;
  }
}

// ---------------------------------------------------------------- writes

void Versions::write(NodeId root, NodeId operand, NodeId value, SymbolId name, bool returned) {
  const std::uint32_t member = adopt(operand, root);
  const std::uint32_t b = members_[member].buffer;
  const NodeId began = origin(operand);
  wait_for_uses_behind(buffers_[b], root);
  for (SlotId s = graph_->first_use(root); s.valid() && returned; s = graph_->next_use(s))
    wait(s, graph_->owner(s), member);
  if (value == operand) {  // the rule says that nothing was written
    if (!lazy_) finish();
    return;
  }
  const std::uint32_t written = same_as(member);
  if (several_operands(members_[written].node)) {
    failed(root, fmt::format("`{}` writes to `{}`, which may share storage with several values", graph_->name(root),
                             graph_->name(operand)));
  }
  const CallClass& call = binding_->call_class(root);
  if (call.schema != nullptr && has(call.schema->tags, OpTag::inplace_view)) {
    for (std::uint32_t m = written; m != kNone; m = members_[m].parent) {
      if (members_[m].relation != Relation::maybe) continue;
      failed(root, fmt::format("it gives `{}` another shape, which may or may not be `{}` itself",
                               graph_->name(operand), graph_->name(members_[members_[m].parent].node)));
      break;
    }
    const std::uint32_t renamed = add_member(value, written, b, Relation::view);
    members_[written].renamed = renamed;
    reshaped_.insert(began.value);
    buffers_[b].fresh.emplace_back(value, renamed);
  } else {
    const bool base = members_[written].parent == kNone;
    if (!base && buffers_[b].written != kNone && buffers_[b].written != written) make_base(buffers_[b], root);
    Buffer& buffer = buffers_[b];
    ++buffer.version;
    members_[written].value = value;
    members_[written].version = buffer.version;
    if (base) {
      buffer.current = value;
      buffer.current_version = buffer.version;
      buffer.written = buffer.apart = kNone;
    } else {
      buffer.written = buffer.apart = written;
      buffer.written_value = value;
      buffer.name = name;
    }
    know(value, written);
    buffer.fresh.emplace_back(value, written);
  }
  if (value != began) origins_.insert_or_assign(value.value, began);
  rewriter_->share_storage(value, operand);
  written_ = true;
  if (!lazy_) finish();
}

// An in-place op that nothing rewrites writes to the value that it got. Members that are values of their own
// do not see it: they are of an older version now.
void Versions::stays(NodeId n) {
  if (member_of_.empty() || !graph_->alive(n) || binding_->shares_nothing(n)) return;
  std::vector<std::uint32_t> written;
  written_operands(*binding_, n, [&](NodeId o) {
    if (const auto known = member_of_.find(o.value); known != member_of_.end()) written.push_back(known->second);
  });
  for (const std::uint32_t member : written) {
    Buffer& buffer = buffers_[members_[member].buffer];
    if (buffer.apart == kNone) continue;
    ++buffer.version;
    if (below(member, buffer.apart)) {
      members_[buffer.apart].version = buffer.version;
      buffer.written = buffer.apart;
      buffer.written_value = members_[buffer.apart].value;
    } else {
      buffer.current_version = buffer.version;
      buffer.written = buffer.apart = kNone;
    }
    wait_for_uses_behind(buffer, n);
  }
}

// ---------------------------------------------------------------- values of versions

NodeId Versions::value_of(std::uint32_t member, NodeId place) {
  while (members_[member].renamed != kNone) member = members_[member].renamed;
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
    Member& m = members_[path.back()];
    if (m.relation == Relation::maybe) {
      failed(place, fmt::format("`{0}` may or may not share storage with what was written before; metadata would say",
                                graph_->name(m.node)));
      return {};
    }
    if (m.relation == Relation::view) value = remake(path.back(), value, place);
    m.value = value;
    m.version = buffers_[m.buffer].version;
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
    } else if (m.born == buffer.current_version && graph_->alive(m.node)) {
      value = m.node;
    } else if (m.parent == kNone) {
      value = buffer.current;
    } else {
      path.push_back(member);
      member = m.parent;
    }
  }
  for (; !path.empty(); path.pop_back()) {
    if (members_[path.back()].relation == Relation::view) value = remake(path.back(), value, place);
  }
  return value;
}

// The same view of another version of what it is a view of.
NodeId Versions::remake(std::uint32_t member, NodeId parent_value, NodeId place) {
  const NodeId source = members_[member].node;
  NodeId operand;
  aliased_operands(*binding_, source, [&](NodeId o) {
    if (!operand.valid()) operand = o;
  });
  const CallForm form = graph_->form(source);
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
    const bool part = makes_several(members_[parent].node) && members_[parent].parent != kNone;
    const NodeId at = value_before_write(member, place);
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
