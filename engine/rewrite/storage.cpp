#include "engine/rewrite/storage.hpp"

#include <algorithm>
#include <utility>

#include "engine/rewrite/effects.hpp"

namespace fxrules::rewrite {

Storage::Storage(Binding& binding) : binding_(&binding), graph_(&binding.graph()) {
  grow();
  for (const NodeId n : graph_->nodes()) {
    if (binding_->shares_nothing(n)) continue;
    created(n);
    if (is_input(n)) inputs_.push_back(n);
  }
  for (const auto& [x, y] : binding_->shared_inputs()) join(x, y);
}

void Storage::grow() {
  if (members_.size() < graph_->id_bound()) members_.resize(graph_->id_bound());
}

void Storage::single(NodeId n) { members_[n.value].group = members_[n.value].next = members_[n.value].prev = 0; }

bool Storage::is_input(NodeId n) const {
  const Opcode opcode = graph_->opcode(n);
  return opcode == Opcode::placeholder || opcode == Opcode::get_attr;
}

void Storage::created(NodeId n) {
  grow();
  if (binding_->shares_nothing(n)) return;
  if (binding_->is_entry(n)) return enters_entry((*graph_)[binding_->value_of_entry(n)].node(), n);
  switch (graph_->opcode(n)) {
    case Opcode::placeholder:
      ++facts(group_of(n)).inputs;
      facts(group_of(n)).input = n;
      return;
    case Opcode::get_attr: {
      ++facts(group_of(n)).inputs;
      facts(group_of(n)).input = n;
      const auto [found, fresh] = attributes_.try_emplace(graph_->form(n).target.value, n);
      if (!fresh && graph_->alive(found->second)) join(n, found->second);
      found->second = n;
      return;
    }
    case Opcode::output:
      for (const Slot& slot : graph_->slots(n)) {
        if (slot.kind == ArgKind::node) ++facts(group_of(slot.node())).outputs.all;
      }
      return;
    default:
      break;
  }
  aliased_operands(*binding_, n, [&](NodeId operand) { join(n, operand); });
  written_operands(*binding_, n, [&](NodeId operand) { add_write(operand, n); });
  const CallClass& call = binding_->call_class(n);
  if (call.schema == nullptr) return;
  if (has(call.schema->tags, OpTag::inplace_view)) changes_views_ = true;
  rebound_operands(*binding_, n, [&](NodeId operand, NodeId taken) { join(operand, taken); });
}

Storage::Facts& Storage::facts(std::uint32_t group) {
  std::uint32_t& index = members_[group].facts;
  if (index == 0) {
    facts_.emplace_back();
    index = static_cast<std::uint32_t>(facts_.size());
  }
  return facts_[index - 1];
}

const Storage::Facts* Storage::find_facts(std::uint32_t group) const {
  const std::uint32_t index = members_[group].facts;
  return index == 0 ? nullptr : &facts_[index - 1];
}

void Storage::add_write(NodeId value, NodeId write) {
  Facts& f = facts(group_of(value));
  Writes& writes = f.writes;
  const auto at = f.begin() == writes.end() || graph_->precedes(writes.back(), write)
                      ? writes.end()
                      : std::lower_bound(f.begin(), writes.end(), write,
                                         [&](NodeId a, NodeId b) { return graph_->precedes(a, b); });
  if (at != writes.end() && *at == write) return;
  if (at == writes.end() && f.begin() != writes.end() && writes.back() == write) return;
  writes.insert(at, write);
  ++writes_;
}

// Both rings become one. The smaller one is relabelled: O(log n) a member over all joins.
void Storage::join(NodeId a, NodeId b) {
  if (together(a, b)) return;
  NodeId x = next_of(a), y = next_of(b);
  while (x != a && y != b) x = next_of(x), y = next_of(y);
  const NodeId from = x == a ? a : b, into = x == a ? b : a;
  const std::uint32_t old_group = group_of(from), group = group_of(into);
  NodeId m = from;
  do {
    members_[m.value].group = group ^ m.value;
    m = next_of(m);
  } while (m != from);
  const NodeId from_next = next_of(from), into_next = next_of(into);
  link(from, into_next);
  link(into, from_next);
  if (find_facts(old_group) == nullptr) return;
  Facts moved = std::exchange(facts(old_group), {});
  Facts& f = facts(group);
  f.inputs += moved.inputs;
  if (moved.inputs > 0) f.input = moved.input;
  f.outputs.all += moved.outputs.all;
  f.outputs.entries += moved.outputs.entries;
  if (moved.outputs.entries > 0) f.outputs.entry = moved.outputs.entry;
  moved.forget_removed();
  if (moved.writes.empty()) return;
  f.forget_removed();
  const auto middle = static_cast<std::ptrdiff_t>(f.writes.size());
  f.writes.insert(f.writes.end(), moved.writes.begin(), moved.writes.end());
  const auto earlier = [&](NodeId p, NodeId q) { return graph_->precedes(p, q); };
  if (middle > 0 &&
      !earlier(f.writes[static_cast<std::size_t>(middle) - 1], f.writes[static_cast<std::size_t>(middle)]))
    std::inplace_merge(f.writes.begin(), f.writes.begin() + middle, f.writes.end(), earlier);
  f.writes.erase(std::unique(f.writes.begin(), f.writes.end()), f.writes.end());
}

NodeId Storage::write_between(NodeId value, NodeId from, NodeId to) {
  if (writes_ == 0) return {};
  if (find_facts(group_of(value)) == nullptr) return {};
  Facts& f = facts(group_of(value));
  const Writes& writes = f.writes;
  const auto at =
      std::upper_bound(f.begin(), f.writes.end(), from, [&](NodeId a, NodeId b) { return graph_->precedes(a, b); });
  if (at == writes.end() || (to.valid() && !graph_->precedes(*at, to))) return {};
  return *at;
}

bool Storage::used_after(NodeId value, NodeId place, std::span<const NodeId> except) const {
  NodeId m = value;
  do {
    for (SlotId s = graph_->first_use(m); s.valid(); s = graph_->next_use(s)) {
      const NodeId user = graph_->owner(s);
      if (user != place && !graph_->precedes(place, user)) continue;
      if (std::find(except.begin(), except.end(), user) == except.end()) return true;
    }
    m = next_of(m);
  } while (m != value);
  return false;
}

NodeId Storage::last_user(NodeId value, std::span<const NodeId> except) const {
  NodeId last, m = value;
  do {
    for (SlotId s = graph_->first_use(m); s.valid(); s = graph_->next_use(s)) {
      const NodeId user = graph_->owner(s);
      if (last.valid() && !graph_->precedes(last, user)) continue;
      if (std::find(except.begin(), except.end(), user) == except.end()) last = user;
    }
    m = next_of(m);
  } while (m != value);
  return last;
}

bool Storage::returned_otherwise(NodeId value) const {
  const Facts* f = find_facts(group_of(value));
  if (f == nullptr) return false;
  std::uint32_t own = 0;
  for (SlotId s = graph_->first_use(value); s.valid(); s = graph_->next_use(s)) own += is_output(graph_->owner(s));
  return f->outputs.all > own;
}

bool Storage::is_output(NodeId n) const { return graph_->opcode(n) == Opcode::output || binding_->is_entry(n); }

void Storage::count_output(NodeId value, int by, NodeId entry) {
  Outputs& outputs = facts(group_of(value)).outputs;
  outputs.all += static_cast<std::uint32_t>(by);
  outputs.entries += static_cast<std::uint32_t>(by);
  if (entry.valid()) outputs.entry = entry;
}

bool Storage::holds_input(NodeId value) const {
  const Facts* f = find_facts(group_of(value));
  return f != nullptr && f->inputs > 0;
}

NodeId Storage::only_input(NodeId value) const {
  const Facts* f = find_facts(group_of(value));
  return f != nullptr && f->inputs == 1 ? f->input : NodeId();
}

bool Storage::reaches_output(NodeId value) const { return outputs(value).all > 0; }

Storage::Outputs Storage::outputs(NodeId value) const {
  const Facts* f = find_facts(group_of(value));
  return f != nullptr ? f->outputs : Outputs{};
}

bool Storage::derived(NodeId value) {
  bool found = false;
  aliased_operands(*binding_, value, [&](NodeId) { found = true; });
  return found;
}

void Storage::aliased_operands_once(NodeId n, NodeId& operand) {
  aliased_operands(*binding_, n, [&](NodeId o) {
    if (!operand.valid()) operand = o;
  });
}

void Storage::leave(NodeId n) { link(prev_of(n), next_of(n)); }

void Storage::enter(NodeId n, NodeId member) {
  const NodeId next = next_of(member);
  link(member, n);
  link(n, next);
  members_[n.value].group = group_of(member) ^ n.value;
}

void Storage::erased(NodeId n) {
  if (alone(n) && binding_->shares_nothing(n)) return;
  if (is_input(n)) --facts(group_of(n)).inputs;
  bool wrote = false;
  written_operands(*binding_, n, [&](NodeId operand) {
    Facts& f = facts(group_of(operand));
    Writes& writes = f.writes;
    const auto at =
        std::lower_bound(f.begin(), writes.end(), n, [&](NodeId p, NodeId q) { return graph_->precedes(p, q); });
    if (at == writes.end() || *at != n) return;
    if (at == f.begin()) {
      ++f.first;
    } else {
      writes.erase(at);
    }
    wrote = true;
  });
  if (wrote && writes_ > 0) --writes_;
  leave(n);
  single(n);
}

void Storage::replacing(NodeId old, NodeId value) {
  const std::uint32_t from = group_of(old), to = group_of(value);
  takes_place_ = from != to && alone(value) && find_facts(to) == nullptr && binding_->shares_nothing(old);
  if (takes_place_) return;
  if (from == to || find_facts(from) == nullptr || facts(from).outputs.all == 0) return;
  move_outputs(old, from, to);
}

// The uses of a member by the output count for another group from now on.
void Storage::move_outputs(NodeId member, std::uint32_t from, std::uint32_t to) {
  for (SlotId s = graph_->first_use(member); s.valid(); s = graph_->next_use(s)) {
    const NodeId user = graph_->owner(s);
    if (!is_output(user)) continue;
    const std::uint32_t entry = binding_->is_entry(user) ? 1 : 0;
    Outputs& before = facts(from).outputs;
    --before.all;
    before.entries -= entry;
    Outputs& now = facts(to).outputs;
    ++now.all;
    now.entries += entry;
    if (entry != 0) now.entry = user;
  }
}

// What was derived from `old` is now derived from `value`: those members change groups.
void Storage::replaced(NodeId old, NodeId value, std::uint32_t moved) {
  const std::uint32_t from = group_of(old);
  if (from == group_of(value)) return;
  if (alone(old) && find_facts(from) == nullptr) return;  // never written
  if (takes_place_) return take_place(old, value);
  move_derived(old, value, moved);
  if (find_facts(from) == nullptr) return;
  for (const NodeId m : moved_) move_outputs(m, from, group_of(value));
  facts(from).forget_removed();
  const Writes writes = std::exchange(facts(from).writes, Writes());
  for (const NodeId w : writes) {
    if (!graph_->alive(w)) continue;
    --writes_;
    written_operands(*binding_, w, [&](NodeId operand) { add_write(operand, w); });
  }
}

// Nothing else is known of the value's storage, and the group came about by uses of `old` alone: they are uses of
// the value now. The two exchange their places and the names of their groups.
void Storage::take_place(NodeId old, NodeId value) {
  const std::uint32_t group = group_of(old);
  if (!alone(old)) {
    const NodeId before = prev_of(old), behind = next_of(old);
    link(before, value);
    link(value, behind);
  }
  single(old);
  members_[value.value].group = group ^ value.value;
  members_[old.value].group = value.value ^ old.value;
}

// Follows the uses that moved, which stand first among the value's, and then all that is derived from them.
void Storage::move_derived(NodeId old, NodeId value, std::uint32_t uses) {
  const std::uint32_t from = group_of(old);
  moved_.clear();
  todo_.assign(1, value);
  while (!todo_.empty()) {
    const NodeId n = todo_.back();
    todo_.pop_back();
    std::uint32_t left = n == value ? uses : NodeId::kNone;
    for (SlotId s = graph_->first_use(n); s.valid() && left > 0; s = graph_->next_use(s), --left) {
      const NodeId user = graph_->owner(s);
      if (user == old || group_of(user) != from || is_output(user)) continue;
      bool derived_from_n = false;
      aliased_operands(*binding_, user, [&](NodeId operand) { derived_from_n |= operand == n; });
      if (!derived_from_n) continue;
      leave(user);
      enter(user, value);
      moved_.push_back(user);
      todo_.push_back(user);
    }
  }
}

}  // namespace fxrules::rewrite
