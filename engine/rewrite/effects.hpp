// What a call does to its operands: which of them its result may share storage with, and which it writes.
// Read off the catalogue's alias annotations; a call that the catalogue does not know may do both to all.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

#include "engine/rewrite/binding.hpp"

namespace fxrules::rewrite {

// The nodes among the arguments of one schema role. `Tensor(a!)[]` is one level of list.
template <class Visit>
void operands_of(const Graph& graph, NodeId n, const Access& access, Visit visit) {
  if (access.how != Access::How::slot && access.how != Access::How::run) return;
  const std::uint32_t first = graph.argument(n, 0).value + access.at;
  for (std::uint32_t s = first; s < first + access.count; ++s) {
    const Slot& slot = graph[SlotId(s)];
    if (slot.kind == ArgKind::node) {
      visit(slot.node());
    } else if (is_container(slot.kind)) {
      for (std::uint32_t i = 0; i < slot.count(); ++i) {
        const Slot& item = graph[slot.child(i)];
        if (item.kind == ArgKind::node) visit(item.node());
      }
    }
  }
}

// `x.to(t, copy=True)`: an argument of that name turns a possible alias into a copy.
[[nodiscard]] bool asks_for_copy(Binding& binding, const CallClass& call, NodeId n);

// An argument that decides at the call whether it is returned.
[[nodiscard]] bool returns_argument(Binding& binding, const CallClass& call, NodeId n, const CallClass::Effect& effect);

template <class Visit>
void aliased_operands(Binding& binding, NodeId n, Visit visit) {
  const Graph& graph = binding.graph();
  const CallClass& call = binding.call_class(n);
  if (const Binding::Effects* effects = binding.effects(n)) {  // what it runs is known better than its schema
    for (const NodeId o : effects->returned) visit(o);
    return;
  }
  if (call.unknown) {
    for (const Slot& slot : graph.slots(n)) {
      if (slot.kind == ArgKind::node && is_integer_node(binding, slot.node()) != Truth::yes) visit(slot.node());
    }
    return;
  }
  if (!call.aliases || asks_for_copy(binding, call, n)) return;
  for (const CallClass::Effect& e : call.effects) {
    if (e.returned && (e.certain || returns_argument(binding, call, n, e)))
      operands_of(graph, n, call.by_argument[e.argument], visit);
  }
}

template <class Visit>
void written_operands(Binding& binding, NodeId n, Visit visit) {
  const CallClass& call = binding.call_class(n);
  if (const Binding::Effects* effects = binding.effects(n)) {
    for (const NodeId o : effects->written) visit(o);
    return;
  }
  if (call.unknown) {
    aliased_operands(binding, n, visit);
    return;
  }
  if (!call.writes) return;
  for (const CallClass::Effect& e : call.effects) {
    if (e.writes && (e.certain || binding.writes_argument(call, n, e.argument)))
      operands_of(binding.graph(), n, call.by_argument[e.argument], visit);
  }
}

// `set_(d, s)`: from there on the operand is another storage. Visits (operand, whose storage it takes).
template <class Visit>
void rebound_operands(Binding& binding, NodeId n, Visit visit) {
  const CallClass& call = binding.call_class(n);
  if (call.schema == nullptr || !has(call.schema->tags, OpTag::rebinds)) return;
  for (std::size_t a = 0; a < call.by_argument.size(); ++a) {
    const SchemaArgument& source = call.schema->arguments[a];
    if (source.alias.empty() || source.writes || !binding.holds(call, n, source.alias_when)) continue;
    operands_of(binding.graph(), n, call.by_argument[a],
                [&](NodeId taken) { written_operands(binding, n, [&](NodeId operand) { visit(operand, taken); }); });
  }
}

// A tuple or list of values.
[[nodiscard]] bool gives_several(Binding& binding, NodeId n);
// The item of a call that gives several new tensors: equal items are one tensor, others share nothing.
struct NewPart {
  NodeId whole;
  std::int64_t index = 0;
};
[[nodiscard]] std::optional<NewPart> part_of_new(Binding& binding, NodeId n);

// How a call's result relates to an operand whose storage it may share.
enum class Relation : std::uint8_t {
  none,   // it does not: metadata or arguments prove a copy
  same,   // it is that tensor, as the result of an in-place op
  view,   // it is a view: the same call on another version of the operand is that version's view
  maybe,  // nobody knows before the program runs
};
// Requires: `operand` is among the aliased operands of `n`. O(arguments).
[[nodiscard]] Relation relation(Binding& binding, NodeId n, NodeId operand);

// Of the result of an in-place op, which is the operand itself; none where it is not, or that has none.
[[nodiscard]] MetaId meta_of_written(Binding& binding, NodeId n);

}  // namespace fxrules::rewrite
