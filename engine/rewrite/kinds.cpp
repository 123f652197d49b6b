// Kinds and equality of values, three-valued where metadata decides.
#include "engine/rewrite/binding.hpp"

namespace fxrules::rewrite {

using program::Element;
using program::KindName;

namespace {

bool says_integer(std::string_view type) {
  return type == "torch.SymInt" || type == "int" || type == "<class 'int'>" || type == "torch.SymBool";
}
bool says_tensor(std::string_view type) {
  return type == "torch.Tensor" || type == "torch.nn.parameter.Parameter" || type == "torch.nn.Parameter";
}

const ValueMeta* meta_of(Binding& binding, NodeId n) {
  const MetaId meta = binding.graph().meta(n);
  return meta.valid() ? &binding.graph().metas()[meta] : nullptr;
}

// What an op always returns needs no metadata that has yet to be read.
bool tells_by_itself(Binding& binding, NodeId n) {
  if (!binding.graph().meta_waits(n)) return false;
  const TypeKind kind = binding.returned_kind(n);
  return kind != TypeKind::any && !binding.is_operator(n);
}

}  // namespace

Truth is_tensor(Binding& binding, NodeId n) {
  if (tells_by_itself(binding, n)) return truth(binding.returned_kind(n) == TypeKind::tensor);
  if (const ValueMeta* meta = meta_of(binding, n)) return truth(meta->kind == MetaKind::tensor);
  const SymbolId type = binding.graph().type(n);
  if (type.valid()) {
    const std::string_view text = binding.graph().text(type);
    if (says_tensor(text)) return Truth::yes;
    if (says_integer(text)) return Truth::no;
  }
  // operator.add of ints is an int: what an operator returns follows its operands.
  const TypeKind kind = binding.returned_kind(n);
  if (kind == TypeKind::any || (kind == TypeKind::tensor && binding.is_operator(n))) return Truth::unknown;
  return truth(kind == TypeKind::tensor);
}

Truth is_integer_node(Binding& binding, NodeId n) {
  if (tells_by_itself(binding, n)) return truth(binding.returned_kind(n) == TypeKind::integer);
  if (const ValueMeta* meta = meta_of(binding, n)) {
    if (meta->kind == MetaKind::symbolic) return Truth::yes;
    if (meta->kind != MetaKind::other) return Truth::no;
  }
  const SymbolId type = binding.graph().type(n);
  if (type.valid()) {
    const std::string_view text = binding.graph().text(type);
    if (says_integer(text)) return Truth::yes;
    if (says_tensor(text)) return Truth::no;
  }
  const TypeKind kind = binding.returned_kind(n);
  if (kind == TypeKind::any || (kind == TypeKind::tensor && binding.is_operator(n))) return Truth::unknown;
  return truth(kind == TypeKind::integer);
}

namespace {

Truth tensor_kind(Binding& binding, const Value& v, Element element) {
  if (v.is(Tag::fresh)) return element == Element::any ? Truth::yes : Truth::unknown;
  if (!v.is(Tag::node)) return Truth::no;
  // A node in a schema's Tensor position is a Tensor even without metadata.
  Truth tensor = is_tensor(binding, v.node());
  if (tensor == Truth::unknown && v.role == TypeKind::tensor) tensor = Truth::yes;
  if (element == Element::any || tensor != Truth::yes) return tensor;
  const TensorMeta* meta = binding.graph().metas().tensor_of(binding.graph().meta(v.node()));
  if (meta == nullptr || meta->dtype == Dtype::unknown) return Truth::unknown;
  const DtypeCategory category = fxrules::category(meta->dtype);
  return truth(element == Element::boolean ? category == DtypeCategory::boolean : category == DtypeCategory::integral);
}

Truth integer_kind(Binding& binding, const Value& value) {
  const Value v = value.is_one_int() ? binding.item(value, 0, {}) : value;
  if (v.is(Tag::integer) || v.is(Tag::symbolic)) return Truth::yes;
  if (!v.is(Tag::node)) return Truth::no;
  const Truth known = is_integer_node(binding, v.node());
  if (known == Truth::unknown && v.role == TypeKind::integer) return Truth::yes;
  return known;
}

}  // namespace

Truth has_kind(Binding& binding, const Value& v, program::Kind kind) {
  if (v.unusable()) return Truth::unknown;
  switch (kind.name) {
    case KindName::any:
      return Truth::yes;
    case KindName::tensor:
      return tensor_kind(binding, v, kind.element);
    case KindName::node:
      if (v.is_one_int()) return truth(binding.item(v, 0, {}).is(Tag::node));
      return truth(v.is(Tag::node) || v.is(Tag::fresh));
    case KindName::number:
      if (v.is(Tag::boolean) || v.is(Tag::floating)) return Truth::yes;
      if (v.is(Tag::spelled)) return truth(static_cast<ArgKind>(v.i) == ArgKind::complex);
      return integer_kind(binding, v);
    case KindName::integer:
      return integer_kind(binding, v);
    case KindName::floating:
      return truth(v.is(Tag::floating));
    case KindName::boolean:
      return truth(v.is(Tag::boolean));
    case KindName::string:
      return truth(v.is(Tag::string) || (v.is(Tag::device) && v.spelled != kAsObject));
    case KindName::none:
      return truth(v.is(Tag::none));
    case KindName::ellipsis:
      return truth(v.is(Tag::ellipsis));
    case KindName::slice:
      return truth(v.is(Tag::slice));
    case KindName::tuple:
      return truth(v.is(Tag::tuple));
    case KindName::list:
      return truth(v.is(Tag::list) || (v.is(Tag::tuple) && v.role != TypeKind::any));
    case KindName::dict:
      return truth(v.is(Tag::dict));
    case KindName::dtype:
      return truth(v.is(Tag::dtype));
    case KindName::device:
      return truth(v.is(Tag::device));
  }
  return Truth::unknown;
}

namespace {

// Scalars only; containers are compared item by item by the caller.
Truth same_scalar(Binding& binding, const Value& a, const Value& b) {
  if (a.unusable() || b.unusable()) return Truth::unknown;
  const auto texty = [](const Value& v) { return v.is(Tag::string) || v.is(Tag::device); };
  if (texty(a) && texty(b)) {
    const bool kinds_agree = a.tag == b.tag || a.spelled != kAsObject || b.spelled != kAsObject;
    return truth(a.a == b.a && kinds_agree &&
                 (a.spelled == kAsBare || b.spelled == kAsBare || a.spelled == b.spelled || a.tag == Tag::string));
  }
  // An int that the schema takes as a float is that float: `1` given for a float default of `1.0` is not changed.
  if (a.tag != b.tag) return Truth::no;
  switch (a.tag) {
    case Tag::none:
    case Tag::ellipsis:
      return Truth::yes;
    case Tag::boolean:
    case Tag::integer:
      return truth(a.i == b.i);
    case Tag::floating:
      return truth(a.i == b.i);  // bits: nan is nan, -0.0 is not 0.0
    case Tag::symbolic:
      return binding.graph().metas().expressions().equal(Size::of(ExprId(static_cast<std::uint32_t>(a.i))),
                                                         Size::of(ExprId(static_cast<std::uint32_t>(b.i))));
    case Tag::dtype:
      return truth(a.i == b.i && (a.a == b.a || static_cast<Dtype>(a.i) != Dtype::unknown));
    case Tag::spelled:
      return truth(a.a == b.a && a.i == b.i);
    case Tag::node:
    case Tag::fresh:
    case Tag::meta:
    case Tag::op:
      return truth(a.a == b.a);
    default:
      return Truth::no;
  }
}

}  // namespace

namespace {

// One int stands for a list of one where a schema takes a list of ints.
bool is_list_of_one(const Value& list, const Value& one) {
  return list.is_sequence() && list.range.count == 1 && list.role == TypeKind::integer &&
         (one.is(Tag::integer) || one.is(Tag::symbolic));
}

}  // namespace

Truth same(Binding& binding, const Value& a, const Value& b, const std::vector<Value>& heap) {
  if (is_list_of_one(a, b)) return same_scalar(binding, binding.item(a, 0, heap), b);
  if (is_list_of_one(b, a)) return same_scalar(binding, a, binding.item(b, 0, heap));
  if (!a.is_container() || !b.is_container()) return same_scalar(binding, a, b);
  struct Pairing {
    Value a, b;
    std::uint32_t next;
  };
  std::vector<Pairing> open;
  Truth result = Truth::yes;
  // Tuples and lists differ to Python, but not where a schema takes a list of ints.
  const auto comparable = [](const Value& x, const Value& y) {
    if (x.range.count != y.range.count) return false;
    return x.tag == y.tag ||
           (x.is_sequence() && y.is_sequence() && (x.role != TypeKind::any || y.role != TypeKind::any));
  };
  if (!comparable(a, b)) return Truth::no;
  open.push_back({a, b, 0});
  while (!open.empty()) {
    Pairing& top = open.back();
    if (top.next == top.a.range.count) {
      open.pop_back();
      continue;
    }
    const Value x = binding.item(top.a, top.next, heap), y = binding.item(top.b, top.next, heap);
    ++top.next;
    if (x.is_container() && y.is_container()) {
      if (!comparable(x, y)) return Truth::no;
      open.push_back({x, y, 0});
      continue;
    }
    result = both(result, same_scalar(binding, x, y));
    if (result == Truth::no) return result;
  }
  return result;
}

}  // namespace fxrules::rewrite
