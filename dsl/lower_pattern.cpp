#include "dsl/lower_pattern.hpp"

#include <algorithm>
#include <utility>

#include "dsl/literals.hpp"

namespace fxrules::dsl {

using program::Index;
using program::Instruction;
using program::kNone;

std::uint16_t Places::at(std::uint16_t from, program::Test how, Index what, Index more) {
  const auto [found, fresh] = places_.try_emplace({from, how, what, more}, next_);
  if (fresh) ++next_;
  return found->second;
}

Index Variables::find(std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  return found == names_.end() ? kNone : static_cast<Index>(found - names_.begin());
}

Index Variables::add(std::string_view name) {
  const Index found = find(name);
  return found != kNone ? found : fresh(std::string(name));
}

Index Variables::fresh(std::string name) {
  names_.push_back(std::move(name));
  return static_cast<Index>(names_.size() - 1);
}

void Variables::is_scalar(Index variable) {
  if (std::find(scalars_.begin(), scalars_.end(), variable) == scalars_.end()) scalars_.push_back(variable);
}

void Variables::mention_op(std::string_view op, std::uint16_t node) {
  if (all_named_) return;
  for (Op& o : ops_) {
    if (o.name != op) continue;
    if (o.node != node) ++o.count;
    return;
  }
  ops_.push_back({std::string(op), node, 1});
}

namespace {

bool is_scalar_kind(std::string_view annotation) {
  const auto kind = annotation.empty() ? std::nullopt : program::parse_kind(annotation);
  return kind && (kind->name == program::KindName::integer || kind->name == program::KindName::number ||
                  kind->name == program::KindName::node);
}

}  // namespace

LoweredPattern PatternLowering::lower(TermId pattern, std::uint16_t at, unsigned swaps, bool bind_rest) {
  LoweredPattern result;
  out_ = &result;
  code_ = &result.tests;
  swaps_ = swaps;
  seen_commutative_ = 0;
  bind_rest_ = bind_rest;
  root_ops(pattern, at);
  term(pattern, at, 1);
  out_ = nullptr;
  return result;
}

LoweredPattern PatternLowering::lower_equation(TermId body, const PatternHead& head, std::vector<Instruction>& block) {
  LoweredPattern result;
  out_ = &result;
  code_ = &block;
  in_block_ = true;
  head_ = &head;
  term(body, 0, 1);
  out_ = nullptr;
  return result;
}

void PatternLowering::lower_into(LoweredPattern& out, TermId pattern, std::uint16_t at) {
  out_ = &out;
  code_ = &out.tests;
  swaps_ = 0;
  bind_rest_ = true;
  term(pattern, at, 1);
  out_ = nullptr;
}

void PatternLowering::emit(program::Test test, std::uint16_t a, Index b, Index c) {
  Instruction i;
  i.test = test;
  i.a = a;
  i.b = b;
  i.c = c;
  code_->push_back(i);
}

void PatternLowering::bind(std::string_view name, std::uint16_t at) {
  const Index variable = variables_->add(name);
  if (head_ != nullptr) {
    if (const auto parameter = head_->parameters.find(name); parameter != head_->parameters.end()) {
      std::uint16_t place = 0;
      if (!parameter->second.handed_on) out_->bound[variable] = place = places_->of_variable(variable);
      return emit(program::Test::parameter, at, parameter->second.index, place);
    }
  }
  const auto bound = out_->bound.find(variable);
  if (bound != out_->bound.end()) {
    if (in_block_ && out_->searched.contains(bound->second)) {
      const bool here = std::find(bound_here_.begin(), bound_here_.end(), bound->second) != bound_here_.end();
      closed_ = closed_ && (here || head_ != nullptr);
      return emit(program::Test::bind, at, bound->second);
    }
    if (in_block_ && head_ == nullptr) closed_ = false;
    if (bound->second != at) emit(program::Test::same, at, bound->second);
    return;
  }
  if (outer_ != nullptr && outer_->contains(variable)) {  // bound by an earlier root: preloaded here
    const std::uint16_t place = places_->at(0xFFFF, program::Test::same, variable);
    if (std::find(out_->preload.begin(), out_->preload.end(), std::pair(place, variable)) == out_->preload.end())
      out_->preload.emplace_back(place, variable);
    if (in_block_) closed_ = false;
    emit(program::Test::same, at, place);
    return;
  }
  if (in_block_) return bind_in_block(variable, at);
  out_->bound[variable] = at;
}

// In which order the blocks of a search run is not known: the first to come binds.
void PatternLowering::bind_in_block(Index variable, std::uint16_t at) {
  const std::uint16_t place = places_->of_variable(variable);
  out_->bound[variable] = place;
  out_->searched.insert(place);
  bound_here_.push_back(place);
  emit(program::Test::bind, at, place);
}

void PatternLowering::check_kind(const Term& term, std::uint16_t at) {
  if (term.annotation.empty()) return;
  const auto kind = program::parse_kind(term.annotation);
  if (kind) emit(program::Test::kind, at, static_cast<Index>(kind->name), static_cast<Index>(kind->element));
}

void PatternLowering::term(TermId id, std::uint16_t at, std::uint16_t depth) {
  const Term& t = (*ast_)[id];
  out_->depth = std::max(out_->depth, depth);
  if (t.kind == TermKind::name) {
    const bool variable = variables_->find(t.text) != kNone;
    const auto constant = variable ? std::nullopt : literal_of(*ast_, id);
    if (constant) {
      emit(program::Test::literal, at, definitions_->literal(*constant));
    } else {
      check_kind(t, at);
      bind(t.text, at);
      if (is_scalar_kind(t.annotation)) variables_->is_scalar(variables_->find(t.text));
    }
    return;
  }
  if (const auto literal = literal_of(*ast_, id)) {
    emit(program::Test::literal, at, definitions_->literal(*literal));
    return;
  }
  switch (t.kind) {
    case TermKind::wildcard:
      check_kind(t, at);
      return;
    case TermKind::bind:
      term(ast_->children[t.first], at, depth);
      bind(t.text, at);
      return;
    case TermKind::list:
    case TermKind::tuple:
      sequence(t, at, depth);
      return;
    case TermKind::slice:
      emit(program::Test::kind, at, static_cast<Index>(program::KindName::slice));
      for (Index part = 0; part < t.count; ++part) {
        const TermId child = ast_->children[t.first + part];
        const std::uint16_t place = places_->at(at, program::Test::part, part);
        emit(program::Test::part, place, part, at);
        if (child != kNoTerm) {
          term(child, place, depth);
        } else {
          emit(program::Test::literal, place, definitions_->literal(program::Literal{}));
        }
      }
      return;
    case TermKind::call:
      call(t, at, depth);
      return;
    case TermKind::index: {  // s[0] is getitem(s, 0)
      emit(program::Test::op, at, definitions_->op_pattern("getitem"), 0);
      matched(at);
      for (Index i = 0; i < 2; ++i) {
        const Index key = definitions_->key(i, "");
        const std::uint16_t place = places_->at(at, program::Test::argument, key);
        emit(program::Test::argument, place, key, at);
        term(ast_->children[t.first + i], place, depth + 1);
      }
      return;
    }
    default:
      return;  // the load checks have refused everything else
  }
}

void PatternLowering::sequence(const Term& t, std::uint16_t at, std::uint16_t depth) {
  const auto shape =
      static_cast<Index>(t.kind == TermKind::tuple ? program::ListShape::tuple : program::ListShape::any);
  std::size_t rest = t.count;
  for (std::size_t i = 0; i < t.count; ++i) {
    if ((*ast_)[ast_->children[t.first + i]].kind == TermKind::rest) rest = i;
  }
  const bool open = rest < t.count;
  emit(open ? program::Test::list_min : program::Test::list, at, open ? t.count - 1 : t.count, shape);
  for (std::size_t i = 0; i < t.count; ++i) {
    const TermId child = ast_->children[t.first + i];
    if (i == rest) {
      const Term& r = (*ast_)[child];
      if (r.text.empty() || r.text == "..") continue;
      const auto cut = static_cast<Index>((i << 16) | (t.count - 1 - i));
      const std::uint16_t place = places_->at(at, program::Test::span, cut);
      emit(program::Test::span, place, cut, at);
      bind(r.text, place);
      continue;
    }
    const bool back = i > rest;
    const auto index = static_cast<Index>(back ? t.count - 1 - i : i);
    const std::uint16_t place = places_->at(at, back ? program::Test::item_back : program::Test::item, index);
    emit(back ? program::Test::item_back : program::Test::item, place, index, at);
    term(child, place, depth);
  }
}

bool PatternLowering::is_commutative_call(const Term& t) const {
  if (t.kind != TermKind::call || t.count < 2) return false;
  const Callee& callee = ast_->callees[t.callee];
  const Term& x = (*ast_)[ast_->children[t.first]];
  const Term& y = (*ast_)[ast_->children[t.first + 1]];
  if (x.kind != TermKind::argument || y.kind != TermKind::argument || !x.text.empty() || !y.text.empty()) return false;
  if (callee.commutative) return true;
  const auto commutes = [&](OpId op) {
    const auto& overloads = definitions_->catalogue().overloads(op);
    return std::any_of(overloads.begin(), overloads.end(), [&](OverloadId o) {
      return has(definitions_->catalogue().overload(o).tags, OpTag::commutative);
    });
  };
  const Index pattern = definitions_->op_pattern(*ast_, t.callee);
  if (pattern == kNone) return false;
  const auto& ops = definitions_->rules().op_patterns;
  if (ops[pattern].kind == program::OpPatternKind::set) {
    return std::any_of(ops[pattern].members.begin(), ops[pattern].members.end(),
                       [&](Index m) { return ops[m].op.valid() && commutes(ops[m].op); });
  }
  return ops[pattern].op.valid() && commutes(ops[pattern].op);
}

unsigned PatternLowering::commutative_calls(TermId pattern) const {
  unsigned count = 0;
  std::vector<TermId> todo{pattern};
  while (!todo.empty()) {
    const Term& t = (*ast_)[todo.back()];
    todo.pop_back();
    if (helper_of(t) != nullptr) continue;
    if (is_commutative_call(t)) ++count;
    for (std::uint32_t i = 0; i < t.count; ++i) {
      if (ast_->children[t.first + i] != kNoTerm) todo.push_back(ast_->children[t.first + i]);
    }
  }
  return count;
}

// ---------------------------------------------------------------- helper patterns

const Definitions::Helper* PatternLowering::helper_of(const Term& t) const {
  if (t.kind != TermKind::call || ast_->callees[t.callee].kind != CalleeKind::implicit) return nullptr;
  return definitions_->find_pattern(*ast_, ast_->callees[t.callee].text);
}

// A pattern that is a call of a helper pattern says what it roots all the same, so that few nodes are tried.
void PatternLowering::root_ops(TermId pattern, std::uint16_t at) {
  while ((*ast_)[pattern].kind == TermKind::bind) pattern = ast_->children[(*ast_)[pattern].first];
  if (helper_of((*ast_)[pattern]) == nullptr) return;
  const std::string_view name = ast_->callees[(*ast_)[pattern].callee].text;
  emit(program::Test::op, at, definitions_->op_set(definitions_->roots(*ast_, pattern), std::string(name)));
}

void PatternLowering::helper(const Term& t, const Definitions::Helper& helper, std::uint16_t at, std::uint16_t depth) {
  const PatternShape& shape = definitions_->shape(helper);
  out_->chain.insert(shape.chain.begin(), shape.chain.end());
  depth = static_cast<std::uint16_t>(depth + shape.depth);
  const bool outermost = !in_block_;
  if (outermost) {
    bound_here_.clear();
    closed_ = true;
  }
  const Index ordinal = helper_calls_++;
  program::PatternCall call;
  call.pattern = definitions_->pattern(helper);
  call.span = ast_->span(t.range);
  call.text = ast_->source->text.substr(t.range.begin, t.range.end - t.range.begin);
  for (std::uint32_t i = 0; i < t.count; ++i) {
    const std::uint16_t place = places_->at(at, program::Test::helper, ordinal, i);
    call.arguments.push_back(helper_argument(ast_->children[(*ast_)[ast_->children[t.first + i]].first], place, depth));
  }
  if (outermost) {
    call.binds = bound_here_;
    call.closed = closed_;
  }
  std::vector<program::PatternCall>& calls = definitions_->rules().pattern_calls;
  const auto id = static_cast<Index>(calls.size());
  calls.push_back(std::move(call));
  emit(program::Test::helper, at, id);
  if (outermost) emit(program::Test::next, at, id);
}

program::PatternArgument PatternLowering::helper_argument(TermId value, std::uint16_t place, std::uint16_t depth) {
  program::PatternArgument out;
  if (head_ != nullptr && (*ast_)[value].kind == TermKind::name && (*ast_)[value].annotation.empty()) {
    const auto parameter = head_->parameters.find((*ast_)[value].text);
    if (parameter != head_->parameters.end() && parameter->second.handed_on) {
      out.parameter = parameter->second.index;
      return out;
    }
  }
  std::vector<Instruction> block;
  std::vector<Instruction>* const outer = std::exchange(code_, &block);
  const bool was_in_block = std::exchange(in_block_, true);
  term(value, place, depth);
  emit(program::Test::done, 0);
  code_ = outer;
  in_block_ = was_in_block;
  out.place = place;
  out.block = definitions_->add_block(block);
  return out;
}

void PatternLowering::matched(std::uint16_t at) {
  out_->calls.push_back(at);
  if (!in_block_) out_->nodes.push_back(at);
}

// The two operands, in the order in which they stand and then in the other.
void PatternLowering::exchange(std::uint16_t at, Index first, Index second, bool asked) {
  const std::uint16_t places[] = {places_->at(at, program::Test::argument, first),
                                  places_->at(at, program::Test::argument, second)};
  emit(program::Test::argument, places[0], first, at);
  emit(program::Test::argument, places[1], second, at);
  emit(program::Test::exchange, at, places[0], places[1]);
  code_->back().fail = asked ? 1 : 0;
}

void PatternLowering::call(const Term& t, std::uint16_t at, std::uint16_t depth) {
  if (const Definitions::Helper* found = helper_of(t)) return helper(t, *found, at, depth);
  program::RuleSet& rules = definitions_->rules();
  const Callee& callee = ast_->callees[t.callee];
  const Index pattern = definitions_->op_pattern(*ast_, t.callee);
  if (pattern == kNone) {  // an op that no catalogue knows: reported by the load checks, never matches
    emit(program::Test::fail, 0);
    return;
  }
  const bool commutes = is_commutative_call(t);
  const bool swapped = commutes && !in_block_ && ((swaps_ >> seen_commutative_++) & 1u) != 0;
  const std::size_t holes = program::hole_count(rules.op_patterns[pattern]);
  std::uint16_t first_hole = 0;
  for (std::size_t h = 0; h < holes; ++h) {
    const std::uint16_t place = places_->at(at, program::Test::op, pattern, static_cast<Index>(h));
    if (h == 0) first_hole = place;
  }
  emit(program::Test::op, at, pattern, first_hole);
  matched(at);
  std::size_t h = 0;
  for (const CalleePiece& piece : callee.pieces) {
    if (piece.hole) bind(piece.text, static_cast<std::uint16_t>(first_hole + h++));
  }
  if (callee.kind == CalleeKind::implicit && definitions_->find_set(*ast_, callee.text).tree == nullptr)
    variables_->mention_op(callee.text, at);
  if (callee.kind == CalleeKind::dotted || callee.kind == CalleeKind::method) {
    const std::size_t dot = callee.text.rfind('.');
    variables_->mention_op(callee.text.substr(dot + 1), at);
  }

  program::RestSpec spec;
  bool open = false;
  std::string_view rest_name;
  std::uint32_t position = 0;
  struct Argument {
    TermId value;
    Index key;
  };
  std::vector<Argument> arguments;  // those by position as they stand
  for (std::uint32_t i = 0; i < t.count; ++i) {
    const Term& a = (*ast_)[ast_->children[t.first + i]];
    if (a.kind == TermKind::rest) {
      open = true;
      rest_name = a.text == ".." ? std::string_view() : a.text;
      continue;
    }
    const TermId value = ast_->children[a.first];
    if ((*ast_)[value].kind == TermKind::rest) {
      open = true;
      const Term& r = (*ast_)[value];
      rest_name = r.text == ".." ? std::string_view() : r.text;
      continue;
    }
    Index key = kNone;
    if (a.text.empty()) {
      const std::uint32_t p = position++;
      key = definitions_->key(swapped && p < 2 ? 1 - p : p, "");
    } else {
      key = definitions_->key(kNone, a.text);
    }
    spec.mentioned.push_back(key);
    arguments.push_back({value, key});
  }
  std::sort(spec.mentioned.begin(), spec.mentioned.end());
  if (!open) {
    emit(program::Test::rest, at, definitions_->rest(spec));
  } else if (bind_rest_ || !rest_name.empty()) {
    const Index rest = definitions_->rest(spec);
    const std::string_view name = rest_name.empty() ? std::string_view("..") : rest_name;
    const bool taken =
        rest_name.empty() && variables_->find("..") != kNone && out_->bound.contains(variables_->find(".."));
    if (!taken) {
      const std::uint16_t place = places_->at(at, program::Test::bind_rest, rest);
      emit(program::Test::bind_rest, place, rest, at);
      bind(name, place);
    }
  }
  if (swapped) emit(program::Test::commutes, at, callee.commutative ? 1 : 0);
  const bool both_orders = commutes && in_block_;
  if (both_orders) exchange(at, arguments[0].key, arguments[1].key, callee.commutative);
  // Fetch and test the leaves first, then descend: cheap tests stand before deep ones.
  std::vector<std::pair<TermId, std::uint16_t>> deep;
  std::size_t fetched = both_orders ? 2 : 0;
  for (const Argument& a : arguments) {
    const std::uint16_t place = places_->at(at, program::Test::argument, a.key);
    if (fetched > 0) {
      --fetched;
    } else {
      emit(program::Test::argument, place, a.key, at);
    }
    const TermKind kind = (*ast_)[a.value].kind;
    const bool leaf = kind != TermKind::call && kind != TermKind::bind && kind != TermKind::list &&
                      kind != TermKind::tuple && kind != TermKind::index &&
                      !(head_ != nullptr && head_->parameters.contains((*ast_)[a.value].text));
    if (leaf) {
      term(a.value, place, depth);
    } else {
      deep.emplace_back(a.value, place);
    }
  }
  for (const auto& [value, place] : deep) term(value, place, static_cast<std::uint16_t>(depth + 1));
}

}  // namespace fxrules::dsl
