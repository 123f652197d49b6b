// The compiled form of rules: what dsl/ writes, engine/rewrite runs and `fxrules dump` prints. Immutable
// data; it names ops of a catalogue but no graph, so that one rule set serves any number of graphs and
// threads.
//
// A phase has one match program: a decision tree over registers, flattened. A register holds a value
// reached from the root by a fixed path (argument 1 of the root, item 0 of that, …); rules that look at
// the same place share the register and the tests on it. `accept` hands a rule with its bindings to the
// engine, which evaluates guards and legality; when it declines, matching resumes at the accept's `fail`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/program/builtins.hpp"
#include "fxrules/catalogue.hpp"
#include "fxrules/diagnostic.hpp"
#include "fxrules/dtype.hpp"
#include "fxrules/functions.hpp"
#include "fxrules/graph.hpp"

namespace fxrules::program {

using Index = std::uint32_t;
inline constexpr Index kNone = 0xFFFFFFFFu;

// Half-open range of RuleSet::steps; empty: absent.
struct Code {
  Index begin = 0, end = 0;
  [[nodiscard]] bool present() const { return end > begin; }
};

// ---------------------------------------------------------------- literals, kinds

// `kind` none … opaque as ArgKind has them; `constant` for torch.float32 and kin is spelled by its ArgKind.
struct Literal {
  ArgKind kind = ArgKind::none;
  std::int64_t integer = 0;  // integer; boolean as 0 or 1
  double floating = 0;
  std::string text;      // spelled kinds
  bool unknown = false;  // the word `unknown`
  friend bool operator==(const Literal& a, const Literal& b);
};

enum class KindName : std::uint8_t {
  any,
  tensor,
  node,
  number,
  integer,
  floating,
  boolean,
  string,
  none,
  ellipsis,
  slice,
  tuple,
  list,
  dict,
  dtype,
  device,
};
enum class Element : std::uint8_t { any, boolean, integer };  // Tensor[bool], Tensor[int]
struct Kind {
  KindName name = KindName::any;
  Element element = Element::any;
  friend bool operator==(Kind, Kind) = default;
};
[[nodiscard]] std::optional<Kind> parse_kind(std::string_view text);
[[nodiscard]] std::string to_string(Kind kind);
[[nodiscard]] std::vector<std::string_view> kind_names();

// ---------------------------------------------------------------- ops

struct NamePiece {
  std::string text;  // literal text; for a hole its name
  bool hole = false;
  Index set = kNone;  // `<f: Set>`: an op pattern that the bound op must satisfy
  friend bool operator==(const NamePiece&, const NamePiece&) = default;
};

enum class OpPatternKind : std::uint8_t {
  any,       // every call
  op,        // any spelling of `op`
  exact,     // one opcode and target
  packet,    // torch.ops.NS.op: the packet, each of its overloads, and their edge twins
  in_place,  // `<f>_`: in-place form of f by the catalogue, or an unknown method with one trailing underscore
  any_op,    // `<f>`: any known op, f is its name
  name,      // `_foreach_<f>_`: op names matching the pieces
  target,    // `aten.<f>_.<o>`: targets matching the pieces
  set,
};

struct OpPattern {
  OpPatternKind kind = OpPatternKind::any;
  OpId op;
  Opcode opcode = Opcode::call_function;
  std::string target;
  std::vector<NamePiece> pieces;
  std::vector<Index> members;  // set
  std::string text;            // as written, for printing
  friend bool operator==(const OpPattern& a, const OpPattern& b);
};
// No call can satisfy both.
[[nodiscard]] bool disjoint(const OpPattern& a, const OpPattern& b);
[[nodiscard]] std::size_t hole_count(const OpPattern& pattern);

// How a pattern names an argument: by position or by keyword; both mean a schema role.
struct ArgumentKey {
  std::uint32_t position = kNone;
  std::string keyword;  // when position is none
  friend bool operator==(const ArgumentKey&, const ArgumentKey&) = default;
};

// The arguments that a call pattern mentions; the rest must be at their defaults, or is bound by `..`.
struct RestSpec {
  std::vector<Index> mentioned;  // keys
  friend bool operator==(const RestSpec&, const RestSpec&) = default;
};

// ---------------------------------------------------------------- matching

enum class Test : std::uint8_t {
  op,         // a is a node whose call satisfies op pattern b; holes go to registers c, c+1, …
  select,     // a is a node: switch table b by its op
  argument,   // a := argument key b of the node in register c
  rest,       // arguments of node a that spec b does not mention are at their defaults
  bind_rest,  // a := those arguments of node c, spec b
  commutes,   // the call in register a may exchange its first two arguments
  kind,       // a is of kind b
  literal,    // a equals literal b
  same,       // a and b are the same node or equal literals
  list,       // a is a list or tuple (c: ListShape) of exactly (fail on other) b items
  list_min,   // … of at least b items
  item,       // a := item b of register c, from the front
  item_back,  // a := item b of register c, from the back (0 is the last)
  span,       // a := items of register c without the first b >> 16 and the last b & 0xFFFF
  part,       // a := part b (0 start, 1 stop, 2 step) of the slice in register c
  helper,     // begins to match the value in a against call b of a helper pattern; in a block: goes on behind it
  next,       // the next way in which call b matches the value in a; `else` when there is none left
  // in blocks of helper patterns alone
  bind,       // register b := a, or a is the same as what b holds already
  exchange,   // tries registers b and c as they are, then exchanged, if call a commutes or `fail` is 1
  parameter,  // the value in a against parameter b of the equation; c (if not 0) is bound to it, and the same again
  guard,      // the guard of equation b is known true
  give,       // head c of equation b, when it is known, against the parameter in its place
  done,       // the block has matched
  accept,     // rule match b
  fail,       // nothing matches
};
enum class ListShape : std::uint8_t { any, list, tuple };

struct Instruction {
  Test test = Test::fail;
  std::uint16_t a = 0;
  Index b = 0;
  Index c = 0;
  Index fail = 0;  // program counter where matching goes on
  friend bool operator==(const Instruction&, const Instruction&) = default;
};

struct SwitchTable {
  std::vector<std::pair<Index, Index>> edges;  // op pattern (kind op or exact, pairwise disjoint) -> program counter
};

struct Accept {
  Index rule = 0;                        // of the phase's rule set, or equation of the def
  std::vector<std::uint16_t> registers;  // by variable; 0xFFFF: not bound here
  std::vector<std::uint16_t> nodes;      // registers of all matched nodes, root first
};

// Helper patterns are matched by search: equations in order, and what fails later comes back for the next one.
// Their instructions stand in RuleSet::pattern_code, a block for each equation and for each argument of a call.
// A block ends in `done`; what does not hold in it goes back to the last choice, so that `fail` is not used.
struct PatternArgument {
  Index parameter = kNone;  // of the equation that makes the call: handed on; else
  Index block = kNone;      // the argument's block, which runs on the caller's registers
  std::uint16_t place = 0;  // and finds its value there
};
struct PatternCall {
  Index pattern = 0;
  std::vector<PatternArgument> arguments;
  std::vector<std::uint16_t> binds;  // registers that its blocks bind first, in a rule: they start unbound
  bool closed = false;               // in a rule: what its blocks match depends on nothing that was bound before
  std::string text;                  // as written, for reports
  Span span;
};
struct PatternEquation {
  Index pattern = 0;
  Index block = 0;                       // its value is in register 0
  std::uint16_t registers = 1;           // of its own
  std::vector<std::string> names;        // of the variables
  std::vector<std::uint16_t> variables;  // their registers; 0xFFFF: only ever handed on
  std::vector<Index> scalars;            // as of a rule
  Code guard;
  std::vector<Code> heads;  // by parameter; absent: the parameter is matched in the body
  Span span;
};
struct HelperPattern {
  std::string name;
  std::vector<Index> equations;
};

struct MatchProgram {
  std::vector<Instruction> code;  // code[0] is `fail`
  std::vector<SwitchTable> switches;
  std::vector<Accept> accepts;
  Index start = 0;
  std::uint16_t registers = 1;
};

// ---------------------------------------------------------------- values

enum class Eval : std::uint8_t {
  constant,  // push literal a
  load,      // push variable a
  store,     // pop into variable a
  negate,
  logical_not,
  add,
  subtract,
  multiply,
  divide,
  floor_divide,
  modulo,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  contains,
  not_contains,   // item, collection -> truth
  skip_if_false,  // top is known false: jump to a (kept); else go on
  skip_if_true,
  both,
  either,  // Kleene, on the two topmost
  list,
  tuple,
  slice,   // pop a items
  splice,  // mark the top as spliced into the list, tuple or call that takes it
  index,
  field,     // xs i -> xs[i]; field a: 0 start, 1 stop, 2 step
  builtin,   // a: Builtin, b: argument count
  function,  // a: one of RuleSet::called, b: argument count
  call,      // a: def, b: argument count
  build,     // a: template; its arguments are on the stack
  set,       // push set a
  text,      // pop a pieces, push their text
  fail,      // pop a text, push a failure
  op_name,   // push template a as an op value, for defined(<f>)
  end,
};

struct Step {
  Eval eval = Eval::end;
  std::uint16_t b = 0;
  Index a = 0;
};

struct TemplateArgument {
  std::string keyword;  // empty: positional
  bool splice = false;
};

struct Template {
  enum class Kind : std::uint8_t { op, exact, holes } kind = Kind::op;
  OpId op;
  Opcode opcode = Opcode::call_function;
  std::string target;
  std::vector<NamePiece> pieces;      // holes: text and variables
  std::vector<Index> hole_variables;  // by piece; kNone for text
  std::vector<TemplateArgument> arguments;
  std::string text;
  Span span;
};

struct SetValue {
  std::vector<Index> literals;
  std::vector<Index> ops;  // op patterns
};

struct Def {
  std::string name;
  struct Equation {
    Code guard, body;
    Span span;
    std::uint16_t variables = 0;
    std::vector<Index> scalars;  // as of a rule
  };
  std::vector<Equation> equations;
  MatchProgram match;  // registers 0 … n-1 are the arguments; accepts name equations
  std::uint16_t arity = 0;
};

// ---------------------------------------------------------------- rules

enum class ResultKind : std::uint8_t { value, keep, error, note };

struct Assignment {
  Index variable = kNone;  // of the left side; 0 is root; none: only made, for what it writes
  Index value = kNone;     // variable that holds the new value
  Code as;
};
struct KeepEntry {
  std::string key;
  bool meta = false;
  Code value;
};
struct Alternative {
  ResultKind kind = ResultKind::value;
  Code guard;
  Code code;  // value: evaluates and stores; error, note: pushes the text
  std::vector<Assignment> assignments;
  std::vector<KeepEntry> keeps;
  bool single = false;     // one value, for the root and for the operand that it writes
  Index existing = kNone;  // fast path: the result is this variable and nothing is built
  Span span, guard_span;
};

// A further root: matched among the users of a variable that is already bound to a node.
struct ExtraRoot {
  struct Anchor {
    Index variable = kNone;
    unsigned hops = 1;  // from the value to the root: 1 when it is an argument of the root itself
  };
  std::vector<Anchor> anchors;                           // nearest first
  Index variable = kNone;                                // that the root's own node is bound to
  MatchProgram match;                                    // register 0 is the candidate; bound variables are preloaded
  std::vector<std::pair<std::uint16_t, Index>> preload;  // register <- variable
};

struct Rule {
  std::string name;  // label, or file.rules:LINE
  std::string text;  // first line of the left side, for reports
  Span span;
  Index phase = 0;
  std::vector<std::string> variables;  // [0] is "root"
  // Variables of kind int, number or node: what a call writes as one int where its schema has a list is that int.
  std::vector<Index> scalars;
  std::vector<ExtraRoot> extra;
  std::vector<Alternative> alternatives;
  // The tests of the pattern as written, unshared, with the registers of its variables: for explanations.
  std::vector<Instruction> tests;
  std::vector<std::uint16_t> registers;
  Code as;
  std::uint16_t depth = 1;  // of the deepest pattern node
};

// What the equations of one rule file's scope say of ops. Both are helpers whose first argument is a call:
// `metas` gives the metadata of its value, `inverses` takes a value to be written through it (a view) and
// gives the base's new value.
struct OpFacts {
  Index metas = kNone, inverses = kNone;  // defs
  bool own = false;                       // the file itself has equations, not only what it imports
};

struct Phase {
  std::string name;
  bool once = false;
  bool reverse = false;
  Index facts = 0;
  std::vector<Index> rules;
  MatchProgram match;
  std::uint16_t depth = 1;  // calls that a chain may consist of are not counted
  Index chain = kNone;      // op pattern of those: helper patterns that repeat pass any number of them
};

struct RuleSet {
  std::shared_ptr<const Catalogue> catalogue;
  std::shared_ptr<const Functions> functions;  // null: none
  std::vector<Literal> literals;
  std::vector<OpPattern> op_patterns;
  std::vector<ArgumentKey> keys;
  std::vector<RestSpec> rests;
  std::vector<SetValue> sets;
  std::vector<Template> templates;
  std::vector<const Function*> called;  // of `functions`
  Index item_template = kNone;          // `r[0]` of a call: the catalogue's op for the role "getitem"
  std::vector<Step> steps;
  std::vector<Span> step_spans;  // parallel to steps
  std::vector<Instruction> pattern_code;
  std::vector<PatternCall> pattern_calls;
  std::vector<PatternEquation> pattern_equations;
  std::vector<HelperPattern> patterns;
  std::vector<Def> defs;
  std::vector<OpFacts> facts;  // by rule file
  std::vector<Rule> rules;
  std::vector<Phase> phases;
};

// `fxrules dump --stage program`.
[[nodiscard]] std::string to_text(const RuleSet& rules);
[[nodiscard]] std::string to_text(const RuleSet& rules, const MatchProgram& match, std::string_view indent);

}  // namespace fxrules::program
