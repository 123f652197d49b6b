// An FX graph: nodes in program order, their arguments, users, metadata and nested graphs.
//
// Storage is flat: nodes and arguments live in arenas and name each other by 32-bit ids; strings, call
// forms and metadata are interned, so that equal ones are one id. All arguments of a node, nested ones
// included, are one contiguous run of slots: walking a node's operands needs no recursion whatever the
// nesting. Each node carries an order label, so that "earlier than" is one comparison; insertion is
// O(log n) amortised and almost always O(1).
//
//   Graph g;
//   NodeId x = CallBuilder(g).create(Opcode::placeholder, "x", "x");
//   NodeId a = CallBuilder(g).node(x).integer(1).create(Opcode::call_function, "torch.add", "add");
//   CallBuilder(g).node(a).create(Opcode::output, "output", "output");
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fxrules/catalogue.hpp"
#include "fxrules/column.hpp"
#include "fxrules/ids.hpp"
#include "fxrules/meta.hpp"
#include "fxrules/signature.hpp"
#include "fxrules/symbols.hpp"

namespace fxrules {

enum class ArgKind : std::uint8_t {
  none,
  boolean,
  integer,  // 64 bits
  floating,
  complex,  // spelled, as "(1+2j)"
  string,
  bare,   // unquoted text whose kind the source does not say: a string, a device or a symbol
  dtype,  // spelled "torch.float32"; layout and memory_format alike
  layout,
  memory_format,
  device,  // spelled "cuda:0"
  ellipsis,
  symbolic,  // a symbolic expression, spelled
  op,        // an op as an argument, spelled "aten.add.Tensor"
  opaque,    // anything else, verbatim: <class 'int'>, integers beyond 64 bits
  node,
  tuple,
  list,
  dict,   // children alternate key, value
  slice,  // three children
  range,  // one to three children
};
[[nodiscard]] std::string_view to_string(ArgKind kind);
[[nodiscard]] constexpr bool is_container(ArgKind kind) { return kind >= ArgKind::tuple; }
[[nodiscard]] constexpr bool is_spelled(ArgKind kind) {  // payload is a symbol
  return kind >= ArgKind::complex && kind <= ArgKind::opaque && kind != ArgKind::ellipsis;
}

// One argument. `a` `b` `c` mean, by kind: node: node, next use, previous use; spelled kinds: symbol;
// integer, floating, boolean: 64 bits in b and c; containers: first child slot, child count, and of a named tuple
// the symbol of its name, plus 1.
struct Slot {
  std::uint32_t owner = NodeId::kNone;
  ArgKind kind = ArgKind::none;
  std::uint32_t a = 0, b = 0, c = 0;

  [[nodiscard]] NodeId node() const { return NodeId(a); }
  [[nodiscard]] SymbolId symbol() const { return SymbolId(a); }
  [[nodiscard]] std::int64_t integer() const { return static_cast<std::int64_t>((std::uint64_t{c} << 32) | b); }
  [[nodiscard]] double floating() const;
  [[nodiscard]] bool boolean() const { return b != 0; }
  [[nodiscard]] SlotId child(std::uint32_t i) const { return SlotId(a + i); }
  [[nodiscard]] std::uint32_t count() const { return b; }
  // Of a named tuple what is called, `Point`, or where the source says the fields too, `Point(x, y)`; else none.
  [[nodiscard]] SymbolId tuple_name() const { return SymbolId(c - 1); }

