#include "engine/rewrite/spelling.hpp"

#include <algorithm>

namespace fxrules::rewrite {
namespace {

using program::Template;

bool value_fits(Machine& m, const Value& v, const SchemaType& type) {
  const TypeKind kind = type.kind;
  if (kind == TypeKind::any) return true;
  switch (v.tag) {
    case Tag::none:
      return type.optional;
    case Tag::fresh:
      return kind == TypeKind::tensor && !type.list;
    case Tag::node:
      if (type.list) return false;
      if (is_integer_node(m.binding(), v.node()) == Truth::yes)
        return kind == TypeKind::integer || kind == TypeKind::number;
      return kind == TypeKind::tensor || is_tensor(m.binding(), v.node()) == Truth::unknown;
    case Tag::boolean:
      return kind == TypeKind::boolean || kind == TypeKind::number;
    case Tag::integer:
    case Tag::symbolic:
      return kind == TypeKind::number || kind == TypeKind::floating ||
             (kind == TypeKind::integer && (!type.list || type.fixed_length > 0));
    case Tag::floating:
      return kind == TypeKind::number || kind == TypeKind::floating;
    case Tag::string:
      return kind == TypeKind::string || kind == TypeKind::device;
    case Tag::device:
      return kind == TypeKind::device;
    case Tag::dtype:
      return kind == TypeKind::dtype;
    case Tag::spelled: {
      const auto spelled = static_cast<ArgKind>(v.i);
      if (spelled == ArgKind::layout) return kind == TypeKind::layout;
      if (spelled == ArgKind::memory_format) return kind == TypeKind::memory_format;
      return spelled != ArgKind::complex || kind == TypeKind::number;
    }
    case Tag::list:
    case Tag::tuple: {
      if (!type.list) return false;
      SchemaType item = type;
      item.list = false;
      item.optional = type.optional_elements;
      for (std::uint32_t i = 0; i < v.range.count; ++i) {
        if (!value_fits(m, m.item(v, i), item)) return false;
      }
      return true;
    }
    default:
      return false;
  }
}

bool fits(Machine& m, const FreshNode& node, const Overload& overload) {
  std::vector<bool> filled(overload.arguments.size());
  std::size_t next = 0;
  for (std::uint32_t i = 0; i < node.count; ++i) {
    const FreshArgument& argument = m.argument(node.first + i);
    std::size_t at = next;
    if (argument.keyword.valid()) {
      const int found = overload.find(m.binding().graph().text(argument.keyword));
      if (found < 0) return false;
      at = static_cast<std::size_t>(found);
    } else {
      if (at >= overload.arguments.size() || overload.arguments[at].keyword_only) return false;
      ++next;
    }
    if (filled[at] || !value_fits(m, argument.value, overload.arguments[at].type)) return false;
    filled[at] = true;
  }
  for (std::size_t a = 0; a < filled.size(); ++a) {
    if (!filled[a] && !overload.arguments[a].has_default) return false;
  }
  return true;
}

const Overload* choose(Machine& m, const FreshNode& node, OpId op, std::string_view preferred) {
  const Catalogue& catalogue = m.binding().catalogue();
  const Overload* first = nullptr;
  for (const OverloadId id : catalogue.overloads(op)) {
    const Overload& overload = catalogue.overload(id);
    if (overload.python || !fits(m, node, overload)) continue;
    if (overload.name == preferred) return &overload;
    if (first == nullptr) first = &overload;
  }
  return first;
}

CallSpelling function_or_method(Machine& m, const FreshNode& node, OpId op, bool method_first) {
  const Catalogue& catalogue = m.binding().catalogue();
  CallSpelling out;
  out.schema = choose(m, node, op, "");
  const std::string_view function = catalogue.function_of(op), method = catalogue.method_of(op),
                         op_er = catalogue.operator_of(op);
  if (method_first && !method.empty()) {
    out.opcode = Opcode::call_method;
    out.target = method;
  } else if (!function.empty()) {
    out.target = function;
  } else if (!method.empty()) {
    out.opcode = Opcode::call_method;
    out.target = method;
  } else if (!op_er.empty()) {
    out.target = op_er;
  } else if (out.schema != nullptr) {
    out.target = catalogue.overload_target(out.schema->id);
  } else {
    out.target = catalogue.packet_target(op);
  }
  out.ok = !out.target.empty();
  return out;
}

CallSpelling spell_op(Machine& m, const FreshNode& node, OpId op, SpellingStyle style, std::string_view overload) {
  const Catalogue& catalogue = m.binding().catalogue();
  if (catalogue.op_namespace(op) == "python") return function_or_method(m, node, op, false);
  switch (style) {
    case SpellingStyle::aten_packet:
    case SpellingStyle::aten_overload:
    case SpellingStyle::edge_packet:
    case SpellingStyle::edge_overload: {
      CallSpelling out;
      out.schema = choose(m, node, op, overload);
      if (out.schema == nullptr) {
        out.ok = false;
        return out;
      }
      const bool edge = style == SpellingStyle::edge_packet || style == SpellingStyle::edge_overload;
      out.target = edge ? catalogue.edge_target(out.schema->id) : catalogue.overload_target(out.schema->id);
      return out;
    }
    default:
      return function_or_method(m, node, op, false);
  }
}

// `<f>` keeps the form of the op that bound it.
CallSpelling spell_holes(Machine& m, const FreshNode& node, const Template& made, NodeId root) {
  Graph& graph = m.binding().graph();
  const Catalogue& catalogue = m.binding().catalogue();
  std::string name;
  std::size_t hole = 0;
  for (const program::NamePiece& piece : made.pieces)
    name += piece.hole ? std::string(graph.text(node.holes[hole++])) : piece.text;
  CallSpelling out;
  if (name.find('.') != std::string::npos) {
    out.target = catalogue.resolve(Opcode::call_function, "torch.ops." + name) ? "torch.ops." + name : name;
    return out;
  }
  const NodeId binder = node.hole_node.valid() && graph.alive(node.hole_node) ? node.hole_node : root;
  const CallClass& call = m.binding().call_class(binder);
  std::optional<OpId> op = call.op.valid() && catalogue.op_namespace(call.op) != "aten"
                               ? catalogue.find_op(std::string(catalogue.op_namespace(call.op)) + "." + name)
                               : std::nullopt;
  if (!op) op = catalogue.find_op(name);
  if (!op) {  // an op that no catalogue knows: the method of that name, for a method
    out.opcode = graph.opcode(binder);
    out.target = name;
    out.ok = out.opcode == Opcode::call_method;
    return out;
  }
  switch (call.style) {
    case SpellingStyle::method:
    case SpellingStyle::dunder:
      return function_or_method(m, node, *op, true);
    case SpellingStyle::operator_: {
      const std::string_view op_er = catalogue.operator_of(*op);
      if (op_er.empty()) return function_or_method(m, node, *op, false);
      out.target = op_er;
      out.schema = choose(m, node, *op, "");
      return out;
    }
    default: {
      const std::string overload = call.schema != nullptr ? std::string(call.schema->name) : std::string();
      return spell_op(m, node, *op, call.style, overload);
    }
  }
}

CallSpelling spell_template(Machine& m, const FreshNode& node, NodeId root) {
  const Template& made = m.binding().rules().templates[node.call_template];
  switch (made.kind) {
    case Template::Kind::exact: {
      CallSpelling out;
      out.opcode = made.opcode;
      out.target = made.target;
      const Catalogue& catalogue = m.binding().catalogue();
      const auto spelling = catalogue.resolve(out.opcode, out.target);
      if (!spelling) return out;  // an op of the rule's own
      for (const OverloadId id : catalogue.candidates(*spelling, out.target)) {
        if (out.schema == nullptr && fits(m, node, catalogue.overload(id))) out.schema = &catalogue.overload(id);
      }
      return out;
    }
    case Template::Kind::op: {
      if (!made.op.valid()) {
        CallSpelling out;
        out.ok = false;
        return out;
      }
      return spell_op(m, node, made.op, m.binding().style_beside(root), "");
    }
    case Template::Kind::holes:
      return spell_holes(m, node, made, root);
  }
  return {};
}

}  // namespace

// All that decides which schema fits; nullopt for arguments whose contents count.
std::optional<std::uint64_t> Speller::kinds_of(const FreshNode& node) {
  constexpr unsigned kBits = 7, kMost = 64 / kBits;
  const Template& made = machine_->binding().rules().templates[node.call_template];
  if (made.kind == Template::Kind::holes || node.count > kMost) return std::nullopt;
  std::uint64_t kinds = 0;
  for (std::uint32_t i = 0; i < node.count; ++i) {
    const Value& v = machine_->argument(node.first + i).value;
    if (v.is_container() || v.is(Tag::spelled)) return std::nullopt;
    std::uint64_t kind = static_cast<std::uint64_t>(v.tag);
    if (v.is(Tag::node)) {
      if (is_integer_node(machine_->binding(), v.node()) == Truth::yes) kind |= 32;
      if (is_tensor(machine_->binding(), v.node()) == Truth::unknown) kind |= 64;
    }
    kinds = kinds << kBits | kind;
  }
  const bool spliced =
      std::any_of(made.arguments.begin(), made.arguments.end(), [](const auto& a) { return a.splice; });
  return spliced ? std::nullopt : std::optional(kinds);
}

CallSpelling Speller::work_out(const FreshNode& node, NodeId root) {
  CallSpelling call = spell_template(*machine_, node, root);
  if (!call.ok) return call;
  call.symbol = machine_->binding().symbol(call.target);
  call.name_base = machine_->binding().symbol(Graph::base_name(call.opcode, call.target));
  return call;
}

const CallSpelling& Speller::spell(const FreshNode& node, NodeId root) {
  const std::optional<std::uint64_t> kinds = kinds_of(node);
  if (!kinds) return other_ = work_out(node, root);
  if (known_.empty()) known_.resize(machine_->binding().rules().templates.size());
  std::vector<Known>& known = known_[node.call_template];
  const SpellingStyle style = machine_->binding().style_beside(root);
  for (const Known& k : known) {
    if (k.style == style && k.kinds == *kinds) return k.call;
  }
  return known.emplace_back(Known{style, *kinds, work_out(node, root)}).call;
}

}  // namespace fxrules::rewrite
