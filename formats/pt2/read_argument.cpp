// Arguments: objects of one key, which says what the value is.
#include <fmt/format.h>

#include "formats/pt2/enums.hpp"
#include "formats/pt2/read_graph.hpp"

namespace fxrules::pt2 {
namespace {

constexpr std::size_t kDeepestArgument = 64;

std::string float_text(double value) {
  std::string text = fmt::format("{}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

// As Python prints it: 2j, (1+2j), (-0-1.5j).
std::string complex_text(double real, double imaginary) {
  const std::string i = float_text(imaginary) + "j";
  if (real == 0 && !std::signbit(real)) return i;
  return "(" + float_text(real) + (std::signbit(imaginary) || i[0] == 'n' ? (i[0] == 'n' ? "+" : "") : "+") + i + ")";
}

}  // namespace

void GraphReader::argument(Value& value, std::size_t depth) {
  if (depth > kDeepestArgument)
    throw Problem{"too-deep",
                  fmt::format("arguments nest deeper than {}", kDeepestArgument),
                  {json_.begin(value), json_.begin(value) + 1}};
  const std::uint32_t from = json_.begin(value);
  std::size_t tags = 0;
  for (auto field_or_error : json_.object(value, "an argument")) {
    Field field = field_of(field_or_error);
    ++tags;
    tagged(json_.key(field), field.value(), depth);
  }
  if (tags != 1) throw Problem{"malformed-program", "an argument has exactly one kind", {from, json_.end()}};
}

void GraphReader::tagged(std::string_view tag, Value& value, std::size_t depth) {
  if (tag == "as_tensor") return named(value);
  if (tag == "as_int") return push(Slot::of_integer(json_.integer(value, "an int")));
  if (tag.ends_with("s") && json_is_list(tag)) return list_of(tag, value);
  if (tag == "as_none") return push(Slot::of_kind(ArgKind::none));
  if (tag == "as_bool") return push(Slot::of_boolean(json_.boolean(value, "a bool")));
  if (tag == "as_float")
    return push(Slot::of_floating(json_.number(value, "a float", &reading_.bare_infinity, &reading_.quoted_infinity)));
  if (tag == "as_string") return push(ArgKind::string, json_.string(value, "a string"));
  if (tag == "as_sym_int" || tag == "as_sym_float" || tag == "as_sym_bool") return symbolic(tag, value);
  if (tag == "as_scalar_type") {
    const std::int64_t number = json_.integer(value, "an element type");
    const auto dtype = dtype_of(number);
    return numbered(dtype ? to_string(*dtype) : "", ArgKind::dtype, "an element type", number);
  }
  if (tag == "as_memory_format") {
    const std::int64_t number = json_.integer(value, "a memory format");
    return numbered(memory_format_of(number), ArgKind::memory_format, "a memory format", number);
  }
  if (tag == "as_layout") {
    const std::int64_t number = json_.integer(value, "a layout");
    return numbered(layout_of(number), ArgKind::layout, "a layout", number);
  }
  if (tag == "as_device") return push(ArgKind::device, device_text(value));
  if (tag == "as_graph") return graph_argument(value);
  if (tag == "as_custom_obj") return named(value);
  if (tag == "as_operator") {
    std::string_view text = json_.string(value, "an op");
    if (text.starts_with("torch.ops.")) text.remove_prefix(10);
    return push(ArgKind::op, text);
  }
  if (tag == "as_optional_tensor") return argument(value, depth + 1);
  if (tag == "as_complex") return complex(value);
  if (tag == "as_string_to_argument") {
    open(ArgKind::dict);
    for (auto field_or_error : json_.object(value, "a dict")) {
      Field field = field_of(field_or_error);
      push(ArgKind::string, json_.key(field));
      Value inside = field.value();
      argument(inside, depth + 1);
    }
    return close();
  }
  const std::uint32_t at = json_.begin(value);
  throw Problem{"unknown-argument",
                fmt::format("arguments of the kind `{}` are not known", tag.substr(0, 100)),
                {at, at + 1},
                "the file may be newer than this program"};
}

void GraphReader::list_of(std::string_view tag, Value& value) {
  const std::string_view element_tag = tag.substr(0, tag.size() - 1);  // as_ints: of as_int
  const bool nested = tag == "as_nested_tensors" || tag == "as_int_lists" || tag == "as_float_lists";
  open(ArgKind::list);
  for (auto item : json_.array(value, "a list")) {
    Value one = item.value();
    if (!nested) {
      if (tag == "as_optional_tensors") {
        argument(one, 1);
      } else {
        tagged(element_tag, one, 1);
      }
      continue;
    }
    open(tag == "as_int_lists" ? ArgKind::tuple : ArgKind::list);
    for (auto inner : json_.array(one, "a list")) {
      Value element = inner.value();
      tagged(tag == "as_nested_tensors" ? "as_tensor" : tag == "as_int_lists" ? "as_int" : "as_float", element, 1);
    }
    close();
  }
  close();
}

bool GraphReader::json_is_list(std::string_view tag) {
  for (const std::string_view list :
       {"as_ints", "as_tensors", "as_sym_ints", "as_optional_tensors", "as_floats", "as_bools", "as_strings",
        "as_sym_floats", "as_sym_bools", "as_nested_tensors", "as_int_lists", "as_float_lists"}) {
    if (tag == list) return true;
  }
  return false;
}

void GraphReader::named(Value& value) {
  std::string_view name;
  Range token;
  for (auto field_or_error : json_.object(value, "a value")) {
    Field field = field_of(field_or_error);
    if (json_.key(field) == "name") name = json_.string(field.value(), "a name", &token);
  }
  use(name, token);
}

void GraphReader::symbolic(std::string_view tag, Value& value) {
  const std::size_t before = pieces_.size();
  for (auto field_or_error : json_.object(value, "a value")) {
    Field field = field_of(field_or_error);
    const std::string_view key = json_.key(field);
    if (key == "as_name") {
      Range token;
      const std::string_view name = json_.string(field.value(), "a name", &token);
      use(name, token);
    } else {
      tagged(key, field.value(), 1);
    }
  }
  if (pieces_.size() != before + 1)
    throw Problem{"malformed-program", fmt::format("`{}` must have one value", tag), {json_.last(), json_.last() + 1}};
}

void GraphReader::numbered(std::string_view text, ArgKind kind, std::string_view what, std::int64_t number) {
  if (!text.empty()) return push(kind, text);
  throw Problem{"unknown-argument",
                fmt::format("{} is no number of {}", number, what),
                {json_.last(), json_.last() + 1},
                "the file may be newer than this program"};
}

std::string_view GraphReader::device_text(Value& value) {
  std::string_view type;
  std::string index;
  bool has_index = false;
  for (auto field_or_error : json_.object(value, "a device")) {
    Field field = field_of(field_or_error);
    const std::string_view key = json_.key(field);
    if (key == "type") type = json_.string(field.value(), "a device");
    if (key == "index") {
      has_index = true;
      if (!json_.is_null(field.value()))
        index = fmt::format(":{}", json_.integer(field.value(), "the index of a device"));
    }
  }
  if (!has_index) reading_.program.dialect.null_fields = false;
  device_ = type;
  device_ += index;
  return device_;
}

void GraphReader::complex(Value& value) {
  double real = 0, imaginary = 0;
  for (auto field_or_error : json_.object(value, "a complex number")) {
    Field field = field_of(field_or_error);
    const std::string_view key = json_.key(field);
    if (key == "real") real = json_.number(field.value(), "a float");
    if (key == "imag") imaginary = json_.number(field.value(), "a float");
  }
  push(ArgKind::complex, complex_text(real, imaginary));
}

// The graph stands in the argument; FX has it as an attribute of the module.
void GraphReader::graph_argument(Value& value) {
  std::string_view name = "graph";
  SymbolId path;
  for (auto field_or_error : json_.object(value, "a graph")) {
    Field field = field_of(field_or_error);
    const std::string_view key = json_.key(field);
    if (key == "name") {
      name = json_.string(field.value(), "the name of a graph");
    } else if (key == "graph") {
      path = graph_.symbols().intern(name);
      for (std::size_t i = 1; graph_.find_subgraph(path) != nullptr; ++i)
        path = graph_.symbols().intern(fmt::format("{}_{}", name, i));
      const std::size_t child = origin_.children.size();
      origin_.children.push_back({path, {}, std::make_unique<GraphOrigin>()});
      Value inside = field.value();
      const std::uint32_t from = json_.begin(inside);
      GraphReader reader(reading_, graph_.add_subgraph(path), *origin_.children[child].graph, depth_ + 1);
      reader.read(json_.object(inside, "a graph"));
      origin_.children[child].range = {from, json_.end()};
    }
  }
  if (!path.valid())
    throw Problem{"malformed-program", "this argument holds no graph", {json_.last(), json_.last() + 1}};
  const NodeId holder = graph_.find(path);
  const SymbolId own = holder.valid() || waiting_.contains(path.value) ? graph_.unique_name(path) : path;
  const NodeId n = CallBuilder(graph_).create(Opcode::get_attr, path, own);
  named_by_us_.insert(n.value);
  push_node(n);
}

}  // namespace fxrules::pt2
