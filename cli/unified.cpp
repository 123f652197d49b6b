#include "cli/unified.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "cli/diff.hpp"

namespace fxrules::cli {
namespace {

// Lines [a, a_end) become [b, b_end).
struct Change {
  std::size_t a, a_end, b, b_end;
};

std::vector<Change> find_changes(const std::vector<std::uint32_t>& matched, std::size_t after_lines) {
  std::vector<Change> changes;
  std::size_t a = 0, b = 0;
  while (a < matched.size() || b < after_lines) {
    std::size_t a_end = a;
    while (a_end < matched.size() && matched[a_end] == kNoLine) ++a_end;
    const std::size_t b_end = a_end < matched.size() ? matched[a_end] : after_lines;
    if (a_end > a || b_end > b) changes.push_back({a, a_end, b, b_end});
    a = a_end + 1;
    b = b_end + 1;
  }
  return changes;
}

class Writer {
 public:
  using Lines = std::vector<std::string_view>;
  Writer(const Lines& before, const Lines& after, const DiffStyle& style,
         const std::function<void(std::string_view)>& sink)
      : before_(before), after_(after), style_(style), sink_(sink) {}

  void write(const std::vector<Change>& changes) {
    if (changes.empty()) return;
    if (style_.headers) {
      put("\x1b[1m", "---", " " + style_.before_name + "\n");
      put("\x1b[1m", "+++", " " + style_.after_name + "\n");
    }
    for (auto first = changes.begin(); first != changes.end();) {
      auto last = first + 1;
      while (last != changes.end() && last->a - (last - 1)->a_end <= 2 * style_.context) ++last;
      hunk(&*first, &*first + (last - first));
      first = last;
    }
    sink_(buffer_);
  }

 private:
  // Lines count from 1; an empty side names the line in front of it.
  static std::string range(std::size_t begin, std::size_t count) {
    const std::size_t line = count == 0 ? begin : begin + 1;
    return count == 1 ? fmt::format("{}", line) : fmt::format("{},{}", line, count);
  }

  void hunk(const Change* first, const Change* end) {
    const Change& last = *(end - 1);
    const std::size_t lead = std::min(first->a, style_.context);
    const std::size_t tail = std::min(before_.size() - last.a_end, style_.context);
    put("\x1b[36m", "@@",
        fmt::format(" -{} +{} @@\n", range(first->a - lead, last.a_end + tail - (first->a - lead)),
                    range(first->b - lead, last.b_end + tail - (first->b - lead))));
    std::size_t kept = first->a - lead;
    for (const Change* change = first; change != end; ++change) {
      lines("", " ", before_, kept, change->a);
      lines("\x1b[31m", "-", before_, change->a, change->a_end);
      lines("\x1b[32m", "+", after_, change->b, change->b_end);
      kept = change->a_end;
    }
    lines("", " ", before_, kept, kept + tail);
  }

  void lines(std::string_view color, std::string_view sign, const Lines& from, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) put(color, sign, from[i]);
  }

  void put(std::string_view color, std::string_view sign, std::string_view line) {
    const bool whole = line.ends_with('\n');
    if (whole) line.remove_suffix(1);
    const bool colored = style_.color && !color.empty();
    buffer_ += style_.indent;
    if (colored) buffer_ += color;
    buffer_ += sign;
    buffer_ += line;
    if (colored) buffer_ += "\x1b[0m";
    buffer_ += '\n';
    if (!whole) buffer_ += style_.indent + "\\ No newline at end of file\n";
    if (buffer_.size() > kPiece) flush();
  }

  void flush() {
    sink_(buffer_);
    buffer_.clear();
  }

  static constexpr std::size_t kPiece = std::size_t{1} << 16;
  const Lines& before_;
  const Lines& after_;
  const DiffStyle& style_;
  const std::function<void(std::string_view)>& sink_;
  std::string buffer_;
};

}  // namespace

void unified_diff(std::string_view before, std::string_view after, const DiffStyle& style,
                  const std::function<void(std::string_view)>& sink) {
  const std::vector<std::string_view> a = split_lines(before), b = split_lines(after);
  Writer(a, b, style, sink).write(find_changes(match_lines(a, b), b.size()));
}

std::string unified_diff(std::string_view before, std::string_view after, const DiffStyle& style) {
  std::string text;
  unified_diff(before, after, style, [&](std::string_view piece) { text += piece; });
  return text;
}

}  // namespace fxrules::cli
