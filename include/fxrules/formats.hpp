// Graph files in and out. The form of a file is recognised, never asked for. What a form cannot say is
// kept verbatim, and what a file holds beside its graphs is kept and reported.
//
//   GraphFile file = read_graph(source);
//   if (has_errors(file.diagnostics)) ...
//   std::string same_bytes = to_text(file);
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fxrules/diagnostic.hpp"
#include "fxrules/graph.hpp"
#include "fxrules/ids.hpp"

namespace fxrules {

// ---------------------------------------------------------------- forms

enum class GraphForm : std::uint8_t {
  text_ir,                // print(gm.graph)
  code,                   // gm.code, print_readable(), graph_code logs
  tabular,                // graph.print_tabular()
  exported_program,       // print(ExportedProgram)
  log,                    // TORCH_LOGS lines that hold none of the forms above
  trace_log,              // TORCH_TRACE
  program_json,           // the program inside a .pt2
  payload_json,           // the weights or constants table inside a .pt2
  pt2_archive,            // torch.export.save, 2.8 and newer
  legacy_export_archive,  // torch.export.save, 2.1 to 2.7
  aotinductor_archive,
  torchscript_archive,
  torch_save,
  archive,  // another zip file
  pickle,
  torchscript,    // graph(%x : Tensor): with prim:: or aten:: nodes
  inductor_ir,    // scheduler nodes, loop bodies
  inductor_code,  // output_code
  mlir,           // torch-mlir, StableHLO
  empty,
  unknown,
};

// Looks at the text alone. O(size) with a small constant.
[[nodiscard]] GraphForm recognise(std::string_view text);
// What the form is, as a phrase: "an archive of torch.export.save".
[[nodiscard]] std::string_view describe(GraphForm form);

// ---------------------------------------------------------------- files

// What text IR leaves open; with it a dump is written back byte for byte.
struct TextIrStyle {
  std::string header = "graph():";  // empty: the dump has no header line
  std::string users = "num_users";  // "#users" up to torch 2.0
  std::string prefix;               // in front of every line: a log prefix, or blanks
  std::string indent = "    ";      // of node lines, behind the prefix
  std::string line_end = "\n";
  bool metadata = false;  // calls show `Tensor "f32[4][1]cpu"` in place of their type
  bool final_newline = true;
};

// What generated code leaves open, and the lines that stand between its statements.
struct CodeStyle {
  // A part that is kept as it came for as long as the graph would print it alike.
  struct Kept {
    std::string printed;   // how the graph printed it when it was read
    std::string verbatim;  // empty: the same
  };
  enum class Inputs : std::uint8_t { plain, boxed, pytree };
  enum class Freed : std::uint8_t { nothing, used, everything };  // `x = None`: torch 1.13; `everything`: 2.x

  std::string class_name;    // "GraphModule"; empty: the function alone
  std::string class_indent;  // without a class: unused
  std::string def_indent, body_indent = "    ";
  std::string line_end = "\n";
  bool final_newline = true;
  bool metadata = false;                               // values are annotated: `x: "f32[4][1]cpu"`
  bool quoted = true, strides = true, devices = true;  // how
  Freed freed = Freed::everything;
  Inputs inputs = Inputs::plain;
  std::string def_line, flatten;         // pytree: the def line; the call behind ` = `
  std::string return_head, return_tail;  // around the returned value: `pytree.tree_unflatten(`
  bool return_items = false;             // its items stand alone there, without brackets
  Kept signature, result;
  SymbolId returns;  // the type behind `->`

  std::vector<std::string> leads;      // comments and blank lines, verbatim
  std::vector<std::uint32_t> lead_of;  // by node id: which lead stands above it or above the nodes before it; + 1
  std::uint32_t end_lead = 0;          // the one above `return`; + 1

