// Runs match programs. Matching never changes the graph.
#pragma once

#include <utility>
#include <vector>

#include "engine/rewrite/binding.hpp"

namespace fxrules::rewrite {

class Matcher {
 public:
  Matcher(Binding& binding, std::vector<Value>& heap) : binding_(&binding), heap_(&heap) {}

  // Prepares registers; register 0 holds the root.
  void begin(const program::MatchProgram& match, Value root);
  // The next accept from `pc` on, or null. `pc` becomes where matching would resume if it is declined.
  const program::Accept* next(const program::MatchProgram& match, program::Index& pc);

  // Whether arguments of any other node are looked at from here on.
  struct Watch {
    NodeId home;
    bool strayed = false;
  };
  Watch watch(NodeId home) { return std::exchange(watch_, Watch{home, false}); }
  void watch_again(const Watch& outer) { watch_ = {outer.home, outer.strayed || watch_.strayed}; }
  void looks_at(NodeId n) { watch_.strayed |= n != watch_.home; }
  [[nodiscard]] bool strayed() const { return watch_.strayed; }

  [[nodiscard]] std::vector<Value>& registers() { return registers_; }
  // Counts how often each instruction of a program ran, for tests of coverage.
  void count_into(std::vector<std::uint64_t>* counts) { counts_ = counts; }

 private:
  bool rest_holds(NodeId n, program::Index spec);
  bool commutes(NodeId n, bool asked);

  Binding* binding_;
  std::vector<Value>* heap_;
  std::vector<Value> registers_;
  Watch watch_;
  std::vector<std::uint64_t>* counts_ = nullptr;
};

}  // namespace fxrules::rewrite