  static Slot of_integer(std::int64_t value);
  static Slot of_floating(double value);
  static Slot of_boolean(bool value);
  static Slot of_symbol(ArgKind kind, SymbolId symbol);
  static Slot of_kind(ArgKind kind);  // none, ellipsis
  static Slot of_named_tuple(SymbolId name) { return {NodeId::kNone, ArgKind::tuple, 0, 0, name.value + 1}; }
};

// What calls of the same shape share. Interned: forms are few, and what a rule set knows of a call is
// worked out once a form.
struct CallForm {
  Opcode opcode = Opcode::call_function;
  SymbolId target;
  std::uint32_t positional = 0;
  std::vector<SymbolId> keywords;  // in the order they are written
  [[nodiscard]] std::uint32_t count() const { return positional + static_cast<std::uint32_t>(keywords.size()); }
  friend bool operator==(const CallForm&, const CallForm&) = default;
};

// Tables that a graph shares with its subgraphs.
struct Tables {
  Symbols symbols;
  Metas metas{symbols};
};

// Where a graph gets metadata that it does not hold yet.
class MetaSource {
 public:
  MetaSource() = default;
  MetaSource(const MetaSource&) = delete;
  MetaSource& operator=(const MetaSource&) = delete;
  virtual ~MetaSource() = default;
  // None when there turns out to be none. Interns in the graph's own tables.
  virtual MetaId read(NodeId n) = 0;
};

class Graph;
struct Subgraph {
  SymbolId path;  // the get_attr target that names it
  std::unique_ptr<Graph> graph;
};

class Graph {
 public:
  Graph();
  explicit Graph(std::shared_ptr<Tables> tables);
  Graph(Graph&&) noexcept;
  Graph& operator=(Graph&&) noexcept;
  ~Graph();

  // ---- tables
  [[nodiscard]] Symbols& symbols() const { return tables_->symbols; }
  [[nodiscard]] Metas& metas() const { return tables_->metas; }
  [[nodiscard]] const std::shared_ptr<Tables>& tables() const { return tables_; }
  [[nodiscard]] std::string_view text(SymbolId id) const { return tables_->symbols.text(id); }

  // ---- nodes in program order
  [[nodiscard]] std::size_t size() const { return live_; }              // nodes in the list
  [[nodiscard]] std::size_t id_bound() const { return nodes_.size(); }  // ids are below this
  [[nodiscard]] NodeId first() const { return head_; }
  [[nodiscard]] NodeId last() const { return tail_; }
  [[nodiscard]] NodeId next(NodeId n) const { return NodeId(nodes_[n.value].next); }
  [[nodiscard]] NodeId prev(NodeId n) const { return NodeId(nodes_[n.value].prev); }
  [[nodiscard]] bool alive(NodeId n) const { return n.value < nodes_.size() && nodes_[n.value].form != FormId::kNone; }
  [[nodiscard]] bool precedes(NodeId a, NodeId b) const { return nodes_[a.value].order < nodes_[b.value].order; }
  [[nodiscard]] std::uint64_t order(NodeId n) const { return nodes_[n.value].order; }
  [[nodiscard]] NodeId output() const;  // none when there is no output node
  class NodeRange;
  [[nodiscard]] NodeRange nodes() const;

  // ---- facts of a node
  [[nodiscard]] FormId form_id(NodeId n) const { return FormId(nodes_[n.value].form); }
  [[nodiscard]] const CallForm& form(NodeId n) const { return forms_[nodes_[n.value].form]; }
  [[nodiscard]] const CallForm& form(FormId f) const { return forms_[f.value]; }
  [[nodiscard]] std::size_t form_count() const { return forms_.size(); }
  [[nodiscard]] Opcode opcode(NodeId n) const { return form(n).opcode; }
  [[nodiscard]] std::string_view target(NodeId n) const { return text(form(n).target); }
  [[nodiscard]] SymbolId name_id(NodeId n) const { return SymbolId(nodes_[n.value].name); }
  [[nodiscard]] std::string_view name(NodeId n) const { return text(name_id(n)); }
  [[nodiscard]] NodeId find(std::string_view name) const;
  [[nodiscard]] NodeId find(SymbolId name) const;
  [[nodiscard]] MetaId meta(NodeId n) const {
    const std::uint32_t m = nodes_[n.value].meta;
    return m == kMetaLater ? read_meta(n) : MetaId(m);
  }
  // Whether there is metadata, without reading it.
  [[nodiscard]] bool has_meta(NodeId n) const { return nodes_[n.value].meta != MetaId::kNone; }
  [[nodiscard]] bool meta_waits(NodeId n) const { return nodes_[n.value].meta == kMetaLater; }
  void set_meta(NodeId n, MetaId meta) { nodes_[n.value].meta = meta.value; }
  // For graphs whose metadata is costly to read, of which a run looks at little: the source is asked when
  // somebody first wants it, and must live as long as that can happen. Copies of the graph share it.
  void set_meta_later(NodeId n) { nodes_[n.value].meta = kMetaLater; }
  void set_meta_source(MetaSource* source) { meta_source_ = source; }
  [[nodiscard]] SymbolId type(NodeId n) const { return SymbolId(nodes_[n.value].type); }  // annotation, or none
  void set_type(NodeId n, SymbolId type) { nodes_[n.value].type = type.value; }

