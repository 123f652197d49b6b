// The flat store behind Graph: a doubly linked list of node records, intrusive use lists threaded through
// the argument slots, and order labels kept by range relabelling (Bender, Cole, Demaine, Farach-Colton,
// Zito, "Two simplified algorithms for maintaining order in a list", 2002).
#include "fxrules/graph.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <charconv>
#include <cstring>
#include <iterator>

#include "engine/graph/naming.hpp"

namespace fxrules {
namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFFu;
constexpr std::uint64_t kOrderGap = 1ull << 20;

Slot of_bits(ArgKind kind, std::uint64_t bits) {
  return {NodeId::kNone, kind, 0, static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
}

std::size_t hash_form(Opcode opcode, SymbolId target, std::uint32_t positional, std::span<const SymbolId> keywords) {
  std::size_t h = target.value * 0x9E3779B97F4A7C15ull + static_cast<std::size_t>(opcode);
  h = (h ^ positional) * 0x9E3779B97F4A7C15ull;
  for (const SymbolId k : keywords) h = (h ^ k.value) * 0x9E3779B97F4A7C15ull;
  return h ^ (h >> 32);
}

}  // namespace

std::string_view to_string(ArgKind kind) {
  static constexpr std::string_view kNames[] = {
      "None",         "bool",   "int",           "float",  "complex",  "str",      "bare text",
      "dtype",        "layout", "memory format", "device", "Ellipsis", "symbolic", "op",
      "opaque value", "node",   "tuple",         "list",   "dict",     "slice",    "range"};
  return kNames[static_cast<std::size_t>(kind)];
}

double Slot::floating() const { return std::bit_cast<double>((std::uint64_t{c} << 32) | b); }
Slot Slot::of_integer(std::int64_t value) { return of_bits(ArgKind::integer, static_cast<std::uint64_t>(value)); }
Slot Slot::of_floating(double value) { return of_bits(ArgKind::floating, std::bit_cast<std::uint64_t>(value)); }
Slot Slot::of_boolean(bool value) { return of_bits(ArgKind::boolean, value ? 1 : 0); }
Slot Slot::of_symbol(ArgKind kind, SymbolId symbol) { return {NodeId::kNone, kind, symbol.value, 0, 0}; }
Slot Slot::of_kind(ArgKind kind) { return {NodeId::kNone, kind, 0, 0, 0}; }

Graph::Graph() : Graph(std::make_shared<Tables>()) {}
Graph::Graph(std::shared_ptr<Tables> tables) : tables_(std::move(tables)) {}
Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(Graph&&) noexcept = default;
Graph::~Graph() = default;

// ---------------------------------------------------------------- facts

NodeId Graph::output() const {
  if (!tail_.valid() || opcode(tail_) != Opcode::output) return {};
  return tail_;
}

SlotId Graph::output_value(std::size_t i) const {
  const NodeId node = output();
  if (i >= output_count()) return {};
  const SlotId all = argument(node, 0);
  return is_container(slots_[all.value].kind) ? slots_[all.value].child(static_cast<std::uint32_t>(i)) : all;
}

std::size_t Graph::output_count() const {
  const NodeId node = output();
  if (!node.valid() || argument_count(node) == 0) return 0;
  const Slot& all = slots_[argument(node, 0).value];
  return is_container(all.kind) ? all.count() : 1;
}

NodeId Graph::find(std::string_view name) const {
  const auto symbol = symbols().find(name);
  return symbol ? find(*symbol) : NodeId();
}

NodeId Graph::find(SymbolId name) const {
  if (name.value >= node_of_name_.size()) return {};
  return NodeId(node_of_name_[name.value]);
}

SlotId Graph::keyword(NodeId n, SymbolId keyword) const {
  const CallForm& f = form(n);
  for (std::uint32_t i = 0; i < f.keywords.size(); ++i) {
    if (f.keywords[i] == keyword) return argument(n, f.positional + i);
  }
  return {};
}

std::size_t Graph::user_count(NodeId n) const {
  constexpr std::size_t kFew = 8;
  const std::size_t few = user_count_up_to(n, kFew);
  if (few < kFew) return few;
  std::vector<std::uint32_t> owners;
  for (SlotId s = first_use(n); s.valid(); s = next_use(s)) owners.push_back(slots_[s.value].owner);
  std::sort(owners.begin(), owners.end());
  return static_cast<std::size_t>(std::unique(owners.begin(), owners.end()) - owners.begin());
}

std::size_t Graph::user_count_up_to(NodeId n, std::size_t limit) const {
  constexpr std::size_t kMost = 16;
  std::uint32_t seen[kMost];
  limit = std::min(limit, kMost);
  std::size_t count = 0;
  // A user that holds the node many times has its uses linked together, so the walk stays short.
  for (SlotId s = first_use(n); s.valid() && count < limit; s = next_use(s)) {
    const std::uint32_t user = slots_[s.value].owner;
    if (std::find(seen, seen + count, user) == seen + count) seen[count++] = user;
  }
  return count;
}

// ---------------------------------------------------------------- forms and names

FormId Graph::intern_form(Opcode opcode, SymbolId target, std::uint32_t positional,
                          std::span<const SymbolId> keywords) {
  if (forms_.size() * 2 >= form_table_.size()) grow_form_table();
  const std::size_t mask = form_table_.size() - 1;
  std::size_t at = hash_form(opcode, target, positional, keywords) & mask;
  for (; form_table_[at] != 0; at = (at + 1) & mask) {
    const CallForm& form = forms_[form_table_[at] - 1];
    if (form.opcode == opcode && form.target == target && form.positional == positional &&
        std::equal(form.keywords.begin(), form.keywords.end(), keywords.begin(), keywords.end()))
      return FormId(form_table_[at] - 1);
  }
  forms_.push_back({opcode, target, positional, {keywords.begin(), keywords.end()}});
  form_table_[at] = static_cast<std::uint32_t>(forms_.size());
  return FormId(form_table_[at] - 1);
}

void Graph::grow_form_table() {
  form_table_.assign(std::max<std::size_t>(64, form_table_.size() * 2), 0);
  const std::size_t mask = form_table_.size() - 1;
  for (std::uint32_t f = 0; f < forms_.size(); ++f) {
    const CallForm& form = forms_[f];
    std::size_t at = hash_form(form.opcode, form.target, form.positional, form.keywords) & mask;
    while (form_table_[at] != 0) at = (at + 1) & mask;
    form_table_[at] = f + 1;
  }
}

void Graph::bind_name(SymbolId name, std::uint32_t n) {
  if (name.value >= node_of_name_.size())
    node_of_name_.resize(std::max<std::size_t>(name.value + 1, symbols().size()), kNone);
  node_of_name_[name.value] = n;
}

void Graph::rename(NodeId n, SymbolId name) {
  assert(!find(name).valid());
  node_of_name_[nodes_[n.value].name] = kNone;
  nodes_[n.value].name = name.value;
  bind_name(name, n.value);
}

Graph::NameBase Graph::name_base(SymbolId base) {
  const auto [found, fresh] = name_bases_.try_emplace(base.value);
  if (fresh) {
    const NameParts parts = fxrules::legal_name(text(base));
    found->second = {symbols().intern(parts.stem), parts.number, is_reserved_name(parts.stem)};
  }
  return found->second;
}

SymbolId Graph::unique_name(std::string_view base) { return unique_name(symbols().intern(base)); }

SymbolId Graph::unique_name(SymbolId base) {
  const NameBase wanted = name_base(base);
  std::uint32_t& counter = name_counters_[wanted.stem.value];
  if (wanted.number == 0 && !wanted.reserved && !find(wanted.stem).valid()) return wanted.stem;
  std::string candidate(text(wanted.stem));
  candidate += '_';
  const std::size_t length = candidate.size();
  for (std::uint32_t number = wanted.number != 0 ? wanted.number : counter + 1;; ++number) {
    char digits[10];
    candidate.append(digits, std::to_chars(digits, std::end(digits), number).ptr);  // no reserved name ends so
    const SymbolId name = symbols().intern(candidate);
    candidate.resize(length);
    if (find(name).valid()) continue;
    if (number > counter) {
      if (marked_) counted_.push_back({false, wanted.stem.value, counter});
      counter = number;
    }
    return name;
  }
}

SymbolId Graph::numbered_name(std::string_view base) {
  const NameParts parts = fxrules::legal_name(base);
  std::string legal = parts.number == 0 ? parts.stem : parts.stem + "_" + std::to_string(parts.number);
  if (is_reserved_name(legal)) legal += "_1";
  const SymbolId stem = symbols().intern(legal);
  std::uint32_t& count = numbered_[stem.value];
  if (marked_) counted_.push_back({true, stem.value, count});
  for (;;) {
    ++count;
    const SymbolId name = count == 1 ? stem : symbols().intern(legal + "_" + std::to_string(count));
    if (!find(name).valid()) return name;
  }
}

void Graph::take_back_names() {
  for (std::size_t i = counted_.size(); i-- > 0;) {
    const Counted& c = counted_[i];
    (c.numbered ? numbered_ : name_counters_)[c.base] = c.before;
  }
  counted_.clear();
}

std::string Graph::base_name(Opcode opcode, std::string_view target) { return name_of_target(opcode, target); }

// ---------------------------------------------------------------- uses

void Graph::link_use(std::uint32_t slot) {
  Slot& s = slots_[slot];
  Node& value = nodes_[s.a];
  s.b = value.first_use;
  s.c = kNone;
  if (value.first_use != kNone) slots_[value.first_use].c = slot;
  value.first_use = slot;
  ++value.use_count;
}

void Graph::unlink_use(std::uint32_t slot) {
  const Slot& s = slots_[slot];
  --nodes_[s.a].use_count;
  if (s.c != kNone) {
    slots_[s.c].b = s.b;
  } else {
    nodes_[s.a].first_use = s.b;
  }
  if (s.b != kNone) slots_[s.b].c = s.c;
}

void Graph::rebind(SlotId use, NodeId value) {
  assert(slots_[use.value].kind == ArgKind::node);
  unlink_use(use.value);
  slots_[use.value].a = value.value;
  link_use(use.value);
}

void Graph::replace_uses(NodeId old, NodeId value) {
  assert(old != value);
  std::uint32_t use = nodes_[old.value].first_use;
  nodes_[old.value].first_use = kNone;
  nodes_[old.value].use_count = 0;
  while (use != kNone) {
    const std::uint32_t next = slots_[use].b;
    slots_[use].a = value.value;
    link_use(use);
    use = next;
  }
}

void Graph::set_literal(SlotId slot, const Slot& literal) {
  Slot& s = slots_[slot.value];
  assert(!is_container(s.kind) && !is_container(literal.kind) && literal.kind != ArgKind::node);
  if (s.kind == ArgKind::node) unlink_use(slot.value);
  const std::uint32_t owner = s.owner;
  s = literal;
  s.owner = owner;
}

// ---------------------------------------------------------------- the list and its order labels

void Graph::link_node(std::uint32_t n, NodeId before) {
  Node& node = nodes_[n];
  node.next = before.value;
  node.prev = before.valid() ? nodes_[before.value].prev : tail_.value;
  if (node.prev == kNone) {
    head_ = NodeId(n);
  } else {
    nodes_[node.prev].next = n;
  }
  if (before.valid()) {
    nodes_[before.value].prev = n;
  } else {
    tail_ = NodeId(n);
  }
  node.order = order_between(node.prev, node.next);
  if (node.order == 0) make_room(n);
  ++live_;
}

void Graph::unlink_node(std::uint32_t n) {
  const Node& node = nodes_[n];
  if (node.prev == kNone) {
    head_ = NodeId(node.next);
  } else {
    nodes_[node.prev].next = node.next;
  }
  if (node.next == kNone) {
    tail_ = NodeId(node.prev);
  } else {
    nodes_[node.next].prev = node.prev;
  }
  --live_;
}

// A label strictly between two neighbours, or 0 when there is none. Labels start at 1.
std::uint64_t Graph::order_between(std::uint32_t prev, std::uint32_t next) {
  const std::uint64_t low = prev == kNone ? 0 : nodes_[prev].order;
  if (next == kNone) return low > ~0ull - kOrderGap ? 0 : low + kOrderGap;
  const std::uint64_t high = nodes_[next].order;
  return high - low < 2 ? 0 : low + (high - low) / 2;
}

// Spreads labels over the smallest aligned range around the node that is sparse enough. The density
// bound falls by 3/4 with each doubling, which makes insertion O(log n) amortised.
void Graph::make_room(std::uint32_t around) {
  const std::uint64_t anchor = nodes_[around].prev != kNone
                                   ? nodes_[nodes_[around].prev].order
                                   : (nodes_[around].next != kNone ? nodes_[nodes_[around].next].order : 1);
  nodes_[around].order = anchor;
  std::uint32_t left = around, right = around;
  std::uint64_t count = 1;
  double bound = 1;
  for (unsigned bits = 1; bits <= 63; ++bits) {
    const std::uint64_t low = anchor & ~((1ull << bits) - 1), high = low + ((1ull << bits) - 1);
    while (nodes_[left].prev != kNone && nodes_[nodes_[left].prev].order >= low) left = nodes_[left].prev, ++count;
    while (nodes_[right].next != kNone && nodes_[nodes_[right].next].order <= high) right = nodes_[right].next, ++count;
    bound *= 1.5;  // capacity 2^bits, threshold (3/4)^bits of it
    if (static_cast<double>(count) >= bound) continue;
    const std::uint64_t step = ((high - low) / (count + 1));
    if (step == 0) continue;
    std::uint64_t label = low;
    for (std::uint32_t n = left;; n = nodes_[n].next) {
      nodes_[n].order = label += step;
      if (n == right) return;
    }
  }
  std::uint64_t label = 0;  // all 2^63 labels crowded: spread the whole list
  const std::uint64_t step = ~0ull / (live_ + 3);
  for (std::uint32_t n = head_.value; n != kNone; n = nodes_[n].next) nodes_[n].order = label += step;
}

void Graph::move_before(NodeId n, NodeId place) {
  assert(n != place);
  unlink_node(n.value);
  link_node(n.value, place);
}

void Graph::erase(NodeId n) {
  Node& node = nodes_[n.value];
  assert(node.form != FormId::kNone && node.first_use == kNone);
  for (std::uint32_t s = node.slots_begin; s < node.slots_end; ++s) {
    if (slots_[s].kind == ArgKind::node) unlink_use(s);
  }
  unlink_node(n.value);
  node_of_name_[node.name] = kNone;
  if (signature_ && opcode(n) == Opcode::placeholder) signature_->forget(n);
  node.form = FormId::kNone;
}

// ---------------------------------------------------------------- whole graphs

Graph& Graph::add_subgraph(SymbolId path) {
  subgraphs_.push_back({path, std::make_unique<Graph>(tables_)});
  return *subgraphs_.back().graph;
}

Graph* Graph::find_subgraph(SymbolId path) const {
  for (const Subgraph& s : subgraphs_) {
    if (s.path == path) return s.graph.get();
  }
  return nullptr;
}

namespace {
template <class T>
Column<T> copied(const Column<T>& from) {
  Column<T> to;
  to.resize(from.size());
  if (!from.empty()) std::memcpy(static_cast<void*>(to.data()), from.data(), from.size() * sizeof(T));
  return to;
}
}  // namespace

MetaId Graph::read_meta(NodeId n) const {
  const MetaId meta = meta_source_->read(n);
  nodes_[n.value].meta = meta.value;
  return meta;
}

Graph Graph::clone() const {
  Graph top(tables_);
  // Graphs nest as deep as the input says: copy with a list of pairs, not by recursion.
  std::vector<std::pair<const Graph*, Graph*>> todo{{this, &top}};
  while (!todo.empty()) {
    const auto [from, to] = todo.back();
    todo.pop_back();
    to->nodes_ = copied(from->nodes_);
    to->slots_ = copied(from->slots_);
    to->node_of_name_ = copied(from->node_of_name_);
    to->forms_ = from->forms_;
    to->form_table_ = from->form_table_;
    to->name_bases_ = from->name_bases_;
    to->name_counters_ = from->name_counters_;
    to->numbered_ = from->numbered_;
    to->head_ = from->head_;
    to->tail_ = from->tail_;
    to->live_ = from->live_;
    to->signature_ = from->signature_;
    to->meta_source_ = from->meta_source_;
    for (const Subgraph& s : from->subgraphs_) todo.emplace_back(s.graph.get(), &to->add_subgraph(s.path));
  }
  return top;
}

void Graph::reserve(std::size_t nodes, std::size_t slots) {
  nodes_.reserve(nodes);
  slots_.reserve(slots);
}

std::size_t Graph::bytes() const {
  std::size_t total = symbols().bytes() + metas().size() * sizeof(ValueMeta);
  std::vector<const Graph*> todo{this};
  while (!todo.empty()) {
    const Graph* g = todo.back();
    todo.pop_back();
    total += g->nodes_.capacity() * sizeof(Node) + g->slots_.capacity() * sizeof(Slot) +
             g->node_of_name_.capacity() * 4 + g->forms_.capacity() * sizeof(CallForm);
    for (const Subgraph& s : g->subgraphs_) todo.push_back(s.graph.get());
  }
  return total;
}

}  // namespace fxrules
