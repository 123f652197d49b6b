// A user's file is checked whole when it is added, so that no run fails later on a line that it never
// looked at.
#include <algorithm>

#include <fmt/format.h>

#include "engine/catalogue/impl.hpp"
#include "engine/catalogue/line_head.hpp"
#include "engine/catalogue/place.hpp"
#include "engine/catalogue/signature.hpp"

namespace fxrules::catalogue {
namespace {

constexpr const char* kind = "catalogue-syntax";

void check_signature(const SourcePtr& source, std::string_view line, std::vector<Diagnostic>& diagnostics) {
  std::optional<LineError> error;
  const LineHead head = parse_line_head(line, error);
  if (error || head.body.empty()) return;
  const SignatureBody body = split_body(head.body);
  if (const Facts facts = parse_facts(body.facts); !facts.unknown.empty()) {
    diagnostics.push_back(diagnostic_at(source, facts.unknown, kind, fmt::format("unknown fact `{}`", facts.unknown)));
  }
  Overload overload;
  if (const auto wrong = parse_signature(body.signature, overload)) {
    diagnostics.push_back(diagnostic_at(source, body.signature.substr(wrong->offset, 1), kind, wrong->message));
  }
}

void check_names(const SourcePtr& source, Index& index, std::vector<Diagnostic>& diagnostics) {
  std::vector<IndexError> errors;
  index.add(source->text, errors);
  for (IndexError& error : errors) {
    diagnostics.push_back(diagnostic_at(source, error.at, kind, std::move(error.message)));
  }
}

}  // namespace

std::vector<Diagnostic> check_source(const SourcePtr& source, Index index) {
  std::vector<Diagnostic> diagnostics;
  check_names(source, index, diagnostics);
  std::string_view text = source->text;
  while (!text.empty()) {
    const auto end = text.find('\n');
    check_signature(source, text.substr(0, end), diagnostics);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  std::stable_sort(diagnostics.begin(), diagnostics.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return a.span.begin < b.span.begin; });
  return diagnostics;
}

}  // namespace fxrules::catalogue
