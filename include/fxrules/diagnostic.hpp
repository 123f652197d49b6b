// What went wrong, where, and what would help. Every stage collects diagnostics; `render` is the one
// place that decides how they look:
//
//   inplace.rules:12:33: error: replacement uses `src`, which the pattern does not bind [unbound-name]
//     12 | copy_(d, s) => slice_scatter(d, src)
//        |                                 ^~~
//   hint: the pattern binds `d` and `s`
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace fxrules {

// A named text that diagnostics point into. Shared, because spans outlive the stage that read the text.
struct Source {
  Source(std::string source_name, std::string own_text)
      : name(std::move(source_name)), holder_(std::make_shared<const std::string>(std::move(own_text))) {
    const auto& held = *static_cast<const std::string*>(holder_.get());
    text = held;
    room = held.capacity() - held.size();
  }
  // Text that `holder` keeps where it is, as a mapped file.
  Source(std::string source_name, std::string_view held, std::size_t readable_behind,
         std::shared_ptr<const void> holder)
      : name(std::move(source_name)), text(held), room(readable_behind), holder_(std::move(holder)) {}

  std::string name;  // as the user gave it; "<stdin>" for standard input
  std::string_view text;
  std::size_t room = 0;  // bytes behind the text that may be read too

 private:
  std::shared_ptr<const void> holder_;
};
using SourcePtr = std::shared_ptr<const Source>;

// Half-open byte range of a source. An empty source means "no place".
struct Span {
  SourcePtr source;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

// 1-based; column counts bytes. O(offset).
struct LineColumn {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};
[[nodiscard]] LineColumn line_column(std::string_view text, std::uint32_t offset);

enum class Severity : std::uint8_t { error, warning, note };

struct Diagnostic {
  Severity severity = Severity::error;
  std::string kind;                      // stable name in brackets, as "unbound-name"
  std::string message;                   // lower case, no full stop, code in backticks
  Span span;                             // empty source: the message alone
  std::string hint;                      // empty: none
  std::vector<Diagnostic> related = {};  // secondary places, drawn below
};

// Draws one diagnostic, ending in a newline. `color` adds ANSI colours. The source line is cut to a
// window around the caret when it is longer than 160 columns.
[[nodiscard]] std::string render(const Diagnostic& diagnostic, bool color = false);
[[nodiscard]] std::string render(const std::vector<Diagnostic>& diagnostics, bool color = false);

[[nodiscard]] bool has_errors(const std::vector<Diagnostic>& diagnostics);

// Thrown by the convenience entry points; carries everything that was found.
class Error : public std::runtime_error {
 public:
  explicit Error(std::vector<Diagnostic> diagnostics);
  [[nodiscard]] const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

// Names from `candidates` within a small edit distance of `name`, nearest first, at most `limit`.
[[nodiscard]] std::vector<std::string> nearest_names(std::string_view name,
                                                     const std::vector<std::string_view>& candidates,
                                                     std::size_t limit = 3);

}  // namespace fxrules
