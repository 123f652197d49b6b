#include "fxrules/diagnostic.hpp"

#include <algorithm>

namespace fxrules {

LineColumn line_column(std::string_view text, std::uint32_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t newline = before.rfind('\n');
  const std::size_t line_begin = newline == std::string_view::npos ? 0 : newline + 1;
  return {static_cast<std::uint32_t>(line), static_cast<std::uint32_t>(before.size() - line_begin + 1)};
}

bool has_errors(const std::vector<Diagnostic>& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& diagnostic) { return diagnostic.severity == Severity::error; });
}

Error::Error(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(render(diagnostics)), diagnostics_(std::move(diagnostics)) {}

}  // namespace fxrules
