// Generated code out, as FX lays it out. What a value is last used by is worked out in one pass; arguments
// nest on an explicit stack; text leaves in chunks.
#include "formats/code/write.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "formats/code/callee.hpp"
#include "formats/code/operators.hpp"
#include "formats/code/python_values.hpp"
#include "formats/python_literals.hpp"
#include "formats/text_ir/atoms.hpp"

namespace fxrules::code {
namespace {

constexpr std::size_t kChunk = 64 << 10;
constexpr std::string_view kReadable = "Tensor \"";  // a type that is an annotation in quotes

// Texts of metadata, which many nodes share. Bounded: a graph may have as many as nodes.
class MetaTexts {
 public:
  MetaTexts(const Graph& graph, const CodeStyle& style) : metas_(graph.metas()), style_(style) {}
  const std::string& of(MetaId id) {
    Entry& entry = entries_[id.value % entries_.size()];
    if (entry.id != id) {
      entry.id = id;
      entry.text = metas_.text(id, style_.strides, style_.devices);
      if (!is_printed(id) || entry.text.find('?') != std::string::npos) entry.text.clear();
    }
    return entry.text;
  }

 private:
  // torch annotates tensors and symbolic numbers.
  [[nodiscard]] bool is_printed(MetaId id) const {
    const ValueMeta& meta = metas_[id];
    return meta.kind == MetaKind::symbolic || meta.kind == MetaKind::other ||
           (meta.kind == MetaKind::tensor && meta.tensor.shape && meta.tensor.dtype != Dtype::unknown);
  }
  struct Entry {
    MetaId id;
    std::string text;
  };
  const Metas& metas_;
  const CodeStyle& style_;
  std::array<Entry, 1024> entries_;
};

// What functions are called, by target. A name that a node has is another function's.
class Callees {
 public:
  explicit Callees(const Graph& graph) : graph_(graph) {}
  const std::string& of(SymbolId target) {
    const auto [found, fresh] = names_.try_emplace(target.value);
    if (!fresh) return found->second;
    std::string name = callee_of(graph_.text(target));
    if (needs_import(graph_.text(target))) {
      const std::string base = name;
      for (int number = 1; graph_.find(name).valid() || !taken_.insert(name).second; ++number)
        name = fmt::format("{}_{}", base, number);
    }
    found->second = std::move(name);
    return found->second;
  }

 private:
  const Graph& graph_;
  std::unordered_map<std::uint32_t, std::string> names_;
  std::unordered_set<std::string> taken_;
};

class FunctionWriter {
 public:
  FunctionWriter(const Graph& graph, const CodeStyle& style)
      : graph_(graph), style_(style), values_(graph), metas_(graph, style), callees_(graph) {}

  [[nodiscard]] std::string signature();
  [[nodiscard]] std::string result();
  void write(std::string& out, const Sink& sink);
  [[nodiscard]] std::string imports();

 private:
  void annotation(std::string& out, NodeId node);
  void parameter(std::string& out, NodeId node);
  void plain_signature(std::string& out);
  void boxed_signature(std::string& out);
  void pytree_signature(std::string& out);
  void returns(std::string& out);

  void find_last_uses();
  void lead(std::string& out, NodeId node);
  void statement(std::string& out, NodeId node);
  void call_function(std::string& out, NodeId node);
  bool operators(std::string& out, NodeId node, std::string_view function);
  void in_place(std::string& out, NodeId node, std::string_view function);
  void arguments(std::string& out, NodeId node, std::uint32_t first);
  void freed(std::string& out, NodeId node);
  void free_last_uses(std::string& out, const Slot& root, NodeId user, bool& any);
  [[nodiscard]] bool all_print_as_operands(NodeId node, bool bracketed) const;
  void define(std::string& out, NodeId node) {
    out += graph_.name(node);
    annotation(out, node);
    out += " = ";
  }

