#include "cli/html_report.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "cli/page/page.hpp"
#include "formats/node_label.hpp"
#include "fxrules/formats.hpp"

namespace fxrules::cli {
namespace {

// JSON that may stand in a script element.
std::string script_json(std::string_view text) {
  const std::string json = json_string(text);
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

std::string script_json(const Graph& graph, SymbolId name) {
  return name.valid() ? script_json(graph.text(name)) : "null";
}

template <class List, class Write>
void append_list(std::string& out, const List& list, Write write) {
  out += '[';
  bool first = true;
  for (const auto& item : list) {
    if (!first) out += ',';
    first = false;
    write(item);
  }
  out += ']';
}

// Where each node stands.
std::vector<std::uint32_t> places_of(const Graph& graph) {
  std::vector<std::uint32_t> places(graph.id_bound());
  std::uint32_t next = 0;
  for (const NodeId n : graph.nodes()) places[n.value] = next++;
  return places;
}

std::string arguments_of(const Graph& graph, NodeId node) {
  const CallForm& form = graph.form(node);
  if (form.opcode == Opcode::placeholder || form.opcode == Opcode::get_attr) return {};
  std::string out = form.opcode == Opcode::output ? " " : "(";
  const std::uint32_t positional = graph.argument_count(node) - static_cast<std::uint32_t>(form.keywords.size());
  for (std::uint32_t i = 0; i < graph.argument_count(node); ++i) {
    if (i > 0) out += ", ";
    if (i >= positional) out += fmt::format("{} = ", graph.text(form.keywords[i - positional]));
    append_argument(out, graph, graph.argument(node, i), true);
  }
  if (form.opcode != Opcode::output) out += ')';
  return out;
}

std::string what_of(const Graph& graph, NodeId node, const NodeLabel& label) {
  switch (graph.opcode(node)) {
    case Opcode::placeholder:
      return label.what.empty() ? "placeholder" : "placeholder " + label.what;
    case Opcode::output:
      return "return";
    default:
      return label.what;
  }
}

// Nodes that stand in both graphs in the same order, as places before and after: the longest such sequence.
std::vector<std::pair<std::uint32_t, std::uint32_t>> common_nodes(const Graph& before, const Graph& after) {
  const std::vector<std::uint32_t> places = places_of(after);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> both;
  std::uint32_t at = 0;
  for (const NodeId n : before.nodes()) {
    const NodeId same = after.find(before.name(n));
    if (same.valid()) both.emplace_back(at, places[same.value]);
    ++at;
  }
  constexpr std::size_t kNone = SIZE_MAX;
  std::vector<std::size_t> ends, previous(both.size(), kNone);  // by length: the pair that ends lowest
  for (std::size_t i = 0; i < both.size(); ++i) {
    const auto longer = std::lower_bound(ends.begin(), ends.end(), both[i].second,
                                         [&](std::size_t e, std::uint32_t place) { return both[e].second < place; });
    if (longer != ends.begin()) previous[i] = *(longer - 1);
    if (longer == ends.end()) {
      ends.push_back(i);
    } else {
      *longer = i;
    }
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> out;
  for (std::size_t i = ends.empty() ? kNone : ends.back(); i != kNone; i = previous[i]) out.push_back(both[i]);
  std::reverse(out.begin(), out.end());
  return out;
}

// Pairs of places that stand in one row of the page; -1 where a graph has nothing there.
std::string rows_of(const Graph& before, const Graph& after) {
  std::string out = "[";
  std::size_t b = 0, a = 0;
  const auto row = [&](bool left, bool right) {
    out += fmt::format("{}[{},{}]", out.size() > 1 ? "," : "", left ? static_cast<std::int64_t>(b++) : -1,
                       right ? static_cast<std::int64_t>(a++) : -1);
  };
  auto common = common_nodes(before, after);
  common.emplace_back(before.size(), after.size());
  for (const auto& [left, right] : common) {
    while (b < left && a < right) row(true, true);
    while (b < left) row(true, false);
    while (a < right) row(false, true);
    if (b < before.size() && a < after.size()) row(true, true);
  }
  return out + "]";
}

struct NodeText {
  std::string name, what, arguments, value;
  friend bool operator==(const NodeText&, const NodeText&) = default;
};

NodeText text_of(const Graph& graph, NodeId node) {
  NodeLabel label = node_label(graph, node);
  std::string what = what_of(graph, node, label);
  return {std::move(label.name), std::move(what), arguments_of(graph, node), std::move(label.value)};
}

// A node whose name the other graph does not have, or has for another call.
std::string_view state_of(const NodeText& text, const Graph& other, bool is_before) {
  const NodeId same = other.find(text.name);
  if (!same.valid()) return is_before ? "gone" : "new";
  return text == text_of(other, same) ? "" : "changed";
}

void append_nodes(std::string& out, const Graph& graph, const Graph& other, bool is_before) {
  const std::vector<std::uint32_t> places = places_of(graph);
  append_list(out, graph.nodes(), [&](NodeId n) {
    const NodeText text = text_of(graph, n);
    out += fmt::format("[{},{},{},{},\"{}\",[", script_json(text.name), script_json(text.what),
                       script_json(text.arguments), script_json(text.value), state_of(text, other, is_before));
    bool first = true;
    for (const Slot& s : graph.slots(n)) {
      if (s.kind != ArgKind::node) continue;
      out += fmt::format("{}{}", first ? "" : ",", places[s.node().value]);
      first = false;
    }
    out += "]]\n";
  });
}

// The lines of the item that a rule stands in, at most a few.
std::string text_of(const Span& span) {
  constexpr std::size_t kMostLines = 14;
  if (span.source == nullptr) return {};
  const std::string_view text = span.source->text;
  const std::size_t line_end = text.rfind('\n', span.begin == 0 ? 0 : span.begin - 1);
  const std::size_t begin = span.begin == 0 || line_end == std::string_view::npos ? 0 : line_end + 1;
  std::size_t end = begin;
  for (std::size_t line = 0; line < kMostLines && end < text.size(); ++line) {
    const std::string_view rest = text.substr(end);
    const bool continues = rest.front() == ' ' || rest.front() == '\t' || rest.front() == ')' || rest.front() == '}';
    if (line > 0 && !continues) break;
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
  }
  const std::string_view lines = text.substr(begin, end - begin);
  return std::string(lines.substr(0, lines.find_last_not_of(" \n\r") + 1));
}

std::string outcome_of(const Report& report) {
  return fmt::format("{} · {} rewrite{} · {} → {} nodes", to_string(report.stop), report.rewrites,
                     report.rewrites == 1 ? "" : "s", report.nodes_before, report.nodes_after);
}

std::string where_of(const MutatedInput& input) {
  if (input.copied_back) return "written back at the end";
  return input.output ? fmt::format("output {}{}", *input.output, input.appended ? ", appended" : "") : "";
}

void append_report(std::string& out, const Report& report, const Graph& graph) {
  out += ",\n\"rules\":";
  append_list(out, report.rules, [&](const RuleReport& r) {
    out += fmt::format("[{},{},{},{},{},{}]\n", script_json(r.name), script_json(place_of(r.span)),
                       script_json(r.phase), script_json(text_of(r.span)), r.rewrites, r.near_misses());
  });
  out += ",\n\"applications\":";
  const auto names = [&](std::span<const SymbolId> list) {
    append_list(out, list, [&](SymbolId name) { out += script_json(graph, name); });
  };
  append_list(out, report.applications, [&](const Application& a) {
    out += fmt::format("[{},{},", a.rule, script_json(graph, a.root));
    names(a.matched);
    out += ',';
    names(a.created);
    out += fmt::format(",{}]\n", script_json(graph, a.result));
  });
  out += ",\n\"notes\":";
  append_list(out, report.notes, [&](const Note& n) {
    out += fmt::format("[{},{},{}]\n", n.rule, script_json(graph, n.node), script_json(n.text));
  });
  out += ",\n\"inputs\":";
  append_list(out, report.mutated_inputs, [&](const MutatedInput& m) {
    out +=
        fmt::format("[{},{},{}]", script_json(graph, m.input), script_json(graph, m.value), script_json(where_of(m)));
  });
  out += ",\n\"diagnostics\":";
  append_list(out, report.diagnostics, [&](const Diagnostic& d) { out += script_json(render(d)); });
}

void append_graph(std::string& out, const PageGraph& page) {
  out += fmt::format("{{\"name\":{},\"outcome\":{},\"ok\":{},\n\"before\":", script_json(page.name),
                     script_json(outcome_of(*page.report)), page.report->ok());
  append_nodes(out, *page.before, *page.after, true);
  out += ",\n\"after\":";
  append_nodes(out, *page.after, *page.before, false);
  out += ",\n\"rows\":" + rows_of(*page.before, *page.after);
  append_report(out, *page.report, *page.after);
  out += "}";
}

void append_times(std::string& out, const Report& report) {
  out += fmt::format("{{\"total\":{:.6f},\"match\":{:.6f},\"rules\":", report.total_seconds, report.match_seconds);
  append_list(out, report.rules,
              [&](const RuleReport& r) { out += fmt::format("{:.6f}", r.guard_seconds + r.rewrite_seconds); });
  out += '}';
}

}  // namespace

void html_report(std::string_view title, const std::vector<PageGraph>& graphs, const TextSink& sink) {
  sink(kPageHead);
  std::string out =
      fmt::format("<script type=\"application/json\" id=\"data\">{{\"title\":{},\"graphs\":[\n", script_json(title));
  for (const PageGraph& page : graphs) {
    append_graph(out, page);
    if (&page != &graphs.back()) out += ",\n";
    sink(out);
    out.clear();
  }
  out += "]}</script>\n<script type=\"application/json\" id=\"times\">{\"graphs\":";
  append_list(out, graphs, [&](const PageGraph& page) { append_times(out, *page.report); });
  out += "}</script>\n<script>\n";
  sink(out);
  sink(kPageScript);
  sink("</script>\n</body>\n</html>\n");
}

}  // namespace fxrules::cli
