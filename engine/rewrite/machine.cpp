#include "engine/rewrite/machine.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace fxrules::rewrite {

using program::Eval;
using program::Index;
using program::kNone;
using program::Step;

namespace {
// A shape function may ask about a call that it builds, whose own shape function does the same.
constexpr unsigned kMostInferring = 32;
}  // namespace

Machine::Machine(Binding& binding, std::function<Storage&()> storage)
    : binding_(&binding), storage_(std::move(storage)) {}

void Machine::reset() {
  heap_.resize(held_.heap);
  fresh_.resize(held_.fresh);
  fresh_arguments_.resize(held_.arguments);
  stack_.clear();
  dependencies_.clear();
}

void Machine::begin_matching(NodeId root, const program::OpFacts& facts) {
  held_ = {};
  reset();
  set_root(root);
  use(facts);
}

Value Machine::evaluate(program::Code code, std::vector<Value>& variables) {
  const std::size_t frames = frames_.size(), stack = stack_.size();
  if (frames == 0) {
    fuel_ = kFuel;
    too_many_ = false;
  }
  std::vector<Value>* const outer = std::exchange(variables_, &variables);
  Frame frame;
  frame.pc = code.begin;
  frame.arguments = static_cast<std::uint32_t>(frame_arguments_.size());
  frame.variables = static_cast<std::uint32_t>(frame_variables_.size());
  frames_.push_back(frame);
  ++matching_;
  ++inferring_;
  const Value v = proceed(frames);
  --inferring_;
  --matching_;
  if (frames != 0) matcher().stray();  // what was looked at was not watched
  frames_.resize(frames);
  stack_.resize(stack);
  frame_arguments_.resize(frame.arguments);
  frame_variables_.resize(frame.variables);
  variables_ = outer;
  if (frames == 0) {
    settle();
    held_ = {heap_.size(), fresh_.size(), fresh_arguments_.size()};
  }
  return v;
}

Matcher& Machine::matcher() {
  while (matchers_.size() <= matching_) {
    matchers_.push_back(std::make_unique<Matcher>(*binding_, heap_));
    matchers_.back()->use(*this);
  }
  return *matchers_[matching_];
}

Value Machine::run(program::Code code, std::vector<Value>& variables) {
  variables_ = &variables;
  frames_.clear();
  frame_variables_.clear();
  frame_arguments_.clear();
  stack_.clear();
  fuel_ = kFuel;
  too_many_ = false;
  Frame top;
  top.pc = code.begin;
  frames_.push_back(top);
  const Value v = proceed(0);
  frames_.clear();
  settle();
  return v;
}

std::optional<std::vector<Value>> Machine::run_to(program::Code code, Index stop, std::vector<Value>& variables) {
  variables_ = &variables;
  frames_.assign(1, Frame{});
  frames_[0].pc = code.begin;
  frame_variables_.clear();
  frame_arguments_.clear();
  stack_.clear();
  fuel_ = kFuel;
  too_many_ = false;
  while (frames_.size() > 1 || frames_[0].pc < stop) {
    if (--fuel_ < 0 || held() > kMostValues) break;
    const Step& s = binding_->rules().steps[frames_.back().pc++];
    if (s.eval != Eval::end) {
      step(s);
    } else if (frames_.back().def != kNone) {
      finish_frame();
    } else {
      break;
    }
  }
  const bool there = frames_.size() == 1 && frames_[0].pc == stop;
  frames_.clear();
  settle();
  if (!there) return std::nullopt;
  return stack_;
}

// Runs until `frames` frames are left, or until the code of a match ends.
Value Machine::proceed(std::size_t frames) {
  while (frames_.size() > frames) {
    if (--fuel_ < 0 || heap_.size() + fresh_arguments_.size() > kMostValues) return give_up();
    if ((fuel_ & 0x3FF) == 0 && held() > kMostValues) return give_up();  // a step adds few of the others
    const Step& s = binding_->rules().steps[frames_.back().pc++];
    if (s.eval != Eval::end) {
      step(s);
      continue;
    }
    if (frames_.back().def == kNone) break;
    finish_frame();
  }
  return stack_.empty() ? Value() : stack_.back();
}