  // ---- arguments
  [[nodiscard]] const Slot& operator[](SlotId s) const { return slots_[s.value]; }
  [[nodiscard]] std::uint32_t argument_count(NodeId n) const { return form(n).count(); }  // positional and keywords
  [[nodiscard]] SlotId argument(NodeId n, std::uint32_t i) const {  // positional first, then keywords
    return SlotId(nodes_[n.value].slots_end - argument_count(n) + i);
  }
  [[nodiscard]] SlotId keyword(NodeId n, SymbolId keyword) const;  // none when absent
  // All slots of a node, nested ones included: [begin, end). Children of a container stand before it.
  [[nodiscard]] std::uint32_t slots_begin(NodeId n) const { return nodes_[n.value].slots_begin; }
  [[nodiscard]] std::uint32_t slots_end(NodeId n) const { return nodes_[n.value].slots_end; }
  [[nodiscard]] std::span<const Slot> slots(NodeId n) const {
    return {slots_.data() + slots_begin(n), slots_end(n) - slots_begin(n)};
  }
  [[nodiscard]] const Slot* slot_data() const { return slots_.data(); }

  // ---- uses
  // Each slot that holds the node is one use; a node that holds it twice is one user with two uses.
  [[nodiscard]] SlotId first_use(NodeId n) const { return SlotId(nodes_[n.value].first_use); }
  [[nodiscard]] SlotId next_use(SlotId s) const { return SlotId(slots_[s.value].b); }
  [[nodiscard]] NodeId owner(SlotId s) const { return NodeId(slots_[s.value].owner); }
  [[nodiscard]] bool has_uses(NodeId n) const { return nodes_[n.value].first_use != SlotId::kNone; }
  [[nodiscard]] std::uint32_t use_count(NodeId n) const { return nodes_[n.value].use_count; }  // O(1)
  // Distinct users, what FX prints as num_users. O(uses) time and, beyond a few, memory.
  [[nodiscard]] std::size_t user_count(NodeId n) const;
  // `limit` or more is reported as `limit`: O(limit²) for small limits, never walks a hub.
  [[nodiscard]] std::size_t user_count_up_to(NodeId n, std::size_t limit) const;

  // ---- mutation
  void rebind(SlotId use, NodeId value);               // one use now holds another node
  void replace_uses(NodeId old, NodeId value);         // all of them; O(uses)
  void set_literal(SlotId slot, const Slot& literal);  // a scalar for a scalar; the node keeps its form
  void erase(NodeId n);                                // requires: no uses. O(arguments)
  void move_before(NodeId n, NodeId place);            // requires: n is not place
  void rename(NodeId n, SymbolId name);                // requires: unused name
  // FX's convention: illegal characters become `_`, keywords and builtins get a suffix, `_N` counters.
  [[nodiscard]] SymbolId unique_name(std::string_view base);
  // For a base that is asked for often: its text is looked at once.
  [[nodiscard]] SymbolId unique_name(SymbolId base);
  // Names given since `mark_names` were not wanted after all: counting goes on where it stood.
  void mark_names() {
    counted_.clear();
    marked_ = true;
  }
  void take_back_names();
  // The convention of names that rules state: `base`, then `base_2`, `base_3`; a number is given once.
  [[nodiscard]] SymbolId numbered_name(std::string_view base);
  // The name FX gives a node of this target: `slice_tensor` for torch.ops.aten.slice.Tensor.
  [[nodiscard]] static std::string base_name(Opcode opcode, std::string_view target);

