#include "cli/trees.hpp"

#include "cli/rule_files.hpp"

namespace fxrules::cli {

namespace {

dsl::LoadOptions loader_options(const LoadOptions& options) {
  dsl::LoadOptions load;
  load.rules_folder = options.search.back();
  load.search_paths = options.search;
  load.params = options.params;
  load.prelude = options.prelude;
  return load;
}

}  // namespace

std::vector<std::string> files_of_rules(const std::vector<std::string>& names, const LoadOptions& options) {
  dsl::Loader loader(options.catalogue, loader_options(options));
  std::vector<std::string> out;
  for (const std::string& name : names) {
    if (loader.load(name).trees.empty()) out.push_back(name);
  }
  for (const std::filesystem::path& path : loader.paths()) out.push_back(path.string());
  return out;
}

LoadedTrees load_trees(const std::vector<RuleFile>& files, const LoadOptions& options, Console& console) {
  dsl::Loader loader(options.catalogue, loader_options(options));
  LoadedTrees loaded;
  const auto take = [&] {
    std::vector<Diagnostic> found = loader.take_diagnostics();
    const std::vector<Diagnostic> wrong = take_wrong_params(found);
    print(console, without_notes(found));
    refuse_params(wrong);
    return has_errors(found);
  };
  for (const RuleFile& file : files) {
    dsl::RuleFile one = file.source != nullptr ? loader.load(file.source) : loader.load(file.path);
    loaded.trees.push_back(one.trees.empty() ? nullptr : one.trees.front());
    loaded.failed.push_back(take());
  }
  loader.finish();
  if (take() && !loaded.failed.empty()) loaded.failed.back() = true;
  return loaded;
}

}  // namespace fxrules::cli
