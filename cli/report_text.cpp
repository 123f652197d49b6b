#include <algorithm>
#include <iterator>
#include <unordered_map>

#include <fmt/format.h>

#include "cli/report.hpp"

namespace fxrules::cli {
namespace {

constexpr std::size_t kEnough = 20;  // lines of a list that may be long

std::string count_of(std::size_t n, std::string_view what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += "`" + names[i] + "`";
  }
  return text;
}

std::string outcome(const Report& report) {
  const std::string rewrites = count_of(report.rewrites, "rewrite");
  switch (report.stop) {
    case StopReason::converged:
      return fmt::format("converged after {}", rewrites);
    case StopReason::limit:
      return fmt::format("stopped at the limit of {}", rewrites);
    case StopReason::default_limit:
      return fmt::format("gave up after {}: the rules do not seem to end", rewrites);
    case StopReason::cycle:
      return fmt::format("gave up after {}: {} {}", rewrites, joined(report.cycle),
                         report.cycle.size() == 1 ? "undoes itself" : "undo each other");
    case StopReason::failed:
      return "failed, nothing was changed";
  }
  return {};
}

class Text {
 public:
  explicit Text(const Report& report, const Graph& graph) : report_(report), graph_(graph) {}

  std::string write() {
    line("{}; {} before, {} after", outcome(report_), count_of(report_.nodes_before, "node"), report_.nodes_after);
    rewrites();
    near_misses();
    notes();
    mutated_inputs();
    unknown_targets();
    names();
    return std::move(text_);
  }

 private:
  template <class... Values>
  void line(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
    text_ += '\n';
  }

  // The first entries of a list, then how many more there are.
  template <class List, class Write>
  void list(std::string_view title, const List& entries, Write write) {
    if (entries.empty()) return;
    line("  {}", title);
    std::size_t shown = 0;
    for (const auto& entry : entries) {
      if (shown++ == kEnough) break;
      write(entry);
    }
    if (entries.size() > kEnough) line("    ... and {} more; --report json has them all", entries.size() - kEnough);
  }

  template <class Wanted>
  std::vector<const RuleReport*> rules(Wanted wanted) const {
    std::vector<const RuleReport*> found;
    for (const RuleReport& rule : report_.rules) {
      if (wanted(rule)) found.push_back(&rule);
    }
    return found;
  }

  static std::string where(const RuleReport& rule) {
    std::string text = place_of(rule.span);
    if (text == rule.name) text.clear();
    if (!rule.phase.empty()) text += fmt::format("{}phase {}", text.empty() ? "" : ", ", rule.phase);
    return text.empty() ? text : fmt::format("  ({})", text);
  }

  void rewrites() {
    list("rewrites", rules([](const RuleReport& r) { return r.rewrites > 0; }),
         [&](const RuleReport* r) { line("    {:>7}  {}{}", r->rewrites, r->name, where(*r)); });
  }

  void near_misses() {
    list("near misses: matched or almost, but not applied; `fxrules explain` says why at a node",
         rules([](const RuleReport& r) { return r.near_misses() > 0; }),
         [&](const RuleReport* r) { line("    {:>7}  {}{}: {}", r->near_misses(), r->name, where(*r), reasons(*r)); });
  }

  static std::string reasons(const RuleReport& r) {
    std::string text;
    const auto add = [&](std::size_t n, std::string_view what) {
      if (n > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", n, what);
    };
    add(r.guard_false, "with a guard that is false");
    add(r.guard_unknown, "with a guard that is unknown");
    add(r.refused, "refused as unsafe");
    add(r.kind_failed, "with a value of another kind");
    add(r.literal_failed, "with another literal");
    add(r.repeated_failed, "with different values for one name");
    return text;
  }

  void notes() {
    list("notes", report_.notes, [&](const Note& n) {
      const std::string node = n.node.valid() ? fmt::format("`{}`: ", graph_.text(n.node)) : std::string();
      line("    {}{}  ({})", node, n.text, report_.rules[n.rule].name);
    });
  }

  void mutated_inputs() {
    list("inputs that are written", report_.mutated_inputs, [&](const MutatedInput& m) {
      const std::string where = m.copied_back ? std::string("written back at the end")
                                              : fmt::format("output {}{}", *m.output, m.appended ? ", appended" : "");
      line("    {} -> {}  ({})", graph_.text(m.input), graph_.text(m.value), where);
    });
  }

  void unknown_targets() {
    list("not in the op catalogue, assumed to read and write what they get", report_.unknown_targets,
         [&](const std::string& target) { line("    {}", target); });
  }

  void names() {
    list("values with another name", changed_names(report_, graph_),
         [&](const auto& names) { line("    {} -> {}", names.first, names.second); });
  }

  const Report& report_;
  const Graph& graph_;
  std::string text_;
};

}  // namespace

std::string report_text(const Report& report, const Graph& graph) { return Text(report, graph).write(); }

std::string place_of(const Span& span) {
  if (span.source == nullptr) return {};
  return fmt::format("{}:{}", span.source->name, line_column(span.source->text, span.begin).line);
}

// A replacement may be replaced in its turn: from the last application on, the last name is known.
std::vector<std::pair<std::string_view, std::string_view>> changed_names(const Report& report, const Graph& graph) {
  std::unordered_map<std::uint32_t, SymbolId> last;
  std::vector<std::pair<std::string_view, std::string_view>> names;
  for (std::size_t i = report.applications.size(); i-- > 0;) {
    const Application a = report.applications[i];
    const auto renamed = [&](SymbolId old, SymbolId result) {
      if (!result.valid() || result == old) return;
      const auto further = last.find(result.value);
      const SymbolId now = further == last.end() ? result : further->second;
      last[old.value] = now;
      if (now != old) names.emplace_back(graph.text(old), graph.text(now));
    };
    for (std::size_t r = a.replaced.size(); r >= 2; r -= 2) renamed(a.replaced[r - 2], a.replaced[r - 1]);
    renamed(a.root, a.result);
  }
  std::reverse(names.begin(), names.end());
  return names;
}

}  // namespace fxrules::cli
