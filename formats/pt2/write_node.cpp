// Nodes that are not as they were read, and new ones.
#include <algorithm>

#include <fmt/format.h>

#include "formats/pt2/graph_writer.hpp"
#include "formats/pt2/json.hpp"
#include "formats/pt2/node_text.hpp"

namespace fxrules::pt2 {
// ---------------------------------------------------------------- is it as it was read?

bool GraphWriter::same_argument(SlotId before, SlotId now) const {
  struct Pair {
    SlotId before, now;
  };
  std::vector<Pair> todo{{before, now}};
  while (!todo.empty()) {
    const Pair pair = todo.back();
    todo.pop_back();
    const Slot &a = original_[pair.before], &b = graph_[pair.now];
    if (a.kind != b.kind) return false;
    if (a.kind == ArgKind::node) {
      if (original_.name(a.node()) != value_name(b.node())) return false;
      continue;
    }
    if (is_container(a.kind)) {
      if (a.count() != b.count()) return false;
      for (std::uint32_t i = 0; i < a.count(); ++i) todo.push_back({a.child(i), b.child(i)});
      continue;
    }
    if (a.a != b.a || a.b != b.b || a.c != b.c) return false;
  }
  return true;
}

bool GraphWriter::same_call(NodeId n) const {
  if (graph_.form_id(n) != original_.form_id(n)) return false;
  const std::span<const Slot> before = original_.slots(n), now = graph_.slots(n);
  if (before.size() != now.size()) return false;
  const std::uint32_t shift = graph_.slots_begin(n) - original_.slots_begin(n);
  for (std::size_t i = 0; i < now.size(); ++i) {
    const Slot &a = before[i], &b = now[i];
    if (a.kind != b.kind) return false;
    if (a.kind == ArgKind::node) {
      // A name decides, not the node: what is written is the name.
      const bool same = a.node() == b.node() && original_.name_id(a.node()) == graph_.name_id(b.node());
      if (same_as_.empty() ? !same : original_.name(a.node()) != value_name(b.node())) return false;
    } else if (is_container(a.kind)) {
      if (a.a + shift != b.a || a.b != b.b) return false;
    } else if (a.a != b.a || a.b != b.b || a.c != b.c) {
      return false;
    }
  }
  return true;
}

bool GraphWriter::same_leaves(NodeId n) const {
  const std::span<const Leaf> own = origin_.leaves_of(n);
  for (const Leaf& leaf : own) {
    const auto i = static_cast<std::size_t>(&leaf - origin_.leaves.data());
    if (leaves_[i].name != graph_.text(leaf.name)) return false;
  }
  return true;
}

bool GraphWriter::untouched(NodeId n) const {
  if (!same_call(n) || !same_leaves(n)) return false;
  return origin_.table_of(n) == Table::none || graph_.name_id(n) == original_.name_id(n);
}

// ---------------------------------------------------------------- spelled anew

// FX prints Python's operators without the underscore of their module.
std::string GraphWriter::target_text(NodeId n) const {
  const std::string_view target = graph_.target(n);
  return in_quotes(target.starts_with("operator.") ? "_" + std::string(target) : std::string(target));
}

std::string GraphWriter::changed_node(NodeId n, Range range) {
  const NodeParts parts = parts_of_node(*writing_.program.source, range);
  struct Change {
    Range at;
    std::string text;
  };
  std::vector<Change> changes;
  if (graph_.form(n).target != original_.form(n).target) changes.push_back({parts.target, target_text(n)});
  if (!same_call(n) && parts.inputs.valid())
    changes.push_back({parts.inputs, inputs_text(n, parts.arguments, parts.argument_ranges)});
  const bool renamed = graph_.name_id(n) != original_.name_id(n) && origin_.table_of(n) != Table::none;
  if (parts.outputs.valid() && (renamed || !same_leaves(n)))
    changes.push_back({parts.outputs, outputs_text(n, parts.outputs)});
  if (renamed && parts.name.valid()) changes.push_back({parts.name, in_quotes(graph_.name(n))});
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.at.begin < b.at.begin; });
  std::string text;
  std::uint32_t at = range.begin;
  for (const Change& change : changes) {
    text += source_text({at, change.at.begin});
    text += change.text;
    at = change.at.end;
  }
  return text + source_text({at, range.end});
}

