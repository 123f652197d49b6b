// Runs the tests of one rule in the order they were written and says which one fails first.
#include "fxrules/explain.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/rewrite/entries.hpp"
#include "engine/rewrite/rewriter.hpp"
#include "engine/rewrite/rule_tests.hpp"

namespace fxrules {
namespace {

using program::Index;
using program::Instruction;
using program::kNone;
using program::Test;
using rewrite::Value;

class Explainer {
 public:
  Explainer(const program::RuleSet& rules, Graph& graph)
      : rules_(rules),
        graph_(graph),
        binding_(rules, graph),
        machine_(binding_, [this]() -> rewrite::Storage& { return rewriter_.storage(); }),
        rewriter_(binding_, machine_),
        tests_(binding_, machine_),
        entries_(binding_) {
    machine_.use(rewriter_);
  }
  Explainer(const Explainer&) = delete;
  Explainer& operator=(const Explainer&) = delete;
  ~Explainer() { entries_.settle(); }

  // Rules have no inputs as their roots: asked of an input, they answer for its entry in the signature.
  NodeId subject(NodeId node) {
    const NodeId entry = binding_.entry_of(node);
    return entry.valid() ? entry : node;
  }

  Explanation explain(Index index, NodeId node) {
    const program::Rule& rule = rules_.rules[index];
    Explanation out;
    out.rule = index;
    rewriter_.begin();
    machine_.begin_matching(node, rules_.facts[rules_.phases[rule.phase].facts]);
    out.further_roots = rule.extra.size();
    tests_.begin(rule, node);
    // Where helper patterns match in several ways: the first that the rule takes, else the one that came furthest.
    std::size_t furthest = 0;
    bool complete = false;
    for (std::size_t from = 0; from != kNoTest;) {
      std::size_t held = from;
      while (held < rule.tests.size() && tests_.holds(rule.tests[held])) ++held;
      const bool whole = held == rule.tests.size();
      if ((whole && !complete) || (!complete && (held > furthest || from == 0))) describe(rule, held, out);
      if (whole) {
        Explanation guarded = out;
        if (complete) describe(rule, held, guarded);
        guards(rule, guarded);
        if (!complete || guarded.verdict == Verdict::applies) out = guarded;
        if (out.verdict == Verdict::applies) break;
      }
      furthest = std::max(furthest, held);
      complete = complete || whole;
      from = next_before(rule, held);
    }
    return out;
  }

 private:
  static constexpr std::size_t kNoTest = static_cast<std::size_t>(-1);

  // The helper pattern in front of the test that may match in another way.
  static std::size_t next_before(const program::Rule& rule, std::size_t test) {
    while (test-- > 0) {
      if (rule.tests[test].test == Test::next) return test;
    }
    return kNoTest;
  }

  // What the first tests bound, and what the one behind them says.
  void describe(const program::Rule& rule, std::size_t held, Explanation& out) {
    out.bindings.clear();
    out.alternatives.clear();
    out.reason.clear();
    out.needed.clear();
    bind(rule, held);
    for (std::size_t v = 1; v < variables_.size(); ++v) {
      if (bound_[v] && !variables_[v].is(rewrite::Tag::rest))
        out.bindings.emplace_back(rule.variables[v], machine_.text_of(variables_[v]));
    }
    if (held == rule.tests.size()) return;
    out.verdict = held == 0 ? Verdict::other_op : Verdict::no_match;
    out.reason = failure(rule, rule.tests[held]);
    out.needed = needed(rule, rule.tests[held]);
  }

  // Variables whose registers the first tests have set.
  void bind(const program::Rule& rule, std::size_t held) {
    variables_.assign(rule.variables.size(), Value());
    bound_.assign(rule.variables.size(), false);
    for (std::size_t v = 0; v < rule.registers.size(); ++v) {
      const std::uint16_t place = rule.registers[v];
      if (place == 0xFFFF) continue;
      bound_[v] = std::any_of(rule.tests.begin(), rule.tests.begin() + static_cast<std::ptrdiff_t>(held),
                              [&](const Instruction& i) { return sets(i, place); });
      if (bound_[v] || place == 0) variables_[v] = tests_.value(place);
    }
    for (const Index v : rule.scalars) {
      if (variables_[v].is_one_int()) variables_[v] = machine_.item(variables_[v], 0);
    }
  }

  bool sets(const Instruction& i, std::uint16_t place) const {
    switch (i.test) {
      case Test::argument:
      case Test::bind_rest:
      case Test::item:
      case Test::item_back:
      case Test::span:
      case Test::part:
        return i.a == place;
      case Test::next: {
        const auto& binds = rules_.pattern_calls[i.b].binds;
        return std::find(binds.begin(), binds.end(), place) != binds.end();
      }
      case Test::op:
        return i.c != 0 && place >= i.c && place < i.c + program::hole_count(rules_.op_patterns[i.b]);
      default:
        return false;
    }
  }

