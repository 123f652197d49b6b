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
  if (graph_->alive(owner) && !reshapes(owner)) adopt_result(owner);
}

// What it returns is its operand, and only if no rule takes it a value in doubt.
bool Versions::reshapes(NodeId n) {
  const CallClass& call = binding_->call_class(n);
  return call.schema != nullptr && has(call.schema->tags, OpTag::inplace_view) && binding_->writes(n);
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
  Member m;
  m.node = m.value = m.call = node;
  m.parent = parent;
  m.buffer = buffer;
  m.relation = relation;
  m.born = m.version = m.call_version = version;
  m.same = index;
  m.jump = index;
  if (parent != kNone) {
    const Member& above = members_[parent];
    if (relation == Relation::same) m.same = above.same;
    m.depth = above.depth + 1;
    // Two equal jumps in a row become one: any ancestor is O(log depth) steps away.
    const Member& landing = members_[above.jump];
    m.jump = above.depth - landing.depth == landing.depth - members_[landing.jump].depth ? landing.jump : parent;
  }
  members_.push_back(m);
  // What is dead already was so in the input, and stays.
  if (member_of_.try_emplace(node.value, index).second && graph_->has_uses(node)) known_.push_back(node);
  return index;
}

bool Versions::below(std::uint32_t member, std::uint32_t ancestor) const {
  const std::uint32_t depth = members_[ancestor].depth;
  while (members_[member].depth > depth) {
    const Member& m = members_[member];
    member = members_[m.jump].depth >= depth ? m.jump : m.parent;
  }
  return member == ancestor;
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
  for (const auto& [a, b] : binding_->shared_inputs()) {
    const NodeId other = a == base ? b : b == base ? a : NodeId();
    if (other.valid() && !member_of_.contains(other.value))
      todo.push_back(add_member(other, member, members_[member].buffer, Relation::maybe));
  }
  for (const NodeId n : same_parts(base)) {
    if (n != base && !member_of_.contains(n.value))
      todo.push_back(add_member(n, member, members_[member].buffer, Relation::same));
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

// The items of one index that are taken of a call which gives several new tensors: one tensor.
std::span<const NodeId> Versions::same_parts(NodeId part) {
  const std::optional<NewPart> own = part_of_new(*binding_, part);
  if (!own) return {};
  Parts& parts = parts_[own->whole.value];
  if (parts.by_index.empty() || parts.uses != graph_->use_count(own->whole)) {
    parts = {graph_->use_count(own->whole), {}};
    for (SlotId s = graph_->first_use(own->whole); s.valid(); s = graph_->next_use(s)) {
      const std::optional<NewPart> other = part_of_new(*binding_, graph_->owner(s));
      if (other && other->whole == own->whole) parts.by_index[other->index].push_back(graph_->owner(s));
    }
  }
  return parts.by_index[own->index];
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

// What was asked for once is known of all on the way: a chain of writes that stay is climbed once.
NodeId Versions::origin(NodeId n) {
  std::vector<NodeId> climbed;
  for (;;) {
    const auto known = origins_.find(n.value);
    if (known != origins_.end() && graph_->alive(known->second)) {
      n = known->second;
      break;
    }
    NodeId operand;
    aliased_operands(*binding_, n, [&](NodeId o) {
      if (!operand.valid()) operand = o;
    });
    if (!operand.valid()) break;
    climbed.push_back(n);
    n = operand;
  }
  for (const NodeId passed : climbed) origins_.insert_or_assign(passed.value, n);
  return n;
}

// ---------------------------------------------------------------- writes

void Versions::write(NodeId root, NodeId operand, NodeId value, SymbolId name, bool returned) {
  const std::uint32_t member = adopt(operand, root);
  const std::uint32_t b = members_[member].buffer;
  const NodeId began = origin(operand);
  if (name.valid()) names_.insert_or_assign(began.value, name);
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
  bool rebinds = false;
  rebound_operands(*binding_, root, [&](NodeId o, NodeId) { rebinds |= o == operand; });
  if ((rebinds || reshapes(root)) && buffers_[b].current == operand && written != same_as(buffers_[b].base)) {
    // Two names with one value: which of them changes can no longer be told.
    failed(root, fmt::format("it changes what `{}` is, which stands for `{}` too", graph_->name(operand),
                             graph_->name(members_[buffers_[b].base].node)));
  }
  if (rebinds) {
    rebind(root, operand, written, value);
    if (!lazy_) finish();
    return;
  }
  if (reshapes(root)) {
    give_another_shape(root, operand, written, value);
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

void Versions::give_another_shape(NodeId root, NodeId operand, std::uint32_t member, NodeId value) {
  for (std::uint32_t m = member; m != kNone; m = members_[m].parent) {
    if (members_[m].relation != Relation::maybe) continue;
    failed(root, fmt::format("it gives `{}` another shape, which may or may not be `{}` itself", graph_->name(operand),
                             graph_->name(members_[members_[m].parent].node)));
    break;
  }
  const std::uint32_t buffer = members_[member].buffer;
  const std::uint32_t renamed = add_member(value, member, buffer, Relation::view);
  members_[member].renamed = renamed;
  if (!keeps_strides(operand, value)) reshaped_.insert(origin(operand).value);
  buffers_[buffer].fresh.emplace_back(value, renamed);
}

// Later uses of the operand mean the value, with whose storage they share all later writes. What was a view of
// the operand stays one of the storage that it leaves.
void Versions::rebind(NodeId root, NodeId operand, std::uint32_t member, NodeId value) {
  const Opcode opcode = graph_->opcode(members_[member].node);
  if (opcode == Opcode::placeholder || opcode == Opcode::get_attr) {
    failed(root, fmt::format("it gives the input `{}` another storage", graph_->name(operand)));
    return;
  }
  const std::uint32_t taken = same_as(adopt(value, root));
  members_[member].renamed = taken;
  rewriter_->share_storage(value, operand);
  written_ = true;
}

// An in-place op that nothing rewrites writes to the value that it got. Members that are values of their own
// do not see it: they are of an older version now.
void Versions::stays(NodeId n) {
  if (member_of_.empty() || !graph_->alive(n) || binding_->shares_nothing(n)) return;
  if (reshapes(n)) adopt_result(n);
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

}  // namespace fxrules::rewrite
