#include "engine/rewrite/pattern_search.hpp"

#include <algorithm>

namespace fxrules::rewrite {

using program::Index;
using program::Instruction;
using program::kNone;
using program::Test;

namespace {

// Truth of a guard; as the machine has it.
bool is_true(const Value& v) { return v.is(Tag::boolean) && v.i != 0; }

// Failures of shorter searches are not worth remembering.
constexpr std::int64_t kShort = 256;
constexpr std::size_t kMostFailed = 500'000;

}  // namespace

void PatternSearch::clear() {
  choices_.clear();
  trail_.clear();
  frames_.clear();
  cells_.clear();
  closures_.clear();
  matched_.clear();
  if (failed_.size() > kMostFailed) failed_.clear();
  used_ = false;
}

PatternSearch::Marks PatternSearch::marks() const {
  return {trail_.size(), frames_.size(), cells_.size(), closures_.size(), matched_.size(), top_, bindings_};
}

void PatternSearch::undo(const Marks& marks) {
  for (; trail_.size() > marks.trail; trail_.pop_back()) (*registers_)[trail_.back().first] = trail_.back().second;
  frames_.resize(marks.frames);
  cells_.resize(marks.cells);
  closures_.resize(marks.closures);
  matched_.resize(marks.matched);
  top_ = marks.top;
  bindings_ = marks.bindings;
}

void PatternSearch::enter(Index call, std::uint16_t a) {
  if (!used_) {
    used_ = true;
    steps_ = kMostSteps;
    top_ = own_;
    frames_.push_back({});  // the rule's
  }
  const program::PatternCall& called = tester_->binding().rules().pattern_calls[call];
  for (const std::uint16_t place : called.binds) (*registers_)[place] = Value::make(Tag::unbound);
  bindings_ = called.closed ? 0 : ++last_binding_;
  entered_ = call;
  Choice choice;
  const bool left_alone = call < times_.size() && times_[call] >= kMostTimes;
  choice.kind = left_alone ? ChoiceKind::end : ChoiceKind::begin;
  choice.what = call;
  choice.value = (*registers_)[a];
  choice.marks = marks();
  choices_.push_back(choice);
}

bool PatternSearch::next() {
  if (!resume()) return false;
  const std::vector<Instruction>& code = tester_->binding().rules().pattern_code;
  for (;;) {
    if (--steps_ < 0) return give_up();
    const Instruction& i = code[pc_];
    if (counts_ != nullptr) ++(*counts_)[static_cast<std::size_t>(i.test)];
    if (i.test == Test::done) {
      Cell& cell = cells_[cell_];
      ++cell.times;
      if (cell.pc == kNone) return true;
      pc_ = cell.pc;
      frame_ = cell.frame;
      cell_ = cell.cell;
      continue;
    }
    if (!step(i) && !resume()) return false;
  }
}

// The search that began last is over.
bool PatternSearch::give_up() {
  given_up_ = entered_;
  if (times_.size() <= entered_) times_.resize(entered_ + 1);
  ++times_[entered_];
  while (choices_.back().kind != ChoiceKind::end) choices_.pop_back();
  undo(choices_.back().marks);
  choices_.pop_back();
  return false;
}

// Back to the last choice, as everything was then, and on with what is left of it.
bool PatternSearch::resume() {
  for (;;) {
    Choice& choice = choices_.back();
    undo(choice.marks);
    switch (choice.kind) {
      case ChoiceKind::end:
        choices_.pop_back();
        return false;
      case ChoiceKind::begin: {
        choice.kind = ChoiceKind::end;
        const Index what = choice.what;
        const Value value = choice.value;
        cells_.push_back({});
        entered_ = what;
        call(what, value, 0, static_cast<std::uint32_t>(cells_.size() - 1));
        continue;
      }
      case ChoiceKind::equations:
        if (start_equation(choice)) return true;
        continue;
      case ChoiceKind::exchange: {
        const Choice taken = choice;
        choices_.pop_back();
        pc_ = taken.what;
        frame_ = taken.frame;
        cell_ = taken.cell;
        const Instruction& i = tester_->binding().rules().pattern_code[pc_];
        if (!tester_->commutes(registers()[i.a].node(), i.fail != 0)) continue;
        const std::size_t base = frames_[frame_].base;
        const Value first = registers()[i.b], second = registers()[i.c];
        set(base + i.b, second);
        set(base + i.c, first);
        ++pc_;
        return true;
      }
    }
  }
}

// False when there is none left, and the choice is gone.
bool PatternSearch::start_equation(Choice& choice) {
  const program::RuleSet& rules = tester_->binding().rules();
  const std::vector<Index>& equations = rules.patterns[choice.what].equations;
  if (choice.next == equations.size()) {
    // Nothing went on behind it: that is so whenever it is tried with the same bindings.
    const bool fails = cells_[choice.cell].times == choice.times;
    if (fails && choice.value.is(Tag::node) && steps_ < kMostSteps - kShort) {
      const std::size_t count = choice.marks.closures - choice.closures;
      failed_.insert(key(choice.what, choice.value, choice.closures, count, choice.marks.bindings));
    }
    choices_.pop_back();
    return false;
  }
  const program::PatternEquation& equation = rules.pattern_equations[equations[choice.next++]];
  frame_ = static_cast<std::uint32_t>(frames_.size());
  cell_ = choice.cell;
  pc_ = equation.block;
  frames_.push_back({top_, choice.closures, ++last_frame_});
  if (registers_->size() < top_ + equation.registers) registers_->resize(2 * (top_ + equation.registers));
  Value* const own = registers_->data() + top_;
  std::fill(own, own + equation.registers, Value::make(Tag::unbound));
  own[0] = choice.value;
  top_ += equation.registers;
  return true;
}

// Makes the choice between the equations; the caller goes on by resuming.
bool PatternSearch::call(Index index, Value value, std::uint32_t frame, std::uint32_t cell) {
  const program::PatternCall& call = tester_->binding().rules().pattern_calls[index];
  const std::size_t first = closures_.size();
  for (const program::PatternArgument& argument : call.arguments) {
    if (argument.parameter != kNone) {
      closures_.push_back(Closure(closures_[frames_[frame].closures + argument.parameter]));
    } else {
      closures_.push_back({argument.block, argument.place, frame});
    }
  }
  if (!failed_.empty() && value.is(Tag::node) &&
      failed_.contains(key(call.pattern, value, first, call.arguments.size(), bindings_)))
    return false;
  Choice choice;
  choice.kind = ChoiceKind::equations;
  choice.what = call.pattern;
  choice.cell = cell;
  choice.times = cells_[cell].times;
  choice.closures = first;
  choice.value = value;
  choice.marks = marks();
  choices_.push_back(choice);
  return true;
}

// A call by what it matches with: the pattern, the node, the arguments, the bindings so far.
const std::u32string& PatternSearch::key(Index pattern, const Value& value, std::size_t closures, std::size_t count,
                                         std::uint64_t bindings) {
  key_.assign({static_cast<char32_t>(pattern), static_cast<char32_t>(value.a)});
  const auto add = [this](std::uint64_t number) {
    key_.push_back(static_cast<char32_t>(number));
    key_.push_back(static_cast<char32_t>(number >> 32));
  };
  add(bindings);
  for (std::size_t c = closures; c < closures + count; ++c) {
    key_.push_back(static_cast<char32_t>(closures_[c].block));
    add(frames_[closures_[c].frame].id);
  }
  return key_;
}

// Where to go on behind the instruction that is being done: nowhere new when the block ends there, so that a
// chain takes no more room for each of its links.
std::uint32_t PatternSearch::behind() {
  if (tester_->binding().rules().pattern_code[pc_ + 1].test == Test::done) return cell_;
  cells_.push_back({pc_ + 1, frame_, cell_});
  return static_cast<std::uint32_t>(cells_.size() - 1);
}

bool PatternSearch::match_parameter(Index parameter, Value value) {
  const Closure closure = closures_[frames_[frame_].closures + parameter];
  cell_ = behind();
  set(frames_[closure.frame].base + closure.place, value);
  pc_ = closure.block;
  frame_ = closure.frame;
  return true;
}

// What the instruction is about to write.
void PatternSearch::save(const Instruction& i) {
  const std::size_t base = frames_[frame_].base;
  const auto keep = [&](std::size_t place) { trail_.emplace_back(place, (*registers_)[place]); };
  switch (i.test) {
    case Test::op:
      for (std::size_t h = 0, n = i.c == 0 ? 0 : program::hole_count(tester_->binding().rules().op_patterns[i.b]);
           h < n; ++h)
        keep(base + i.c + h);
      return;
    case Test::argument:
    case Test::bind_rest:
    case Test::item:
    case Test::item_back:
    case Test::span:
    case Test::part:
      return keep(base + i.a);
    default:
      return;
  }
}

bool PatternSearch::step(const Instruction& i) {
  const program::RuleSet& rules = tester_->binding().rules();
  const std::size_t base = frames_[frame_].base;
  switch (i.test) {
    case Test::helper:
      if (call(i.b, registers()[i.a], frame_, behind())) return resume();
      return false;
    case Test::bind:
      if (!registers()[i.b].is(Tag::unbound)) {
        if (!tester_->equal(registers()[i.a], registers()[i.b])) return false;
      } else {
        set(base + i.b, registers()[i.a]);
        bindings_ = ++last_binding_;
      }
      ++pc_;
      return true;
    case Test::exchange: {
      Choice choice;
      choice.kind = ChoiceKind::exchange;
      choice.what = pc_;
      choice.frame = frame_;
      choice.cell = cell_;
      choice.marks = marks();
      choices_.push_back(choice);
      ++pc_;
      return true;
    }
    case Test::parameter: {
      const Value value = registers()[i.a];
      if (i.c != 0 && !registers()[i.c].is(Tag::unbound)) {
        if (!tester_->equal(registers()[i.c], value)) return false;
        ++pc_;
        return true;
      }
      if (i.c != 0) {
        set(base + i.c, value);
        bindings_ = ++last_binding_;
      }
      return match_parameter(i.b, value);
    }
    case Test::guard: {
      const program::PatternEquation& equation = rules.pattern_equations[i.b];
      if (!is_true(evaluate(equation.guard, equation))) return false;
      ++pc_;
      return true;
    }
    case Test::give: {
      const program::PatternEquation& equation = rules.pattern_equations[i.b];
      const Value value = evaluate(equation.heads[i.c], equation);
      return !value.unusable() && match_parameter(i.c, value);
    }
    default:
      break;
  }
  save(i);
  if (!tester_->holds(i, registers())) return false;
  if (i.test == Test::op) matched_.push_back(registers()[i.a].node());
  if (i.test == Test::kind && registers()[i.a].is_one_int()) {  // kinds of one value: that of the list
    const auto kind = static_cast<program::KindName>(i.b);
    if (kind == program::KindName::integer || kind == program::KindName::number || kind == program::KindName::node)
      set(base + i.a, tester_->item(registers()[i.a], 0));
  }
  ++pc_;
  return true;
}

Value PatternSearch::evaluate(program::Code code, const program::PatternEquation& equation) {
  if (evaluator_ == nullptr) return Value::unknown(Unknown::not_computed);
  variables_.clear();
  for (const std::uint16_t place : equation.variables) {
    const Value v = place == 0xFFFF ? Value() : registers()[place];
    variables_.push_back(v.is(Tag::unbound) ? Value() : v);
  }
  for (const Index v : equation.scalars) {
    if (variables_[v].is_one_int()) variables_[v] = tester_->item(variables_[v], 0);
  }
  std::vector<Value> variables = std::exchange(variables_, {});  // evaluation may search, too
  const Value value = evaluator_->evaluate(code, variables);
  variables_ = std::move(variables);
  return value;
}

}  // namespace fxrules::rewrite
