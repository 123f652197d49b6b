#include "dsl/check.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace fxrules::dsl {

namespace {

constexpr std::size_t kMostFindings = 100;

}  // namespace

std::vector<Diagnostic> check(const Ast& ast, const VisibleNames& names, const Catalogue& catalogue,
                              const Functions* functions) {
  Findings findings(ast);
  const CheckInput input{ast, names, catalogue, findings, functions};
  check_declarations(input);
  check_names(input);
  check_reachable(input);
  check_kinds(input);
  check_helpers(input);
  check_entries(input);
  check_patterns(input);
  check_fixpoint(input);
  return findings.take_sorted();
}

bool Findings::full() const { return found_.size() >= kMostFindings; }

void Findings::add(std::string_view kind, std::string message, Range place, std::string hint) {
  if (full()) return;
  found_.push_back({Severity::error, std::string(kind), std::move(message), ast_.span(place), std::move(hint), {}});
}

void Findings::add(std::string_view kind, std::string message, Range place, Range other, std::string_view why_other,
                   std::string hint) {
  if (full()) return;
  add(kind, std::move(message), place, std::move(hint));
  found_.back().related.push_back({Severity::note, "", std::string(why_other), ast_.span(other), "", {}});
}

std::vector<Diagnostic> Findings::take_sorted() {
  const auto by_place = [](const Diagnostic& a, const Diagnostic& b) { return a.span.begin < b.span.begin; };
  std::stable_sort(found_.begin(), found_.end(), by_place);
  return std::move(found_);
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