// Arguments that are the same keep their text. `before`: in file order, empty for a new node.
std::string GraphWriter::inputs_text(NodeId n, const std::vector<NamedArgument>& before,
                                     const std::vector<Range>& ranges) {
  const std::string_view target = graph_.target(n);
  const bool higher_order = is_higher_order(target);
  const Overload* schema = schema_of(writing_.catalogue, target);
  std::vector<NamedArgument> was = before;
  if (!was.empty()) {
    const std::string_view old = original_.target(n);
    order_arguments(was, schema_of(writing_.catalogue, old), is_higher_order(old));
  }
  const bool same_form = !was.empty() && graph_.form_id(n) == original_.form_id(n);
  const Dialect& dialect = writing_.program.dialect;
  const CallForm& form = graph_.form(n);
  std::string text = "[";
  for (std::uint32_t i = 0; i < form.count(); ++i) {
    if (i > 0) text += ", ";
    const bool keyword = i >= form.positional;
    const SlotId slot = graph_.argument(n, i);
    const std::string name = same_form ? std::string(was[i].name) : argument_name(n, i, schema, higher_order);
    const auto old = std::find_if(was.begin(), was.end(), [&](const NamedArgument& a) {
      return same_form ? a.index == was[i].index : !name.empty() && a.name == name && a.keyword == keyword;
    });
    if (old != was.end()) {
      const auto place = static_cast<std::uint32_t>(old - was.begin());
      if (same_argument(original_.argument(n, place), slot)) {
        text += source_text(ranges[old->index]);
        continue;
      }
    }
    SchemaType type;
    const int role = schema != nullptr ? schema->find(name) : -1;
    if (role >= 0) type = schema->arguments[static_cast<std::size_t>(role)].type;
    std::string argument = "{";
    const std::vector<std::string> keys =
        dialect.argument_keys.empty() ? std::vector<std::string>{"name", "arg"} : dialect.argument_keys;
    for (const std::string& key : keys) {
      if (argument.size() > 1) argument += ", ";
      argument += in_quotes(key) + ": ";
      if (key == "name") {
        argument += in_quotes(name);
      } else if (key == "arg") {
        argument += argument_text(slot, type);
      } else if (key == "kind") {
        argument += keyword ? "2" : "1";
      } else {
        argument += "null";
      }
    }
    text += argument + "}";
  }
  return text + "]";
}

// Torch finds arguments by their names in the schema.
std::string GraphWriter::argument_name(NodeId n, std::uint32_t i, const Overload* schema, bool higher_order) {
  const CallForm& form = graph_.form(n);
  if (i >= form.positional) return std::string(graph_.text(form.keywords[i - form.positional]));
  if (higher_order) return "";
  if (schema != nullptr && i < schema->arguments.size() && !schema->arguments[i].keyword_only)
    return std::string(schema->arguments[i].name);
  const std::string_view target = graph_.target(n);
  if (target.starts_with("operator.") || target.starts_with("torch.sym_") || target.starts_with("math."))
    return std::string(1, static_cast<char>('a' + i));  // these are called by position
  unsayable(n, fmt::format("the argument {} of `{}` has no name that is known", i + 1, target),
            "arguments are written by name: declare the op in a file that a rule file names: `catalogue \"my.ops\"`");
  return "";
}

// The names in it, in the order in which they stand there.
std::string GraphWriter::outputs_text(NodeId n, Range before) {
  const std::span<const Leaf> own = origin_.leaves_of(n);
  std::string text;
  if (own.empty()) {  // one value
    text = writing_.text(before);
    const std::string old = in_quotes(original_.name(n));
    const std::size_t at = text.rfind(old);
    if (at != std::string::npos) text.replace(at, old.size(), in_quotes(graph_.name(n)));
    return text;
  }
  std::uint32_t at = before.begin;
  for (const Leaf& leaf : own) {
    const auto i = static_cast<std::size_t>(&leaf - origin_.leaves.data());
    text += writing_.text({at, leaf.token.begin});
    text += in_quotes(leaves_[i].name);
    at = leaf.token.end;
  }
  text += writing_.text({at, before.end});
  return text;
}

namespace {

// What torch looks up by its name: ops, and functions of sizes.
bool is_op_of_programs(std::string_view target) {
  return target.starts_with("torch.ops.") || target.starts_with("operator.") || target.starts_with("torch.sym_") ||
         target.starts_with("math.") || target.starts_with("executorch.exir.dialects.");
}

}  // namespace

