// Matching by recursion over a rule's syntax tree, one rule against one node. What is still to be matched is
// passed along as a function, so that helper patterns come back for their next equation.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "dsl/ast.hpp"
#include "engine/rewrite/machine.hpp"

namespace fxrules::testing {

struct NaiveMatch {
  std::map<std::string, rewrite::Value, std::less<>> bound;
  std::vector<NodeId> nodes;  // matched calls, outside in
  struct Named {
    NodeId node;
    unsigned count;
  };
  std::map<std::string, Named, std::less<>> ops;  // calls by op name
};

class NaiveMatcher {
 public:
  NaiveMatcher(const dsl::Ast& ast, rewrite::Machine& machine)
      : ast_(ast), machine_(machine), binding_(machine.binding()), graph_(binding_.graph()) {}

  // Calls `found` with each way in which the rule's roots match, the first one at `node`, until it answers true.
  bool each_match(const dsl::Rule& rule, NodeId node, const std::function<bool(NaiveMatch&)>& found);

 private:
  using Value = rewrite::Value;

  // What is bound so far: by the rule, and by each equation of a helper pattern that was entered. It is copied
  // wherever there is a choice.
  struct Closure {
    dsl::TermId term = dsl::kNoTerm;
    std::size_t frame = 0;
  };
  struct Frame {
    const dsl::Equation* equation = nullptr;
    std::vector<Closure> arguments;
    std::map<std::string, Value, std::less<>> bound;
  };
  struct State {
    NaiveMatch match;
    std::vector<Frame> frames;  // [0] is the rule's and binds in `match`
    unsigned commutative_seen = 0;
  };
  using Next = std::function<bool(State)>;
  // Where a term stands: whose names it means, and whether both orders of operands are tried on the spot.
  struct Place {
    std::size_t frame = 0;
    bool helper = false;
  };

  bool further_roots(const dsl::Rule& rule, std::size_t root, const NaiveMatch& so_far,
                     const std::function<bool(NaiveMatch&)>& found);
  // Each way in which the pattern matches, with the operands of the k-th commutative call exchanged where bit k is set.
  bool matches(dsl::TermId pattern, NodeId node, unsigned exchanged, const NaiveMatch& so_far,
               const std::function<bool(NaiveMatch&)>& found);
  unsigned commutative_calls(dsl::TermId pattern) const;
  bool may_commute(const dsl::Term& call) const;

  bool term(dsl::TermId id, const Value& value, State state, Place place, const Next& next);
  bool terms(const std::vector<std::pair<dsl::TermId, Value>>& all, std::size_t from, State state, Place place,
             const Next& next);
  bool bind(std::string_view name, const Value& value, State state, Place place, const Next& next);
  bool bind_all(const std::vector<std::pair<std::string_view, Value>>& all, std::size_t from, State state, Place place,
                const Next& next);
  bool call(const dsl::Term& t, const Value& value, const State& state, Place place, const Next& next);
  bool call(const dsl::Term& t, NodeId node, bool exchanged, State state, Place place, const Next& next);
  bool subscript(const dsl::Term& t, const Value& value, State state, Place place, const Next& next);
  bool sequence(const dsl::Term& t, const Value& value, State state, Place place, const Next& next);
  bool slice(const dsl::Term& t, const Value& value, State state, Place place, const Next& next);

  // Helper patterns.
  [[nodiscard]] bool is_helper(const dsl::Term& t) const;
  bool helper(const dsl::Term& t, const Value& value, const State& state, Place place, const Next& next);
  bool heads(const program::PatternEquation& compiled, std::size_t parameter, State state, Place place,
             const Next& next);
  [[nodiscard]] bool is_parameter(const Frame& frame, std::string_view name, std::size_t* index) const;
  Value evaluate(program::Code code, const program::PatternEquation& compiled, const Frame& frame);

  // Ops. `holes` receives the texts of name holes.
  bool is_called(NodeId node, const dsl::Callee& callee,
                 std::vector<std::pair<std::string_view, std::string>>* holes) const;
  bool is_named(NodeId node, std::string_view spelled) const;
  bool in_set(NodeId node, std::string_view set) const;
  bool fills_holes(NodeId node, const dsl::Callee& callee,
                   std::vector<std::pair<std::string_view, std::string>>* holes) const;

  // Arguments by schema role.
  struct Role {
    int schema_argument = -1;   // of the schema, or
    int literal_argument = -1;  // of the call, where there is no schema
    [[nodiscard]] bool exists() const { return schema_argument >= 0 || literal_argument >= 0; }
  };
  Role role_at(NodeId node, unsigned position) const;
  Role role_of(NodeId node, std::string_view keyword) const;
  Value value_of(NodeId node, Role role) const;
  bool others_at_default(NodeId node, const std::vector<Role>& mentioned, std::size_t from) const;
  bool operands_exchange(NodeId node, bool asked) const;
  Value rest_of(NodeId node, const std::vector<std::pair<unsigned, std::string_view>>& mentioned) const;

  // Values.
  bool equal(const Value& a, const Value& b) const;
  bool equals_literal(const Value& value, const program::Literal& literal) const;
  bool is_of_kind(const Value& value, std::string_view kind) const;
  Value item(const Value& sequence, std::uint32_t i) const;

  const dsl::Ast& ast_;
  rewrite::Machine& machine_;
  rewrite::Binding& binding_;
  Graph& graph_;
  unsigned exchanged_ = 0;
};

}  // namespace fxrules::testing