// Calls a helper whatever else is running.
Value Machine::call(Index def, std::initializer_list<Value> arguments, Index start) {
  const std::size_t frames = frames_.size(), stack = stack_.size();
  if (frames == 0) {
    fuel_ = kFuel;
    too_many_ = false;
  }
  Frame frame;
  frame.def = def;
  frame.start = start;
  frame.arguments = static_cast<std::uint32_t>(frame_arguments_.size());
  frame.variables = static_cast<std::uint32_t>(frame_variables_.size());
  frame_arguments_.insert(frame_arguments_.end(), arguments);
  frames_.push_back(frame);
  next_equation(frames_.back());
  const Value v = proceed(frames);
  frames_.resize(frames);
  stack_.resize(stack);
  frame_arguments_.resize(frame.arguments);
  frame_variables_.resize(frame.variables);
  return v;
}

// ---------------------------------------------------------------- shape functions and inverses

MetaId Machine::infer(NodeId n) {
  if (facts_ == nullptr || facts_->metas == kNone) return {};
  const Index start = binding_->start(n, binding_->rules().defs[facts_->metas].match);
  if (start == 0) return {};
  if (const auto known = inferences_.find(binding_->graph(), n)) return *known;
  Inferences::Key key = inferences_.key();
  Matcher& matcher = this->matcher();
  Matcher::Watch outer = matcher.watch(n);
  MetaId meta;
  if (inferring_ < kMostInferring) {
    ++inferring_;
    meta = meta_of(call(facts_->metas, {Value::of_node(n)}, start));
    --inferring_;
    if (!matcher.strayed() && fuel_ >= 0 && !too_many_) inferences_.keep(std::move(key), meta);
  } else {
    outer.strayed = true;  // with less on its way it would have been told
  }
  matcher.watch_again(outer);
  return meta;
}

MetaId Machine::meta_of(const Value& value) {
  Metas& metas = binding_->graph().metas();
  if (value.is(Tag::meta)) return MetaId(value.a);
  ValueMeta meta;
  if (value.is(Tag::integer) || value.is(Tag::symbolic)) {
    meta.kind = MetaKind::symbolic;
    meta.value = *as_size(*this, value);
    return metas.intern(meta);
  }
  if (!value.is_sequence()) return {};
  meta.kind = MetaKind::tuple;  // several results
  for (std::uint32_t i = 0; i < value.range.count; ++i) {
    const Value part = item(value, i);
    meta.parts.push_back(part.is_sequence() ? MetaId() : meta_of(part));
  }
  return metas.intern(meta);
}

MetaId Machine::meta_of_fresh(std::uint32_t fresh) {
  if (fresh_[fresh].made.valid()) return binding_->graph().meta(fresh_[fresh].made);
  if (fresh_[fresh].asked || maker_ == nullptr) return fresh_[fresh].meta;
  trying_out_ = true;
  maker_->try_out(fresh, root_);
  fresh_[fresh].asked = true;  // also where it has no spelling
  return fresh_[fresh].meta;
}

void Machine::settle() {
  if (!std::exchange(trying_out_, false)) return;
  maker_->take_back();
}

Value Machine::inverse(NodeId view, const Value& v) {
  if (facts_ == nullptr || facts_->inverses == kNone) return Value::unknown(Unknown::no_equation);
  const Index start = binding_->start(view, binding_->rules().defs[facts_->inverses].match);
  if (start == 0) return Value::unknown(Unknown::no_equation);
  const Value base = call(facts_->inverses, {Value::of_node(view), v}, start);
  settle();
  return base;
}

// Everything that one evaluation holds on to. Values are made by steps, and a step makes as many as a list has.
std::size_t Machine::held() const {
  return heap_.size() + stack_.size() + fresh_arguments_.size() + fresh_.size() + frame_variables_.size() +
         frame_arguments_.size() + frames_.size();
}

// The helper that the limit was met in; what called it is as unknown.
Value Machine::give_up() {
  const bool values = too_many_ || held() > kMostValues;
  for (std::size_t f = frames_.size(); f-- > 0;) {
    const Frame& frame = frames_[f];
    if (frame.def == kNone) continue;
    given_up_ = GivenUp{frame.def, frame.equation, values};
    if (given_up_times_.size() <= frame.def) given_up_times_.resize(frame.def + 1);
    ++given_up_times_[frame.def];
    break;
  }
  return Value::unknown(Unknown::not_computed);
}

Value& Machine::variable(Index v) {
  const Frame& frame = frames_.back();
  if (frame.def == kNone) return (*variables_)[v];
  return frame_variables_[frame.variables + v];
}

// ---------------------------------------------------------------- helpers: equations in order

