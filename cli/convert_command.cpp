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

// `pt2` is an archive, `program` its program JSON.
bool to_program(const Options& options) {
  if (!options.to.empty()) return options.to == "pt2" || options.to == "program";
  return options.out.ends_with(".pt2") || options.out.ends_with(".json");
}

bool to_archive(const Options& options) {
  return options.to.empty() ? options.out.ends_with(".pt2") : options.to == "pt2";
}

void write_program(const Options& options, ChosenGraphs graphs, const std::shared_ptr<Catalogue>& catalogue,
                   Console& console) {
  if (graphs.chosen.size() > 1) throw UsageError("a program holds one graph", "choose it with --graph NAME or NUMBER");
  const GraphFile program =
      as_exported(std::move(graphs.files.graphs[graphs.chosen[0]]), to_archive(options), catalogue);
  const std::vector<Diagnostic> problems = check_exported(program);
  print(console, problems);
  if (has_errors(problems)) throw Error({});
  if (!options.out.empty()) {
    OutputFile out(options.out);
    if (out.can_patch()) {
      write_graph(
          program, [&](std::string_view piece) { out.write(piece); },
          [&](std::uint64_t at, std::string_view bytes) { out.patch(at, bytes); });
    } else {
      out.write(to_text(program));
    }
    return out.commit();
  }
  console.out << to_text(program);
}

OutputForm form_of(const Options& options) {
  for (const Form& f : kForms) {
    if (options.to == f.name) return f.form;
  }
  for (const Form& f : kExtensions) {
    if (options.out.ends_with(f.name)) return f.form;
  }
  throw UsageError(
      options.out.empty() ? "no form was asked for" : fmt::format("the name `{}` says no form", options.out),
      "write --to fx, readable, code, dot, svg, pt2 or program, or -o OUT with .txt, .py, .dot, .svg, .pt2 or .json");
}

}  // namespace

int convert_command(const Options& options, Console& console) {
  const bool program = to_program(options);
  const OutputForm form = program ? OutputForm::fx : form_of(options);
  const SourcePtr source = read_graph_source(options.graph, console);
  const std::shared_ptr<Catalogue> catalogue = load_catalogue();
  ChosenGraphs graphs = read_chosen(source, options.choice, catalogue, console);
  if (program) {
    write_program(options, std::move(graphs), catalogue, console);
    return kSuccess;
  }
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
