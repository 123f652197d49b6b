// The streams of one run, so that tests can look at what a command prints.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fxrules/diagnostic.hpp"

namespace fxrules::cli {

struct Console {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  bool out_color = false;  // `out` is a terminal that shows colours
  bool err_color = false;
  bool err_terminal = false;  // progress may be shown
};

// Exit codes, as rule-language documents them.
inline constexpr int kSuccess = 0;
inline constexpr int kFailure = 1;
inline constexpr int kUsage = 2;

void print(Console& console, const std::vector<Diagnostic>& diagnostics);  // on standard error

[[nodiscard]] std::vector<Diagnostic> without_notes(std::vector<Diagnostic> diagnostics);

// A problem that has no place in a text: `kind` as in other diagnostics.
[[nodiscard]] Diagnostic plain_error(std::string_view kind, std::string message, std::string hint = {});

// Wrong use of the command line: exit code 2.
class UsageError {
 public:
  explicit UsageError(std::string message, std::string hint = {})
      : message_(std::move(message)), hint_(std::move(hint)) {}
  [[nodiscard]] const std::string& message() const { return message_; }
  [[nodiscard]] const std::string& hint() const { return hint_; }

 private:
  std::string message_, hint_;
};

}  // namespace fxrules::cli
