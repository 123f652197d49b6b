#include "dsl/check.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace fxrules::dsl {

void check(const CheckInput& input) {
  const auto first = static_cast<std::ptrdiff_t>(input.diagnostics.size());
  check_declarations(input);
  check_names(input);
  check_reachable(input);
  check_helpers(input);
  check_fixpoint(input);
  const auto by_place = [](const Diagnostic& a, const Diagnostic& b) { return a.span.begin < b.span.begin; };
  std::stable_sort(input.diagnostics.begin() + first, input.diagnostics.end(), by_place);
}

std::string quoted_list(const std::vector<std::string>& names, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? fmt::format(" {} ", last) : ", ";
    text += fmt::format("`{}`", names[i]);
  }
  return text;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& candidates) {
  if (name.size() < 2) return {};  // everything is near to a letter
  const std::vector<std::string> near = nearest_names(name, candidates);
  return near.empty() ? std::string() : fmt::format("did you mean {}?", quoted_list(near, "or"));
}

}  // namespace fxrules::dsl
