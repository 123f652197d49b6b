// From a view into a source's text to a diagnostic at that place.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "fxrules/diagnostic.hpp"

namespace fxrules::catalogue {

// `at` points into the text of `source`.
inline Diagnostic diagnostic_at(const SourcePtr& source, std::string_view at, std::string kind, std::string message) {
  const auto begin = static_cast<std::uint32_t>(at.data() - source->text.data());
  const auto end = static_cast<std::uint32_t>(begin + at.size());
  return {Severity::error, std::move(kind), std::move(message), {source, begin, end}, {}};
}

}  // namespace fxrules::catalogue
