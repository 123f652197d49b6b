// A check is evaluated where helpers are: in a rule. The file is loaded once more with a helper and a rule for each
// check, which says in a note what the helper gives, and those rules alone see a graph of one call. In a guard of its
// own a check that is plainly false would be a mistake of the rule.
#include "cli/checks.hpp"

#include <fmt/format.h>

#include "fxrules/apply.hpp"

namespace fxrules::cli {
namespace {

constexpr std::string_view kLabel = "fxrules_check_";

std::string_view text_of(const dsl::Ast& ast, dsl::TermId term) {
  const dsl::Range range = ast[term].range;
  return std::string_view(ast.source->text).substr(range.begin, range.end - range.begin);
}

std::string condition(const dsl::Ast& ast, const dsl::Test::Check& check) {
  if (check.right == dsl::kNoTerm) return std::string(text_of(ast, check.left));
  return fmt::format("({}) == ({})", text_of(ast, check.left), text_of(ast, check.right));
}

SourcePtr with_check_rules(const dsl::Ast& ast, const dsl::Test& test) {
  std::string text = std::string(ast.source->text) + "\nphase fxrules_checks once\n";
  for (std::size_t i = 0; i < test.checks.size(); ++i) {
    text += fmt::format("def {0}{1}() = ({2}) == True\n{0}{1}:\n  *(..) => note \"{{{0}{1}()}}\"\n", kLabel, i,
                        condition(ast, test.checks[i]));
  }
  return std::make_shared<Source>(Source{ast.source->name, std::move(text)});
}

Graph one_call() {
  Graph graph;
  const NodeId call = CallBuilder(graph).create(Opcode::call_function, "fxrules.check", "call");
  CallBuilder(graph).node(call).create(Opcode::output, "output", "output");
  return graph;
}

ApplyOptions only_checks(std::size_t count) {
  ApplyOptions options;
  for (std::size_t i = 0; i < count; ++i) options.only.push_back(fmt::format("{}{}", kLabel, i));
  return options;
}

// How the check with this label came out.
std::string outcome(const Report& report, const std::string& label) {
  for (const Note& note : report.notes) {
    if (report.rules[note.rule].name == label) return note.text;
  }
  return {};
}

}  // namespace

std::string run_checks(const dsl::Ast& ast, const dsl::Test& test, const LoadOptions& options) {
  if (test.checks.empty()) return {};
  LoadOptions load = options;
  const std::filesystem::path folder = std::filesystem::path(ast.source->name).parent_path();
  load.search.insert(load.search.begin(), folder.empty() ? std::filesystem::path(".") : folder);
  const LoadResult loaded = load_rules({{ast.source->name, with_check_rules(ast, test)}}, load);
  if (has_errors(loaded.diagnostics)) return render(loaded.diagnostics);
  Graph graph = one_call();
  const Report report = apply(loaded.rules, graph, only_checks(test.checks.size()));
  if (!report.ok()) return render(report.diagnostics);
  for (std::size_t i = 0; i < test.checks.size(); ++i) {
    const std::string result = outcome(report, fmt::format("{}{}", kLabel, i));
    if (result == "True") continue;
    return fmt::format("`{}` is {}\n", condition(ast, test.checks[i]), result == "False" ? "false" : "unknown");
  }
  return {};
}

}  // namespace fxrules::cli
