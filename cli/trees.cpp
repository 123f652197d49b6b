#include "cli/trees.hpp"

#include "cli/rule_files.hpp"

namespace fxrules::cli {

LoadedTrees load_trees(const std::vector<RuleFile>& files, const LoadOptions& options, Console& console) {
  dsl::LoadOptions load;
  load.rules_folder = options.search.back();
  load.search_paths = options.search;
  load.params = options.params;
  load.prelude = options.prelude;
  dsl::Loader loader(options.catalogue, load);
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
