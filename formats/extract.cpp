#include "formats/extract.hpp"

#include <algorithm>
#include <memory>
#include <string_view>

namespace fxrules {

void Extract::add(std::size_t begin, std::size_t end) {
  if (begin == end) return;
  const bool joins = !pieces_.empty() && pieces_.back().original + (text_.size() - pieces_.back().at) == begin;
  if (!joins) pieces_.push_back({static_cast<std::uint32_t>(text_.size()), static_cast<std::uint32_t>(begin)});
  text_.append(original_->text, begin, end - begin);
}

const SourcePtr& Extract::source() {
  if (extract_ == nullptr) extract_ = std::make_shared<Source>(Source{original_->name, std::move(text_)});
  return extract_;
}

std::uint32_t Extract::original_of(std::uint32_t offset) const {
  const auto behind = std::upper_bound(pieces_.begin(), pieces_.end(), offset,
                                       [](std::uint32_t at, const Piece& p) { return at < p.at; });
  if (behind == pieces_.begin()) return offset;
  const Piece& piece = *(behind - 1);
  return piece.original + (offset - piece.at);
}

void Extract::restore(Span& span) const {
  if (span.source == nullptr || span.source != extract_) return;
  // The end of a span belongs to its last character: behind it a piece may be left out.
  const std::uint32_t end = span.end > span.begin ? original_of(span.end - 1) + 1 : original_of(span.end);
  span = {original_, original_of(span.begin), end};
}

void Extract::restore(std::vector<Diagnostic>& diagnostics) const {
  for (Diagnostic& d : diagnostics) {
    restore(d.span);
    for (Diagnostic& related : d.related) restore(related.span);  // one level: related places have none
  }
}

void Extract::restore(GraphFiles& files) const {
  restore(files.diagnostics);
  for (GraphFile& file : files.graphs) {
    restore(file.place);
    restore(file.diagnostics);
  }
}

Extract without_colours(const SourcePtr& source) {
  Extract out(source);
  const std::string_view text = source->text;
  std::size_t from = 0;
  for (std::size_t at = text.find("\x1b["); at != std::string_view::npos; at = text.find("\x1b[", at + 1)) {
    const std::size_t end = text.find_first_not_of("0123456789;", at + 2);
    if (end == std::string_view::npos || text[end] != 'm') continue;
    out.add(from, at);
    from = end + 1;
  }
  out.add(from, text.size());
  return out;
}

}  // namespace fxrules
