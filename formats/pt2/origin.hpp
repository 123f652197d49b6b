// Where each part of a graph stands in the program JSON it was read from, and what it was then. A part that is
// still what it was is written with its own bytes; only what changed is spelled anew, in the file's dialect.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fxrules/diagnostic.hpp"
#include "fxrules/graph.hpp"

namespace fxrules::pt2 {

struct Range {  // of bytes of the program JSON
  std::uint32_t begin = 0, end = 0;
  [[nodiscard]] bool valid() const { return end != 0; }
};

// The tables of a graph that describe its values.
enum class Table : std::uint8_t { tensor, sym_int, sym_float, sym_bool, object, none };
inline constexpr std::size_t kTables = 5;
inline constexpr std::array<std::string_view, kTables> kTableKeys{"tensor_values", "sym_int_values", "sym_float_values",
                                                                  "sym_bool_values", "custom_obj_values"};

struct Entry {  // of a table
  SymbolId name;
  NodeId node;  // none: an output of a node that nothing names, or what no node defines
  Range key;    // with its quotes
  Range value;
};

// One name among the outputs of a node that has several; FX has a getitem node for it.
struct Leaf {
  static constexpr std::uint32_t kFlat = 0xFFFFFFFFu;
  NodeId producer;
  std::uint32_t index = 0, inner = kFlat;  // getitem(producer, index), and of that one [inner]
  NodeId item;                             // none: nothing uses it
  SymbolId name;
  Table table = Table::tensor;
  Range token;  // the name with its quotes
};

enum class Part : std::uint8_t { inputs, outputs, nodes, table, single };

struct Section {
  Part part = Part::inputs;
  Table table = Table::none;
  Range range;  // of the value behind the key
};

struct GraphOrigin;
struct Child {
  SymbolId path;  // of the subgraph
  Range range;    // of the graph object
  std::unique_ptr<GraphOrigin> graph;
};

struct GraphOrigin {
  std::vector<Section> sections;  // in file order
  std::vector<Range> inputs, outputs;
  std::vector<std::pair<NodeId, Range>> nodes;      // in file order
  std::array<std::vector<Entry>, kTables> entries;  // in file order
  std::vector<Leaf> leaves;                         // by producer, in file order
  std::vector<Child> children;                      // in file order
  // By node.
  Column<Range> node_range;
  Column<std::uint32_t> first_leaf;  // 0xFFFFFFFF: none
  Column<Table> table;

  [[nodiscard]] Range range_of(NodeId n) const { return n.value < node_range.size() ? node_range[n.value] : Range{}; }
  [[nodiscard]] Table table_of(NodeId n) const { return n.value < table.size() ? table[n.value] : Table::none; }
  [[nodiscard]] std::span<const Leaf> leaves_of(NodeId n) const;
};

// What releases of torch do differently, as this file does it.
struct Dialect {
  bool null_fields = true;                                         // an absent value is written as null, not left out
  bool bare_infinity = false;                                      // Infinity, not "Infinity"
  bool argument_kinds = true;                                      // NamedArgument.kind
  std::vector<std::string> node_keys, argument_keys, tensor_keys;  // in their order
};

// A name in a calling convention that the program keeps for one of its modules.
struct ModuleName {
  SymbolId module, name;
  Range token;
};

struct Program {
  SourcePtr source;  // with room for a parser behind its text
  Dialect dialect;
  GraphOrigin top;
  Graph original;  // as it was read
  Range whole_graph;
  bool functional = false;                  // its verifier refuses ops that write
  std::vector<Range> functional_verifiers;  // the words that say so, with their quotes
  bool allow_in_place = false;              // and are written as another verifier
  bool made_up = false;                     // it was no program before (make.cpp)
  Span place;                               // made up: of the text that the graph was read from
  std::vector<Range> input_specs, output_specs;
  Range input_specs_list, output_specs_list, module_calls;
  std::vector<ModuleName> module_names;
  std::unordered_map<std::uint32_t, Range> sizes;  // how the file spells an expression, with its hint
};

// What a .pt2 file holds beside its program.
struct Origin {
  Program program;
  std::shared_ptr<const Catalogue> catalogue;  // as it was read with
  std::string path;                            // of the archive; empty: it is in memory, or a bare program JSON
  std::shared_ptr<const Source> bytes;         // of an archive in memory
  std::string member;                          // the program in it; empty: a new archive
};

}  // namespace fxrules::pt2