  const Graph& graph_;
  const CodeStyle& style_;
  PythonValues values_;
  MetaTexts metas_;
  std::vector<std::uint32_t> last_user_;  // by node id
  Callees callees_;
  std::unordered_set<std::uint32_t> called_;  // targets that stand by name
  std::uint32_t lead_ = 0;
};

// ---------------------------------------------------------------- signature

void FunctionWriter::annotation(std::string& out, NodeId node) {
  const std::string_view quote = style_.quoted ? "\"" : "";
  if (style_.metadata && graph_.meta(node).valid()) {
    const std::string& text = metas_.of(graph_.meta(node));
    if (!text.empty()) {
      out += ": ";
      out += quote;
      out += text;
      out += quote;
      return;
    }
  }
  if (!graph_.type(node).valid()) return;
  const std::string_view type = graph_.text(graph_.type(node));
  if (type.starts_with(kReadable) && type.ends_with('"')) {
    out += ": ";
    out += type.substr(kReadable.size() - 1);
  } else {
    out += " : ";
    out += annotation_of_type(type);
  }
}

void FunctionWriter::parameter(std::string& out, NodeId node) {
  out += graph_.target(node);
  annotation(out, node);
  if (graph_.argument_count(node) == 0) return;
  out += " = ";
  values_.append(out, graph_.argument(node, 0));
}

void FunctionWriter::returns(std::string& out) {
  const NodeId output = graph_.output();
  if (output.valid() && graph_.type(output).valid())
    out += " -> " + annotation_of_type(graph_.text(graph_.type(output)));
  out += ':';
}

void FunctionWriter::plain_signature(std::string& out) {
  out += "def forward(self";
  for (const NodeId n : graph_.nodes()) {
    if (graph_.opcode(n) != Opcode::placeholder) continue;
    out += ", ";
    parameter(out, n);
  }
  out += ')';
  returns(out);
}

void FunctionWriter::boxed_signature(std::string& out) {
  out += "def forward(self, args_list)";
  returns(out);
  const std::string line = style_.line_end + style_.body_indent;
  bool any = false;
  for (const NodeId n : graph_.nodes()) {
    if (graph_.opcode(n) != Opcode::placeholder) continue;
    if (!any) out += line + "args_iter = iter(args_list)";
    any = true;
    out += line;
    out += graph_.target(n);
    out += " = next(args_iter)";
  }
  if (any) out += line + "args_list.clear()";
}

void FunctionWriter::pytree_signature(std::string& out) {
  const std::string line = style_.line_end + style_.body_indent;
  std::string names, annotations;
  for (const NodeId n : graph_.nodes()) {
    if (graph_.opcode(n) != Opcode::placeholder) continue;
    if (!names.empty()) names += ", ";
    names += graph_.target(n);
    std::string own(graph_.target(n));
    annotation(own, n);
    if (own.size() > graph_.target(n).size()) annotations += own + "; ";
  }
  out += style_.def_line;
  if (!annotations.empty()) out += line + annotations + style_.line_end;
  const std::size_t inner = style_.flatten.rfind(style_.body_indent);
  const std::size_t call = inner == std::string::npos ? 0 : inner + style_.body_indent.size();
  out += line + style_.flatten.substr(0, call) + names + ", = " + style_.flatten.substr(call);
}

std::string FunctionWriter::signature() {
  std::string out;
  switch (style_.inputs) {
    case CodeStyle::Inputs::plain:
      plain_signature(out);
      break;
    case CodeStyle::Inputs::boxed:
      boxed_signature(out);
      break;
    case CodeStyle::Inputs::pytree:
      pytree_signature(out);
      break;
  }
  return out;
}

std::string FunctionWriter::result() {
  std::string out = "return " + style_.return_head;
  const NodeId output = graph_.output();
  const SlotId value = graph_.argument(output, 0);
  if (style_.return_items && is_container(graph_[value].kind)) {
    for (std::uint32_t i = 0; i < graph_[value].count(); ++i) {
      if (i > 0) out += ", ";
      values_.append(out, graph_[value].child(i));
    }
  } else {
    values_.append(out, value);
  }
  return out + style_.return_tail;
}

// ---------------------------------------------------------------- statements

void FunctionWriter::find_last_uses() {
  last_user_.assign(graph_.id_bound(), NodeId::kNone);
  for (const NodeId user : graph_.nodes()) {
    for (const Slot& slot : graph_.slots(user)) {
      if (slot.kind == ArgKind::node) last_user_[slot.a] = user.value;
    }
  }
}

// Lines above a node, and above others that came before it and are gone.
void FunctionWriter::lead(std::string& out, NodeId node) {
  if (node.value >= style_.lead_of.size()) return;
  const std::uint32_t own = style_.lead_of[node.value];
  if (own == 0 || own == lead_) return;
  // What is in between is gone: the same comment does not stand there twice.
  if (lead_ == 0 || own == lead_ + 1 || style_.leads[own - 1] != style_.leads[lead_ - 1]) out += style_.leads[own - 1];
  lead_ = own;
}

void FunctionWriter::arguments(std::string& out, NodeId node, std::uint32_t first) {
  const CallForm& form = graph_.form(node);
  out += '(';
  for (std::uint32_t i = first; i < form.count(); ++i) {
    if (i > first) out += ", ";
    if (i >= form.positional) {
      const std::string_view keyword = graph_.text(form.keywords[i - form.positional]);
      out += keyword;
      out += " = ";
      values_.append(out, graph_.argument(node, i), keyword == "device");
    } else {
      values_.append(out, graph_.argument(node, i));
    }
  }
  out += ')';
}

// Operands that neither an operator nor the start of a line would make something else of.
bool FunctionWriter::all_print_as_operands(NodeId node, bool bracketed) const {
  const CallForm& form = graph_.form(node);
  if (!form.keywords.empty()) return false;
  for (std::uint32_t i = 0; i < form.positional; ++i) {
    const Slot& slot = graph_[graph_.argument(node, i)];
    switch (slot.kind) {
      case ArgKind::symbolic:
        return false;
      case ArgKind::opaque:  // integers beyond 64 bits are, too
        if (i == 1 && bracketed) break;
        if (graph_.text(slot.symbol()).find_first_not_of("0123456789") != std::string_view::npos) return false;
        break;
      case ArgKind::bare:
        if (looks_like_size(graph_.text(slot.symbol()))) return false;
        break;
      case ArgKind::complex:
      case ArgKind::device:
      case ArgKind::slice:
      case ArgKind::range:
        if (i == 0) return false;
        break;
      default:
        break;
    }
  }
  return true;
}

bool FunctionWriter::operators(std::string& out, NodeId node, std::string_view function) {
  const std::uint32_t count = graph_.form(node).positional;
  if (!all_print_as_operands(node, function == "getitem")) return false;
  const auto operand = [&](std::uint32_t i) { values_.append(out, graph_.argument(node, i)); };
  if (function == "getitem" && count == 2) {
    define(out, node);
    operand(0);
    out += '[';
    operand(1);
    out += ']';
    return true;
  }
  if (const Operator* op = count == 2 ? find_binary(function) : nullptr) {
    const Slot& first = graph_[graph_.argument(node, 0)];
    const bool negative = (first.kind == ArgKind::integer && first.integer() < 0) ||
                          (first.kind == ArgKind::floating && first.floating() < 0);
    if (negative && function == "pow") return false;  // `-1 ** x` is -(1 ** x)
    define(out, node);
    operand(0);
    out += ' ';
    out += op->token;
    out += ' ';
    operand(1);
    return true;
  }
  if (const Operator* op = count == 1 ? find_unary(function) : nullptr) {
    define(out, node);
    out += op->token;
    operand(0);
    return true;
  }
  const bool on_node = count > 0 && graph_[graph_.argument(node, 0)].kind == ArgKind::node;
  if (on_node && ((count == 3 && function == "setitem") || (count == 2 && find_in_place(function) != nullptr))) {
    in_place(out, node, function);
    return true;
  }
  return false;
}

// `x += y;  iadd = x`
void FunctionWriter::in_place(std::string& out, NodeId node, std::string_view function) {
  const auto operand = [&](std::uint32_t i) { values_.append(out, graph_.argument(node, i)); };
  operand(0);
  if (function == "setitem") {
    out += '[';
    operand(1);
    out += "] = ";
    operand(2);
  } else {
    out += ' ';
    out += find_in_place(function)->token;
    out += ' ';
    operand(1);
  }
  out += ";  ";
  define(out, node);
  operand(0);
}

void FunctionWriter::call_function(std::string& out, NodeId node) {
  const std::string_view target = graph_.target(node);
  constexpr std::string_view kOperator = "operator.", kGetattr = "builtins.getattr";
  if (target.starts_with(kOperator) && operators(out, node, target.substr(kOperator.size()))) return;
  const CallForm& form = graph_.form(node);
  if (target == kGetattr && form.positional == 2 && form.keywords.empty()) {
    const Slot& object = graph_[graph_.argument(node, 0)];
    const Slot& name = graph_[graph_.argument(node, 1)];
    const bool text = name.kind == ArgKind::string || name.kind == ArgKind::bare;
    if (object.kind == ArgKind::node && text && text_ir::is_identifier(graph_.text(name.symbol()))) {
      define(out, node);
      values_.append(out, graph_.argument(node, 0));
      out += '.';
      out += graph_.text(name.symbol());
      return;
    }
  }
  define(out, node);
  out += callees_.of(form.target);
  called_.insert(form.target.value);
  arguments(out, node, 0);
}

// Whether FX writes a line; inputs have one only under another name.
void FunctionWriter::statement(std::string& out, NodeId node) {
  switch (graph_.opcode(node)) {
    case Opcode::call_function:
      call_function(out, node);
      return;
    case Opcode::call_method: {
      define(out, node);
      const std::size_t begin = out.size();
      values_.append(out, graph_.argument(node, 0));
      append_path(out, graph_.target(node), begin);
      arguments(out, node, 1);
      return;
    }
    case Opcode::call_module:
    case Opcode::get_attr: {
      define(out, node);
      const std::size_t begin = out.size();
      out += "self";
      append_path(out, graph_.target(node), begin);
      if (graph_.opcode(node) == Opcode::call_module) arguments(out, node, 0);
      return;
    }
    default:
      return;
  }
}

void FunctionWriter::free_last_uses(std::string& out, const Slot& root, NodeId user, bool& any) {
  struct Frame {
    std::uint32_t next, end;
  };
  const auto visit = [&](const Slot& slot) {
    if (slot.kind != ArgKind::node || last_user_[slot.a] != user.value) return;
    last_user_[slot.a] = NodeId::kNone;
    out += any ? "" : ";  ";
    any = true;
    out += graph_.name(slot.node());
    out += " = ";
  };
  if (!is_container(root.kind)) return visit(root);
  std::vector<Frame> frames{{root.a, root.a + root.b}};
  while (!frames.empty()) {
    Frame& frame = frames.back();
    if (frame.next == frame.end) {
      frames.pop_back();
      continue;
    }
    const Slot& slot = graph_[SlotId(frame.next++)];
    if (is_container(slot.kind)) {
      frames.push_back({slot.a, slot.a + slot.b});
    } else {
      visit(slot);
    }
  }
}

// `;  x = y = None`, in the order of the arguments, then the node itself where nothing uses it.
void FunctionWriter::freed(std::string& out, NodeId node) {
  if (style_.freed == CodeStyle::Freed::nothing) return;
  bool any = false;
  for (std::uint32_t i = 0; i < graph_.argument_count(node); ++i)
    free_last_uses(out, graph_[graph_.argument(node, i)], node, any);
  if (style_.freed == CodeStyle::Freed::everything && !graph_.has_uses(node)) {
    out += any ? "" : ";  ";
    any = true;
    out += graph_.name(node);
    out += " = ";
  }
  if (any) out += "None";
}

std::string FunctionWriter::imports() {
  std::string ignored, out;
  for (const NodeId node : graph_.nodes()) {
    if (graph_.opcode(node) != Opcode::call_function) continue;
    const std::size_t before = called_.size();
    ignored.clear();
    call_function(ignored, node);
    if (called_.size() == before) continue;
    const std::string_view target = graph_.target(node);
    const std::size_t dot = target.rfind('.');
    if (!needs_import(target) || !is_dotted_path(target) || dot == std::string_view::npos) continue;
    const std::string_view module = target.substr(0, dot);
    const std::string& name = callees_.of(graph_.form(node).target);
    if (module == "torch.Tensor") {
      out += fmt::format("{} = {}\n", name, target);
    } else {
      out += fmt::format("from {}{} import {} as {}\n", module == "operator" ? "_" : "", module, target.substr(dot + 1),
                         name);
    }
  }
  return out;
}

void FunctionWriter::write(std::string& out, const Sink& sink) {
  if (!style_.class_name.empty()) {
    out += style_.class_indent;
    out += fmt::format("class {}(torch.nn.Module):", style_.class_name);
    out += style_.line_end;
  }
  const auto kept = [&](const CodeStyle::Kept& part, std::string printed) {
    out += part.verbatim.empty() || part.printed != printed ? printed : part.verbatim;
  };
  out += style_.def_indent;
  kept(style_.signature, signature());
  find_last_uses();
  bool any = false;
  for (const NodeId node : graph_.nodes()) {
    const Opcode opcode = graph_.opcode(node);
    if (opcode == Opcode::output) continue;
    if (opcode == Opcode::placeholder) {
      std::string_view raw = graph_.target(node);
      while (raw.starts_with('*')) raw.remove_prefix(1);
      if (raw == graph_.name(node)) continue;
      out += style_.line_end;
      lead(out, node);
      out += style_.body_indent;
      out += graph_.name(node);
      out += " = ";
      out += raw;
    } else {
      out += style_.line_end;
      lead(out, node);
      out += style_.body_indent;
      statement(out, node);
      freed(out, node);
    }
    any = true;
    if (out.size() < kChunk) continue;
    sink(out);
    out.clear();
  }
  out += style_.line_end;
  if (graph_.output().valid()) {
    if (style_.end_lead != 0) out += style_.leads[style_.end_lead - 1];
    out += style_.body_indent;
    kept(style_.result, result());
  } else if (!any) {
    out += style_.body_indent + "pass";
  } else {
    out.resize(out.size() - style_.line_end.size());
  }
  if (style_.final_newline) out += style_.line_end;
}

// The style of a nested graph that was not read from code.
CodeStyle nested_style(const CodeStyle& around, std::string_view path) {
  CodeStyle style;
  style.class_name = path;
  std::replace(style.class_name.begin(), style.class_name.end(), '.', '_');
  style.class_indent = around.class_name.empty() ? around.def_indent : around.class_indent + "    ";
  style.def_indent = style.class_indent + "    ";
  style.body_indent = style.def_indent + "    ";
  style.line_end = around.line_end;
  style.metadata = around.metadata;
  style.quoted = around.quoted;
  style.strides = around.strides;
  style.devices = around.devices;
  style.freed = around.freed;
  style.gap = around.line_end;
  return style;
}

}  // namespace

std::string signature_text(const Graph& graph, const CodeStyle& style) {
  return FunctionWriter(graph, style).signature();
}

std::string import_lines(const Graph& graph) {
  const CodeStyle style;
  return "import torch\nimport torch.fx._pytree as fx_pytree\nimport torch.utils._pytree as pytree\n"
         "from math import inf, nan\nfrom torch import device\n" +
         FunctionWriter(graph, style).imports() + "NoneType = type(None)\n\n";
}

std::string return_text(const Graph& graph, const CodeStyle& style) { return FunctionWriter(graph, style).result(); }

void write(const Graph& root, const CodeStyle& root_style, const Sink& sink) {
  struct Level {
    const Graph* graph;
    std::optional<CodeStyle> own;  // where none was read
    const CodeStyle* read;
    std::size_t next = 0;
    [[nodiscard]] const CodeStyle& style() const { return own ? *own : *read; }
  };
  std::string out;
  out.reserve(kChunk + 4096);
  std::vector<Level> levels;
  if (!root_style.class_name.empty()) levels.push_back({&root, std::nullopt, &root_style});  // a function has no place
  FunctionWriter(root, root_style).write(out, sink);
  while (!levels.empty()) {
    Level& level = levels.back();
    if (level.next == level.graph->subgraphs().size()) {
      levels.pop_back();
      continue;
    }
    const std::size_t i = level.next++;
    const Subgraph& nested = level.graph->subgraphs()[i];
    Level inner{nested.graph.get(), std::nullopt, nullptr};
    if (i < level.style().nested.size()) {
      inner.read = &level.style().nested[i];
    } else {
      inner.own = nested_style(level.style(), level.graph->text(nested.path));
    }
    out += inner.style().gap;
    FunctionWriter(*inner.graph, inner.style()).write(out, sink);
    levels.push_back(std::move(inner));
  }
  if (!out.empty()) sink(out);
}

}  // namespace fxrules::code
