// The tree as text: an item a line, its parts indented, terms as `kind{text children}`.
#include <iterator>

#include <fmt/format.h>

#include "dsl/ast.hpp"

namespace fxrules::dsl {
namespace {

std::string_view word(TermKind kind) {
  switch (kind) {
    case TermKind::none:
      return "none";
    case TermKind::boolean:
      return "bool";
    case TermKind::integer:
      return "int";
    case TermKind::floating:
      return "float";
    case TermKind::complex:
      return "complex";
    case TermKind::string:
      return "str";
    case TermKind::ellipsis:
      return "ellipsis";
    case TermKind::constant:
      return "const";
    case TermKind::op:
      return "op";
    case TermKind::set:
      return "set";
    case TermKind::unknown:
      return "unknown";
    case TermKind::name:
      return "name";
    case TermKind::wildcard:
      return "any";
    case TermKind::rest:
      return "rest";
    case TermKind::bind:
      return "bind";
    case TermKind::list:
      return "list";
    case TermKind::tuple:
      return "tuple";
    case TermKind::slice:
      return "slice";
    case TermKind::call:
      return "call";
    case TermKind::argument:
      return "arg";
    case TermKind::index:
      return "index";
    case TermKind::field:
      return "field";
    case TermKind::unary:
      return "unary";
    case TermKind::binary:
      return "binary";
    case TermKind::text:
      return "text";
  }
  return "";
}

std::string_view word(CalleeKind kind) {
  switch (kind) {
    case CalleeKind::implicit:
      return "";
    case CalleeKind::method:
      return "method ";
    case CalleeKind::dotted:
      return "dotted ";
    case CalleeKind::holes:
      return "holes ";
    case CalleeKind::set:
      return "set ";
    case CalleeKind::any:
      return "any ";
  }
  return "";
}

class Writer {
 public:
  explicit Writer(const Ast& ast) : ast_(ast) {}

  std::string run() {
    for (const Import& import : ast_.imports) line("{} {}", import.catalogue ? "catalogue" : "import", import.path);
    for (const Param& param : ast_.params) line("param {}: {} = {}", param.name, param.type, term(param.value));
    for (const SetDeclaration& set : ast_.sets) line("set {} = {}", set.name, term(set.value));
    for (const Equation& equation : ast_.defs) write("def", equation);
    for (const Equation& equation : ast_.patterns) write("pattern", equation);
    for (const MetaEquation& meta : ast_.metas) write(meta);
    for (const Inverse& inverse : ast_.inverses) write(inverse);
    write_rules();
    for (const Test& test : ast_.tests) write(test);
    return std::move(out_);
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }

  std::string term(TermId id) {
    std::string text;
    append(text, id);
    return text;
  }

  // Terms are at most some hundred deep: see parse().
  void append(std::string& out, TermId id) {
    if (id == kNoTerm) {
      out += '-';
      return;
    }
    const Term& term = ast_[id];
    if (term.kind == TermKind::argument && term.text.empty()) return append(out, ast_.children[term.first]);
    out += word(term.kind);
    out += '{';
    const std::size_t empty = out.size();
    append_head(out, term);
    for (std::uint32_t i = 0; i < term.count; ++i) {
      if (out.size() != empty) out += ' ';
      append(out, ast_.children[term.first + i]);
    }
    out += '}';
  }

  void append_head(std::string& out, const Term& term) {
    const bool called = term.kind == TermKind::call || term.kind == TermKind::op;
    if (called)
      append_callee(out, ast_.callees[term.callee]);
    else
      out += term.text;
    if (!term.annotation.empty()) fmt::format_to(std::back_inserter(out), ": {}", term.annotation);
  }

  void append_callee(std::string& out, const Callee& callee) {
    out += word(callee.kind);
    if (callee.kind == CalleeKind::set)
      append_members(out, callee);
    else if (callee.kind == CalleeKind::holes)
      append_pieces(out, callee);
    else
      out += callee.text;
    if (callee.commutative) out += '~';
  }

  void append_members(std::string& out, const Callee& callee) {
    out += '[';
    for (const std::uint32_t member : callee.members) {
      if (out.back() != '[') out += ' ';
      append_callee(out, ast_.callees[member]);
    }
    out += ']';
  }

  static void append_pieces(std::string& out, const Callee& callee) {
    out += '[';
    for (const CalleePiece& piece : callee.pieces) {
      if (out.back() != '[') out += ' ';
      if (!piece.hole)
        out += piece.text;
      else
        fmt::format_to(std::back_inserter(out), "<{}{}{}>", piece.text, piece.set.empty() ? "" : ": ", piece.set);
    }
    out += ']';
  }

