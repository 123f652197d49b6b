// From the text of one signature to arguments and results. All views in the result point into the text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fxrules/catalogue.hpp"

namespace fxrules::catalogue {

struct SignatureError {
  std::size_t offset;  // in the text
  std::string message;
};

// Fills `overload.arguments` and `overload.returns` from "(Tensor self) -> Tensor". O(length).
[[nodiscard]] std::optional<SignatureError> parse_signature(std::string_view text, Overload& overload);

}  // namespace fxrules::catalogue
