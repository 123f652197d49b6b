// A pattern becomes a sequence of tests. Registers stand for places (argument 1 of the root, …), so that
// two rules that look at the same place test the same register.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "dsl/callee.hpp"
#include "dsl/decision_tree.hpp"

namespace fxrules::dsl {

// Registers of one match program, by the path that fills them.
class Places {
 public:
  explicit Places(std::uint16_t reserved) : next_(reserved) {}
  std::uint16_t at(std::uint16_t from, program::Test how, program::Index what, program::Index more = 0);
  // The register of a variable that a block of a helper pattern binds.
  std::uint16_t of_variable(program::Index variable) { return at(0xFFFF, program::Test::bind, variable); }
  [[nodiscard]] std::uint16_t count() const { return next_; }

 private:
  std::map<std::tuple<std::uint16_t, program::Test, program::Index, program::Index>, std::uint16_t> places_;
  std::uint16_t next_;
};

// What a pattern binds: names in order of first appearance.
class Variables {
 public:
  explicit Variables(bool with_root) {
    if (with_root) names_.push_back("root");
  }
  program::Index find(std::string_view name) const;
  program::Index add(std::string_view name);  // finds or adds
  program::Index fresh(std::string name);
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  // An op of the pattern that can be named by its op name: it occurs once and no variable has the name.
  void mention_op(std::string_view op, std::uint16_t node);
  struct Op {
    std::string name;
    std::uint16_t node;
    unsigned count;
  };
  [[nodiscard]] std::vector<Op>& ops() { return ops_; }
  // What is lowered from here on are other orders of the same pattern.
  void name_no_more_ops() { all_named_ = true; }
  void is_scalar(program::Index variable);
  [[nodiscard]] const std::vector<program::Index>& scalars() const { return scalars_; }

 private:
  std::vector<std::string> names_;
  std::vector<Op> ops_;
  bool all_named_ = false;
  std::vector<program::Index> scalars_;
};

struct LoweredPattern {
  std::vector<program::Instruction> tests;
  std::map<program::Index, std::uint16_t> bound;  // variable -> register
  std::vector<std::uint16_t> nodes;               // matched nodes outside of helper patterns, root first
  std::vector<std::uint16_t> calls;               // all calls of the pattern as written
  std::set<std::uint16_t> searched;               // registers of variables that helper patterns bind
  std::set<program::Index> chain;                 // op patterns of calls that repeating helper patterns pass
  std::uint16_t depth = 1;
  std::vector<std::pair<std::uint16_t, program::Index>> preload;  // for further roots
};

// One equation of a helper pattern, while its body is lowered. A parameter that is a name of the body stands for
// the caller's pattern there.
struct PatternHead {
  struct Parameter {
    program::Index index = 0;
    bool handed_on = false;  // the name stands once: what is matched there needs no register
  };
  std::map<std::string_view, Parameter> parameters;
};

class PatternLowering {
 public:
  PatternLowering(Definitions& definitions, const Ast& tree, Places& places, Variables& variables)
      : definitions_(&definitions), ast_(&tree), places_(&places), variables_(&variables) {}

  // Bit i of `swaps` exchanges the operands of the i-th commutative call in preorder.
  LoweredPattern lower(TermId pattern, std::uint16_t at, unsigned swaps, bool bind_rest);
  // Continues into the same result, for the parameters of a helper.
  void lower_into(LoweredPattern& out, TermId pattern, std::uint16_t at);
  // Variables bound elsewhere: a repeated name compares with a preloaded register.
  void set_outer(const std::map<program::Index, std::uint16_t>* outer) { outer_ = outer; }

  // The body of an equation; what is bound stands in registers of its own.
  LoweredPattern lower_equation(TermId body, const PatternHead& head, std::vector<program::Instruction>& block);

  // Commutative calls of the pattern whose operands may be exchanged, outside of helper patterns, where both
  // orders are part of the search.
  [[nodiscard]] unsigned commutative_calls(TermId pattern) const;

 private:
  void term(TermId id, std::uint16_t at, std::uint16_t depth);
  void call(const Term& term, std::uint16_t at, std::uint16_t depth);
  void helper(const Term& term, const Definitions::Helper& helper, std::uint16_t at, std::uint16_t depth);
  program::PatternArgument helper_argument(TermId value, std::uint16_t place, std::uint16_t depth);
  [[nodiscard]] const Definitions::Helper* helper_of(const Term& term) const;
  void root_ops(TermId pattern, std::uint16_t at);
  void matched(std::uint16_t at);
  void exchange(std::uint16_t at, program::Index first, program::Index second, bool asked);
  void bind_in_block(program::Index variable, std::uint16_t at);
  void sequence(const Term& term, std::uint16_t at, std::uint16_t depth);
  void bind(std::string_view name, std::uint16_t at);
  void check_kind(const Term& term, std::uint16_t at);
  void emit(program::Test test, std::uint16_t a, program::Index b = 0, program::Index c = 0);
  [[nodiscard]] bool is_commutative_call(const Term& term) const;

  Definitions* definitions_;
  const Ast* ast_;
  Places* places_;
  Variables* variables_;
  const std::map<program::Index, std::uint16_t>* outer_ = nullptr;
  LoweredPattern* out_ = nullptr;
  std::vector<program::Instruction>* code_ = nullptr;
  bool in_block_ = false;
  bool closed_ = true;  // so far, the blocks of the call that is being lowered
  const PatternHead* head_ = nullptr;
  std::vector<std::uint16_t> bound_here_;  // by the blocks of the call that is being lowered
  program::Index helper_calls_ = 0;
  unsigned swaps_ = 0, seen_commutative_ = 0;
  bool bind_rest_ = false;
};

}  // namespace fxrules::dsl
