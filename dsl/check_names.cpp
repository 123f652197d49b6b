// Names of one item at a time: the left side binds, the right side may use what is bound. Along the way
// every callee is looked up and its arguments are held against what it takes.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "dsl/check.hpp"
#include "dsl/check_calls.hpp"

namespace fxrules::dsl {
namespace {

// How a message calls the part that uses a name, and the part that should have bound it.
struct Wording {
  std::string_view user = "replacement";
  std::string_view binder = "the pattern";
  Range where = {};  // of the binder, where it does not stand next to its user
};

struct Variable {
  std::string_view name;
  Range range;
  bool may_be_unused = false;
  bool rest = false;
  bool matched = false;  // `u @ pattern`
  unsigned uses = 0;
};

// The variables of one item. Few as a rule, so a search from the front is fastest; but nothing keeps a test
// graph from having a hundred thousand.
class Variables {
 public:
  void clear() {
    all_.clear();
    index_.clear();
  }
  [[nodiscard]] Variable* find(std::string_view name) {
    if (all_.size() > kFew) {
      const auto found = index_.find(name);
      return found == index_.end() ? nullptr : &all_[found->second];
    }
    const auto found = std::find_if(all_.begin(), all_.end(), [&](const Variable& v) { return v.name == name; });
    return found == all_.end() ? nullptr : &*found;
  }
  Variable& add(std::string_view name, Range range) {
    Variable& variable = all_.emplace_back();
    variable.name = name;
    variable.range = range;
    if (all_.size() > kFew) index_from(index_.empty() ? 0 : all_.size() - 1);
    return variable;
  }
  void shrink(std::size_t size) {
    all_.resize(size);
    index_.clear();
    if (size > kFew) index_from(0);
  }
  [[nodiscard]] const std::vector<Variable>& all() const { return all_; }

 private:
  static constexpr std::size_t kFew = 16;
  void index_from(std::size_t first) {
    for (std::size_t i = first; i < all_.size(); ++i) index_.emplace(all_[i].name, i);
  }

