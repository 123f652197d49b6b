// One line on a terminal that says how far a long run is.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "cli/console.hpp"
#include "fxrules/apply.hpp"

namespace fxrules::cli {

// Shows nothing in a run's first second, nor where standard error is no terminal.
class ProgressLine {
 public:
  using Clock = std::chrono::steady_clock;
  explicit ProgressLine(Console& console, Clock::duration quiet = std::chrono::seconds(1))
      : console_(console), first_(Clock::now() + quiet) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  [[nodiscard]] bool enabled() const { return console_.err_terminal; }
  void show(const Progress& progress);
  void show(std::string_view what);  // before a long step
  void clear();

 private:
  Console& console_;
  Clock::time_point first_;
  bool shown_ = false;
};

[[nodiscard]] std::string to_text(const Progress& progress);

}  // namespace fxrules::cli
