// Recognise, then read or refuse.
#include "formats/pt2/read.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "formats/around.hpp"
#include "formats/code/read.hpp"
#include "formats/extract.hpp"
#include "formats/log/lines.hpp"
#include "formats/log/read.hpp"
#include "formats/mixed.hpp"
#include "formats/recognise.hpp"
#include "formats/table/read.hpp"
#include "formats/text_ir/read.hpp"
#include "fxrules/formats.hpp"

namespace fxrules {
namespace {

// What to give instead of a form that holds no FX graph at all.
std::string_view hint_for(GraphForm form) {
  switch (form) {
    case GraphForm::torchscript:
    case GraphForm::torchscript_archive:
      return "capture the model with torch.export or torch.fx and print `gm.graph`";
    case GraphForm::inductor_ir:
    case GraphForm::inductor_code:
    case GraphForm::aotinductor_archive:
      return "it is made from an FX graph: give that one, as `print(gm.graph)`";
    case GraphForm::torch_save:
    case GraphForm::pickle:
      return "weights and objects are no graph: give the text of `print(gm.graph)`";
    case GraphForm::payload_json:
      return "the graph is in the archive's models folder";
    case GraphForm::mlir:
      return "give the FX graph that it was lowered from, as `print(gm.graph)`";
    default:
      return "give the text of `print(gm.graph)`";
  }
}

bool has_no_graph(GraphForm form) {
  switch (form) {
    case GraphForm::unknown:
    case GraphForm::empty:
    case GraphForm::archive:
    case GraphForm::log:
    case GraphForm::torch_save:
    case GraphForm::pickle:
    case GraphForm::payload_json:
    case GraphForm::inductor_ir:
    case GraphForm::inductor_code:
    case GraphForm::aotinductor_archive:
    case GraphForm::torchscript:
    case GraphForm::torchscript_archive:
    case GraphForm::mlir:
      return true;
    default:
      return false;
  }
}

void read_text(const SourcePtr& source, GraphForm form, const ReadOptions& options, std::size_t most, GraphFiles& out) {
  switch (form) {
    case GraphForm::text_ir:
      text_ir::read_all(source, options, most, out);
      break;
    case GraphForm::code:
    case GraphForm::exported_program:
      code::read_all(source, options, most, form, out);
      break;
    case GraphForm::tabular:
      table::read_all(source, options, most, out);
      break;
    case GraphForm::program_json:
    case GraphForm::pt2_archive:
    case GraphForm::legacy_export_archive:
      out.graphs.push_back(pt2::read(source, form, options));
      break;
    default:
      out.diagnostics.push_back(refusal(source->name, form));
  }
}

// A dump of text IR with a prefix in front of every line comes back with it; other logs are taken apart.
bool is_log_of_graphs(std::string_view text) {
  if (!log::is_log(text)) return false;
  return recognise(text) != GraphForm::text_ir || text.find("(torch.nn.Module):") != std::string_view::npos;
}

GraphFiles read_log(const SourcePtr& source, const ReadOptions& options, std::size_t most) {
  GraphFiles out;
  log::read_all(
      source,
      [&](const SourcePtr& text, GraphFiles& found) {
        read_text(text, recognise(text->text), options, std::numeric_limits<std::size_t>::max(), found);
      },
      out);
  if (out.graphs.empty() && out.diagnostics.empty()) out.diagnostics.push_back(refusal(source->name, GraphForm::log));
  if (out.graphs.size() > most) {
    out.graphs.erase(out.graphs.begin() + static_cast<std::ptrdiff_t>(most), out.graphs.end());
    report_several(out, Others::left_out);
  }
  return out;
}

// A form leaves parts to the others: there are fewer forms than this.
constexpr int kMostForms = 4;

GraphFiles read_some(const SourcePtr& source, ReadOptions options, std::size_t most, int forms = kMostForms) {
  GraphFiles out;
  if (source->text.size() >= std::numeric_limits<std::uint32_t>::max()) {
    Diagnostic d;
    d.kind = "too-large";
    d.message = fmt::format("{}: files of 4 GiB and more are not read", source->name);
    out.diagnostics.push_back(std::move(d));
    return out;
  }
  if (options.tables == nullptr) options.tables = std::make_shared<Tables>();
  const bool archive = source->text.starts_with("PK\x03\x04");
  if (!archive && source->text.find("\x1b[") != std::string::npos) {
    Extract plain = without_colours(source);
    if (plain.size() < source->text.size()) {
      out = read_some(plain.source(), options, most);
      plain.restore(out);
      return out;
    }
  }
  if (!archive && is_log_of_graphs(source->text)) return read_log(source, options, most);
  read_text(source, recognise(source->text), options, most, out);
  const auto part = [&](const SourcePtr& text) { return read_some(text, options, most, forms - 1); };
  if (!archive && forms > 0) read_between(source, most, part, out);
  return out;
}

}  // namespace

Diagnostic refusal(std::string_view file, GraphForm form) {
  Diagnostic d;
  d.kind = has_no_graph(form) ? "no-graph" : "unread-form";
  d.message = fmt::format("{}: this is {}, {}", file, describe(form),
                          has_no_graph(form) ? "which holds no FX graph" : "which is not read yet");
  if (form == GraphForm::unknown) d.message = fmt::format("{}: no graph found, in none of the known forms", file);
  d.hint = hint_for(form);
  return d;
}

bool GraphFiles::ok() const {
  if (graphs.empty() || has_errors(diagnostics)) return false;
  for (const GraphFile& file : graphs) {
    if (has_errors(file.diagnostics)) return false;
  }
  return true;
}

namespace {

// A text that looks like a form and holds nothing that its reader takes for a graph.
Diagnostic nothing_found(const SourcePtr& source) {
  constexpr std::string_view kDef = "def forward(";
  Diagnostic d;
  d.kind = "no-graph";
  if (const std::size_t at = source->text.find(kDef); at != std::string::npos) {
    d.message = "no graph is read here, since `def forward(` does not begin its line";
    d.hint = "take off what stands in front of each line";
    d.span = {source, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + kDef.size() - 1)};
  } else {
    d.message = fmt::format("{}: this looks like {} and holds no `def forward(`", source->name,
                            describe(recognise(source->text)));
    d.hint = "capture the model with torch.export or torch.fx and print `gm.graph`";
  }
  return d;
}

// As a Windows shell redirects it.
bool is_utf16(std::string_view text) { return text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"); }

GraphFiles read_or_refuse(const SourcePtr& source, const ReadOptions& options, std::size_t most) {
  if (is_utf16(source->text)) {
    GraphFiles refused;
    refused.diagnostics.push_back({Severity::error,
                                   "no-graph",
                                   fmt::format("{}: this is text in UTF-16, which is not read", source->name),
                                   {},
                                   "save it as UTF-8",
                                   {}});
    return refused;
  }
  GraphFiles out = read_some(source, options, most);
  if (out.graphs.empty() && !has_errors(out.diagnostics)) out.diagnostics.push_back(nothing_found(source));
  return out;
}

}  // namespace

GraphFiles read_graphs(SourcePtr source, const ReadOptions& options) {
  return read_or_refuse(source, options, std::numeric_limits<std::size_t>::max());
}

GraphFile read_graph(SourcePtr source, const ReadOptions& options) {
  GraphFiles files = read_or_refuse(source, options, 1);
  GraphFile out;
  if (!files.graphs.empty()) {
    out = std::move(files.graphs[0]);
  } else {
    out.form = recognise(source->text);
  }
  out.diagnostics.insert(out.diagnostics.end(), std::make_move_iterator(files.diagnostics.begin()),
                         std::make_move_iterator(files.diagnostics.end()));
  const auto place = [](const Diagnostic& d) { return d.span.source ? std::uint64_t{d.span.begin} : UINT64_MAX; };
  std::stable_sort(out.diagnostics.begin(), out.diagnostics.end(),
                   [&](const Diagnostic& a, const Diagnostic& b) { return place(a) < place(b); });
  return out;
}

}  // namespace fxrules
