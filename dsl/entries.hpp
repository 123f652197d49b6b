// `writeback(p, v)`: an entry of an exported program's signature, which is no op.
#pragma once

#include <optional>
#include <string_view>

#include "dsl/ast.hpp"

namespace fxrules::dsl {

inline constexpr std::string_view kEntry = "writeback";

struct EntryTerms {
  TermId input = kNoTerm, value = kNoTerm;
};
// Nothing where the term is something else, or has other than two positional arguments.
[[nodiscard]] std::optional<EntryTerms> entry_of(const Ast& ast, TermId term);

}  // namespace fxrules::dsl
