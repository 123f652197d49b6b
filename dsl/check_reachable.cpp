// Rules, alternatives and equations that can never fire, because an earlier one always does.
#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "dsl/check.hpp"
#include "dsl/covers.hpp"

namespace fxrules::dsl {
namespace {

// Rules of one phase and root op that a new one is held against; more would make loading quadratic.
constexpr std::size_t kMostCompared = 32;

bool always_holds(const Alternative& alternative) { return alternative.otherwise || alternative.guard == kNoTerm; }

class ReachableCheck {
 public:
  explicit ReachableCheck(const CheckInput& input) : in_(input), ast_(input.ast), cover_(input.ast, input.names) {}

  void run() {
    for (const Rule& rule : ast_.rules) {
      check_alternatives(rule.alternatives);
      check_rule(rule);
    }
    check_equations();
    for (const MetaEquation& meta : ast_.metas)
      check_head(metas_, meta.head, meta.guard == kNoTerm, "this shape function");
    for (const Inverse& inverse : ast_.inverses) {
      check_alternatives(inverse.alternatives);
      const bool always = std::any_of(inverse.alternatives.begin(), inverse.alternatives.end(), always_holds);
      check_head(inverses_, inverse.head, always, "this inverse");
    }
  }

 private:
  using Earlier = std::unordered_map<std::string_view, std::vector<TermId>>;  // by root op; those that always fire

  void check_alternatives(const std::vector<Alternative>& alternatives) {
    const auto always = std::find_if(alternatives.begin(), alternatives.end(), always_holds);
    if (always == alternatives.end()) return;
    for (auto later = always + 1; later != alternatives.end(); ++later)
      report("this alternative can never be taken", later->range, always->range, "the one before it always holds");
  }

  void check_rule(const Rule& rule) {
    if (rule.roots.size() != 1 || ast_[rule.roots[0].pattern].kind == TermKind::name) return;
    if (rule.phase != phase_) earlier_rules_.clear();
    phase_ = rule.phase;
    const bool always = std::any_of(rule.alternatives.begin(), rule.alternatives.end(), [](const Alternative& one) {
      return always_holds(one) &&
             one.result.kind != ResultKind::note;  // a note changes nothing, so later rules are tried
    });
    check_head(earlier_rules_, rule.roots[0].pattern, always, "this rule");
  }

  void check_head(Earlier& earlier, TermId head, bool always, std::string_view what) {
    const std::string_view op = op_of(head);
    const bool shadowed =
        shadows(earlier[op], head, what) || (op != kSeveral && shadows(earlier[kSeveral], head, what));
    if (always && !shadowed) earlier[op].push_back(head);
  }

  bool shadows(const std::vector<TermId>& earlier, TermId head, std::string_view what) {
    for (std::size_t i = 0; i < std::min(earlier.size(), kMostCompared); ++i) {
      if (!cover_.pattern(earlier[i], head)) continue;
      report(fmt::format("{} can never fire", what), ast_[head].range, ast_[earlier[i]].range,
             "this one always fires first");
      return true;
    }
    return false;
  }

  std::string_view op_of(TermId head) const {
    while (ast_[head].kind == TermKind::bind) head = ast_.children[ast_[head].first];
    if (ast_[head].kind != TermKind::call) return kSeveral;
    const Callee& callee = ast_.callees[ast_[head].callee];
    const bool several = callee.kind == CalleeKind::any || callee.kind == CalleeKind::set;
    return several ? kSeveral : callee.text;
  }

  void check_equations() {
    std::unordered_map<std::string_view, std::vector<const Equation*>> earlier;
    for (const Equation& equation : ast_.defs) {
      std::vector<const Equation*>& others = earlier[equation.name];
      const auto shadow = std::find_if(others.begin(), others.end(), [&](const Equation* other) {
        return cover_.patterns(other->parameters, equation.parameters);
      });
      if (shadow != others.end())
        report("this equation can never be used", equation.name_range, (*shadow)->name_range, "this one always holds");
      else if (equation.guard == kNoTerm && others.size() < kMostCompared)
        others.push_back(&equation);
    }
  }

  void report(std::string message, Range place, Range earlier, std::string_view why) {
    in_.diagnostics.push_back({Severity::error, "unreachable", std::move(message), ast_.span(place), "", {}});
    in_.diagnostics.back().related.push_back({Severity::note, "", std::string(why), ast_.span(earlier), "", {}});
  }

  static constexpr std::string_view kSeveral = "*";

  const CheckInput& in_;
  const Ast& ast_;
  Cover cover_;
  std::uint32_t phase_ = 0;
  Earlier earlier_rules_, metas_, inverses_;
};

}  // namespace

void check_reachable(const CheckInput& input) { ReachableCheck(input).run(); }

}  // namespace fxrules::dsl