  // ---- nested graphs
  [[nodiscard]] std::span<const Subgraph> subgraphs() const { return subgraphs_; }
  Graph& add_subgraph(SymbolId path);
  [[nodiscard]] Graph* find_subgraph(SymbolId path) const;

  // ---- what an exported program says of its inputs and outputs
  // Null for other graphs. Renames and replaced values keep it true, and so does the erasure of a placeholder;
  // who gives the output node more or fewer values changes the outputs here too.
  [[nodiscard]] const Signature* signature() const { return signature_ ? &*signature_ : nullptr; }
  [[nodiscard]] Signature* signature() { return signature_ ? &*signature_ : nullptr; }
  void set_signature(Signature signature) { signature_ = std::move(signature); }
  // The value in the i-th place of the output, flat: the output is one value, or a tuple or list of them.
  [[nodiscard]] SlotId output_value(std::size_t i) const;
  [[nodiscard]] std::size_t output_count() const;

  // A copy of everything, ids kept. O(size).
  [[nodiscard]] Graph clone() const;
  void reserve(std::size_t nodes, std::size_t slots);
  [[nodiscard]] std::size_t bytes() const;  // memory held, tables and subgraphs included

 private:
  friend class CallBuilder;
  friend std::vector<Diagnostic> verify(const Graph& graph);
  friend struct GraphTamperer;  // tests break invariants to see that they are found

  struct Node {
    std::uint32_t form = FormId::kNone;  // none: erased
    std::uint32_t slots_begin = 0, slots_end = 0;
    std::uint32_t first_use = SlotId::kNone;
    std::uint32_t next = NodeId::kNone, prev = NodeId::kNone;
    std::uint64_t order = 0;
    std::uint32_t name = SymbolId::kNone;
    std::uint32_t meta = MetaId::kNone;
    std::uint32_t type = SymbolId::kNone;
    std::uint32_t use_count = 0;
  };

  // The arguments of the node that a CallBuilder is at; kept, so that a node costs no allocation.
  struct Draft {
    struct Opened {
      ArgKind kind;
      std::uint32_t at;
      std::uint32_t name;  // as in a slot
    };
    std::vector<Slot> pending;
    std::vector<Opened> opened;
    std::vector<SymbolId> keywords;
    bool open = false;
    void clear();
  };

  struct NameBase {
    SymbolId stem;             // a legal name without its number
    std::uint32_t number = 0;  // 0: none
    bool reserved = false;     // the stem
  };

  FormId intern_form(Opcode opcode, SymbolId target, std::uint32_t positional, std::span<const SymbolId> keywords);
  void grow_form_table();
  NameBase name_base(SymbolId base);
  static constexpr std::uint32_t kMetaLater = MetaId::kNone - 1;
  MetaId read_meta(NodeId n) const;
  void link_use(std::uint32_t slot);
  void unlink_use(std::uint32_t slot);
  void link_node(std::uint32_t n, NodeId before);
  void unlink_node(std::uint32_t n);
  std::uint64_t order_between(std::uint32_t prev, std::uint32_t next);
  void make_room(std::uint32_t around);
  void bind_name(SymbolId name, std::uint32_t n);

  std::shared_ptr<Tables> tables_;
  mutable Column<Node> nodes_;  // metadata that is read later is kept when it was
  Column<Slot> slots_;
  Column<std::uint32_t> node_of_name_;  // by symbol; none where no node has it
  std::vector<CallForm> forms_;
  std::vector<std::uint32_t> form_table_;                           // open addressing: form + 1, or 0
  std::unordered_map<std::uint32_t, NameBase> name_bases_;          // by symbol of what was asked for
  std::unordered_map<std::uint32_t, std::uint32_t> name_counters_;  // highest number so far, by stem
  std::unordered_map<std::uint32_t, std::uint32_t> numbered_;       // by base symbol
  struct Counted {
    bool numbered;
    std::uint32_t base, before;
  };
  std::vector<Counted> counted_;  // since mark_names
  bool marked_ = false;
  std::vector<Subgraph> subgraphs_;
  std::optional<Signature> signature_;
  NodeId head_, tail_;
  std::size_t live_ = 0;
  Draft draft_;
  MetaSource* meta_source_ = nullptr;
};

// Iterates over live nodes in order; the node under the iterator may be erased only after stepping past it.
class Graph::NodeRange {
 public:
  class iterator {
   public:
    using value_type = NodeId;
    using reference = NodeId;
    using difference_type = std::ptrdiff_t;
    using pointer = const NodeId*;
    using iterator_category = std::forward_iterator_tag;
    iterator() = default;
    iterator(const Graph* graph, NodeId node) : graph_(graph), node_(node) {}
    NodeId operator*() const { return node_; }
    iterator& operator++() {
      node_ = graph_->next(node_);
      return *this;
    }
    iterator operator++(int) {
      iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const iterator& a, const iterator& b) { return a.node_ == b.node_; }

