// The times as a drawing: a bar a set of rules, divided into what it was spent on, then a bar a rule.
#include <algorithm>

#include <fmt/format.h>

#include "cli/bench.hpp"

namespace fxrules::cli {
namespace {

constexpr double kLeft = 250, kBar = 520, kRow = 24, kRight = 110, kMargin = 16;
constexpr std::size_t kMostRules = 20;

struct Part {
  std::string_view name, colour;
  double SetBench::*seconds;
};
constexpr Part kParts[] = {{"matching", "#4c78a8", &SetBench::matching},
                           {"guards", "#f2a541", &SetBench::guards},
                           {"rewriting", "#59a14f", &SetBench::rewriting},
                           {"settling", "#b07aa1", &SetBench::settling},
                           {"the rest", "#bab0ac", &SetBench::rest}};

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      out += c;
    }
  }
  return out;
}

class Chart {
 public:
  explicit Chart(const Bench& bench) : bench_(bench) {}

  std::string draw() {
    text(kMargin, fmt::format("{}: {} nodes, medians of {} runs", bench_.graph, bench_.nodes, bench_.runs), "b");
    y_ += kRow;
    legend();
    double longest = 0;
    for (const SetBench& set : bench_.sets) longest = std::max(longest, set.measured());
    for (const SetBench& set : bench_.sets) draw_set(set, longest);
    double slowest = 0;
    for (const SetBench& set : bench_.sets) {
      if (!set.rules.empty()) slowest = std::max(slowest, set.rules[0].seconds());
    }
    for (const SetBench& set : bench_.sets) draw_rules(set, slowest);
    const double width = kLeft + kBar + kRight;
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
               "{1:.0f}\">\n<style>text{{font:12px system-ui,sans-serif;fill:#1d2329}}.b{{font-weight:bold}}"
               ".e{{text-anchor:end}}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
               width, y_ + kMargin) +
           out_ + "</svg>\n";
  }

 private:
  void text(double x, std::string_view what, std::string_view kind = "") {
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\">{}</text>\n", x, y_ + 16, kind, escaped(what));
  }
  void bar(double x, double width, std::string_view colour) {
    out_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n", x, y_ + 4,
                        width, kRow - 8, colour);
  }

  void legend() {
    double x = kLeft;
    for (const Part& part : kParts) {
      bar(x, 12, part.colour);
      text(x + 17, part.name);
      x += 100;
    }
    y_ += kRow;
  }

  void draw_set(const SetBench& set, double longest) {
    text(kLeft - 8, set.title, "e");
    double x = kLeft;
    for (const Part& part : kParts) {
      const double width = longest > 0 ? kBar * (set.*part.seconds) / longest : 0;
      bar(x, width, part.colour);
      x += width;
    }
    text(x + 6, duration(set.total));
    y_ += kRow;
  }

  void draw_rules(const SetBench& set, double slowest) {
    y_ += kRow / 2;
    text(kMargin, set.title, "b");
    y_ += kRow;
    for (std::size_t i = 0; i < std::min(kMostRules, set.rules.size()); ++i) {
      const RuleBench& rule = set.rules[i];
      const double scale = slowest > 0 ? kBar / slowest : 0;
      text(kLeft - 8, rule.name, "e");
      bar(kLeft, rule.guards * scale, kParts[1].colour);
      bar(kLeft + rule.guards * scale, rule.rewriting * scale, kParts[2].colour);
      text(kLeft + rule.seconds() * scale + 6, duration(rule.seconds()));
      y_ += kRow;
    }
  }

  const Bench& bench_;
  std::string out_;
  double y_ = 8;
};

}  // namespace

std::string bench_chart(const Bench& bench) { return Chart(bench).draw(); }

}  // namespace fxrules::cli
