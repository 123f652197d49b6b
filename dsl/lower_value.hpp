// Replacements, guards, helper bodies and texts become stack code.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/callee.hpp"
#include "dsl/lower_pattern.hpp"

namespace fxrules::dsl {

// Helpers are compiled when something first uses them.
class DefTable {
 public:
  explicit DefTable(Definitions& definitions) : definitions_(&definitions) {}
  program::Index find_or_add(const Definitions::Helper& helper);
  // The shape functions and the inverses of the scope, nearest file first.
  program::Index add_metas();
  program::Index add_inverses();
  // Compiles all that were asked for, and what they ask for.
  void compile_pending();

 private:
  struct Head {
    const Ast* tree;
    TermId guard, body;
    bool is_error;
    Range range;
  };
  void compile(program::Index def, const Definitions::Helper& helper);
  void compile(const Head& head, const LoweredPattern& pattern, Variables& variables, program::Def& def,
               DecisionTree& decisions);
  Definitions* definitions_;
  std::map<const Definitions::Helper*, program::Index> by_helper_;
  std::vector<std::pair<program::Index, const Definitions::Helper*>> pending_;
};

class ValueLowering {
 public:
  ValueLowering(Definitions& definitions, DefTable& defs, const Ast& tree, Variables& variables)
      : definitions_(&definitions), defs_(&defs), ast_(&tree), variables_(&variables) {}

  // Code that leaves the value of the term on the stack.
  program::Code value(TermId term);
  // Steps appended without a closing `end`.
  void append(TermId term);
  void append_store(program::Index variable);
  void append_fail();
  program::Code begin();
  void finish(program::Code& code);

 private:
  void name(const Term& term, TermId id);
  void call(const Term& term, TermId id);
  void build(const Term& term);
  void binary(const Term& term);
  void arguments(const Term& term, std::vector<program::TemplateArgument>* out);
  void items(const Term& term);
  void add_members(const Ast& tree, const Term& set, program::SetValue& value);
  void text(const Term& term);
  void emit(program::Eval eval, program::Index a = 0, std::uint16_t b = 0);
  void constant(const program::Literal& literal);
  [[nodiscard]] program::Template template_of(const Term& term);

  Definitions* definitions_;
  DefTable* defs_;
  const Ast* ast_;
  Variables* variables_;
  Range range_;
};

}  // namespace fxrules::dsl
