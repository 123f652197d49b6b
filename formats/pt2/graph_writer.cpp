// The parts of a graph and its lists. Nodes are in write_node.cpp, arguments in write_argument.cpp, the tables
// of values in write_values.cpp.
#include "formats/pt2/graph_writer.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace fxrules::pt2 {

void Writing::report(Severity severity, std::string kind, std::string message, std::string hint) {
  constexpr std::size_t kEnough = 50;
  if (problems.size() < kEnough)
    problems.push_back({severity, std::move(kind), std::move(message), {}, std::move(hint)});
}

GraphWriter::GraphWriter(Writing& writing, const GraphOrigin& origin, const Graph& original, const Graph& graph)
    : writing_(writing),
      origin_(origin),
      original_(original),
      graph_(graph),
      getitem_(graph.symbols().intern("operator.getitem")) {
  find_items();
  find_new_items();
  name_leaves();
}

void GraphWriter::unsayable(NodeId n, std::string what, std::string hint) {
  const std::size_t before = writing_.problems.size();
  writing_.report(Severity::error, "unsayable", fmt::format("`{}` cannot be written: {}", graph_.name(n), what),
                  std::move(hint));
  if (writing_.problems.size() > before) writing_.problems.back().span = writing_.place_of(graph_.name(n));
}

// Where the text that the graph was read from defines the name: at the start of a line, or behind a `%`.
Span Writing::place_of(std::string_view name) const {
  const Span& all = program.place;
  if (all.source == nullptr || all.source->text.empty()) return {};
  const std::string_view text = all.source->text;
  const std::size_t end = all.end > all.begin ? std::min<std::size_t>(all.end, text.size()) : text.size();
  for (std::size_t at = text.find(name, all.begin); at < end; at = text.find(name, at + 1)) {
    const std::size_t behind = at + name.size();
    const bool ends = behind < text.size() && (text[behind] == ' ' || text[behind] == ':');
    std::size_t line = text.rfind('\n', at);
    line = line == std::string_view::npos ? 0 : line + 1;
    const std::string_view lead = text.substr(line, at - line);
    if (ends && lead.find_first_not_of(" %") == std::string_view::npos)
      return {all.source, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(behind)};
  }
  return {};
}

// ---------------------------------------------------------------- outputs of nodes with several

// Which getitem node stands for each output now. Rules may have made new ones, also for an output that has one.
void GraphWriter::find_items() {
  leaves_.resize(origin_.leaves.size());
  std::unordered_map<std::uint64_t, std::size_t> leaf_at;  // by producer and index
  const auto key = [](NodeId n, std::int64_t index) {
    return (std::uint64_t{n.value} << 32) | static_cast<std::uint32_t>(index);
  };
  for (std::size_t i = 0; i < origin_.leaves.size(); ++i) {
    const Leaf& leaf = origin_.leaves[i];
    if (leaf.inner == Leaf::kFlat) leaf_at.emplace(key(leaf.producer, leaf.index), i);
  }
  if (origin_.leaves.empty()) return;
  std::unordered_map<std::uint64_t, std::unordered_map<std::int64_t, std::size_t>> inner_leaves;
  for (std::size_t i = 0; i < origin_.leaves.size(); ++i) {
    const Leaf& leaf = origin_.leaves[i];
    if (leaf.inner != Leaf::kFlat) inner_leaves[key(leaf.producer, leaf.index)][leaf.inner] = i;
  }
  std::unordered_map<std::uint32_t, std::uint64_t> lists;  // getitem nodes that are a list inside
  const auto settle = [&](std::size_t leaf, NodeId n) {
    if (leaves_[leaf].item.valid()) {
      same_as_.emplace(n.value, leaves_[leaf].item);
    } else {
      leaves_[leaf].item = n;
      leaf_of_.emplace(n.value, leaf);
    }
    folded_.insert(n.value);
  };
  for (const NodeId n : graph_.nodes()) {
    const CallForm& form = graph_.form(n);
    if (form.target != getitem_ || form.opcode != Opcode::call_function || form.positional != 2) continue;
    const Slot &from = graph_[graph_.argument(n, 0)], &index = graph_[graph_.argument(n, 1)];
    if (from.kind != ArgKind::node || index.kind != ArgKind::integer) continue;
    const std::uint64_t place = key(from.node(), index.integer());
    if (const auto leaf = leaf_at.find(place); leaf != leaf_at.end()) {
      settle(leaf->second, n);
    } else if (inner_leaves.contains(place)) {
      lists.emplace(n.value, place);
      folded_.insert(n.value);
    } else if (const auto list = lists.find(from.node().value); list != lists.end()) {
      const auto& inside = inner_leaves[list->second];
      const auto leaf = inside.find(index.integer());
      if (leaf != inside.end()) settle(leaf->second, n);
    }
  }
}

