// Lists are written entry by entry, so that memory does not grow with the number of applications.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "cli/report.hpp"

namespace fxrules::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string dump(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);  // names may hold any bytes
}

class Writer {
 public:
  explicit Writer(const TextSink& sink) : sink_(sink) {}

  void value(std::string_view key, const Json& value) {
    begin(key);
    text_ += dump(value);
  }

  // One entry a line.
  template <class List, class Entry>
  void list(std::string_view key, const List& entries, Entry entry) {
    lines(key, '[', ']', entries, [&](const auto& e) { text_ += dump(entry(e)); });
  }

  // An object of strings. Written directly: an ordered Json object looks through all its keys at each new one.
  template <class Pairs>
  void object(std::string_view key, const Pairs& pairs) {
    lines(key, '{', '}', pairs, [&](const auto& pair) { text_ += dump(pair.first) + ": " + dump(pair.second); });
  }

  void end() {
    text_ += "\n}\n";
    flush();
  }

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 16;

  template <class List, class Write>
  void lines(std::string_view key, char open, char close, const List& entries, Write write) {
    begin(key);
    text_ += open;
    bool first = true;
    for (const auto& e : entries) {
      text_ += first ? "\n    " : ",\n    ";
      first = false;
      write(e);
      if (text_.size() > kPiece) flush();
    }
    if (!first) text_ += "\n  ";
    text_ += close;
  }

  void begin(std::string_view key) {
    text_ += text_.empty() && first_ ? "{\n  " : ",\n  ";
    first_ = false;
    text_ += dump(key) + ": ";
  }
  void flush() {
    sink_(text_);
    text_.clear();
  }

  const TextSink& sink_;
  std::string text_;
  bool first_ = true;
};

std::string_view file_of(const Span& span) { return span.source == nullptr ? std::string_view() : span.source->name; }
LineColumn line_of(const Span& span) {
  return span.source == nullptr ? LineColumn{} : line_column(span.source->text, span.begin);
}

Json names(std::span<const SymbolId> symbols, const Graph& graph) {
  Json list = Json::array();
  for (const SymbolId symbol : symbols) list.push_back(graph.text(symbol));
  return list;
}

Json name(SymbolId symbol, const Graph& graph) { return symbol.valid() ? Json(graph.text(symbol)) : Json(nullptr); }

template <class Wanted>
std::vector<const RuleReport*> select(const Report& report, Wanted wanted) {
  std::vector<const RuleReport*> rules;
  for (const RuleReport& rule : report.rules) {
    if (wanted(rule)) rules.push_back(&rule);
  }
  return rules;
}

void write_rules(const Report& report, Writer& out) {
  out.list("rewrites", select(report, [](const RuleReport& r) { return r.rewrites > 0; }), [](const RuleReport* r) {
    return Json{{"rule", r->name},
                {"phase", r->phase},
                {"file", file_of(r->span)},
                {"line", line_of(r->span).line},
                {"count", r->rewrites}};
  });
  out.list("near_misses", select(report, [](const RuleReport& r) { return r.near_misses() > 0; }),
           [](const RuleReport* r) {
             return Json{{"rule", r->name},
                         {"guard_false", r->guard_false},
                         {"guard_unknown", r->guard_unknown},
                         {"refused", r->refused},
                         {"kind", r->kind_failed},
                         {"literal", r->literal_failed},
                         {"repeated", r->repeated_failed}};
           });
}

void write_findings(const Report& report, const Graph& graph, Writer& out) {
  out.list("notes", report.notes, [&](const Note& n) {
    return Json{{"rule", report.rules[n.rule].name}, {"node", name(n.node, graph)}, {"text", n.text}};
  });
  out.list("mutated_inputs", report.mutated_inputs, [&](const MutatedInput& m) {
    return Json{{"input", name(m.input, graph)},
                {"value", name(m.value, graph)},
                {"output", m.output ? Json(*m.output) : Json(nullptr)},
                {"appended", m.appended},
                {"copied_back", m.copied_back}};
  });
  out.value("unknown_targets", report.unknown_targets);
  out.value("cycle", report.cycle);
  out.object("changed_names", changed_names(report, graph));
}

void write_applications(const Report& report, const Graph& graph, Writer& out) {
  out.list("applications", report.applications, [&](const Application& a) {
    return Json{{"rule", report.rules[a.rule].name},
                {"root", name(a.root, graph)},
                {"matched", names(a.matched, graph)},
                {"created", names(a.created, graph)},
                {"result", name(a.result, graph)}};
  });
}

std::string_view severity(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warning";
    case Severity::note:
      return "note";
  }
  return {};
}

void write_diagnostics(const Report& report, Writer& out) {
  out.list("diagnostics", report.diagnostics, [](const Diagnostic& d) {
    const LineColumn place = line_of(d.span);
    return Json{{"severity", severity(d.severity)},
                {"kind", d.kind},
                {"message", d.message},
                {"file", file_of(d.span)},
                {"line", place.line},
                {"column", place.column},
                {"hint", d.hint}};
  });
}

}  // namespace

void report_json(const Report& report, const Graph& graph, int exit_code, const TextSink& sink) {
  Writer out(sink);
  std::string stop(to_string(report.stop));
  std::replace(stop.begin(), stop.end(), ' ', '_');
  out.value("stop", stop);
  out.value("exit_code", exit_code);
  out.value("nodes_before", report.nodes_before);
  out.value("nodes_after", report.nodes_after);
  write_rules(report, out);
  write_findings(report, graph, out);
  write_applications(report, graph, out);
  write_diagnostics(report, out);
  out.end();
}

std::string json_string(std::string_view text) { return dump(text); }

}  // namespace fxrules::cli
