// Matching by recursion over a rule's syntax tree, one rule against one node.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "dsl/ast.hpp"
#include "engine/rewrite/binding.hpp"

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
  NaiveMatcher(const dsl::Ast& ast, rewrite::Binding& binding)
      : ast_(ast), binding_(binding), graph_(binding.graph()) {}

  // Calls `found` with each way in which the rule's roots match, the first one at `node`, until it answers true.
  bool each_match(const dsl::Rule& rule, NodeId node, const std::function<bool(NaiveMatch&)>& found);

 private:
  using Value = rewrite::Value;

  bool further_roots(const dsl::Rule& rule, std::size_t root, const NaiveMatch& so_far,
                     const std::function<bool(NaiveMatch&)>& found);
  // Whether the pattern matches, with the operands of the k-th commutative call exchanged where bit k is set.
  bool matches(dsl::TermId pattern, NodeId node, unsigned exchanged, NaiveMatch& match);
  unsigned commutative_calls(dsl::TermId pattern) const;
  bool may_commute(const dsl::Term& call) const;

  bool term(dsl::TermId id, const Value& value, NaiveMatch& match);
  bool bind(std::string_view name, const Value& value, NaiveMatch& match);
  bool call(const dsl::Term& t, const Value& value, NaiveMatch& match);
  bool subscript(const dsl::Term& t, const Value& value, NaiveMatch& match);
  bool sequence(const dsl::Term& t, const Value& value, NaiveMatch& match);
  bool slice(const dsl::Term& t, const Value& value, NaiveMatch& match);

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
  rewrite::Binding& binding_;
  Graph& graph_;
  std::vector<Value> no_heap_;
  unsigned exchanged_ = 0, commutative_seen_ = 0;
};

}  // namespace fxrules::testing