   private:
    const Graph* graph_ = nullptr;
    NodeId node_;
  };
  explicit NodeRange(const Graph& graph) : graph_(&graph) {}
  [[nodiscard]] iterator begin() const { return {graph_, graph_->first()}; }
  [[nodiscard]] iterator end() const { return {graph_, NodeId()}; }

 private:
  const Graph* graph_;
};
inline Graph::NodeRange Graph::nodes() const { return NodeRange(*this); }

// Collects the arguments of one node, then makes it. One builder at a time may be open on a graph.
// Containers: open, children, close. Keyword arguments come after all positional ones.
class CallBuilder {
 public:
  explicit CallBuilder(Graph& graph);
  ~CallBuilder();
  CallBuilder(const CallBuilder&) = delete;
  CallBuilder& operator=(const CallBuilder&) = delete;

  CallBuilder& node(NodeId n);
  CallBuilder& integer(std::int64_t value) { return literal(Slot::of_integer(value)); }
  CallBuilder& floating(double value) { return literal(Slot::of_floating(value)); }
  CallBuilder& boolean(bool value) { return literal(Slot::of_boolean(value)); }
  CallBuilder& none() { return literal(Slot::of_kind(ArgKind::none)); }
  CallBuilder& ellipsis() { return literal(Slot::of_kind(ArgKind::ellipsis)); }
  CallBuilder& spelled(ArgKind kind, std::string_view text);
  CallBuilder& literal(const Slot& slot);  // any scalar slot, symbols of this graph
  CallBuilder& open(ArgKind container) { return open(Slot::of_kind(container)); }
  CallBuilder& open(const Slot& container);  // of its kind and, a named tuple, its name
  CallBuilder& close();                      // requires: an open container
  CallBuilder& key(std::string_view text) { return spelled(ArgKind::string, text); }
  CallBuilder& keyword(std::string_view name) { return keyword(graph_->symbols().intern(name)); }
  CallBuilder& keyword(SymbolId name);  // requires: no container is open
  // A whole argument of a node of the same graph, nested ones included. Iterative.
  CallBuilder& copy(SlotId slot);
  [[nodiscard]] std::size_t depth() const { return draft_.opened.size(); }

  // `name` must be unused; empty: FX's name for the target. The node stands before `before`, or last.
  NodeId create(Opcode opcode, SymbolId target, SymbolId name, NodeId before = {});
  NodeId create(Opcode opcode, std::string_view target, std::string_view name = {}, NodeId before = {});
  // Gives the arguments (and, where valid, another target) to an existing node, which keeps the rest.
  void reassign(NodeId n, Opcode opcode, SymbolId target);

 private:
  std::uint32_t place(std::uint32_t owner);
  void next_node();

  Graph* graph_;
  Graph::Draft& draft_;
  std::uint32_t mark_;
};

// Checks every invariant of the storage and of FX: nodes are defined before they are used, names are
// unique and legal, use lists and slots agree, order labels increase, one output node and it stands last,
// placeholders and get_attr nodes take no node arguments, a method call has its self as first positional
// argument, nested graphs have paths of their own and hold the same. Empty when all hold. O(size).
[[nodiscard]] std::vector<Diagnostic> verify(const Graph& graph);

}  // namespace fxrules
