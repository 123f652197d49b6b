#include "dsl/lower_value.hpp"

#include <algorithm>

#include "dsl/literals.hpp"

namespace fxrules::dsl {

using program::Code;
using program::Eval;
using program::Index;
using program::kNone;

namespace {

std::optional<Eval> binary_operator(std::string_view text) {
  static const std::map<std::string_view, Eval> kOperators = {
      {"+", Eval::add},         {"-", Eval::subtract},          {"*", Eval::multiply},
      {"/", Eval::divide},      {"//", Eval::floor_divide},     {"%", Eval::modulo},
      {"==", Eval::equal},      {"!=", Eval::not_equal},        {"<", Eval::less},
      {"<=", Eval::less_equal}, {">", Eval::greater},           {">=", Eval::greater_equal},
      {"in", Eval::contains},   {"not in", Eval::not_contains}, {"and", Eval::both},
      {"or", Eval::either}};
  const auto found = kOperators.find(text);
  if (found == kOperators.end()) return std::nullopt;
  return found->second;
}

}  // namespace

void ValueLowering::emit(Eval eval, Index a, std::uint16_t b) {
  program::RuleSet& rules = definitions_->rules();
  rules.steps.push_back({eval, b, a});
  rules.step_spans.push_back(ast_->span(range_));
}

Code ValueLowering::begin() {
  const auto at = static_cast<Index>(definitions_->rules().steps.size());
  return {at, at};
}

void ValueLowering::finish(Code& code) {
  emit(Eval::end);
  code.end = static_cast<Index>(definitions_->rules().steps.size());
}

Code ValueLowering::value(TermId term) {
  Code code = begin();
  append(term);
  finish(code);
  return code;
}

void ValueLowering::append_store(Index variable) { emit(Eval::store, variable); }
void ValueLowering::append_fail() { emit(Eval::fail); }

void ValueLowering::constant(const program::Literal& literal) { emit(Eval::constant, definitions_->literal(literal)); }

void ValueLowering::append(TermId id) {
  const Term& t = (*ast_)[id];
  range_ = t.range;
  switch (t.kind) {
    case TermKind::name:
      name(t, id);
      return;
    case TermKind::list:
      items(t);
      emit(Eval::list, t.count);
      return;
    case TermKind::tuple:
      items(t);
      emit(Eval::tuple, t.count);
      return;
    case TermKind::slice:
      for (std::uint32_t i = 0; i < t.count; ++i) {
        if (ast_->children[t.first + i] == kNoTerm) {
          constant({});
        } else {
          append(ast_->children[t.first + i]);
        }
      }
      emit(Eval::slice, 3);
      return;
    case TermKind::rest:
      if (t.count == 1) {
        append(ast_->children[t.first]);
      } else {
        const Index variable = variables_->find(t.text.empty() ? ".." : t.text);
        if (variable == kNone) {
          emit(Eval::list, 0);
        } else {
          emit(Eval::load, variable);
        }
      }
      emit(Eval::splice);
      return;
    case TermKind::index:
      append(ast_->children[t.first]);
      append(ast_->children[t.first + 1]);
      emit(Eval::index);
      return;
    case TermKind::field:
      append(ast_->children[t.first]);
      emit(Eval::field, t.text == "start" ? 0 : t.text == "stop" ? 1 : 2);
      return;
    case TermKind::unary:
      if (const auto literal = literal_of(*ast_, id)) return constant(*literal);
      append(ast_->children[t.first]);
      range_ = t.range;
      emit(t.text == "not" ? Eval::logical_not : Eval::negate);
      return;
    case TermKind::binary:
      binary(t);
      return;
    case TermKind::call:
      call(t, id);
      return;
    case TermKind::text:
      text(t);
      return;
    case TermKind::set: {
      program::SetValue value;
      add_members(*ast_, t, value);
      definitions_->rules().sets.push_back(std::move(value));
      emit(Eval::set, static_cast<Index>(definitions_->rules().sets.size() - 1));
      return;
    }
    case TermKind::argument:
    case TermKind::bind:
      append(ast_->children[t.first]);
      return;
    default:
      if (const auto literal = literal_of(*ast_, id)) return constant(*literal);
      emit(Eval::constant, definitions_->literal([] {
        program::Literal unknown;
        unknown.unknown = true;
        return unknown;
      }()));
  }
}

void ValueLowering::binary(const Term& t) {
  const auto eval = binary_operator(t.text);
  append(ast_->children[t.first]);
  if (*eval == Eval::both || *eval == Eval::either) {  // the right operand is not needed once the left decides
    const std::size_t skip = definitions_->rules().steps.size();
    emit(*eval == Eval::both ? Eval::skip_if_false : Eval::skip_if_true);
    append(ast_->children[t.first + 1]);
    range_ = t.range;
    emit(*eval);
    definitions_->rules().steps[skip].a = static_cast<Index>(definitions_->rules().steps.size());
    return;
  }
  append(ast_->children[t.first + 1]);
  range_ = t.range;
  emit(*eval);
}

void ValueLowering::name(const Term& t, TermId id) {
  if (const Index variable = variables_->find(t.text); variable != kNone) return emit(Eval::load, variable);
  const Ast* tree = nullptr;
  if (const Param* param = definitions_->find_param(*ast_, t.text, &tree); param != nullptr && param->type != "set") {
    const auto given = definitions_->scope().params.find(t.text);
    if (given != definitions_->scope().params.end()) {
      if (const auto literal = literal_of_option(param->type, given->second)) return constant(*literal);
    } else if (const auto literal = literal_of(*tree, param->value)) {
      return constant(*literal);
    }
  }
  if (const auto set = definitions_->find_set(*ast_, t.text); set.tree != nullptr) {
    program::SetValue value;
    value.ops.push_back(definitions_->set_pattern(set, false));
    const auto given =
        set.param != nullptr ? definitions_->scope().params.find(t.text) : definitions_->scope().params.end();
    if (given != definitions_->scope().params.end()) {
      for (const std::string& member : split_set_text(given->second)) {
        program::Literal l;
        l.kind = ArgKind::string;
        l.text = member;
        value.literals.push_back(definitions_->literal(l));
      }
    } else {
      add_members(*set.tree, (*set.tree)[set.set != nullptr ? set.set->value : set.param->value], value);
    }
    definitions_->rules().sets.push_back(std::move(value));
    return emit(Eval::set, static_cast<Index>(definitions_->rules().sets.size() - 1));
  }
  if (const auto literal = literal_of(*ast_, id)) return constant(*literal);
  program::Literal unknown;
  unknown.unknown = true;
  constant(unknown);
}

// Members as literals: strings and numbers as they are, ops by their spelling, so that `op(root) in S` holds.
void ValueLowering::add_members(const Ast& tree, const Term& set, program::SetValue& value) {
  for (std::uint32_t i = 0; i < set.count; ++i) {
    const TermId member = tree.children[set.first + i];
    program::Literal l;
    l.kind = ArgKind::string;
    l.text = tree[member].text;
    if (const auto literal = tree[member].kind == TermKind::op ? std::nullopt : literal_of(tree, member)) l = *literal;
    value.literals.push_back(definitions_->literal(l));
  }
}

void ValueLowering::items(const Term& t) {
  for (std::uint32_t i = 0; i < t.count; ++i) append(ast_->children[t.first + i]);
}

void ValueLowering::arguments(const Term& t, std::vector<program::TemplateArgument>* out) {
  for (std::uint32_t i = 0; i < t.count; ++i) {
    const TermId id = ast_->children[t.first + i];
    const Term& a = (*ast_)[id];
    const bool splice = a.kind == TermKind::rest ||
                        (a.kind == TermKind::argument && (*ast_)[ast_->children[a.first]].kind == TermKind::rest);
    append(id);
    if (out != nullptr) out->push_back({a.kind == TermKind::argument ? std::string(a.text) : std::string(), splice});
  }
}

void ValueLowering::call(const Term& t, TermId id) {
  const Callee& callee = ast_->callees[t.callee];
  if (callee.kind == CalleeKind::dotted && callee.text == "torch.device") {
    if (const auto literal = literal_of(*ast_, id)) return constant(*literal);
  }
  if (callee.kind == CalleeKind::implicit) {
    if (const Definitions::Helper* helper = definitions_->find_def(*ast_, callee.text)) {
      const Index def = defs_->find_or_add(*helper);
      arguments(t, nullptr);
      range_ = t.range;
      return emit(Eval::call, def, static_cast<std::uint16_t>(t.count));
    }
    if (const program::Index variable = variables_->find(callee.text); variable == kNone) {
      program::RuleSet& rules = definitions_->rules();
      if (const Function* function = rules.functions == nullptr ? nullptr : rules.functions->find(callee.text)) {
        arguments(t, nullptr);
        range_ = t.range;
        rules.called.push_back(function);
        return emit(Eval::function, static_cast<Index>(rules.called.size() - 1), static_cast<std::uint16_t>(t.count));
      }
      if (const BuiltinInfo* builtin = find_builtin(callee.text)) {
        if (builtin->id == Builtin::defined && t.count == 1) {
          const Term* argument = &(*ast_)[ast_->children[t.first]];
          if (argument->kind == TermKind::argument) argument = &(*ast_)[ast_->children[argument->first]];
          program::Template named = template_of(*argument);
          definitions_->rules().templates.push_back(std::move(named));
          emit(Eval::op_name, static_cast<Index>(definitions_->rules().templates.size() - 1));
        } else {
          arguments(t, nullptr);
        }
        range_ = t.range;
        return emit(Eval::builtin, static_cast<Index>(builtin->id), static_cast<std::uint16_t>(t.count));
      }
    }
  }
  build(t);
}

program::Template ValueLowering::template_of(const Term& t) {
  program::Template out;
  const bool is_call = t.kind == TermKind::call || t.kind == TermKind::op;
  out.span = ast_->span(t.range);
  if (!is_call) {  // defined(add)
    out.text = t.text;
    if (const auto op = definitions_->catalogue().find_op(t.text)) out.op = *op;
    return out;
  }
  const Callee& callee = ast_->callees[t.callee];
  out.text = callee.text;
  switch (callee.kind) {
    case CalleeKind::implicit:
      if (const auto op = definitions_->catalogue().find_op(callee.text)) out.op = *op;
      break;
    case CalleeKind::method:
      out.kind = program::Template::Kind::exact;
      out.opcode = Opcode::call_method;
      out.target = callee.text.substr(1);
      break;
    case CalleeKind::holes:
      out.kind = program::Template::Kind::holes;
      for (const CalleePiece& p : callee.pieces) {
        out.pieces.push_back({std::string(p.text), p.hole, kNone});
        out.hole_variables.push_back(p.hole ? variables_->find(p.text) : kNone);
      }
      break;
    default:
      out.kind = program::Template::Kind::exact;
      out.target = full_target(definitions_->catalogue(), callee.text);
  }
  return out;
}

void ValueLowering::build(const Term& t) {
  program::Template made = template_of(t);
  arguments(t, &made.arguments);
  range_ = t.range;
  definitions_->rules().templates.push_back(std::move(made));
  emit(Eval::build, static_cast<Index>(definitions_->rules().templates.size() - 1),
       static_cast<std::uint16_t>(t.count));
}

void ValueLowering::text(const Term& t) {
  for (std::uint32_t i = 0; i < t.count; ++i) {
    const Term& piece = (*ast_)[ast_->children[t.first + i]];
    if (piece.kind == TermKind::string) {
      program::Literal l;
      l.kind = ArgKind::string;
      l.text = piece_value(piece.text);
      constant(l);
    } else {
      append(ast_->children[t.first + i]);
    }
  }
  range_ = t.range;
  emit(Eval::text, t.count);
}

// ---------------------------------------------------------------- helpers

Index DefTable::find_or_add(const Definitions::Helper& helper) {
  auto& defs = definitions_->rules().defs;
  const auto [found, fresh] = by_helper_.try_emplace(&helper, static_cast<Index>(defs.size()));
  if (!fresh) return found->second;
  defs.emplace_back();
  defs.back().name = helper.equations.front()->name;
  pending_.emplace_back(found->second, &helper);
  return found->second;
}

void DefTable::compile_pending() {
  while (!pending_.empty()) {
    const auto [def, helper] = pending_.back();
    pending_.pop_back();
    compile(def, *helper);
  }
}

void DefTable::compile(Index id, const Definitions::Helper& helper) {
  program::RuleSet& rules = definitions_->rules();
  const Ast& tree = *helper.tree;
  const std::vector<const Equation*>& equations = helper.equations;
  std::uint16_t arity = 0;
  for (const Equation* e : equations) arity = std::max(arity, static_cast<std::uint16_t>(e->parameters.size()));
  program::Def def;
  def.name = rules.defs[id].name;
  def.arity = arity;
  DecisionTree decisions(rules);
  Places places(std::max<std::uint16_t>(arity, 1));
  for (const Equation* equation_tree : equations) {
    const Equation& e = *equation_tree;
    if (e.parameters.size() != arity) continue;
    Variables variables(false);
    PatternLowering lowering(*definitions_, tree, places, variables);
    LoweredPattern pattern;
    for (std::uint16_t i = 0; i < arity; ++i) lowering.lower_into(pattern, e.parameters[i], i);
    compile({&tree, e.guard, e.body, e.is_error, e.range}, pattern, variables, def, decisions);
  }
  decisions.flatten(def.match);
  def.match.registers = places.count();
  rules.defs[id] = std::move(def);
}

// One equation behind its head.
void DefTable::compile(const Head& head, const LoweredPattern& pattern, Variables& variables, program::Def& def,
                       DecisionTree& decisions) {
  ValueLowering values(*definitions_, *this, *head.tree, variables);
  program::Def::Equation equation;
  equation.span = head.tree->span(head.range);
  if (head.guard != kNoTerm) equation.guard = values.value(head.guard);
  equation.body = values.begin();
  values.append(head.body);
  if (head.is_error) values.append_fail();
  values.finish(equation.body);
  equation.variables = static_cast<std::uint16_t>(variables.names().size());
  equation.scalars = variables.scalars();
  program::Accept accept;
  accept.rule = static_cast<Index>(def.equations.size());
  accept.registers.assign(equation.variables, 0xFFFF);
  for (const auto& [variable, place] : pattern.bound) accept.registers[variable] = place;
  accept.nodes = pattern.nodes;
  def.equations.push_back(std::move(equation));
  def.match.accepts.push_back(std::move(accept));
  decisions.insert(pattern.tests, static_cast<Index>(def.match.accepts.size() - 1));
}

Index DefTable::add_metas() {
  program::RuleSet& rules = definitions_->rules();
  program::Def def;
  def.name = "meta";
  def.arity = 1;
  DecisionTree decisions(rules);
  Places places(1);
  for (const Ast* tree : definitions_->scope().trees) {
    for (const MetaEquation& e : tree->metas) {
      Variables variables(false);
      LoweredPattern pattern;
      PatternLowering(*definitions_, *tree, places, variables).lower_into(pattern, e.head, 0);
      compile({tree, e.guard, e.body, e.is_error, e.range}, pattern, variables, def, decisions);
    }
  }
  decisions.flatten(def.match);
  def.match.registers = places.count();
  rules.defs.push_back(std::move(def));
  return static_cast<Index>(rules.defs.size() - 1);
}

// Each alternative is an equation of its own: they are tried in order and taken when their guard is known true.
Index DefTable::add_inverses() {
  program::RuleSet& rules = definitions_->rules();
  program::Def def;
  def.name = "inverse";
  def.arity = 2;  // the view, the value written through it
  DecisionTree decisions(rules);
  Places places(2);
  for (const Ast* tree : definitions_->scope().trees) {
    for (const Inverse& e : tree->inverses) {
      for (const Alternative& a : e.alternatives) {
        Variables variables(true);
        LoweredPattern pattern;
        pattern.bound[0] = 0;  // root
        PatternLowering(*definitions_, *tree, places, variables).lower_into(pattern, e.head, 0);
        pattern.bound[variables.add(e.value)] = 1;
        compile({tree, a.guard, a.result.term, a.result.kind == ResultKind::error, a.range}, pattern, variables, def,
                decisions);
      }
    }
  }
  decisions.flatten(def.match);
  def.match.registers = places.count();
  rules.defs.push_back(std::move(def));
  return static_cast<Index>(rules.defs.size() - 1);
}

}  // namespace fxrules::dsl