// Of nodes that the file did not have.
void GraphWriter::find_new_items() {
  for (const NodeId n : graph_.nodes()) {
    const CallForm& form = graph_.form(n);
    if (form.target != getitem_ || form.opcode != Opcode::call_function || form.positional != 2) continue;
    const Slot &from = graph_[graph_.argument(n, 0)], &index = graph_[graph_.argument(n, 1)];
    if (from.kind != ArgKind::node || index.kind != ArgKind::integer || index.integer() < 0) continue;
    const NodeId producer = from.node();
    if (origin_.range_of(producer).valid() || graph_.opcode(producer) != Opcode::call_function) continue;
    if (!has_several(schema_of(writing_.catalogue, graph_.target(producer)))) continue;
    const auto [item, fresh] = new_items_[producer.value].try_emplace(index.integer(), n);
    if (!fresh) same_as_.emplace(n.value, item->second);
    folded_.insert(n.value);
  }
}

// An output that nothing uses any more is called so, as torch calls it.
void GraphWriter::name_leaves() {
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    const Leaf& leaf = origin_.leaves[i];
    LeafNow& now = leaves_[i];
    if (now.item.valid()) {
      now.name = graph_.name(now.item);
      continue;
    }
    now.name = graph_.text(leaf.name);
    const bool was_unused = !leaf.item.valid();
    if (was_unused && !graph_.find(leaf.name).valid()) continue;
    if (!graph_.alive(leaf.producer)) continue;
    std::string name = fmt::format("{}_unused_{}", graph_.name(leaf.producer), leaf.index);
    if (leaf.inner != Leaf::kFlat) name += fmt::format("_{}", leaf.inner);
    for (std::size_t more = 0; graph_.find(name).valid(); ++more) name += fmt::format("_{}", more);
    now.name = name;
  }
}

std::string_view GraphWriter::value_name(NodeId n) const {
  const auto other = same_as_.find(n.value);
  return graph_.name(other == same_as_.end() ? n : other->second);
}

// ---------------------------------------------------------------- the graph object

void GraphWriter::write(Range whole) {
  std::uint32_t at = whole.begin;
  for (const Section& part : origin_.sections) {
    writing_.out->copy(at, part.range.begin);
    section(part);
    at = part.range.end;
  }
  writing_.out->copy(at, whole.end);
}

void GraphWriter::section(const Section& part) {
  switch (part.part) {
    case Part::inputs:
      return inputs(part.range);
    case Part::outputs:
      return outputs(part.range);
    case Part::nodes:
      return nodes(part.range);
    case Part::table:
      return table(part.range, part.table);
    case Part::single: {
      const NodeId output = graph_.output();
      const bool single = output.valid() && !is_container(graph_[graph_.argument(output, 0)].kind);
      const std::string_view now = single ? "true" : "false";
      if (now == writing_.text(part.range)) return writing_.out->copy(part.range);
      return writing_.out->text(now);
    }
  }
}

// Source text, in which nested graphs may have changed.
void GraphWriter::emit(Range range) {
  auto child = std::lower_bound(origin_.children.begin(), origin_.children.end(), range.begin,
                                [](const Child& c, std::uint32_t at) { return c.range.begin < at; });
  std::uint32_t at = range.begin;
  for (; child != origin_.children.end() && child->range.end <= range.end; ++child) {
    const Graph* before = original_.find_subgraph(child->path);
    const Graph* now = graph_.find_subgraph(child->path);
    if (before == nullptr || now == nullptr) continue;
    writing_.out->copy(at, child->range.begin);
    GraphWriter(writing_, *child->graph, *before, *now).write(child->range);
    at = child->range.end;
  }
  writing_.out->copy(at, range.end);
}

// As text, for a node that is spelled anew around it.
std::string GraphWriter::source_text(Range range) {
  const bool holds_graph = std::any_of(origin_.children.begin(), origin_.children.end(), [&](const Child& c) {
    return c.range.begin >= range.begin && c.range.end <= range.end;
  });
  if (!holds_graph) return std::string(writing_.text(range));
  std::string text;
  const Sink sink = [&](std::string_view piece) { text += piece; };
  Out out(writing_.program.source->text, &sink);
  Out* const outer = std::exchange(writing_.out, &out);
  emit(range);
  out.flush();
  writing_.out = outer;
  return text;
}

