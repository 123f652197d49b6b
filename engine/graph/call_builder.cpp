// Arguments are collected on a stack of pending slots. Closing a container moves its children to the
// graph's arena as one run and leaves the container in their place, so that nested arguments need no
// recursion and all slots of a node end up contiguous.
#include <algorithm>
#include <cassert>

#include "fxrules/graph.hpp"

namespace fxrules {

void Graph::Draft::clear() {
  pending.clear();
  opened.clear();
  keywords.clear();
}

CallBuilder::CallBuilder(Graph& graph)
    : graph_(&graph), draft_(graph.draft_), mark_(static_cast<std::uint32_t>(graph.slots_.size())) {
  assert(!draft_.open && "one CallBuilder at a time");
  draft_.open = true;
}

CallBuilder::~CallBuilder() {
  draft_.clear();  // what was collected and never created
  draft_.open = false;
}

CallBuilder& CallBuilder::node(NodeId n) {
  assert(graph_->alive(n));
  draft_.pending.push_back({NodeId::kNone, ArgKind::node, n.value, 0, 0});
  return *this;
}

CallBuilder& CallBuilder::spelled(ArgKind kind, std::string_view text) {
  assert(is_spelled(kind));
  return literal(Slot::of_symbol(kind, graph_->symbols().intern(text)));
}

CallBuilder& CallBuilder::literal(const Slot& slot) {
  assert(!is_container(slot.kind));
  draft_.pending.push_back(slot);
  return *this;
}

CallBuilder& CallBuilder::open(const Slot& container) {
  assert(is_container(container.kind));
  draft_.opened.push_back({container.kind, static_cast<std::uint32_t>(draft_.pending.size()), container.c});
  return *this;
}

CallBuilder& CallBuilder::close() {
  const Graph::Draft::Opened opened = draft_.opened.back();
  draft_.opened.pop_back();
  const auto first = static_cast<std::uint32_t>(graph_->slots_.size());
  for (std::size_t i = opened.at; i < draft_.pending.size(); ++i) graph_->slots_.push_back(draft_.pending[i]);
  const auto count = static_cast<std::uint32_t>(draft_.pending.size() - opened.at);
  draft_.pending.resize(opened.at);
  draft_.pending.push_back({NodeId::kNone, opened.kind, first, count, opened.name});
  return *this;
}

CallBuilder& CallBuilder::keyword(SymbolId name) {
  assert(draft_.opened.empty());
  draft_.keywords.push_back(name);
  return *this;
}

CallBuilder& CallBuilder::copy(SlotId slot) {
  struct Frame {
    std::uint32_t next, end;
  };
  std::vector<Frame> frames{{slot.value, slot.value + 1}};
  while (!frames.empty()) {
    Frame& frame = frames.back();
    if (frame.next == frame.end) {
      frames.pop_back();
      if (!frames.empty()) close();
      continue;
    }
    const Slot s = graph_->slots_[frame.next++];
    if (s.kind == ArgKind::node) {
      node(s.node());
    } else if (is_container(s.kind)) {
      open(s);
      frames.push_back({s.a, s.a + s.b});
    } else {
      literal({NodeId::kNone, s.kind, s.a, s.b, s.c});
    }
  }
  return *this;
}

// Writes the top-level arguments behind the nested ones, sets owners and links the uses.
std::uint32_t CallBuilder::place(std::uint32_t owner) {
  assert(draft_.opened.empty() && draft_.keywords.size() <= draft_.pending.size());
  for (const Slot& s : draft_.pending) graph_->slots_.push_back(s);
  const auto end = static_cast<std::uint32_t>(graph_->slots_.size());
  // Linked last to first: a use list then starts with the node's first use of the value.
  for (std::uint32_t s = end; s-- > mark_;) {
    graph_->slots_[s].owner = owner;
    if (graph_->slots_[s].kind == ArgKind::node) graph_->link_use(s);
  }
  return end;
}

void CallBuilder::next_node() {
  draft_.clear();
  mark_ = static_cast<std::uint32_t>(graph_->slots_.size());
}

NodeId CallBuilder::create(Opcode opcode, SymbolId target, SymbolId name, NodeId before) {
  Graph& g = *graph_;
  assert(!g.find(name).valid());
  const auto positional = static_cast<std::uint32_t>(draft_.pending.size() - draft_.keywords.size());
  const auto n = static_cast<std::uint32_t>(g.nodes_.size());
  g.nodes_.push_back({});
  g.nodes_[n].form = g.intern_form(opcode, target, positional, draft_.keywords).value;
  g.nodes_[n].slots_begin = mark_;
  g.nodes_[n].slots_end = place(n);
  g.nodes_[n].name = name.value;
  g.bind_name(name, n);
  g.link_node(n, before);
  next_node();
  return NodeId(n);
}

NodeId CallBuilder::create(Opcode opcode, std::string_view target, std::string_view name, NodeId before) {
  const SymbolId symbol =
      name.empty() ? graph_->unique_name(Graph::base_name(opcode, target)) : graph_->symbols().intern(name);
  return create(opcode, graph_->symbols().intern(target), symbol, before);
}

void CallBuilder::reassign(NodeId n, Opcode opcode, SymbolId target) {
  Graph& g = *graph_;
  for (std::uint32_t s = g.nodes_[n.value].slots_begin; s < g.nodes_[n.value].slots_end; ++s) {
    if (g.slots_[s].kind == ArgKind::node) g.unlink_use(s);
    g.slots_[s].owner = NodeId::kNone;
  }
  const auto positional = static_cast<std::uint32_t>(draft_.pending.size() - draft_.keywords.size());
  g.nodes_[n.value].form = g.intern_form(opcode, target, positional, draft_.keywords).value;
  g.nodes_[n.value].slots_begin = mark_;
  g.nodes_[n.value].slots_end = place(n.value);
  next_node();
}

}  // namespace fxrules
