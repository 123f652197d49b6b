#include "cli/rule_files.hpp"

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

std::optional<RuleSet> load_rule_set(const std::vector<RuleFile>& files, const LoadOptions& options, Console& console,
                                     bool notes) {
  LoadResult loaded = load_rules(files, options);
  print(console, notes ? loaded.diagnostics : without_notes(loaded.diagnostics));
  if (has_errors(loaded.diagnostics)) return std::nullopt;
  return std::move(loaded.rules);
}

}  // namespace fxrules::cli
