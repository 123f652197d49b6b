#include "dsl/check_calls.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "dsl/callee.hpp"
#include "dsl/entries.hpp"
#include "engine/program/builtins.hpp"

namespace fxrules::dsl {
namespace {

constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();

// `x.view(2, 2)`: a list of integers may be spread over the positional arguments.
bool takes_spread_list(const SchemaArgument& argument) {
  return argument.variadic || (argument.type.list && argument.type.kind == TypeKind::integer);
}

std::size_t most_positional(const Overload& overload) {
  std::size_t most = 0;
  for (const SchemaArgument& argument : overload.arguments) {
    if (argument.keyword_only) continue;
    if (takes_spread_list(argument)) return kAny;
    ++most;
  }
  return most;
}

std::string plural(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string range_text(std::size_t least, std::size_t most) {
  if (least == most) return plural(most, "argument");
  if (most == kAny) return fmt::format("{} or more arguments", least);
  return fmt::format("{} to {} arguments", least, most);
}

}  // namespace

void CallCheck::check_pattern(const Term& call) {
  const Callee& callee = ast_.callees[call.callee];
  if (callee.kind != CalleeKind::implicit) {
    if (callee.kind == CalleeKind::set && callee.members.empty())
      report("unreachable", "this can never match: the set is empty", callee.range, "");
    check_members(callee);
    check_dotted(callee);
    check_arguments(call);
    return check_required(call);
  }
  const Definition* definition = in_.names.find(callee.text);
  if (definition != nullptr && definition->kind == DefinitionKind::pattern)
    return check_count(call, "the helper pattern", definition->parameters, definition->parameters);
  if (in_.names.is_set(callee.text)) return check_set(callee, *definition);
  if (!is_op(callee)) return report_unknown(callee, true);
  check_arguments(call);
  check_required(call);
}

// A set that no -D can fill.
void CallCheck::check_set(const Callee& callee, const Definition& set) {
  if (set.kind != DefinitionKind::set) return;
  const Term& members = (*set.tree)[set.tree->sets[set.index].value];
  for (std::uint32_t i = 0; i < members.count; ++i) {
    if ((*set.tree)[set.tree->children[members.first + i]].kind == TermKind::op) return;
  }
  report("unreachable", fmt::format("this can never match: the set `{}` holds no op", callee.text), callee.range, "");
}

void CallCheck::check_value(const Term& call) {
  const Callee& callee = ast_.callees[call.callee];
  if (callee.kind == CalleeKind::set || callee.kind == CalleeKind::any)
    return report("misplaced", "a new call needs one op", callee.range,
                  "sets and `*` stand in patterns; keep the matched op with a hole, `<f>(..)`");
  if (callee.kind != CalleeKind::implicit) {
    check_dotted(callee);
    return check_arguments(call);
  }
  const Definition* definition = in_.names.find(callee.text);
  if (definition != nullptr && definition->kind == DefinitionKind::def)
    return check_count(call, "the helper", definition->parameters, definition->parameters);
  if (const Function* function = in_.find_function(callee.text))
    return check_count(call, "the function", function->min_arguments,
                       function->max_arguments == 255 ? kAny : function->max_arguments);
  if (const BuiltinInfo* builtin = find_builtin(callee.text))
    return check_count(call, "the built-in", builtin->min_arguments,
                       builtin->max_arguments == 255 ? kAny : builtin->max_arguments);
  if (!is_op(callee)) return report_unknown(callee, false);
  check_arguments(call);
}

void CallCheck::check_op(const Callee& callee) {
  check_members(callee);
  if (callee.kind != CalleeKind::implicit || in_.names.is_set(callee.text)) return;
  if (!is_op(callee)) report_unknown(callee, true);
}

void CallCheck::check_members(const Callee& callee) {
  for (const std::uint32_t member : callee.members) check_op(ast_.callees[member]);
  for (const CalleePiece& piece : callee.pieces) {
    if (piece.set.empty() || in_.names.is_set(piece.set)) continue;
    report("unbound-name", fmt::format("`{}` is no set", piece.set), piece.range,
           did_you_mean(piece.set, in_.names.all()));
  }
}

bool CallCheck::is_op(const Callee& callee) { return callee.text == kEntry || facts(callee).known; }

const CallCheck::Facts& CallCheck::facts(const Callee& callee) {
  const auto [found, fresh] = facts_.try_emplace(callee.text);
  Facts& facts = found->second;
  if (!fresh) return facts;
  facts.known = in_.catalogue.find_op(callee.text).has_value();
  facts.overloads = overloads(callee);
  for (const Overload* overload : facts.overloads)
    facts.most_positional = std::max(facts.most_positional, most_positional(*overload));
  return facts;
}

void CallCheck::report_unknown(const Callee& callee, bool pattern) {
  if (in_.findings.full()) return;  // searching near names takes its time
  const Definition* definition = in_.names.find(callee.text);
  if (definition != nullptr) {
    const std::string message = pattern ? fmt::format("`{}` cannot be matched", callee.text)
                                        : fmt::format("`{}` cannot be called here", callee.text);
    const std::string hint = pattern ? "a pattern holds ops, sets of ops and helper patterns"
                                     : "a value is made of helpers, built-ins and ops";
    return report("misplaced", message, callee.range, hint);
  }
  std::vector<std::string_view> candidates = in_.catalogue.all_op_names();
  for (const std::string_view name : in_.names.all())
    if ((in_.names.find(name)->kind == DefinitionKind::def) != pattern) candidates.push_back(name);
  if (!pattern)
    for (const BuiltinInfo& builtin : builtins()) candidates.push_back(builtin.name);
  std::string hint = did_you_mean(callee.text, candidates);
  if (hint.empty())
    hint = "ops that torch does not have are declared with `catalogue \"my.ops\"`, or written with a dot";
  report("unknown-op", fmt::format("unknown op `{}`", callee.text), callee.range, std::move(hint));
}

void CallCheck::check_count(const Term& call, std::string_view what, std::size_t least, std::size_t most) {
  bool open = false;
  for (std::uint32_t i = 0; i < call.count; ++i) {
    const Term& argument = ast_[ast_.children[call.first + i]];
    if (!argument.text.empty())
      report("unknown-keyword", fmt::format("{} `{}` has no keyword arguments", what, call.text), argument.range, "");
    open = open || ast_[ast_.children[argument.first]].kind == TermKind::rest;
  }
  const bool fits = open ? most >= call.count - 1 : call.count >= least && call.count <= most;
  if (!fits)
    report("arity", fmt::format("{} `{}` takes {}, not {}", what, call.text, range_text(least, most), call.count),
           call.range, "");
}

std::vector<const Overload*> CallCheck::overloads(const Callee& callee) const {
  std::vector<const Overload*> all;
  std::optional<OpId> op = in_.catalogue.find_op(callee.text);
  const std::size_t dot = callee.text.rfind('.');
  if (!op && callee.kind == CalleeKind::dotted && dot != 0) {
    op = in_.catalogue.find_op(callee.text.substr(0, dot));
    if (!op) return all;
    const auto overload = in_.catalogue.find_overload(*op, callee.text.substr(dot + 1));
    if (overload) all.push_back(&in_.catalogue.overload(*overload));
    return all;
  }
  if (!op) return all;
  for (const OverloadId id : in_.catalogue.overloads(*op)) all.push_back(&in_.catalogue.overload(id));
  return all;
}

void CallCheck::check_arguments(const Term& call) {
  const Callee& callee = ast_.callees[call.callee];
  if (callee.text == kEntry) return check_count(call, "the entry", 2, 2);
  const Facts& op = facts(callee);
  if (op.overloads.empty()) return;
  std::size_t positional = 0;
  for (std::uint32_t i = 0; i < call.count; ++i) {
    const Term& argument = ast_[ast_.children[call.first + i]];
    if (!argument.text.empty())
      check_keyword(call, argument.text,
                    {argument.range.begin, argument.range.begin + static_cast<std::uint32_t>(argument.text.size())});
    else if (ast_[ast_.children[argument.first]].kind != TermKind::rest)
      ++positional;
  }
  if (positional > op.most_positional)
    report("arity",
           fmt::format("`{}` is given {}, but no overload takes more than {}", callee.text,
                       plural(positional, "positional argument"), op.most_positional),
           call.range, "");
}

// Without `..` what is not mentioned is at its default: a call of the op that leaves out more does not exist.
void CallCheck::check_required(const Term& call) {
  const Callee& callee = ast_.callees[call.callee];
  if (callee.kind == CalleeKind::set || callee.kind == CalleeKind::any || callee.kind == CalleeKind::holes) return;
  if (callee.text == kEntry) return;  // its count is checked
  const std::vector<const Overload*>& all = facts(callee).overloads;
  if (all.empty()) return;
  std::vector<std::string_view> missing;
  for (const Overload* overload : all) {
    std::vector<bool> mentioned(overload->arguments.size());
    std::size_t position = 0;
    for (std::uint32_t i = 0; i < call.count; ++i) {
      const Term& argument = ast_[ast_.children[call.first + i]];
      if (ast_[ast_.children[argument.first]].kind == TermKind::rest || argument.kind == TermKind::rest) return;
      int at = -1;
      if (!argument.text.empty()) {
        at = overload->find(argument.text);
      } else if (overload->rule_order.empty()) {
        at = static_cast<int>(position++);
      } else {
        at = position < overload->rule_order.size() ? overload->rule_order[position] : -1;
        ++position;
      }
      if (at >= 0 && static_cast<std::size_t>(at) < mentioned.size()) mentioned[static_cast<std::size_t>(at)] = true;
    }
    std::vector<std::string_view> required;
    for (std::size_t a = 0; a < mentioned.size(); ++a) {
      const SchemaArgument& argument = overload->arguments[a];
      if (!mentioned[a] && !argument.has_default && !argument.variadic) required.push_back(argument.name);
    }
    if (required.empty()) return;
    if (missing.empty() || required.size() < missing.size()) missing = required;
  }
  report("arity",
         fmt::format("`{}` always has {}, so that this can never match", callee.text,
                     quoted_list({missing.begin(), missing.end()})),
         call.range, "write `..` for the arguments that do not matter");
}

// A path that the catalogue does not know, beside others that it knows, is misspelt; other paths are taken as
// they stand.
void CallCheck::check_dotted(const Callee& callee) {
  if (callee.kind != CalleeKind::dotted || in_.findings.full()) return;
  if (!dotted_.insert(callee.text).second) return;
  std::string_view text = callee.text;
  if (text == "torch.device" || in_.catalogue.find_op(text)) return;
  if (in_.catalogue.resolve(Opcode::call_function, full_target(in_.catalogue, text))) return;
  if (text.starts_with("torch.ops.")) text.remove_prefix(10);
  const std::size_t dot = text.rfind('.');
  if (dot == 0 || dot == std::string_view::npos) return;
  const std::string_view space = text.substr(0, dot), name = text.substr(dot + 1);
  std::vector<std::string_view> candidates;
  if (const auto op = in_.catalogue.find_op(space); op && space.find('.') != std::string_view::npos) {
    for (const OverloadId id : in_.catalogue.overloads(*op)) {
      if (!in_.catalogue.overload(id).python) candidates.push_back(in_.catalogue.overload(id).name);
    }
    if (candidates.empty()) return;  // an op without a schema
    return report_dotted(callee, name, candidates, fmt::format("`{}` has no overload `{}`", space, name));
  }
  const auto known = name_spaces().find(space);
  if (known != name_spaces().end())
    report_dotted(callee, name, known->second, fmt::format("`{}` has no function `{}`", space, name));
}

// What the catalogue knows by the path in front of its last dot; worked out when a path is not known.
const CallCheck::NameSpaces& CallCheck::name_spaces() {
  if (!spaces_.empty()) return spaces_;
  for (std::uint32_t o = 0; o < in_.catalogue.op_count(); ++o) {
    const OpId op(o);
    if (in_.catalogue.op_namespace(op) != "python")
      spaces_[in_.catalogue.op_namespace(op)].push_back(in_.catalogue.op_name(op));
    for (const std::string_view path : {in_.catalogue.function_of(op), in_.catalogue.operator_of(op)}) {
      const std::size_t dot = path.rfind('.');
      if (dot != std::string_view::npos) spaces_[path.substr(0, dot)].push_back(path.substr(dot + 1));
    }
  }
  return spaces_;
}

void CallCheck::report_dotted(const Callee& callee, std::string_view name,
                              const std::vector<std::string_view>& candidates, std::string message) {
  std::string hint = did_you_mean(name, candidates);
  if (hint.empty() && candidates.size() <= 12)
    hint = fmt::format("there are {}", quoted_list({candidates.begin(), candidates.end()}));
  if (hint.empty()) hint = "what torch does not have is declared with `catalogue \"my.ops\"`";
  report("unknown-op", std::move(message), callee.range, std::move(hint));
}

void CallCheck::check_keyword(const Term& call, std::string_view keyword, Range place) {
  if (call.kind != TermKind::call) return;
  const Callee& callee = ast_.callees[call.callee];
  const std::vector<const Overload*>& all = facts(callee).overloads;
  std::vector<std::string_view> names;
  for (const Overload* overload : all) {
    if (overload->find(keyword) >= 0) return;
    for (const SchemaArgument& argument : overload->arguments)
      if (std::find(names.begin(), names.end(), argument.name) == names.end()) names.push_back(argument.name);
  }
  if (all.empty()) return;
  std::string hint = did_you_mean(keyword, names);
  if (hint.empty()) hint = fmt::format("its arguments are {}", quoted_list({names.begin(), names.end()}));
  report("unknown-keyword", fmt::format("no overload of `{}` has an argument `{}`", callee.text, keyword), place,
         std::move(hint));
}

void CallCheck::report(std::string_view kind, std::string message, Range place, std::string hint) {
  in_.findings.add(kind, std::move(message), place, std::move(hint));
}

}  // namespace fxrules::dsl
