// Runs one `test` block.
#pragma once

#include <string>

#include "dsl/ast.hpp"
#include "fxrules/rule_set.hpp"

namespace fxrules::cli {

struct TestOutcome {
  bool passed = false;
  std::string detail;  // of a failure: sentences and a diff, each line ending in a newline
};

// `ast` is the file that holds the test, `rules` that file compiled with `options`.
[[nodiscard]] TestOutcome run_test(const dsl::Ast& ast, const dsl::Test& test, const RuleSet& rules,
                                   const LoadOptions& options);

}  // namespace fxrules::cli
