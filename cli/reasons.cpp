#include "cli/reasons.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "dsl/callee.hpp"
#include "engine/rewrite/binding.hpp"

namespace fxrules::cli {
namespace {

using dsl::Ast;
using dsl::Callee;
using dsl::CalleeKind;
using dsl::TermId;
using dsl::TermKind;

class Roots {
 public:
  Roots(const Ast& ast, const Catalogue& catalogue, rewrite::Binding& binding)
      : ast_(ast), catalogue_(catalogue), binding_(binding) {}

  bool accepts_some(const dsl::Rule& rule) {
    const Graph& graph = binding_.graph();
    return std::any_of(rule.roots.begin(), rule.roots.end(), [&](const dsl::Root& root) {
      const std::uint32_t callee = callee_of(root.pattern);
      if (callee == kNone) return false;
      const auto range = graph.nodes();
      return std::any_of(range.begin(), range.end(), [&](NodeId n) { return accepts(callee, n); });
    });
  }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  std::uint32_t callee_of(TermId pattern) const {
    while (ast_[pattern].kind == TermKind::bind) pattern = ast_.children[ast_[pattern].first];
    return ast_[pattern].kind == TermKind::call ? ast_[pattern].callee : kNone;
  }

  bool accepts(std::uint32_t index, NodeId n) {
    const Opcode opcode = binding_.graph().opcode(n);
    if (opcode == Opcode::placeholder || opcode == Opcode::get_attr || opcode == Opcode::output) return false;
    const Callee& callee = ast_.callees[index];
    switch (callee.kind) {
      case CalleeKind::implicit:
        return accepts_op(callee.text, n);
      case CalleeKind::method:
        return opcode == Opcode::call_method && binding_.graph().target(n) == callee.text.substr(1);
      case CalleeKind::dotted:
        return accepts_path(callee.text, n);
      case CalleeKind::set:
        return std::any_of(callee.members.begin(), callee.members.end(),
                           [&](std::uint32_t m) { return accepts(m, n); });
      case CalleeKind::holes:
      case CalleeKind::any:
        return true;
    }
    return false;
  }

  // A word that is no op is a set or a helper pattern, which may stand for any op.
  bool accepts_op(std::string_view word, NodeId n) {
    const auto op = catalogue_.find_op(word);
    return !op || binding_.call_class(n).op == *op;
  }
  // With or without the overload.
  bool accepts_path(std::string_view path, NodeId n) {
    const std::string target = dsl::full_target(catalogue_, path);
    const std::string_view actual = binding_.graph().target(n);
    return actual == target || actual.starts_with(target + ".");
  }

  const Ast& ast_;
  const Catalogue& catalogue_;
  rewrite::Binding& binding_;
};

const RuleReport* report_of(const Report& report, const dsl::Rule& rule) {
  const auto found = std::find_if(report.rules.begin(), report.rules.end(), [&](const RuleReport& r) {
    return r.span.begin >= rule.range.begin && r.span.begin < rule.range.end;
  });
  return found == report.rules.end() ? nullptr : &*found;
}

// Names on the left, as the file has them.
void add_binders(const Ast& ast, const dsl::Rule& rule, std::vector<std::string>& out) {
  std::vector<TermId> open;
  for (const dsl::Root& root : rule.roots) open.push_back(root.pattern);
  while (!open.empty()) {
    const dsl::Term& term = ast[open.back()];
    open.pop_back();
    if ((term.kind == TermKind::name || term.kind == TermKind::bind) && !term.text.empty())
      out.push_back(fmt::format("`{}`", term.text));
    for (std::uint32_t i = 0; i < term.count; ++i) {
      const TermId child = ast.children[term.first + i];
      if (child != dsl::kNoTerm) open.push_back(child);
    }
  }
}

void add_guards(const Ast& ast, const dsl::Rule& rule, std::vector<std::string>& out) {
  for (const dsl::Alternative& alternative : rule.alternatives) {
    if (alternative.guard == dsl::kNoTerm) continue;
    const dsl::Range range = ast[alternative.guard].range;
    out.push_back(fmt::format("`{}`", ast.source->text.substr(range.begin, range.end - range.begin)));
  }
}

void add_messages(const std::vector<Diagnostic>& diagnostics, std::vector<std::string>& out) {
  for (const Diagnostic& d : diagnostics) {
    out.push_back(d.message);
    if (!d.hint.empty()) out.push_back(d.hint);
    for (const Diagnostic& related : d.related) out.push_back(related.message);
  }
}

}  // namespace

std::vector<std::string> reasons(const Ast& ast, const RuleSet& rules, Graph& graph, const Report& report) {
  std::vector<std::string> out;
  rewrite::Binding binding(rules.program(), graph);
  Roots roots(ast, binding.catalogue(), binding);
  for (const dsl::Rule& rule : ast.rules) {
    if (!roots.accepts_some(rule)) continue;
    add_binders(ast, rule, out);
    add_guards(ast, rule, out);
    const RuleReport* counts = report_of(report, rule);
    if (counts != nullptr && counts->refused > 0) out.push_back("refused as unsafe");
  }
  add_messages(report.diagnostics, out);
  for (const Note& note : report.notes) out.push_back(note.text);
  return out;
}

}  // namespace fxrules::cli
