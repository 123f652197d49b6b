// Random graphs and random rule sets over one small alphabet of ops, so that rules meet what they match.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <string_view>

#include "fxrules/graph.hpp"

namespace fxrules::testing {

// The same numbers on every platform, which std::uniform_int_distribution does not promise.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>((engine_() >> 11) % n); }
  bool one_in(std::uint32_t n) { return below(n) == 0; }
  bool percent(std::uint32_t p) { return below(100) < p; }
  std::string_view of(std::initializer_list<std::string_view> choices) {
    return choices.begin()[below(static_cast<std::uint32_t>(choices.size()))];
  }

 private:
  std::mt19937_64 engine_;
};

// All spellings of the alphabet: torch functions, methods, operators, aten overloads and packets; keyword
// arguments, defaults given explicitly, lists, slices, several results, views, writes in place, ops that
// nobody knows, modules; hubs and dead nodes. 6 to 45 calls, or so many.
Graph random_graph(std::uint64_t seed, std::uint32_t calls = 0);

// The text of a rule file with 4 to 12 rules in each of 1 to 3 phases. Some do not load: an unreachable rule, say.
std::string random_rules(std::uint64_t seed);

}  // namespace fxrules::testing
