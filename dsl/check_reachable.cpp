// Rules, alternatives and equations that can never fire, because an earlier one always does.
#include <algorithm>
#include <functional>
#include <unordered_map>

#include <fmt/format.h>

#include "dsl/check.hpp"
#include "dsl/covers.hpp"

namespace fxrules::dsl {
namespace {

// Rules of one phase and root op that a new one is held against, twins apart; with all of them loading would
// be quadratic.
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
  struct Group {
    std::vector<TermId> heads;                         // of what always fires
    std::unordered_map<std::size_t, TermId> by_shape;  // the first of each shape
  };
  using Earlier = std::unordered_map<std::string_view, Group>;  // by root op

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
    if (!always || shadowed) return;
    Group& group = earlier[op];
    group.heads.push_back(head);
    group.by_shape.try_emplace(shape_of(head), head);
  }

  bool shadows(const Group& earlier, TermId head, std::string_view what) {
    const std::size_t compared = std::min(earlier.heads.size(), kMostCompared);
    for (std::size_t i = 0; i < compared; ++i)
      if (report_covered(earlier.heads[i], head, what)) return true;
    if (compared == earlier.heads.size()) return false;
    const auto twin = earlier.by_shape.find(shape_of(head));
    return twin != earlier.by_shape.end() && report_covered(twin->second, head, what);
  }

  bool report_covered(TermId earlier, TermId head, std::string_view what) {
    if (!cover_.pattern(earlier, head)) return false;
    report(fmt::format("{} can never fire", what), ast_[head].range, ast_[earlier].range,
           "this one always fires first");
    return true;
  }

  // Equal for patterns that differ in their variables' names only.
  std::size_t shape_of(TermId id) const {
    if (id == kNoTerm) return 0;
    const Term& term = ast_[id];
    const bool variable = term.kind == TermKind::name || term.kind == TermKind::rest || term.kind == TermKind::bind;
    const std::hash<std::string_view> hash;
    std::size_t shape =
        static_cast<std::size_t>(term.kind) * 31 + (variable ? 0 : hash(term.text)) + hash(term.annotation);
    for (std::uint32_t i = 0; i < term.count; ++i) shape = shape * 1'000'003 + shape_of(ast_.children[term.first + i]);
    return shape;
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
    in_.findings.add("unreachable", std::move(message), place, earlier, why);
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
