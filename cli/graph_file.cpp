#include "cli/graph_file.hpp"

#include <fmt/format.h>

#include "cli/files.hpp"

namespace fxrules::cli {
namespace {

// Standard input can be read once only: an archive that comes that way is held.
bool stays_on_disk(const std::string& path) { return path != "-" && is_archive(path); }

}  // namespace

SourcePtr read_graph_source(const std::string& path, Console& console) {
  if (stays_on_disk(path)) return std::make_shared<Source>(Source{path, {}});
  return map_source(path, console.in);
}

GraphFile read_graph_file(const SourcePtr& source, std::shared_ptr<const Catalogue> catalogue, Console& console) {
  ReadOptions options;
  options.catalogue = std::move(catalogue);
  const bool archive = source->text.empty() && stays_on_disk(source->name);
  GraphFile file = archive ? read_archive(source->name, options) : read_graph(source, options);
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
