#include "formats/log/lines.hpp"

#include <algorithm>

#include "formats/text_ir/atoms.hpp"

namespace fxrules::log {
namespace {

using text_ir::is_digit;

constexpr std::size_t kNowhere = std::string_view::npos;

class Scanner {
 public:
  explicit Scanner(std::string_view line) : line_(line) {}

  bool skip(std::string_view text) {
    if (!rest().starts_with(text)) return false;
    at_ += text.size();
    return true;
  }
  std::string_view digits() {
    const std::size_t begin = at_;
    while (at_ < line_.size() && is_digit(line_[at_])) ++at_;
    return line_.substr(begin, at_ - begin);
  }
  // Text of digits and the characters given, as a time.
  bool shape(std::string_view shape) {
    if (rest().size() < shape.size()) return false;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (shape[i] == '0' ? !is_digit(line_[at_ + i]) : line_[at_ + i] != shape[i]) return false;
    }
    at_ += shape.size();
    return true;
  }
  std::string_view until(std::string_view stop) {
    const std::size_t end = line_.find(stop, at_);
    if (end == kNowhere) return {};
    const std::string_view out = line_.substr(at_, end - at_);
    at_ = end + stop.size();
    return out;
  }
  [[nodiscard]] std::string_view rest() const { return line_.substr(at_); }
  [[nodiscard]] std::size_t at() const { return at_; }
  void back(std::size_t at) { at_ = at; }

 private:
  std::string_view line_;
  std::size_t at_ = 0;
};

bool is_trace(std::string_view text) {
  return !text.empty() && text.find_first_of("0123456789") != kNowhere &&
         text.find_first_not_of("0123456789/_!") == kNowhere;
}

bool is_numbered(std::string_view text, std::string_view word) {
  return text.size() > word.size() && text.starts_with(word) &&
         text.find_first_not_of("0123456789", word.size()) == kNowhere;
}

// One of what launchers and containers put in front: `[rank0]:`, `[default0]:`, `(Worker pid=12) `, `0: `, a time.
bool sender(Scanner& scan, Prefix& out) {
  const std::size_t begin = scan.at();
  if (scan.skip("[")) {
    const std::string_view name = scan.until("]:");
    if (is_numbered(name, "rank") || is_numbered(name, "default")) {
      out.rank = name;
      (void)scan.skip(" ");
      return true;
    }
  } else if (scan.skip("(")) {
    if (scan.until(") ").find("pid=") != kNowhere) return true;
  } else if (scan.shape("0000-00-00T00:00:00")) {
    while (!scan.rest().empty() && scan.rest()[0] != ' ') (void)scan.skip(scan.rest().substr(0, 1));
    if (scan.skip(" ")) return true;
  } else if (!scan.digits().empty() && scan.skip(": ")) {
    return true;
  }
  scan.back(begin);
  return false;
}

// `[0/0] [__graph_code]`.
bool groups(Scanner& scan, Prefix& out, bool blank_in_front) {
  bool any = false;
  while (true) {
    const std::size_t begin = scan.at();
    if (blank_in_front && !scan.skip(" ")) break;
    if (!scan.skip("[")) {
      scan.back(begin);
      break;
    }
    const std::string_view inside = scan.until("]");
    if (inside.starts_with("__") && inside.find(' ') == kNowhere) {
      out.artifact = inside.substr(2);
    } else if (is_trace(inside)) {
      out.trace = inside;
    } else {
      scan.back(begin);
      break;
    }
    any = blank_in_front = true;
  }
  return any;
}

// `V1129 14:45:45.869000 1300 torch/_dynamo/output_graph.py:2936]`, or what is left of it; whether that is all.
bool glog(Scanner& scan, Prefix& out, bool& whole) {
  const std::size_t begin = scan.at();
  whole = !scan.rest().empty() && std::string_view("VDIWEC").find(scan.rest()[0]) != kNowhere &&
          scan.skip(scan.rest().substr(0, 1)) && scan.shape("0000 ");
  if (!whole) scan.back(begin);
  if (scan.shape("00:00:00.")) {
    if (scan.digits().empty() || !scan.skip(" ")) return false;
  } else if (whole) {
    return false;
  }
  out.process = scan.digits();
  if (!out.process.empty() ? !scan.skip(" ") : whole) return false;
  const std::string_view word = scan.rest().substr(0, scan.rest().find(' '));
  const std::string_view place = word.substr(0, word.find(']'));
  const std::size_t line = place.rfind(".py:");
  return line != kNowhere && is_numbered(place.substr(line), ".py:") && scan.skip(place) && scan.skip("]");
}

// `[2023-11-02 12:00:00,000] [0/0] torch._dynamo.output_graph.__graph_code: [DEBUG]`
bool dated(Scanner& scan, Prefix& out) {
  if (!scan.shape("[0000-00-00 00:00:00,000]")) return false;
  (void)groups(scan, out, true);
  if (!scan.skip(" ")) return false;
  const std::string_view logger = scan.until(": [");
  if (logger.empty() || logger.find(' ') != kNowhere || scan.until("]").empty()) return false;
  const std::size_t artifact = logger.rfind(".__");
  if (artifact != kNowhere) out.artifact = logger.substr(artifact + 3);
  return true;
}

}  // namespace

std::optional<Prefix> prefix_of(std::string_view line) {
  Prefix out;
  Scanner scan(line);
  while (sender(scan, out)) {
  }
  const std::size_t begin = scan.at();
  const auto found = [&] {
    bool whole = false;
    if (glog(scan, out, whole)) return groups(scan, out, true) || whole;
    scan.back(begin);
    if (dated(scan, out)) return true;
    scan.back(begin);
    // Alone, they name the artifact or a frame and its compilation.
    if (groups(scan, out, false) && (!out.artifact.empty() || out.trace.find('/') != kNowhere)) return true;
    return false;
  };
  if (found()) {
    (void)scan.skip(" ");
  } else if (!out.rank.empty()) {
    scan.back(begin);  // the blank is gone with the rank
  } else {
    return std::nullopt;
  }
  out.length = scan.at();
  return out;
}

bool is_log(std::string_view text) {
  constexpr std::size_t kEnough = 20000;  // lines; what follows is alike
  std::size_t lines = 0, prefixed = 0;
  for (std::size_t at = 0; at < text.size() && lines < kEnough;) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (text_ir::trimmed(line).empty()) continue;
    ++lines;
    if (prefix_of(line) || (line[0] == '\t' && prefixed > 0)) ++prefixed;
  }
  return prefixed * 2 > lines;
}

}  // namespace fxrules::log
