// Where program JSON goes: runs of the text that was read, which are not copied, and new text between them.
#pragma once

#include <string>
#include <string_view>

#include "formats/pt2/origin.hpp"
#include "fxrules/formats.hpp"

namespace fxrules::pt2 {

class Out {
 public:
  // A null sink: nothing is written, only the way there is gone.
  Out(std::string_view source, const Sink* sink) : source_(source), sink_(sink) {}

  void copy(std::uint32_t begin, std::uint32_t end) {
    if (begin >= end) return;
    if (begin == run_.end && text_.empty()) {
      run_.end = end;
      return;
    }
    flush();
    run_ = {begin, end};
  }
  void copy(Range range) { copy(range.begin, range.end); }
  void text(std::string_view text) {
    if (text.empty()) return;
    flush_run();
    text_ += text;
    if (text_.size() >= kPiece) flush_text();
  }
  void flush() {
    flush_run();
    flush_text();
  }

 private:
  static constexpr std::size_t kPiece = 64 << 10;
  void flush_run() {
    if (run_.end > run_.begin) {
      flush_text();
      if (sink_ != nullptr) (*sink_)(source_.substr(run_.begin, run_.end - run_.begin));
    }
    run_ = {};
  }
  void flush_text() {
    if (sink_ != nullptr && !text_.empty()) (*sink_)(text_);
    text_.clear();
  }
  std::string_view source_;
  const Sink* sink_;
  Range run_;
  std::string text_;
};

}  // namespace fxrules::pt2
