// Inputs, nodes with their outputs, and the graph's outputs. Arguments are in read_argument.cpp, the tables of
// values in read_values.cpp.
#include "formats/pt2/read_graph.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace fxrules::pt2 {
namespace {

constexpr std::size_t kMostCandidates = 2000;  // for nearest names
constexpr std::size_t kDeepestGraph = 64;

std::string_view shown(std::string_view name) { return name.substr(0, 100); }

bool is_legal(std::string_view name) {
  const auto fits = [](char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return !name.empty() && std::all_of(name.begin(), name.end(), fits);
}

// What torch calls an output that nothing uses: `split_unused_1`, `f_unused_0_2`.
bool says_unused(std::string_view name) {
  constexpr std::string_view kMark = "_unused_";
  const std::size_t at = name.rfind(kMark);
  if (at == std::string_view::npos) return false;
  const std::string_view number = name.substr(at + kMark.size());
  return !number.empty() && number.find_first_not_of("0123456789_") == std::string_view::npos;
}

Table table_of_tag(std::string_view tag) {
  if (tag == "as_tensor") return Table::tensor;
  if (tag == "as_sym_int") return Table::sym_int;
  if (tag == "as_sym_float") return Table::sym_float;
  if (tag == "as_sym_bool") return Table::sym_bool;
  if (tag == "as_custom_obj") return Table::object;
  return Table::none;
}

}  // namespace

void Reading::report(const Problem& problem) {
  diagnostics.push_back({Severity::error, problem.kind, problem.message, span(problem.place), problem.hint});
  if (++errors >= max_errors)
    throw Problem{"too-many-errors", fmt::format("reading stops after {} errors", errors), problem.place};
}

void GraphReader::read(Object object) {
  if (depth_ > kDeepestGraph)
    throw Problem{
        "too-deep", fmt::format("graphs nest deeper than {}", kDeepestGraph), {json_.last(), json_.last() + 1}};
  for (auto field_or_error : object) {
    Field field = field_of(field_or_error);
    const std::string_view key = json_.key(field);
    Value& value = field.value();
    const auto section = [&](Part part, Table which, auto read_part) {
      const std::uint32_t from = json_.begin(value);
      read_part();
      origin_.sections.push_back({part, which, {from, json_.end()}});
    };
    const auto at = std::find(kTableKeys.begin(), kTableKeys.end(), key);
    if (key == "inputs") {
      section(Part::inputs, Table::none, [&] { inputs(value); });
    } else if (key == "outputs") {
      section(Part::outputs, Table::none, [&] { outputs(value); });
    } else if (key == "nodes") {
      section(Part::nodes, Table::none, [&] { nodes(value); });
    } else if (at != kTableKeys.end()) {
      const Table which = static_cast<Table>(at - kTableKeys.begin());
      section(Part::table, which, [&] { table(value, which); });
    } else if (key == "is_single_tensor_return") {
      single_ = json_.boolean(value, "`is_single_tensor_return`");
      origin_.sections.push_back({Part::single, Table::none, json_.skip(value)});
    }
  }
  finish();
}

// ---------------------------------------------------------------- names

SymbolId GraphReader::own_name(Value& value, Range& token) {
  return graph_.symbols().intern(json_.string(value, "a name", &token));
}

// A node that bears the name, also one that is made only now because it is asked for.
NodeId GraphReader::find(SymbolId name) {
  const NodeId n = graph_.find(name);
  if (n.valid()) return n;
  const auto waiting = waiting_.find(name.value);
  if (waiting == waiting_.end()) return {};
  Leaf& leaf = origin_.leaves[waiting->second];
  waiting_.erase(waiting);
  return item(leaf);
}

void GraphReader::use(std::string_view name, Range token) {
  const auto symbol = graph_.symbols().find(name);
  const NodeId n = symbol ? find(*symbol) : NodeId();
  if (n.valid() && !named_by_us_.contains(n.value)) return push_node(n);
  std::vector<std::string_view> candidates;
  for (NodeId c = graph_.last(); c.valid() && candidates.size() < kMostCandidates; c = graph_.prev(c))
    candidates.push_back(graph_.name(c));
  std::string hint;
  for (const std::string& near : nearest_names(shown(name), candidates))
    hint += (hint.empty() ? "did you mean `" : " or `") + near + "`";
  reading_.report({"unknown-node", fmt::format("no value is called `{}` here", shown(name)), token,
                   hint.empty() ? "values are defined in front of their uses" : hint + "?"});
  push(Slot::of_kind(ArgKind::none));
}

// The name that a new value gets: the one it asks for, unless that is taken or no name.
SymbolId GraphReader::name_for(std::string_view wanted, const NodeText& text) {
  if (!wanted.empty() && is_legal(wanted) && !graph_.find(wanted).valid()) return graph_.symbols().intern(wanted);
  return graph_.unique_name(Graph::base_name(Opcode::call_function, text.target));
}

void GraphReader::claim(SymbolId name, Range token) {
  const NodeId holder = graph_.find(name);
  if (holder.valid() && named_by_us_.contains(holder.value)) {
    graph_.rename(holder, graph_.unique_name(name));
  } else if (holder.valid() || waiting_.contains(name.value)) {
    reading_.report({"duplicate-node", fmt::format("`{}` is defined twice", shown(graph_.text(name))), token});
  }
  if (!is_legal(graph_.text(name)))
    reading_.report({"illegal-name", fmt::format("`{}` is no name for a value", shown(graph_.text(name))), token,
                     "names consist of letters, digits and `_`"});
}

void GraphReader::set_table(NodeId n, Table table) {
  if (origin_.table.size() <= n.value) origin_.table.resize(n.value + 1, Table::none);
  origin_.table[n.value] = table;
}

// ---------------------------------------------------------------- inputs and outputs of the graph

void GraphReader::inputs(Value& value) {
  has_inputs_ = true;
  std::size_t index = 0;
  for (auto item : json_.array(value, "`inputs`")) {
    Value input = item.value();
    const std::uint32_t from = json_.begin(input);
    SymbolId name;
    Table table = Table::none;
    for (auto tag : json_.object(input, "an input")) {
      Field field = field_of(tag);
      table = table_of_tag(json_.key(field));
      if (table == Table::none) continue;
      Value inside = field.value();
      for (auto part : json_.object(inside, "an input")) {
        Field named = field_of(part);
        if (json_.key(named) != "name" && json_.key(named) != "as_name") continue;
        Range token;
        name = own_name(named.value(), token);
        claim(name, token);
      }
      if (!name.valid()) throw Problem{"malformed-program", "this input has no name", {from, json_.end()}};
    }
    if (!name.valid()) name = graph_.unique_name(fmt::format("arg{}", index));  // the signature knows it
    if (graph_.find(name).valid()) name = graph_.unique_name(name);             // reported
    const NodeId n = CallBuilder(graph_).create(Opcode::placeholder, name, name);
    set_table(n, table);
    origin_.inputs.push_back({from, json_.end()});
    ++index;
  }
}

// They stand in front of the nodes: looked up when all are read.
void GraphReader::outputs(Value& value) {
  for (auto item : json_.array(value, "`outputs`")) {
    Value output = item.value();
    const std::uint32_t from = json_.begin(output);
    Wanted wanted;
    for (auto tag : json_.object(output, "an output")) {
      Field field = field_of(tag);
      const std::string_view key = json_.key(field);
      if (table_of_tag(key) == Table::none) {
        pieces_.clear();
        tagged(key, field.value(), 0);
        if (pieces_.size() != 1 || pieces_[0].what != Piece::What::literal)
          throw Problem{"malformed-program", "a list cannot be an output", {from, from + 1}};
        wanted.literal = pieces_[0].slot;
        continue;
      }
      Value inside = field.value();
      for (auto part : json_.object(inside, "an output")) {
        Field named = field_of(part);
        const std::string_view word = json_.key(named);
        if (word == "name" || word == "as_name") {
          wanted.name = json_.string(named.value(), "a name", &wanted.token);
        } else if (word == "as_int" || word == "as_float" || word == "as_bool") {
          pieces_.clear();
          tagged(word, named.value(), 0);
          wanted.literal = pieces_[0].slot;
        }
      }
    }
    wanted_.push_back(wanted);
    origin_.outputs.push_back({from, json_.end()});
  }
}

// ---------------------------------------------------------------- nodes

void GraphReader::nodes(Value& value) {
  if (!has_inputs_)
    throw Problem{"malformed-program", "`nodes` stands in front of `inputs`", {json_.last(), json_.last() + 1}};
  for (auto item : json_.array(value, "`nodes`")) {
    Value one = item.value();
    node(one);
  }
}

void GraphReader::node(Value& value) {
  std::vector<std::string>& known = reading_.program.dialect.node_keys;
  std::vector<std::string> keys;
  NodeText text;
  text.arguments = std::move(arguments_);
  text.arguments.clear();
  text.outputs = std::move(outputs_);
  text.outputs.clear();
  pieces_.clear();
  text.range.begin = json_.begin(value);
  for (auto field_or_error : json_.object(value, "a node")) {
    Field field = field_of(field_or_error);
    const std::string_view key = json_.key(field);
    if (known.empty()) keys.emplace_back(key);
    Value& part = field.value();
    if (key == "target") {
      text.target = json_.string(part, "a target", &text.target_place);
    } else if (key == "inputs") {
      arguments_ = std::move(text.arguments);
      arguments(part);
      text.arguments = std::move(arguments_);
    } else if (key == "outputs") {
      outputs_ = std::move(text.outputs);
      text_.output_entries = 0;
      text_.lists = false;
      node_outputs(part);
      text.outputs = std::move(outputs_);
      text.output_entries = text_.output_entries;
      text.lists = text_.lists;
    } else if (key == "is_hop_single_tensor_return") {
      text.single = !json_.is_null(part) && json_.boolean(part, "`is_hop_single_tensor_return`");
    } else if (key == "name") {
      if (!json_.is_null(part)) text.name = json_.string(part, "`name`");
    }
  }
  text.range.end = json_.end();
  if (text.target.empty())
    throw Problem{"malformed-program", "this node has no target", {text.range.begin, text.range.begin + 1}};
  if (known.empty()) known = std::move(keys);
  make(text);
  arguments_ = std::move(text.arguments);
  outputs_ = std::move(text.outputs);
}

void GraphReader::arguments(Value& value) {
  std::vector<std::string>& known = reading_.program.dialect.argument_keys;
  for (auto item : json_.array(value, "`inputs`")) {
    Value one = item.value();
    const std::uint32_t from = json_.begin(one);
    std::vector<std::string> keys;
    Argument a;
    a.first = pieces_.size();
    for (auto field_or_error : json_.object(one, "an argument")) {
      Field field = field_of(field_or_error);
      const std::string_view key = json_.key(field);
      if (known.empty()) keys.emplace_back(key);
      Value& part = field.value();
      if (key == "name") {
        Range token;
        a.name = own_name(part, token);
      } else if (key == "arg") {
        argument(part, 0);
      } else if (key == "kind") {
        if (!json_.is_null(part)) a.kind = json_.integer(part, "`kind`");
      }
    }
    if (known.empty()) known = std::move(keys);
    a.count = pieces_.size() - a.first;
    if (!a.name.valid() || a.count == 0)
      throw Problem{"malformed-program", "an argument must have `name` and `arg`", {from, json_.end()}};
    arguments_.push_back(a);
  }
}

void GraphReader::node_outputs(Value& value) {
  std::uint32_t index = 0;
  for (auto item : json_.array(value, "`outputs`")) {
    Value one = item.value();
    one_output(one, index++);
  }
  text_.output_entries = index;
}

void GraphReader::one_output(Value& value, std::uint32_t index) {
  for (auto tag : json_.object(value, "an output")) {
    Field field = field_of(tag);
    const std::string_view key = json_.key(field);
    const auto add = [&](Value& named, Table table, std::uint32_t inner) {
      Output output;
      output.table = table;
      output.index = index;
      output.inner = inner;
      for (auto part : json_.object(named, "an output")) {
        Field name = field_of(part);
        if (json_.key(name) == "name" || json_.key(name) == "as_name")
          output.name = own_name(name.value(), output.token);
      }
      outputs_.push_back(output);
    };
    Value& inside = field.value();
    if (const Table table = table_of_tag(key); table != Table::none) {
      add(inside, table, Leaf::kFlat);
    } else if (key == "as_none") {
      outputs_.push_back({Table::none, {}, {}, index, Leaf::kFlat});
    } else if (key == "as_tensors" || key == "as_sym_ints" || key == "as_sym_floats" || key == "as_sym_bools") {
      text_.lists = true;
      const Table table = key == "as_tensors"      ? Table::tensor
                          : key == "as_sym_ints"   ? Table::sym_int
                          : key == "as_sym_floats" ? Table::sym_float
                                                   : Table::sym_bool;
      std::uint32_t inner = 0;
      for (auto element : json_.array(inside, "an output")) {
        Value one = element.value();
        add(one, table, inner++);
      }
    } else {
      const std::uint32_t at = json_.begin(inside);
      throw Problem{"malformed-program", fmt::format("an output cannot be `{}`", shown(key)), {at, at + 1}};
    }
  }
}

// Positional arguments first, in the order of the schema: the file may have them in any.
void GraphReader::order(NodeText& text) {
  order_.clear();
  for (std::size_t i = 0; i < text.arguments.size(); ++i)
    order_.push_back({graph_.text(text.arguments[i].name), text.arguments[i].kind, i, false});
  order_arguments(order_, schema_of(reading_.catalogue, text.target), is_higher_order(text.target));
}

NodeId GraphReader::call(const NodeText& text, SymbolId name) {
  CallBuilder builder(graph_);
  for (const NamedArgument& next : order_) {
    const Argument& a = text.arguments[next.index];
    if (next.keyword) builder.keyword(a.name);
    build(builder, a.first, a.count);
  }
  constexpr std::string_view kOperator = "_operator.";  // FX prints it without the underscore
  const std::string_view target = text.target.starts_with(kOperator) ? text.target.substr(1) : text.target;
  return builder.create(Opcode::call_function, graph_.symbols().intern(target), name);
}

void GraphReader::build(CallBuilder& builder, std::size_t first, std::size_t count) const {
  for (std::size_t i = first; i < first + count; ++i) {
    const Piece& piece = pieces_[i];
    if (piece.what == Piece::What::open) {
      builder.open(piece.slot.kind);
    } else if (piece.what == Piece::What::close) {
      builder.close();
    } else if (piece.slot.kind == ArgKind::node) {
      builder.node(piece.slot.node());
    } else {
      builder.literal(piece.slot);
    }
  }
}

void GraphReader::make(NodeText& text) {
  order(text);
  const bool tuple_of_one = is_higher_order(text.target) && text.single.has_value() && !*text.single;
  const bool nothing = text.outputs.empty() || (text.output_entries == 1 && !text.outputs[0].name.valid());
  const bool one = text.output_entries == 1 && !text.lists && !nothing && !tuple_of_one;
  SymbolId name;
  if (one) {
    name = text.outputs[0].name;
    claim(name, text.outputs[0].token);
    if (graph_.find(name).valid()) name = graph_.unique_name(name);  // reported
  } else {
    name = name_for(text.name, text);
  }
  const NodeId n = call(text, name);
  if (origin_.node_range.size() <= n.value) {
    origin_.node_range.resize(n.value + 1);
    origin_.first_leaf.resize(n.value + 1, 0xFFFFFFFFu);
  }
  origin_.node_range[n.value] = text.range;
  origin_.nodes.emplace_back(n, text.range);
  if (one) {
    set_table(n, text.outputs[0].table);
    return;
  }
  named_by_us_.insert(n.value);
  if (!nothing) give_leaves(n, text);
}

void GraphReader::give_leaves(NodeId producer, const NodeText& text) {
  const bool list = text.output_entries == 1 && text.lists;  // `-> Tensor[]`: the list is the value
  origin_.first_leaf[producer.value] = static_cast<std::uint32_t>(origin_.leaves.size());
  const std::size_t first = origin_.leaves.size();
  for (const Output& output : text.outputs) {
    if (!output.name.valid()) continue;
    Leaf leaf{producer,
              list ? output.inner : output.index,
              list ? Leaf::kFlat : output.inner,
              {},
              output.name,
              output.table,
              output.token};
    claim(output.name, output.token);
    if (graph_.find(output.name).valid()) continue;  // reported
    const auto at = static_cast<std::uint32_t>(origin_.leaves.size());
    origin_.leaves.push_back(leaf);
    waiting_.emplace(output.name.value, at);
  }
  for (std::size_t i = first; i < origin_.leaves.size(); ++i) {
    if (!says_unused(graph_.text(origin_.leaves[i].name))) (void)find(origin_.leaves[i].name);
  }
}

NodeId GraphReader::item(Leaf& leaf) {
  const SymbolId getitem = graph_.symbols().intern("operator.getitem");
  NodeId from = leaf.producer;
  std::int64_t index = leaf.index;
  if (leaf.inner != Leaf::kFlat) {
    NodeId list;
    for (SlotId s = graph_.first_use(from); s.valid() && !list.valid(); s = graph_.next_use(s)) {
      const NodeId user = graph_.owner(s);
      if (named_by_us_.contains(user.value) && graph_[graph_.argument(user, 1)].integer() == index) list = user;
    }
    if (!list.valid()) {
      list = CallBuilder(graph_).node(from).integer(index).create(Opcode::call_function, getitem,
                                                                  graph_.unique_name("getitem"));
      named_by_us_.insert(list.value);
    }
    from = list;
    index = leaf.inner;
  }
  leaf.item = CallBuilder(graph_).node(from).integer(index).create(Opcode::call_function, getitem, leaf.name);
  set_table(leaf.item, leaf.table);
  return leaf.item;
}

// ---------------------------------------------------------------- the end of the graph

void GraphReader::finish() {
  pieces_.clear();
  for (const Wanted& wanted : wanted_) {
    if (wanted.name.empty()) {
      push(wanted.literal);
    } else {
      use(wanted.name, wanted.token);
    }
  }
  {
    const SymbolId output = graph_.symbols().intern("output");
    const SymbolId name = graph_.find(output).valid() ? graph_.unique_name(output) : output;
    CallBuilder builder(graph_);
    if (!single_ || pieces_.size() != 1) builder.open(ArgKind::tuple);
    build(builder, 0, pieces_.size());
    if (!single_ || pieces_.size() != 1) builder.close();
    builder.create(Opcode::output, output, name);
  }
  // Tables may stand in front of what they describe.
  for (std::vector<Entry>& entries : origin_.entries) {
    for (Entry& entry : entries) {
      if (entry.node.valid()) continue;
      const NodeId n = graph_.find(entry.name);
      const auto meta = unused_metas_.find(entry.name.value);
      if (!n.valid() || named_by_us_.contains(n.value) || meta == unused_metas_.end()) continue;
      entry.node = n;
      graph_.set_meta(n, meta->second);
    }
  }
  for (std::size_t i = 0; i < origin_.leaves.size();) {
    const NodeId producer = origin_.leaves[i].producer;
    ValueMeta meta;
    meta.kind = MetaKind::tuple;
    bool flat = true;
    for (; i < origin_.leaves.size() && origin_.leaves[i].producer == producer; ++i) {
      const Leaf& leaf = origin_.leaves[i];
      flat &= leaf.inner == Leaf::kFlat;
      if (meta.parts.size() <= leaf.index) meta.parts.resize(leaf.index + 1);
      const auto unused = unused_metas_.find(leaf.name.value);
      meta.parts[leaf.index] = leaf.item.valid()               ? graph_.meta(leaf.item)
                               : unused != unused_metas_.end() ? unused->second
                                                               : MetaId();
    }
    if (flat) graph_.set_meta(producer, graph_.metas().intern(meta));
  }
}

}  // namespace fxrules::pt2