void Machine::enter(Index def_index, std::uint32_t count) {
  const program::Def& def = binding_->rules().defs[def_index];
  // A spliced list counts as that many arguments.
  std::vector<Value>& given = call_arguments_;
  given.clear();
  for (std::size_t i = stack_.size() - count; i < stack_.size(); ++i) {
    Value v = stack_[i];
    if (v.splice && v.is_sequence()) {
      for (std::uint32_t k = 0; k < v.range.count; ++k) given.push_back(item(v, k));
    } else {
      given.push_back(v);
    }
  }
  stack_.resize(stack_.size() - count);
  if (given.size() != def.arity) return push(Value::unknown(Unknown::no_equation));
  if (def_index < given_up_times_.size() && given_up_times_[def_index] >= kMostTimes)
    return push(Value::unknown(Unknown::not_computed));
  Frame frame;
  frame.def = def_index;
  frame.start = def.match.start;
  frame.arguments = static_cast<std::uint32_t>(frame_arguments_.size());
  frame.variables = static_cast<std::uint32_t>(frame_variables_.size());
  frame_arguments_.insert(frame_arguments_.end(), given.begin(), given.end());
  frames_.push_back(frame);
  next_equation(frames_.back());
}

// Finds the next equation whose head fits and starts its guard, or its body. Registers do not survive calls
// made in between, so the heads are matched again from the first.
bool Machine::next_equation(Frame& frame) {
  const program::Def& def = binding_->rules().defs[frame.def];
  Matcher& matcher = this->matcher();
  matcher.forget();
  matcher.begin(def.match, def.arity == 0 ? Value() : frame_arguments_[frame.arguments]);
  for (std::uint16_t i = 0; i < def.arity; ++i) matcher.registers()[i] = frame_arguments_[frame.arguments + i];
  Index pc = frame.start;
  const program::Accept* accept = nullptr;
  for (std::uint32_t k = 0; k <= frame.tried; ++k) {
    accept = matcher.next(def.match, pc);
    if (accept == nullptr) break;
  }
  ++frame.tried;
  if (accept == nullptr) {
    frame_arguments_.resize(frame.arguments);
    frame_variables_.resize(frame.variables);
    frames_.pop_back();
    push(Value::unknown(Unknown::no_equation));
    return false;
  }
  const program::Def::Equation& equation = def.equations[accept->rule];
  frame_variables_.resize(frame.variables);
  for (const std::uint16_t r : accept->registers)
    frame_variables_.push_back(r == 0xFFFF ? Value() : matcher.registers()[r]);
  for (const Index v : equation.scalars) {
    Value& scalar = frame_variables_[frame.variables + v];
    if (scalar.is_one_int()) scalar = item(scalar, 0);
  }
  frame.equation = accept->rule;
  frame.guard = equation.guard.present();
  frame.pc = frame.guard ? equation.guard.begin : equation.body.begin;
  return true;
}

bool Machine::finish_frame() {
  Frame& frame = frames_.back();
  if (frame.guard) {
    const Value guard = pop();
    if (truth_of(guard) != Truth::yes) return next_equation(frame);
    frame.guard = false;
    frame.pc = binding_->rules().defs[frame.def].equations[frame.equation].body.begin;
    return true;
  }
  frame_arguments_.resize(frame.arguments);
  frame_variables_.resize(frame.variables);
  frames_.pop_back();
  return true;
}

// ---------------------------------------------------------------- steps

