// Evaluates guards, replacements and helpers: a stack machine with explicit frames, so that recursion over
// a long list costs memory and no native stack. Nodes that a replacement builds are *fresh*: they exist
// only as values here until the rewriter makes those that the result uses.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/rewrite/binding.hpp"
#include "engine/rewrite/inferences.hpp"
#include "engine/rewrite/matcher.hpp"
#include "engine/rewrite/storage.hpp"

namespace fxrules::rewrite {

struct FreshArgument {
  Value value;
  SymbolId keyword;  // none: positional
};

struct FreshNode {
  program::Index call_template = 0;
  std::uint32_t first = 0, count = 0;  // arguments
  NodeId hole_node;                    // whose form `<f>` keeps
  std::vector<SymbolId> holes;         // texts, by piece that is a hole
  NodeId made;                         // set by the rewriter
  MetaId meta;                         // what the shape functions say, once asked
  bool asked = false;
};

// Makes fresh nodes for as long as a shape function looks at them.
class Maker {
 public:
  Maker() = default;
  Maker(const Maker&) = delete;
  Maker& operator=(const Maker&) = delete;
  virtual ~Maker() = default;
  // Makes the node and the fresh ones that it needs before `root`, and works out their metadata; nothing
  // is known of those of which one has no spelling.
  virtual void try_out(std::uint32_t fresh, NodeId root) = 0;
  virtual void take_back() = 0;  // all that were tried out
};

// Facts that a guard asked about and that a rewrite elsewhere may change.
struct Dependencies {
  std::vector<NodeId> use_counts;  // uses(x) was asked
  bool elsewhere = false;          // anything else that is not local to the match
  void clear() {
    use_counts.clear();
    elsewhere = false;
  }
};

class Versions;

class Machine final : public Evaluator {
 public:
  // Helpers shrink a list (the load checks see to it), but two calls each can still make work and values
  // without end: an evaluation that passes one of these bounds gives an unknown value.
  static constexpr std::int64_t kFuel = 20'000'000;      // steps; looking through a list counts its items
  static constexpr std::size_t kMostValues = 2'000'000;  // of 16 bytes
  static constexpr unsigned kMostTimes = 3;              // that a helper may meet a bound before it is left alone

  Machine(Binding& binding, std::function<Storage&()> storage);

  // Values live until the next reset; those that helper patterns have handed back, until the next root is matched.
  void reset();
  void begin_matching(NodeId root, const program::OpFacts& facts);
  // For a matcher of helper patterns. What it says may depend on values and metadata alone, not on the graph
  // around the match, which may change while the match waits.
  Value evaluate(program::Code code, std::vector<Value>& variables) override;
  // Runs code with the variables of a match; returns what is on top. Unknown when the code runs away.
  Value run(program::Code code, std::vector<Value>& variables);
  // For explanations: runs the code up to the step `stop`, if it gets there. What is then on the stack, the top last.
  std::optional<std::vector<Value>> run_to(program::Code code, program::Index stop, std::vector<Value>& variables);
  // The helper that ran away since this was last asked.
  struct GivenUp {
    program::Index def = 0, equation = 0;
    bool values = false;  // it held too many; else it took too many steps
  };
  [[nodiscard]] std::optional<GivenUp> take_given_up() { return std::exchange(given_up_, std::nullopt); }

  // Shape functions and inverses of this scope from here on; `maker` lets guards ask about fresh nodes.
  void use(const program::OpFacts& facts) {
    if (facts_ == nullptr || facts_->metas != facts.metas) inferences_.forget();
    facts_ = &facts;
  }
  void use(Maker& maker) { maker_ = &maker; }
  // What the shape functions say of a call's value; none where no equation covers it. Forms that no equation
  // is about cost one look-up.
  MetaId infer(NodeId n);
  // The new value of the base when `v` is written through the view: by the first `inverse` that covers the
  // call and whose guard is known true. A failure where it says `error`, unknown where there is none.
  Value inverse(NodeId view, const Value& v);
  // Metadata of a node that may not exist yet.
  MetaId meta_of_fresh(std::uint32_t fresh);
  // Whether a shape function is being evaluated: what it says may depend on the call alone.
  [[nodiscard]] bool inferring() const { return inferring_ > 0; }
  // What a shape function says depends on more than the call and its operands' metadata where it looks at other calls.
  void looks_at_calls(const std::vector<Value>& values) {
    for (const Value& v : values) {
      if (v.is(Tag::node)) matcher().looks_at(v.node());
    }
  }
  // Takes back the nodes that exist only for shape functions, before something counts nodes or uses.
  void settle();

  [[nodiscard]] std::vector<Value>& heap() { return heap_; }
  [[nodiscard]] std::vector<FreshNode>& fresh() { return fresh_; }
  [[nodiscard]] const FreshArgument& argument(std::uint32_t i) const { return fresh_arguments_[i]; }
  [[nodiscard]] Dependencies& dependencies() { return dependencies_; }
  // The arguments of a call that `..` stands for, as a caller would write them.
  struct RestArgument {
    Value value;
    SymbolId keyword;
    std::uint32_t position;  // where the call has it, when it is positional
  };
  void rest_arguments(const Value& rest, std::vector<RestArgument>& out);

