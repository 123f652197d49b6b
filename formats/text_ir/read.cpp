// A file is graphs and what stands between them; the latter is kept.
#include "formats/text_ir/read.hpp"

#include <algorithm>

#include "formats/around.hpp"
#include "formats/text_ir/graph_reader.hpp"

namespace fxrules::text_ir {

void read_all(const SourcePtr& source, const ReadOptions& options, std::size_t most, GraphFiles& out) {
  const std::string_view text = source->text;
  std::size_t at = 0;
  ReadOptions shared = options;
  if (shared.tables == nullptr) shared.tables = std::make_shared<Tables>();
  bool headless = false;
  while (out.graphs.size() < most) {
    if (!may_hold_more(out, source)) break;
    auto header = headless ? std::nullopt : find_header(text, at);
    if (!header && out.graphs.empty()) header = find_headless(text, at), headless = true;
    if (!header) break;
    GraphReader reader(source, shared);
    const std::size_t end = reader.read(*header);
    GraphFile& file = reader.file();
    file.before = text.substr(at, header->line.begin - at);
    file.title = title_of(file.before);
    file.place = {source, static_cast<std::uint32_t>(header->line.begin), static_cast<std::uint32_t>(end)};
    report_kept(out, source, at, header->line.begin);
    const bool broken = has_errors(file.diagnostics);
    out.graphs.push_back(std::move(file));
    at = end;
    if (broken && out.graphs.back().diagnostics.back().kind == "too-many-errors") {
      out.graphs.back().after = text.substr(at);
      return;
    }
  }
  if (out.graphs.empty()) return;
  out.graphs.back().after = text.substr(at);
  if (out.graphs.size() == most && !headless && find_header(text, at)) {
    report_several(out);
  } else {
    report_kept(out, source, at, text.size());
  }
}

}  // namespace fxrules::text_ir
