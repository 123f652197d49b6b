// The built-in functions. Each takes values and gives a value; what is not known comes out unknown, with
// the reason of the operand that was not known.
#include <algorithm>

#include "engine/rewrite/machine.hpp"
#include "engine/rewrite/versions.hpp"

namespace fxrules::rewrite {
namespace {

using Arguments = const std::vector<Value>&;

Value missing() { return Value::unknown(Unknown::metadata); }
Value ill_typed() { return Value::unknown(Unknown::kind); }

Graph& graph_of(Machine& m) { return m.binding().graph(); }

std::vector<Value> items_of(Machine& m, const Value& v) {
  std::vector<Value> out;
  out.reserve(v.range.count);
  for (std::uint32_t i = 0; i < v.range.count; ++i) out.push_back(m.item(v, i));
  return out;
}

// ---------------------------------------------------------------- metadata

Value shape(Machine& m, Arguments a) {
  const TensorMeta* meta = tensor_meta(m, a[0]);
  return meta != nullptr && meta->shape ? sizes_value(m, *meta->shape) : missing();
}

Value strides(Machine& m, Arguments a) {
  const TensorMeta* meta = tensor_meta(m, a[0]);
  return meta != nullptr && meta->strides ? sizes_value(m, *meta->strides) : missing();
}

Value rank(Machine& m, Arguments a) {
  const TensorMeta* meta = tensor_meta(m, a[0]);
  return meta != nullptr && meta->shape ? Value::integer(static_cast<std::int64_t>(meta->shape->size())) : missing();
}

Value dtype_value(Machine& m, Dtype dtype) {
  if (dtype == Dtype::unknown) return missing();
  return Value::make(Tag::dtype, m.binding().symbol(to_string(dtype)).value, static_cast<std::int64_t>(dtype));
}

Value dtype(Machine& m, Arguments a) {
  const TensorMeta* meta = tensor_meta(m, a[0]);
  return meta != nullptr ? dtype_value(m, meta->dtype) : missing();
}

Value device(Machine& m, Arguments a) {
  const TensorMeta* meta = tensor_meta(m, a[0]);
  return meta != nullptr && meta->device.valid() ? Value::make(Tag::device, meta->device.value) : missing();
}

Value quantised(Machine& m, Arguments a) {
  const TensorMeta* meta = tensor_meta(m, a[0]);
  if (meta == nullptr) return missing();
  if (meta->quantised) return Value::boolean(*meta->quantised);
  if (meta->dtype == Dtype::unknown) return missing();
  return Value::boolean(category(meta->dtype) == DtypeCategory::other && to_string(meta->dtype).starts_with("torch.q"));
}

// Tensor(dtype, shape, strides, device): what is left out or `unknown` stays unknown.
Value tensor(Machine& m, Arguments a) {
  TensorMeta meta;
  for (const Value& v : a) {
    if (v.is(Tag::failure)) return v;
  }
  const auto sizes_of = [&](const Value& v) -> std::optional<std::vector<Size>> {
    if (!v.is_sequence()) return std::nullopt;
    std::vector<Size> sizes;
    sizes.reserve(v.range.count);
    for (std::uint32_t i = 0; i < v.range.count; ++i)
      sizes.push_back(as_size(m, m.item(v, i)).value_or(Size::unknown()));
    return sizes;
  };
  if (a[0].is(Tag::dtype)) meta.dtype = static_cast<Dtype>(a[0].i);
  meta.shape = sizes_of(a[1]);
  if (a.size() > 2 && meta.shape) meta.strides = sizes_of(a[2]);
  if (meta.strides && meta.strides->size() != meta.shape->size()) meta.strides.reset();
  if (a.size() > 3 && (a[3].is(Tag::device) || a[3].is(Tag::string))) meta.device = a[3].symbol();
  if (meta == TensorMeta{}) return missing();
  return Value::make(Tag::meta, graph_of(m).metas().tensor(meta).value);
}

Value requires_grad(Machine& m, Arguments a) {
  const TensorMeta* meta = tensor_meta(m, a[0]);
  if (meta == nullptr) return missing();
  if (meta->requires_grad) return Value::boolean(*meta->requires_grad);
  // Only floating and complex tensors can require gradients.
  const DtypeCategory c = category(meta->dtype);
  return c == DtypeCategory::boolean || c == DtypeCategory::integral ? Value::boolean(false) : missing();
}

Truth equal(Machine& m, Size a, Size b) { return graph_of(m).metas().expressions().equal(a, b); }

// Several indices may reach one element: a stride of 0, or strides that do not leave room.
Value overlapping(Machine& m, Arguments a) {
  const TensorMeta* meta = tensor_meta(m, a[0]);
  if (meta == nullptr || !meta->shape || !meta->strides) return missing();
  std::vector<std::pair<std::int64_t, std::int64_t>> dims;
  for (std::size_t i = 0; i < meta->shape->size(); ++i) {
    const Size size = (*meta->shape)[i], stride = (*meta->strides)[i];
    if (!size.is_static() || !stride.is_static()) {
      const Value contiguous = is_contiguous(m, a[0]);
      return truth_of(contiguous) == Truth::yes ? Value::boolean(false) : Value::unknown(Unknown::size);
    }
    if (size.value > 1) dims.emplace_back(stride.value, size.value);
  }
  std::sort(dims.begin(), dims.end());
  std::int64_t reach = 0;
  for (const auto& [stride, size] : dims) {
    if (stride <= reach) return Value::boolean(true);
    reach += stride * (size - 1);
  }
  return Value::boolean(false);
}

Value results(Machine& m, Arguments a) {
  if (!a[0].is(Tag::node)) return missing();
  const MetaId id = graph_of(m).meta(a[0].node());
  if (id.valid()) {
    const ValueMeta& meta = graph_of(m).metas()[id];
    if (meta.kind == MetaKind::tuple) return Value::integer(static_cast<std::int64_t>(meta.parts.size()));
    if (meta.kind == MetaKind::tensor) return Value::integer(1);
  }
  const CallClass& call = m.binding().call_class(a[0].node());
  if (call.schema == nullptr) return missing();
  for (const SchemaReturn& r : call.schema->returns) {
    if (r.type.list) return missing();
  }
  return Value::integer(static_cast<std::int64_t>(call.schema->returns.size()));
}

// What is known of one of several results; counted from the back where negative.
Value result(Machine& m, Arguments a) {
  if (!a[0].is(Tag::node) || !a[1].is(Tag::integer)) return missing();
  const Metas& metas = graph_of(m).metas();
  const MetaId id = graph_of(m).meta(a[0].node());
  if (!id.valid() || metas[id].kind != MetaKind::tuple) return missing();
  const auto& parts = metas[id].parts;
  const auto count = static_cast<std::int64_t>(parts.size());
  const std::int64_t at = a[1].i < 0 ? a[1].i + count : a[1].i;
  if (at < 0 || at >= count || !parts[static_cast<std::size_t>(at)].valid()) return missing();
  const MetaId part = parts[static_cast<std::size_t>(at)];
  if (metas[part].kind == MetaKind::symbolic) return from_size(m, metas[part].value);
  return Value::make(Tag::meta, part.value);
}

// ---------------------------------------------------------------- what is known

Value known(Machine& m, Arguments a) {
  if (a[0].unusable()) return Value::boolean(false);
  if (a[0].is_sequence()) {
    for (const Value& v : items_of(m, a[0])) {
      if (v.unusable()) return Value::boolean(false);
    }
  }
  return Value::boolean(true);
}

Value is_static(Machine& m, Arguments a) {
  if (a[0].unusable()) return a[0];
  if (!a[0].is_sequence()) return Value::boolean(a[0].is(Tag::integer));
  for (const Value& v : items_of(m, a[0])) {
    if (!v.is(Tag::integer)) return Value::boolean(false);
  }
  return Value::boolean(true);
}

// Shape s broadcasts to shape t.
Value broadcasts(Machine& m, Arguments a) {
  if (!a[0].is_sequence() || !a[1].is_sequence()) return a[0].unusable() ? a[0] : a[1].unusable() ? a[1] : ill_typed();
  const std::uint32_t ns = a[0].range.count, nt = a[1].range.count;
  if (ns > nt) return Value::boolean(false);
  Truth t = Truth::yes;
  for (std::uint32_t i = 0; i < ns; ++i) {
    const auto s = as_size(m, m.item(a[0], ns - 1 - i)), d = as_size(m, m.item(a[1], nt - 1 - i));
    t = both(t, s && d ? either(equal(m, *s, Size::of(1)), equal(m, *s, *d)) : Truth::unknown);
  }
  return Value::truth(t);
}

Value row_major_strides(Machine& m, Arguments a) {
  if (!a[0].is_sequence()) return a[0].unusable() ? a[0] : ill_typed();
  std::vector<Size> shape;
  for (const Value& v : items_of(m, a[0])) shape.push_back(as_size(m, v).value_or(Size::unknown()));
  return sizes_value(m, row_major(graph_of(m).metas().expressions(), shape));
}

// ---------------------------------------------------------------- lists

Value len(Machine& m, Arguments a) {
  if (a[0].unusable()) return a[0];
  if (a[0].is(Tag::dict)) return Value::integer(a[0].range.count / 2);
  if (a[0].is_container()) return Value::integer(a[0].range.count);
  if (a[0].is(Tag::string)) return Value::integer(static_cast<std::int64_t>(graph_of(m).text(a[0].symbol()).size()));
  return ill_typed();
}

Value as_sequence(Machine&, Arguments a, Tag tag) {
  if (a[0].unusable()) return a[0];
  if (!a[0].is_sequence()) return ill_typed();
  Value v = a[0];
  v.tag = tag;
  return v;
}

Value reversed(Machine& m, Arguments a) {
  if (!a[0].is_sequence()) return a[0].unusable() ? a[0] : ill_typed();
  std::vector<Value> items = items_of(m, a[0]);
  std::reverse(items.begin(), items.end());
  return m.list(items);
}

// A count of items, clamped as Python's slices clamp; nullopt when it is no known int.
std::optional<std::uint32_t> count_of(const Value& list, const Value& n) {
  if (!n.is(Tag::integer)) return std::nullopt;
  const std::int64_t count = list.range.count;
  const std::int64_t at = n.i < 0 ? n.i + count : n.i;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(at, 0, count));
}

enum class Part { first, last, after };
Value part(Machine&, Arguments a, Part which) {
  if (!a[0].is_sequence()) return a[0].unusable() ? a[0] : ill_typed();
  const auto n = count_of(a[0], a[1]);
  if (!n) return a[1].unusable() ? a[1] : Value::unknown(Unknown::size);
  const std::uint32_t count = a[0].range.count;
  if (which == Part::first) return a[0].without(0, count - *n);
  if (which == Part::last) return a[0].without(count - *n, 0);
  return a[0].without(*n, 0);
}

std::optional<std::uint32_t> place_in(const Value& list, const Value& i, bool end_allowed) {
  if (!i.is(Tag::integer)) return std::nullopt;
  const std::int64_t count = list.range.count;
  const std::int64_t at = i.i < 0 ? i.i + count + (end_allowed ? 1 : 0) : i.i;
  if (at < 0 || at > count || (at == count && !end_allowed)) return std::nullopt;
  return static_cast<std::uint32_t>(at);
}

enum class Edit { drop, replace, insert };
Value edited(Machine& m, Arguments a, Edit how) {
  if (!a[0].is_sequence()) return a[0].unusable() ? a[0] : ill_typed();
  const auto at = place_in(a[0], a[1], how == Edit::insert);
  if (!at) return a[1].unusable() ? a[1] : Value::unknown(Unknown::operand);
  std::vector<Value> items = items_of(m, a[0]);
  const auto place = items.begin() + *at;
  if (how == Edit::drop) items.erase(place);
  if (how == Edit::replace) *place = a[2];
  if (how == Edit::insert) items.insert(place, a[2]);
  return m.list(items);
}

Value position(Machine& m, Arguments a) {
  if (!a[0].is_sequence()) return a[0].unusable() ? a[0] : ill_typed();
  for (std::uint32_t i = 0; i < a[0].range.count; ++i) {
    const Truth t = same(m.binding(), m.item(a[0], i), a[1], m.heap());
    if (t == Truth::yes) return Value::integer(i);
    if (t == Truth::unknown) return Value::unknown(Unknown::size);
  }
  return Value::unknown(Unknown::operand);
}

// Lists as long as the caller says: bounded, since a size may be any number.
constexpr std::int64_t kLongest = 1 << 20;

Value copies(Machine& m, Arguments a) {
  if (!a[1].is(Tag::integer) || a[1].i > kLongest) return a[1].unusable() ? a[1] : Value::unknown(Unknown::size);
  return m.list(std::vector<Value>(static_cast<std::size_t>(std::max<std::int64_t>(a[1].i, 0)), a[0]));
}

Value upto(Machine& m, Arguments a) {
  if (!a[0].is(Tag::integer) || a[0].i > kLongest) return a[0].unusable() ? a[0] : Value::unknown(Unknown::size);
  std::vector<Value> items;
  for (std::int64_t i = 0; i < a[0].i; ++i) items.push_back(Value::integer(i));
  return m.list(items);
}

// ---------------------------------------------------------------- numbers

enum class Fold { least, greatest, total, product };
Value folded(Machine& m, Arguments a, Fold how) {
  std::vector<Value> items = a;
  if (a.size() == 1 && a[0].is_sequence()) items = items_of(m, a[0]);
  if (items.empty()) {
    if (how == Fold::total) return Value::integer(0);
    if (how == Fold::product) return Value::integer(1);
    return Value::unknown(Unknown::operand);
  }
  Expressions& e = graph_of(m).metas().expressions();
  std::optional<Size> sum;
  for (const Value& v : items) {
    if (v.unusable()) return v;
    const auto size = as_size(m, v);
    if (!size) return ill_typed();
    if (!sum) {
      sum = size;
    } else {
      sum = how == Fold::least      ? e.minimum(*sum, *size)
            : how == Fold::greatest ? e.maximum(*sum, *size)
            : how == Fold::total    ? e.add(*sum, *size)
                                    : e.multiply(*sum, *size);
    }
  }
  return from_size(m, *sum);
}

// ---------------------------------------------------------------- dtypes and devices

std::optional<Promotion> promotion_of(Machine& m, const Value& v) {
  switch (v.tag) {
    case Tag::dtype:
      return Promotion{static_cast<Dtype>(v.i), PromotionRank::dimensioned};
    case Tag::boolean:
      return Promotion{Dtype::boolean, PromotionRank::number};
    case Tag::integer:
    case Tag::symbolic:
      return Promotion{Dtype::int64, PromotionRank::number};
    case Tag::floating:
      return Promotion{Dtype::float32, PromotionRank::number};
    case Tag::spelled:
      if (static_cast<ArgKind>(v.i) == ArgKind::complex) return Promotion{Dtype::complex64, PromotionRank::number};
      return std::nullopt;
    default:
      break;
  }
  if (v.is(Tag::node) && is_integer_node(m.binding(), v.node()) == Truth::yes)
    return Promotion{Dtype::int64, PromotionRank::number};
  const TensorMeta* meta = tensor_meta(m, v);
  if (meta == nullptr || meta->dtype == Dtype::unknown) return std::nullopt;
  return Promotion{meta->dtype,
                   meta->shape && meta->shape->empty() ? PromotionRank::zero_dim : PromotionRank::dimensioned};
}

// Whether a tensor is 0-d decides between tensors of several dtypes; where they are all alike it does not.
Value promoted(Machine& m, Arguments a) {
  PromotionState state;
  Dtype one = Dtype::unknown;
  bool several = false, rank_unknown = false;
  for (const Value& v : a) {
    const auto operand = promotion_of(m, v);
    if (!operand) return v.unusable() ? v : missing();
    promote(state, *operand);
    if (operand->rank == PromotionRank::number) continue;
    several |= one != Dtype::unknown && one != operand->dtype;
    one = operand->dtype;
    const TensorMeta* meta = tensor_meta(m, v);
    rank_unknown |= meta != nullptr && !meta->shape;
  }
  if (rank_unknown && several) return missing();
  return dtype_value(m, result_type(state));
}

Value castable(Machine&, Arguments a) {
  if (!a[0].is(Tag::dtype) || !a[1].is(Tag::dtype))
    return a[0].unusable() ? a[0] : a[1].unusable() ? a[1] : ill_typed();
  return Value::boolean(can_cast(static_cast<Dtype>(a[0].i), static_cast<Dtype>(a[1].i)));
}

Value integral(Machine&, Arguments a) {
  if (!a[0].is(Tag::dtype)) return a[0].unusable() ? a[0] : ill_typed();
  const DtypeCategory c = category(static_cast<Dtype>(a[0].i));
  return Value::boolean(c == DtypeCategory::integral || c == DtypeCategory::boolean);
}

std::string_view type_of_device(std::string_view device) { return device.substr(0, device.find(':')); }

Value device_type(Machine& m, Arguments a) {
  if (!a[0].is(Tag::device) && !a[0].is(Tag::string)) return a[0].unusable() ? a[0] : ill_typed();
  return Value::of_string(m.binding().symbol(type_of_device(graph_of(m).text(a[0].symbol()))));
}

// `t` spelled as `d` is: a string stays a string, a torch.device a torch.device.
Value with_type(Machine&, Arguments a) {
  if (a[0].unusable()) return a[0];
  if (a[1].unusable()) return a[1];
  if (!a[1].is(Tag::string) && !a[1].is(Tag::device)) return ill_typed();
  Value v = a[1];
  v.tag = a[0].is(Tag::device) ? Tag::device : Tag::string;
  v.spelled = a[0].is(Tag::device) ? a[0].spelled : static_cast<std::uint8_t>(kAsString);
  return v;
}

// ---------------------------------------------------------------- the graph around the match

// Questions about what comes later need every use to mean what it will.
void settle_uses(Machine& m) {
  if (m.versions() != nullptr && m.versions()->pending()) m.versions()->settle();
}

// The caller's look at the inputs when the graph has run is no use of theirs (engine/rewrite/inputs.hpp).
std::uint32_t uses_by_caller(Machine& m, NodeId n) {
  const NodeId output = graph_of(m).output();
  if (!output.valid() || graph_of(m).form(output).positional < 2) return 0;
  std::uint32_t count = 0;
  const Slot& after = graph_of(m)[graph_of(m).argument(output, 1)];
  for (std::uint32_t i = 0; i < after.count(); ++i) count += graph_of(m)[after.child(i)].node() == n;
  return count;
}

Value uses(Machine& m, Arguments a) {
  if (!a[0].is(Tag::node)) return a[0].unusable() ? a[0] : ill_typed();
  if (m.versions() != nullptr && m.versions()->knows(a[0].node())) m.versions()->settle();
  m.dependencies().use_counts.push_back(a[0].node());
  return Value::integer(graph_of(m).use_count(a[0].node()) - uses_by_caller(m, a[0].node()));
}

Value occurrences(Machine& m, Arguments a) {
  if (!a[0].is(Tag::node) || !a[1].is(Tag::node)) return ill_typed();
  std::int64_t count = 0;
  for (const Slot& s : graph_of(m).slots(a[0].node())) count += s.kind == ArgKind::node && s.node() == a[1].node();
  return Value::integer(count);
}

Value given(Machine& m, Arguments a) {
  if (!a[0].is(Tag::node) || !a[1].is(Tag::string)) return ill_typed();
  const NodeId n = a[0].node();
  const Access access = m.binding().find_argument(m.binding().call_class(n), n, graph_of(m).text(a[1].symbol()));
  return Value::boolean(access.how == Access::How::slot || (access.how == Access::How::run && access.count > 0));
}

Value mutates(Machine& m, Arguments a) {
  if (!a[0].is(Tag::node)) return ill_typed();
  const CallClass& call = m.binding().call_class(a[0].node());
  if (call.unknown) {
    const std::string_view target = graph_of(m).target(a[0].node());
    const bool in_place =
        graph_of(m).opcode(a[0].node()) == Opcode::call_method && target.ends_with('_') && !target.ends_with("__");
    return in_place ? Value::boolean(true) : missing();
  }
  return Value::boolean(m.binding().writes(a[0].node()));
}

bool is_graph_input(Machine& m, NodeId n) {
  return graph_of(m).opcode(n) == Opcode::placeholder || graph_of(m).opcode(n) == Opcode::get_attr;
}

// The value whose storage this one is a view of: the first operand that each alias on the way names.
NodeId base_of(Machine& m, NodeId n) {
  for (;;) {
    NodeId operand;
    m.storage().aliased_operands_once(n, operand);
    if (!operand.valid()) return n;
    n = operand;
  }
}

Value base(Machine& m, Arguments a) {
  if (!a[0].is(Tag::node)) return a[0];
  m.dependencies().elsewhere = true;
  return Value::of_node(base_of(m, a[0].node()));
}

Value is_view(Machine& m, Arguments a) {
  if (!a[0].is(Tag::node)) return missing();
  const CallClass& call = m.binding().call_class(a[0].node());
  if (call.schema == nullptr) return missing();
  if (has(call.schema->tags, OpTag::view)) return Value::boolean(true);
  return call.aliases ? missing() : Value::boolean(false);
}

Value may_alias(Machine& m, Arguments a) {
  if (!a[0].is(Tag::node) || !a[1].is(Tag::node)) return ill_typed();
  m.dependencies().elsewhere = true;
  settle_uses(m);
  return Value::boolean(m.storage().together(a[0].node(), a[1].node()));
}

// Nothing reads d or anything that shares its storage behind u.
Value last_use(Machine& m, Arguments a) {
  if (!a[0].is(Tag::node) || !a[1].is(Tag::node)) return ill_typed();
  m.dependencies().elsewhere = true;
  settle_uses(m);
  return Value::boolean(!m.storage().used_after(a[0].node(), a[1].node(), a[1].node()));
}

Value writable(Machine& m, Arguments a) {
  if (!a[0].is(Tag::node)) return ill_typed();
  m.dependencies().elsewhere = true;
  settle_uses(m);
  // An input may belong to anybody, unless the signature gives it a new value.
  if (!m.storage().holds_input(a[0].node())) return Value::boolean(true);
  const NodeId input = m.storage().only_input(a[0].node());
  return Value::boolean(input.valid() && m.binding().entry_of(input).valid());
}

Value is_input(Machine& m, Arguments a) {
  if (!a[0].is(Tag::node)) return a[0].is(Tag::fresh) ? Value::boolean(false) : ill_typed();
  return Value::boolean(is_graph_input(m, a[0].node()));
}

// ---------------------------------------------------------------- the signature

Value has_role(Machine& m, Arguments a, InputRole role) {
  if (!a[0].is(Tag::node)) return a[0].is(Tag::fresh) ? Value::boolean(false) : ill_typed();
  const NodeId n = a[0].node();
  if (!is_graph_input(m, n)) return Value::boolean(false);
  const Signature* signature = graph_of(m).signature();
  if (signature == nullptr || graph_of(m).opcode(n) != Opcode::placeholder) return missing();
  const InputSpec* spec = signature->find(n);
  return spec != nullptr ? Value::boolean(spec->role == role) : missing();
}

// Some output is the new value of this input.
Value written_back(Machine& m, Arguments a) {
  if (!a[0].is(Tag::node)) return ill_typed();
  const Signature* signature = graph_of(m).signature();
  if (!is_graph_input(m, a[0].node())) return Value::boolean(false);
  if (signature == nullptr) return missing();
  return Value::boolean(signature->mutation_of(a[0].node()) < signature->outputs.size());
}

// The graph writes to it, or gives it a new value. What an op does that the catalogue does not know is not known.
Value mutated(Machine& m, Arguments a) {
  if (!a[0].is(Tag::node)) return ill_typed();
  const NodeId n = a[0].node();
  settle_uses(m);
  bool perhaps = false;
  for (NodeId w = m.storage().write_between(n, n, NodeId()); w.valid(); w = m.storage().write_between(n, w, NodeId())) {
    if (!m.binding().call_class(w).unknown) return Value::boolean(true);
    perhaps = true;
  }
  const Value slot = is_graph_input(m, n) ? written_back(m, a) : Value::boolean(false);
  return perhaps && truth_of(slot) != Truth::yes ? missing() : slot;
}

// v is p itself, after writes that return what they wrote to.
bool updates_in_place(Machine& m, NodeId v, NodeId p) {
  while (v != p) {
    if (!m.binding().writes(v)) return false;
    NodeId operand;
    m.storage().aliased_operands_once(v, operand);
    if (!operand.valid()) return false;
    v = operand;
  }
  return true;
}

Value in_place(Machine& m, Arguments a) {
  if (!a[0].is(Tag::node) || !a[1].is(Tag::node)) return ill_typed();
  settle_uses(m);
  return Value::boolean(updates_in_place(m, a[0].node(), a[1].node()));
}

// A write to an input that its entry names as the input's new value.
Value is_writeback(Machine& m, Arguments a) {
  if (!a[0].is(Tag::node)) return ill_typed();
  const Graph& graph = graph_of(m);
  const NodeId n = a[0].node();
  if (m.is_write_back(n)) return Value::boolean(true);
  if (graph.signature() == nullptr || !m.binding().writes(n)) return Value::boolean(false);
  for (SlotId s = graph.first_use(n); s.valid(); s = graph.next_use(s)) {
    const NodeId user = graph.owner(s);
    if (m.binding().is_entry(user) && updates_in_place(m, n, m.binding().input_of_entry(user)))
      return Value::boolean(true);
  }
  return Value::boolean(false);
}

// How often the caller gets the value itself; entries of the signature give it to inputs.
Value outputs(Machine& m, Arguments a) {
  if (!a[0].is(Tag::node)) return ill_typed();
  m.dependencies().elsewhere = true;
  settle_uses(m);
  std::int64_t count = 0;
  const NodeId output = graph_of(m).output();
  for (SlotId s = graph_of(m).first_use(a[0].node()); s.valid(); s = graph_of(m).next_use(s))
    count += graph_of(m).owner(s) == output;
  count -= uses_by_caller(m, a[0].node());
  return Value::integer(count);
}

// A rule sees one graph, whose nodes run one after the other: what stands in front has run whenever the graph
// comes to the node, and what stands behind will, whatever calls the graph and how often.
Value dominates(Machine& m, const Value& first, const Value& second) {
  if (!first.is(Tag::node) || !second.is(Tag::node)) return ill_typed();
  return Value::boolean(first.node() == second.node() || graph_of(m).precedes(first.node(), second.node()));
}

// ---------------------------------------------------------------- names

Value origin(Machine& m, Arguments a) {
  if (!a[0].is(Tag::node)) return missing();
  const NodeId n = m.versions() != nullptr ? m.versions()->origin(a[0].node()) : base_of(m, a[0].node());
  return Value::of_string(graph_of(m).name_id(n));
}

Value name(Machine& m, Arguments a) {
  if (!a[0].is(Tag::node)) return missing();
  return Value::of_string(graph_of(m).name_id(a[0].node()));
}

// The op's name as rules write it: `cpu` for x.cpu(), `add` for torch.ops.aten.add.Tensor.
Value op(Machine& m, Arguments a) {
  if (!a[0].is(Tag::node)) return missing();
  const CallClass& call = m.binding().call_class(a[0].node());
  if (call.op.valid()) return Value::of_string(m.binding().symbol(m.binding().catalogue().op_name(call.op)));
  return Value::of_string(graph_of(m).form(a[0].node()).target);
}

}  // namespace

