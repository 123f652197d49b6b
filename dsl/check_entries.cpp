// An entry of the signature stands alone on a left side, and its result is an entry of the same input.
#include "dsl/check.hpp"
#include "dsl/entries.hpp"

namespace fxrules::dsl {
namespace {

class EntryCheck {
 public:
  explicit EntryCheck(const CheckInput& input) : in_(input), ast_(input.ast) {}

  void run() {
    for (const Rule& rule : ast_.rules) check(rule);
    for (const auto* equations : {&ast_.defs, &ast_.patterns}) {
      for (const Equation& e : *equations) {
        for (const TermId parameter : e.parameters) none_in(parameter);
        none_in(e.body);
        none_in(e.guard);
      }
    }
    for (const MetaEquation& e : ast_.metas) {
      for (const TermId term : {e.head, e.body, e.guard}) none_in(term);
    }
    for (const Inverse& e : ast_.inverses) {
      none_in(e.head);
      for (const Alternative& a : e.alternatives) none_in(a);
    }
  }

 private:
  void check(const Rule& rule) {
    const auto root = rule.roots.size() == 1 ? entry_of(ast_, matched(rule.roots[0].pattern)) : std::nullopt;
    if (!root && rule.roots.size() == 1 && is_entry(matched(rule.roots[0].pattern))) return;  // malformed, and told so
    if (!root) {
      for (const Root& r : rule.roots) none_in(r.pattern);
      for (const Alternative& a : rule.alternatives) none_in(a);
      return;
    }
    none_in(root->input);
    none_in(root->value);
    for (const Alternative& a : rule.alternatives) {
      none_in(a.guard);
      if (a.result.kind == ResultKind::error || a.result.kind == ResultKind::note) {
        none_in(a.result.term);
        continue;
      }
      const auto entry = a.result.kind == ResultKind::term ? entry_of(ast_, a.result.term) : std::nullopt;
      if (!entry || !same_input(root->input, entry->input)) {
        report("the result of an entry is an entry of the same input", a.result.range,
               "write `writeback(p, …)` with the `p` of the left side");
        continue;
      }
      none_in(entry->value);
    }
  }

  [[nodiscard]] bool is_entry(TermId term) const {
    const Term& t = ast_[term];
    if (t.kind != TermKind::call) return false;
    const Callee& callee = ast_.callees[t.callee];
    return callee.kind == CalleeKind::implicit && callee.text == kEntry && in_.names.find(kEntry) == nullptr;
  }

  [[nodiscard]] TermId matched(TermId pattern) const {
    while (pattern != kNoTerm && ast_[pattern].kind == TermKind::bind) pattern = ast_.children[ast_[pattern].first];
    return pattern;
  }

  [[nodiscard]] bool same_input(TermId left, TermId right) const {
    const Term &bound = ast_[left], &named = ast_[right];
    return named.kind == TermKind::name && (bound.kind == TermKind::name || bound.kind == TermKind::bind) &&
           bound.text == named.text;
  }

  void none_in(const Alternative& a) {
    none_in(a.guard);
    none_in(a.result.term);
    for (const ResultBinding& b : a.result.bindings) none_in(b.value);
  }

  void none_in(TermId term) {
    if (term == kNoTerm) return;
    std::vector<TermId> todo{term};
    while (!todo.empty()) {
      const TermId id = todo.back();
      todo.pop_back();
      const Term& t = ast_[id];
      if (is_entry(id))
        report("`writeback` is an entry of the signature, and no value", t.range,
               "it stands alone on a left side, and its result is an entry again");
      for (std::uint32_t i = 0; i < t.count; ++i) {
        if (ast_.children[t.first + i] != kNoTerm) todo.push_back(ast_.children[t.first + i]);
      }
    }
  }

  void report(std::string message, Range place, std::string hint) {
    in_.findings.add("misplaced", std::move(message), place, std::move(hint));
  }

  const CheckInput& in_;
  const Ast& ast_;
};

}  // namespace

void check_entries(const CheckInput& input) { EntryCheck(input).run(); }

}  // namespace fxrules::dsl
