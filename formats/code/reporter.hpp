// Collects what is wrong with one graph, up to a bound.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "formats/problem.hpp"
#include "fxrules/diagnostic.hpp"

namespace fxrules::code {

class Reporter {
 public:
  Reporter(SourcePtr source, std::size_t max_errors) : source_(std::move(source)), max_errors_(max_errors) {}

  void add(Severity severity, std::string kind, std::string message, std::size_t begin, std::size_t end,
           std::string hint = {}) {
    if (severity == Severity::error) ++errors_;
    found_.push_back({severity, std::move(kind), std::move(message), span(begin, end), std::move(hint)});
  }
  void add(const Problem& problem) {
    add(Severity::error, problem.kind, problem.message, problem.begin, problem.end, problem.hint);
    if (problem.related.empty()) return;
    found_.back().related.push_back(
        {Severity::note, problem.kind, problem.related, span(problem.related_at, problem.related_at + 1), {}});
  }
  [[nodiscard]] bool full() const { return errors_ >= max_errors_; }
  [[nodiscard]] std::size_t errors() const { return errors_; }
  [[nodiscard]] std::string_view text() const { return source_->text; }
  // In the order of their places.
  [[nodiscard]] std::vector<Diagnostic> take() {
    std::stable_sort(found_.begin(), found_.end(),
                     [](const Diagnostic& a, const Diagnostic& b) { return a.span.begin < b.span.begin; });
    return std::move(found_);
  }

 private:
  [[nodiscard]] Span span(std::size_t begin, std::size_t end) const {
    const std::size_t size = source_->text.size();
    return {source_, static_cast<std::uint32_t>(std::min(begin, size)),
            static_cast<std::uint32_t>(std::min(end, size))};
  }
  SourcePtr source_;
  std::size_t max_errors_, errors_ = 0;
  std::vector<Diagnostic> found_;
};

}  // namespace fxrules::code
