// fxrules list: the graphs of a file, a line each.
#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "cli/graph_choice.hpp"
#include "cli/graph_file.hpp"
#include "cli/rule_files.hpp"
#include "cli/run.hpp"
#include "fxrules/nested.hpp"

namespace fxrules::cli {
namespace {

std::string_view short_form(GraphForm form) {
  switch (form) {
    case GraphForm::text_ir:
      return "text IR";
    case GraphForm::code:
      return "code";
    case GraphForm::exported_program:
      return "exported";
    case GraphForm::tabular:
      return "table";
    default:
      return "program";
  }
}

}  // namespace

int list_command(const Options& options, Console& console) {
  const SourcePtr source = read_graph_source(options.graph, console);
  const GraphFiles files = read_all_graphs(source, load_catalogue());
  std::size_t width = 4;
  for (std::size_t i = 0; i < files.graphs.size(); ++i) width = std::max(width, graph_name(files.graphs[i], i).size());
  console.out << fmt::format("{:>3}  {:<{}}  {:<8}  {:>6}  {:>6}  {:>6}  {}\n", "#", "name", width, "form", "nodes",
                             "nested", "line", "from");
  bool failed = has_errors(files.diagnostics);
  for (std::size_t i = 0; i < files.graphs.size(); ++i) {
    const GraphFile& file = files.graphs[i];
    const bool broken = has_errors(file.diagnostics);
    failed |= broken;
    const std::uint32_t line = file.place.source == nullptr ? 0 : line_column(source->text, file.place.begin).line;
    std::string from = file.origin;
    if (broken) from += from.empty() ? "(has errors)" : " (has errors)";
    std::string row = fmt::format("{:>3}  {:<{}}  {:<8}  {:>6}  {:>6}  {:>6}  {}", i + 1, graph_name(file, i), width,
                                  short_form(file.form), file.graph.size(), with_nested(file.graph).size() - 1,
                                  line == 0 ? "-" : fmt::format("{}", line), from);
    console.out << row.substr(0, row.find_last_not_of(' ') + 1) << '\n';
    print(console, without_notes(file.diagnostics));
  }
  print(console, without_notes(files.diagnostics));
  return failed ? kFailure : kSuccess;
}

}  // namespace fxrules::cli