bool Machine::step(const Step& s) {
  switch (s.eval) {
    case Eval::constant:
      push(binding_->literal(s.a));
      break;
    case Eval::load:
      push(variable(s.a));
      break;
    case Eval::store: {
      const Value v = stack_.back();
      variable(s.a) = v;
      break;
    }
    case Eval::negate: {
      const Value v = pop();
      push(v.is(Tag::floating) ? Value::floating(-v.d) : arithmetic(Eval::subtract, Value::integer(0), v));
      break;
    }
    case Eval::logical_not: {
      const Value v = pop();
      push(v.is(Tag::boolean) ? Value::boolean(v.i == 0) : v.unusable() ? v : Value::unknown(Unknown::kind));
      break;
    }
    case Eval::add:
    case Eval::subtract:
    case Eval::multiply:
    case Eval::divide:
    case Eval::floor_divide:
    case Eval::modulo: {
      const Value b = pop(), a = pop();
      push(arithmetic(s.eval, a, b));
      break;
    }
    case Eval::equal:
    case Eval::not_equal:
    case Eval::less:
    case Eval::less_equal:
    case Eval::greater:
    case Eval::greater_equal: {
      const Value b = pop(), a = pop();
      spend(a);
      push(compare(s.eval, a, b));
      break;
    }
    case Eval::contains:
    case Eval::not_contains: {
      const Value collection = pop(), value = pop();
      spend(collection);
      Value v = contains(value, collection);
      if (s.eval == Eval::not_contains && v.is(Tag::boolean)) v.i = v.i == 0 ? 1 : 0;
      push(v);
      break;
    }
    case Eval::skip_if_false:
      if (truth_of(stack_.back()) == Truth::no) frames_.back().pc = s.a;
      break;
    case Eval::skip_if_true:
      if (truth_of(stack_.back()) == Truth::yes) frames_.back().pc = s.a;
      break;
    case Eval::both:
    case Eval::either: {
      const Value b = pop(), a = pop();
      const Truth t = s.eval == Eval::both ? both(truth_of(a), truth_of(b)) : either(truth_of(a), truth_of(b));
      // Unknown keeps the reason of the operand that was unknown.
      push(t == Truth::unknown ? (truth_of(a) == Truth::unknown ? a : b) : Value::boolean(t == Truth::yes));
      if (!stack_.back().is(Tag::boolean) && !stack_.back().unusable()) stack_.back() = Value::unknown(Unknown::kind);
      break;
    }
    case Eval::list:
      make_sequence(Tag::list, s.a);
      break;
    case Eval::tuple:
      make_sequence(Tag::tuple, s.a);
      break;
    case Eval::slice: {
      const auto first = static_cast<std::uint32_t>(heap_.size());
      for (std::size_t i = stack_.size() - 3; i < stack_.size(); ++i) heap_.push_back(stack_[i]);
      stack_.resize(stack_.size() - 3);
      push(Value::sequence(Tag::slice, first, 3, Where::heap));
      break;
    }
    case Eval::splice:
      stack_.back().splice = true;
      break;
    case Eval::index: {
      const Value i = pop(), xs = pop();
      push(indexed(xs, i));
      break;
    }
    case Eval::field: {
      const Value v = pop();
      push(v.is(Tag::slice) ? item(v, s.a) : v.unusable() ? v : Value::unknown(Unknown::kind));
      break;
    }
    case Eval::builtin:
    case Eval::function: {
      std::vector<Value> arguments;
      for (std::size_t i = stack_.size() - s.b; i < stack_.size(); ++i) {
        if (stack_[i].splice && stack_[i].is_sequence()) {
          for (std::uint32_t k = 0; k < stack_[i].range.count; ++k) arguments.push_back(item(stack_[i], k));
        } else {
          arguments.push_back(stack_[i]);
        }
      }
      stack_.resize(stack_.size() - s.b);
      for (const Value& v : arguments) spend(v);
      push(s.eval == Eval::function ? call_function(*this, *binding_->rules().called[s.a], arguments)
                                    : call_builtin(*this, static_cast<Builtin>(s.a), arguments));
      break;
    }
    case Eval::call:
      enter(s.a, s.b);
      break;
    case Eval::build:
      build(s.a, s.b);
      break;
    case Eval::set:
      push(Value::make(Tag::set, s.a));
      break;
    case Eval::text:
      text(s.a);
      break;
    case Eval::fail: {
      const Value v = pop();
      push(v.is(Tag::string) ? Value::make(Tag::failure, v.a) : v);
      break;
    }
    case Eval::op_name:
      push(Value::make(Tag::op, s.a));
      break;
    case Eval::end:
      break;
  }
  return true;
}

Value Machine::list(const std::vector<Value>& items, Tag tag) {
  const auto first = static_cast<std::uint32_t>(heap_.size());
  heap_.insert(heap_.end(), items.begin(), items.end());
  return Value::sequence(tag, first, static_cast<std::uint32_t>(items.size()), Where::heap);
}

// Whether what the stack holds from there on can be laid out, lists spliced; else the evaluation ends.
bool Machine::fits(std::size_t base) {
  std::size_t count = heap_.size();
  for (std::size_t i = base; i < stack_.size(); ++i)
    count += stack_[i].splice && stack_[i].is_sequence() ? stack_[i].range.count : 1;
  if (count <= kMostValues) return true;
  too_many_ = true;
  fuel_ = 0;
  return false;
}

