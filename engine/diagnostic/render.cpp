// The one place that decides how diagnostics look.
#include <array>
#include <iterator>

#include <fmt/format.h>

#include "engine/diagnostic/excerpt.hpp"
#include "fxrules/diagnostic.hpp"

namespace fxrules {
namespace {

struct Style {
  std::string_view word;
  std::string_view color;
};

constexpr std::array<Style, 3> kStyles{
    {{"error", "\x1b[1;31m"}, {"warning", "\x1b[1;35m"}, {"note", "\x1b[1;36m"}}};  // in Severity's order
constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kReset = "\x1b[0m";

class Renderer {
 public:
  explicit Renderer(bool color) : color_(color) {}

  // A diagnostic before its related ones, with an explicit stack: chains may be long.
  void draw_all(const Diagnostic& diagnostic) {
    std::vector<const Diagnostic*> pending{&diagnostic};
    while (!pending.empty()) {
      const Diagnostic& next = *pending.back();
      pending.pop_back();
      draw(next);
      for (auto it = next.related.rbegin(); it != next.related.rend(); ++it) pending.push_back(&*it);
    }
  }

  [[nodiscard]] std::string take() && { return fmt::to_string(out_); }

 private:
  void draw(const Diagnostic& diagnostic) {
    const Style style = kStyles.at(static_cast<std::size_t>(diagnostic.severity));
    const Span& span = diagnostic.span;
    const LineColumn place = span.source ? line_column(span.source->text, span.begin) : LineColumn{};
    if (span.source) painted(kBold, fmt::format("{}:{}:{}: ", printable(span.source->name), place.line, place.column));
    painted(style.color, fmt::format("{}: ", style.word));
    write(printable(diagnostic.message));
    if (!diagnostic.kind.empty()) write(fmt::format(" [{}]", diagnostic.kind));
    write("\n");
    if (span.source) draw_source(span, place.line, style.color);
    if (diagnostic.hint.empty()) return;
    painted(kBold, "hint: ");
    write(printable(diagnostic.hint));
    write("\n");
  }

  void draw_source(const Span& span, std::uint32_t line, std::string_view caret_color) {
    const Excerpt shown = excerpt(span.source->text, span.begin, span.end);
    const std::string number = fmt::format("{}", line);
    write(shown.line.empty() ? fmt::format("  {} |\n", number) : fmt::format("  {} | {}\n", number, shown.line));
    write(fmt::format("  {:{}} | {:{}}", "", number.size(), "", shown.caret_column));
    painted(caret_color, fmt::format("^{:~<{}}", "", shown.caret_width - 1));
    write("\n");
  }

  void painted(std::string_view color, std::string_view text) {
    if (color_) write(color);
    write(text);
    if (color_) write(kReset);
  }

  void write(std::string_view text) { out_.append(text.data(), text.data() + text.size()); }

  bool color_;
  fmt::memory_buffer out_;
};

}  // namespace

std::string render(const Diagnostic& diagnostic, bool color) {
  Renderer renderer(color);
  renderer.draw_all(diagnostic);
  return std::move(renderer).take();
}

std::string render(const std::vector<Diagnostic>& diagnostics, bool color) {
  Renderer renderer(color);
  for (const Diagnostic& diagnostic : diagnostics) renderer.draw_all(diagnostic);
  return std::move(renderer).take();
}

}  // namespace fxrules
