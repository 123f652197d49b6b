// Strides as torch gives them: of a new tensor that follows its operands, and of a view of other sizes.
#include "engine/rewrite/strides.hpp"

#include <algorithm>
#include <numeric>

#include "engine/rewrite/machine.hpp"

namespace fxrules::rewrite {
namespace {

Value missing() { return Value::unknown(Unknown::metadata); }

Expressions& expressions(Machine& m) { return m.binding().graph().metas().expressions(); }

std::optional<std::vector<Size>> sizes_of(Machine& m, const Value& v) {
  if (!v.is_sequence()) return std::nullopt;
  std::vector<Size> sizes;
  sizes.reserve(v.range.count);
  for (std::uint32_t i = 0; i < v.range.count; ++i) sizes.push_back(as_size(m, m.item(v, i)).value_or(Size::unknown()));
  return sizes;
}

std::optional<std::vector<std::int64_t>> numbers(const std::vector<Size>& sizes) {
  std::vector<std::int64_t> out;
  out.reserve(sizes.size());
  for (const Size s : sizes) {
    if (!s.is_static()) return std::nullopt;
    out.push_back(s.value);
  }
  return out;
}

Truth all_equal(Expressions& expressions, const std::vector<Size>& a, const std::vector<Size>& b) {
  if (a.size() != b.size()) return Truth::no;
  Truth t = Truth::yes;
  for (std::size_t i = 0; i < a.size(); ++i) t = both(t, expressions.equal(a[i], b[i]));
  return t;
}

Truth all_equal(Machine& m, const std::vector<Size>& a, const std::vector<Size>& b) {
  return all_equal(expressions(m), a, b);
}

// The strides of an operand in the dimensions of the result: 0 where it is broadcast.
std::optional<std::vector<std::int64_t>> broadcast_strides(const TensorMeta& operand,
                                                           const std::vector<std::int64_t>& shape) {
  const auto sizes = numbers(*operand.shape), strides = numbers(*operand.strides);
  if (!sizes || !strides || sizes->size() > shape.size()) return std::nullopt;
  std::vector<std::int64_t> out(shape.size(), 0);
  const std::size_t front = shape.size() - sizes->size();
  for (std::size_t i = 0; i < sizes->size(); ++i) {
    if ((*sizes)[i] != 1 || shape[front + i] == 1) out[front + i] = (*strides)[i];
  }
  return out;
}

// Dimensions from the innermost on, as torch's iterator over several operands orders them: by the strides of the
// first operand that tells two of them apart, and as they stand where none does.
std::vector<std::size_t> iteration_order(const std::vector<std::vector<std::int64_t>>& strides,
                                         const std::vector<std::int64_t>& shape) {
  const auto outer_first = [&](std::size_t a, std::size_t b) {  // > 0: a belongs outside of b
    for (const auto& k : strides) {
      if (k[a] == 0 || k[b] == 0) continue;
      if (k[a] != k[b]) return k[a] < k[b] ? -1 : 1;
      if (shape[a] > shape[b]) return 1;
    }
    return 0;
  };
  std::vector<std::size_t> order(shape.size());
  std::iota(order.rbegin(), order.rend(), 0);
  for (std::size_t i = 1; i < order.size(); ++i) {
    std::size_t at = i;
    for (std::size_t before = i; before-- > 0;) {
      const int compared = outer_first(order[before], order[at]);
      if (compared < 0) break;
      if (compared == 0) continue;
      std::swap(order[before], order[at]);
      at = before;
    }
  }
  return order;
}

// Kernels differ in what they give a dimension of size 1, whose stride nobody reads.
Value without_ones(Machine& m, const std::vector<Size>& shape, std::vector<Size> strides) {
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == Size::of(1)) strides[i] = Size::unknown();
  }
  return sizes_value(m, strides);
}

