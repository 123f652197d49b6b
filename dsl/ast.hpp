// The syntax tree of a rule file: what the parser makes and every later stage reads. Terms live in one
// vector and name each other by index; texts are views into the source, which the tree keeps alive.
// Patterns, replacements, guards, helper equations and test graphs share one term language; which terms
// are allowed where is checked after parsing, so that the message can say more than "syntax error".
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "fxrules/diagnostic.hpp"

namespace fxrules::dsl {

using TermId = std::uint32_t;
inline constexpr TermId kNoTerm = std::numeric_limits<TermId>::max();

struct Range {  // byte range in the file's source
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

enum class TermKind : std::uint8_t {
  // literals; `text` is the spelling
  none,
  boolean,
  integer,
  floating,
  complex,
  string,
  ellipsis,
  constant,  // torch.float32, torch.strided, torch.channels_last, …: a dotted name without a call
  op,        // an op that is not called: `<f>_` in `defined(<f>_)`, `.add` and `view` in a set; `callee`
  set,       // {add, .cpu, "meta"} without a call; children: ops, strings and numbers
  unknown,   // the word `unknown`
  // names
  name,      // `x`, `root`; on the left perhaps with an `annotation`
  wildcard,  // `_`, perhaps with an `annotation`
  rest,      // `..` (no child), `rest..` (text), or `f(xs)..` (one child, right side only)
  bind,      // `u @ pattern`: text `u`, one child
  // structure
  list,   // [a, b..]
  tuple,  // (a, b), (a,)
  slice,  // a:b:c; three children, kNoTerm where empty
  // calls and access
  call,      // callee(args): `callee` indexes Ast::callees; children are `argument` terms
  argument,  // one child; `text` is the keyword, empty when positional; keyword may be dotted (meta.device)
  index,     // xs[i]; children xs, i
  field,     // s.start; child s, text field
  // operators; text is the operator as written
  unary,   // -x, not x
  binary,  // + - * / // % == != < <= > >= and or in; `not in` is text "not in"
  text,    // after as, error, note: "…{e}…"; children: string pieces (see piece_value) and expressions
};

// What is called. Set members are ops only.
enum class CalleeKind : std::uint8_t {
  implicit,  // add            any spelling the catalogue knows; may also name a def, pattern, set or built-in
  method,    // .add           exactly that method
  dotted,    // torch.add, aten.add.Tensor, x.to (in test graphs), fused.linear_relu
  holes,     // <f>_, aten.<f>_.<o>, _foreach_<f>_
  set,       // {add, .sub}
  any,       // *
};

struct CalleePiece {      // of a `holes` callee
  std::string_view text;  // literal text, or the hole's name
  bool hole = false;
  std::string_view set = {};  // `<f: Set>`
  Range range;
};

struct Callee {
  CalleeKind kind = CalleeKind::implicit;
  std::string_view text;               // as written, without the tilde
  bool commutative = false;            // `add~`
  std::vector<CalleePiece> pieces;     // holes
  std::vector<std::uint32_t> members;  // set: indices of callees
  Range range;
};

struct Term {
  TermKind kind = TermKind::none;
  Range range;
  std::string_view text;
  std::string_view annotation;  // `x: Tensor[bool]` -> "Tensor[bool]"
  Range annotation_range;
  std::uint32_t callee = 0;  // call
  std::uint32_t first = 0;   // children: Ast::children[first .. first + count)
  std::uint32_t count = 0;
};

enum class ResultKind : std::uint8_t { term, block, keep, error, note };

struct ResultBinding {  // `a = alike(r[0], a) as "{origin(a)}_modified"`
  std::string_view name;
  Range name_range;
  TermId value = kNoTerm;
  TermId as = kNoTerm;  // a `text` term
  Range range;
};

struct Result {
  ResultKind kind = ResultKind::term;
  TermId term = kNoTerm;                // term; error and note: a `text` term
  std::vector<ResultBinding> bindings;  // block; keep: name may be dotted (`meta.device`)
  Range range;
};

struct Alternative {
  Result result;
  TermId guard = kNoTerm;
  bool otherwise = false;
  Range range;
};

// `{ s = split(x, n), a = s[0] } => …` has several roots; a plain rule has one without a name.
struct Root {
  std::string_view name;
  Range name_range;
  TermId pattern = kNoTerm;
  Range range;
};

struct Rule {
  std::string_view label;  // empty: unlabelled
  Range label_range;
  std::uint32_t phase = 0;
  std::vector<Root> roots;
  std::vector<Alternative> alternatives;
  TermId as = kNoTerm;  // `text` term; kNoTerm: the phase's default, if any
  Range range;
  Range head;  // label or the left side: where a whole-rule message points
};

struct Equation {  // def, helper pattern
  std::string_view name;
  std::vector<TermId> parameters;  // a keyword parameter stays an `argument` term, for the checks to refuse
  TermId body = kNoTerm;           // def: a term, or an `error` (is_error) text; pattern: a pattern
  bool is_error = false;
  TermId guard = kNoTerm;
  Range range;
  Range name_range;
};

struct MetaEquation {     // meta OP(args) = Tensor(…) [if g]
  TermId head = kNoTerm;  // a call
  TermId body = kNoTerm;
  bool is_error = false;
  TermId guard = kNoTerm;
  Range range;
};

struct Inverse {  // inverse VIEW(b, …), v => e [if g] …
  TermId head = kNoTerm;
  std::string_view value;
  Range value_range;
  std::vector<Alternative> alternatives;
  Range range;
};

struct SetDeclaration {  // set NAME = { … }
  std::string_view name;
  TermId value = kNoTerm;  // a `set` term
  Range range;
  Range name_range;
};

struct Param {  // param NAME: TYPE = VALUE
  std::string_view name;
  std::string_view type;   // str, bool, int, float, set
  TermId value = kNoTerm;  // type set: a `set` term
  Range range;
  Range name_range;
  Range type_range;
};

enum class Order : std::uint8_t { forward, reverse };

struct Phase {
  std::string_view name;  // empty: the implicit first phase
  bool once = false;
  Order order = Order::forward;
  TermId as = kNoTerm;               // default `as`
  std::vector<Range> unknown_words;  // words after the name that are neither once, forward nor reverse
  Range range;
  Range name_range;
};

struct Import {
  std::string_view path;   // "lib.rules", unquoted
  bool catalogue = false;  // `catalogue "my.ops"`
  Range range;
};

// A graph of a test block.
enum class StatementKind : std::uint8_t { node, placeholder, buffer, returns, graph };

struct Statement {
  StatementKind kind = StatementKind::node;
  std::string_view name;
  Range name_range;
  TermId value = kNoTerm;  // node: the call; returns: the value, or a `tuple` of them
  std::string_view meta;   // after `:` - `f32[4,8] strides=(8,1) device=cpu`, unparsed
  Range meta_range;
  bool tuple = false;       // returns: `return a, b` (a tuple) against `return a`
  std::uint32_t graph = 0;  // graph: index into Test graphs
  Range range;
};

struct TestGraph {
  std::string_view name;  // nested `graph NAME { … }`; empty for `before` and `after`
  std::vector<Statement> statements;
  Range range;
};

struct Test {
  std::string_view name;  // without its quotes
  Range name_range;
  std::vector<TestGraph> graphs;  // nested graphs come after the graph that holds them
  std::uint32_t before = 0;
  std::int32_t after = -1;  // -1: none (unchanged, or checks only)
  bool unchanged = false;
  std::string_view because;  // without its quotes; empty: `unchanged` alone
  Range because_range;
  struct Check {
    TermId left;
    TermId right;
    Range range;
  };  // `left == right`; kNoTerm: `left` must be true
  std::vector<Check> checks;
  bool has_before = false;
  Range range;
};

struct Ast {
  SourcePtr source;
  std::vector<Term> terms;
  std::vector<TermId> children;
  std::vector<Callee> callees;
  std::vector<Import> imports;
  std::vector<Param> params;
  std::vector<SetDeclaration> sets;
  std::vector<Phase> phases;   // [0] is the implicit one
  std::vector<Rule> rules;     // in file order
  std::vector<Equation> defs;  // in file order; equations of one name belong together
  std::vector<Equation> patterns;
  std::vector<MetaEquation> metas;
  std::vector<Inverse> inverses;
  std::vector<Test> tests;