std::string GraphWriter::new_node(NodeId n) {
  const Opcode opcode = graph_.opcode(n);
  if (opcode != Opcode::call_function) {
    unsayable(n, fmt::format("a program of torch.export holds no {}", to_string(opcode)),
              opcode == Opcode::call_method ? "rules can name the op as `aten.add.Tensor`" : "");
    return "null";
  }
  const std::string_view target = graph_.target(n);
  const Overload* schema = schema_of(writing_.catalogue, target);
  if (!is_op_of_programs(target))
    unsayable(n, fmt::format("`{}` is no op of a program", target),
              "programs hold ops of torch.ops and sizes; rules can name the op as `aten.add.Tensor`");
  if (schema != nullptr && schema->writes() && writing_.program.functional && !writing_.program.allow_in_place)
    unsayable(
        n, fmt::format("`{}` writes to an operand, and the program is functional", target),
        "its verifier is ATEN: torch.export.load refuses in-place ops in it; --verifier training makes it TRAINING");
  std::string text = "{";
  for (const std::string& key : writing_.program.dialect.node_keys) {
    if (text.size() > 1) text += ", ";
    text += in_quotes(key) + ": ";
    if (key == "target") {
      text += target_text(n);
    } else if (key == "inputs") {
      text += inputs_text(n, {}, {});
    } else if (key == "outputs") {
      text += new_outputs(n);
    } else if (key == "metadata") {
      text += metadata_for(n);
    } else if (key == "name") {
      text += in_quotes(graph_.name(n));
    } else {
      text += "null";
    }
  }
  return text + "}";
}

std::string GraphWriter::new_outputs(NodeId n) {
  const std::string_view target = graph_.target(n);
  const Overload* schema = schema_of(writing_.catalogue, target);
  if (schema != nullptr && schema->returns.empty()) return "[]";
  if (has_several(schema)) return several_outputs(n, *schema);
  const Table table = table_of(n);
  if (table == Table::none) {
    unsayable(n, "what kind of value it is is not known", "every value of a program has metadata");
    return "[]";
  }
  return "[" + named_value(n) + "]";
}

// Each result is a value of its own, called as the getitem node that takes it.
std::string GraphWriter::several_outputs(NodeId n, const Overload& schema) {
  const bool list = schema.returns.size() == 1;
  const auto& items = new_items_[n.value];
  std::size_t count = schema.returns.size();
  if (list) {
    const ValueMeta* meta = graph_.meta(n).valid() ? &graph_.metas()[graph_.meta(n)] : nullptr;
    count = meta != nullptr && meta->kind == MetaKind::tuple ? meta->parts.size() : items.size();
  }
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    const auto item = items.find(static_cast<std::int64_t>(i));
    if (item == items.end()) {
      unsayable(n, fmt::format("nothing takes its result {}, so that nothing is known of it", i),
                "every value of a program has metadata");
      return "[]";
    }
    text += i > 0 ? ", " : "";
    text += list ? fmt::format("{{\"name\": {}}}", in_quotes(graph_.name(item->second))) : named_value(item->second);
  }
  return list ? fmt::format("[{{\"as_tensors\": [{}]}}]", text) : "[" + text + "]";
}

// A new node was made for an old one: stack trace and module stack are that one's.
std::string GraphWriter::metadata_for(NodeId n) {
  SymbolId name = graph_.name_id(n);
  for (std::size_t steps = 0; steps < 1000; ++steps) {
    const auto made = writing_.file.made_for.find(name.value);
    if (made == writing_.file.made_for.end()) break;
    name = made->second;
    const NodeId old = original_.find(name);
    if (!old.valid()) continue;
    NodeId producer = old;
    if (!origin_.range_of(producer).valid() && original_.form(producer).target == getitem_ &&
        original_[original_.argument(producer, 0)].kind == ArgKind::node)
      producer = original_[original_.argument(producer, 0)].node();
    const Range range = origin_.range_of(producer);
    if (!range.valid()) break;
    const NodeParts parts = parts_of_node(*writing_.program.source, range);
    if (parts.metadata.valid()) return std::string(writing_.text(parts.metadata));
    break;
  }
  return "{}";
}

}  // namespace fxrules::pt2
