// Clocks, medians and what a reader must know of the machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fxrules::bench {

// Seconds of processor time of this thread: what other programs do at the same time does not count, though
// their pressure on caches still does.
[[nodiscard]] double cpu_now();
[[nodiscard]] double median(std::vector<double> samples);

// Seconds of processor time that the call takes.
template <class Work>
[[nodiscard]] double timed(Work work) {
  const double start = cpu_now();
  work();
  return cpu_now() - start;
}

// Keeps the optimiser from dropping work whose result nobody needs.
void keep(std::uint64_t value);

// Machine, compiler, page setting and commit, a line each.
[[nodiscard]] std::string environment();

}  // namespace fxrules::bench
