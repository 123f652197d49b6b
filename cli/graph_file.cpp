#include "cli/graph_file.hpp"

#include <fmt/format.h>

namespace fxrules::cli {

GraphFile read_graph_file(const SourcePtr& source, Console& console) {
  GraphFile file = read_graph(source);
  std::vector<Diagnostic> problems = file.diagnostics;
  if (!has_errors(problems)) {
    for (Diagnostic& d : verify(file.graph)) {
      if (d.span.source == nullptr) d.message = fmt::format("{}: {}", source->name, d.message);
      problems.push_back(std::move(d));
    }
  }
  if (has_errors(problems)) throw Error(std::move(problems));
  print(console, problems);
  return file;
}

}  // namespace fxrules::cli
