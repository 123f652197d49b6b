// One graph of a program as JSON: what is as it was read keeps its bytes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "formats/pt2/argument_order.hpp"
#include "formats/pt2/out.hpp"

namespace fxrules::pt2 {

// What all graphs of a program share while it is written.
struct Writing {
  const Program& program;
  const Catalogue* catalogue;
  const GraphFile& file;
  Out* out;
  std::vector<Diagnostic> problems = {};

  [[nodiscard]] std::string_view text(Range range) const {
    return std::string_view(program.source->text).substr(range.begin, range.end - range.begin);
  }
  void report(Severity severity, std::string kind, std::string message, std::string hint = {});
  [[nodiscard]] Span place_of(std::string_view name) const;
};

class GraphWriter {
 public:
  // A part of a list: an item that stands in the source, or new text.
  struct Item {
    std::optional<std::size_t> index;
    std::string text;
  };

  GraphWriter(Writing& writing, const GraphOrigin& origin, const Graph& original, const Graph& graph);

  void write(Range whole);  // the graph object, which stands there in the source
  [[nodiscard]] std::string_view value_name(NodeId n) const;
  [[nodiscard]] std::string argument_text(SlotId slot, const SchemaType& type);
  [[nodiscard]] std::string named_value(NodeId n);
  [[nodiscard]] bool same_argument(SlotId before, SlotId now) const;
  // A list or object that stood there with these items.
  void list(Range range, const std::vector<Range>& before, const std::vector<Item>& now);

 private:
  // What becomes of a name among the outputs of a node.
  struct LeafNow {
    NodeId item;
    std::string name;
  };
  void find_items();
  void find_new_items();
  void name_leaves();

  // Parts of the graph object.
  void section(const Section& section);
  void inputs(Range range);
  void outputs(Range range);
  void nodes(Range range);
  void table(Range range, Table table);
  void emit(Range range);  // source text, graphs in it written anew

  // Nodes.
  [[nodiscard]] bool is_written_alone(NodeId n) const;  // neither folded into another nor part of an argument
  [[nodiscard]] bool untouched(NodeId n) const;
  [[nodiscard]] bool same_call(NodeId n) const;
  [[nodiscard]] bool same_leaves(NodeId n) const;
  [[nodiscard]] std::string changed_node(NodeId n, Range range);
  [[nodiscard]] std::string new_node(NodeId n);
  [[nodiscard]] std::string inputs_text(NodeId n, const std::vector<NamedArgument>& before,
                                        const std::vector<Range>& ranges);
  [[nodiscard]] std::string argument_name(NodeId n, std::uint32_t i, const Overload* schema, bool higher_order);
  [[nodiscard]] std::string outputs_text(NodeId n, Range before);
  [[nodiscard]] std::string new_outputs(NodeId n);
  [[nodiscard]] std::string several_outputs(NodeId n, const Overload& schema);
  [[nodiscard]] std::string metadata_for(NodeId n);
  [[nodiscard]] std::string target_text(NodeId n) const;
  [[nodiscard]] std::string source_text(Range range);  // as `emit`

  // Values.
  [[nodiscard]] Table table_of(NodeId n) const;
  [[nodiscard]] std::string list_text(SlotId slot, const SchemaType& type);
  [[nodiscard]] std::string literal_text(const Slot& slot, const SchemaType& type);
  [[nodiscard]] std::string tensor_text(NodeId n, Range before);
  [[nodiscard]] std::string sizes_text(const std::vector<Size>& sizes, NodeId n);
  [[nodiscard]] std::string size_text(Size size, NodeId n);
  [[nodiscard]] std::string device_text(std::string_view device) const;
  [[nodiscard]] std::optional<std::vector<Size>> strides_of(NodeId n, const TensorMeta& meta);
  [[nodiscard]] bool makes_own_storage(NodeId n) const;
  void unsayable(NodeId n, std::string what, std::string hint = {});

  Writing& writing_;
  const GraphOrigin& origin_;
  const Graph& original_;
  const Graph& graph_;
  SymbolId getitem_;
  std::vector<LeafNow> leaves_;                             // beside origin_.leaves
  std::unordered_map<std::uint32_t, NodeId> same_as_;       // a second getitem of one output
  std::unordered_map<std::uint32_t, std::size_t> leaf_of_;  // by getitem node
  std::unordered_set<std::uint32_t> folded_;                // getitem nodes that are outputs of another node
  std::unordered_map<std::uint32_t, std::map<std::int64_t, NodeId>> new_items_;  // of new nodes with several
  NodeId at_;                                                                    // whose text is made
};

}  // namespace fxrules::pt2
