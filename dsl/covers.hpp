// Whether a pattern matches everything that another one matches (or that a replacement builds). The answer
// is careful: false where only the metadata, a default or the catalogue could tell.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "dsl/ast.hpp"
#include "dsl/definitions.hpp"

namespace fxrules::dsl {

class Cover {
 public:
  Cover(const Ast& ast, const VisibleNames& names) : ast_(ast), names_(names) {}

  // `special` is a pattern, whose names stand for any value of their kind.
  [[nodiscard]] bool pattern(TermId general, TermId special);
  [[nodiscard]] bool patterns(const std::vector<TermId>& general, const std::vector<TermId>& special);
  // `built` is a value made from the variables that `general` itself binds.
  [[nodiscard]] bool value(TermId general, TermId built);

 private:
  bool term(TermId general, TermId special);
  bool name(const Term& general, TermId special);
  bool same_kind(const Term& general, TermId special) const;
  bool call(const Term& general, const Term& special);
  bool callee(const Callee& general, const Callee& special) const;
  [[nodiscard]] bool is_helper(const Callee& callee) const;
  bool sequence(const Term& general, const Term& special);
  bool children(const Term& general, const Term& special);
  [[nodiscard]] bool equal(TermId a, TermId b) const;
  [[nodiscard]] std::string_view annotation_of(const Term& name) const;
  void collect_annotations(TermId pattern);

  const Ast& ast_;
  const VisibleNames& names_;
  std::vector<std::pair<std::string_view, TermId>> bound_;  // names of the general pattern
  std::vector<std::pair<std::string_view, std::string_view>>
      annotations_;  // of value(): what variables are known to be
};

}  // namespace fxrules::dsl
