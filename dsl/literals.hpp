// Literal terms as values of the compiled form.
#pragma once

#include <optional>
#include <string_view>

#include "dsl/ast.hpp"
#include "engine/program/program.hpp"

namespace fxrules::dsl {

// nullopt when the term is no literal. A negated number is one; so are torch.float32, torch.strided,
// inf and nan where no variable has that name, and torch.device("cuda", 1).
[[nodiscard]] std::optional<program::Literal> literal_of(const Ast& ast, TermId term);
// The value of -D for a param of this type; nullopt when the text does not fit.
[[nodiscard]] std::optional<program::Literal> literal_of_option(std::string_view type, std::string_view text);

}  // namespace fxrules::dsl
