// Symbolic expressions as the program JSON spells them, sympy's `srepr`:
//   Mul(Integer(2), Symbol('s0', positive=True, integer=True))
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fxrules::pt2 {

// The expression as sympy prints it, `2*s0`. A text of another form is given back as it is; nullopt for a call
// that is not closed or nests deeper than 200.
[[nodiscard]] std::optional<std::string> printed(std::string_view srepr);

}  // namespace fxrules::pt2
