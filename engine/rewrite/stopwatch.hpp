// Adds up how long something takes, where that is asked for.
#pragma once

#include <chrono>

namespace fxrules::rewrite {

// Adds the time of its life to a sum; without a sum it never looks at the clock.
class Stopwatch {
 public:
  explicit Stopwatch(double* sum) : sum_(sum) {
    if (sum_ != nullptr) start_ = Clock::now();
  }
  ~Stopwatch() {
    if (sum_ != nullptr) *sum_ += std::chrono::duration<double>(Clock::now() - start_).count();
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  double* sum_;
  Clock::time_point start_;
};

}  // namespace fxrules::rewrite
