#include "engine/rewrite/storage.hpp"

#include <algorithm>

namespace fxrules::rewrite {

namespace {
constexpr std::uint32_t kNoFacts = 0xFFFFFFFFu;
}

template <class Visit>
void Storage::operands_of(NodeId n, const Access& access, Visit visit) {
  if (access.how != Access::How::slot && access.how != Access::How::run) return;
  const std::uint32_t first = graph_->argument(n, 0).value + access.at;
  for (std::uint32_t s = first; s < first + access.count; ++s) {
    const Slot& slot = (*graph_)[SlotId(s)];
    if (slot.kind == ArgKind::node) {
      visit(slot.node());
    } else if (is_container(slot.kind)) {
      for (std::uint32_t i = 0; i < slot.count(); ++i) {  // Tensor(a!)[]: one level
        const Slot& item = (*graph_)[slot.child(i)];
        if (item.kind == ArgKind::node) visit(item.node());
      }
    }
  }
}

template <class Visit>
void Storage::aliased_operands(NodeId n, Visit visit) {
  const CallClass& call = binding_->call_class(n);
  if (call.unknown) {
    for (const Slot& slot : graph_->slots(n)) {
      if (slot.kind == ArgKind::node && is_integer_node(*binding_, slot.node()) != Truth::yes) visit(slot.node());
    }
    return;
  }
  if (!call.aliases || asks_for_copy(call, n)) return;
  for (std::size_t a = 0; a < call.by_argument.size(); ++a) {
    const std::string_view set = call.schema->arguments[a].alias;
    if (set.empty()) continue;
    const bool returned = std::any_of(call.schema->returns.begin(), call.schema->returns.end(),
                                      [&](const SchemaReturn& r) { return r.alias == set; });
    if (!returned) continue;
    if (call.schema->arguments[a].writes && !binding_->writes_argument(call, n, a)) continue;  // inplace=False
    if (!binding_->holds(call, n, call.schema->arguments[a].alias_when)) continue;             // getattr of a shape
    operands_of(n, call.by_argument[a], visit);
  }
}

template <class Visit>
void Storage::written_operands(NodeId n, Visit visit) {
  const CallClass& call = binding_->call_class(n);
  if (call.unknown) {
    aliased_operands(n, visit);
    return;
  }
  if (!call.writes) return;
  for (std::size_t a = 0; a < call.by_argument.size(); ++a) {
    if (call.schema->arguments[a].writes && binding_->writes_argument(call, n, a)) operands_of(n, call.by_argument[a], visit);
  }
}

// `x.to(t, copy=True)`: an argument of that name turns a possible alias into a copy.
bool Storage::asks_for_copy(const CallClass& call, NodeId n) {
  if (!has(call.schema->tags, OpTag::may_alias)) return false;
  const Access access = binding_->find_argument(call, n, "copy");
  if (access.how != Access::How::slot) return false;
  const Value asked = binding_->argument(n, access);
  return asked.is(Tag::boolean) && asked.i != 0;
}

Storage::Storage(Binding& binding) : binding_(&binding), graph_(&binding.graph()) {
  grow();
  for (const NodeId n : graph_->nodes()) created(n);
}

void Storage::grow() {
  const std::size_t bound = graph_->id_bound();
  if (group_.size() >= bound) return;
  group_.resize(bound, 0);
  next_.resize(bound, 0);
  prev_.resize(bound, 0);
  if (facts_of_.size() < bound) facts_of_.resize(bound, kNoFacts);
}

void Storage::single(NodeId n) {
  group_[n.value] = n.value;
  next_[n.value] = prev_[n.value] = n.value;
}

bool Storage::is_input(NodeId n) const {
  const Opcode opcode = graph_->opcode(n);
  return opcode == Opcode::placeholder || opcode == Opcode::get_attr;
}

void Storage::created(NodeId n) {
  grow();
  single(n);
  switch (graph_->opcode(n)) {
    case Opcode::placeholder: ++facts(group_[n.value]).inputs; return;
    case Opcode::get_attr: {
      ++facts(group_[n.value]).inputs;
      const auto [found, fresh] = attributes_.try_emplace(graph_->form(n).target.value, n);
      if (!fresh && graph_->alive(found->second)) join(n, found->second);
      found->second = n;
      return;
    }
    case Opcode::output:
      for (const Slot& slot : graph_->slots(n)) {
        if (slot.kind == ArgKind::node) ++facts(group_[slot.node().value]).outputs;
      }
      return;
    default: break;
  }
  const CallClass& call = binding_->call_class(n);
  if (!call.aliases && !call.unknown && !call.writes) return;
  aliased_operands(n, [&](NodeId operand) { join(n, operand); });
  written_operands(n, [&](NodeId operand) { add_write(operand, n); });
}

Storage::Facts& Storage::facts(std::uint32_t group) {
  if (facts_of_[group] == kNoFacts) {
    facts_of_[group] = static_cast<std::uint32_t>(facts_.size());
    facts_.emplace_back();
  }
  return facts_[facts_of_[group]];
}

const Storage::Facts* Storage::find_facts(std::uint32_t group) const {
  return facts_of_[group] == kNoFacts ? nullptr : &facts_[facts_of_[group]];
}

void Storage::add_write(NodeId value, NodeId write) {
  std::vector<NodeId>& writes = facts(group_[value.value]).writes;
  const auto at = writes.empty() || graph_->precedes(writes.back(), write)
                      ? writes.end()
                      : std::lower_bound(writes.begin(), writes.end(), write, [&](NodeId a, NodeId b) { return graph_->precedes(a, b); });
  if (at != writes.end() && *at == write) return;
  if (at == writes.end() && !writes.empty() && writes.back() == write) return;
  writes.insert(at, write);
  ++writes_;
}

// Both rings become one. The smaller one is relabelled: O(log n) a member over all joins.
void Storage::join(NodeId a, NodeId b) {
  const std::uint32_t ga = group_[a.value], gb = group_[b.value];
  if (ga == gb) return;
  std::uint32_t x = next_[a.value], y = next_[b.value];
  while (x != a.value && y != b.value) x = next_[x], y = next_[y];
  const NodeId from = x == a.value ? a : b, into = x == a.value ? b : a;
  const std::uint32_t old_group = group_[from.value], group = group_[into.value];
  std::uint32_t m = from.value;
  do {
    group_[m] = group;
    m = next_[m];
  } while (m != from.value);
  const std::uint32_t from_next = next_[from.value], into_next = next_[into.value];
  next_[from.value] = into_next;
  prev_[into_next] = from.value;
  next_[into.value] = from_next;
  prev_[from_next] = into.value;
  if (facts_of_[old_group] == kNoFacts) return;
  Facts moved = std::move(facts_[facts_of_[old_group]]);
  facts_[facts_of_[old_group]] = {};
  Facts& f = facts(group);
  f.inputs += moved.inputs;
  f.outputs += moved.outputs;
  if (moved.writes.empty()) return;
  const auto middle = static_cast<std::ptrdiff_t>(f.writes.size());
  f.writes.insert(f.writes.end(), moved.writes.begin(), moved.writes.end());
  const auto earlier = [&](NodeId p, NodeId q) { return graph_->precedes(p, q); };
  if (middle > 0 && !earlier(f.writes[static_cast<std::size_t>(middle) - 1], f.writes[static_cast<std::size_t>(middle)]))
    std::inplace_merge(f.writes.begin(), f.writes.begin() + middle, f.writes.end(), earlier);
  f.writes.erase(std::unique(f.writes.begin(), f.writes.end()), f.writes.end());
}

NodeId Storage::write_between(NodeId value, NodeId from, NodeId to) {
  if (writes_ == 0) return {};
  const std::uint32_t index = facts_of_[group_[value.value]];
  if (index == kNoFacts) return {};
  std::vector<NodeId>& writes = facts_[index].writes;
  const auto at = std::upper_bound(writes.begin(), writes.end(), from, [&](NodeId a, NodeId b) { return graph_->precedes(a, b); });
  if (at == writes.end() || (to.valid() && !graph_->precedes(*at, to))) return {};
  return *at;
}

bool Storage::used_after(NodeId value, NodeId place, NodeId except) const {
  NodeId m = value;
  do {
    for (SlotId s = graph_->first_use(m); s.valid(); s = graph_->next_use(s)) {
      const NodeId user = graph_->owner(s);
      if (user != except && (user == place || graph_->precedes(place, user))) return true;
    }
    m = NodeId(next_[m.value]);
  } while (m != value);
  return false;
}

bool Storage::returned_otherwise(NodeId value) const {
  const Facts* f = find_facts(group_[value.value]);
  if (f == nullptr) return false;
  std::uint32_t own = 0;
  for (SlotId s = graph_->first_use(value); s.valid(); s = graph_->next_use(s)) own += graph_->opcode(graph_->owner(s)) == Opcode::output;
  return f->outputs > own;
}

bool Storage::holds_input(NodeId value) const {
  const Facts* f = find_facts(group_[value.value]);
  return f != nullptr && f->inputs > 0;
}

bool Storage::reaches_output(NodeId value) const {
  const Facts* f = find_facts(group_[value.value]);
  return f != nullptr && f->outputs > 0;
}

bool Storage::derived(NodeId value) {
  bool found = false;
  aliased_operands(value, [&](NodeId) { found = true; });
  return found;
}

void Storage::aliased_operands_once(NodeId n, NodeId& operand) {
  aliased_operands(n, [&](NodeId o) {
    if (!operand.valid()) operand = o;
  });
}

void Storage::leave(NodeId n) {
  const std::uint32_t next = next_[n.value], prev = prev_[n.value];
  next_[prev] = next;
  prev_[next] = prev;
}

void Storage::enter(NodeId n, NodeId member) {
  const std::uint32_t next = next_[member.value];
  next_[member.value] = n.value;
  prev_[n.value] = member.value;
  next_[n.value] = next;
  prev_[next] = n.value;
  group_[n.value] = group_[member.value];
}

void Storage::erased(NodeId n) {
  if (is_input(n)) --facts(group_[n.value]).inputs;
  bool wrote = false;
  written_operands(n, [&](NodeId operand) {
    std::vector<NodeId>& writes = facts(group_[operand.value]).writes;
    const auto at = std::lower_bound(writes.begin(), writes.end(), n, [&](NodeId p, NodeId q) { return graph_->precedes(p, q); });
    if (at == writes.end() || *at != n) return;
    writes.erase(at);
    wrote = true;
  });
  if (wrote && writes_ > 0) --writes_;
  leave(n);
  single(n);
}

void Storage::replacing(NodeId old, NodeId value) {
  const std::uint32_t from = group_[old.value], to = group_[value.value];
  if (from == to || find_facts(from) == nullptr || facts(from).outputs == 0) return;
  for (SlotId s = graph_->first_use(old); s.valid(); s = graph_->next_use(s)) {
    if (graph_->opcode(graph_->owner(s)) != Opcode::output) continue;
    --facts(from).outputs;
    ++facts(to).outputs;
  }
}

// What was derived from `old` is now derived from `value`: those members change groups.
void Storage::replaced(NodeId old, NodeId value) {
  const std::uint32_t from = group_[old.value];
  if (from == group_[value.value]) return;
  if (next_[old.value] == old.value && find_facts(from) == nullptr) return;  // alone, never written
  std::vector<NodeId> todo{value}, moved;
  while (!todo.empty()) {
    const NodeId n = todo.back();
    todo.pop_back();
    for (SlotId s = graph_->first_use(n); s.valid(); s = graph_->next_use(s)) {
      const NodeId user = graph_->owner(s);
      if (user == old || group_[user.value] != from || graph_->opcode(user) == Opcode::output) continue;
      bool derived_from_n = false;
      aliased_operands(user, [&](NodeId operand) { derived_from_n |= operand == n; });
      if (!derived_from_n) continue;
      leave(user);
      enter(user, value);
      moved.push_back(user);
      todo.push_back(user);
    }
  }
  if (facts_of_[from] == kNoFacts) return;
  for (const NodeId m : moved) {
    for (SlotId s = graph_->first_use(m); s.valid(); s = graph_->next_use(s)) {
      if (graph_->opcode(graph_->owner(s)) != Opcode::output) continue;
      --facts(from).outputs;
      ++facts(group_[value.value]).outputs;
    }
  }
  std::vector<NodeId> writes = std::move(facts(from).writes);
  facts(from).writes.clear();
  for (const NodeId w : writes) {
    if (!graph_->alive(w)) continue;
    --writes_;
    written_operands(w, [&](NodeId operand) { add_write(operand, w); });
  }
}

}  // namespace fxrules::rewrite
