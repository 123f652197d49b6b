// `check f(…) == e` of test blocks.
#pragma once

#include <string>

#include "dsl/ast.hpp"
#include "fxrules/rule_set.hpp"

namespace fxrules::cli {

// Empty when every check of the test is known true; else what the first one that is not came to.
[[nodiscard]] std::string run_checks(const dsl::Ast& ast, const dsl::Test& test, const LoadOptions& options);

}  // namespace fxrules::cli
