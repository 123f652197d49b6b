// Whether what is called exists, and takes what it is given.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/check.hpp"

namespace fxrules::dsl {

class CallCheck {
 public:
  explicit CallCheck(const CheckInput& input) : in_(input), ast_(input.ast) {}

  void check_pattern(const Term& call);  // on the left: ops, sets, helper patterns
  void check_value(const Term& call);    // on the right: helpers, built-ins, ops
  void check_op(const Callee& callee);   // an op that is named, not called
  // Whether the op that `call` matches has an argument of this name.
  void check_keyword(const Term& call, std::string_view keyword, Range place);

 private:
  void check_members(const Callee& callee);
  [[nodiscard]] bool is_op(std::string_view name) const;
  void report_unknown(const Callee& callee, bool pattern);
  void check_count(const Term& call, std::string_view what, std::size_t least, std::size_t most);
  void check_arguments(const Term& call);
  // Overloads that the callee can mean; empty when it is not known, or not one op.
  [[nodiscard]] std::vector<const Overload*> overloads(const Callee& callee) const;
  void report(std::string_view kind, std::string message, Range place, std::string hint);

  const CheckInput& in_;
  const Ast& ast_;
};

}  // namespace fxrules::dsl
