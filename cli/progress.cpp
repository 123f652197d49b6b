#include "cli/progress.hpp"

#include <ostream>

#include <fmt/format.h>

namespace fxrules::cli {

std::string to_text(const Progress& progress) {
  const std::string phase = progress.phase.empty() ? std::string("applying") : fmt::format("phase {}", progress.phase);
  return fmt::format("{}: {} of {} nodes, {} rewrites", phase, progress.visited, progress.total, progress.rewrites);
}

void ProgressLine::show(const Progress& progress) { show(std::string_view(to_text(progress))); }

void ProgressLine::show(std::string_view what) {
  if (!enabled() || Clock::now() < first_) return;
  console_.err << "\r\x1b[K" << what << std::flush;
  shown_ = true;
}

void ProgressLine::clear() {
  if (shown_) console_.err << "\r\x1b[K" << std::flush;
  shown_ = false;
}

}  // namespace fxrules::cli
