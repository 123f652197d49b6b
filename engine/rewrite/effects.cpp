#include "engine/rewrite/effects.hpp"

#include "engine/rewrite/strides.hpp"

namespace fxrules::rewrite {

bool asks_for_copy(Binding& binding, const CallClass& call, NodeId n) {
  if (call.copy_flag.how != Access::How::slot) return false;
  const Value asked = binding.argument(n, call.copy_flag);
  return asked.is(Tag::boolean) && asked.i != 0;
}

bool returns_argument(Binding& binding, const CallClass& call, NodeId n, const CallClass::Effect& effect) {
  // inplace=False; a call that may return its operand anyway (dropout outside training) still does.
  const bool sometimes = has(call.schema->tags, OpTag::may_alias);
  if (effect.writes && !sometimes && !binding.writes_argument(call, n, effect.argument)) return false;
  return binding.holds(call, n, call.schema->arguments[effect.argument].alias_when);  // getattr of a shape
}

bool gives_several(Binding& binding, NodeId n) {
  if (const Binding::Effects* inside = binding.effects(n)) return inside->several;
  const CallClass& call = binding.call_class(n);
  return call.schema != nullptr && !call.schema->returns.empty() &&
         (call.schema->returns.size() > 1 || call.schema->returns[0].type.list);
}

namespace {

// Its results are new tensors, each with storage of its own.
bool gives_new(Binding& binding, NodeId n) {
  const Binding::Effects* inside = binding.effects(n);
  return inside != nullptr ? inside->apart && inside->returned.empty() : binding.shares_nothing(n);
}

}  // namespace

std::optional<NewPart> part_of_new(Binding& binding, NodeId n) {
  const Graph& graph = binding.graph();
  const CallClass& call = binding.call_class(n);
  static constexpr std::string_view kItem = "getitem";
  if (!call.op.valid() || call.op != binding.catalogue().role(kItem) || call.by_argument.size() != 2) return {};
  const auto slot_of = [&](std::size_t argument) {
    const Access& access = call.by_argument[argument];
    return access.how == Access::How::slot ? SlotId(graph.argument(n, 0).value + access.at) : SlotId();
  };
  const SlotId self = slot_of(0), index = slot_of(1);
  if (!self.valid() || !index.valid() || graph[self].kind != ArgKind::node || graph[index].kind != ArgKind::integer)
    return {};
  const NodeId whole = graph[self].node();
  if (!gives_several(binding, whole) || !gives_new(binding, whole)) return {};
  return NewPart{whole, graph[index].integer()};
}

namespace {

const TensorMeta* tensor_of(const Graph& graph, NodeId n) { return graph.metas().tensor_of(graph.meta(n)); }

// x[i] on a tensor: a view for ints, slices, None and Ellipsis, a copy where a tensor or list indexes.
Relation relation_of_item(Binding& binding, NodeId n, NodeId operand, const Access& index) {
  if (gives_several(binding, operand)) return gives_new(binding, operand) ? Relation::none : Relation::view;
  if (is_tensor(binding, operand) == Truth::no) return Relation::view;  // a part of a tuple
  const Graph& graph = binding.graph();
  if (index.how != Access::How::slot) return Relation::maybe;
  const auto of_item = [&](const Slot& slot) {
    switch (slot.kind) {
      case ArgKind::list:
      case ArgKind::boolean:
        return Relation::none;
      case ArgKind::node:
        if (is_integer_node(binding, slot.node()) == Truth::yes) return Relation::view;
        return is_tensor(binding, slot.node()) == Truth::yes ? Relation::none : Relation::maybe;
      default:
        return Relation::view;
    }
  };
  const Slot& at = graph[SlotId(graph.argument(n, 0).value + index.at)];
  if (at.kind != ArgKind::tuple) return of_item(at);
  Relation all = Relation::view;
  for (std::uint32_t i = 0; i < at.count(); ++i) {
    const Relation one = of_item(graph[at.child(i)]);
    if (one == Relation::none) return Relation::none;
    if (one == Relation::maybe) all = Relation::maybe;
  }
  return all;
}

// `reshape`, `to`, `contiguous`, …: the tensor itself, a view of it or a copy, as far as metadata says.
Relation relation_by_metadata(const Graph& graph, NodeId n, NodeId operand) {
  const TensorMeta* result = tensor_of(graph, n);
  const TensorMeta* from = tensor_of(graph, operand);
  if (result == nullptr || from == nullptr) return Relation::maybe;
  if (result->dtype != Dtype::unknown && from->dtype != Dtype::unknown && result->dtype != from->dtype)
    return Relation::none;
  if (result->device.valid() && from->device.valid() && result->device != from->device) return Relation::none;
  const bool known = result->dtype != Dtype::unknown && result->device.valid() && from->device.valid();
  if (!known || !result->shape || !from->shape || !result->strides || !from->strides) return Relation::maybe;
  if (*result->shape == *from->shape) return *result->strides == *from->strides ? Relation::same : Relation::none;
  Expressions& expressions = graph.metas().expressions();
  const ViewStrides view = strides_of_view(expressions, *from->shape, *from->strides, *result->shape);
  if (view.exists != Truth::yes) return view.exists == Truth::no ? Relation::none : Relation::maybe;
  switch (same_strides(expressions, *result->shape, view.strides, *result->strides)) {
    case Truth::yes:
      return Relation::view;
    case Truth::no:
      return Relation::none;
    default:
      return Relation::maybe;
  }
}

}  // namespace

Relation relation(Binding& binding, NodeId n, NodeId operand) {
  const CallClass& call = binding.call_class(n);
  if (call.unknown || call.schema == nullptr || binding.effects(n) != nullptr) return Relation::maybe;
  NodeId first;
  bool several = false;
  aliased_operands(binding, n, [&](NodeId o) {
    if (!first.valid()) first = o;
    several |= o != first;
  });
  if (several) return Relation::maybe;
  static constexpr std::string_view kItem = "getitem";
  if (call.op.valid() && call.op == binding.catalogue().role(kItem))
    return relation_of_item(binding, n, operand, binding.find_argument(call, n, "index"));
  if (has(call.schema->tags, OpTag::inplace_view)) return Relation::maybe;
  if (binding.writes(n)) return Relation::same;
  if (has(call.schema->tags, OpTag::view)) return Relation::view;
  if (has(call.schema->tags, OpTag::other_values)) return Relation::maybe;
  if (has(call.schema->tags, OpTag::may_alias)) return relation_by_metadata(binding.graph(), n, operand);
  return Relation::view;  // getattr: x.T, x.data
}

MetaId meta_of_written(Binding& binding, NodeId n) {
  NodeId operand;
  if (binding.writes(n)) {
    aliased_operands(binding, n, [&](NodeId o) {
      if (!operand.valid() && relation(binding, n, o) == Relation::same) operand = o;
    });
  }
  return operand.valid() ? binding.graph().meta(operand) : MetaId();
}

}  // namespace fxrules::rewrite