  void guards(const program::Rule& rule, Explanation& out) {
    out.verdict = Verdict::guard;
    for (const program::Alternative& alternative : rule.alternatives) {
      AlternativeVerdict verdict = judge(alternative);
      const Truth holds = verdict.holds;
      if (holds != Truth::yes) {
        if (!out.reason.empty()) out.reason += "; ";
        out.reason += fmt::format("`{}` is {}", text(alternative.guard_span), holds == Truth::no ? "false" : "unknown");
      }
      out.alternatives.push_back(std::move(verdict));
      if (holds != Truth::yes) continue;
      out.verdict = Verdict::applies;
      out.reason.clear();
      return;
    }
  }

  AlternativeVerdict judge(const program::Alternative& alternative) {
    AlternativeVerdict out;
    out.span = alternative.span;
    if (!alternative.guard.present()) return out;
    out.holds = rewrite::truth_of(machine_.run(alternative.guard, variables_));
    if (out.holds == Truth::yes) return out;
    const program::Code guard{alternative.guard.begin, end_of(alternative.guard)};
    for (const program::Code& part : parts_of(guard)) {
      const auto stack = machine_.run_to(guard, part.end, variables_);
      if (!stack || stack->empty()) continue;
      const Truth truth = rewrite::truth_of(stack->back());
      if (truth == Truth::yes || (truth == Truth::unknown && out.holds == Truth::no)) continue;
      out.guard = text(rules_.step_spans[part.end - 1]);
      out.why = truth == Truth::no ? compared(guard, part.end - 1) : unknown(stack->back(), part);
      break;
    }
    return out;
  }

  [[nodiscard]] Index end_of(program::Code code) const {
    while (code.end > code.begin && rules_.steps[code.end - 1].eval == program::Eval::end) --code.end;
    return code.end;
  }

  // What `and` joins, from left to right: the right operand of `both` begins behind the jump that passes it by.
  [[nodiscard]] std::vector<program::Code> parts_of(program::Code code) const {
    std::vector<program::Code> parts;
    while (code.end > code.begin && rules_.steps[code.end - 1].eval == program::Eval::both) {
      Index skip = code.begin;
      while (rules_.steps[skip].eval != program::Eval::skip_if_false || rules_.steps[skip].a != code.end) ++skip;
      parts.insert(parts.begin(), {skip + 1, code.end - 1});
      code.end = skip;
    }
    parts.insert(parts.begin(), code);
    return parts;
  }

  // "2 == 0": the two values that a comparison saw.
  std::string compared(program::Code guard, Index step) {
    const std::string_view sign = sign_of(rules_.steps[step].eval);
    if (sign.empty()) return {};
    const auto stack = machine_.run_to(guard, step, variables_);
    if (!stack || stack->size() < 2) return {};
    return fmt::format("{} {} {}", machine_.text_of((*stack)[stack->size() - 2]), sign,
                       machine_.text_of(stack->back()));
  }

  static std::string_view sign_of(program::Eval eval) {
    using program::Eval;
    switch (eval) {
      case Eval::equal:
        return "==";
      case Eval::not_equal:
        return "!=";
      case Eval::less:
        return "<";
      case Eval::less_equal:
        return "<=";
      case Eval::greater:
        return ">";
      case Eval::greater_equal:
        return ">=";
      case Eval::contains:
        return "in";
      case Eval::not_contains:
        return "not in";
      default:
        return {};
    }
  }

  // Of the variables that the code reads.
  std::string without_metadata(program::Code code) const {
    std::string names;
    for (Index s = code.begin; s < code.end; ++s) {
      if (rules_.steps[s].eval != program::Eval::load) continue;
      const Value& v = variables_[rules_.steps[s].a];
      if (!v.is(rewrite::Tag::node) || graph_.meta(v.node()).valid()) continue;
      const std::string name = fmt::format("`{}`", graph_.name(v.node()));
      if (names.find(name) == std::string::npos) names += (names.empty() ? " of " : ", ") + name;
    }
    return names;
  }

  std::string unknown(const Value& v, program::Code part) const {
    using rewrite::Unknown;
    if (!v.is(rewrite::Tag::unknown)) return {};
    switch (static_cast<Unknown>(v.a)) {
      case Unknown::metadata:
        return fmt::format("metadata{} is missing; --input NAME=TYPE gives it", without_metadata(part));
      case Unknown::size:
        return "it depends on a size that is not a number";
      case Unknown::kind:
        return "a value is of a kind that this does not take";
      case Unknown::no_equation:
        return "no equation of a helper covers these arguments";
      case Unknown::arithmetic:
        return "the arithmetic has no result";
      case Unknown::stated:
        return "the rule says `unknown`";
      case Unknown::operand:
        return "an operand is not known";
      case Unknown::not_computed:
        return "this version does not compute it";
    }
    return {};
  }

  static std::string text(const Span& span) {
    std::string out;
    const std::string_view source = span.source == nullptr ? std::string_view() : std::string_view(span.source->text);
    for (const char c : source.substr(span.begin, span.end - span.begin)) {
      const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
      if (!blank) out += c;
      if (blank && !out.empty() && out.back() != ' ') out += ' ';
    }
    return out;
  }

