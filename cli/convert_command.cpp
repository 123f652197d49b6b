// fxrules convert: a graph in one form in, in another out, and what the other form cannot say on standard error.
#include <algorithm>
#include <array>
#include <ostream>

#include <fmt/format.h>

#include "cli/files.hpp"
#include "cli/graph_choice.hpp"
#include "cli/graph_file.hpp"
#include "cli/rule_files.hpp"
#include "cli/run.hpp"

namespace fxrules::cli {
namespace {

struct Form {
  std::string_view name;
  OutputForm form;
};
constexpr std::array<Form, 5> kForms{{{"fx", OutputForm::fx},
                                      {"readable", OutputForm::readable},
                                      {"code", OutputForm::code},
                                      {"dot", OutputForm::dot},
                                      {"svg", OutputForm::svg}}};
constexpr std::array<Form, 6> kExtensions{{{".txt", OutputForm::fx},
                                           {".fx", OutputForm::fx},
                                           {".py", OutputForm::readable},
                                           {".dot", OutputForm::dot},
                                           {".gv", OutputForm::dot},
                                           {".svg", OutputForm::svg}}};

OutputForm form_of(const Options& options) {
  for (const Form& f : kForms) {
    if (options.to == f.name) return f.form;
  }
  for (const Form& f : kExtensions) {
    if (options.out.ends_with(f.name)) return f.form;
  }
  throw UsageError(
      options.out.empty() ? "no form was asked for" : fmt::format("the name `{}` says no form", options.out),
      "write --to fx, readable, code, dot or svg, or -o OUT with .txt, .py, .dot or .svg");
}

}  // namespace

int convert_command(const Options& options, Console& console) {
  const OutputForm form = form_of(options);
  const SourcePtr source = read_graph_source(options.graph, console);
  const ChosenGraphs graphs = read_chosen(source, options.choice, load_catalogue(), console);
  if (graphs.chosen.size() > 1 && form == OutputForm::svg)
    throw UsageError("an SVG file holds one graph", "choose it with --graph NAME or --graph NUMBER");
  const auto write = [&](const Sink& sink) {
    for (const std::size_t i : graphs.chosen) {
      const GraphFile& file = graphs.files.graphs[i];
      print(console, losses(file, form));
      if (graphs.chosen.size() > 1)
        sink(fmt::format("{} ===== {} =====\n", form == OutputForm::dot ? "//" : "#", graph_name(file, i)));
      write_as(file, form, sink);
      if (graphs.chosen.size() > 1) sink("\n");
    }
  };
  if (options.out.empty()) {
    write([&](std::string_view piece) { console.out << piece; });
    return kSuccess;
  }
  OutputFile out(options.out);
  write([&](std::string_view piece) { out.write(piece); });
  out.commit();
  return kSuccess;
}

}  // namespace fxrules::cli
