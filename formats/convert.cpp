// Out in another form, and what that form cannot say.
#include <algorithm>

#include <fmt/format.h>

#include "formats/code/callee.hpp"
#include "formats/code/python_values.hpp"
#include "formats/code/write.hpp"
#include "formats/python_literals.hpp"
#include "fxrules/formats.hpp"
#include "fxrules/nested.hpp"

namespace fxrules {
namespace {

constexpr std::size_t kMostNamed = 5;

bool shows_metadata(const Graph& graph, NodeId node) {
  const TensorMeta* meta = graph.metas().tensor_of(graph.meta(node));
  return meta != nullptr && meta->shape && meta->dtype != Dtype::unknown;
}

// Counts what is lost and names the first few nodes.
class Losses {
 public:
  explicit Losses(std::vector<Diagnostic>& out) : out_(out) {}

  void add(std::string_view node) {
    if (count_++ < kMostNamed) names_ += fmt::format("{}`{}`", names_.empty() ? "" : ", ", node);
  }
  void report(Severity severity, std::string_view kind, std::string_view what, std::string_view hint = {}) {
    if (count_ > 0) {
      out_.push_back({severity,
                      std::string(kind),
                      fmt::format("{}: {}{}", what, names_,
                                  count_ > kMostNamed ? fmt::format(" and {} more", count_ - kMostNamed) : ""),
                      {},
                      std::string(hint)});
    }
    count_ = 0;
    names_.clear();
  }

 private:
  std::vector<Diagnostic>& out_;
  std::size_t count_ = 0;
  std::string names_;
};

void to_text_ir(const GraphFile& file, Losses& losses) {
  const Graph& graph = file.graph;
  for (const Unsayable& u : unsayable_in_text_ir(graph)) losses.add(fmt::format("{} ({})", graph.name(u.node), u.what));
  losses.report(Severity::warning, "unsayable",
                "text IR writes strings without quotes, which would read back as something else",
                "`--to readable` says them");
  for (const Subgraph& nested : graph.subgraphs()) losses.add(graph.text(nested.path));
  losses.report(Severity::warning, "lost-nested", "nested graphs are no part of text IR",
                "`--to readable` writes them");
  for (const NodeId n : graph.nodes()) {
    const Opcode opcode = graph.opcode(n);
    if ((opcode == Opcode::placeholder || opcode == Opcode::get_attr) && shows_metadata(graph, n))
      losses.add(graph.name(n));
  }
  losses.report(Severity::note, "lost-metadata", "text IR shows no metadata of inputs and attributes");
  for (const NodeId n : graph.nodes()) {
    for (const Slot& slot : graph.slots(n)) {
      if (slot.kind != ArgKind::tuple || !slot.tuple_name().valid()) continue;
      const std::string_view name = graph.text(slot.tuple_name());
      const bool shown = graph.opcode(n) == Opcode::output && name.ends_with(')');
      if (!shown) losses.add(without_fields(name));
    }
  }
  losses.report(Severity::warning, "lost-name", "named tuples are written as plain ones");
}

// What text IR printed without quotes becomes Python, which is a guess.
void to_python(const Graph& graph, Losses& losses) {
  const SymbolId device = graph.symbols().intern("device");
  for (const NodeId n : graph.nodes()) {
    const CallForm& form = graph.form(n);
    for (std::uint32_t i = 0; i < graph.slots(n).size(); ++i) {
      const SlotId id(graph.slots_begin(n) + i);
      const Slot& slot = graph[id];
      if (slot.kind != ArgKind::bare) continue;
      const std::string_view text = graph.text(slot.symbol());
      const std::uint32_t top = graph.slots_end(n) - form.count();
      const bool keyword = id.value >= top + form.positional;
      if (keyword && form.keywords[id.value - top - form.positional] == device && code::looks_like_device(text))
        continue;
      if (code::looks_like_size(text) || code::looks_like_device(text)) {
        losses.add(graph.name(n));
      }
    }
  }
  losses.report(Severity::warning, "ambiguous-text",
                "text IR prints strings, devices and sizes alike: texts that look like devices are written as strings, "
                "those that look like sizes as sizes",
                "the code of the graph tells them apart");
  std::vector<SymbolId> targets;
  for (const NodeId n : graph.nodes()) {
    if (graph.opcode(n) != Opcode::call_function) continue;
    const std::string_view target = graph.target(n);
    if (code::is_dotted_path(target) ||
        std::find(targets.begin(), targets.end(), graph.form(n).target) != targets.end())
      continue;
    targets.push_back(graph.form(n).target);
    losses.add(target);
  }
  losses.report(Severity::warning, "lost-target", "these functions have no name by which Python could import them");
}

CodeStyle style_for(const GraphFile& file, bool readable) {
  const bool was_code = file.form == GraphForm::code || file.form == GraphForm::exported_program;
  CodeStyle style = was_code ? file.code : CodeStyle{};
  style.class_indent.clear();
  style.def_indent = readable ? "    " : "";
  style.body_indent = style.def_indent + "    ";
  style.leads.clear();
  style.lead_of.clear();
  style.end_lead = 0;
  style.signature = style.result = {};
  style.nested.clear();
  style.quoted = true;
  style.metadata = readable;
  style.final_newline = true;
  style.line_end = "\n";
  if (!readable) {
    style.class_name.clear();
  } else if (style.class_name.empty()) {
    style.class_name = "GraphModule";
  }
  return style;
}

}  // namespace

std::vector<Diagnostic> losses(const GraphFile& file, OutputForm form) {
  std::vector<Diagnostic> out;
  Losses losses(out);
  switch (form) {
    case OutputForm::fx:
      to_text_ir(file, losses);
      break;
    case OutputForm::code:
      for (const Subgraph& nested : file.graph.subgraphs()) losses.add(file.graph.text(nested.path));
      losses.report(Severity::warning, "lost-nested", "nested graphs are no part of `gm.code`",
                    "`--to readable` writes them");
      for (const NodeId n : file.graph.nodes()) {
        if (file.graph.meta(n).valid()) losses.add(file.graph.name(n));
      }
      losses.report(Severity::note, "lost-metadata", "`gm.code` shows no metadata");
      to_python(file.graph, losses);
      break;
    case OutputForm::readable:
      for (const auto& each : with_nested(file.graph)) to_python(*each.graph, losses);
      break;
    case OutputForm::dot:
    case OutputForm::svg:
      break;
  }
  return out;
}

void write_as(const GraphFile& file, OutputForm form, const Sink& sink) {
  const std::string_view name = file.title.empty() ? std::string_view("graph") : std::string_view(file.title);
  switch (form) {
    case OutputForm::fx: {
      TextIrStyle style = file.form == GraphForm::text_ir ? file.style : TextIrStyle{};
      for (const NodeId n : file.graph.nodes()) style.metadata |= shows_metadata(file.graph, n);
      write_text_ir(file.graph, style, sink);
      return;
    }
    case OutputForm::readable:
      code::write(file.graph, style_for(file, true), sink);
      return;
    case OutputForm::code:
      sink(code::import_lines(file.graph));
      code::write(file.graph, style_for(file, false), sink);
      return;
    case OutputForm::dot:
      write_dot(file.graph, name, sink);
      return;
    case OutputForm::svg:
      write_svg(file.graph, name, sink);
      return;
  }
}

}  // namespace fxrules
