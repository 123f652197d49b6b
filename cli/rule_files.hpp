// The rule files of a command line, loaded.
#pragma once

#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/console.hpp"
#include "fxrules/catalogue.hpp"
#include "fxrules/rule_set.hpp"

namespace fxrules::cli {

[[nodiscard]] std::shared_ptr<Catalogue> load_catalogue();
[[nodiscard]] std::filesystem::path shipped_rules();
[[nodiscard]] LoadOptions load_options(const Options& options, std::shared_ptr<Catalogue> catalogue);

// Names as given; `-` is read from standard input here.
[[nodiscard]] std::vector<RuleFile> rule_files(const std::vector<std::string>& names, std::istream& standard_input);

// A value of -D that is not of the parameter's type is wrong use of the command line, not a mistake of the rules.
[[nodiscard]] std::vector<Diagnostic> take_wrong_params(std::vector<Diagnostic>& diagnostics);
void refuse_params(const std::vector<Diagnostic>& wrong);  // throws UsageError if there are any

// Prints what is wrong and returns nothing when that holds errors. Notes are for `check`: a run with rules
// that someone else wrote would repeat them each time.
[[nodiscard]] std::optional<RuleSet> load_rule_set(const std::vector<RuleFile>& files, const LoadOptions& options,
                                                   Console& console, bool notes = false);

}  // namespace fxrules::cli
