// A text that was taken out of another one piece by piece, and the way back for places in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fxrules/formats.hpp"

namespace fxrules {

class Extract {
 public:
  explicit Extract(SourcePtr original) : original_(std::move(original)) {}

  // Adds [begin, end) of the original.
  void add(std::size_t begin, std::size_t end);
  [[nodiscard]] std::size_t size() const { return text_.size(); }
  // The text as a source; nothing is added any more.
  [[nodiscard]] const SourcePtr& source();

  // Places in the extract become places in the original.
  void restore(Span& span) const;
  void restore(std::vector<Diagnostic>& diagnostics) const;
  void restore(GraphFiles& files) const;

 private:
  [[nodiscard]] std::uint32_t original_of(std::uint32_t offset) const;
  struct Piece {
    std::uint32_t at, original;
  };
  SourcePtr original_, extract_;
  std::string text_;
  std::vector<Piece> pieces_;
};

// Without the codes that colour a terminal, `ESC [ … m`.
[[nodiscard]] Extract without_colours(const SourcePtr& source);

}  // namespace fxrules
