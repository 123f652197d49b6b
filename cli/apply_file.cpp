// Nothing is written before everything that can fail has been done, but for the writing itself.
#include "cli/apply_file.hpp"

#include <algorithm>
#include <ostream>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "cli/aliases.hpp"
#include "cli/files.hpp"
#include "cli/graph_choice.hpp"
#include "cli/graph_file.hpp"
#include "cli/html_report.hpp"
#include "cli/inputs.hpp"
#include "cli/progress.hpp"
#include "cli/report.hpp"
#include "cli/unified.hpp"
#include "fxrules/apply.hpp"
#include "fxrules/formats.hpp"
#include "fxrules/nested.hpp"

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
  apply.until = options.until;
  apply.mutated_inputs = options.mutated_inputs;
  apply.mutated_attributes = options.mutated_attributes;
  apply.dce = options.dce;
  apply.record = apply.near_misses = options.report != ReportForm::none || !options.html.empty();
  apply.profile = !options.html.empty();
  apply.restore_on_failure = false;  // nothing of a failed run is kept
  return apply;
}

// Where a rule made a node that the text form cannot say: found by doing it all again, with a record.
class Makers {
 public:
  Makers(const RuleSet& rules, GraphFile file, const SourcePtr& source, const Options& options)
      : file_(std::move(file)) {
    for (const Unsayable& u : unsayable_in_text_ir(file_.graph)) given_.insert(key(file_.graph, u));
    take_inputs(options, rules, file_.graph);
    ApplyOptions again = apply_options(options);
    again.shared_inputs = take_aliases(options, source, file_);
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
void check_output(const RuleSet& rules, const SourcePtr& source, std::size_t number, const Graph& graph,
                  const Options& options, Report& report) {
  const std::vector<Unsayable> found = unsayable_in_text_ir(graph);
  if (found.empty()) return;
  GraphFile again = options.choice.empty() ? read_graph(source) : std::move(read_graphs(source).graphs[number]);
  const Makers makers(rules, std::move(again), source, options);
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

// One graph of a run: chosen, or nested in a chosen one.
struct Work {
  GraphFile* file;
  Graph* graph;
  std::size_t number;  // of the file
  std::string name;
  Report report = {};
  std::shared_ptr<const Graph> came = {};  // the whole graph before the rules, for the page
  const Graph* before = nullptr;           // what this one was, in it
};

// The report of a run on one graph is that of the graph; on several there is one a graph.
void write_reports(const std::vector<Work>& works, const Options& options, int code, Console& console) {
  std::ostream& stream = report_to_stderr(options) ? console.err : console.out;
  const auto sink = [&](std::string_view piece) { stream << piece; };
  const bool several = works.size() > 1, json = options.report == ReportForm::json;
  if (json && several) stream << fmt::format("{{\n\"exit_code\": {},\n\"graphs\": [", code);
  for (const Work& work : works) {
    if (options.report == ReportForm::text) {
      if (several) stream << fmt::format("== {}\n", work.name);
      stream << report_text(work.report, *work.graph);
    } else if (json) {
      if (several) stream << (&work == &works.front() ? "" : ",") << "\n{\"graph\": " << json_string(work.name);
      if (several) stream << ", \"report\":\n";
      report_json(work.report, *work.graph, several ? exit_code(work.report, options) : code, sink);
      if (several) stream << '}';
    }
  }
  if (json && several) stream << "\n]\n}\n";
}

// Programs of torch.export are compared as text IR, nested graphs included.
std::string exported_text(const Graph& graph) {
  std::string text;
  for (const auto& each : with_nested(graph)) {
    if (!each.path.empty()) text += "\n# " + each.path + "\n";
    text += to_text(*each.graph);
  }
  return text;
}

// What happened to the values of a program, by name.
void note_rewrites(GraphFile& file, const Report& report, bool top) {
  for (const Application& a : report.applications) {
    for (const SymbolId name : a.created) file.made_for[name.value] = a.root;
    if (!top) continue;  // calling conventions name values of the whole program alone
    if (a.result.valid() && a.result != a.root) file.stands_for[a.root.value] = a.result;
    for (std::size_t i = 0; i + 1 < a.replaced.size(); i += 2) file.stands_for[a.replaced[i].value] = a.replaced[i + 1];
  }
}

void check_program(GraphFile& file, const Options& options, Report& report) {
  if (options.training) allow_in_place(file);
  for (Diagnostic& d : check_exported(file)) report.diagnostics.push_back(std::move(d));
  if (has_errors(report.diagnostics)) report.stop = StopReason::failed;
}

// What a diff starts from and ends with: the file, or of what is no text the graphs that were chosen.
std::string text_of(const Source& source, const ChosenGraphs& graphs) {
  const GraphFile& first = graphs.files.graphs.front();
  if (first.exported != nullptr) return exported_text(first.graph);
  std::string out;
  write_chosen(source, graphs, [&](std::string_view piece) { out += piece; });
  return out;
}

std::string text_before(const Source& source, const ChosenGraphs& graphs, const Options& options) {
  if (!options.diff) return {};
  const bool rewritten_whole =
      std::any_of(graphs.files.graphs.begin(), graphs.files.graphs.end(), [](const GraphFile& file) {
        return file.exported != nullptr || file.from_log || file.form == GraphForm::tabular;
      });
  return rewritten_whole ? text_of(source, graphs) : std::string(source.text);
}

void write_diff(const Source& source, const std::string& before, const ChosenGraphs& after, Console& console) {
  DiffStyle style;
  style.before_name = source.name;
  style.after_name = source.name + "\t(rewritten)";  // behind a tab `patch` expects a remark
  style.color = console.out_color;
  unified_diff(before, text_of(source, after), style, [&](std::string_view piece) { console.out << piece; });
}

void write_spooled(const GraphFile& file, const Sink& sink) {
  Spool spool;
  write_graph(
      file, [&](std::string_view piece) { spool.write(piece); },
      [&](std::uint64_t at, std::string_view bytes) { spool.patch(at, bytes); });
  spool.drain(sink);
}

void write_graphs(const Source& source, const ChosenGraphs& graphs, const Options& options, Console& console) {
  const GraphFile& first = graphs.files.graphs.front();
  const auto to_stdout = [&](std::string_view piece) { console.out << piece; };
  if (options.out.empty()) {
    if (is_archive(first)) return write_spooled(first, to_stdout);
    return write_chosen(source, graphs, to_stdout);
  }
  OutputFile out(options.out);
  const auto to_file = [&](std::string_view piece) { out.write(piece); };
  if (!is_archive(first)) {
    write_chosen(source, graphs, to_file);
  } else if (!out.can_patch()) {
    write_spooled(first, to_file);
  } else {
    write_graph(first, to_file, [&](std::uint64_t at, std::string_view bytes) { out.patch(at, bytes); });
  }
  out.commit();
}

// A graph of another form, to be written as a program of torch.export.
void make_program(ChosenGraphs& graphs, const std::shared_ptr<const Catalogue>& catalogue) {
  GraphFile& first = graphs.files.graphs.front();
  if (is_archive(first)) return;
  if (graphs.chosen.size() > 1)
    throw UsageError("a .pt2 file holds one graph", "choose it with --graph NAME or NUMBER");
  GraphFile chosen = as_exported(std::move(graphs.files.graphs[graphs.chosen[0]]), true, catalogue);
  graphs.files.graphs.clear();
  graphs.files.graphs.push_back(std::move(chosen));
  graphs.chosen = {0};
}

// A graph, and behind it those that are nested in it.
std::vector<Work> rewrite(GraphFile& file, std::size_t number, const RuleSet& rules, const SourcePtr& source,
                          const Options& options, ApplyOptions how) {
  if (file.exported != nullptr) how.record = true;
  how.shared_inputs = take_aliases(options, source, file);
  std::shared_ptr<const Graph> came;
  if (!options.html.empty()) came = std::make_shared<const Graph>(file.graph.clone());
  std::vector<Work> works;
  works.push_back({&file, &file.graph, number, graph_name(file, number), apply(rules, file.graph, how)});
  for (NestedReport& inside : std::exchange(works[0].report.nested, {}))
    works.push_back(
        {&file, inside.graph, number, fmt::format("{}.{}", works[0].name, inside.path), std::move(inside.report)});
  if (came != nullptr) {
    const std::vector<NestedGraph<const Graph>> before = with_nested(*came);
    for (std::size_t i = 0; i < works.size(); ++i) works[i].came = came, works[i].before = before[i].graph;
  }
  if (file.exported != nullptr) {
    for (const Work& work : works) note_rewrites(file, work.report, work.graph == &file.graph);
    if (works[0].report.ok()) check_program(file, options, works[0].report);
  }
  if (works[0].report.ok() && file.form == GraphForm::text_ir)
    check_output(rules, source, number, file.graph, options, works[0].report);
  return works;
}

void write_page(const Source& source, const std::vector<Work>& works, const Options& options) {
  std::vector<PageGraph> pages;
  for (const Work& work : works) {
    if (work.before != nullptr) pages.push_back({work.name, work.before, work.graph, &work.report});
  }
  OutputFile out(options.html);
  html_report(source.name, pages, [&](std::string_view piece) { out.write(piece); });
  out.commit();
}

}  // namespace

int apply_to_file(const Options& options, const RuleSet& rules, const SourcePtr& source,
                  const std::shared_ptr<const Catalogue>& catalogue, ChosenGraphs graphs, Console& console) {
  ProgressLine progress(console);
  for (const std::size_t i : graphs.chosen) take_inputs(options, rules, graphs.files.graphs[i].graph);
  if (options.out.ends_with(".pt2")) make_program(graphs, catalogue);
  const std::string before = text_before(*source, graphs, options);
  ApplyOptions how = apply_options(options);
  if (progress.enabled()) how.progress = [&progress](const Progress& p) { progress.show(p); };
  std::vector<Work> works;
  int code = kSuccess;
  bool ok = true;
  for (const std::size_t i : graphs.chosen) {
    for (Work& work : rewrite(graphs.files.graphs[i], i, rules, source, options, how)) {
      progress.clear();
      print(console, work.report.diagnostics);
      ok &= work.report.ok();
      code = std::max(code, exit_code(work.report, options));
      works.push_back(std::move(work));
    }
  }
  if (ok) {
    progress.show("writing");
    if (options.diff) write_diff(*source, before, graphs, console);
    if (graph_to_stdout(options) || !options.out.empty()) write_graphs(*source, graphs, options, console);
    progress.clear();
  }
  write_reports(works, options, code, console);
  if (!options.html.empty()) write_page(*source, works, options);
  return code;
}

}  // namespace fxrules::cli
