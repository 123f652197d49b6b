// Matches calls of helper patterns. Each is a search: an equation is taken, and where something fails later the
// search comes back to the last choice and takes the next. All state is in vectors, so a chain of any length
// costs memory and no native stack. Searches nest as the tests of a rule do: one that begins behind another is
// through before the other goes on.
//
// A call of a helper pattern at a node that has failed once, with the same bindings, is not tried again, so that
// patterns in a row over one chain cost its length and not its power, and so do the roots along a chain as long as
// nothing is rewritten. What still takes too many steps is given up.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/rewrite/test.hpp"

namespace fxrules::rewrite {

// Works out guards of helper patterns and values that they hand back.
class Evaluator {
 public:
  Evaluator() = default;
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;
  virtual ~Evaluator() = default;
  virtual Value evaluate(program::Code code, std::vector<Value>& variables) = 0;
};

class PatternSearch {
 public:
  static constexpr std::int64_t kMostSteps = 5'000'000;  // for one root
  static constexpr unsigned kMostTimes = 3;              // that a call may take them before it is left alone

  // `registers` are the rule's; those of helper patterns stand behind them.
  PatternSearch(Tester& tester, std::vector<Value>& registers) : tester_(&tester), registers_(&registers) {}
  void use(Evaluator& evaluator) { evaluator_ = &evaluator; }

  // For another root; the rule's own registers are the first `own`.
  void begin(std::size_t own) {
    if (used_) clear();
    own_ = own;
  }
  // The graph is another: calls that failed elsewhere, whatever was bound, may match now.
  void forget() {
    if (!failed_.empty()) failed_.clear();
  }
  // Begins to match register `a` of the rule against the call.
  void enter(program::Index call, std::uint16_t a);
  // The next way of the search that began last; false, and that search is over, when there is none.
  bool next();

  // Calls that the searches have matched so far, in the order in which they were met.
  [[nodiscard]] const std::vector<NodeId>& matched() const { return matched_; }
  // The call that took too many steps since this was last asked.
  [[nodiscard]] std::optional<program::Index> take_given_up() { return std::exchange(given_up_, std::nullopt); }
  void count_into(std::vector<std::uint64_t>* counts) { counts_ = counts; }

 private:
  struct Closure {  // an argument: a block, on the registers of a frame
    program::Index block = 0;
    std::uint16_t place = 0;
    std::uint32_t frame = 0;
  };
  struct Frame {
    std::size_t base = 0;      // of its registers
    std::size_t closures = 0;  // its arguments
    std::uint64_t id = 0;
  };
  struct Cell {  // where a block goes on when it is done
    program::Index pc = program::kNone;
    std::uint32_t frame = 0, cell = 0;
    std::uint32_t times = 0;  // that it was gone through
  };
  struct Marks {
    std::size_t trail, frames, cells, closures, matched, top;
    std::uint64_t bindings;
  };
  enum class ChoiceKind : std::uint8_t { begin, end, equations, exchange };
  struct Choice {
    ChoiceKind kind = ChoiceKind::end;
    program::Index what = 0;  // begin: the call; equations: the helper pattern; exchange: pc
    std::uint32_t next = 0;   // equation
    std::uint32_t frame = 0, cell = 0, times = 0;
    std::size_t closures = 0;  // equations: the first argument
    Value value;
    Marks marks{};
  };

  void clear();
  bool resume();
  bool start_equation(Choice& choice);
  bool call(program::Index call, Value value, std::uint32_t frame, std::uint32_t cell);
  bool match_parameter(program::Index parameter, Value value);
  bool step(const program::Instruction& i);
  Value evaluate(program::Code code, const program::PatternEquation& equation);
  bool give_up();

  [[nodiscard]] Value* registers() { return registers_->data() + frames_[frame_].base; }
  void set(std::size_t place, Value value) {
    trail_.emplace_back(place, (*registers_)[place]);
    (*registers_)[place] = value;
  }
  void save(const program::Instruction& i);
  [[nodiscard]] std::uint32_t behind();
  [[nodiscard]] Marks marks() const;
  void undo(const Marks& marks);
  const std::u32string& key(program::Index pattern, const Value& value, std::size_t closures, std::size_t count,
                            std::uint64_t bindings);

  Tester* tester_;
  std::vector<Value>* registers_;
  Evaluator* evaluator_ = nullptr;
  std::size_t own_ = 1, top_ = 1;
  program::Index pc_ = 0;
  std::uint32_t frame_ = 0, cell_ = 0;
  std::vector<Choice> choices_;
  std::vector<std::pair<std::size_t, Value>> trail_;
  std::vector<Frame> frames_;
  std::vector<Cell> cells_;
  std::vector<Closure> closures_;
  std::vector<NodeId> matched_;
  std::uint64_t bindings_ = 0, last_binding_ = 0;  // equal numbers: the same variables are bound to the same
  std::uint64_t last_frame_ = 0;
  std::unordered_set<std::u32string> failed_;  // by key(); bindings 0: whatever the root
  std::u32string key_;
  std::vector<Value> variables_;
  std::int64_t steps_ = 0;
  program::Index entered_ = 0;
  bool used_ = false;
  std::vector<unsigned> times_;  // by call: given up
  std::optional<program::Index> given_up_;
  std::vector<std::uint64_t>* counts_ = nullptr;
};

}  // namespace fxrules::rewrite
