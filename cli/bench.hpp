// What `fxrules bench` measures of rules on a graph, and its forms.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/report.hpp"

namespace fxrules::cli {

struct RuleBench {
  std::string name, phase, file;
  std::size_t line = 0;
  std::size_t matched = 0, rewrites = 0, near_misses = 0;
  double guards = 0, rewriting = 0;  // seconds
  [[nodiscard]] double seconds() const { return guards + rewriting; }
};

// One set of rules on the graph. Times are medians; `total` is of runs in which nothing else was measured.
struct SetBench {
  std::string title;
  std::string stop;
  std::size_t nodes_after = 0, visits = 0, matched = 0, rewrites = 0;
  double total = 0;
  double matching = 0, guards = 0, rewriting = 0, settling = 0, rest = 0;
  std::vector<RuleBench> rules;  // those that matched, the slowest first
  [[nodiscard]] double measured() const { return matching + guards + rewriting + settling + rest; }
};

struct Bench {
  std::string graph;
  std::size_t nodes = 0, runs = 0;
  std::vector<SetBench> sets;  // one, or two to compare
};

[[nodiscard]] std::string bench_text(const Bench& bench);
[[nodiscard]] std::string bench_json(const Bench& bench);
[[nodiscard]] std::string bench_chart(const Bench& bench);  // SVG

// "1.25 ms"
[[nodiscard]] std::string duration(double seconds);

}  // namespace fxrules::cli