  std::vector<Variable> all_;
  std::unordered_map<std::string_view, std::size_t> index_;
};

constexpr std::size_t kMostShown = 8;  // variables in a hint

const std::vector<std::string_view> kKinds{"Tensor",   "node",  "number", "int",  "float", "bool",  "str",   "none",
                                           "ellipsis", "slice", "tuple",  "list", "dict",  "dtype", "device"};
const std::vector<std::string_view> kElementKinds{"bool", "int", "float", "complex"};

bool contains(const std::vector<std::string_view>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class NameCheck {
 public:
  explicit NameCheck(const CheckInput& input) : in_(input), ast_(input.ast), calls_(input) {}

  void run() {
    for (const SetDeclaration& set : ast_.sets) value(set.value);
    for (const Param& param : ast_.params) check_param(param);
    for (const Equation& equation : ast_.defs) check_def(equation);
    for (const Equation& equation : ast_.patterns) check_pattern(equation);
    for (const MetaEquation& meta : ast_.metas) check_meta(meta);
    for (const Inverse& inverse : ast_.inverses) check_inverse(inverse);
    for (const Rule& rule : ast_.rules) check_rule(rule);
    for (const Test& test : ast_.tests) check_test(test);
  }

 private:
  // ---- items

  void begin(Wording wording) {
    variables_.clear();
    ops_.clear();
    reported_.clear();
    wording_ = wording;
    rests_ = 0;
    root_rest_ = in_root_ = false;
    unused_allowed_ = true;
  }

  void check_param(const Param& param) {
    begin({"value of the parameter", {}});
    if (ast_[param.value].kind == TermKind::set) value(param.value);
  }

  void check_rule(const Rule& rule) {
    begin({});
    unused_allowed_ = false;
    for (const Root& root : rule.roots)
      if (!root.name.empty()) bind(root.name, root.name_range).matched = true;
    if (rule.roots.size() == 1) bind("root", rule.head).may_be_unused = true;
    for (const Root& root : rule.roots) pattern_root(root.pattern);
    alternatives(rule.alternatives, rule.roots.front().pattern);
    names_of_value(rule);
    report_unused();
  }

  void names_of_value(const Rule& rule) {
    const TermId fallback = ast_.phases[rule.phase].as;
    if (rule.as != kNoTerm)
      use({"name text"}, rule.as);
    else if (fallback != kNoTerm && binds_all_names(fallback))
      use({"the phase's name text", "the pattern", rule.head}, fallback);
  }

  // The name that a phase states is for the rules that bind what it names.
  bool binds_all_names(TermId text) {
    bool all = true;
    visit_names(ast_, text, [&](std::string_view name) { all = all && find(name) != nullptr; });
    return all;
  }

  void check_def(const Equation& equation) {
    begin({"helper", "its left side"});
    for (const TermId parameter : equation.parameters) {
      if (ast_[parameter].kind != TermKind::argument)
        pattern(parameter);
      else
        misplaced(ast_[parameter].range, "a helper's parameters have no keywords", "");
    }
    value(equation.body);
    use({"guard", "the left side"}, equation.guard);
  }

  // The body binds, the head hands back.
  void check_pattern(const Equation& equation) {
    begin({"left side", "the pattern behind `=`"});
    unused_allowed_ = false;
    pattern(equation.body);
    for (const TermId parameter : equation.parameters) value(parameter);
    use({"guard"}, equation.guard);
    report_unused();
  }

  void check_meta(const MetaEquation& meta) {
    begin({"shape function", "its left side"});
    pattern_root(meta.head);
    value(meta.body);
    use({"guard", "the left side"}, meta.guard);
  }

  void check_inverse(const Inverse& inverse) {
    begin({"inverse", "its left side"});
    bind("root", inverse.range);
    pattern_root(inverse.head);
    bind(inverse.value, inverse.value_range);
    for (const Alternative& alternative : inverse.alternatives) one_value(alternative.result);
    alternatives(inverse.alternatives, inverse.head);
  }

  void one_value(const Result& result) {
    if (result.kind == ResultKind::term || result.kind == ResultKind::error) return;
    misplaced(result.range, "an inverse gives one value", "the base's new value, or `error \"…\"`");
  }

  void alternatives(const std::vector<Alternative>& all, TermId root) {
    const Wording wording = wording_;
    for (const Alternative& alternative : all) {
      wording_ = wording;
      result(alternative.result, root);
      use({"guard", wording.binder}, alternative.guard);
    }
  }

  void result(const Result& result, TermId root) {
    if (result.kind == ResultKind::block) return block(result);
    if (result.kind == ResultKind::keep) return keep(result, root);
    if (result.kind != ResultKind::term) wording_.user = "message";
    value(result.term);
  }

  // Names of the left side get a new value, others are local: visible from their line on.
  void block(const Result& result) {
    const std::size_t bound = variables_.all().size();
    for (const ResultBinding& binding : result.bindings) {
      value(binding.value);
      if (binding.as != kNoTerm) value(binding.as);
      if (Variable* known = find(binding.name))
        ++known->uses;
      else if (binding.name != "_")
        bind(binding.name, binding.name_range);
    }
    report_unused(bound);
    variables_.shrink(bound);
  }

  void keep(const Result& result, TermId root) {
    for (const ResultBinding& binding : result.bindings) {
      value(binding.value);
      const bool metadata = binding.name.find('.') != std::string_view::npos;
      if (!metadata) calls_.check_keyword(ast_[innermost(root)], binding.name, binding.name_range);
    }
  }

  TermId innermost(TermId id) const {
    while (ast_[id].kind == TermKind::bind) id = child(id, 0);
    return id;
  }

  // ---- left sides

  void pattern_root(TermId id) {
    const TermId matched = innermost(id);
    const TermKind kind = ast_[matched].kind;
    if (kind != TermKind::call && kind != TermKind::index)
      misplaced(ast_[matched].range, "a rule's pattern is an op with its arguments",
                "write `add(x, y)`, or `*(..)` for any op");
    in_root_ = true;
    pattern(id);
    in_root_ = false;
  }

  void pattern(TermId id) {
    if (id == kNoTerm) return;
    const Term& term = ast_[id];
    switch (term.kind) {
      case TermKind::name:
        return bind_name(term);
      case TermKind::wildcard:
        return check_kind(term);
      case TermKind::rest:
        return bind_rest(term);
      case TermKind::bind:
        return bind_matched(term);
      case TermKind::call:
        return pattern_call(term);
      case TermKind::list:
      case TermKind::tuple:
        in_root_ = false;
        check_rests(term);
        return pattern_children(term);
      case TermKind::argument:
      case TermKind::index:
      case TermKind::slice:
        return pattern_children(term);
      case TermKind::unknown:
        return misplaced(term.range, "`unknown` cannot be matched", "bind a name and ask `not known(x)` in the guard");
      case TermKind::unary:
      case TermKind::binary:
      case TermKind::field:
      case TermKind::set:
      case TermKind::op:
      case TermKind::text:
        return misplaced(term.range, "an expression cannot be matched", "bind a name and compare it in the guard");
      default:
        return;  // literals
    }
  }

  void pattern_children(const Term& term) {
    for (std::uint32_t i = 0; i < term.count; ++i) pattern(ast_.children[term.first + i]);
  }

  void bind_name(const Term& term) {
    check_kind(term);
    if (term.text == "root") return misplaced(term.range, "`root` is the matched root and cannot be bound", "");
    if (Variable* known = find(term.text))
      ++known->uses;
    else
      bind(term.text, term.range);
  }

  void bind_rest(const Term& term) {
    if (term.count != 0) return misplaced(term.range, "only a name can stand before `..` in a pattern", "");
    if (term.text.empty()) {
      ++rests_;
      root_rest_ = root_rest_ || in_root_;
    } else if (Variable* known = find(term.text)) {
      ++known->uses;
    } else {
      bind(term.text, term.range).rest = true;
    }
  }

  void bind_matched(const Term& term) {
    const Range name{term.range.begin, term.range.begin + static_cast<std::uint32_t>(term.text.size())};
    if (Variable* known = find(term.text))
      ++known->uses;
    else
      bind(term.text, name).matched = true;
    pattern_children(term);
  }

  void pattern_call(const Term& term) {
    calls_.check_pattern(term);
    mention(ast_.callees[term.callee]);
    check_rests(term);
    const bool root = std::exchange(in_root_, false);
    for (std::uint32_t i = 0; i < term.count; ++i) {
      const TermId argument = child(term, i);
      in_root_ = root && ast_[child(argument, 0)].kind == TermKind::rest;
      pattern(argument);
      in_root_ = false;
    }
  }

  // An op of the pattern can be named on the right, and a hole is a name.
  void mention(const Callee& callee) {
    for (const CalleePiece& piece : callee.pieces) {
      if (!piece.hole) continue;
      if (Variable* known = find(piece.text))
        ++known->uses;
      else
        bind(piece.text, piece.range).may_be_unused = true;
    }
    const bool named =
        callee.kind == CalleeKind::implicit || callee.kind == CalleeKind::dotted || callee.kind == CalleeKind::method;
    if (!named || in_.names.is_set(callee.text)) return;
    const std::string_view name = callee.text.substr(callee.text.rfind('.') + 1);
    ++ops_[name];
  }

  void check_rests(const Term& term) {
    unsigned rests = 0;
    for (std::uint32_t i = 0; i < term.count; ++i) {
      TermId id = child(term, i);
      if (ast_[id].kind == TermKind::argument) id = child(id, 0);
      if (ast_[id].kind != TermKind::rest || ++rests < 2) continue;
      const bool call = term.kind == TermKind::call;
      report("two-rests", fmt::format("two `..` in one {}", call ? "argument list" : "list"), ast_[id].range,
             "only one of them can tell what it takes");
    }
  }

  void check_kind(const Term& term) {
    if (term.annotation.empty()) return;
    const std::size_t bracket = term.annotation.find('[');
    const std::string_view kind = term.annotation.substr(0, bracket);
    if (bracket == std::string_view::npos) {
      if (!contains(kKinds, kind)) report_kind(kind, kKinds, term.annotation_range);
      return;
    }
    const std::string_view element = term.annotation.substr(bracket + 1, term.annotation.size() - bracket - 2);
    if (kind != "Tensor")
      report_kind(term.annotation, {}, term.annotation_range);
    else if (!contains(kElementKinds, element))
      report_kind(term.annotation, {}, term.annotation_range);
  }

  void report_kind(std::string_view kind, const std::vector<std::string_view>& known, Range range) {
    std::string hint = did_you_mean(kind, known);
    if (hint.empty() && !known.empty()) hint = fmt::format("the kinds are {}", fmt::join(known, ", "));
    if (known.empty())
      hint = "a tensor's elements are told by `Tensor[bool]`, `Tensor[int]`, `Tensor[float]`, `Tensor[complex]`";
    report("unknown-kind", fmt::format("unknown kind `{}`", kind), range, std::move(hint));
  }

  // ---- right sides

  void use(Wording wording, TermId id) {
    if (id == kNoTerm) return;
    wording_ = wording;
    value(id);
  }

  void value(TermId id) {
    if (id == kNoTerm) return;
    const Term& term = ast_[id];
    switch (term.kind) {
      case TermKind::name:
        return use_name(term);
      case TermKind::rest:
        return use_rest(term);
      case TermKind::wildcard:
        return misplaced(term.range, "`_` has no value", "bind a name instead");
      case TermKind::bind:
        return misplaced(term.range, "`@` binds in patterns only",
                         "name the value in a result block, `{ u = …, root = u }`");
      case TermKind::op:
        return use_op(ast_.callees[term.callee]);
      case TermKind::call:
        calls_.check_value(term);
        use_holes(ast_.callees[term.callee]);
        return value_children(term);
      default:
        return value_children(term);
    }
  }

  void value_children(const Term& term) {
    for (std::uint32_t i = 0; i < term.count; ++i) value(ast_.children[term.first + i]);
  }

  void use_op(const Callee& callee) {
    calls_.check_op(callee);
    use_holes(callee);
  }

  void use_holes(const Callee& callee) {
    for (const CalleePiece& piece : callee.pieces)
      if (piece.hole) use_name(piece.text, piece.range, fmt::format("<{}>", piece.text));
    for (const std::uint32_t member : callee.members) use_holes(ast_.callees[member]);
  }

  void use_rest(const Term& term) {
    if (term.count != 0) return value_children(term);
    if (!term.text.empty()) return use_name(term.text, term.range, std::string(term.text));
    if (root_rest_ || rests_ == 1) return;
    if (rests_ == 0 && wording_.binder.empty())
      return report("unbound-name", "there are no remaining arguments here", term.range, "");
    if (rests_ == 0)
      return report("unbound-name", fmt::format("{} uses `..`, which {} does not have", wording_.user, wording_.binder),
                    term.range, "");
    report("ambiguous-name", fmt::format("{} has several `..`, and none in its outermost op", wording_.binder),
           term.range, "name the one that is meant, as in `rest..`");
  }

  void use_name(const Term& term) { use_name(term.text, term.range, std::string(term.text)); }

  void use_name(std::string_view name, Range range, const std::string& shown) {
    if (Variable* known = find(name)) {
      ++known->uses;
      return;
    }
    const Definition* definition = in_.names.find(name);
    if (definition != nullptr && (definition->kind == DefinitionKind::param || definition->kind == DefinitionKind::set))
      return;
    const auto op = ops_.find(name);
    if (op == ops_.end()) return report_unbound(name, range, shown);
    if (op->second > 1)
      report("ambiguous-name",
             fmt::format("`{}` occurs {} in the pattern, so its name does not tell which one is meant", name,
                         op->second == 2 ? "twice" : fmt::format("{} times", op->second)),
             range, fmt::format("bind the one that is meant, as in `u @ {}(…)`", name));
  }

  void report_unbound(std::string_view name, Range range, const std::string& shown) {
    if (!reported_.insert(name).second || in_.findings.full()) return;
    if (wording_.binder.empty())
      return report("unbound-name", fmt::format("{} uses `{}`, but nothing is bound here", wording_.user, shown), range,
                    "");
    const bool op = in_.catalogue.find_op(name).has_value();
    std::string message = fmt::format("{} uses {}`{}`, which {} does not {}", wording_.user, op ? "the op name " : "",
                                      shown, wording_.binder, op ? "hold" : "bind");
    if (wording_.where.end == 0) return report("unbound-name", std::move(message), range, bound_hint());
    in_.findings.add("unbound-name", std::move(message), range, wording_.where, "in this rule", bound_hint());
  }

  std::string bound_hint() const {
    std::vector<std::string> names;
    for (const Variable& variable : variables_.all())
      if (variable.name != "root" && names.size() < kMostShown) names.emplace_back(variable.name);
    if (names.empty()) return "";
    return fmt::format("{} binds {}", wording_.binder, quoted_list(names));
  }

  // ---- variables

  Variable* find(std::string_view name) { return variables_.find(name); }

  Variable& bind(std::string_view name, Range range) {
    Variable& variable = variables_.add(name, range);
    variable.may_be_unused = unused_allowed_;
    return variable;
  }

  // Not where a name is unbound: it may be the same variable, misspelt.
  void report_unused(std::size_t first = 0) {
    if (!reported_.empty()) return;
    for (std::size_t i = first; i < variables_.all().size(); ++i) {
      const Variable& variable = variables_.all()[i];
      if (variable.uses != 0 || variable.may_be_unused) continue;
      const std::string hint = first != 0         ? "leave it out"
                               : variable.matched ? fmt::format("leave out `{}`", variable.name)
                               : variable.rest    ? "write `..`"
                                                  : "write `_`";
      report("unused-variable", fmt::format("`{}` is bound and never used", variable.name), variable.range, hint);
    }
  }

  // ---- tests

  void check_test(const Test& test) {
    for (const TestGraph& graph : test.graphs) check_graph(graph);
    begin({"check", {}});
    for (const Test::Check& check : test.checks) {
      value(check.left);
      value(check.right);
    }
  }

  void check_graph(const TestGraph& graph) {
    begin({"graph", "no line above"});
    for (const Statement& statement : graph.statements)
      if (statement.kind == StatementKind::graph) bind(statement.name, statement.name_range);
    for (const Statement& statement : graph.statements) {
      node(statement.value);
      if (statement.kind != StatementKind::returns && find(statement.name) == nullptr)
        bind(statement.name, statement.name_range);
    }
  }

  // The value of a line: names are nodes, and `x.to(…)` is a method call on the node x.
  void node(TermId id) {
    if (id == kNoTerm) return;
    const Term& term = ast_[id];
    if (term.kind == TermKind::name) return use_node(term.text, term.range);
    if (term.kind == TermKind::call) {
      const Callee& callee = ast_.callees[term.callee];
      if (callee.kind == CalleeKind::implicit) calls_.check_op(callee);
      if (callee.kind == CalleeKind::holes || callee.kind == CalleeKind::set || callee.kind == CalleeKind::any)
        misplaced(callee.range, "a graph calls ops by their names", "");
    }
    if (term.kind == TermKind::bind || term.kind == TermKind::wildcard || term.kind == TermKind::rest)
      misplaced(term.range, "only values can stand in a graph", "");
    for (std::uint32_t i = 0; i < term.count; ++i) node(ast_.children[term.first + i]);
  }

  void use_node(std::string_view name, Range range) {
    if (find(name) != nullptr || !reported_.insert(name).second || in_.findings.full()) return;
    std::vector<std::string_view> nodes;
    for (const Variable& variable : variables_.all()) nodes.push_back(variable.name);
    report("unbound-name", fmt::format("graph uses `{}`, which no line above defines", name), range,
           did_you_mean(name, nodes));
  }

  // ---- shared

  [[nodiscard]] TermId child(const Term& term, std::uint32_t i) const { return ast_.children[term.first + i]; }
  [[nodiscard]] TermId child(TermId id, std::uint32_t i) const { return child(ast_[id], i); }

  void misplaced(Range place, std::string message, std::string hint) {
    report("misplaced", std::move(message), place, std::move(hint));
  }

  void report(std::string_view kind, std::string message, Range place, std::string hint) {
    in_.findings.add(kind, std::move(message), place, std::move(hint));
  }

  const CheckInput& in_;
  const Ast& ast_;
  CallCheck calls_;
  Wording wording_;
  Variables variables_;
  std::unordered_map<std::string_view, unsigned> ops_;  // of the pattern, with how often they stand there
  std::unordered_set<std::string_view> reported_;       // unbound names of this item
  unsigned rests_ = 0;                                  // unnamed `..` of the left side
  bool root_rest_ = false;                              // one of them belongs to the root
  bool in_root_ = false;
  bool unused_allowed_ = false;
};

}  // namespace

void check_names(const CheckInput& input) { NameCheck(input).run(); }

}  // namespace fxrules::dsl
