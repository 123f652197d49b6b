// One graph of a program JSON, nested ones included, into a Graph. Goes through the text once.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "formats/pt2/argument_order.hpp"
#include "formats/pt2/json.hpp"
#include "fxrules/catalogue.hpp"

namespace fxrules::pt2 {

// What all graphs of a program share while it is read.
struct Reading {
  Json& json;
  Program& program;
  const Catalogue* catalogue = nullptr;  // null: arguments stand as the file has them
  std::vector<Diagnostic>& diagnostics;
  std::size_t max_errors;
  std::size_t errors = 0;
  std::unordered_map<std::string_view, MetaId> metas;  // by the text of a TensorMeta
  bool bare_infinity = false, quoted_infinity = false;

  [[nodiscard]] Span span(Range range) const { return {program.source, range.begin, range.end}; }
  void report(const Problem& problem);  // throws it when there are too many
};

class GraphReader {
 public:
  GraphReader(Reading& reading, Graph& graph, GraphOrigin& origin, std::size_t depth)
      : reading_(reading), json_(reading.json), graph_(graph), origin_(origin), depth_(depth) {}
  void read(Object object);

 private:
  // An argument before its node is made: a literal, or a container around the pieces that follow.
  struct Piece {
    enum class What : std::uint8_t { literal, open, close };
    What what = What::literal;
    Slot slot;
  };
  struct Argument {
    SymbolId name;
    std::int64_t kind = 0;
    std::size_t first = 0, count = 0;  // pieces
  };
  struct Output {  // of a node or graph
    Table table = Table::tensor;
    SymbolId name;  // none: no value
    Range token;
    std::uint32_t index = 0, inner = Leaf::kFlat;
  };
  struct NodeText {
    std::string_view target;
    std::vector<Argument> arguments;
    std::vector<Output> outputs;
    std::size_t output_entries = 0;  // as the file has them: a list is one
    bool lists = false;
    std::optional<bool> single;  // is_hop_single_tensor_return
    std::string_view name;
    Range range, target_place;
  };

  void inputs(Value& value);
  void outputs(Value& value);
  void nodes(Value& value);
  void table(Value& value, Table table);
  void finish();

  void node(Value& value);
  void arguments(Value& value);
  void node_outputs(Value& value);
  void one_output(Value& value, std::uint32_t index);
  void make(NodeText& text);
  void order(NodeText& text);  // into order_
  [[nodiscard]] NodeId call(const NodeText& text, SymbolId name);
  void give_leaves(NodeId producer, const NodeText& text);
  [[nodiscard]] NodeId item(Leaf& leaf);

  // Arguments.
  void argument(Value& value, std::size_t depth);
  void tagged(std::string_view tag, Value& value, std::size_t depth);
  [[nodiscard]] static bool json_is_list(std::string_view tag);
  void list_of(std::string_view tag, Value& value);
  void named(Value& value);                           // {"name": …}
  void symbolic(std::string_view tag, Value& value);  // {"as_name": …} or {"as_int": …}
  void graph_argument(Value& value);
  void complex(Value& value);
  void numbered(std::string_view text, ArgKind kind, std::string_view what, std::int64_t number);
  void push(const Slot& slot) { pieces_.push_back({Piece::What::literal, slot}); }
  void push(ArgKind kind, std::string_view text) { push(Slot::of_symbol(kind, graph_.symbols().intern(text))); }
  void push_node(NodeId n) { push(Slot{NodeId::kNone, ArgKind::node, n.value, 0, 0}); }
  void open(ArgKind kind) { pieces_.push_back({Piece::What::open, Slot::of_kind(kind)}); }
  void close() { pieces_.push_back({Piece::What::close, {}}); }
  void build(CallBuilder& builder, std::size_t first, std::size_t count) const;

  // Names.
  [[nodiscard]] SymbolId own_name(Value& value, Range& token);
  void use(std::string_view name, Range token);
  [[nodiscard]] NodeId find(SymbolId name);
  [[nodiscard]] SymbolId name_for(std::string_view wanted, const NodeText& text);
  void claim(SymbolId name, Range token);  // the name is free afterwards, or reported and not
  void set_table(NodeId n, Table table);

  // Values.
  void meta(Entry& entry, Table table, Value& value);
  [[nodiscard]] MetaId tensor_meta(Value& value, Range& range);
  [[nodiscard]] std::vector<Size> sizes(Value& value);
  [[nodiscard]] Size size(Value& value);
  [[nodiscard]] std::string_view device_text(Value& value);

  Reading& reading_;
  Json& json_;
  Graph& graph_;
  GraphOrigin& origin_;
  std::size_t depth_;

  std::vector<Piece> pieces_;
  std::vector<Argument> arguments_;
  std::vector<NamedArgument> order_;
  std::vector<Output> outputs_;
  NodeText text_;
  struct Wanted {  // an output of the graph, which stands in front of the nodes
    std::string_view name;
    Slot literal;
    Range token;
  };
  std::vector<Wanted> wanted_;
  bool single_ = false, has_inputs_ = false;
  std::unordered_map<std::uint32_t, std::uint32_t> waiting_;  // leaves that nothing uses yet, by name
  std::unordered_set<std::uint32_t> named_by_us_;             // nodes
  std::unordered_map<std::uint32_t, MetaId> unused_metas_;    // of leaves without node, by name
  std::string device_;
};

}  // namespace fxrules::pt2
