// Runs match programs. Matching never changes the graph.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "engine/rewrite/binding.hpp"
#include "engine/rewrite/pattern_search.hpp"
#include "engine/rewrite/test.hpp"

namespace fxrules::rewrite {

class Matcher {
 public:
  Matcher(Binding& binding, std::vector<Value>& heap) : tester_(binding, heap), search_(tester_, registers_) {}
  Matcher(const Matcher&) = delete;
  Matcher& operator=(const Matcher&) = delete;
  // For guards and values of helper patterns, which do not match without it.
  void use(Evaluator& evaluator) { search_.use(evaluator); }

  // Prepares registers; register 0 holds the root.
  void begin(const program::MatchProgram& match, Value root);
  // The next accept from `pc` on, or null. `pc` becomes where matching would resume if it is declined.
  const program::Accept* next(const program::MatchProgram& match, program::Index& pc);

  // Whether arguments of any other node are looked at from here on.
  using Watch = Tester::Watch;
  Watch watch(NodeId home) { return std::exchange(tester_.watched(), Watch{home, false}); }
  void watch_again(const Watch& outer) { tester_.watched() = {outer.home, outer.strayed || strayed()}; }
  void looks_at(NodeId n) { tester_.looks_at(n); }
  void stray() { tester_.watched().strayed = true; }
  [[nodiscard]] bool strayed() { return tester_.watched().strayed; }

  [[nodiscard]] std::vector<Value>& registers() { return registers_; }
  // Adds the nodes that a match found: those of the accept, then those of helper patterns.
  void add_nodes(const program::Accept& accept, std::vector<NodeId>& nodes) const {
    for (const std::uint16_t r : accept.nodes) nodes.push_back(registers_[r].node());
    nodes.insert(nodes.end(), search_.matched().begin(), search_.matched().end());
  }
  // The graph has changed since the last root.
  void forget() { search_.forget(); }
  // The call of a helper pattern that took too many steps since this was last asked.
  [[nodiscard]] std::optional<program::Index> take_given_up() { return search_.take_given_up(); }
  // Counts how often each kind of instruction ran, for tests of coverage.
  void count_into(std::vector<std::uint64_t>* counts) {
    counts_ = counts;
    search_.count_into(counts);
  }

 private:
  Tester tester_;
  std::vector<Value> registers_;
  PatternSearch search_;
  std::vector<std::uint64_t>* counts_ = nullptr;
};

}  // namespace fxrules::rewrite
