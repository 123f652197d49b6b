// Spelled expressions to normal forms.
#pragma once

#include <optional>
#include <string_view>

#include "engine/graph/symbolic_forms.hpp"

namespace fxrules {

// nullopt when `text` is no expression; a text without normal form becomes an opaque polynomial.
[[nodiscard]] std::optional<PolyId> parse_expression(Forms& forms, std::string_view text);

}  // namespace fxrules
