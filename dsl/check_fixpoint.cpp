// A rule without a guard, in a phase that runs to a fixpoint, whose result matches its own pattern whatever
// its variables are: it would fire for ever.
#include "dsl/check.hpp"
#include "dsl/covers.hpp"

namespace fxrules::dsl {
namespace {

class FixpointCheck {
 public:
  explicit FixpointCheck(const CheckInput& input) : in_(input), ast_(input.ast), cover_(input.ast, input.names) {}

  void run() {
    for (const Rule& rule : ast_.rules) {
      if (rule.roots.size() != 1 || ast_.phases[rule.phase].once) continue;
      const Alternative& first = rule.alternatives.front();
      if (first.guard != kNoTerm && !first.otherwise) continue;
      check(rule.roots[0].pattern, first.result);
    }
  }

 private:
  void check(TermId pattern, const Result& result) {
    if (result.kind == ResultKind::term) check(pattern, result.term);
    for (const ResultBinding& binding : result.bindings)
      if (result.kind == ResultKind::block) check(pattern, binding.value);
  }

  // Every call in the value becomes a node.
  void check(TermId pattern, TermId value) {
    if (value == kNoTerm) return;
    const Term& term = ast_[value];
    if (term.kind == TermKind::call && cover_.value(pattern, value)) return report(term.range);
    for (std::uint32_t i = 0; i < term.count; ++i) check(pattern, ast_.children[term.first + i]);
  }

  void report(Range place) {
    in_.findings.add("endless-rule", "the result matches the rule's own pattern, so the rule would fire for ever",
                     place, "add a guard, or put the rule into a `phase … once`");
  }

  const CheckInput& in_;
  const Ast& ast_;
  Cover cover_;
};

}  // namespace

void check_fixpoint(const CheckInput& input) { FixpointCheck(input).run(); }

}  // namespace fxrules::dsl