  std::string gap;                // in front of the class line of a nested graph
  std::vector<CodeStyle> nested;  // of the nested graphs, in order
};

namespace pt2 {
struct Origin;  // what a program of torch.export holds beside its graph
}

struct GraphFile {
  Graph graph;
  GraphForm form = GraphForm::text_ir;
  TextIrStyle style;   // form text_ir
  CodeStyle code;      // form code
  std::string title;   // the last line in front of the graph that says something, without `=` around it
  std::string origin;  // in a log: "[rank0] [0/0] graph_code", who wrote it
  bool from_log = false;
  Span place;          // from its first line to its end
  std::string before;  // text in front of the graph, verbatim
  std::string after;   // text behind it, verbatim
  std::vector<Diagnostic> diagnostics;
  std::vector<std::pair<std::string, std::string>> shared_inputs;  // that the file makes from one storage
  std::shared_ptr<pt2::Origin> exported;  // of .pt2 files and program JSON; null for other forms
  // What was done to the graph since, for programs of torch.export. By name: which value stands now for one that is
  // gone, and for which node another one was made, whose stack trace it then has.
  std::unordered_map<std::uint32_t, SymbolId> stands_for, made_for;
};

struct ReadOptions {
  std::shared_ptr<Tables> tables;  // none: new ones
  std::size_t max_errors = 50;     // reading stops behind this many
  // Older .pt2 files leave open which arguments are positional: schemas decide. Null: all are.
  std::shared_ptr<const Catalogue> catalogue;
};

struct GraphFiles {
  std::vector<GraphFile> graphs;        // in file order; the text between two is the `before` of the second
  std::vector<Diagnostic> diagnostics;  // of the file as a whole
  [[nodiscard]] bool ok() const;        // graphs were found and nothing reports an error
};

// All graphs of a file. Bad input gives located errors, several a run, and never more than that: time and
// memory are linear in the text whatever it holds, and nothing recurses. A graph with errors is not to be
// used. Errors: unread-form, no-graph, too-large and those of docs/graph-formats.md.
[[nodiscard]] GraphFiles read_graphs(SourcePtr source, const ReadOptions& options = {});
// The first graph; further ones stay text in `after` (of a log: are left out), and a note says so. Diagnostics
// of graph and file together.
[[nodiscard]] GraphFile read_graph(SourcePtr source, const ReadOptions& options = {});

// Whether a file starts as a zip file. False too where it cannot be read.
[[nodiscard]] bool is_archive(const std::string& path);
// The program of a .pt2 file. Only that is read: what else the archive holds stays in the file, which must be
// there until the graph is written.
[[nodiscard]] GraphFile read_archive(const std::string& path, const ReadOptions& options = {});

// ---------------------------------------------------------------- text IR out

// Takes the text in pieces of about 64 KiB.
using Sink = std::function<void(std::string_view)>;
// Puts bytes in the place of as many that the sink got before, at that offset from the first one.
using Patch = std::function<void(std::uint64_t, std::string_view)>;

// Nested graphs are no part of this form and are not written. O(size) time, 8 bytes a node of memory.
void write_text_ir(const Graph& graph, const TextIrStyle& style, const Sink& sink);
// The graph between the texts around it; program JSON. Throws for an archive and where `check_exported` finds errors.
void write_graph(const GraphFile& file, const Sink& sink);
// The same, and archives: their headers are completed when the members have been written.
void write_graph(const GraphFile& file, const Sink& sink, const Patch& patch);
// Whether the file goes out as an archive.
[[nodiscard]] bool is_archive(const GraphFile& file);
// What hinders a program of torch.export from being written (errors), and what had to be assumed (notes). Nothing
// for other forms. O(size).
[[nodiscard]] std::vector<Diagnostic> check_exported(const GraphFile& file);
// Lets a program hold ops that write to their operands: where its verifier is ATEN it becomes TRAINING. Nothing for
// other forms.
void allow_in_place(GraphFile& file);
// Any graph as a program of its own, written by `write_graph` as an archive or as program JSON once `check_exported`
// finds no error. Its inputs are the caller's where the graph has no signature; it holds no weights. O(inputs).
[[nodiscard]] GraphFile as_exported(GraphFile file, bool archive, std::shared_ptr<const Catalogue> catalogue);
[[nodiscard]] std::string to_text(const Graph& graph, const TextIrStyle& style = {});
[[nodiscard]] std::string to_text(const GraphFile& file);

// A node whose line, written and read again, is another node: strings stand unquoted there, so that "1" comes
// back as a number and "a, %b" as two arguments.
struct Unsayable {
  NodeId node;
  std::string what;  // "argument 2, '1'", "its name", …
};
// All such nodes, in program order. O(size).
[[nodiscard]] std::vector<Unsayable> unsayable_in_text_ir(const Graph& graph);

// ---------------------------------------------------------------- other forms out

enum class OutputForm : std::uint8_t {
  fx,        // text IR, with tensor metadata where it is known
  readable,  // print_readable(): a class, annotations, nested graphs
  code,      // gm.code, with the imports that it needs in front
  dot,       // Graphviz; nested graphs are digraphs of their own
  svg,       // a drawing in layers
};
void write_as(const GraphFile& file, OutputForm form, const Sink& sink);
// What `write_as` leaves out or has to decide for this graph.
[[nodiscard]] std::vector<Diagnostic> losses(const GraphFile& file, OutputForm form);

void write_dot(const Graph& graph, std::string_view name, const Sink& sink);
void write_svg(const Graph& graph, std::string_view name, const Sink& sink);

// ---------------------------------------------------------------- parts of text

// One node as its line, without prefix, indentation and line end. O(arguments + uses).
[[nodiscard]] std::string format_node(const Graph& graph, NodeId node, const TextIrStyle& style = {});
// One argument as it stands in a node line: `[%x, 1.0]`; as Python: `[x, 1.0]`, strings quoted.
[[nodiscard]] std::string format_argument(const Graph& graph, SlotId slot, bool python = false);
void append_argument(std::string& out, const Graph& graph, SlotId slot, bool python = false);

}  // namespace fxrules
