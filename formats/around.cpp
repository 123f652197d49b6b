#include "formats/around.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "formats/text_ir/atoms.hpp"

namespace fxrules {

std::string title_of(std::string_view before) {
  constexpr std::size_t kLongest = 200;
  while (!before.empty()) {
    const std::size_t line = before.rfind('\n');
    std::string_view text = text_ir::trimmed(line == std::string_view::npos ? before : before.substr(line + 1));
    while (!text.empty() && (text.front() == '=' || text.front() == '#' || text.front() == ' ')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == '=' || text.back() == ' ')) text.remove_suffix(1);
    if (!text.empty()) return std::string(text.substr(0, kLongest));
    before = before.substr(0, line == std::string_view::npos ? 0 : line);
  }
  return {};
}

void report_kept(GraphFiles& out, const SourcePtr& source, std::size_t begin, std::size_t end) {
  const std::string_view text = std::string_view(source->text).substr(begin, end - begin);
  if (text_ir::trimmed(text).empty()) return;
  const auto lines = std::count(text.begin(), text.end(), '\n') + (text.back() == '\n' ? 0 : 1);
  const std::size_t first = begin + text.find_first_not_of(" \t\r\n");
  out.diagnostics.push_back(
      {Severity::note,
       "skipped-lines",
       fmt::format("{} beside the graphs kept as text", lines == 1 ? "1 line is" : fmt::format("{} lines are", lines)),
       {source, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(first)},
       {}});
}

bool may_hold_more(GraphFiles& out, const SourcePtr& source) {
  constexpr std::size_t kMostGraphs = 50000;
  if (out.graphs.size() < kMostGraphs) return true;
  out.diagnostics.push_back({Severity::error,
                             "too-large",
                             fmt::format("{}: more than {} graphs in a file are not read", source->name, kMostGraphs),
                             {},
                             {}});
  return false;
}

void report_several(GraphFiles& out, Others others) {
  Diagnostic note{Severity::note, "several-graphs", "only the first graph of the file is read", {}, {}};
  if (others == Others::kept) note.message += "; the others are kept as text";
  if (others == Others::left_out) note.hint = "`--graph` chooses";
  out.diagnostics.push_back(std::move(note));
}

}  // namespace fxrules
