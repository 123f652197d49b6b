// The load checks of one file: names, kinds, arguments, and rules, alternatives and helpers that can never
// fire or never end. Each reports all that it finds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dsl/ast.hpp"
#include "dsl/definitions.hpp"
#include "fxrules/catalogue.hpp"
#include "fxrules/functions.hpp"

namespace fxrules::dsl {

// All of the following, sorted by place; the first hundred.
[[nodiscard]] std::vector<Diagnostic> check(const Ast& ast, const VisibleNames& names, const Catalogue& catalogue,
                                            const Functions* functions = nullptr);

// What the checks have found so far. Once it is full, what is added is dropped.
class Findings {
 public:
  explicit Findings(const Ast& ast) : ast_(ast) {}
  [[nodiscard]] bool full() const;
  void add(std::string_view kind, std::string message, Range place, std::string hint = "");
  void add(std::string_view kind, std::string message, Range place, Range other, std::string_view why_other,
           std::string hint = "");
  [[nodiscard]] std::vector<Diagnostic> take_sorted();

 private:
  const Ast& ast_;
  std::vector<Diagnostic> found_;
};

struct CheckInput {
  const Ast& ast;
  const VisibleNames& names;  // of the file's scope
  const Catalogue& catalogue;
  Findings& findings;
  const Functions* functions = nullptr;  // of the program that loads the rules

  [[nodiscard]] const Function* find_function(std::string_view name) const {
    return functions == nullptr ? nullptr : functions->find(name);
  }
};

void check_declarations(const CheckInput& input);  // duplicate names and labels, phase words, types of parameters
void check_names(const CheckInput& input);         // names, ops, kinds, arguments, misplaced terms, unused variables
void check_reachable(const CheckInput& input);     // rules, alternatives, equations that an earlier one shadows
void check_kinds(const CheckInput& input);         // guards that are never true, results that are never a node
void check_helpers(const CheckInput& input);       // helpers whose recursion does not shrink a list
void check_entries(const CheckInput& input);       // `writeback` where no entry of a signature can stand
void check_patterns(const CheckInput& input);      // helper patterns that stand for themselves
void check_fixpoint(const CheckInput& input);      // unguarded rules whose result matches their own pattern

// "`a`, `b` and `c`", for hints.
[[nodiscard]] std::string quoted_list(const std::vector<std::string>& names, std::string_view last = "and");
// "did you mean `a` or `b`?", or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& candidates);

}  // namespace fxrules::dsl
