// The public door to this room: names of rule files in, a compiled rule set out.
#include "fxrules/rule_set.hpp"

#include <algorithm>
#include <iterator>

#include "dsl/load.hpp"
#include "dsl/lower.hpp"

namespace fxrules {

std::vector<RuleInfo> RuleSet::rules() const {
  std::vector<RuleInfo> out;
  for (const program::Rule& r : program_->rules)
    out.push_back({r.name, program_->phases[r.phase].name, r.text, r.span});
  return out;
}

LoadResult load_rules(const std::vector<RuleFile>& files, const LoadOptions& options) {
  dsl::LoadOptions load;
  if (!options.search.empty()) load.rules_folder = options.search.back();
  load.search_paths = options.search;
  load.params = options.params;
  load.prelude = options.prelude;
  load.functions = options.functions;
  dsl::Loader loader(options.catalogue, load);
  std::vector<dsl::RuleFile> loaded;
  for (const RuleFile& file : files)
    loaded.push_back(file.source != nullptr ? loader.load(file.source) : loader.load(file.path));
  loader.finish();
  LoadResult result;
  result.diagnostics = loader.take_diagnostics();
  // A variable that is never used is wrong, but not in the way of the checks that compiling makes.
  const bool compiles = std::all_of(result.diagnostics.begin(), result.diagnostics.end(), [](const Diagnostic& d) {
    return d.severity != Severity::error || d.kind == "unused-variable";
  });
  if (!compiles) return result;

  auto rules = std::make_shared<program::RuleSet>();
  rules->catalogue = options.catalogue;
  rules->functions = options.functions;
  for (const dsl::RuleFile& file : loaded) {
    dsl::Scope scope;
    for (std::size_t t = 0; t < file.trees.size(); ++t) {
      scope.trees.push_back(file.trees[t].get());
      auto& visible = scope.visible[file.trees[t].get()];
      for (const dsl::AstPtr& tree : file.visible[t]) visible.push_back(tree.get());
    }
    scope.params = options.params;
    std::vector<Diagnostic> found = dsl::lower(scope, *rules);
    result.diagnostics.insert(result.diagnostics.end(), std::make_move_iterator(found.begin()),
                              std::make_move_iterator(found.end()));
  }
  if (!has_errors(result.diagnostics)) result.rules = RuleSet(std::move(rules));
  return result;
}

}  // namespace fxrules
