// What the tests of rewriting share: rules and graphs from texts.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/load.hpp"
#include "engine/program/program.hpp"
#include "fxrules/apply.hpp"
#include "fxrules/catalogue.hpp"
#include "fxrules/formats.hpp"
#include "fxrules/graph.hpp"
#include "fxrules/rule_set.hpp"

namespace fxrules::testing {

// The shipped catalogue, loaded once.
const std::shared_ptr<Catalogue>& catalogue();

// Rules without the prelude. Fails the test when they do not load.
RuleSet rules_of(const std::string& text);
// With lib, index, shapes and views.
RuleSet rules_with_prelude(const std::string& text);

// A tree and its compiled form; the diagnostics when there are errors.
struct Loaded {
  dsl::AstPtr ast;
  std::shared_ptr<const program::RuleSet> program;
  std::vector<Diagnostic> diagnostics;
  [[nodiscard]] bool ok() const { return program != nullptr; }
};
Loaded load_text(const std::string& text);

// A graph, one node a line: `x: f32[4] = placeholder`, `a = torch.add(x, 1, alpha=2)`, `b = .relu(a)`,
// `m = $layers.0(b)` (a module), `w = get_attr model.w`, `return (m, w)`.
Graph graph_of(const std::string& text);
// The same form, without placeholders and metadata.
std::string lines_of(const Graph& graph);

// Rules applied to a graph; what `verify` finds fails the test.
struct Applied {
  std::string text;
  Report report;
};
Applied applied(const RuleSet& rules, Graph graph, const ApplyOptions& options = {});
Applied applied(const std::string& rules, const std::string& graph, const ApplyOptions& options = {});

// The value of an expression: the rule `test.probe(x, ..) => test.result(EXPRESSION)` is applied to a graph that
// calls test.probe, and what test.result got is read back; "unknown" when the rule did not apply. With the prelude.
std::string evaluated(const std::string& expression, const std::string& graph, const std::string& defs = "");

}  // namespace fxrules::testing
