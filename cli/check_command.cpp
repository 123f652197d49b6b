#include <ostream>

#include <fmt/format.h>

#include "cli/rule_files.hpp"
#include "cli/run.hpp"

namespace fxrules::cli {

int check_command(const Options& options, Console& console) {
  const std::vector<RuleFile> files = rule_files(options.rules, console.in);
  const std::optional<RuleSet> rules = load_rule_set(files, load_options(options, load_catalogue()), console, true);
  if (!rules) return kFailure;
  const std::size_t count = rules->rules().size();
  console.out << fmt::format("{} rule{} in {} file{}, no errors\n", count, count == 1 ? "" : "s", files.size(),
                             files.size() == 1 ? "" : "s");
  return kSuccess;
}

}  // namespace fxrules::cli