  [[nodiscard]] std::string text_of(const Value& v);
  // defined(<f>): the op that the template names exists and can be called.
  [[nodiscard]] Value defined(const Value& op);
  // xs[i]: an item of a list, or a node that takes it from a call's result.
  Value indexed(const Value& xs, const Value& i);
  [[nodiscard]] Binding& binding() { return *binding_; }
  [[nodiscard]] Storage& storage() { return storage_(); }
  // Which values later uses will mean; without it the graph is taken as it stands.
  void ask(Versions& versions, std::function<bool(NodeId)> is_write_back) {
    versions_ = &versions;
    is_write_back_ = std::move(is_write_back);
  }
  [[nodiscard]] bool is_write_back(NodeId n) const { return is_write_back_ && is_write_back_(n); }
  [[nodiscard]] Versions* versions() const { return versions_; }
  [[nodiscard]] NodeId root() const { return root_; }
  void set_root(NodeId root) { root_ = root; }
  // A list on the heap.
  Value list(const std::vector<Value>& items, Tag tag = Tag::list);
  Value item(const Value& sequence, std::uint32_t i) { return binding_->item(sequence, i, heap_); }

 private:
  struct Frame {
    program::Index pc = 0;
    std::uint32_t variables = 0;  // base in frame_variables_
    program::Index def = program::kNone;
    std::uint32_t arguments = 0;  // base in frame_arguments_
    program::Index start = 0;     // where matching its heads begins
    std::uint32_t tried = 0;      // accepts tried so far
    program::Index equation = 0;
    bool guard = false;
  };

  bool step(const program::Step& step);
  bool finish_frame();
  void enter(program::Index def, std::uint32_t count);
  Value call(program::Index def, std::initializer_list<Value> arguments, program::Index start);
  Value proceed(std::size_t frames);
  MetaId meta_of(const Value& value);
  bool next_equation(Frame& frame);
  Matcher& matcher();
  Value& variable(program::Index v);
  void push(Value v) { stack_.push_back(v); }
  Value pop() {
    const Value v = stack_.back();
    stack_.pop_back();
    return v;
  }
  [[nodiscard]] std::size_t held() const;
  Value give_up();
  void spend(const Value& looked_through) {
    if (looked_through.is_container()) fuel_ -= looked_through.range.count;
  }
  [[nodiscard]] bool fits(std::size_t base);
  void make_sequence(Tag tag, std::uint32_t count);
  void build(program::Index call_template, std::uint32_t count);
  Value arithmetic(program::Eval eval, const Value& a, const Value& b);
  Value compare(program::Eval eval, const Value& a, const Value& b);
  Value contains(const Value& item, const Value& collection);
  Value in_set(const Value& item, const program::SetValue& set);
  void text(std::uint32_t count);

  Binding* binding_;
  std::function<Storage&()> storage_;
  Versions* versions_ = nullptr;
  std::function<bool(NodeId)> is_write_back_;
  std::vector<Value> heap_;
  std::vector<std::unique_ptr<Matcher>> matchers_;  // of heads; a guard in a head that is being matched has its own
  std::size_t matching_ = 0;
  struct Held {
    std::size_t heap = 0, fresh = 0, arguments = 0;
  };
  Held held_;  // by matches that are being looked at
  std::vector<Value> stack_;
  std::vector<Frame> frames_;
  std::vector<Value> frame_variables_, frame_arguments_;
  std::vector<Value>* variables_ = nullptr;
  std::vector<FreshNode> fresh_;
  std::vector<FreshArgument> fresh_arguments_, built_;
  std::vector<RestArgument> rest_;
  Dependencies dependencies_;
  std::int64_t fuel_ = 0;
  bool too_many_ = false;
  std::optional<GivenUp> given_up_;
  std::vector<unsigned> given_up_times_;  // by helper
  NodeId root_;
  std::vector<Value> call_arguments_;
  const program::OpFacts* facts_ = nullptr;
  Maker* maker_ = nullptr;
  unsigned inferring_ = 0;
  Inferences inferences_;
  bool trying_out_ = false;
};

// What is known of a value's size, dtype, …; free functions over the machine.
[[nodiscard]] Truth truth_of(const Value& v);
[[nodiscard]] std::optional<Size> as_size(Machine& machine, const Value& v);
[[nodiscard]] Value from_size(Machine& machine, Size size);
[[nodiscard]] const TensorMeta* tensor_meta(Machine& machine, const Value& v);
// strides.cpp
[[nodiscard]] Value sizes_value(Machine& machine, const std::vector<Size>& sizes);
[[nodiscard]] Value is_contiguous(Machine& machine, const Value& v);
[[nodiscard]] Value is_dense(Machine& machine, const Value& v);
[[nodiscard]] Value dense_strides(Machine& machine, const std::vector<Value>& arguments);
[[nodiscard]] Value view_strides(Machine& machine, const std::vector<Value>& arguments);
[[nodiscard]] Value call_builtin(Machine& machine, Builtin id, const std::vector<Value>& arguments);
// functions.cpp
[[nodiscard]] Value call_function(Machine& machine, const Function& function, const std::vector<Value>& arguments);

}  // namespace fxrules::rewrite