void Machine::make_sequence(Tag tag, std::uint32_t count) {
  const std::size_t base = stack_.size() - count;
  for (std::size_t i = base; i < stack_.size(); ++i) {
    const Value& v = stack_[i];
    if (v.unusable() || (v.splice && !v.is_sequence() && !v.is(Tag::rest))) {
      const Value bad = v.unusable() ? v : Value::unknown(Unknown::kind);
      // An unknown item leaves the list known (`[unknown, 3]` has two items); an unknown splice does not.
      if (v.splice || v.is(Tag::failure)) {
        stack_.resize(base);
        Value out = bad;
        out.splice = false;
        return push(out);
      }
    }
  }
  // `[x, rest..]` in front of a list that ends the heap: grows it at its front.
  if (tag == Tag::list && count == 2 && !stack_[base].splice && stack_[base + 1].splice &&
      stack_[base + 1].is_sequence()) {
    Value rest = stack_[base + 1];
    const bool at_end = rest.range.where == Where::heap_reversed && rest.a + rest.range.count == heap_.size();
    if (rest.range.count == 0 || at_end) {
      if (rest.range.count == 0)
        rest = Value::sequence(Tag::list, static_cast<std::uint32_t>(heap_.size()), 0, Where::heap_reversed);
      heap_.push_back(stack_[base]);
      ++rest.range.count;
      rest.splice = false;
      rest.tag = Tag::list;
      stack_.resize(base);
      return push(rest);
    }
  }
  // `[init.., x]` behind a list that ends the heap.
  if (tag == Tag::list && count == 2 && stack_[base].splice && !stack_[base + 1].splice && stack_[base].is_sequence() &&
      stack_[base].range.where == Where::heap && stack_[base].a + stack_[base].range.count == heap_.size() &&
      stack_[base].range.count > 0) {
    Value init = stack_[base];
    heap_.push_back(stack_[base + 1]);
    ++init.range.count;
    init.splice = false;
    init.tag = Tag::list;
    stack_.resize(base);
    return push(init);
  }
  if (!fits(base)) {
    stack_.resize(base);
    return push(Value::unknown(Unknown::not_computed));
  }
  std::vector<Value> items;
  for (std::size_t i = base; i < stack_.size(); ++i) {
    Value v = stack_[i];
    if (v.splice && v.is_sequence()) {
      for (std::uint32_t k = 0; k < v.range.count; ++k) items.push_back(item(v, k));
    } else if (v.splice && v.is(Tag::rest)) {
      rest_.clear();
      rest_arguments(v, rest_);
      for (const RestArgument& r : rest_) items.push_back(r.value);
    } else {
      v.splice = false;
      items.push_back(v);
    }
  }
  stack_.resize(base);
  push(list(items, tag));
}

void Machine::rest_arguments(const Value& rest, std::vector<RestArgument>& out) {
  const NodeId n = rest.node();
  Graph& graph = binding_->graph();
  CallClass& call = binding_->call_class(n);
  const CallForm& form = graph.form(n);
  std::vector<std::uint32_t> mentioned;  // offsets
  for (const Index key : binding_->rules().rests[static_cast<std::size_t>(rest.i)].mentioned) {
    const Access& access = call.by_key[key];
    if (access.how != Access::How::slot && access.how != Access::How::run) continue;
    for (std::uint32_t k = 0; k < access.count; ++k) mentioned.push_back(access.at + k);
  }
  const auto role_of = [&](std::uint32_t offset) {
    for (const Access& access : call.by_argument) {
      if ((access.how == Access::How::slot || access.how == Access::How::run) && offset >= access.at &&
          offset < access.at + access.count)
        return access.type;
    }
    return TypeKind::any;
  };
  const std::uint32_t count = graph.argument_count(n);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (std::find(mentioned.begin(), mentioned.end(), i) != mentioned.end()) continue;
    const Value v = binding_->from_slot(graph[graph.argument(n, i)], role_of(i));
    if (i < form.positional) {
      out.push_back({v, {}, i});
    } else {
      out.push_back({v, form.keywords[i - form.positional], 0});
    }
  }
}

