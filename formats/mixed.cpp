#include "formats/mixed.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "formats/around.hpp"
#include "formats/extract.hpp"

namespace fxrules {
namespace {

bool may_hold_graphs(std::string_view text) {
  if (text.find("forward(") == std::string_view::npos && text.find("opcode ") == std::string_view::npos) return false;
  const GraphForm form = recognise(text);
  return form == GraphForm::code || form == GraphForm::tabular || form == GraphForm::exported_program;
}

// The graphs of [begin, end), with their places in the whole text.
GraphFiles graphs_of(const SourcePtr& source, std::size_t begin, std::size_t end, const ReadPart& read) {
  if (!may_hold_graphs(std::string_view(source->text).substr(begin, end - begin))) return {};
  Extract part(source);
  part.add(begin, end);
  GraphFiles found = read(part.source());
  part.restore(found);
  return found;
}

// The notes that this part was kept as text.
void forget_notes(std::vector<Diagnostic>& diagnostics, std::size_t begin, std::size_t end) {
  std::erase_if(diagnostics, [&](const Diagnostic& d) {
    return d.kind == "skipped-lines" && d.span.source != nullptr && d.span.begin >= begin && d.span.begin < end;
  });
}

void read_first(const SourcePtr& source, const ReadPart& read, GraphFiles& files) {
  GraphFiles found = graphs_of(source, 0, files.graphs.front().place.begin, read);
  if (found.graphs.empty()) return;
  GraphFile first = std::move(found.graphs.front());
  first.after = source->text.substr(first.place.end);
  files.graphs.clear();
  files.graphs.push_back(std::move(first));
  files.diagnostics.clear();
  report_several(files);
}

}  // namespace

void read_between(const SourcePtr& source, std::size_t most, const ReadPart& read, GraphFiles& files) {
  if (files.graphs.empty()) return;
  if (most == 1) return read_first(source, read, files);
  std::vector<GraphFile> all;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= files.graphs.size(); ++i) {
    const bool last = i == files.graphs.size();
    const std::size_t end = last ? source->text.size() : files.graphs[i].place.begin;
    GraphFiles found = graphs_of(source, begin, end, read);
    if (!found.graphs.empty()) {
      forget_notes(files.diagnostics, begin, end);
      std::move(found.diagnostics.begin(), found.diagnostics.end(), std::back_inserter(files.diagnostics));
      if (last) {
        all.back().after.clear();
      } else {
        files.graphs[i].before = std::move(found.graphs.back().after);
        found.graphs.back().after.clear();
      }
      std::move(found.graphs.begin(), found.graphs.end(), std::back_inserter(all));
    }
    if (last) break;
    begin = files.graphs[i].place.end;
    all.push_back(std::move(files.graphs[i]));
  }
  files.graphs = std::move(all);
}

}  // namespace fxrules
