// Why rules left a graph alone, for `unchanged because` in tests.
#pragma once

#include <string>
#include <vector>

#include "dsl/ast.hpp"
#include "fxrules/apply.hpp"

namespace fxrules::cli {

// For each rule of the file whose root accepts a node of the graph: its binders and guards, in backticks as
// the file has them, and whether it was refused. For a run that failed: its messages. Notes as well.
[[nodiscard]] std::vector<std::string> reasons(const dsl::Ast& ast, const RuleSet& rules, Graph& graph,
                                               const Report& report);

}  // namespace fxrules::cli
