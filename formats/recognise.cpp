// Cheap looks in a fixed order: magic numbers, the first characters, telling words in the text.
#include "formats/recognise.hpp"

#include <algorithm>
#include <functional>

#include "formats/log/lines.hpp"
#include "formats/text_ir/header.hpp"
#include "fxrules/formats.hpp"

namespace fxrules {
namespace {

constexpr std::size_t kNowhere = std::string_view::npos;

// These words begin with characters that texts are full of: looking for their ends first skips most of it.
std::size_t find(std::string_view text, std::string_view word, std::size_t from = 0) {
  if (from >= text.size()) return kNowhere;
  const auto begin = text.begin() + static_cast<std::ptrdiff_t>(from);
  const auto at = std::search(begin, text.end(), std::boyer_moore_horspool_searcher(word.begin(), word.end()));
  return at == text.end() ? kNowhere : static_cast<std::size_t>(at - text.begin());
}

bool holds(std::string_view text, std::string_view word) { return find(text, word) != kNowhere; }

// The table of contents stands at the end of a zip file; names are stored as they are.
std::string_view table_of_contents(std::string_view text) {
  constexpr std::size_t kTable = 8u << 20;
  return text.size() > kTable ? text.substr(text.size() - kTable) : text;
}

bool is_pickle(std::string_view text) { return text.size() > 2 && text[0] == '\x80' && text[1] >= 2 && text[1] <= 5; }

GraphForm json_form(std::string_view text) {
  constexpr std::size_t kStart = 64 << 10;
  const std::string_view start = text.substr(0, kStart);
  if (holds(start, "\"graph_module\"") || holds(text, "\"graph_module\"")) return GraphForm::program_json;
  if (holds(start, "\"config\"")) return GraphForm::payload_json;
  return GraphForm::unknown;
}

// Whether some line has `word` and, behind it, `second`.
bool line_with(std::string_view text, std::string_view word, std::string_view second) {
  std::size_t at = find(text, word);
  while (at != kNowhere) {
    const std::size_t stop = std::min(text.find('\n', at), text.size());
    if (holds(text.substr(at, stop - at), second)) return true;
    at = find(text, word, stop);
  }
  return false;
}

// A line that begins with `opcode`, with the other columns behind it.
bool holds_table(std::string_view text) {
  constexpr std::string_view kOpcode = "opcode ";
  for (std::size_t at = find(text, kOpcode); at != kNowhere; at = find(text, kOpcode, at + 1)) {
    if (at > 0 && text[at - 1] != '\n') continue;
    const std::string_view line = text.substr(at, std::min(text.find('\n', at), text.size()) - at);
    if (line_with(line, "name ", "target") && holds(line, "kwargs")) return true;
  }
  return false;
}

// A line that begins with `def forward(`.
bool holds_function(std::string_view text) {
  constexpr std::string_view kDef = "def forward(";
  for (std::size_t at = find(text, kDef); at != kNowhere; at = find(text, kDef, at + 1)) {
    std::size_t begin = at;
    while (begin > 0 && (text[begin - 1] == ' ' || text[begin - 1] == '\t')) --begin;
    if (begin == 0 || text[begin - 1] == '\n') return true;
  }
  return false;
}

bool is_torchscript(std::string_view text) {
  const std::size_t header = find(text, "graph(%");
  if (header != kNowhere && (header == 0 || text[header - 1] == '\n' || text[header - 1] == ' ')) return true;
  return holds(text, " = prim::") || (holds(text, " : Tensor = aten::"));
}

bool is_log(std::string_view text) { return log::prefix_of(text.substr(0, text.find('\n'))).has_value(); }

}  // namespace

GraphForm archive_form(std::string_view table) {
  if (holds(table, "serialized_exported_program.json")) return GraphForm::legacy_export_archive;
  if (holds(table, "/models/") && holds(table, "archive_format")) return GraphForm::pt2_archive;
  if (holds(table, "data/aotinductor/")) return GraphForm::aotinductor_archive;
  if (holds(table, "/constants.pkl") && holds(table, "/code/")) return GraphForm::torchscript_archive;
  if (holds(table, "/data.pkl")) return GraphForm::torch_save;
  return GraphForm::archive;
}

GraphForm recognise(std::string_view text) {
  if (text.starts_with("PK\x03\x04")) return archive_form(table_of_contents(text));
  if (is_pickle(text)) return GraphForm::pickle;
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == kNowhere) return GraphForm::empty;
  if (text[first] == '{') {
    const GraphForm json = json_form(text);
    if (json != GraphForm::unknown) return json;
  }
  if (const auto header = text_ir::find_header(text, 0)) {
    constexpr std::size_t kEnough = 4096;  // TorchScript shows itself in its first nodes
    return header->parameters.starts_with('%') || is_torchscript(text.substr(header->line.begin, kEnough))
               ? GraphForm::torchscript
               : GraphForm::text_ir;
  }
  if (is_torchscript(text)) return GraphForm::torchscript;
  if (holds_table(text)) return GraphForm::tabular;
  if (holds(text, "ExportedProgram:\n") || holds(text, "ExportedProgram:\r\n")) return GraphForm::exported_program;
  if (line_with(text, "class ", "(torch.nn.Module):") || holds_function(text)) return GraphForm::code;
  if (holds(text, "SchedulerNode(") || line_with(text, "def body(self, ops)", ":")) return GraphForm::inductor_ir;
  if (holds(text, "async_compile") || holds(text, "def call(args):") || holds(text, "@triton_heuristics"))
    return GraphForm::inductor_code;
  if (holds(text, "func.func") || holds(text, "stablehlo.") || holds(text, "torch.aten.")) return GraphForm::mlir;
  if (text_ir::find_headless(text, 0)) return GraphForm::text_ir;
  if (is_log(text)) return holds(text, "\n\t") ? GraphForm::trace_log : GraphForm::log;
  return GraphForm::unknown;
}

std::string_view describe(GraphForm form) {
  switch (form) {
    case GraphForm::text_ir:
      return "the text IR of `print(gm.graph)`";
    case GraphForm::code:
      return "Python code of a graph module (`gm.code`, `print_readable()`)";
    case GraphForm::tabular:
      return "a table of `print_tabular()`";
    case GraphForm::exported_program:
      return "a printed ExportedProgram";
    case GraphForm::log:
      return "a log of TORCH_LOGS without a graph";
    case GraphForm::trace_log:
      return "a log of TORCH_TRACE";
    case GraphForm::program_json:
      return "the program JSON of torch.export";
    case GraphForm::payload_json:
      return "the table of weights or constants of torch.export";
    case GraphForm::pt2_archive:
      return "a .pt2 archive of torch.export.save";
    case GraphForm::legacy_export_archive:
      return "an archive that torch.export.save wrote up to torch 2.7";
    case GraphForm::aotinductor_archive:
      return "a compiled AOTInductor package";
    case GraphForm::torchscript_archive:
      return "a TorchScript archive of torch.jit.save";
    case GraphForm::torch_save:
      return "a file of torch.save";
    case GraphForm::archive:
      return "a zip file";
    case GraphForm::pickle:
      return "a pickle";
    case GraphForm::torchscript:
      return "TorchScript IR";
    case GraphForm::inductor_ir:
      return "Inductor's scheduler IR";
    case GraphForm::inductor_code:
      return "code that Inductor generated";
    case GraphForm::mlir:
      return "MLIR";
    case GraphForm::empty:
      return "an empty file";
    case GraphForm::unknown:
      break;
  }
  return "no form of a graph that is known";
}

}  // namespace fxrules
