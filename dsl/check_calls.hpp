// Whether what is called exists, and takes what it is given.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
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
  // What the catalogue says of a name as it is written, looked up once a file.
  struct Facts {
    bool known = false;
    std::vector<const Overload*> overloads;  // that the name can mean; empty when it is not known
    std::size_t most_positional = 0;
  };
  [[nodiscard]] const Facts& facts(const Callee& callee);

  void check_members(const Callee& callee);
  [[nodiscard]] bool is_op(const Callee& callee);
  void report_unknown(const Callee& callee, bool pattern);
  void check_set(const Callee& callee, const Definition& set);
  void check_required(const Term& call);
  void check_dotted(const Callee& callee);
  using NameSpaces = std::unordered_map<std::string_view, std::vector<std::string_view>>;
  const NameSpaces& name_spaces();
  void report_dotted(const Callee& callee, std::string_view name, const std::vector<std::string_view>& candidates,
                     std::string message);
  void check_count(const Term& call, std::string_view what, std::size_t least, std::size_t most);
  void check_arguments(const Term& call);
  [[nodiscard]] std::vector<const Overload*> overloads(const Callee& callee) const;
  void report(std::string_view kind, std::string message, Range place, std::string hint);

  const CheckInput& in_;
  const Ast& ast_;
  std::unordered_map<std::string_view, Facts> facts_;
  std::unordered_set<std::string_view> dotted_;  // paths that were looked up
  NameSpaces spaces_;
};

}  // namespace fxrules::dsl
