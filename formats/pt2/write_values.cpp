// The tables that describe values: entries stay as they are for values that do, others come and go.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "formats/pt2/enums.hpp"
#include "formats/pt2/graph_writer.hpp"
#include "formats/pt2/json.hpp"
#include "formats/pt2/node_text.hpp"

namespace fxrules::pt2 {
namespace {

const std::vector<std::string> kTensorKeys{"dtype",   "sizes",          "requires_grad", "device",
                                           "strides", "storage_offset", "layout"};

// The strides that torch gives the result of a pointwise op whose operands have these: dense, the dimensions in
// the order of the operands' strides, as TensorIterator sorts them. Nothing where the order cannot be proven.
std::optional<std::vector<Size>> dense_like(Expressions& e, const std::vector<Size>& shape,
                                            const std::vector<Size>& strides) {
  const std::size_t rank = shape.size();
  std::vector<std::size_t> order;  // innermost first
  for (std::size_t i = rank; i-- > 0;) order.push_back(i);
  bool proven = true;
  const auto compare = [&](std::size_t a, std::size_t b) {
    const Truth zero = either(e.equal(strides[a], Size::of(0)), e.equal(strides[b], Size::of(0)));
    const Truth less = e.less(strides[a], strides[b]), greater = e.less(strides[b], strides[a]);
    const Truth larger = e.less(shape[b], shape[a]);
    if (zero == Truth::yes) return 0;
    if (less == Truth::yes && zero == Truth::no) return -1;
    if (greater == Truth::yes && zero == Truth::no) return 1;
    proven &= zero == Truth::no && less == Truth::no && greater == Truth::no && larger != Truth::unknown;
    return larger == Truth::yes ? 1 : 0;
  };
  for (std::size_t i = 1; i < rank; ++i) {
    std::size_t at = i;
    for (std::size_t k = i; k-- > 0;) {
      const int c = compare(order[k], order[at]);
      if (c < 0) break;
      if (c == 0) continue;
      std::swap(order[k], order[at]);
      at = k;
    }
  }
  if (!proven) return std::nullopt;
  std::vector<Size> out(rank);
  Size step = Size::of(1);
  for (const std::size_t d : order) {
    out[d] = step;
    step = e.multiply(step, e.maximum(shape[d], Size::of(1)));
  }
  return out;
}

}  // namespace

void GraphWriter::table(Range range, Table table) {
  const std::vector<Entry>& entries = origin_.entries[static_cast<std::size_t>(table)];
  // By name in the file: outputs that no node stands for, or another one than then.
  std::unordered_map<std::uint32_t, std::size_t> leaf_of;
  std::unordered_set<std::uint32_t> described;
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    const NodeId item = leaves_[i].item;
    if (item.valid() && item == origin_.leaves[i].item) continue;
    leaf_of.emplace(origin_.leaves[i].name.value, i);
    if (item.valid()) described.insert(item.value);
  }
  std::vector<Range> before;
  std::vector<Item> now;
  before.reserve(entries.size());
  now.reserve(entries.size());
  const auto add = [&](const Entry& entry, std::string_view name, const std::string& value) {
    const std::string old = value.empty() ? std::string(writing_.text(entry.value)) : value;
    now.push_back({std::nullopt, in_quotes(name) + ": " + old});
  };
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    before.push_back({entry.key.begin, entry.value.end});
    NodeId n = entry.node;
    if (n.valid() && graph_.alive(n) && !same_as_.contains(n.value)) {
      const bool same_meta = graph_.meta(n) == original_.meta(n);
      const bool same_name = graph_.name_id(n) == entry.name;
      if (same_meta && same_name) {
        now.push_back({i, {}});
      } else {
        at_ = n;
        add(entry, graph_.name(n),
            same_meta                ? ""
            : table == Table::tensor ? tensor_text(n, entry.value)
                                     : std::string());
      }
      continue;
    }
    if (const auto leaf = leaf_of.find(entry.name.value); leaf != leaf_of.end()) {
      const LeafNow& own = leaves_[leaf->second];
      if (!graph_.alive(origin_.leaves[leaf->second].producer)) continue;
      if (own.name == graph_.text(entry.name)) {
        now.push_back({i, {}});
      } else {
        add(entry, own.name, "");
      }
      continue;
    }
    // An entry that nothing in the file defines is left alone; one whose value is gone goes.
    if (!n.valid() && !original_.find(entry.name).valid() && !graph_.find(entry.name).valid() &&
        std::none_of(origin_.leaves.begin(), origin_.leaves.end(), [&](const Leaf& l) { return l.name == entry.name; }))
      now.push_back({i, {}});
  }
  if (table == Table::tensor || table == Table::sym_int) {
    for (const NodeId n : graph_.nodes()) {
      if (n.value < original_.id_bound() && origin_.table_of(n) != Table::none) continue;  // has an entry, or had none
      if (graph_.opcode(n) == Opcode::output || graph_.opcode(n) == Opcode::get_attr) continue;
      if (same_as_.contains(n.value) || described.contains(n.value) || table_of(n) != table) continue;
      at_ = n;
      if (table == Table::tensor) {
        now.push_back({std::nullopt, in_quotes(graph_.name(n)) + ": " + tensor_text(n, {})});
      } else {
        now.push_back(
            {std::nullopt, in_quotes(graph_.name(n)) + ": " + size_text(graph_.metas()[graph_.meta(n)].value, n)});
      }
    }
  }
  list(range, before, now);
}

