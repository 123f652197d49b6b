// fxrules explain: what each rule makes of one node of a graph, as the graph was given.
#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "cli/graph_file.hpp"
#include "cli/inputs.hpp"
#include "cli/labels.hpp"
#include "cli/report.hpp"
#include "cli/rule_files.hpp"
#include "cli/run.hpp"
#include "fxrules/explain.hpp"
#include "fxrules/nested.hpp"

namespace fxrules::cli {
namespace {

struct Place {
  Graph* graph = nullptr;
  NodeId node;
};

// The graph's own nodes first, then those of nested graphs.
Place find_node(Graph& graph, std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto& each : with_nested(graph)) {
    for (const NodeId n : each.graph->nodes()) {
      if (each.graph->name(n) == name) return {each.graph, n};
      names.push_back(each.graph->name(n));
    }
  }
  const std::vector<std::string> near = nearest_names(name, names, 1);
  throw UsageError(fmt::format("--node {}: the graph has no node of this name", name),
                   near.empty() ? std::string("names stand before the colon, as in `%add_1 : …`")
                                : fmt::format("did you mean `{}`?", near[0]));
}

// The text of a span on one line.
std::string one_line(const Span& span) {
  if (span.source == nullptr) return {};
  std::string out;
  for (const char c : std::string_view(span.source->text).substr(span.begin, span.end - span.begin)) {
    const bool blank = c == ' ' || c == '\n' || c == '\r';
    if (!blank) out += c;
    if (blank && !out.empty() && out.back() != ' ') out += ' ';
  }
  return out;
}

// The left side as it is written, without the label.
std::string pattern(const RuleInfo& rule) {
  if (rule.span.source == nullptr) return rule.text;
  Span span = rule.span;
  const std::string_view text = span.source->text;
  const std::size_t arrow = text.find("=>", span.begin);
  if (arrow == std::string_view::npos) return rule.text;
  span.end = static_cast<std::uint32_t>(arrow);
  std::string line = one_line(span);
  if (line.starts_with(rule.name + ":")) line.erase(0, rule.name.size() + 1);
  const std::size_t first = line.find_first_not_of(' ');
  return first == std::string::npos ? rule.text : line.substr(first, line.find_last_not_of(' ') + 1 - first);
}

std::string_view word(Truth truth) {
  return truth == Truth::yes ? "holds" : truth == Truth::no ? "is false" : "is unknown";
}

class Story {
 public:
  Story(const RuleSet& rules, Graph& graph, const ApplyOptions& how, std::ostream& out)
      : infos_(rules.rules()), rules_(rules), graph_(graph), how_(how), out_(out) {}

  void tell(const Explanation& e, NodeId node) {
    const RuleInfo& rule = infos_[e.rule];
    const std::string place = place_of(rule.span);
    out_ << fmt::format("\n{}{}: {}\n", rule.name, place.ends_with(rule.name) ? "" : fmt::format(" ({})", place),
                        headline(e.verdict));
    out_ << fmt::format("  {}\n", pattern(rule));
    for (const auto& [name, value] : e.bindings) out_ << fmt::format("    {} = {}\n", name, value);
    if (e.verdict == Verdict::other_op || e.verdict == Verdict::no_match) {
      out_ << fmt::format("  fails: {}\n", e.reason);
      if (!e.needed.empty()) out_ << fmt::format("  would have to hold: {}\n", e.needed);
    }
    for (const AlternativeVerdict& a : e.alternatives) tell(a);
    if (e.verdict != Verdict::applies) return;
    if (e.further_roots > 0)
      out_ << fmt::format("  the rule has {} further root{}, which must be found among the users\n", e.further_roots,
                          e.further_roots == 1 ? "" : "s");
    run(rule.name, node);
  }

 private:
  static std::string_view headline(Verdict verdict) {
    switch (verdict) {
      case Verdict::other_op:
        return "another op";
      case Verdict::no_match:
        return "does not match";
      case Verdict::guard:
        return "matches, no guard is known to hold";
      case Verdict::applies:
        return "matches";
    }
    return {};
  }

  void tell(const AlternativeVerdict& a) {
    out_ << fmt::format("  {}\n", one_line(a.span));
    if (a.guard.empty()) {
      out_ << fmt::format("    {}\n", a.holds == Truth::yes ? "holds" : word(a.holds));
      return;
    }
    out_ << fmt::format("    `{}` {}{}\n", a.guard, word(a.holds), a.why.empty() ? "" : ": " + a.why);
    out_ << fmt::format("    would have to hold: {}\n", a.guard);
  }

  // What the engine says once the rule alone is applied: a match may still be refused.
  void run(const std::string& rule, NodeId node) {
    Graph copy = graph_.clone();
    const std::string name(graph_.name(node));
    ApplyOptions how = how_;
    how.only = {rule};
    how.restore_on_failure = false;
    const Report report = apply(rules_, copy, how);
    const auto rewritten = std::any_of(report.applications.begin(), report.applications.end(),
                                       [&](const Application& a) { return copy.text(a.root) == name; });
    if (rewritten) out_ << "  applied alone, it rewrites this node\n";
    for (const Note& note : report.notes) {
      if (note.node.valid() && copy.text(note.node) == name) out_ << fmt::format("  applied alone: {}\n", note.text);
    }
    for (const Diagnostic& d : report.diagnostics) {
      if (d.message.find("`" + name + "`") != std::string::npos)
        out_ << fmt::format("  applied alone: {} [{}]\n", d.message, d.kind);
    }
  }

  std::vector<RuleInfo> infos_;
  const RuleSet& rules_;
  Graph& graph_;
  const ApplyOptions& how_;
  std::ostream& out_;
};

}  // namespace

int explain_command(const Options& options, Console& console) {
  const std::vector<RuleFile> files = rule_files(options.rules, console.in);
  const SourcePtr source = read_graph_source(options.graph, console);
  const auto catalogue = load_catalogue();
  const std::optional<RuleSet> rules = load_rule_set(files, load_options(options, catalogue), console);
  GraphFile file = read_graph_file(source, catalogue, console);
  if (!rules) return kFailure;
  check_labels(options.only, "--rule", *rules);
  take_inputs(options, *rules, file.graph);
  std::string_view name = options.node;
  if (name.starts_with('%')) name.remove_prefix(1);
  const auto [graph, node] = find_node(file.graph, name);

  std::vector<Explanation> found;
  if (options.only.empty()) found = explain(*rules, *graph, node);
  for (const std::string& rule : options.only) {
    for (Explanation& e : explain(*rules, *graph, node, rule)) found.push_back(std::move(e));
  }
  console.out << fmt::format("%{}: {} {}\n", graph->name(node), to_string(graph->opcode(node)), graph->target(node));
  if (found.empty()) console.out << "no rule has a root that accepts this node; --rule LABEL looks at one anyway\n";
  ApplyOptions how;
  how.mutated_inputs = options.mutated_inputs;
  Story story(*rules, *graph, how, console.out);
  for (const Explanation& e : found) story.tell(e, node);
  return kSuccess;
}

}  // namespace fxrules::cli
