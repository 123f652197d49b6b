#include "cli/graph_choice.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>

#include <fmt/format.h>

#include "cli/graph_file.hpp"
#include "fxrules/nested.hpp"

namespace fxrules::cli {
namespace {

std::string titles_of(const GraphFiles& files) {
  constexpr std::size_t kMost = 10;
  std::string out;
  for (std::size_t i = 0; i < std::min(files.graphs.size(), kMost); ++i)
    out += fmt::format("{}{} `{}`", i == 0 ? "" : ", ", i + 1, graph_name(files.graphs[i], i));
  if (files.graphs.size() > kMost) out += fmt::format(" and {} more", files.graphs.size() - kMost);
  return out;
}

std::vector<std::size_t> matching(const GraphFiles& files, const std::string& choice) {
  std::vector<std::size_t> exact, part;
  for (std::size_t i = 0; i < files.graphs.size(); ++i) {
    const std::string name = graph_name(files.graphs[i], i);
    if (name == choice) exact.push_back(i);
    if (name.find(choice) != std::string::npos) part.push_back(i);
  }
  return exact.empty() ? part : exact;
}

std::vector<std::size_t> choose(const GraphFiles& files, const std::string& choice) {
  std::vector<std::size_t> out;
  if (choice == "all") {
    for (std::size_t i = 0; i < files.graphs.size(); ++i) out.push_back(i);
    return out;
  }
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(choice.data(), choice.data() + choice.size(), number);
  if (error == std::errc() && end == choice.data() + choice.size()) {
    if (number >= 1 && number <= files.graphs.size()) return {number - 1};
    throw Error({plain_error("no-graph", fmt::format("there is no graph {}", number),
                             fmt::format("graphs are numbered from 1: {}", titles_of(files)))});
  }
  out = matching(files, choice);
  if (out.size() == 1) return out;
  const std::string problem = out.empty() ? fmt::format("no graph is called `{}`", choice)
                                          : fmt::format("{} graphs are called `{}`", out.size(), choice);
  throw Error({plain_error("no-graph", problem, fmt::format("there are {}", titles_of(files)))});
}

// Errors of the file count where they leave no graph to choose.
void throw_errors_of_file(const GraphFiles& files) {
  if (files.graphs.empty()) throw Error(files.diagnostics);
}

}  // namespace

std::string graph_name(const GraphFile& file, std::size_t number) {
  return file.title.empty() ? fmt::format("graph {}", number + 1) : file.title;
}

GraphFiles read_all_graphs(const SourcePtr& source, const std::shared_ptr<const Catalogue>& catalogue) {
  ReadOptions options;
  options.catalogue = catalogue;
  GraphFiles files;
  if (source->text.empty() && is_archive(source->name)) {
    files.graphs.push_back(read_archive(source->name, options));
  } else {
    files = read_graphs(source, options);
  }
  throw_errors_of_file(files);
  return files;
}

ChosenGraphs read_chosen(const SourcePtr& source, const std::string& choice,
                         const std::shared_ptr<const Catalogue>& catalogue, Console& console) {
  ChosenGraphs out;
  if (choice.empty()) {
    out.files.graphs.push_back(read_graph_file(source, catalogue, console));
    out.chosen = {0};
    return out;
  }
  out.files = read_all_graphs(source, catalogue);
  out.chosen = choose(out.files, choice);
  std::vector<Diagnostic> problems = out.files.diagnostics;
  for (const std::size_t i : out.chosen) {
    const GraphFile& file = out.files.graphs[i];
    problems.insert(problems.end(), file.diagnostics.begin(), file.diagnostics.end());
    if (has_errors(file.diagnostics)) continue;
    for (const auto& each : with_nested(file.graph)) {
      for (Diagnostic& d : verify(*each.graph)) {
        if (d.span.source == nullptr)
          d.message = fmt::format("{}: {}", each.path.empty() ? source->name : each.path, d.message);
        problems.push_back(std::move(d));
      }
    }
  }
  if (has_errors(problems)) throw Error(std::move(problems));
  print(console, problems);
  return out;
}

void write_chosen(const Source& source, const ChosenGraphs& graphs, const Sink& sink) {
  const auto is_chosen = [&](std::size_t i) {
    return std::find(graphs.chosen.begin(), graphs.chosen.end(), i) != graphs.chosen.end();
  };
  for (std::size_t i = 0; i < graphs.files.graphs.size(); ++i) {
    const GraphFile& file = graphs.files.graphs[i];
    if (file.from_log) {
      if (!is_chosen(i)) continue;
      if (graphs.chosen.size() > 1) sink(fmt::format("# ===== {} =====\n", graph_name(file, i)));
      write_graph(file, sink);
      if (graphs.chosen.size() > 1) sink("\n");
    } else if (is_chosen(i)) {
      write_graph(file, sink);
    } else {
      sink(file.before);
      sink(std::string_view(source.text).substr(file.place.begin, file.place.end - file.place.begin));
      sink(file.after);
    }
  }
}

}  // namespace fxrules::cli
