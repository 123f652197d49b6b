// Arguments as JSON: objects of one key, chosen by what the value is and, where that is open, by the schema.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "formats/pt2/enums.hpp"
#include "formats/pt2/graph_writer.hpp"
#include "formats/pt2/json.hpp"

namespace fxrules::pt2 {
namespace {

std::string tagged(std::string_view tag, std::string_view value) { return fmt::format("{{\"{}\": {}}}", tag, value); }

// (1-2.5j), 2j
std::optional<std::pair<double, double>> complex_of(std::string_view text) {
  if (text.starts_with('(') && text.ends_with(')')) text = text.substr(1, text.size() - 2);
  if (!text.ends_with('j')) return std::nullopt;
  text.remove_suffix(1);
  const auto number = [](std::string_view word, double& value) {
    if (word.starts_with('+')) word.remove_prefix(1);
    const auto read = std::from_chars(word.data(), word.data() + word.size(), value);
    return read.ec == std::errc() && read.ptr == word.data() + word.size();
  };
  std::pair<double, double> out{0, 0};
  // The sign between the parts is the last one that belongs to no exponent.
  std::size_t split = text.find_last_of("+-");
  while (split != std::string_view::npos && split > 0 && (text[split - 1] == 'e' || text[split - 1] == 'E'))
    split = text.find_last_of("+-", split - 1);
  if (split == std::string_view::npos || split == 0)
    return number(text, out.second) ? std::optional(out) : std::nullopt;
  if (!number(text.substr(0, split), out.first) || !number(text.substr(split), out.second)) return std::nullopt;
  return out;
}

std::string_view element_tag(TypeKind kind) {
  switch (kind) {
    case TypeKind::boolean:
      return "as_bools";
    case TypeKind::integer:
      return "as_ints";
    case TypeKind::floating:
      return "as_floats";
    case TypeKind::string:
      return "as_strings";
    default:
      return "as_tensors";  // as torch decides where it does not know
  }
}

}  // namespace

Table GraphWriter::table_of(NodeId n) const {
  if (const auto other = same_as_.find(n.value); other != same_as_.end()) n = other->second;
  const Table known = origin_.table_of(n);
  if (known != Table::none) return known;
  if (const auto leaf = leaf_of_.find(n.value); leaf != leaf_of_.end()) return origin_.leaves[leaf->second].table;
  const MetaId id = graph_.meta(n);
  if (!id.valid()) return Table::none;
  const MetaKind kind = graph_.metas()[id].kind;
  return kind == MetaKind::tensor ? Table::tensor : kind == MetaKind::symbolic ? Table::sym_int : Table::none;
}

// {"as_tensor": {"name": "x"}}
std::string GraphWriter::named_value(NodeId n) {
  const std::string name = in_quotes(value_name(n));
  switch (table_of(n)) {
    case Table::tensor:
      return tagged("as_tensor", tagged("name", name));
    case Table::sym_int:
      return tagged("as_sym_int", tagged("as_name", name));
    case Table::sym_float:
      return tagged("as_sym_float", tagged("as_name", name));
    case Table::sym_bool:
      return tagged("as_sym_bool", tagged("as_name", name));
    case Table::object:
      for (const Entry& entry : origin_.entries[static_cast<std::size_t>(Table::object)]) {
        if (entry.node == n) return tagged("as_custom_obj", writing_.text(entry.value));
      }
      break;
    case Table::none:
      break;
  }
  unsayable(at_, fmt::format("what kind of value `{}` is is not known", graph_.name(n)),
            graph_.opcode(n) == Opcode::get_attr ? "a program of torch.export takes its tensors as inputs"
                                                 : "every value of a program has metadata");
  return "null";
}

std::string GraphWriter::argument_text(SlotId slot, const SchemaType& type) {
  const Slot& s = graph_[slot];
  if (s.kind == ArgKind::list || s.kind == ArgKind::tuple) return list_text(slot, type);
  if (s.kind == ArgKind::node) {
    const NodeId n = s.node();
    if (graph_.opcode(n) == Opcode::get_attr) {
      const SymbolId path = graph_.form(n).target;
      const auto child = std::find_if(origin_.children.begin(), origin_.children.end(),
                                      [&](const Child& c) { return c.path == path; });
      if (child != origin_.children.end())
        return tagged("as_graph", fmt::format("{{\"name\": {}, \"graph\": {}}}", in_quotes(graph_.text(path)),
                                              source_text(child->range)));
    }
    const bool folded_list = folded_.contains(n.value) && table_of(n) == Table::none;
    if (!origin_.leaves_of(n).empty() || folded_list) {
      unsayable(at_, fmt::format("`{}` stands for several values", graph_.name(n)),
                "a program of torch.export names each of them: take the items");
      return "null";
    }
    return named_value(n);
  }
  if (s.kind == ArgKind::dict) {
    std::string text = "{";
    for (std::uint32_t i = 0; i + 1 < s.count(); i += 2) {
      const Slot& key = graph_[s.child(i)];
      if (!is_spelled(key.kind) || (key.kind != ArgKind::string && key.kind != ArgKind::bare)) {
        unsayable(at_, "keys of a dict must be strings");
        return "null";
      }
      const Slot& value = graph_[s.child(i + 1)];
      if (value.kind == ArgKind::dict) {
        unsayable(at_, "a dict holds a dict");
        return "null";
      }
      if (i > 0) text += ", ";
      text += in_quotes(graph_.text(key.symbol())) + ": " + argument_text(s.child(i + 1), {});
    }
    return tagged("as_string_to_argument", text + "}");
  }
  if (is_container(s.kind)) {
    unsayable(at_, fmt::format("a {} cannot be an argument", to_string(s.kind)),
              "programs of torch.export have slices as separate numbers");
    return "null";
  }
  return literal_text(s, type);
}

std::string GraphWriter::literal_text(const Slot& s, const SchemaType& type) {
  const Dialect& dialect = writing_.program.dialect;
  const auto number = [&](std::string_view tag, const std::optional<std::int64_t>& n, std::string_view text) {
    if (n) return tagged(tag, std::to_string(*n));
    unsayable(at_, fmt::format("`{}` has no number in the program", text));
    return std::string("null");
  };
  switch (s.kind) {
    case ArgKind::none:
      return tagged("as_none", "true");
    case ArgKind::boolean:
      return tagged("as_bool", s.boolean() ? "true" : "false");
    case ArgKind::integer:
      return tagged("as_int", std::to_string(s.integer()));
    case ArgKind::floating: {
      std::string text;
      append_number(text, s.floating(), dialect.bare_infinity);
      return tagged("as_float", text);
    }
    case ArgKind::string:
      return tagged("as_string", in_quotes(graph_.text(s.symbol())));
    case ArgKind::bare:
      if (type.kind == TypeKind::device) return tagged("as_device", device_text(graph_.text(s.symbol())));
      if (type.kind == TypeKind::string) return tagged("as_string", in_quotes(graph_.text(s.symbol())));
      break;
    case ArgKind::device:
      return tagged("as_device", device_text(graph_.text(s.symbol())));
    case ArgKind::dtype: {
      const auto dtype = parse_dtype(graph_.text(s.symbol()));
      return number("as_scalar_type", dtype ? number_of(*dtype) : std::nullopt, graph_.text(s.symbol()));
    }
    case ArgKind::layout:
      return number("as_layout", layout_number(graph_.text(s.symbol())), graph_.text(s.symbol()));
    case ArgKind::memory_format:
      return number("as_memory_format", memory_format_number(graph_.text(s.symbol())), graph_.text(s.symbol()));
    case ArgKind::op:
      return tagged("as_operator", in_quotes("torch.ops." + std::string(graph_.text(s.symbol()))));
    case ArgKind::complex:
      if (const auto value = complex_of(graph_.text(s.symbol())); value && dialect.argument_kinds) {
        std::string text = "{\"real\": ";
        append_number(text, value->first, dialect.bare_infinity);
        text += ", \"imag\": ";
        append_number(text, value->second, dialect.bare_infinity);
        return tagged("as_complex", text + "}");
      }
      break;
    default:
      break;
  }
  unsayable(at_, fmt::format("a {} cannot be an argument of a program", to_string(s.kind)));
  return "null";
}

// Torch has one kind of list for each kind of element, and none for mixed ones.
std::string GraphWriter::list_text(SlotId slot, const SchemaType& type) {
  const Slot list = graph_[slot];
  if (list.count() == 0) return tagged(element_tag(type.kind), "[]");
  bool all_literal[5] = {true, true, true, true, true};  // bool, int, float, str, list
  bool tensors = true, optional = true, symbols = true;
  Table symbolic = Table::none;
  for (std::uint32_t i = 0; i < list.count(); ++i) {
    const Slot& s = graph_[list.child(i)];
    const Table table = s.kind == ArgKind::node ? table_of(s.node()) : Table::none;
    all_literal[0] &= s.kind == ArgKind::boolean;
    all_literal[1] &= s.kind == ArgKind::integer;
    all_literal[2] &= s.kind == ArgKind::floating;
    all_literal[3] &= s.kind == ArgKind::string || (s.kind == ArgKind::bare && type.kind == TypeKind::string);
    all_literal[4] &= s.kind == ArgKind::list || s.kind == ArgKind::tuple;
    tensors &= table == Table::tensor;
    optional &= table == Table::tensor || s.kind == ArgKind::none;
    const Table own = s.kind == ArgKind::integer    ? Table::sym_int
                      : s.kind == ArgKind::floating ? Table::sym_float
                      : s.kind == ArgKind::boolean  ? Table::sym_bool
                                                    : table;
    symbols &= own == Table::sym_int || own == Table::sym_float || own == Table::sym_bool;
    symbols &= symbolic == Table::none || symbolic == own;
    symbolic = own;
  }
  const auto join = [&](std::string_view tag, auto element) {
    std::string text = "[";
    for (std::uint32_t i = 0; i < list.count(); ++i) {
      if (i > 0) text += ", ";
      text += element(list.child(i));
    }
    return tagged(tag, text + "]");
  };
  // The value of {"as_int": 1}, {"as_tensor": {"name": "x"}}.
  const auto inside = [&](SlotId s) {
    const std::string text = argument_text(s, SchemaType{type.kind});
    const std::size_t colon = text.find(": ");
    return colon == std::string::npos ? text : text.substr(colon + 2, text.size() - colon - 3);
  };
  constexpr std::string_view kTags[] = {"as_bools", "as_ints", "as_floats", "as_strings"};
  for (std::size_t k = 0; k < 4; ++k) {
    if (all_literal[k]) return join(kTags[k], inside);
  }
  if (tensors) return join("as_tensors", inside);
  if (symbols) {
    const std::string_view tag = symbolic == Table::sym_int     ? "as_sym_ints"
                                 : symbolic == Table::sym_float ? "as_sym_floats"
                                                                : "as_sym_bools";
    return join(tag, [&](SlotId s) { return graph_[s].kind == ArgKind::node ? inside(s) : argument_text(s, {}); });
  }
  if (optional) return join("as_optional_tensors", [&](SlotId s) { return argument_text(s, {}); });
  if (all_literal[4] && writing_.program.dialect.argument_kinds) {
    // One level: lists of tensors, ints or floats.
    std::string_view tag;
    std::string text = "[";
    for (std::uint32_t i = 0; i < list.count(); ++i) {
      const Slot inner = graph_[list.child(i)];
      bool deeper = false;
      for (std::uint32_t k = 0; k < inner.count(); ++k) deeper |= is_container(graph_[inner.child(k)].kind);
      if (deeper) break;
      const std::string one = list_text(list.child(i), {});
      const std::size_t colon = one.find(": ");
      const std::string_view kind = std::string_view(one).substr(0, colon);
      const std::string_view own = kind == "{\"as_tensors\""  ? "as_nested_tensors"
                                   : kind == "{\"as_ints\""   ? "as_int_lists"
                                   : kind == "{\"as_floats\"" ? "as_float_lists"
                                                              : "";
      if (own.empty() || (!tag.empty() && tag != own)) {
        tag = "";
        break;
      }
      tag = own;
      if (i > 0) text += ", ";
      text += one.substr(colon + 2, one.size() - colon - 3);
      if (i + 1 == list.count()) return tagged(tag, text + "]");
    }
  }
  unsayable(at_, "a list of values of several kinds cannot be an argument",
            "lists of a program hold values of one kind");
  return "null";
}

}  // namespace fxrules::pt2