void Machine::build(Index template_index, std::uint32_t count) {
  const program::Template& made = binding_->rules().templates[template_index];
  const std::size_t base = stack_.size() - count;
  if (!fits(base)) {
    stack_.resize(base);
    return push(Value::unknown(Unknown::not_computed));
  }
  std::vector<FreshArgument>& arguments = built_;
  arguments.clear();
  std::uint32_t position = 0;
  Value bad;
  bool failed = false;
  for (std::uint32_t k = 0; k < count && !failed; ++k) {
    Value v = stack_[base + k];
    const std::string& keyword = made.arguments[k].keyword;
    if (v.unusable()) {
      bad = v;
      failed = true;
    } else if (made.arguments[k].splice && v.is(Tag::rest)) {
      rest_.clear();
      rest_arguments(v, rest_);
      const CallClass& call = binding_->call_class(v.node());
      for (const RestArgument& r : rest_) {
        SymbolId name = r.keyword;
        if (!name.valid() && r.position != position) {
          // The pattern took an argument in front of this one and the replacement does not fill its place.
          if (call.schema == nullptr || r.position >= call.schema->arguments.size()) {
            bad = Value::unknown(Unknown::operand);
            failed = true;
            break;
          }
          name = binding_->symbol(call.schema->arguments[r.position].name);
        }
        if (!name.valid()) ++position;
        arguments.push_back({r.value, name});
      }
    } else if (made.arguments[k].splice && v.is_sequence()) {
      for (std::uint32_t i = 0; i < v.range.count; ++i) arguments.push_back({item(v, i), SymbolId()});
      position += v.range.count;
    } else {
      v.splice = false;
      arguments.push_back({v, keyword.empty() ? SymbolId() : binding_->symbol(keyword)});
      if (keyword.empty()) ++position;
    }
  }
  stack_.resize(base);
  FreshNode fresh;
  fresh.call_template = template_index;
  for (std::size_t p = 0; p < made.pieces.size() && !failed; ++p) {
    if (!made.pieces[p].hole) continue;
    const Index v = made.hole_variables[p];
    const Value hole = v == kNone ? Value() : variable(v);
    if (!hole.is(Tag::string)) {
      bad = Value::unknown(Unknown::operand);
      failed = true;
      break;
    }
    fresh.holes.push_back(hole.symbol());
    if (!fresh.hole_node.valid()) fresh.hole_node = NodeId(static_cast<std::uint32_t>(hole.i));
  }
  if (failed) {
    bad.splice = false;
    return push(bad);
  }
  // Positional arguments stand before keyword ones, as Python wants them.
  const auto positional = [](const FreshArgument& a) { return !a.keyword.valid(); };
  if (!std::is_partitioned(arguments.begin(), arguments.end(), positional))
    std::stable_partition(arguments.begin(), arguments.end(), positional);
  fresh.first = static_cast<std::uint32_t>(fresh_arguments_.size());
  fresh.count = static_cast<std::uint32_t>(arguments.size());
  fresh_arguments_.insert(fresh_arguments_.end(), arguments.begin(), arguments.end());
  fresh_.push_back(std::move(fresh));
  push(Value::make(Tag::fresh, static_cast<std::uint32_t>(fresh_.size() - 1)));
}

// ---------------------------------------------------------------- numbers and comparisons

Truth truth_of(const Value& v) {
  if (v.is(Tag::boolean)) return truth(v.i != 0);
  return Truth::unknown;
}

