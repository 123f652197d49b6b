// Text IR out. Arguments nest on an explicit stack; text leaves in chunks, so that a dump of any size needs
// one small buffer.
#include <optional>

#include <fmt/format.h>

#include "formats/python_literals.hpp"
#include "formats/text_ir/users.hpp"
#include "fxrules/formats.hpp"

namespace fxrules {
namespace {

constexpr std::size_t kChunk = 64 << 10;

// `<OpOverload(op='aten.add', overload='Tensor')>`
void append_op_repr(std::string& out, std::string_view op) {
  const std::size_t dot = op.rfind('.');
  if (dot == std::string_view::npos) {
    out += op;
    return;
  }
  out += fmt::format("<OpOverload(op='{}', overload='{}')>", op.substr(0, dot), op.substr(dot + 1));
}

// How a value stands: `%x` and bare strings; as Python's repr; or as str() of a whole value.
enum class Mode : std::uint8_t { fx, python, whole };

void append_scalar(std::string& out, const Graph& graph, const Slot& slot, Mode mode) {
  if (append_simple_repr(out, slot)) return;
  if (slot.kind == ArgKind::node) {
    if (mode == Mode::fx) out += '%';
    out += graph.name(slot.node());
    return;
  }
  const std::string_view text = graph.text(slot.symbol());
  if (mode == Mode::python && append_text_repr(out, slot.kind, text)) return;
  if (mode == Mode::python && slot.kind == ArgKind::op) {
    append_op_repr(out, text);
  } else {
    out += text;
  }
}

struct Frame {
  std::uint32_t next, end;
  ArgKind kind;
  Mode mode;
  bool single;
  bool value_next = false;       // of a dict
  std::string_view fields = {};  // of a named tuple: those of the items that are left
};

// Python's repr of a named tuple shows names; as an argument, and where the fields are not known, it is a plain one.
std::optional<Frame> opened_by_name(std::string& out, const Graph& graph, const Slot& slot, Mode mode) {
  if (mode == Mode::fx || slot.kind != ArgKind::tuple || !slot.tuple_name().valid()) return std::nullopt;
  const std::string_view name = graph.text(slot.tuple_name());
  if (!name.ends_with(')')) return std::nullopt;
  const std::size_t bracket = name.find('(');
  const std::string_view fields = name.substr(bracket + 1, name.size() - bracket - 2);
  out += name.substr(0, bracket + 1);
  return Frame{slot.a, slot.a + slot.b, slot.kind, Mode::python, false, false, fields};
}

void append_field(std::string& out, std::string_view& fields) {
  const std::size_t comma = std::min(fields.find(','), fields.size());
  out += fields.substr(0, comma);
  out += '=';
  fields.remove_prefix(std::min(comma + 2, fields.size()));
}

Frame opened(std::string& out, const Graph& graph, const Slot& slot, Mode mode) {
  if (const auto named = opened_by_name(out, graph, slot, mode)) return *named;
  switch (slot.kind) {
    case ArgKind::tuple:
      out += '(';
      break;
    case ArgKind::list:
      out += '[';
      break;
    case ArgKind::dict:
      out += '{';
      break;
    case ArgKind::slice:
      out += "slice(";
      break;
    default:
      out += "range(";
      break;
  }
  const bool python = mode != Mode::fx || slot.kind == ArgKind::slice || slot.kind == ArgKind::range;
  return {slot.a, slot.a + slot.b, slot.kind, python ? Mode::python : Mode::fx,
          slot.kind == ArgKind::tuple && slot.b == 1};
}

void append_close(std::string& out, const Frame& frame) {
  if (frame.kind == ArgKind::list) {
    out += ']';
  } else if (frame.kind == ArgKind::dict) {
    out += '}';
  } else {
    out += frame.single ? ",)" : ")";
  }
}

void append_nested(std::string& out, const Graph& graph, const Slot& root, Mode mode) {
  std::vector<Frame> frames{opened(out, graph, root, mode)};
  while (!frames.empty()) {
    Frame& frame = frames.back();
    if (frame.next == frame.end) {
      append_close(out, frame);
      frames.pop_back();
      if (frames.empty()) return;
    } else {
      const Slot& slot = graph[SlotId(frame.next++)];
      if (!frame.fields.empty()) append_field(out, frame.fields);
      if (is_container(slot.kind)) {
        const Frame inner = opened(out, graph, slot, frame.mode);
        frames.push_back(inner);
        continue;
      }
      append_scalar(out, graph, slot, frame.mode);
    }
    Frame& around = frames.back();
    if (around.kind == ArgKind::dict) around.value_next = !around.value_next;
    if (around.next == around.end) continue;
    out += around.value_next ? ": " : ", ";
  }
}

void append(std::string& out, const Graph& graph, SlotId id, Mode mode) {
  const Slot& slot = graph[id];
  if (is_container(slot.kind)) {
    append_nested(out, graph, slot, mode);
  } else {
    append_scalar(out, graph, slot, mode);
  }
}

void append_positional(std::string& out, const Graph& graph, NodeId node, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    if (i > 0) out += ", ";
    append(out, graph, graph.argument(node, i), Mode::fx);
  }
  if (count == 1) out += ',';
}

void append_keywords(std::string& out, const Graph& graph, NodeId node, const CallForm& form) {
  for (std::uint32_t i = 0; i < form.keywords.size(); ++i) {
    if (i > 0) out += ", ";
    out += graph.text(form.keywords[i]);
    out += ": ";
    append(out, graph, graph.argument(node, form.positional + i), Mode::fx);
  }
}

void append_type(std::string& out, const Graph& graph, NodeId node, const CallForm& form, const TextIrStyle& style) {
  const bool call = form.opcode != Opcode::placeholder && form.opcode != Opcode::get_attr;
  if (style.metadata && call) {
    const TensorMeta* meta = graph.metas().tensor_of(graph.meta(node));
    if (meta != nullptr && meta->shape && meta->dtype != Dtype::unknown) {
      out += fmt::format("Tensor \"{}\"", graph.metas().text(graph.meta(node)));
      return;
    }
  }
  if (!graph.type(node).valid()) return;
  const std::string_view type = graph.text(graph.type(node));
  out += type;
  if (!(type.starts_with("Tensor \"") && type.ends_with('"'))) out += ' ';
}

void append_node(std::string& out, const Graph& graph, NodeId node, const TextIrStyle& style, std::size_t users) {
  const CallForm& form = graph.form(node);
  if (form.opcode == Opcode::output) {
    out += "return ";
    if (form.positional > 0) append(out, graph, graph.argument(node, 0), Mode::whole);
    return;
  }
  out += '%';
  out += graph.name(node);
  out += " : ";
  append_type(out, graph, node, form, style);
  out += '[';
  out += style.users;
  out += '=';
  append_integer(out, static_cast<std::int64_t>(users));
  out += "] = ";
  out += to_string(form.opcode);
  out += "[target=";
  out += graph.text(form.target);
  out += ']';
  if (form.opcode == Opcode::get_attr) return;
  if (form.opcode == Opcode::placeholder) {
    if (form.positional == 0) return;
    out += "(default=";
    append(out, graph, graph.argument(node, 0), Mode::whole);
    out += ')';
    return;
  }
  out += "(args = (";
  append_positional(out, graph, node, form.positional);
  out += "), kwargs = {";
  append_keywords(out, graph, node, form);
  out += "})";
}

}  // namespace