// What stood between two items stands there again, if both are still neighbours.
void GraphWriter::list(Range range, const std::vector<Range>& before, const std::vector<Item>& now) {
  Out& out = *writing_.out;
  if (before.empty()) {  // "[]", "{ }"
    if (now.empty()) return out.copy(range);
    out.copy(range.begin, range.begin + 1);
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (i > 0) out.text(", ");
      out.text(now[i].text);
    }
    return out.copy(range.end - 1, range.end);
  }
  const Range between = before.size() > 1 ? Range{before[0].end, before[1].begin} : Range{};
  out.copy(range.begin, before[0].begin);
  for (std::size_t i = 0; i < now.size(); ++i) {
    const std::optional<std::size_t> index = now[i].index;
    if (i > 0) {
      if (index && *index > 0 && now[i - 1].index == *index - 1) {
        out.copy(before[*index - 1].end, before[*index].begin);
      } else if (between.valid()) {
        out.copy(between);
      } else {
        out.text(", ");
      }
    }
    if (index) {
      emit(before[*index]);
    } else {
      out.text(now[i].text);
    }
  }
  out.copy(before.back().end, range.end);
}

void GraphWriter::inputs(Range range) {
  std::vector<Item> now;
  std::vector<NodeId> was;
  for (const NodeId n : original_.nodes()) {
    if (original_.opcode(n) == Opcode::placeholder) was.push_back(n);
  }
  std::size_t at = 0;
  for (const NodeId n : graph_.nodes()) {
    if (graph_.opcode(n) != Opcode::placeholder) continue;
    while (at < was.size() && was[at] != n && !graph_.alive(was[at])) ++at;
    const bool known = at < was.size() && was[at] == n;
    if (known && (graph_.name_id(n) == original_.name_id(n) || table_of(n) == Table::none)) {
      now.push_back({at, {}});
    } else if (table_of(n) != Table::none) {
      now.push_back({std::nullopt, named_value(n)});
    } else {
      unsayable(n, "nothing is known of this input");
    }
    if (known) ++at;
  }
  list(range, origin_.inputs, now);
}

void GraphWriter::outputs(Range range) {
  std::vector<Item> now;
  at_ = graph_.output();
  if (&origin_ != &writing_.program.top && graph_.output_count() != original_.output_count())
    unsayable(at_,
              fmt::format("a graph inside returns {} values and must return {}", graph_.output_count(),
                          original_.output_count()),
              "the call around it takes as many");
  for (std::size_t i = 0; i < graph_.output_count(); ++i) {
    const SlotId slot = graph_.output_value(i);
    if (i < origin_.outputs.size() && same_argument(original_.output_value(i), slot)) {
      now.push_back({i, {}});
    } else if (is_container(graph_[slot].kind)) {
      unsayable(at_, fmt::format("its value {} is a {}", i, to_string(graph_[slot].kind)),
                "outputs of a program are flat");
    } else {
      now.push_back({std::nullopt, argument_text(slot, {})});
    }
  }
  list(range, origin_.outputs, now);
}

void GraphWriter::nodes(Range range) {
  Out& out = *writing_.out;
  // Not `list`: a million nodes need no million items.
  const auto& was = origin_.nodes;
  const Range between = was.size() > 1 ? Range{was[0].second.end, was[1].second.begin} : Range{};
  if (was.empty()) {
    out.copy(range.begin, range.begin + 1);
  } else {
    out.copy(range.begin, was[0].second.begin);
  }
  bool first = true;
  std::size_t next = 0;  // in `was`: behind the node written last, if that one stood there
  bool neighbour = false;
  for (const NodeId n : graph_.nodes()) {
    if (!is_written_alone(n)) continue;
    const Range own = origin_.range_of(n);
    const bool follows = neighbour && next < was.size() && was[next].first == n;
    if (!first) {
      if (follows) {
        out.copy(was[next - 1].second.end, own.begin);
      } else if (between.valid()) {
        out.copy(between);
      } else {
        out.text(", ");
      }
    }
    first = false;
    at_ = n;
    if (own.valid() && untouched(n)) {
      emit(own);
    } else {
      out.text(own.valid() ? changed_node(n, own) : new_node(n));
    }
    if (follows) {
      ++next;
    } else if (own.valid()) {
      const auto place = std::lower_bound(was.begin(), was.end(), own.begin,
                                          [](const auto& w, std::uint32_t at) { return w.second.begin < at; });
      next = static_cast<std::size_t>(place - was.begin()) + 1;
      neighbour = true;
    } else {
      neighbour = false;
    }
  }
  out.copy(was.empty() ? range.end - 1 : was.back().second.end, range.end);
}

bool GraphWriter::is_written_alone(NodeId n) const {
  switch (graph_.opcode(n)) {
    case Opcode::placeholder:
    case Opcode::output:
      return false;
    case Opcode::get_attr:
      return graph_.find_subgraph(graph_.form(n).target) == nullptr;
    default:
      return !folded_.contains(n.value);
  }
}

}  // namespace fxrules::pt2
