// The tables that describe values: tensors, and symbolic numbers.
#include "formats/pt2/enums.hpp"
#include "formats/pt2/read_graph.hpp"
#include "formats/pt2/srepr.hpp"

namespace fxrules::pt2 {

void GraphReader::table(Value& value, Table table) {
  std::vector<Entry>& entries = origin_.entries[static_cast<std::size_t>(table)];
  for (auto field_or_error : json_.object(value, "a table of values")) {
    Field field = field_of(field_or_error);
    Entry entry;
    entry.key = json_.key_range(field);
    entry.name = graph_.symbols().intern(json_.key(field));
    Value inside = field.value();
    meta(entry, table, inside);
    entries.push_back(entry);
  }
}

void GraphReader::meta(Entry& entry, Table table, Value& value) {
  MetaId id;
  if (table == Table::tensor) {
    id = tensor_meta(value, entry.value);
  } else if (table == Table::sym_int) {
    entry.value.begin = json_.begin(value);
    ValueMeta meta;
    meta.kind = MetaKind::symbolic;
    meta.value = size(value);
    entry.value.end = json_.end();
    id = graph_.metas().intern(meta);
  } else {
    entry.value = json_.skip(value);
  }
  const NodeId n = graph_.find(entry.name);
  if (n.valid() && !named_by_us_.contains(n.value)) {
    entry.node = n;
    graph_.set_meta(n, id);
  } else {
    unused_metas_.emplace(entry.name.value, id);
  }
}

// Many values are alike: the same text is read once.
MetaId GraphReader::tensor_meta(Value& value, Range& range) {
  range.begin = json_.begin(value);
  Object object = json_.object(value, "the description of a tensor");
  if (object.raw_json().error() != simdjson::SUCCESS)
    throw Problem{"malformed-json", "this object is not closed", {range.begin, range.begin + 1}};
  range.end = json_.end();
  const auto [found, fresh] = reading_.metas.try_emplace(json_.text(range));
  if (!fresh) return found->second;
  (void)object.reset();
  std::vector<std::string>& known = reading_.program.dialect.tensor_keys;
  std::vector<std::string> keys;
  TensorMeta meta;
  for (auto field_or_error : object) {
    Field field = field_of(field_or_error);
    const std::string_view key = json_.key(field);
    if (known.empty()) keys.emplace_back(key);
    Value part = field.value();
    if (key == "dtype") {
      meta.dtype = dtype_of(json_.integer(part, "an element type")).value_or(Dtype::unknown);
    } else if (key == "sizes") {
      meta.shape = sizes(part);
    } else if (key == "strides") {
      meta.strides = sizes(part);
    } else if (key == "requires_grad") {
      meta.requires_grad = json_.boolean(part, "`requires_grad`");
    } else if (key == "device") {
      meta.device = graph_.symbols().intern(device_text(part));
    } else if (key == "layout") {
      const std::string_view layout = layout_of(json_.integer(part, "a layout"));
      if (!layout.empty()) meta.layout = graph_.symbols().intern(layout);
    }
  }
  if (known.empty()) known = std::move(keys);
  if (meta.shape && meta.strides && meta.shape->size() != meta.strides->size())
    throw Problem{"malformed-program", "a tensor has as many strides as sizes", range};
  return found->second = graph_.metas().tensor(meta);
}

std::vector<Size> GraphReader::sizes(Value& value) {
  std::vector<Size> out;
  for (auto item : json_.array(value, "sizes")) {
    Value one = item.value();
    out.push_back(size(one));
  }
  return out;
}

// {"as_int": 4}, {"as_expr": {"expr_str": "Symbol('s0', …)", "hint": …}}
Size GraphReader::size(Value& value) {
  Range range{json_.begin(value), 0};
  Size size = Size::unknown();
  for (auto field_or_error : json_.object(value, "a size")) {
    Field field = field_of(field_or_error);
    const std::string_view key = json_.key(field);
    if (key == "as_int") {
      size = Size::of(json_.integer(field.value(), "a size"));
    } else if (key == "as_expr") {
      Value inside = field.value();
      for (auto part : json_.object(inside, "a size")) {
        Field expression = field_of(part);
        if (json_.key(expression) != "expr_str") continue;
        const auto text = printed(json_.string(expression.value(), "`expr_str`"));
        if (text) size = graph_.metas().expressions().parse(*text).value_or(Size::unknown());
      }
    }
  }
  range.end = json_.end();
  if (size.known && size.expr.valid()) reading_.program.sizes.try_emplace(size.expr.value, range);
  return size;
}

}  // namespace fxrules::pt2