  // A register by the variable it is bound to, else by how it is reached.
  std::string place(const program::Rule& rule, std::uint16_t r) const {
    if (r == 0) return "the node";
    for (std::size_t v = 1; v < rule.registers.size(); ++v) {
      if (rule.registers[v] == r) return fmt::format("`{}`", rule.variables[v]);
    }
    for (const Instruction& i : rule.tests) {
      if (i.a != r) continue;
      if (i.test == Test::argument) {
        const program::ArgumentKey& key = rules_.keys[i.b];
        const std::string name = key.position != kNone ? fmt::format("argument {}", key.position + 1)
                                                       : fmt::format("argument `{}`", key.keyword);
        return i.c == 0 ? name : fmt::format("{} of {}", name, place(rule, static_cast<std::uint16_t>(i.c)));
      }
      if (i.test == Test::item) return fmt::format("item {} of {}", i.b, place(rule, static_cast<std::uint16_t>(i.c)));
    }
    return "a value";
  }

  std::string value(std::uint16_t r) { return fmt::format("`{}`", machine_.text_of(tests_.value(r))); }

  std::string failure(const program::Rule& rule, const Instruction& i) {
    switch (i.test) {
      case Test::op:
        return fmt::format("{} is {}, not a call of `{}`", place(rule, i.a), described(i.a),
                           rules_.op_patterns[i.b].text);
      case Test::argument: {
        const program::ArgumentKey& key = rules_.keys[i.b];
        return fmt::format("{} has no {}", place(rule, static_cast<std::uint16_t>(i.c)),
                           key.position != kNone ? fmt::format("argument {}", key.position + 1)
                                                 : fmt::format("argument `{}`", key.keyword));
      }
      case Test::rest:
        return fmt::format("an argument of {} that the pattern does not mention is not at its default; `..` lifts that",
                           place(rule, i.a));
      case Test::kind:
        return fmt::format(
            "{} is {}, not known to be `{}`", place(rule, i.a), value(i.a),
            program::to_string({static_cast<program::KindName>(i.b), static_cast<program::Element>(i.c)}));
      case Test::literal:
        return fmt::format("{} is {}, not `{}`", place(rule, i.a), value(i.a), machine_.text_of(binding_.literal(i.b)));
      case Test::same:
        return fmt::format("{} is {} in one place and {} in another", place(rule, static_cast<std::uint16_t>(i.b)),
                           value(static_cast<std::uint16_t>(i.b)), value(i.a));
      case Test::list:
      case Test::list_min:
        return fmt::format("{} is {}, not a list of {}{}", place(rule, i.a), value(i.a),
                           i.test == Test::list ? "" : "at least ", i.b);
      case Test::next:
        return fmt::format("{} is {}, which `{}` does not match", place(rule, i.a), described(i.a),
                           spelled(rules_.pattern_calls[i.b]));
      default:
        return fmt::format("{} does not fit", place(rule, i.a));
    }
  }

  // A call of a helper pattern as the rule writes it, on one line.
  static std::string spelled(const program::PatternCall& call) { return text(call.span); }

  // The test as a wish; empty where the reason says it already.
  std::string needed(const program::Rule& rule, const Instruction& i) {
    switch (i.test) {
      case Test::op:
        return fmt::format("{} is a call of `{}`", place(rule, i.a), rules_.op_patterns[i.b].text);
      case Test::rest:
        return "arguments that the pattern does not mention are at their defaults";
      case Test::kind:
        return fmt::format(
            "{} is known to be `{}`", place(rule, i.a),
            program::to_string({static_cast<program::KindName>(i.b), static_cast<program::Element>(i.c)}));
      case Test::literal:
        return fmt::format("{} is `{}`", place(rule, i.a), machine_.text_of(binding_.literal(i.b)));
      case Test::same:
        return fmt::format("{} is the same in both places", place(rule, static_cast<std::uint16_t>(i.b)));
      case Test::next:
        return fmt::format("{} matches `{}`", place(rule, i.a), spelled(rules_.pattern_calls[i.b]));
      default:
        return {};
    }
  }

  std::string described(std::uint16_t r) {
    const Value& v = tests_.value(r);
    if (!v.is(rewrite::Tag::node)) return fmt::format("`{}`", machine_.text_of(v));
    return fmt::format("`{}` (`{}`)", graph_.name(v.node()), graph_.target(v.node()));
  }

  const program::RuleSet& rules_;
  Graph& graph_;
  rewrite::Binding binding_;
  rewrite::Machine machine_;
  rewrite::Rewriter rewriter_;
  rewrite::RuleTests tests_;
  rewrite::Entries entries_;
  std::vector<Value> variables_;
  std::vector<bool> bound_;
};

}  // namespace

std::vector<Explanation> explain(const RuleSet& rules, Graph& graph, NodeId node, const std::string& rule) {
  Explainer explainer(rules.program(), graph);
  node = explainer.subject(node);
  std::vector<Explanation> out;
  for (Index r = 0; r < rules.program().rules.size(); ++r) {
    if (!rule.empty() && rules.program().rules[r].name != rule) continue;
    Explanation e = explainer.explain(r, node);
    if (e.verdict != Verdict::other_op || !rule.empty()) out.push_back(std::move(e));
  }
  return out;
}

}  // namespace fxrules
