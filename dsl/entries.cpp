#include "dsl/entries.hpp"

namespace fxrules::dsl {

std::optional<EntryTerms> entry_of(const Ast& ast, TermId term) {
  if (term == kNoTerm) return std::nullopt;
  const Term& t = ast[term];
  if (t.kind != TermKind::call || t.count != 2) return std::nullopt;
  const Callee& callee = ast.callees[t.callee];
  if (callee.kind != CalleeKind::implicit || callee.text != kEntry) return std::nullopt;
  EntryTerms out;
  for (std::uint32_t i = 0; i < 2; ++i) {
    const Term& argument = ast[ast.children[t.first + i]];
    const bool wrapped = argument.kind == TermKind::argument;
    if (argument.kind == TermKind::rest || (wrapped && !argument.text.empty())) return std::nullopt;
    (i == 0 ? out.input : out.value) = wrapped ? ast.children[argument.first] : ast.children[t.first + i];
  }
  return out;
}

}  // namespace fxrules::dsl
