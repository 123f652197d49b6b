#include "naive_match.hpp"

#include <algorithm>

#include "dsl/literals.hpp"

namespace fxrules::testing {

using dsl::Callee;
using dsl::CalleeKind;
using dsl::Term;
using dsl::TermId;
using dsl::TermKind;
using rewrite::Access;
using rewrite::CallClass;
using rewrite::Tag;
using rewrite::Value;

// ---------------------------------------------------------------- roots

bool NaiveMatcher::each_match(const dsl::Rule& rule, NodeId node, const std::function<bool(NaiveMatch&)>& found) {
  const unsigned orders = 1u << commutative_calls(rule.roots[0].pattern);
  for (unsigned exchanged = 0; exchanged < orders; ++exchanged) {
    const auto go_on = [&](NaiveMatch& match) {
      if (!rule.roots[0].name.empty()) match.bound.emplace(rule.roots[0].name, Value::of_node(node));
      return further_roots(rule, 1, match, found);
    };
    if (matches(rule.roots[0].pattern, node, exchanged, {}, go_on)) return true;
  }
  return false;
}

bool NaiveMatcher::further_roots(const dsl::Rule& rule, std::size_t root, const NaiveMatch& so_far,
                                 const std::function<bool(NaiveMatch&)>& found) {
  if (root == rule.roots.size()) {
    NaiveMatch complete = so_far;
    return found(complete);
  }
  const unsigned orders = 1u << commutative_calls(rule.roots[root].pattern);
  for (const NodeId node : graph_.nodes()) {
    if (std::find(so_far.nodes.begin(), so_far.nodes.end(), node) != so_far.nodes.end()) continue;
    for (unsigned exchanged = 0; exchanged < orders; ++exchanged) {
      const auto go_on = [&](NaiveMatch& match) {
        match.bound.emplace(rule.roots[root].name, Value::of_node(node));
        return further_roots(rule, root + 1, match, found);
      };
      if (matches(rule.roots[root].pattern, node, exchanged, so_far, go_on)) return true;
    }
  }
  return false;
}

bool NaiveMatcher::matches(TermId pattern, NodeId node, unsigned exchanged, const NaiveMatch& so_far,
                           const std::function<bool(NaiveMatch&)>& found) {
  exchanged_ = exchanged;
  State state;
  state.match = so_far;
  state.frames.emplace_back();
  return term(pattern, Value::of_node(node), std::move(state), {}, [&](State end) {
    const bool done = found(end.match);
    exchanged_ = exchanged;  // further roots have their own
    return done;
  });
}

unsigned NaiveMatcher::commutative_calls(TermId pattern) const {
  if (pattern == dsl::kNoTerm) return 0;
  const Term& t = ast_[pattern];
  if (is_helper(t)) return 0;
  unsigned count = may_commute(t) ? 1 : 0;
  for (std::uint32_t i = 0; i < t.count; ++i) count += commutative_calls(ast_.children[t.first + i]);
  return count;
}

// Whether some overload of an op that the call may mean commutes, and both operands are given by position.
bool NaiveMatcher::may_commute(const Term& t) const {
  if (t.kind != TermKind::call || t.count < 2) return false;
  for (std::uint32_t i = 0; i < 2; ++i) {
    const Term& operand = ast_[ast_.children[t.first + i]];
    if (operand.kind != TermKind::argument || !operand.text.empty()) return false;
  }
  const Callee& callee = ast_.callees[t.callee];
  if (callee.commutative) return true;
  const Catalogue& catalogue = binding_.catalogue();
  const auto commutes = [&](std::string_view name) {
    const auto op = catalogue.find_op(name);
    if (!op) return false;
    const auto& overloads = catalogue.overloads(*op);
    return std::any_of(overloads.begin(), overloads.end(),
                       [&](OverloadId o) { return has(catalogue.overload(o).tags, OpTag::commutative); });
  };
  if (callee.kind == CalleeKind::implicit) {
    for (const dsl::SetDeclaration& set : ast_.sets) {
      if (set.name != callee.text) continue;
      for (std::uint32_t i = 0; i < ast_[set.value].count; ++i) {
        const Term& member = ast_[ast_.children[ast_[set.value].first + i]];
        if (member.kind == TermKind::op && commutes(ast_.callees[member.callee].text)) return true;
      }
      return false;
    }
    return commutes(callee.text);
  }
  if (callee.kind == CalleeKind::set)
    return std::any_of(callee.members.begin(), callee.members.end(),
                       [&](std::uint32_t m) { return commutes(ast_.callees[m].text); });
  const bool packet = callee.kind == CalleeKind::dotted && std::count(callee.text.begin(), callee.text.end(), '.') == 1;
  return packet && commutes(callee.text);
}

// ---------------------------------------------------------------- terms

bool NaiveMatcher::term(TermId id, const Value& value, State state, Place place, const Next& next) {
  const Term& t = ast_[id];
  if (t.kind != TermKind::name) {
    if (const auto literal = dsl::literal_of(ast_, id))
      return equals_literal(value, *literal) && next(std::move(state));
  }
  switch (t.kind) {
    case TermKind::argument:
      return term(ast_.children[t.first], value, std::move(state), place, next);
    case TermKind::wildcard:
      return (t.annotation.empty() || is_of_kind(value, t.annotation)) && next(std::move(state));
    case TermKind::name: {
      const auto& bound = place.frame == 0 ? state.match.bound : state.frames[place.frame].bound;
      const bool known = bound.contains(t.text) || is_parameter(state.frames[place.frame], t.text, nullptr);
      const auto literal = known ? std::nullopt : dsl::literal_of(ast_, id);  // inf
      if (literal) return equals_literal(value, *literal) && next(std::move(state));
      if (!t.annotation.empty() && !is_of_kind(value, t.annotation)) return false;
      // In a helper pattern an int that stands for a list of ints is that int once a kind of one value was asked for.
      const bool one = place.helper && value.is_one_int() &&
                       (t.annotation == "int" || t.annotation == "number" || t.annotation == "node");
      return bind(t.text, one ? item(value, 0) : value, std::move(state), place, next);
    }
    case TermKind::bind:
      return term(ast_.children[t.first], value, std::move(state), place,
                  [&](State matched) { return bind(t.text, value, std::move(matched), place, next); });
    case TermKind::list:
    case TermKind::tuple:
      return sequence(t, value, std::move(state), place, next);
    case TermKind::slice:
      return slice(t, value, std::move(state), place, next);
    case TermKind::index:
      return subscript(t, value, std::move(state), place, next);
    case TermKind::call:
      return is_helper(t) ? helper(t, value, state, place, next) : call(t, value, state, place, next);
    default:
      return false;
  }
}

bool NaiveMatcher::terms(const std::vector<std::pair<TermId, Value>>& all, std::size_t from, State state, Place place,
                         const Next& next) {
  if (from == all.size()) return next(std::move(state));
  return term(all[from].first, all[from].second, std::move(state), place,
              [&](State matched) { return terms(all, from + 1, std::move(matched), place, next); });
}

bool NaiveMatcher::bind(std::string_view name, const Value& value, State state, Place place, const Next& next) {
  auto& bound = place.frame == 0 ? state.match.bound : state.frames[place.frame].bound;
  const auto [found, fresh] = bound.emplace(name, value);
  if (!fresh) return equal(found->second, value) && next(std::move(state));
  std::size_t parameter = 0;
  if (!is_parameter(state.frames[place.frame], name, &parameter)) return next(std::move(state));
  const Closure caller = state.frames[place.frame].arguments[parameter];
  return term(caller.term, value, std::move(state), {caller.frame, true}, next);
}

bool NaiveMatcher::bind_all(const std::vector<std::pair<std::string_view, Value>>& all, std::size_t from, State state,
                            Place place, const Next& next) {
  if (from == all.size()) return next(std::move(state));
  return bind(all[from].first, all[from].second, std::move(state), place,
              [&](State bound) { return bind_all(all, from + 1, std::move(bound), place, next); });
}

// ---------------------------------------------------------------- helper patterns

bool NaiveMatcher::is_helper(const Term& t) const {
  if (t.kind != TermKind::call || ast_.callees[t.callee].kind != CalleeKind::implicit) return false;
  return std::any_of(ast_.patterns.begin(), ast_.patterns.end(),
                     [&](const dsl::Equation& e) { return e.name == ast_.callees[t.callee].text; });
}

// A parameter is a name that the body binds; others are expressions.
bool NaiveMatcher::is_parameter(const Frame& frame, std::string_view name, std::size_t* index) const {
  if (frame.equation == nullptr) return false;
  bool in_body = false;
  dsl::visit_names(ast_, frame.equation->body, [&](std::string_view n) { in_body = in_body || n == name; });
  std::vector<TermId> todo{frame.equation->body};
  while (!todo.empty() && !in_body) {
    const Term& t = ast_[todo.back()];
    todo.pop_back();
    in_body = (t.kind == TermKind::bind || t.kind == TermKind::rest) && t.text == name;
    for (std::uint32_t i = 0; i < t.count; ++i) {
      if (ast_.children[t.first + i] != dsl::kNoTerm) todo.push_back(ast_.children[t.first + i]);
    }
  }
  for (std::size_t p = 0; in_body && p < frame.equation->parameters.size(); ++p) {
    const Term& parameter = ast_[frame.equation->parameters[p]];
    if (parameter.kind != TermKind::name || parameter.text != name) continue;
    if (index != nullptr) *index = p;
    return true;
  }
  return false;
}

bool NaiveMatcher::helper(const Term& t, const Value& value, const State& state, Place place, const Next& next) {
  for (const dsl::Equation& equation : ast_.patterns) {
    if (equation.name != ast_.callees[t.callee].text) continue;
    State entered = state;
    Frame frame;
    frame.equation = &equation;
    for (std::uint32_t i = 0; i < t.count; ++i) frame.arguments.push_back({ast_.children[t.first + i], place.frame});
    entered.frames.push_back(std::move(frame));
    const Place inside{entered.frames.size() - 1, true};
    const auto& all = binding_.rules().pattern_equations;
    const auto compiled = std::find_if(all.begin(), all.end(), [&](const program::PatternEquation& e) {
      return e.span.begin == equation.range.begin;
    });
    const auto ends = [&](State matched) {
      const Frame& own = matched.frames[inside.frame];
      if (equation.guard != dsl::kNoTerm) {
        const Value guard = evaluate(compiled->guard, *compiled, own);
        if (!guard.is(Tag::boolean) || guard.i == 0) return false;
      }
      return heads(*compiled, 0, std::move(matched), inside, next);
    };
    if (term(equation.body, value, std::move(entered), inside, ends)) return true;
  }
  return false;
}

// Values that the equation hands back, against the caller's patterns.
bool NaiveMatcher::heads(const program::PatternEquation& compiled, std::size_t parameter, State state, Place place,
                         const Next& next) {
  const Frame& frame = state.frames[place.frame];
  if (parameter == frame.equation->parameters.size()) return next(std::move(state));
  const auto go_on = [&](State matched) { return heads(compiled, parameter + 1, std::move(matched), place, next); };
  const Term& head = ast_[frame.equation->parameters[parameter]];
  std::size_t index = 0;
  if (head.kind == TermKind::name && is_parameter(frame, head.text, &index) && index == parameter)
    return go_on(std::move(state));
  const Value value = evaluate(compiled.heads[parameter], compiled, frame);
  const Closure caller = frame.arguments[parameter];
  return !value.unusable() && term(caller.term, value, std::move(state), {caller.frame, true}, go_on);
}

Value NaiveMatcher::evaluate(program::Code code, const program::PatternEquation& compiled, const Frame& frame) {
  std::vector<Value> variables(compiled.variables.size());
  for (std::size_t v = 0; v < variables.size(); ++v) {
    const auto bound = frame.bound.find(compiled.names[v]);
    if (bound != frame.bound.end()) variables[v] = bound->second;
  }
  return machine_.evaluate(code, variables);
}

// ---------------------------------------------------------------- structure

bool NaiveMatcher::slice(const Term& t, const Value& value, State state, Place place, const Next& next) {
  if (!value.is(Tag::slice)) return false;
  std::vector<std::pair<TermId, Value>> parts;
  for (std::uint32_t i = 0; i < t.count; ++i) {
    const TermId part = ast_.children[t.first + i];
    const Value given = item(value, i);
    if (part != dsl::kNoTerm) {
      parts.emplace_back(part, given);
    } else if (!given.is(Tag::none)) {
      return false;
    }
  }
  return terms(parts, 0, std::move(state), place, next);
}

bool NaiveMatcher::sequence(const Term& t, const Value& value, State state, Place place, const Next& next) {
  if (t.kind == TermKind::tuple ? !value.is(Tag::tuple) : !value.is_sequence()) return false;
  std::uint32_t rest = t.count;
  for (std::uint32_t i = 0; i < t.count; ++i) {
    if (ast_[ast_.children[t.first + i]].kind == TermKind::rest) rest = i;
  }
  const std::uint32_t given = value.range.count;
  if (rest == t.count ? given != t.count : given + 1 < t.count) return false;
  std::vector<std::pair<TermId, Value>> items;
  std::vector<std::pair<std::string_view, Value>> rests;
  for (std::uint32_t i = 0; i < t.count; ++i) {
    const TermId child = ast_.children[t.first + i];
    if (i == rest) {
      const std::string_view name = ast_[child].text;
      if (!name.empty() && name != "..") rests.emplace_back(name, value.without(i, t.count - 1 - i));
    } else {
      items.emplace_back(child, item(value, i < rest ? i : given - (t.count - i)));
    }
  }
  return bind_all(rests, 0, std::move(state), place,
                  [&](State bound) { return terms(items, 0, std::move(bound), place, next); });
}

// s[0] is getitem(s, 0)
bool NaiveMatcher::subscript(const Term& t, const Value& value, State state, Place place, const Next& next) {
  if (!value.is(Tag::node) || !is_named(value.node(), "getitem")) return false;
  state.match.nodes.push_back(value.node());
  std::vector<std::pair<TermId, Value>> operands;
  for (unsigned i = 0; i < 2; ++i) {
    const Role role = role_at(value.node(), i);
    if (!role.exists()) return false;
    operands.emplace_back(ast_.children[t.first + i], value_of(value.node(), role));
  }
  return terms(operands, 0, std::move(state), place, next);
}

bool NaiveMatcher::call(const Term& t, const Value& value, const State& state, Place place, const Next& next) {
  const bool commutes = may_commute(t);
  if (!value.is(Tag::node)) return false;
  if (place.helper) {
    if (call(t, value.node(), false, state, place, next)) return true;
    return commutes && call(t, value.node(), true, state, place, next);
  }
  State counted = state;
  const bool exchanged = commutes && ((exchanged_ >> counted.commutative_seen++) & 1u) != 0;
  return call(t, value.node(), exchanged, std::move(counted), place, next);
}

bool NaiveMatcher::call(const Term& t, NodeId node, bool exchanged, State state, Place place, const Next& next) {
  const Callee& callee = ast_.callees[t.callee];
  std::vector<std::pair<std::string_view, std::string>> holes;
  if (!is_called(node, callee, &holes)) return false;
  state.match.nodes.push_back(node);
  const std::string op(callee.text.substr(callee.text.rfind('.') + 1));
  if (place.frame == 0 && callee.kind != CalleeKind::holes && callee.kind != CalleeKind::set &&
      callee.kind != CalleeKind::any)
    ++state.match.ops.try_emplace(op, NaiveMatch::Named{node, 0}).first->second.count;
  std::vector<std::pair<std::string_view, Value>> names;
  for (const auto& [name, text] : holes)
    names.emplace_back(name, Value::make(Tag::string, binding_.symbol(text).value, node.value));

  bool open = false;
  std::string_view rest_name = "..";
  std::vector<Role> roles;
  std::vector<std::pair<unsigned, std::string_view>> mentioned;  // as a rest spec has them
  std::vector<std::pair<TermId, Value>> operands;
  unsigned position = 0;
  for (std::uint32_t i = 0; i < t.count; ++i) {
    const Term* argument = &ast_[ast_.children[t.first + i]];
    if (argument->kind == TermKind::argument && ast_[ast_.children[argument->first]].kind == TermKind::rest)
      argument = &ast_[ast_.children[argument->first]];
    if (argument->kind == TermKind::rest) {
      open = true;
      if (!argument->text.empty()) rest_name = argument->text;
      continue;
    }
    Role role;
    if (argument->text.empty()) {
      const unsigned spot = exchanged && position < 2 ? 1 - position : position;
      role = role_at(node, spot);
      mentioned.emplace_back(spot, "");
      ++position;
    } else {
      role = role_of(node, argument->text);
      mentioned.emplace_back(program::kNone, argument->text);
    }
    if (!role.exists()) return false;
    roles.push_back(role);
    operands.emplace_back(ast_.children[argument->first], value_of(node, role));
  }
  if (exchanged && !operands_exchange(node, callee.commutative)) return false;
  if (!open && !others_at_default(node, roles, 0)) return false;
  const bool unnamed = rest_name == "..";
  if (open && (!unnamed || (place.frame == 0 && !state.match.bound.contains(".."))))
    names.emplace_back(rest_name, rest_of(node, mentioned));
  return bind_all(names, 0, std::move(state), place,
                  [&](State bound) { return terms(operands, 0, std::move(bound), place, next); });
}

// ---------------------------------------------------------------- ops

namespace {

// All ways to read `text` as the pieces, holes without dots, shortest first; the first one counts.
bool read_pieces(const std::vector<dsl::CalleePiece>& pieces, std::size_t piece, std::string_view text,
                 std::vector<std::string>& holes) {
  if (piece == pieces.size()) return text.empty();
  if (!pieces[piece].hole)
    return text.starts_with(pieces[piece].text) &&
           read_pieces(pieces, piece + 1, text.substr(pieces[piece].text.size()), holes);
  for (std::size_t n = 1; n <= text.size() && text[n - 1] != '.'; ++n) {
    holes.emplace_back(text.substr(0, n));
    if (read_pieces(pieces, piece + 1, text.substr(n), holes)) return true;
    holes.pop_back();
  }
  return false;
}

}  // namespace

bool NaiveMatcher::is_named(NodeId node, std::string_view spelled) const {
  const Opcode opcode = graph_.opcode(node);
  const std::string_view target = graph_.target(node);
  const Catalogue& catalogue = binding_.catalogue();
  if (opcode != Opcode::call_function && opcode != Opcode::call_method && opcode != Opcode::call_module) return false;
  if (spelled.starts_with('.')) return opcode == Opcode::call_method && target == spelled.substr(1);
  const auto called = catalogue.resolve(opcode, target);
  if (spelled.find('.') == std::string_view::npos) return called && called->op == catalogue.find_op(spelled);
  if (opcode != Opcode::call_function) return false;
  const std::string in_ops = "torch.ops." + std::string(spelled);
  for (const std::string& path : {std::string(spelled), in_ops}) {
    if (target == path) return true;
    const auto meant = catalogue.resolve(Opcode::call_function, path);
    if (meant && meant->style == SpellingStyle::aten_packet && called && called->op == meant->op &&
        called->style >= SpellingStyle::aten_packet)
      return true;
  }
  return false;
}

bool NaiveMatcher::in_set(NodeId node, std::string_view name) const {
  for (const dsl::SetDeclaration& set : ast_.sets) {
    if (set.name != name) continue;
    for (std::uint32_t i = 0; i < ast_[set.value].count; ++i) {
      const Term& member = ast_[ast_.children[ast_[set.value].first + i]];
      if (member.kind == TermKind::op && is_named(node, ast_.callees[member.callee].text)) return true;
    }
  }
  return false;
}

bool NaiveMatcher::is_called(NodeId node, const Callee& callee,
                             std::vector<std::pair<std::string_view, std::string>>* holes) const {
  const Opcode opcode = graph_.opcode(node);
  switch (callee.kind) {
    case CalleeKind::any:
      return opcode == Opcode::call_function || opcode == Opcode::call_method || opcode == Opcode::call_module;
    case CalleeKind::holes:
      return fills_holes(node, callee, holes);
    case CalleeKind::set:
      return std::any_of(callee.members.begin(), callee.members.end(),
                         [&](std::uint32_t m) { return is_named(node, ast_.callees[m].text); });
    case CalleeKind::implicit: {
      const bool is_set =
          std::any_of(ast_.sets.begin(), ast_.sets.end(), [&](const auto& s) { return s.name == callee.text; });
      return is_set ? in_set(node, callee.text) : is_named(node, callee.text);
    }
    default:
      return is_named(node, callee.text);
  }
}

bool NaiveMatcher::fills_holes(NodeId node, const Callee& callee,
                               std::vector<std::pair<std::string_view, std::string>>* out) const {
  const Catalogue& catalogue = binding_.catalogue();
  const std::string_view target = graph_.target(node);
  const Opcode opcode = graph_.opcode(node);
  const auto called = catalogue.resolve(opcode, target);
  const bool path = std::any_of(callee.pieces.begin(), callee.pieces.end(),
                                [](const auto& p) { return !p.hole && p.text.find('.') != std::string_view::npos; });
  const bool in_place = callee.pieces.size() == 2 && callee.pieces[0].hole && callee.pieces[1].text == "_";
  std::vector<std::string> texts;
  if (opcode != Opcode::call_function && opcode != Opcode::call_method && opcode != Opcode::call_module) return false;
  if (path) {
    const std::string_view under_ops = target.starts_with("torch.ops.") ? target.substr(10) : target;
    if (!read_pieces(callee.pieces, 0, under_ops, texts)) return false;
  } else if (called) {
    if (!read_pieces(callee.pieces, 0, catalogue.op_name(called->op), texts)) return false;
    if (in_place && (texts[0].ends_with('_') || !binding_.call_class(node).writes)) return false;
  } else if (in_place) {  // a method that nobody knows
    if (opcode != Opcode::call_method || target.starts_with("__") || target.ends_with("__")) return false;
    if (!read_pieces(callee.pieces, 0, target, texts)) return false;
  } else {
    return false;
  }
  std::size_t hole = 0;
  for (const dsl::CalleePiece& piece : callee.pieces) {
    if (!piece.hole) continue;
    if (!piece.set.empty() && !in_set(node, piece.set)) {
      const auto functional = called ? catalogue.functional_form(called->op) : std::nullopt;
      bool held = false;
      for (const dsl::SetDeclaration& set : ast_.sets) {
        for (std::uint32_t i = 0; set.name == piece.set && i < ast_[set.value].count; ++i) {
          const Term& member = ast_[ast_.children[ast_[set.value].first + i]];
          held |= functional && member.kind == TermKind::op &&
                  catalogue.find_op(ast_.callees[member.callee].text) == functional;
        }
      }
      if (!held) return false;
    }
    out->emplace_back(piece.text, texts[hole++]);
  }
  return true;
}

// ---------------------------------------------------------------- arguments

NaiveMatcher::Role NaiveMatcher::role_at(NodeId node, unsigned position) const {
  const CallClass& call = binding_.call_class(node);
  if (call.schema == nullptr) return {-1, position < graph_.form(node).positional ? static_cast<int>(position) : -1};
  if (!call.schema->rule_order.empty())
    return {position < call.schema->rule_order.size() ? call.schema->rule_order[position] : -1, -1};
  const auto& arguments = call.schema->arguments;
  if (position >= arguments.size() || arguments[position].keyword_only || arguments[position].variadic) return {};
  return {static_cast<int>(position), -1};
}

NaiveMatcher::Role NaiveMatcher::role_of(NodeId node, std::string_view keyword) const {
  const CallClass& call = binding_.call_class(node);
  if (call.schema != nullptr) return {call.schema->find(keyword), -1};
  const CallForm& form = graph_.form(node);
  for (std::size_t k = 0; k < form.keywords.size(); ++k) {
    if (graph_.text(form.keywords[k]) == keyword) return {-1, static_cast<int>(form.positional + k)};
  }
  return {};
}

Value NaiveMatcher::value_of(NodeId node, Role role) const {
  if (role.schema_argument >= 0)
    return binding_.argument(node,
                             binding_.call_class(node).by_argument[static_cast<std::size_t>(role.schema_argument)]);
  return binding_.from_slot(graph_[graph_.argument(node, static_cast<std::uint32_t>(role.literal_argument))],
                            TypeKind::any);
}

// Arguments from schema position `from` on that the pattern does not mention.
bool NaiveMatcher::others_at_default(NodeId node, const std::vector<Role>& mentioned, std::size_t from) const {
  const CallClass& call = binding_.call_class(node);
  if (call.schema == nullptr) {
    return static_cast<std::size_t>(std::count_if(mentioned.begin(), mentioned.end(),
                                                  [](Role r) { return r.exists(); })) == graph_.argument_count(node);
  }
  for (std::size_t a = from; a < call.by_argument.size(); ++a) {
    const Access& access = call.by_argument[a];
    const bool given = access.how == Access::How::slot || (access.how == Access::How::run && access.count > 0);
    const bool in_pattern = std::any_of(mentioned.begin(), mentioned.end(),
                                        [&](Role r) { return r.schema_argument == static_cast<int>(a); });
    if (!given || in_pattern) continue;
    if (!call.schema->arguments[a].has_default) return false;
    if (!equal(binding_.argument(node, access), binding_.default_of(call, a))) return false;
  }
  return true;
}

bool NaiveMatcher::operands_exchange(NodeId node, bool asked) const {
  const CallClass& call = binding_.call_class(node);
  if (call.schema == nullptr) return asked;
  if (!asked && !has(call.schema->tags, OpTag::commutative)) return false;
  return call.schema->arguments.size() >= 2 && others_at_default(node, {}, 2);
}

Value NaiveMatcher::rest_of(NodeId node, const std::vector<std::pair<unsigned, std::string_view>>& mentioned) const {
  const program::RuleSet& rules = binding_.rules();
  std::vector<program::Index> keys;
  for (const auto& [position, keyword] : mentioned) {
    const program::ArgumentKey key{position, std::string(keyword)};
    keys.push_back(
        static_cast<program::Index>(std::find(rules.keys.begin(), rules.keys.end(), key) - rules.keys.begin()));
  }
  std::sort(keys.begin(), keys.end());
  for (std::size_t spec = 0; spec < rules.rests.size(); ++spec) {
    if (rules.rests[spec].mentioned == keys) return Value::make(Tag::rest, node.value, static_cast<std::int64_t>(spec));
  }
  return {};  // nothing on the right takes it
}

// ---------------------------------------------------------------- values

Value NaiveMatcher::item(const Value& sequence, std::uint32_t i) const {
  return binding_.item(sequence, i, machine_.heap());
}

bool NaiveMatcher::equal(const Value& a, const Value& b) const {
  if (a.unusable() || b.unusable()) return false;
  const auto one_for_list = [&](const Value& list, const Value& one) {  // an int where a schema takes a list of ints
    return list.is_sequence() && list.role == TypeKind::integer && list.range.count == 1 &&
           (one.is(Tag::integer) || one.is(Tag::symbolic));
  };
  if (one_for_list(a, b)) return equal(item(a, 0), b);
  if (one_for_list(b, a)) return equal(a, item(b, 0));
  if (a.is_container() || b.is_container()) {
    if (!a.is_container() || !b.is_container() || a.range.count != b.range.count) return false;
    const bool in_a_role = a.role != TypeKind::any || b.role != TypeKind::any;
    if (a.tag != b.tag && !(a.is_sequence() && b.is_sequence() && in_a_role)) return false;
    for (std::uint32_t i = 0; i < a.range.count; ++i) {
      if (!equal(item(a, i), item(b, i))) return false;
    }
    return true;
  }
  const auto is_text = [](const Value& v) { return v.is(Tag::string) || v.is(Tag::device); };
  if (is_text(a) && is_text(b)) {
    const bool bare = a.spelled == rewrite::kAsBare || b.spelled == rewrite::kAsBare;
    return a.symbol() == b.symbol() && (bare || a.spelled == b.spelled);
  }
  if (a.tag != b.tag) return false;
  switch (a.tag) {
    case Tag::none:
    case Tag::ellipsis:
      return true;
    case Tag::boolean:
    case Tag::integer:
    case Tag::floating:
      return a.i == b.i;
    case Tag::dtype:
    case Tag::node:
      return a.a == b.a;
    case Tag::spelled:
      return a.a == b.a && a.i == b.i;
    case Tag::symbolic: {
      const auto size = [](const Value& v) { return Size::of(ExprId(static_cast<std::uint32_t>(v.i))); };
      return graph_.metas().expressions().equal(size(a), size(b)) == Truth::yes;
    }
    default:
      return false;
  }
}

bool NaiveMatcher::equals_literal(const Value& value, const program::Literal& literal) const {
  if (literal.unknown) return false;
  const auto text_is = [&] { return value.a != SymbolId::kNone && graph_.text(value.symbol()) == literal.text; };
  switch (literal.kind) {
    case ArgKind::none:
      return value.is(Tag::none);
    case ArgKind::ellipsis:
      return value.is(Tag::ellipsis);
    case ArgKind::boolean:
      return value.is(Tag::boolean) && value.i == literal.integer;
    case ArgKind::integer:
      if (value.is_sequence() && value.role == TypeKind::integer && value.range.count == 1)
        return equals_literal(item(value, 0), literal);
      return value.is(Tag::integer) && value.i == literal.integer;
    case ArgKind::floating:
      return value.is(Tag::floating) && value.i == Value::floating(literal.floating).i;
    case ArgKind::string:
      return (value.is(Tag::string) || (value.is(Tag::device) && value.spelled != rewrite::kAsObject)) && text_is();
    case ArgKind::device:
      return value.is(Tag::device) && value.spelled != rewrite::kAsString && text_is();
    case ArgKind::dtype:
      return value.is(Tag::dtype) && text_is();
    default:
      return value.is(Tag::spelled) && value.i == static_cast<std::int64_t>(literal.kind) && text_is();
  }
}

bool NaiveMatcher::is_of_kind(const Value& v, std::string_view kind) const {
  const bool node = v.is(Tag::node);
  const auto is_int = [&] {
    if (v.is(Tag::integer) || v.is(Tag::symbolic)) return true;
    if (!node) return false;
    const Truth known = rewrite::is_integer_node(binding_, v.node());
    return known == Truth::yes || (known == Truth::unknown && v.role == TypeKind::integer);
  };
  const auto is_tensor = [&] {
    if (!node) return false;
    const Truth known = rewrite::is_tensor(binding_, v.node());
    return known == Truth::yes || (known == Truth::unknown && v.role == TypeKind::tensor);
  };
  const auto element = [&](DtypeCategory category) {
    const TensorMeta* meta = node ? graph_.metas().tensor_of(graph_.meta(v.node())) : nullptr;
    return meta != nullptr && meta->dtype != Dtype::unknown && fxrules::category(meta->dtype) == category;
  };
  if (kind == "Tensor") return is_tensor();
  if (kind == "Tensor[bool]") return is_tensor() && element(DtypeCategory::boolean);
  if (kind == "Tensor[int]") return is_tensor() && element(DtypeCategory::integral);
  if (kind == "node") return node;
  if (kind == "int") return is_int();
  if (kind == "float") return v.is(Tag::floating);
  if (kind == "bool") return v.is(Tag::boolean);
  if (kind == "number") {
    const bool complex = v.is(Tag::spelled) && v.i == static_cast<std::int64_t>(ArgKind::complex);
    return is_int() || v.is(Tag::boolean) || v.is(Tag::floating) || complex;
  }
  if (kind == "str") return v.is(Tag::string) || (v.is(Tag::device) && v.spelled != rewrite::kAsObject);
  if (kind == "none") return v.is(Tag::none);
  if (kind == "ellipsis") return v.is(Tag::ellipsis);
  if (kind == "slice") return v.is(Tag::slice);
  if (kind == "tuple") return v.is(Tag::tuple);
  if (kind == "list") return v.is(Tag::list) || (v.is(Tag::tuple) && v.role != TypeKind::any);
  if (kind == "dict") return v.is(Tag::dict);
  if (kind == "dtype") return v.is(Tag::dtype);
  return kind == "device" && v.is(Tag::device);
}

}  // namespace fxrules::testing