bool is_expanded(const TensorMeta& operand) {
  for (std::size_t i = 0; i < operand.shape->size(); ++i) {
    if ((*operand.strides)[i] == Size::of(0) && (*operand.shape)[i] != Size::of(1)) return true;
  }
  return false;
}

}  // namespace

Value sizes_value(Machine& m, const std::vector<Size>& sizes) {
  std::vector<Value> out;
  out.reserve(sizes.size());
  for (const Size s : sizes) out.push_back(from_size(m, s));
  return m.list(out);
}

Value is_contiguous(Machine& m, const Value& v) {
  const TensorMeta* meta = tensor_meta(m, v);
  if (meta == nullptr || !meta->shape || !meta->strides) return missing();
  const auto expected = row_major(expressions(m), *meta->shape);
  Truth t = Truth::yes;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    // The stride of a dimension of size 1 does not matter.
    t = both(t, either(expressions(m).equal((*meta->shape)[i], Size::of(1)),
                       expressions(m).equal((*meta->strides)[i], expected[i])));
  }
  return Value::truth(t);
}

// Dense: some order of the dimensions is contiguous. Known sizes only.
Value is_dense(Machine& m, const Value& v) {
  const TensorMeta* meta = tensor_meta(m, v);
  if (meta == nullptr || !meta->shape || !meta->strides) return missing();
  const Value contiguous = is_contiguous(m, v);
  if (truth_of(contiguous) == Truth::yes) return contiguous;
  std::vector<std::pair<std::int64_t, std::int64_t>> dims;  // stride, size
  for (std::size_t i = 0; i < meta->shape->size(); ++i) {
    const Size size = (*meta->shape)[i], stride = (*meta->strides)[i];
    if (!size.is_static() || !stride.is_static()) return Value::unknown(Unknown::size);
    if (size.value == 0) return Value::boolean(true);
    if (size.value != 1) dims.emplace_back(stride.value, size.value);
  }
  std::sort(dims.begin(), dims.end());
  std::int64_t expected = 1;
  for (const auto& [stride, size] : dims) {
    if (stride != expected) return Value::boolean(false);
    expected *= size;
  }
  return Value::boolean(true);
}

// dense_strides(shape, x, y, …): of a new tensor that is computed element by element from these operands.
// Numbers have no say.
Value dense_strides(Machine& m, const std::vector<Value>& a) {
  const auto shape = sizes_of(m, a[0]);
  if (!shape) return a[0].unusable() ? a[0] : Value::unknown(Unknown::kind);
  std::vector<const TensorMeta*> operands;
  bool contiguous = true, strict = true, expanded = false;
  for (std::size_t i = 1; i < a.size(); ++i) {
    const TensorMeta* meta = tensor_meta(m, a[i]);
    const bool number = a[i].is(Tag::node) ? is_integer_node(m.binding(), a[i].node()) == Truth::yes
                                           : meta == nullptr && !a[i].unusable() && !a[i].is(Tag::fresh);
    if (number) continue;
    if (meta == nullptr || !meta->shape || !meta->strides) return missing();
    contiguous = contiguous && truth_of(is_contiguous(m, a[i])) == Truth::yes;
    strict = strict && all_equal(m, *meta->strides, row_major(expressions(m), *meta->shape)) == Truth::yes;
    expanded = expanded || is_expanded(*meta);
    operands.push_back(meta);
  }
  if (operands.empty()) return missing();
  if (strict) return sizes_value(m, row_major(expressions(m), *shape));
  if (contiguous) return without_ones(m, *shape, row_major(expressions(m), *shape));
  const TensorMeta& first = *operands.front();
  bool alike =
      truth_of(is_dense(m, Value::make(Tag::meta, m.binding().graph().metas().tensor(first).value))) == Truth::yes;
  for (const TensorMeta* operand : operands) {
    alike = alike && all_equal(m, *operand->shape, *shape) == Truth::yes &&
            all_equal(m, *operand->strides, *first.strides) == Truth::yes;
  }
  if (alike) return without_ones(m, *shape, *first.strides);
  // Which of several operands decides where one is expanded differs between kernels.
  if (expanded && operands.size() > 1) return Value::unknown(Unknown::not_computed);
  const auto sizes = numbers(*shape);
  if (!sizes || std::find(sizes->begin(), sizes->end(), 0) != sizes->end()) return Value::unknown(Unknown::size);
  std::vector<std::vector<std::int64_t>> strides;
  for (const TensorMeta* operand : operands) {
    auto k = broadcast_strides(*operand, *sizes);
    if (!k) return Value::unknown(Unknown::size);
    strides.push_back(std::move(*k));
  }
  std::vector<Size> out(sizes->size());
  std::int64_t stride = 1;
  for (const std::size_t d : iteration_order(strides, *sizes)) {
    out[d] = Size::of(stride);
    stride *= (*sizes)[d];
  }
  return without_ones(m, *shape, std::move(out));
}

