// A file is graphs and what stands between them; the latter is kept.
#include "formats/text_ir/read.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "formats/text_ir/atoms.hpp"
#include "formats/text_ir/graph_reader.hpp"

namespace fxrules::text_ir {
namespace {

// The last line that says something: "== aten cond" names the graph behind it.
std::string title_of(std::string_view before) {
  constexpr std::size_t kLongest = 200;
  while (!before.empty()) {
    const std::size_t line = before.rfind('\n');
    std::string_view text = trimmed(line == std::string_view::npos ? before : before.substr(line + 1));
    while (!text.empty() && (text.front() == '=' || text.front() == '#' || text.front() == ' ')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == '=' || text.back() == ' ')) text.remove_suffix(1);
    if (!text.empty()) return std::string(text.substr(0, kLongest));
    before = before.substr(0, line == std::string_view::npos ? 0 : line);
  }
  return {};
}

void report_kept(GraphFiles& out, const SourcePtr& source, std::size_t begin, std::size_t end) {
  const std::string_view text = std::string_view(source->text).substr(begin, end - begin);
  if (trimmed(text).empty()) return;
  const auto lines = std::count(text.begin(), text.end(), '\n') + (text.back() == '\n' ? 0 : 1);
  const std::size_t first = begin + text.find_first_not_of(" \t\r\n");
  out.diagnostics.push_back(
      {Severity::note,
       "skipped-lines",
       fmt::format("{} beside the graphs kept as text", lines == 1 ? "1 line is" : fmt::format("{} lines are", lines)),
       {source, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(first)},
       {}});
}

}  // namespace

void read_all(const SourcePtr& source, const ReadOptions& options, std::size_t most, GraphFiles& out) {
  const std::string_view text = source->text;
  constexpr std::size_t kMostGraphs = 50000;  // a line of nine characters could be a graph
  std::size_t at = 0;
  ReadOptions shared = options;
  if (shared.tables == nullptr) shared.tables = std::make_shared<Tables>();
  bool headless = false;
  while (out.graphs.size() < most) {
    if (out.graphs.size() == kMostGraphs) {
      out.diagnostics.push_back(
          {Severity::error,
           "too-large",
           fmt::format("{}: more than {} graphs in a file are not read", source->name, kMostGraphs),
           {},
           {}});
      break;
    }
    auto header = headless ? std::nullopt : find_header(text, at);
    if (!header && out.graphs.empty()) header = find_headless(text, at), headless = true;
    if (!header) break;
    GraphReader reader(source, shared);
    const std::size_t end = reader.read(*header);
    GraphFile& file = reader.file();
    file.before = text.substr(at, header->line.begin - at);
    file.title = title_of(file.before);
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
    out.diagnostics.push_back({Severity::note,
                               "several-graphs",
                               "only the first graph of the file is read; the others are kept as text",
                               {},
                               {}});
  } else {
    report_kept(out, source, at, text.size());
  }
}

}  // namespace fxrules::text_ir
