// fxrules apply: rules and a graph in, a graph, a diff and a report out. Nothing is written before everything
// that can fail has been done, but for the writing itself.
#include <ostream>

#include <fmt/format.h>

#include "cli/files.hpp"
#include "cli/labels.hpp"
#include "cli/progress.hpp"
#include "cli/report.hpp"
#include "cli/rule_files.hpp"
#include "cli/run.hpp"
#include "cli/unified.hpp"
#include "fxrules/apply.hpp"
#include "fxrules/formats.hpp"

namespace fxrules::cli {
namespace {

bool graph_to_stdout(const Options& options) { return options.out.empty() && !options.check && !options.diff; }

// A program that reads the report must find nothing else on the stream.
bool report_to_stderr(const Options& options) {
  return graph_to_stdout(options) || (options.report == ReportForm::json && options.diff);
}

ApplyOptions apply_options(const Options& options, ProgressLine& progress) {
  ApplyOptions apply;
  apply.max_rewrites = options.max_rewrites;
  apply.only = options.only;
  apply.disable = options.disable;
  apply.dce = options.dce;
  apply.record = options.report != ReportForm::none;
  apply.restore_on_failure = false;  // nothing of a failed run is kept
  if (progress.enabled()) apply.progress = [&progress](const Progress& p) { progress.show(p); };
  return apply;
}

GraphFile read_graph_file(const SourcePtr& source, Console& console) {
  GraphFile file = read_graph(source);
  std::vector<Diagnostic> problems = file.diagnostics;
  if (!has_errors(problems)) {
    for (Diagnostic& d : verify(file.graph)) {
      if (d.span.source == nullptr) d.message = fmt::format("{}: {}", source->name, d.message);
      problems.push_back(std::move(d));
    }
  }
  if (has_errors(problems)) throw Error(std::move(problems));
  print(console, problems);
  return file;
}

// A failed run must say why, whatever the engine collected.
void print_failure(const Report& report, Console& console) {
  print(console, report.diagnostics);
  if (report.ok() || has_errors(report.diagnostics)) return;
  std::string names;
  for (const std::string& name : report.cycle) names += fmt::format("{}`{}`", names.empty() ? "" : ", ", name);
  const std::string message =
      names.empty() ? fmt::format("the rules do not seem to end: gave up after {} rewrites", report.rewrites)
                    : fmt::format("these rules undo each other without end: {}", names);
  print(console, {plain_error(to_string(report.stop), message)});
}

bool changed(const Report& report) { return report.rewrites > 0 || report.removed > 0; }

int exit_code(const Report& report, const Options& options) {
  if (!report.ok()) return report.exit_code();
  return options.check && changed(report) ? kFailure : kSuccess;
}

void write_report(const Report& report, const Graph& graph, const Options& options, int code, Console& console) {
  std::ostream& stream = report_to_stderr(options) ? console.err : console.out;
  if (options.report == ReportForm::text) stream << report_text(report, graph);
  if (options.report == ReportForm::json) {
    report_json(report, graph, code, [&](std::string_view piece) { stream << piece; });
  }
}

void write_diff(const Source& before, const GraphFile& after, Console& console) {
  DiffStyle style;
  style.before_name = before.name;
  style.after_name = before.name + "\t(rewritten)";  // behind a tab `patch` expects a remark
  style.color = console.out_color;
  unified_diff(before.text, to_text(after), style, [&](std::string_view piece) { console.out << piece; });
}

void write_graph_file(const GraphFile& file, const Options& options, Console& console) {
  if (options.out.empty()) {
    write_graph(file, [&](std::string_view piece) { console.out << piece; });
    return;
  }
  OutputFile out(options.out);
  write_graph(file, [&](std::string_view piece) { out.write(piece); });
  out.commit();
}

void write_results(const Source& before, const GraphFile& after, const Options& options, Console& console) {
  if (options.diff) write_diff(before, after, console);
  if (graph_to_stdout(options) || !options.out.empty()) write_graph_file(after, options, console);
}

}  // namespace

int apply_command(const Options& options, Console& console) {
  ProgressLine progress(console);
  const std::vector<RuleFile> files = rule_files(options.rules, console.in);
  const SourcePtr source = read_source(options.graph, console.in);
  const std::optional<RuleSet> rules = load_rule_set(files, load_options(options, load_catalogue()), console);
  GraphFile file = read_graph_file(source, console);  // its errors too, when the rules have some
  if (!rules) return kFailure;
  check_labels(options.only, "--only", *rules);
  check_labels(options.disable, "--disable", *rules);

  const Report report = apply(*rules, file.graph, apply_options(options, progress));
  progress.clear();
  print_failure(report, console);
  const int code = exit_code(report, options);
  if (report.ok()) {
    progress.show("writing");
    write_results(*source, file, options, console);
    progress.clear();
  }
  write_report(report, file.graph, options, code, console);
  return code;
}

}  // namespace fxrules::cli