  [[nodiscard]] const Term& operator[](TermId id) const { return terms[id]; }
  [[nodiscard]] Span span(Range r) const { return {source, r.begin, r.end}; }
};

// Parses one file. All syntax errors of the file are collected (the parser resumes at the next item in
// column 1), at most 100 of them; the tree holds the items that have none. Brackets nested deeper than
// 200 and operator chains longer than 1,000 are errors, so that later stages may recurse over terms.
// O(size).
struct ParseResult {
  Ast ast;
  std::vector<Diagnostic> diagnostics;
};
[[nodiscard]] ParseResult parse(SourcePtr source);

// The value of a `string` term: quotes removed, escapes resolved as Python does.
[[nodiscard]] std::string string_value(std::string_view spelled);
// The value of a string piece of a `text` term, which has no quotes: escapes resolved, `{{` is `{`.
[[nodiscard]] std::string piece_value(std::string_view piece);

// The tree as indented text, for `fxrules dump --stage ast` and for tests.
[[nodiscard]] std::string to_text(const Ast& ast);

// The names in a term, in the order they are found.
template <class Visit>
void visit_names(const Ast& ast, TermId term, Visit visit) {
  std::vector<TermId> todo{term};
  while (!todo.empty()) {
    const Term& t = ast[todo.back()];
    todo.pop_back();
    if (t.kind == TermKind::name) visit(t.text);
    for (std::uint32_t i = t.count; i-- > 0;) {
      if (ast.children[t.first + i] != kNoTerm) todo.push_back(ast.children[t.first + i]);
    }
  }
}

}  // namespace fxrules::dsl