Truth same_strides(Expressions& expressions, const std::vector<Size>& shape, const std::vector<Size>& a,
                   const std::vector<Size>& b) {
  if (a.size() != shape.size() || b.size() != shape.size()) return Truth::no;
  Truth t = Truth::yes;
  for (std::size_t i = 0; i < shape.size(); ++i)
    t = both(t, either(expressions.equal(a[i], b[i]), expressions.equal(shape[i], Size::of(1))));
  return t;
}

ViewStrides strides_of_view(Expressions& expressions, const std::vector<Size>& shape, const std::vector<Size>& strides,
                            const std::vector<Size>& wanted) {
  const auto n = numbers(shape), k = numbers(strides), to = numbers(wanted);
  if (!n || !k || !to) {
    if (all_equal(expressions, shape, wanted) == Truth::yes) return {Truth::yes, strides};
    if (all_equal(expressions, strides, row_major(expressions, shape)) != Truth::yes) return {};
    return {Truth::yes, row_major(expressions, wanted)};
  }
  if (*n == *to) return {Truth::yes, strides};
  if (std::find(n->begin(), n->end(), 0) != n->end()) return {Truth::yes, row_major(expressions, wanted)};
  std::vector<Size> out(to->size(), Size::of(1));
  if (n->empty()) return {Truth::yes, std::move(out)};
  // Runs of dimensions that lie one behind the other in memory, each taken apart in the new sizes.
  std::size_t view = to->size();
  std::int64_t base = k->back(), in_tensor = 1, in_view = 1;
  for (std::size_t d = n->size(); d-- > 0;) {
    in_tensor *= (*n)[d];
    if (d > 0 && ((*n)[d - 1] == 1 || (*k)[d - 1] == in_tensor * base)) continue;
    for (; view > 0 && (in_view < in_tensor || (*to)[view - 1] == 1); --view) {
      out[view - 1] = Size::of(in_view * base);
      in_view *= (*to)[view - 1];
    }
    if (in_view != in_tensor) return {Truth::no, {}};
    if (d > 0) {
      base = (*k)[d - 1];
      in_tensor = in_view = 1;
    }
  }
  if (view != 0) return {Truth::no, {}};
  return {Truth::yes, std::move(out)};
}

// view_strides(shape, strides, sizes): of a view of other sizes; None where only a copy has them.
Value view_strides(Machine& m, const std::vector<Value>& a) {
  for (const Value& v : a) {
    if (v.unusable()) return v;
  }
  const auto shape = sizes_of(m, a[0]), strides = sizes_of(m, a[1]), wanted = sizes_of(m, a[2]);
  if (!shape || !strides || !wanted) return Value::unknown(Unknown::kind);
  const ViewStrides view = strides_of_view(expressions(m), *shape, *strides, *wanted);
  if (view.exists == Truth::unknown) return Value::unknown(Unknown::size);
  return view.exists == Truth::yes ? sizes_value(m, view.strides) : Value::make(Tag::none);
}

}  // namespace fxrules::rewrite
