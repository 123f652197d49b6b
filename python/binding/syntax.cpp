#include "python/binding/syntax.hpp"

#include <span>

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

// What `entry` makes of each item.
template <typename Items, typename Entry>
nb::list list_of(const Items& items, const Entry& entry) {
  nb::list out;
  for (const auto& item : items) out.append(entry(item));
  return out;
}

nb::dict callee_of(const dsl::Ast& ast, const dsl::Callee& callee) {
  static constexpr std::string_view kKinds[] = {"implicit", "method", "dotted", "holes", "set", "any"};
  nb::dict out;
  out["kind"] = str(kKinds[static_cast<std::size_t>(callee.kind)]);
  out["text"] = str(callee.text);
  out["range"] = range(callee.range);
  out["pieces"] =
      list_of(callee.pieces, [](const dsl::CalleePiece& p) { return nb::make_tuple(str(p.text), p.hole, str(p.set)); });
  // Members are no sets themselves: two levels.
  out["members"] = list_of(callee.members, [&](std::uint32_t member) { return callee_of(ast, ast.callees[member]); });
  return out;
}

nb::tuple term_of(const dsl::Ast& ast, const dsl::Term& t) {
  const bool called = t.kind == dsl::TermKind::call || t.kind == dsl::TermKind::op;
  const std::span children(ast.children.data() + t.first, t.count);
  return nb::make_tuple(str(name_of(t.kind)), str(t.text), str(t.annotation), t.range.begin, t.range.end,
                        list_of(children, term_id),
                        called ? nb::object(callee_of(ast, ast.callees[t.callee])) : nb::object(nb::none()));
}

nb::dict alternative_of(const dsl::Alternative& a) {
  static constexpr std::string_view kResults[] = {"term", "block", "keep", "error", "note"};
  nb::dict out;
  out["kind"] = str(kResults[static_cast<std::size_t>(a.result.kind)]);
  out["term"] = term_id(a.result.term);
  out["bindings"] = list_of(a.result.bindings,
                            [](const dsl::ResultBinding& b) { return nb::make_tuple(str(b.name), term_id(b.value)); });
  out["guard"] = term_id(a.guard);
  out["otherwise"] = a.otherwise;
  out["range"] = range(a.range);
  out["result_range"] = range(a.result.range);
  return out;
}

nb::dict rule_of(const dsl::Rule& r) {
  nb::dict out;
  out["label"] = str(r.label);
  out["phase"] = r.phase;
  out["range"] = range(r.range);
  out["roots"] =
      list_of(r.roots, [](const dsl::Root& root) { return nb::make_tuple(str(root.name), term_id(root.pattern)); });
  out["alternatives"] = list_of(r.alternatives, alternative_of);
  return out;
}

nb::tuple graph_of(const dsl::TestGraph& g) {
  static constexpr std::string_view kStatements[] = {"node", "placeholder", "buffer", "return", "graph"};
  return nb::make_tuple(str(g.name), list_of(g.statements, [](const dsl::Statement& s) {
                          return nb::make_tuple(str(kStatements[static_cast<std::size_t>(s.kind)]), str(s.name),
                                                term_id(s.value), str(s.meta), s.tuple);
                        }));
}

nb::dict test_of(const dsl::Test& t) {
  nb::dict out;
  out["name"] = str(t.name);
  out["before"] = t.has_before ? nb::object(nb::int_(t.before)) : nb::object(nb::none());
  out["unchanged"] = t.unchanged;
  out["graphs"] = list_of(t.graphs, graph_of);
  return out;
}

}  // namespace

nb::dict syntax(const std::string& text, const std::string& name) {
  const dsl::ParseResult parsed = dsl::parse(std::make_shared<Source>(Source{name, text}));
  if (has_errors(parsed.diagnostics)) throw nb::value_error(render(parsed.diagnostics).c_str());
  const dsl::Ast& ast = parsed.ast;
  nb::dict out;
  out["terms"] = list_of(ast.terms, [&](const dsl::Term& t) { return term_of(ast, t); });
  out["rules"] = list_of(ast.rules, rule_of);
  out["tests"] = list_of(ast.tests, test_of);
  out["params"] = list_of(
      ast.params, [](const dsl::Param& p) { return nb::make_tuple(str(p.name), str(p.type), term_id(p.value)); });
  out["sets"] =
      list_of(ast.sets, [](const dsl::SetDeclaration& s) { return nb::make_tuple(str(s.name), term_id(s.value)); });
  out["imports"] = list_of(ast.imports, [](const dsl::Import& i) { return nb::make_tuple(str(i.path), i.catalogue); });
  out["phases"] = list_of(ast.phases, [](const dsl::Phase& p) { return nb::make_tuple(str(p.name), p.once); });
  out["patterns"] = list_of(ast.patterns, [](const dsl::Equation& e) {
    return nb::make_tuple(str(e.name), list_of(e.parameters, term_id), term_id(e.body));
  });
  return out;
}

}  // namespace fxrules::python
