#include "python/binding/syntax.hpp"

#include "dsl/ast.hpp"

namespace nb = nanobind;

namespace fxrules::python {
namespace {

nb::str str(std::string_view text) { return nb::str(text.data(), text.size()); }
nb::object term_id(dsl::TermId id) { return id == dsl::kNoTerm ? nb::object(nb::none()) : nb::object(nb::int_(id)); }
nb::tuple range(dsl::Range r) { return nb::make_tuple(r.begin, r.end); }

std::string_view name_of(dsl::TermKind kind) {
  static constexpr std::string_view kNames[] = {
      "none", "boolean",  "integer", "floating", "complex", "string", "ellipsis", "constant", "op",
      "set",  "unknown",  "name",    "wildcard", "rest",    "bind",   "list",     "tuple",    "slice",
      "call", "argument", "index",   "field",    "unary",   "binary", "text"};
  return kNames[static_cast<std::size_t>(kind)];
}

nb::dict callee_of(const dsl::Ast& ast, const dsl::Callee& callee) {
  static constexpr std::string_view kKinds[] = {"implicit", "method", "dotted", "holes", "set", "any"};
  nb::dict out;
  out["kind"] = str(kKinds[static_cast<std::size_t>(callee.kind)]);
  out["text"] = str(callee.text);
  out["range"] = range(callee.range);
  nb::list pieces, members;
  for (const dsl::CalleePiece& p : callee.pieces) pieces.append(nb::make_tuple(str(p.text), p.hole, str(p.set)));
  for (const std::uint32_t member : callee.members) members.append(callee_of(ast, ast.callees[member]));  // two levels
  out["pieces"] = pieces;
  out["members"] = members;
  return out;
}

nb::list terms_of(const dsl::Ast& ast) {
  nb::list out;
  for (const dsl::Term& t : ast.terms) {
    nb::list children;
    for (std::uint32_t i = 0; i < t.count; ++i) children.append(term_id(ast.children[t.first + i]));
    const bool called = t.kind == dsl::TermKind::call || t.kind == dsl::TermKind::op;
    out.append(nb::make_tuple(str(name_of(t.kind)), str(t.text), str(t.annotation), t.range.begin, t.range.end,
                              children,
                              called ? nb::object(callee_of(ast, ast.callees[t.callee])) : nb::object(nb::none())));
  }
  return out;
}

nb::list rules_of(const dsl::Ast& ast) {
  static constexpr std::string_view kResults[] = {"term", "block", "keep", "error", "note"};
  nb::list out;
  for (const dsl::Rule& r : ast.rules) {
    nb::dict rule;
    rule["label"] = str(r.label);
    rule["phase"] = r.phase;
    rule["range"] = range(r.range);
    nb::list roots, alternatives;
    for (const dsl::Root& root : r.roots) roots.append(nb::make_tuple(str(root.name), term_id(root.pattern)));
    for (const dsl::Alternative& a : r.alternatives) {
      nb::dict alternative;
      alternative["kind"] = str(kResults[static_cast<std::size_t>(a.result.kind)]);
      alternative["term"] = term_id(a.result.term);
      nb::list bindings;
      for (const dsl::ResultBinding& b : a.result.bindings)
        bindings.append(nb::make_tuple(str(b.name), term_id(b.value)));
      alternative["bindings"] = bindings;
      alternative["guard"] = term_id(a.guard);
      alternative["otherwise"] = a.otherwise;
      alternative["range"] = range(a.range);
      alternative["result_range"] = range(a.result.range);
      alternatives.append(alternative);
    }
    rule["roots"] = roots;
    rule["alternatives"] = alternatives;
    out.append(rule);
  }
  return out;
}

nb::list tests_of(const dsl::Ast& ast) {
  static constexpr std::string_view kStatements[] = {"node", "placeholder", "buffer", "return", "graph"};
  nb::list out;
  for (const dsl::Test& t : ast.tests) {
    nb::dict test;
    test["name"] = str(t.name);
    test["before"] = t.has_before ? nb::object(nb::int_(t.before)) : nb::object(nb::none());
    test["unchanged"] = t.unchanged;
    nb::list graphs;
    for (const dsl::TestGraph& g : t.graphs) {
      nb::list statements;
      for (const dsl::Statement& s : g.statements)
        statements.append(nb::make_tuple(str(kStatements[static_cast<std::size_t>(s.kind)]), str(s.name),
                                         term_id(s.value), str(s.meta), s.tuple));
      graphs.append(nb::make_tuple(str(g.name), statements));
    }
    test["graphs"] = graphs;
    out.append(test);
  }
  return out;
}

}  // namespace

nb::dict syntax(const std::string& text, const std::string& name) {
  const dsl::ParseResult parsed = dsl::parse(std::make_shared<Source>(Source{name, text}));
  if (has_errors(parsed.diagnostics)) throw nb::value_error(render(parsed.diagnostics).c_str());
  const dsl::Ast& ast = parsed.ast;
  nb::dict out;
  out["terms"] = terms_of(ast);
  out["rules"] = rules_of(ast);
  out["tests"] = tests_of(ast);
  nb::list params, sets, imports, phases, defs;
  for (const dsl::Param& p : ast.params) params.append(nb::make_tuple(str(p.name), str(p.type), term_id(p.value)));
  for (const dsl::SetDeclaration& s : ast.sets) sets.append(nb::make_tuple(str(s.name), term_id(s.value)));
  for (const dsl::Import& i : ast.imports) imports.append(nb::make_tuple(str(i.path), i.catalogue));
  for (const dsl::Phase& p : ast.phases) phases.append(nb::make_tuple(str(p.name), p.once));
  for (const dsl::Equation& e : ast.patterns) {
    nb::list parameters;
    for (const dsl::TermId p : e.parameters) parameters.append(term_id(p));
    defs.append(nb::make_tuple(str(e.name), parameters, term_id(e.body)));
  }
  out["params"] = params;
  out["sets"] = sets;
  out["imports"] = imports;
  out["phases"] = phases;
  out["patterns"] = defs;
  return out;
}

}  // namespace fxrules::python
