#include "cli/rule_files.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/files.hpp"

namespace fxrules::cli {

std::shared_ptr<Catalogue> load_catalogue() { return Catalogue::load(data_directory()); }

std::filesystem::path shipped_rules() { return data_directory() / "rules"; }

LoadOptions load_options(const Options& options, std::shared_ptr<Catalogue> catalogue) {
  LoadOptions load;
  load.catalogue = std::move(catalogue);
  load.search = {shipped_rules()};
  load.params = options.params;
  return load;
}

namespace {

// What the loader cannot open itself: standard input, pipes, and files that are there but cannot be read, for
// which reading them here gives the reason.
bool must_be_read_here(const std::string& name) {
  std::error_code error;
  if (name == "-") return true;
  if (!std::filesystem::exists(name, error)) return false;
  return !std::filesystem::is_regular_file(name, error) || ::access(name.c_str(), R_OK) != 0;
}

}  // namespace

std::vector<RuleFile> rule_files(const std::vector<std::string>& names, std::istream& standard_input) {
  std::vector<RuleFile> files;
  for (const std::string& name : names) {
    files.push_back({name, must_be_read_here(name) ? read_source(name, standard_input) : nullptr});
  }
  return files;
}

std::vector<Diagnostic> take_wrong_params(std::vector<Diagnostic>& diagnostics) {
  const auto first = std::stable_partition(diagnostics.begin(), diagnostics.end(),
                                           [](const Diagnostic& d) { return d.kind != "param-value"; });
  std::vector<Diagnostic> wrong(std::make_move_iterator(first), std::make_move_iterator(diagnostics.end()));
  diagnostics.erase(first, diagnostics.end());
  return wrong;
}

void refuse_params(const std::vector<Diagnostic>& wrong) {
  if (wrong.empty()) return;
  std::string message, hint;
  for (const Diagnostic& d : wrong) {
    const std::size_t line = line_column(d.span.source->text, d.span.begin).line;
    message += fmt::format("{}{} in {}:{}", message.empty() ? "" : "; ", d.message, d.span.source->name, line);
    if (hint.find(d.hint) == std::string::npos) hint += (hint.empty() ? "" : "; ") + d.hint;
  }
  throw UsageError(message, hint);
}

std::optional<RuleSet> load_rule_set(const std::vector<RuleFile>& files, const LoadOptions& options, Console& console,
                                     bool notes) {
  LoadResult loaded = load_rules(files, options);
  const std::vector<Diagnostic> wrong = take_wrong_params(loaded.diagnostics);
  print(console, notes ? loaded.diagnostics : without_notes(loaded.diagnostics));
  refuse_params(wrong);
  if (has_errors(loaded.diagnostics)) return std::nullopt;
  return std::move(loaded.rules);
}

}  // namespace fxrules::cli
