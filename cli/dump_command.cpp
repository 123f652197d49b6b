#include <algorithm>
#include <ostream>

#include "cli/rule_files.hpp"
#include "cli/run.hpp"
#include "cli/trees.hpp"
#include "engine/program/program.hpp"

namespace fxrules::cli {
namespace {

// What was understood is shown even where the checks find errors.
int dump_trees(const std::vector<RuleFile>& files, const LoadOptions& options, Console& console) {
  const LoadedTrees loaded = load_trees(files, options, console);
  for (const dsl::AstPtr& tree : loaded.trees) {
    if (tree != nullptr) console.out << dsl::to_text(*tree);
  }
  const bool failed = std::find(loaded.failed.begin(), loaded.failed.end(), true) != loaded.failed.end();
  return failed ? kFailure : kSuccess;
}

int dump_program(const std::vector<RuleFile>& files, const LoadOptions& options, Console& console) {
  const std::optional<RuleSet> rules = load_rule_set(files, options, console);
  if (!rules) return kFailure;
  console.out << program::to_text(rules->program());
  return kSuccess;
}

}  // namespace

int dump_command(const Options& options, Console& console) {
  const std::vector<RuleFile> files = rule_files(options.rules, console.in);
  const LoadOptions load = load_options(options, load_catalogue());
  return options.stage == Stage::ast ? dump_trees(files, load, console) : dump_program(files, load, console);
}

}  // namespace fxrules::cli
