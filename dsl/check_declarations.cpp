// Declarations: names used twice, words after a phase's name, types and values of parameters.
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "dsl/check.hpp"

namespace fxrules::dsl {
namespace {

const std::vector<std::string_view> kPhaseWords{"once", "forward", "reverse"};
const std::vector<std::string_view> kTypes{"str", "bool", "int", "float", "set"};

std::optional<TermKind> kind_of_type(std::string_view type) {
  if (type == "str") return TermKind::string;
  if (type == "bool") return TermKind::boolean;
  if (type == "int") return TermKind::integer;
  if (type == "float") return TermKind::floating;
  if (type == "set") return TermKind::set;
  return std::nullopt;
}

class DeclarationCheck {
 public:
  explicit DeclarationCheck(const CheckInput& input) : in_(input), ast_(input.ast) {}

  void run() {
    for (const Param& param : ast_.params) {
      declare(param.name, param.name_range, "param");
      check_type(param);
    }
    for (const SetDeclaration& set : ast_.sets) declare(set.name, set.name_range, "set");
    for (const Equation& equation : ast_.defs) declare_equation(equation, "def");
    for (const Equation& equation : ast_.patterns) declare_equation(equation, "pattern");
    for (const Phase& phase : ast_.phases) check_phase(phase);
    for (const Rule& rule : ast_.rules) check_label(rule);
    for (const Test& test : ast_.tests) check_test(test);
  }

 private:
  struct Declared {
    std::string_view word;
    Range range;
    std::size_t parameters = 0;
  };

  void declare(std::string_view name, Range range, std::string_view word) {
    const auto [found, fresh] = declared_.try_emplace(name, Declared{word, range});
    if (!fresh) report_twice("duplicate-name", fmt::format("`{}` is declared twice", name), range, found->second.range);
  }

  // Equations of one name belong together.
  void declare_equation(const Equation& equation, std::string_view word) {
    const std::size_t parameters = equation.parameters.size();
    const auto [found, fresh] = declared_.try_emplace(equation.name, Declared{word, equation.name_range, parameters});
    if (fresh) return;
    const Declared& first = found->second;
    if (first.word != word) {
      report_twice("duplicate-name", fmt::format("`{}` is declared twice", equation.name), equation.name_range,
                   first.range);
    } else if (first.parameters != parameters) {
      report_twice("arity",
                   fmt::format("this equation of `{}` has {} parameters, the first one has {}", equation.name,
                               parameters, first.parameters),
                   equation.name_range, first.range);
    }
  }

  void check_label(const Rule& rule) {
    if (rule.label.empty()) return;
    const auto [found, fresh] = labels_.try_emplace(rule.label, rule.label_range);
    if (!fresh)
      report_twice("duplicate-label", fmt::format("the label `{}` is used twice", rule.label), rule.label_range,
                   found->second);
  }

  void check_test(const Test& test) {
    const auto [found, fresh] = tests_.try_emplace(test.name, test.name_range);
    if (!fresh)
      report_twice("duplicate-test", fmt::format("two tests are called \"{}\"", test.name), test.name_range,
                   found->second);
    if (test.after >= 0 && test.unchanged)
      report("misplaced", "a test has `after` or `unchanged`, not both", test.name_range,
             "the graph cannot both become what `after` shows and stay as it was");
  }

  void check_phase(const Phase& phase) {
    if (!phase.name.empty()) {
      const auto [found, fresh] = phases_.try_emplace(phase.name, phase.name_range);
      if (!fresh)
        report_twice("duplicate-phase", fmt::format("the phase `{}` is there already", phase.name), phase.name_range,
                     found->second);
    }
    for (const Range& word : phase.unknown_words) {
      const std::string text(in_.ast.source->text.substr(word.begin, word.end - word.begin));
      std::string hint = did_you_mean(text, kPhaseWords);
      if (hint.empty()) hint = "a phase is `once` or runs to a fixpoint, and goes `forward` or in `reverse`";
      report("unknown-phase-word", fmt::format("unknown word `{}` behind the phase's name", text), word,
             std::move(hint));
    }
  }

  void check_type(const Param& param) {
    const std::optional<TermKind> kind = kind_of_type(param.type);
    if (!kind) {
      std::string hint = did_you_mean(param.type, kTypes);
      if (hint.empty()) hint = "the types of parameters are str, bool, int, float and set";
      return report("unknown-type", fmt::format("unknown type `{}`", param.type), param.type_range, std::move(hint));
    }
    const Term& value = ast_[param.value];
    if (value.kind != *kind)
      report("wrong-type", fmt::format("the value of `{}` is not of type {}", param.name, param.type), value.range, "");
  }

  void report(std::string_view kind, std::string message, Range place, std::string hint) {
    in_.findings.add(kind, std::move(message), place, std::move(hint));
  }

  void report_twice(std::string_view kind, std::string message, Range place, Range first) {
    in_.findings.add(kind, std::move(message), place, first, "the first one is here");
  }

  const CheckInput& in_;
  const Ast& ast_;
  std::unordered_map<std::string_view, Declared> declared_;
  std::unordered_map<std::string_view, Range> labels_, phases_, tests_;
};

}  // namespace

void check_declarations(const CheckInput& input) { DeclarationCheck(input).run(); }

}  // namespace fxrules::dsl
