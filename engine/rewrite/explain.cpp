// Runs the tests of one rule in the order they were written and says which one fails first.
#include "fxrules/explain.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/rewrite/rewriter.hpp"

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
        matcher_(binding_, machine_.heap()) {
    machine_.use(rewriter_);
  }

  Explanation explain(Index index, NodeId node) {
    const program::Rule& rule = rules_.rules[index];
    Explanation out;
    out.rule = index;
    machine_.reset();
    machine_.set_root(node);
    machine_.use(rules_.facts[rules_.phases[rule.phase].facts]);
    // Each test becomes a program of its own: the test, then an accept.
    std::uint16_t registers = 1;
    for (const Instruction& i : rule.tests)
      registers = std::max<std::uint16_t>(
          registers, static_cast<std::uint16_t>(std::max<Index>(i.a, i.test == Test::op ? i.c + 4 : i.a) + 1));
    step_.registers = registers;
    matcher_.begin(step_, Value::of_node(node));
    for (std::size_t t = 0; t < rule.tests.size(); ++t) {
      if (holds(rule.tests[t])) continue;
      out.verdict = t == 0 ? Verdict::other_op : Verdict::no_match;
      out.reason = failure(rule, rule.tests[t]);
      return out;
    }
    return guards(rule, out);
  }

 private:
  bool holds(const Instruction& test) {
    step_.code.assign(3, Instruction{});
    step_.code[1] = test;
    step_.code[1].fail = 0;
    step_.code[2].test = Test::accept;
    step_.accepts.assign(1, program::Accept{});
    Index pc = 1;
    return matcher_.next(step_, pc) != nullptr;
  }

  Explanation guards(const program::Rule& rule, Explanation out) {
    variables_.assign(rule.variables.size(), Value());
    for (std::size_t v = 0; v < rule.registers.size(); ++v) {
      if (rule.registers[v] != 0xFFFF) variables_[v] = matcher_.registers()[rule.registers[v]];
    }
    for (const Index v : rule.scalars) {
      if (variables_[v].is_one_int()) variables_[v] = machine_.item(variables_[v], 0);
    }
    for (const program::Alternative& alternative : rule.alternatives) {
      const Truth t =
          alternative.guard.present() ? rewrite::truth_of(machine_.run(alternative.guard, variables_)) : Truth::yes;
      if (t == Truth::yes) {
        out.verdict = Verdict::applies;
        out.reason.clear();
        return out;
      }
      out.verdict = Verdict::guard;
      if (!out.reason.empty()) out.reason += "; ";
      out.reason += fmt::format("`{}` is {}", text(alternative.guard_span), t == Truth::no ? "false" : "unknown");
    }
    return out;
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

  std::string value(std::uint16_t r) { return fmt::format("`{}`", machine_.text_of(matcher_.registers()[r])); }

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
      default:
        return fmt::format("{} does not fit", place(rule, i.a));
    }
  }

  std::string described(std::uint16_t r) {
    const Value& v = matcher_.registers()[r];
    if (!v.is(rewrite::Tag::node)) return fmt::format("`{}`", machine_.text_of(v));
    return fmt::format("`{}` (`{}`)", graph_.name(v.node()), graph_.target(v.node()));
  }

  const program::RuleSet& rules_;
  Graph& graph_;
  rewrite::Binding binding_;
  rewrite::Machine machine_;
  rewrite::Rewriter rewriter_;
  rewrite::Matcher matcher_;
  program::MatchProgram step_;
  std::vector<Value> variables_;
};

}  // namespace

std::vector<Explanation> explain(const RuleSet& rules, Graph& graph, NodeId node, const std::string& rule) {
  Explainer explainer(rules.program(), graph);
  std::vector<Explanation> out;
  for (Index r = 0; r < rules.program().rules.size(); ++r) {
    if (!rule.empty() && rules.program().rules[r].name != rule) continue;
    Explanation e = explainer.explain(r, node);
    if (e.verdict != Verdict::other_op || !rule.empty()) out.push_back(std::move(e));
  }
  return out;
}

}  // namespace fxrules