std::string GraphWriter::device_text(std::string_view device) const {
  const std::size_t colon = device.find(':');
  std::string text = "{\"type\": " + in_quotes(device.substr(0, colon));
  if (colon != std::string_view::npos) {
    text += fmt::format(", \"index\": {}", device.substr(colon + 1));
  } else if (writing_.program.dialect.null_fields) {
    text += ", \"index\": null";
  }
  return text + "}";
}

std::string GraphWriter::size_text(Size size, NodeId n) {
  if (!size.known) {
    unsayable(n, "one of its sizes or strides is not known", "every value of a program has metadata");
    return "null";
  }
  if (size.is_static()) return fmt::format("{{\"as_int\": {}}}", size.value);
  const auto spelled = writing_.program.sizes.find(size.expr.value);
  if (spelled != writing_.program.sizes.end()) return std::string(writing_.text(spelled->second));
  return fmt::format("{{\"as_expr\": {{\"expr_str\": {}{}}}}}", in_quotes(graph_.metas().expressions().text(size)),
                     writing_.program.dialect.null_fields ? ", \"hint\": null" : "");
}

std::string GraphWriter::sizes_text(const std::vector<Size>& sizes, NodeId n) {
  std::string text = "[";
  for (const Size size : sizes) text += (text.size() > 1 ? ", " : "") + size_text(size, n);
  return text + "]";
}

// Not a view, nor perhaps one: such a result is contiguous unless the op says otherwise.
bool GraphWriter::makes_own_storage(NodeId n) const {
  const Overload* schema = schema_of(writing_.catalogue, graph_.target(n));
  return schema != nullptr && !has(schema->tags, OpTag::view) && !has(schema->tags, OpTag::may_alias);
}

// Of a pointwise op whose operands of the result's shape have the same strides. Nothing for other ops.
std::optional<std::vector<Size>> GraphWriter::strides_of(NodeId n, const TensorMeta& meta) {
  const auto known = [](const std::vector<Size>& sizes) {
    return std::all_of(sizes.begin(), sizes.end(), [](Size s) { return s.known; });
  };
  if (meta.strides && known(*meta.strides)) return meta.strides;
  const Overload* schema = schema_of(writing_.catalogue, graph_.target(n));
  if (schema == nullptr || !has(schema->tags, OpTag::pointwise)) return std::nullopt;
  Expressions& expressions = graph_.metas().expressions();
  const auto equal = [&](const std::vector<Size>& a, const std::vector<Size>& b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                              [&](Size x, Size y) { return expressions.equal(x, y) == Truth::yes; });
  };
  const std::vector<Size>* strides = nullptr;
  for (const Slot& s : graph_.slots(n)) {
    if (s.kind != ArgKind::node || table_of(s.node()) != Table::tensor) continue;
    const TensorMeta* operand = graph_.metas().tensor_of(graph_.meta(s.node()));
    if (operand == nullptr || !operand->shape || !operand->strides) return std::nullopt;
    if (operand->shape->empty()) continue;  // has no say
    if (!equal(*operand->shape, *meta.shape)) return std::nullopt;
    if (strides != nullptr && !equal(*strides, *operand->strides)) return std::nullopt;
    strides = &*operand->strides;
  }
  if (strides == nullptr) return row_major(expressions, *meta.shape);
  if (equal(*strides, row_major(expressions, *meta.shape))) return *strides;
  const auto dense = dense_like(expressions, *meta.shape, *strides);
  return dense && known(*dense) ? dense : std::nullopt;
}

// `before`: how the file described it.
std::string GraphWriter::tensor_text(NodeId n, Range before) {
  const TensorMeta* meta = graph_.metas().tensor_of(graph_.meta(n));
  const auto dtype = meta != nullptr ? number_of(meta->dtype) : std::nullopt;
  if (meta == nullptr || !dtype || !meta->shape || !meta->device.valid()) {
    unsayable(n, "its element type, shape or device is not known", "every value of a program has metadata");
    return "null";
  }
  std::optional<std::vector<Size>> strides = strides_of(n, *meta);
  if (!strides && makes_own_storage(n)) {
    strides = row_major(graph_.metas().expressions(), *meta->shape);
    writing_.report(Severity::note, "assumed-strides",
                    fmt::format("the strides of `{}` are not known; it is described as contiguous", graph_.name(n)));
  }
  if (!strides) {
    unsayable(n, "its strides are not known", "the layout of a view depends on the value that it is a view of");
    return "null";
  }
  const std::vector<std::string>& learnt = writing_.program.dialect.tensor_keys;
  std::string text = "{";
  for (const std::string& key : learnt.empty() ? kTensorKeys : learnt) {
    if (text.size() > 1) text += ", ";
    text += in_quotes(key) + ": ";
    if (key == "dtype") {
      text += std::to_string(*dtype);
    } else if (key == "sizes") {
      text += sizes_text(*meta->shape, n);
    } else if (key == "requires_grad") {
      text += meta->requires_grad.value_or(false) ? "true" : "false";
    } else if (key == "device") {
      text += device_text(graph_.text(meta->device));
    } else if (key == "strides") {
      text += sizes_text(*strides, n);
    } else if (key == "storage_offset") {
      const Range offset = before.valid() ? value_of(*writing_.program.source, before, key) : Range{};
      text += offset.valid() ? writing_.text(offset) : "{\"as_int\": 0}";
    } else if (key == "layout") {
      const auto layout = meta->layout.valid() ? layout_number(graph_.text(meta->layout)) : std::nullopt;
      text += std::to_string(layout.value_or(*layout_number("torch.strided")));
    } else {
      text += "null";
    }
  }
  return text + "}";
}

}  // namespace fxrules::pt2
