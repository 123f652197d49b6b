#include "cli/test_run.hpp"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "cli/checks.hpp"
#include "cli/compare_graphs.hpp"
#include "cli/reasons.hpp"
#include "cli/test_graph.hpp"
#include "cli/unified.hpp"
#include "engine/program/program.hpp"
#include "fxrules/apply.hpp"
#include "fxrules/formats.hpp"
#include "fxrules/nested.hpp"

namespace fxrules::cli {
namespace {

// What is wrong with a test, as text; a stage that finds nothing gives the empty text.
class Run {
 public:
  Run(const dsl::Ast& ast, const dsl::Test& test, const RuleSet& rules, const LoadOptions& options)
      : ast_(ast), test_(test), rules_(rules), options_(options) {}

  std::string problem() {
    std::string found = run_checks(ast_, test_, options_);
    if (found.empty() && test_.has_before) found = rewriting();
    if (found.empty() && !test_.has_before && test_.checks.empty()) found = "this test states nothing\n";
    return found;
  }

 private:
  TestGraphResult build(std::uint32_t index, std::string& problem) const {
    TestGraphResult built = build_test_graph(ast_, test_, index, options_.catalogue);
    if (!has_errors(built.diagnostics)) {
      for (Diagnostic& d : verify(built.graph)) {
        if (d.span.source == nullptr) d.span = ast_.span(test_.name_range);
        built.diagnostics.push_back(std::move(d));
      }
    }
    problem += render(built.diagnostics);
    return built;
  }

  std::string rewriting() {
    std::string problem;
    TestGraphResult before = build(test_.before, problem);
    if (test_.after < 0 && !test_.unchanged) return "this test states no result: it needs `after` or `unchanged`\n";
    if (!problem.empty()) return problem;
    Graph graph = before.graph.clone();
    const Report report = apply(rules_, graph);
    return test_.unchanged ? unchanged(before, graph, report) : changed(graph, report);
  }

  std::string unchanged(TestGraphResult& before, Graph& graph, const Report& report) const {
    CompareOptions compare;
    compare.catalogue = options_.catalogue;
    compare.all_exact = compare.all_named = true;
    if (auto difference = find_difference(graph, before.graph, compare))
      return differs(*difference, graph, before.graph);
    if (test_.because.empty()) return report.ok() ? std::string() : render(report.diagnostics);
    const std::vector<std::string> found = reasons(rules_, graph, report);
    const bool given = std::any_of(found.begin(), found.end(), [&](const std::string& reason) {
      return reason.find(test_.because) != std::string::npos;
    });
    return given ? std::string() : missing_reason(found);
  }

  std::string missing_reason(const std::vector<std::string>& found) const {
    std::string text = fmt::format("nothing changed, but not because of \"{}\"; what there is:\n", test_.because);
    if (found.empty()) return text + "  no rule's root accepts a node of the graph\n";
    for (const std::string& reason : found) text += fmt::format("  {}\n", reason);
    return text;
  }

  std::string changed(Graph& graph, const Report& report) const {
    if (!report.ok())
      return report.diagnostics.empty() ? fmt::format("the run ended as: {}\n", to_string(report.stop))
                                        : render(report.diagnostics);
    std::string problem;
    TestGraphResult after = build(static_cast<std::uint32_t>(test_.after), problem);
    if (!problem.empty()) return problem;
    CompareOptions compare;
    compare.catalogue = options_.catalogue;
    compare.exact = after.exact;
    compare.named = names_made_by_as(graph, report);
    const auto difference = find_difference(graph, after.graph, compare);
    return difference ? differs(*difference, graph, after.graph) + said(report) : std::string();
  }

  // What the rules noted, refusals among it: often why the graph is not as expected.
  static std::string said(const Report& report) {
    std::string text;
    for (const Note& note : report.notes)
      text += fmt::format("note: {}: {}\n", report.rules[note.rule].name, note.text);
    return text;
  }

  static std::string differs(const std::string& difference, const Graph& got, const Graph& expected) {
    DiffStyle style;
    style.before_name = "expected";
    style.after_name = "got";
    style.context = 1000;
    return difference + "\n" + unified_diff(to_text(expected), to_text(got), style);
  }

  [[nodiscard]] bool has_as(const RuleReport& rule) const {
    const auto& all = rules_.program().rules;
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const program::Rule& r) { return r.name == rule.name; });
    if (found == all.end()) return false;
    return found->as.present() ||
           std::any_of(found->alternatives.begin(), found->alternatives.end(), [](const program::Alternative& a) {
             return std::any_of(a.assignments.begin(), a.assignments.end(),
                                [](const program::Assignment& s) { return s.as.present(); });
           });
  }

  // FX's own name for the target, perhaps with a number behind it.
  static bool is_default_name(const Graph& graph, NodeId n) {
    const std::string base = Graph::base_name(graph.opcode(n), graph.target(n));
    std::string_view name = graph.name(n);
    if (!name.starts_with(base)) return false;
    name.remove_prefix(base.size());
    return name.empty() || (name[0] == '_' && name.find_first_not_of("0123456789", 1) == std::string_view::npos);
  }

  [[nodiscard]] std::unordered_set<std::string> names_made_by_as(const Graph& graph, const Report& report) const {
    std::unordered_set<std::uint32_t> created;
    for (const Application& a : report.applications) {
      if (!has_as(report.rules[a.rule])) continue;
      for (const SymbolId name : a.created) created.insert(name.value);
    }
    std::unordered_set<std::string> names;
    for (const auto& each : with_nested(graph)) {
      for (const NodeId n : each.graph->nodes()) {
        if (created.count(each.graph->name_id(n).value) > 0 && !is_default_name(*each.graph, n))
          names.insert(fmt::format("{}{}{}", each.path, each.path.empty() ? "" : ".", each.graph->name(n)));
      }
    }
    return names;
  }

  const dsl::Ast& ast_;
  const dsl::Test& test_;
  const RuleSet& rules_;
  const LoadOptions& options_;
};

}  // namespace

TestOutcome run_test(const dsl::Ast& ast, const dsl::Test& test, const RuleSet& rules, const LoadOptions& options) {
  std::string problem = Run(ast, test, rules, options).problem();
  return {problem.empty(), std::move(problem)};
}

}  // namespace fxrules::cli
