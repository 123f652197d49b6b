// Compiled rules as text: one line an instruction, registers as r3, program counters on the left.
#include <fmt/format.h>

#include "engine/program/program.hpp"

namespace fxrules::program {
namespace {

std::string literal_text(const Literal& l) {
  if (l.unknown) return "unknown";
  switch (l.kind) {
    case ArgKind::none:
      return "None";
    case ArgKind::ellipsis:
      return "Ellipsis";
    case ArgKind::boolean:
      return l.integer != 0 ? "True" : "False";
    case ArgKind::integer:
      return std::to_string(l.integer);
    case ArgKind::floating:
      return fmt::format("{}", l.floating);
    case ArgKind::string:
      return fmt::format("\"{}\"", l.text);
    default:
      return l.text;
  }
}

std::string key_text(const ArgumentKey& key) {
  return key.position != kNone ? fmt::format("#{}", key.position) : key.keyword;
}

std::string rest_text(const RuleSet& rules, Index rest) {
  std::string out;
  for (const Index k : rules.rests[rest].mentioned) out += (out.empty() ? "" : " ") + key_text(rules.keys[k]);
  return "{" + out + "}";
}

// `through(r5 from 12, #0)`: the arguments are blocks, on a register of the caller, or parameters handed on.
std::string call_text(const RuleSet& rules, Index index) {
  const PatternCall& call = rules.pattern_calls[index];
  std::string out;
  for (const PatternArgument& a : call.arguments) {
    out += out.empty() ? "" : ", ";
    out += a.parameter != kNone ? fmt::format("#{}", a.parameter) : fmt::format("r{} from {}", a.place, a.block);
  }
  return fmt::format("{}({})", rules.patterns[call.pattern].name, out);
}

std::string instruction_text(const RuleSet& rules, const MatchProgram& match, const Instruction& i) {
  switch (i.test) {
    case Test::op:
      return fmt::format("op        r{} {}", i.a, rules.op_patterns[i.b].text);
    case Test::select: {
      std::string out = fmt::format("select    r{}", i.a);
      for (const auto& [pattern, pc] : match.switches[i.b].edges)
        out += fmt::format(" {}->{}", rules.op_patterns[pattern].text, pc);
      return out;
    }
    case Test::argument:
      return fmt::format("argument  r{} = r{}[{}]", i.a, i.c, key_text(rules.keys[i.b]));
    case Test::rest:
      return fmt::format("rest      r{} defaults except {}", i.a, rest_text(rules, i.b));
    case Test::bind_rest:
      return fmt::format("bind_rest r{} = r{} except {}", i.a, i.c, rest_text(rules, i.b));
    case Test::commutes:
      return fmt::format("commutes  r{}", i.a);
    case Test::kind:
      return fmt::format("kind      r{} {}", i.a,
                         to_string(Kind{static_cast<KindName>(i.b), static_cast<Element>(i.c)}));
    case Test::literal:
      return fmt::format("literal   r{} {}", i.a, literal_text(rules.literals[i.b]));
    case Test::same:
      return fmt::format("same      r{} r{}", i.a, i.b);
    case Test::list:
      return fmt::format("list      r{} of {}", i.a, i.b);
    case Test::list_min:
      return fmt::format("list_min  r{} of at least {}", i.a, i.b);
    case Test::item:
      return fmt::format("item      r{} = r{}[{}]", i.a, i.c, i.b);
    case Test::item_back:
      return fmt::format("item      r{} = r{}[-{}]", i.a, i.c, i.b + 1);
    case Test::span:
      return fmt::format("span      r{} = r{}[{}:-{}]", i.a, i.c, i.b >> 16, i.b & 0xFFFF);
    case Test::part:
      return fmt::format("part      r{} = r{}.{}", i.a, i.c, i.b == 0 ? "start" : i.b == 1 ? "stop" : "step");
    case Test::helper:
      return fmt::format("helper    r{} {}", i.a, call_text(rules, i.b));
    case Test::next:
      return fmt::format("next      r{} {}", i.a, rules.patterns[rules.pattern_calls[i.b].pattern].name);
    case Test::bind:
      return fmt::format("bind      r{} = r{}", i.b, i.a);
    case Test::exchange:
      return fmt::format("exchange  r{} r{} of r{}", i.b, i.c, i.a);
    case Test::parameter:
      return i.c == 0 ? fmt::format("parameter #{} r{}", i.b, i.a)
                      : fmt::format("parameter #{} r{} = r{}", i.b, i.c, i.a);
    case Test::guard:
      return fmt::format("guard     of equation {}", i.b);
    case Test::give:
      return fmt::format("give      #{} of equation {}", i.c, i.b);
    case Test::done:
      return "done";
    case Test::accept:
      return fmt::format("accept    {}", i.b);
    case Test::fail:
      return "fail";
  }
  return {};
}

std::string step_text(const RuleSet& rules, const Step& s) {
  static constexpr std::string_view kNames[] = {
      "constant",      "load",         "store",  "negate",        "not",          "add",     "subtract",   "multiply",
      "divide",        "floor_divide", "modulo", "equal",         "not_equal",    "less",    "less_equal", "greater",
      "greater_equal", "in",           "not_in", "skip_if_false", "skip_if_true", "and",     "or",         "list",
      "tuple",         "slice",        "splice", "index",         "field",        "builtin", "function",   "call",
      "build",         "set",          "text",   "fail",          "op_name",      "end"};
  std::string out(kNames[static_cast<std::size_t>(s.eval)]);
  switch (s.eval) {
    case Eval::constant:
      return out + " " + literal_text(rules.literals[s.a]);
    case Eval::builtin:
      return out + fmt::format(" {} {}", info(static_cast<Builtin>(s.a)).name, s.b);
    case Eval::function:
      return out + fmt::format(" {} {}", rules.called[s.a]->name, s.b);
    case Eval::call:
      return out + fmt::format(" {} {}", rules.defs[s.a].name, s.b);
    case Eval::build:
    case Eval::op_name:
      return out + fmt::format(" {} {}", rules.templates[s.a].text, s.b);
    case Eval::load:
    case Eval::store:
    case Eval::list:
    case Eval::tuple:
    case Eval::field:
    case Eval::text:
    case Eval::set:
    case Eval::skip_if_false:
    case Eval::skip_if_true:
      return out + fmt::format(" {}", s.a);
    default:
      return out;
  }
}

std::string code_text(const RuleSet& rules, Code code, std::string_view indent) {
  std::string out;
  for (Index i = code.begin; i < code.end; ++i)
    out += fmt::format("{}{:4}  {}\n", indent, i, step_text(rules, rules.steps[i]));
  return out;
}

// The helpers that rules call, directly or through others, and the equations about ops of files that have some
// of their own: those that every file sees would bury the rest.
std::vector<bool> reached_defs(const RuleSet& rules) {
  std::vector<bool> reached(rules.defs.size());
  std::vector<Index> todo;
  const auto reach = [&](Index def) {
    if (def == kNone || reached[def]) return;
    reached[def] = true;
    todo.push_back(def);
  };
  const auto calls = [&](Code code) {
    for (Index i = code.begin; i < code.end; ++i) {
      if (rules.steps[i].eval == Eval::call) reach(rules.steps[i].a);
    }
  };
  for (const Rule& rule : rules.rules) {
    for (const Alternative& a : rule.alternatives) {
      calls(a.guard);
      calls(a.code);
      for (const KeepEntry& keep : a.keeps) calls(keep.value);
      for (const Assignment& assignment : a.assignments) calls(assignment.as);
    }
  }
  for (const PatternEquation& e : rules.pattern_equations) {
    calls(e.guard);
    for (const Code& head : e.heads) calls(head);
  }
  for (const OpFacts& facts : rules.facts) {
    if (!facts.own) continue;
    reach(facts.metas);
    reach(facts.inverses);
  }
  while (!todo.empty()) {
    const Def& def = rules.defs[todo.back()];
    todo.pop_back();
    for (const Def::Equation& e : def.equations) {
      calls(e.guard);
      calls(e.body);
    }
  }
  return reached;
}

// All blocks in one listing: programs and equations name them by where they begin.
std::string patterns_text(const RuleSet& rules) {
  std::string out = rules.pattern_code.empty() ? "" : "blocks\n";
  const MatchProgram none;
  for (std::size_t pc = 0; pc < rules.pattern_code.size(); ++pc)
    out += fmt::format("  {:4}  {}\n", pc, instruction_text(rules, none, rules.pattern_code[pc]));
  for (const HelperPattern& pattern : rules.patterns) {
    out += fmt::format("pattern {}\n", pattern.name);
    for (const Index index : pattern.equations) {
      const PatternEquation& e = rules.pattern_equations[index];
      out += fmt::format("  equation {}: r0 from {}, {} registers\n", index, e.block, e.registers);
      if (e.guard.present()) out += "    guard\n" + code_text(rules, e.guard, "      ");
      for (std::size_t h = 0; h < e.heads.size(); ++h) {
        if (e.heads[h].present()) out += fmt::format("    #{}\n", h) + code_text(rules, e.heads[h], "      ");
      }
    }
  }
  return out;
}

}  // namespace

std::string to_text(const RuleSet& rules, const MatchProgram& match, std::string_view indent) {
  std::string out = fmt::format("{}start {}, {} registers\n", indent, match.start, match.registers);
  for (std::size_t pc = 0; pc < match.code.size(); ++pc) {
    const Instruction& i = match.code[pc];
    out += fmt::format("{}{:4}  {}", indent, pc, instruction_text(rules, match, i));
    if (i.test != Test::fail && i.test != Test::bind_rest && i.test != Test::helper)
      out += fmt::format("  else {}", i.fail);
    out += "\n";
  }
  return out;
}

std::string to_text(const RuleSet& rules) {
  std::string out;
  for (const Phase& phase : rules.phases) {
    out += fmt::format("phase {}{}{}: {} rules, depth {}{}\n", phase.name.empty() ? "(default)" : phase.name,
                       phase.once ? " once" : "", phase.reverse ? " reverse" : "", phase.rules.size(), phase.depth,
                       phase.chain == kNone ? "" : ", chains");
    out += to_text(rules, phase.match, "  ");
    for (std::size_t a = 0; a < phase.match.accepts.size(); ++a) {
      const Accept& accept = phase.match.accepts[a];
      const Rule& rule = rules.rules[accept.rule];
      out += fmt::format("  accept {}: {}", a, rule.name);
      for (std::size_t v = 0; v < accept.registers.size(); ++v) {
        if (accept.registers[v] != 0xFFFF) out += fmt::format(" {}=r{}", rule.variables[v], accept.registers[v]);
      }
      out += "\n";
    }
    for (const Index r : phase.rules) {
      const Rule& rule = rules.rules[r];
      out += fmt::format("  rule {}\n", rule.name);
      for (const ExtraRoot& extra : rule.extra) out += to_text(rules, extra.match, "    ");
      for (const Alternative& alternative : rule.alternatives) {
        static constexpr std::string_view kResults[] = {"value", "keep", "error", "note"};
        if (alternative.guard.present()) out += "    guard\n" + code_text(rules, alternative.guard, "      ");
        out += fmt::format("    {}\n", kResults[static_cast<std::size_t>(alternative.kind)]);
        out += code_text(rules, alternative.code, "      ");
        for (const KeepEntry& keep : alternative.keeps) {
          out += fmt::format("      {}{} =\n", keep.meta ? "meta." : "", keep.key) +
                 code_text(rules, keep.value, "      ");
        }
      }
    }
  }
  out += patterns_text(rules);
  const std::vector<bool> reached = reached_defs(rules);
  for (Index d = 0; d < rules.defs.size(); ++d) {
    if (!reached[d]) continue;
    const Def& def = rules.defs[d];
    out += fmt::format("def {}\n", def.name) + to_text(rules, def.match, "  ");
    for (std::size_t e = 0; e < def.equations.size(); ++e) {
      out += fmt::format("  equation {}\n", e);
      if (def.equations[e].guard.present()) out += "    guard\n" + code_text(rules, def.equations[e].guard, "      ");
      out += "    body\n" + code_text(rules, def.equations[e].body, "      ");
    }
  }
  return out;
}

}  // namespace fxrules::program