std::vector<std::uint32_t> text_ir::count_users(const Graph& graph) {
  std::vector<std::uint32_t> counts(graph.id_bound(), 0), last(graph.id_bound(), NodeId::kNone);
  for (const NodeId user : graph.nodes()) {
    for (const Slot& slot : graph.slots(user)) {
      if (slot.kind != ArgKind::node || last[slot.a] == user.value) continue;
      last[slot.a] = user.value;
      ++counts[slot.a];
    }
  }
  return counts;
}

void write_text_ir(const Graph& graph, const TextIrStyle& style, const Sink& sink) {
  const std::vector<std::uint32_t> users = text_ir::count_users(graph);
  std::string out;
  out.reserve(kChunk + 4096);
  bool first = true;
  if (!style.header.empty()) {
    out += style.prefix + style.header;
    first = false;
  }
  for (const NodeId node : graph.nodes()) {
    if (!first) out += style.line_end;
    first = false;
    out += style.prefix;
    out += style.indent;
    append_node(out, graph, node, style, users[node.value]);
    if (out.size() < kChunk) continue;
    sink(out);
    out.clear();
  }
  if (style.final_newline) out += style.line_end;
  if (!out.empty()) sink(out);
}

std::string to_text(const Graph& graph, const TextIrStyle& style) {
  std::string out;
  write_text_ir(graph, style, [&](std::string_view chunk) { out += chunk; });
  return out;
}

std::string format_node(const Graph& graph, NodeId node, const TextIrStyle& style) {
  std::string out;
  append_node(out, graph, node, style, graph.user_count(node));
  return out;
}

void append_argument(std::string& out, const Graph& graph, SlotId slot, bool python) {
  append(out, graph, slot, python ? Mode::python : Mode::fx);
}

std::string format_argument(const Graph& graph, SlotId slot, bool python) {
  std::string out;
  append_argument(out, graph, slot, python);
  return out;
}

}  // namespace fxrules
