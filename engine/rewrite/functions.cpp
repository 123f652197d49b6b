// Functions of the program that loaded the rules: values out, a value back.
#include "engine/rewrite/machine.hpp"

namespace fxrules::rewrite {
namespace {

using Kind = UserValue::Kind;

// Lists within lists beyond this are not said: nothing recurses over what a user nests.
constexpr unsigned kMostNested = 8;

UserValue spelled(const Graph& graph, Kind kind, SymbolId text) {
  UserValue out;
  out.kind = kind;
  out.text = graph.text(text);
  return out;
}

UserValue said(Machine& m, const Value& v, unsigned nested) {
  const Graph& graph = m.binding().graph();
  UserValue out;
  switch (v.tag) {
    case Tag::none:
      out.kind = Kind::none;
      return out;
    case Tag::boolean:
      return UserValue::of(v.i != 0);
    case Tag::integer:
      return UserValue::of(v.i);
    case Tag::floating:
      out.kind = Kind::floating;
      out.floating = v.d;
      return out;
    case Tag::string:
      return spelled(graph, Kind::string, v.symbol());
    case Tag::dtype:
      return spelled(graph, Kind::dtype, v.symbol());
    case Tag::device:
      return spelled(graph, Kind::device, v.symbol());
    case Tag::symbolic:
      out.kind = Kind::symbolic;
      out.text = graph.metas().expressions().text(Size::of(ExprId(static_cast<std::uint32_t>(v.i))));
      return out;
    case Tag::node:
      out = spelled(graph, Kind::node, graph.name_id(v.node()));
      out.node = v.node();
      return out;
    case Tag::list:
    case Tag::tuple:
      if (nested == kMostNested) return out;
      out.kind = v.is(Tag::tuple) ? Kind::tuple : Kind::list;
      for (std::uint32_t i = 0; i < v.range.count; ++i) out.items.push_back(said(m, m.item(v, i), nested + 1));
      return out;
    default:
      return out;
  }
}

Value heard(Machine& m, const UserValue& v, unsigned nested) {
  Binding& binding = m.binding();
  switch (v.kind) {
    case Kind::none:
      return Value::make(Tag::none);
    case Kind::boolean:
      return Value::boolean(v.integer != 0);
    case Kind::integer:
      return Value::integer(v.integer);
    case Kind::floating:
      return Value::floating(v.floating);
    case Kind::string:
      return Value::of_string(binding.symbol(v.text));
    case Kind::dtype:
      if (const auto dtype = parse_dtype(v.text))
        return Value::make(Tag::dtype, binding.symbol(to_string(*dtype)).value, static_cast<std::int64_t>(*dtype));
      break;
    case Kind::device:
      return Value::make(Tag::device, binding.symbol(v.text).value);
    case Kind::symbolic:
      if (const auto size = binding.graph().metas().expressions().parse(v.text)) return from_size(m, *size);
      break;
    case Kind::node: {
      const NodeId n = binding.graph().find(v.text);
      if (n.valid()) return Value::of_node(n);
      break;
    }
    case Kind::list:
    case Kind::tuple: {
      if (nested == kMostNested) break;
      std::vector<Value> items;
      for (const UserValue& item : v.items) items.push_back(heard(m, item, nested + 1));
      return m.list(items, v.kind == Kind::tuple ? Tag::tuple : Tag::list);
    }
    case Kind::unknown:
      break;
  }
  return Value::unknown(Unknown::operand);
}

}  // namespace

Value call_function(Machine& machine, const Function& function, const std::vector<Value>& arguments) {
  std::vector<UserValue> given;
  given.reserve(arguments.size());
  for (const Value& v : arguments) {
    if (v.is(Tag::failure)) return v;
    given.push_back(said(machine, v, 0));
  }
  return heard(machine, function.call(given), 0);
}

}  // namespace fxrules::rewrite
