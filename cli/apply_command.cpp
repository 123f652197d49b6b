// fxrules apply: rules and a graph in, a graph, a diff and a report out. Nothing is written before everything
// that can fail has been done, but for the writing itself.
#include <algorithm>
#include <ostream>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "cli/files.hpp"
#include "cli/graph_file.hpp"
#include "cli/inputs.hpp"
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

ApplyOptions apply_options(const Options& options) {
  ApplyOptions apply;
  apply.max_rewrites = options.max_rewrites;
  apply.only = options.only;
  apply.disable = options.disable;
  apply.mutated_inputs = options.mutated_inputs;
  apply.mutated_attributes = options.mutated_attributes;
  apply.dce = options.dce;
  apply.record = options.report != ReportForm::none;
  apply.restore_on_failure = false;  // nothing of a failed run is kept
  return apply;
}

// Where a rule made a node that the text form cannot say: found by doing it all again, with a record.
class Makers {
 public:
  Makers(const RuleSet& rules, const SourcePtr& source, const Options& options) : file_(read_graph(source)) {
    for (const Unsayable& u : unsayable_in_text_ir(file_.graph)) given_.insert(key(file_.graph, u));
    take_inputs(options, rules, file_.graph);
    ApplyOptions again = apply_options(options);
    again.record = true;
    report_ = apply(rules, file_.graph, again);
    for (const Application& a : report_.applications) {
      for (const SymbolId name : a.created) rule_of_[std::string(file_.graph.text(name))] = a.rule;
      if (a.result.valid()) rule_of_.try_emplace(std::string(file_.graph.text(a.result)), a.rule);
    }
  }

  // The input had this already.
  [[nodiscard]] bool was_given(const Graph& graph, const Unsayable& u) const { return given_.contains(key(graph, u)); }
  [[nodiscard]] const RuleReport* rule_of(std::string_view node) const {
    const auto found = rule_of_.find(std::string(node));
    return found == rule_of_.end() ? nullptr : &report_.rules[found->second];
  }

 private:
  static std::string key(const Graph& graph, const Unsayable& u) {
    return fmt::format("{} {}", graph.name(u.node), u.what);
  }

  GraphFile file_;
  Report report_;
  std::unordered_set<std::string> given_;
  std::unordered_map<std::string, std::uint32_t> rule_of_;
};

// What would read back as something else must not be written in silence.
void check_output(const RuleSet& rules, const SourcePtr& source, const Graph& graph, const Options& options,
                  Report& report) {
  const std::vector<Unsayable> found = unsayable_in_text_ir(graph);
  if (found.empty()) return;
  const Makers makers(rules, source, options);
  constexpr std::size_t kMost = 20;
  for (std::size_t i = 0; i < std::min(found.size(), kMost); ++i) {
    const std::string_view name = graph.name(found[i].node);
    const bool given = makers.was_given(graph, found[i]);
    const RuleReport* maker = given ? nullptr : makers.rule_of(name);
    report.diagnostics.push_back(
        {given ? Severity::note : Severity::error, "unsayable",
         fmt::format("`%{}`: {} would be read back as something else{}", name, found[i].what,
                     maker == nullptr ? "" : fmt::format("; the rule `{}` made it", maker->name)),
         maker == nullptr ? Span() : maker->span,
         "print(gm.graph) writes strings without quotes: `1` is a number then, and `, ` and brackets divide"});
  }
  if (found.size() > kMost)
    report.diagnostics.push_back(
        {Severity::note, "unsayable", fmt::format("{} more nodes like these", found.size() - kMost), {}, {}});
  if (has_errors(report.diagnostics)) report.stop = StopReason::failed;
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

// Programs of torch.export are compared as text IR, nested graphs included.
std::string exported_text(const Graph& graph) {
  std::string text;
  std::vector<std::pair<std::string, const Graph*>> todo{{"", &graph}};
  while (!todo.empty()) {
    const auto [path, g] = todo.back();
    todo.pop_back();
    if (!path.empty()) text += "\n# " + path + "\n";
    text += to_text(*g);
    for (std::size_t i = g->subgraphs().size(); i-- > 0;) {
      const Subgraph& s = g->subgraphs()[i];
      todo.emplace_back((path.empty() ? "" : path + ".") + std::string(g->text(s.path)), s.graph.get());
    }
  }
  return text;
}

// What happened to the values of a program, by name.
void note_rewrites(GraphFile& file, const Report& report) {
  for (const Application& a : report.applications) {
    for (const SymbolId name : a.created) file.made_for[name.value] = a.root;
    if (a.result.valid() && a.result != a.root) file.stands_for[a.root.value] = a.result;
    for (std::size_t i = 0; i + 1 < a.replaced.size(); i += 2) file.stands_for[a.replaced[i].value] = a.replaced[i + 1];
  }
}

void check_program(GraphFile& file, Report& report) {
  note_rewrites(file, report);
  for (Diagnostic& d : check_exported(file)) report.diagnostics.push_back(std::move(d));
  if (has_errors(report.diagnostics)) report.stop = StopReason::failed;
}

void write_diff(const Source& before, const GraphFile& after, Console& console) {
  DiffStyle style;
  style.before_name = before.name;
  style.after_name = before.name + "\t(rewritten)";  // behind a tab `patch` expects a remark
  style.color = console.out_color;
  unified_diff(before.text, after.exported != nullptr ? exported_text(after.graph) : to_text(after), style,
               [&](std::string_view piece) { console.out << piece; });
}

void write_spooled(const GraphFile& file, const Sink& sink) {
  Spool spool;
  write_graph(
      file, [&](std::string_view piece) { spool.write(piece); },
      [&](std::uint64_t at, std::string_view bytes) { spool.patch(at, bytes); });
  spool.drain(sink);
}

void write_graph_file(const GraphFile& file, const Options& options, Console& console) {
  const auto to_stdout = [&](std::string_view piece) { console.out << piece; };
  if (options.out.empty()) {
    if (is_archive(file)) return write_spooled(file, to_stdout);
    return write_graph(file, to_stdout);
  }
  OutputFile out(options.out);
  const auto to_file = [&](std::string_view piece) { out.write(piece); };
  if (is_archive(file) && !out.can_patch()) {
    write_spooled(file, to_file);
  } else {
    write_graph(file, to_file, [&](std::uint64_t at, std::string_view bytes) { out.patch(at, bytes); });
  }
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
  SourcePtr source = read_graph_source(options.graph, console);
  const std::shared_ptr<Catalogue> catalogue = load_catalogue();
  const std::optional<RuleSet> rules = load_rule_set(files, load_options(options, catalogue), console);
  GraphFile file = read_graph_file(source, catalogue, console);  // its errors too, when the rules have some
  if (!rules) return kFailure;
  take_inputs(options, *rules, file.graph);
  check_labels(options.only, "--only", *rules);
  check_labels(options.disable, "--disable", *rules);

  ApplyOptions how = apply_options(options);
  if (file.exported != nullptr) {
    how.record = true;
    source = std::make_shared<Source>(Source{source->name, options.diff ? exported_text(file.graph) : ""});
  }
  if (progress.enabled()) how.progress = [&progress](const Progress& p) { progress.show(p); };
  Report report = apply(*rules, file.graph, how);
  progress.clear();
  if (report.ok() && file.form == GraphForm::text_ir) check_output(*rules, source, file.graph, options, report);
  if (report.ok() && file.exported != nullptr) check_program(file, report);
  print(console, report.diagnostics);
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