namespace {

// What these answer depends on where a call stands and on what else is in the graph.
bool asks_graph(Builtin id) {
  switch (id) {
    case Builtin::uses:
    case Builtin::base:
    case Builtin::may_alias:
    case Builtin::last_use:
    case Builtin::writable:
    case Builtin::outputs:
    case Builtin::in_place:
    case Builtin::written_back:
    case Builtin::is_writeback:
    case Builtin::mutated:
    case Builtin::dominates:
    case Builtin::post_dominates:
    case Builtin::origin:
    case Builtin::name:
      return true;
    default:
      return false;
  }
}

// What these answer depends on more of a call than its metadata and its form.
bool asks_call(Builtin id) {
  switch (id) {
    case Builtin::results:
    case Builtin::result:
    case Builtin::is_view:
    case Builtin::occurrences:
    case Builtin::given:
    case Builtin::mutates:
    case Builtin::op:
    case Builtin::is_input:
    case Builtin::is_parameter:
    case Builtin::is_buffer:
      return true;
    default:
      return false;
  }
}

}  // namespace

const TensorMeta* tensor_meta(Machine& machine, const Value& v) {
  Metas& metas = machine.binding().graph().metas();
  if (v.is(Tag::node)) return metas.tensor_of(machine.binding().graph().meta(v.node()));
  if (v.is(Tag::meta)) return metas.tensor_of(MetaId(v.a));
  if (v.is(Tag::fresh)) return metas.tensor_of(machine.meta_of_fresh(v.a));
  return nullptr;
}