  std::string bindings(const Result& result) {
    std::string text;
    for (const ResultBinding& binding : result.bindings) {
      fmt::format_to(std::back_inserter(text), " {} = {}", binding.name, term(binding.value));
      if (binding.as != kNoTerm) text += " as " + term(binding.as);
    }
    return text;
  }

  std::string result(const Result& result) {
    switch (result.kind) {
      case ResultKind::term:
        return term(result.term);
      case ResultKind::block:
        return "block" + bindings(result);
      case ResultKind::keep:
        return "keep" + bindings(result);
      case ResultKind::error:
        return "error " + term(result.term);
      case ResultKind::note:
        return "note " + term(result.term);
    }
    return {};
  }

  std::string guard(TermId id) { return id == kNoTerm ? std::string() : " if " + term(id); }

  void write(const std::vector<Alternative>& alternatives) {
    for (const Alternative& alternative : alternatives)
      line("  => {}{}{}", result(alternative.result), guard(alternative.guard),
           alternative.otherwise ? " otherwise" : "");
  }

  void write(std::string_view word, const Equation& equation) {
    std::string head;
    for (const TermId parameter : equation.parameters) head += " " + term(parameter);
    const std::string_view error = equation.is_error ? "error " : "";
    line("{} {}{} = {}{}{}", word, equation.name, head, error, term(equation.body), guard(equation.guard));
  }

  void write(const MetaEquation& meta) {
    const std::string_view error = meta.is_error ? "error " : "";
    line("meta {} = {}{}{}", term(meta.head), error, term(meta.body), guard(meta.guard));
  }

  void write(const Inverse& inverse) {
    line("inverse {}, {}", term(inverse.head), inverse.value);
    write(inverse.alternatives);
  }

  void write_rules() {
    std::size_t next = 0;
    for (std::uint32_t phase = 0; phase < ast_.phases.size(); ++phase) {
      if (phase != 0) write(ast_.phases[phase]);
      for (; next < ast_.rules.size() && ast_.rules[next].phase == phase; ++next) write(ast_.rules[next]);
    }
  }

  void write(const Phase& phase) {
    const std::string as = phase.as == kNoTerm ? std::string() : " as " + term(phase.as);
    line("phase {}{}{}{}", phase.name, phase.once ? " once" : "", phase.order == Order::reverse ? " reverse" : "", as);
  }

  void write(const Rule& rule) {
    line("rule{}{}", rule.label.empty() ? "" : " ", rule.label);
    for (const Root& root : rule.roots) {
      if (root.name.empty())
        line("  {}", term(root.pattern));
      else
        line("  {} = {}", root.name, term(root.pattern));
    }
    write(rule.alternatives);
    if (rule.as != kNoTerm) line("  as {}", term(rule.as));
  }

  void write(const Test& test) {
    line("test {}", test.name);
    for (std::size_t i = 0; i < test.graphs.size(); ++i) write(test, i);
    if (test.unchanged) line("  unchanged{}{}", test.because.empty() ? "" : " because ", test.because);
    for (const Test::Check& check : test.checks) write(check);
  }

  void write(const Test::Check& check) {
    if (check.right == kNoTerm)
      line("  check {}", term(check.left));
    else
      line("  check {} == {}", term(check.left), term(check.right));
  }

  void write(const Test& test, std::size_t index) {
    const TestGraph& graph = test.graphs[index];
    const bool before = test.has_before && index == test.before;
    const bool after = test.after >= 0 && index == static_cast<std::size_t>(test.after);
    line("  {}", before ? "before" : after ? "after" : fmt::format("graph {} {}", index, graph.name));
    for (const Statement& statement : graph.statements) write(statement);
  }

  void write(const Statement& statement) {
    const std::string meta = statement.meta.empty() ? std::string() : fmt::format(" : {}", statement.meta);
    switch (statement.kind) {
      case StatementKind::node:
        return line("    {} = {}{}", statement.name, term(statement.value), meta);
      case StatementKind::placeholder:
        return line("    {} = placeholder{}", statement.name, meta);
      case StatementKind::buffer:
        return line("    {} = buffer{}", statement.name, meta);
      case StatementKind::returns:
        return line("    return {}{}", term(statement.value), meta);
      case StatementKind::graph:
        return line("    graph {} {}", statement.graph, statement.name);
    }
  }

  const Ast& ast_;
  std::string out_;
};

}  // namespace

std::string to_text(const Ast& ast) { return Writer(ast).run(); }

}  // namespace fxrules::dsl
