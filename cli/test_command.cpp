#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "cli/rule_files.hpp"
#include "cli/run.hpp"
#include "cli/test_run.hpp"
#include "cli/trees.hpp"
#include "cli/watch.hpp"

namespace fxrules::cli {
namespace {

struct Tally {
  std::size_t passed = 0, failed = 0;
  std::vector<std::string> skipped;  // their names
};

// A filter that selects nothing is a typo: a test run that tests nothing must not pass.
void report_no_test(const Options& options, const Tally& tally, Console& console) {
  const std::vector<std::string> near = nearest_names(options.filter, {tally.skipped.begin(), tally.skipped.end()});
  std::string hint;
  for (const std::string& name : near) hint += fmt::format("{}\"{}\"", hint.empty() ? "did you mean " : " or ", name);
  const std::size_t count = tally.skipped.size();
  if (!hint.empty()) {
    hint += "?";
  } else {
    hint = count == 0 ? "there are no tests"
                      : fmt::format("there {} {} test{}", count == 1 ? "is" : "are", count, count == 1 ? "" : "s");
  }
  print(console, {plain_error("no-test", fmt::format("no test's name holds \"{}\"", options.filter), hint)});
}

void write(const dsl::Ast& ast, const dsl::Test& test, const TestOutcome& outcome, Console& console) {
  const std::string_view color = !console.out_color ? "" : outcome.passed ? "\x1b[32m" : "\x1b[31m";
  const std::string_view off = console.out_color ? "\x1b[0m" : "";
  console.out << fmt::format("{}{}{} {}: {}\n", color, outcome.passed ? "PASS" : "FAIL", off, ast.source->name,
                             test.name);
  if (outcome.passed) return;
  console.out << fmt::format("  {}:{}\n", ast.source->name, line_column(ast.source->text, test.name_range.begin).line);
  for (std::string_view rest = outcome.detail; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    console.out << "  " << rest.substr(0, end) << '\n';
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

void run_file(const dsl::AstPtr& ast, const Options& options, const LoadOptions& load, Console& console, Tally& tally) {
  const LoadResult loaded = load_rules({{ast->source->name, ast->source}}, load);
  if (has_errors(loaded.diagnostics)) {  // of compiling: those of loading were printed before
    print(console, loaded.diagnostics);
    ++tally.failed;
    return;
  }
  for (const dsl::Test& test : ast->tests) {
    if (test.name.find(options.filter) == std::string_view::npos) {
      tally.skipped.emplace_back(test.name);
      continue;
    }
    const TestOutcome outcome = run_test(*ast, test, loaded.rules, load);
    write(*ast, test, outcome, console);
    ++(outcome.passed ? tally.passed : tally.failed);
  }
}

int test_once(const Options& options, Console& console) {
  const std::vector<RuleFile> files = rule_files(options.rules, console.in);
  const LoadOptions load = load_options(options, load_catalogue());
  const LoadedTrees loaded = load_trees(files, load, console);
  Tally tally;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (loaded.failed[i] || loaded.trees[i] == nullptr) {
      ++tally.failed;
    } else {
      run_file(loaded.trees[i], options, load, console, tally);
    }
  }
  if (tally.passed + tally.failed == 0 && !options.filter.empty()) {
    report_no_test(options, tally, console);
    return kFailure;
  }
  console.out << fmt::format("{} passed, {} failed\n", tally.passed, tally.failed);
  return tally.failed == 0 ? kSuccess : kFailure;
}

}  // namespace

int test_command(const Options& options, Console& console) {
  return options.watch ? watch_test(options, console, test_once) : test_once(options, console);
}

}  // namespace fxrules::cli