Value call_builtin(Machine& m, Builtin id, const std::vector<Value>& a) {
  const BuiltinInfo& expected = info(id);
  if (a.size() < expected.min_arguments || (expected.max_arguments != 255 && a.size() > expected.max_arguments))
    return Value::unknown(Unknown::operand);
  if (!a.empty() && a[0].is(Tag::failure) && id != Builtin::known) return a[0];
  if (asks_graph(id)) {
    if (m.inferring()) return Value::unknown(Unknown::not_computed);
    m.settle();
  }
  if (m.inferring() && asks_call(id)) m.looks_at_calls(a);
  switch (id) {
    case Builtin::shape:
      return shape(m, a);
    case Builtin::dtype:
      return dtype(m, a);
    case Builtin::rank:
      return rank(m, a);
    case Builtin::strides:
      return strides(m, a);
    case Builtin::device:
      return device(m, a);
    case Builtin::quantised:
      return quantised(m, a);
    case Builtin::requires_grad:
      return requires_grad(m, a);
    case Builtin::is_dense:
      return is_dense(m, a[0]);
    case Builtin::is_contiguous:
      return is_contiguous(m, a[0]);
    case Builtin::overlapping:
      return overlapping(m, a);
    case Builtin::results:
      return results(m, a);
    case Builtin::result:
      return result(m, a);
    case Builtin::known:
      return known(m, a);
    case Builtin::is_static:
      return is_static(m, a);
    case Builtin::broadcasts:
      return broadcasts(m, a);
    case Builtin::row_major:
      return row_major_strides(m, a);
    case Builtin::dense_strides:
      return dense_strides(m, a);
    case Builtin::view_strides:
      return view_strides(m, a);
    case Builtin::is_view:
      return is_view(m, a);
    case Builtin::len:
      return len(m, a);
    case Builtin::list:
      return as_sequence(m, a, Tag::list);
    case Builtin::tuple:
      return as_sequence(m, a, Tag::tuple);
    case Builtin::reversed:
      return reversed(m, a);
    case Builtin::first:
      return part(m, a, Part::first);
    case Builtin::last:
      return part(m, a, Part::last);
    case Builtin::after:
      return part(m, a, Part::after);
    case Builtin::drop:
      return edited(m, a, Edit::drop);
    case Builtin::replace:
      return edited(m, a, Edit::replace);
    case Builtin::insert_at:
      return edited(m, a, Edit::insert);
    case Builtin::position:
      return position(m, a);
    case Builtin::copies:
      return copies(m, a);
    case Builtin::upto:
      return upto(m, a);
    case Builtin::least:
      return folded(m, a, Fold::least);
    case Builtin::greatest:
      return folded(m, a, Fold::greatest);
    case Builtin::total:
      return folded(m, a, Fold::total);
    case Builtin::product:
      return folded(m, a, Fold::product);
    case Builtin::promote:
      return promoted(m, a);
    case Builtin::can_cast:
      return castable(m, a);
    case Builtin::integral:
      return integral(m, a);
    case Builtin::device_type:
      return device_type(m, a);
    case Builtin::with_type:
      return with_type(m, a);
    case Builtin::uses:
      return uses(m, a);
    case Builtin::occurrences:
      return occurrences(m, a);
    case Builtin::given:
      return given(m, a);
    case Builtin::mutates:
      return mutates(m, a);
    case Builtin::base:
      return base(m, a);
    case Builtin::may_alias:
      return may_alias(m, a);
    case Builtin::last_use:
      return last_use(m, a);
    case Builtin::writable:
      return writable(m, a);
    case Builtin::is_input:
      return is_input(m, a);
    case Builtin::outputs:
      return outputs(m, a);
    case Builtin::dominates:
      return dominates(m, a[0], a[1]);
    case Builtin::origin:
      return origin(m, a);
    case Builtin::name:
      return name(m, a);
    case Builtin::op:
      return op(m, a);
    case Builtin::defined: {
      if (!a[0].is(Tag::op)) return ill_typed();
      return m.defined(a[0]);
    }
    case Builtin::tensor:
      return tensor(m, a);
    case Builtin::is_parameter:
      return has_role(m, a, InputRole::parameter);
    case Builtin::is_buffer:
      return has_role(m, a, InputRole::buffer);
    case Builtin::in_place:
      return in_place(m, a);
    case Builtin::written_back:
      return written_back(m, a);
    case Builtin::is_writeback:
      return is_writeback(m, a);
    case Builtin::mutated:
      return mutated(m, a);
    case Builtin::post_dominates:
      return dominates(m, a[1], a[0]);
  }
  return Value::unknown(Unknown::not_computed);
}

}  // namespace fxrules::rewrite
