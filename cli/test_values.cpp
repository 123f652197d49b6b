#include "cli/test_values.hpp"

#include <algorithm>

#include "dsl/literals.hpp"

namespace fxrules::cli {

using dsl::Ast;
using dsl::kNoTerm;
using dsl::Term;
using dsl::TermId;
using dsl::TermKind;

namespace {

void add_literal(CallBuilder& call, const program::Literal& literal) {
  switch (literal.kind) {
    case ArgKind::none:
      call.none();
      return;
    case ArgKind::boolean:
      call.boolean(literal.integer != 0);
      return;
    case ArgKind::integer:
      call.integer(literal.integer);
      return;
    case ArgKind::floating:
      call.floating(literal.floating);
      return;
    case ArgKind::ellipsis:
      call.ellipsis();
      return;
    default:
      call.spelled(literal.kind, literal.text);
      return;
  }
}

std::optional<ArgKind> container_of(TermKind kind) {
  switch (kind) {
    case TermKind::list:
      return ArgKind::list;
    case TermKind::tuple:
      return ArgKind::tuple;
    case TermKind::slice:
      return ArgKind::slice;
    default:
      return std::nullopt;
  }
}

// The literal of a term; a name is one only where no node has it, which the caller asks first.
std::optional<program::Literal> known_literal(const Ast& ast, TermId term) {
  std::optional<program::Literal> literal = dsl::literal_of(ast, term);
  if (literal && literal->unknown) literal.reset();
  return literal;
}

}  // namespace

bool makes_node(const Ast& ast, TermId term) {
  if (ast[term].kind == TermKind::index) return true;
  return ast[term].kind == TermKind::call && !known_literal(ast, term);
}

std::vector<TermId> inner_calls(const Ast& ast, TermId term) {
  std::vector<TermId> calls, open{term};
  while (!open.empty()) {
    const TermId id = open.back();
    open.pop_back();
    if (id != term && makes_node(ast, id)) calls.push_back(id);
    for (std::uint32_t i = 0; i < ast[id].count; ++i) {
      const TermId child = ast.children[ast[id].first + i];
      if (child != kNoTerm) open.push_back(child);
    }
  }
  std::reverse(calls.begin(), calls.end());  // found outside in
  return calls;
}

bool add_argument(CallBuilder& call, const Ast& ast, TermId term, const NodeOfTerm& node_of, TermId& wrong) {
  struct Step {
    TermId term;
    bool close = false;
  };
  std::vector<Step> open{{term}};
  while (!open.empty()) {
    const Step step = open.back();
    open.pop_back();
    if (step.close) {
      call.close();
      continue;
    }
    if (step.term == kNoTerm) {  // an empty part of a slice
      call.none();
      continue;
    }
    const Term& t = ast[step.term];
    if (const auto container = container_of(t.kind)) {
      call.open(*container);
      open.push_back({step.term, true});
      for (std::uint32_t i = t.count; i-- > 0;) open.push_back({ast.children[t.first + i]});
    } else if (makes_node(ast, step.term) || t.kind == TermKind::name) {
      const NodeId node = node_of(step.term);
      const auto literal = node.valid() ? std::nullopt : known_literal(ast, step.term);
      if (literal) {
        add_literal(call, *literal);
      } else {
        node.valid() ? call.node(node) : call.none();
      }
    } else if (const auto literal = known_literal(ast, step.term)) {
      add_literal(call, *literal);
    } else if (t.kind == TermKind::constant) {
      call.spelled(ArgKind::op, t.text);  // some dotted name: an op, a class
    } else {
      wrong = step.term;
      return false;
    }
  }
  return true;
}

}  // namespace fxrules::cli