std::optional<Size> as_size(Machine& machine, const Value& v) {
  switch (v.tag) {
    case Tag::integer:
      return Size::of(v.i);
    case Tag::boolean:
      return Size::of(v.i);
    case Tag::symbolic:
      return Size::of(ExprId(static_cast<std::uint32_t>(v.i)));
    case Tag::node: {
      const MetaId meta = machine.binding().graph().meta(v.node());
      if (!meta.valid()) return std::nullopt;
      const ValueMeta& m = machine.binding().graph().metas()[meta];
      if (m.kind == MetaKind::symbolic && m.value.known) return m.value;
      return std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

Value from_size(Machine& machine, Size size) {
  if (!size.known) return Value::unknown(Unknown::size);
  if (size.is_static()) return Value::integer(size.value);
  Graph& graph = machine.binding().graph();
  const SymbolId text = graph.symbols().intern(graph.metas().expressions().text(size));
  return Value::make(Tag::symbolic, text.value, size.expr.value);
}

Value Machine::arithmetic(Eval eval, const Value& a, const Value& b) {
  if (a.unusable()) return a;
  if (b.unusable()) return b;
  const auto number = [](const Value& v, double& out) {
    if (v.is(Tag::floating)) return out = v.d, true;
    if (v.is(Tag::integer) || v.is(Tag::boolean)) return out = static_cast<double>(v.i), true;
    return false;
  };
  double x = 0, y = 0;
  const bool floats =
      (a.is(Tag::floating) || b.is(Tag::floating) || eval == Eval::divide) && number(a, x) && number(b, y);
  if (floats) {
    switch (eval) {
      case Eval::add:
        return Value::floating(x + y);
      case Eval::subtract:
        return Value::floating(x - y);
      case Eval::multiply:
        return Value::floating(x * y);
      case Eval::divide:
        return y == 0 ? Value::unknown(Unknown::arithmetic) : Value::floating(x / y);
      case Eval::floor_divide:
        return y == 0 ? Value::unknown(Unknown::arithmetic) : Value::floating(std::floor(x / y));
      case Eval::modulo:
        return y == 0 ? Value::unknown(Unknown::arithmetic) : Value::floating(x - std::floor(x / y) * y);
      default:
        return Value::unknown(Unknown::arithmetic);
    }
  }
  if (eval == Eval::add && a.is_sequence() && b.is_sequence()) {
    std::vector<Value> items;
    for (std::uint32_t i = 0; i < a.range.count; ++i) items.push_back(item(a, i));
    for (std::uint32_t i = 0; i < b.range.count; ++i) items.push_back(item(b, i));
    return list(items, a.tag);
  }
  const auto m = as_size(*this, a), n = as_size(*this, b);
  if (!m || !n) return Value::unknown(a.is(Tag::node) || b.is(Tag::node) ? Unknown::metadata : Unknown::kind);
  Expressions& e = binding_->graph().metas().expressions();
  switch (eval) {
    case Eval::add:
      return from_size(*this, e.add(*m, *n));
    case Eval::subtract:
      return from_size(*this, e.subtract(*m, *n));
    case Eval::multiply:
      return from_size(*this, e.multiply(*m, *n));
    case Eval::floor_divide:
      return from_size(*this, e.floor_divide(*m, *n));
    case Eval::modulo:
      return from_size(*this, e.modulo(*m, *n));
    default:
      return Value::unknown(Unknown::arithmetic);
  }
}

Value Machine::compare(Eval eval, const Value& a, const Value& b) {
  if (a.unusable()) return a;
  if (b.unusable()) return b;
  const auto numeric = [](const Value& v) { return v.is(Tag::integer) || v.is(Tag::floating); };
  if (numeric(a) && numeric(b) && (a.is(Tag::floating) || b.is(Tag::floating))) {
    const double x = a.is(Tag::floating) ? a.d : static_cast<double>(a.i),
                 y = b.is(Tag::floating) ? b.d : static_cast<double>(b.i);
    switch (eval) {
      case Eval::equal:
        return Value::boolean(x == y);
      case Eval::not_equal:
        return Value::boolean(x != y);
      case Eval::less:
        return Value::boolean(x < y);
      case Eval::less_equal:
        return Value::boolean(x <= y);
      case Eval::greater:
        return Value::boolean(x > y);
      default:
        return Value::boolean(x >= y);
    }
  }
  const auto m = a.is(Tag::boolean) ? std::nullopt : as_size(*this, a),
             n = b.is(Tag::boolean) ? std::nullopt : as_size(*this, b);
  if (m && n) {
    Expressions& e = binding_->graph().metas().expressions();
    switch (eval) {
      case Eval::equal:
        return Value::truth(e.equal(*m, *n));
      case Eval::not_equal:
        return Value::truth(!e.equal(*m, *n));
      case Eval::less:
        return Value::truth(e.less(*m, *n));
      case Eval::less_equal:
        return Value::truth(!e.less(*n, *m));
      case Eval::greater:
        return Value::truth(e.less(*n, *m));
      default:
        return Value::truth(!e.less(*m, *n));
    }
  }
  if (eval != Eval::equal && eval != Eval::not_equal) return Value::unknown(Unknown::kind);
  if (a.is_sequence() && b.is_sequence()) {  // item by item: sizes compare as sizes
    Truth t = truth(a.range.count == b.range.count);
    for (std::uint32_t i = 0; t != Truth::no && i < a.range.count; ++i) {
      const Value x = item(a, i), y = item(b, i);
      const auto p = x.is(Tag::boolean) ? std::nullopt : as_size(*this, x),
                 q = y.is(Tag::boolean) ? std::nullopt : as_size(*this, y);
      t = both(t, p && q ? binding_->graph().metas().expressions().equal(*p, *q) : same(*binding_, x, y, heap_));
    }
    return Value::truth(eval == Eval::equal ? t : !t);
  }
  // A node against anything but a node: its value is not known here.
  const bool opaque_node = (a.is(Tag::node) || a.is(Tag::fresh)) != (b.is(Tag::node) || b.is(Tag::fresh));
  const bool comparable_none = a.is(Tag::none) || b.is(Tag::none);
  if (opaque_node && !comparable_none) return Value::unknown(Unknown::metadata);
  const Truth t = same(*binding_, a, b, heap_);
  return Value::truth(eval == Eval::equal ? t : !t);
}

Value Machine::in_set(const Value& value, const program::SetValue& set) {
  if (value.unusable()) return value;
  Truth found = Truth::no;
  for (const Index l : set.literals) found = either(found, same(*binding_, value, binding_->literal(l), heap_));
  if (value.is(Tag::node)) {
    for (const Index o : set.ops) found = either(found, truth(binding_->accepts(value.node(), o)));
  }
  return Value::truth(found);
}

Value Machine::contains(const Value& value, const Value& collection) {
  if (collection.is(Tag::set)) return in_set(value, binding_->rules().sets[collection.a]);
  if (collection.unusable()) return collection;
  if (collection.is(Tag::string) && value.is(Tag::string)) {
    const std::string_view text = binding_->graph().text(collection.symbol());
    return Value::boolean(text.find(binding_->graph().text(value.symbol())) != std::string_view::npos);
  }
  if (!collection.is_sequence() && !collection.is(Tag::dict)) return Value::unknown(Unknown::kind);
  Truth found = Truth::no;
  const std::uint32_t step = collection.is(Tag::dict) ? 2 : 1;
  for (std::uint32_t i = 0; i < collection.range.count && found != Truth::yes; i += step)
    found = either(found, truth_of(compare(Eval::equal, value, item(collection, i))));
  return Value::truth(found);
}

Value Machine::indexed(const Value& xs, const Value& i) {
  if (xs.unusable()) return xs;
  if (i.unusable()) return i;
  if (xs.is_sequence()) {
    if (!i.is(Tag::integer)) return Value::unknown(Unknown::kind);
    const std::int64_t count = xs.range.count;
    const std::int64_t at = i.i < 0 ? i.i + count : i.i;
    if (at < 0 || at >= count) return Value::unknown(Unknown::operand);
    return item(xs, static_cast<std::uint32_t>(at));
  }
  if ((xs.is(Tag::node) || xs.is(Tag::fresh)) && i.is(Tag::integer)) {
    push(xs);
    push(i);
    build(binding_->rules().item_template, 2);
    return pop();
  }
  return Value::unknown(Unknown::kind);
}

// ---------------------------------------------------------------- texts

std::string Machine::text_of(const Value& v) {
  Graph& graph = binding_->graph();
  switch (v.tag) {
    case Tag::unknown:
      return "?";
    case Tag::failure:
      return std::string(graph.text(v.symbol()));
    case Tag::none:
      return "None";
    case Tag::boolean:
      return v.i != 0 ? "True" : "False";
    case Tag::integer:
      return std::to_string(v.i);
    case Tag::floating: {
      const std::string text = fmt::format("{}", v.d);
      return text.find_first_of(".einf") == std::string::npos ? text + ".0" : text;
    }
    case Tag::ellipsis:
      return "Ellipsis";
    case Tag::node:
      return std::string(graph.name(v.node()));
    case Tag::fresh:
      return binding_->rules().templates[fresh_[v.a].call_template].text;
    case Tag::string:
    case Tag::device:
    case Tag::dtype:
    case Tag::symbolic:
    case Tag::spelled:
      return std::string(graph.text(v.symbol()));
    case Tag::meta:
      return graph.metas().text(MetaId(v.a));
    case Tag::op:
      return binding_->rules().templates[v.a].text;
    default:
      break;
  }
  if (!v.is_container()) return "..";
  // Shallow nesting is all that people write in messages; deeper values are cut.
  std::string out = v.is(Tag::tuple) ? "(" : v.is(Tag::slice) ? "slice(" : "[";
  constexpr std::uint32_t kMost = 16;
  for (std::uint32_t i = 0; i < v.range.count; ++i) {
    if (i != 0) out += ", ";
    if (i == kMost) {
      out += "...";
      break;
    }
    const Value x = item(v, i);
    out += x.is_container() ? "..." : text_of(x);
  }
  return out + (v.is(Tag::tuple) || v.is(Tag::slice) ? ")" : "]");
}

Value Machine::defined(const Value& op) {
  const program::Template& named = binding_->rules().templates[op.a];
  if (named.kind == program::Template::Kind::op) return Value::boolean(named.op.valid());
  if (named.kind == program::Template::Kind::exact)
    return Value::boolean(binding_->catalogue().resolve(named.opcode, named.target).has_value());
  std::string name;
  for (std::size_t p = 0; p < named.pieces.size(); ++p) {
    if (!named.pieces[p].hole) {
      name += named.pieces[p].text;
      continue;
    }
    const Value hole = named.hole_variables[p] == kNone ? Value() : variable(named.hole_variables[p]);
    if (!hole.is(Tag::string)) return Value::unknown(Unknown::operand);
    name += binding_->graph().text(hole.symbol());
  }
  return Value::boolean(binding_->catalogue().find_op(name).has_value());
}

void Machine::text(std::uint32_t count) {
  std::string out;
  for (std::size_t i = stack_.size() - count; i < stack_.size(); ++i) out += text_of(stack_[i]);
  stack_.resize(stack_.size() - count);
  push(Value::of_string(binding_->symbol(out)));
}

}  // namespace fxrules::rewrite
