// What torch knows of each op: schemas, defaults, mutation and alias annotations, tags, commutativity,
// and which spellings exist. A data file generated from an installed torch, an overlay kept by hand for
// what schemas leave out, and users' own files in the same notation.
//
// Vocabulary. An *op* is a base name in a name space (`aten::add`; `aten::add_` is another op). An
// *overload* is one schema of it (`aten::add.Tensor`), or one Python signature of a function that torch
// writes in Python (`torch.nn.functional.relu(Tensor input, bool inplace=False)`). A *spelling* is a
// target as FX prints it (`torch.add`, method `add`, `operator.add`, `torch.ops.aten.add.Tensor`).
//
// Loading indexes names only; a schema is parsed when it is first asked for, so that a run on a small
// graph does not pay for four thousand schemas.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fxrules/diagnostic.hpp"
#include "fxrules/ids.hpp"

namespace fxrules {

enum class Opcode : std::uint8_t { placeholder, get_attr, call_function, call_method, call_module, output };
[[nodiscard]] std::string_view to_string(Opcode opcode);
[[nodiscard]] constexpr bool is_call(Opcode opcode) {
  return opcode == Opcode::call_function || opcode == Opcode::call_method || opcode == Opcode::call_module;
}

enum class TypeKind : std::uint8_t {
  any,  // no annotation, or a type that is none of these
  tensor,
  number,    // torch's Scalar
  integer,   // int and SymInt
  floating,  // float and SymFloat
  boolean,   // bool and SymBool
  string,
  dtype,  // ScalarType
  device,
  layout,
  memory_format,
  generator,
  dimname,
};

struct SchemaType {
  TypeKind kind = TypeKind::any;
  bool list = false;               // T[] or T[n]
  bool optional = false;           // T? or T[]?
  bool optional_elements = false;  // Tensor?[]
  std::int32_t fixed_length = -1;  // n of T[n]: a single element stands for n of it
  friend bool operator==(const SchemaType&, const SchemaType&) = default;
};

struct SchemaArgument {
  std::string_view name;
  SchemaType type;
  bool keyword_only = false;
  bool has_default = false;
  std::string_view default_text;  // Python spelling: None, True, 1, 1e-05, [0, 1], "mean", contiguous_format
  bool variadic = false;          // `*args`: takes all remaining positional arguments
  std::string_view alias;         // alias set, as "a"; empty when none
  bool writes = false;            // `Tensor(a!)`
  // Written only when another argument has a value: "inplace=True", "max_norm!=None". "" means always.
  std::string_view writes_when;
  // In its alias set, without being written, only under such a condition: "name=T|mT|real". "" means always.
  std::string_view alias_when;
  // What the op's schemas call this argument of a Python signature (`train` for `training`); "" when the same.
  std::string_view role;
};

// A result in an argument's alias set may share storage with it (always does under OpTag::view). With
// `writes` it is that argument, exactly when the argument is written: relu's result with inplace=True.
struct SchemaReturn {
  std::string_view name;
  SchemaType type;
  std::string_view alias;
  bool writes = false;
};

// Facts about an overload that no argument shows.
enum class OpTag : std::uint16_t {
  none = 0,
  pointwise = 1,
  core = 2,
  view = 4,             // result shares storage with an argument, always
  inplace_view = 8,     // changes sizes or strides of its operand, not its values (`t_`)
  random = 16,          // nondeterministic_seeded
  effect = 32,          // must not be removed, repeated or moved: asserts, collectives, grad mode, prints
  data_dependent = 64,  // output shape depends on values
  commutative = 128,    // first two arguments may be exchanged while the others are at their default
  may_alias = 256,      // result shares storage with an argument sometimes (`reshape`); excludes `view`
  method = 512,         // Python binds this schema as a Tensor method
  function = 1024,      // Python binds this schema as a function
  strided = 2048,       // a view that depends on its operand's strides, or that not all strides have (`view`)
  rebinds = 4096,       // its operand takes the storage of the argument with an alias set (`set_`)
  other_values = 8192,  // may_alias, and what is no alias looks like one and holds other values (`dropout`)
};
[[nodiscard]] constexpr OpTag operator|(OpTag a, OpTag b) {
  return static_cast<OpTag>(static_cast<std::uint16_t>(a) | static_cast<std::uint16_t>(b));
}
[[nodiscard]] constexpr bool has(OpTag set, OpTag bit) {
  return (static_cast<std::uint16_t>(set) & static_cast<std::uint16_t>(bit)) != 0;
}

// How a higher-order op calls graphs: `higher_order::cond | graphs=true_fn,false_fn operands=operands calls=branch`.
struct GraphCall {
  enum class Kind : std::uint8_t {
    once,    // one graph, with all operands
    branch,  // one of several graphs, with all operands; each gives the results
    loop,    // the first graph until the second says no; its results are its first operands of the next turn
    scan,    // as `loop`, over slices of the second group of operands; further results are stacked
    each,    // the graph for each slice of the first group of operands
  };
  Kind kind = Kind::once;
  std::vector<std::string_view> graphs;    // arguments that are graphs
  std::vector<std::string_view> operands;  // arguments that hold what the graphs take: a placeholder for each value
};

struct Overload {
  OpId op;
  OverloadId id;
  std::string_view name;  // "Tensor"; "default" when the schema names none; "" for a Python signature
  std::vector<SchemaArgument> arguments;
  std::vector<SchemaReturn> returns;
  OpTag tags = OpTag::none;
  bool python = false;             // a Python signature, of `python_target` alone
  std::string_view python_target;  // as "torch.nn.functional.relu"; ".to" for a method
  // Where a Python signature orders its arguments otherwise than the op's schemas do (F.embedding,
  // F.batch_norm): rule_order[k] is the index in `arguments` of what the schemas have at position k, -1
  // for what this signature lacks. A rule's positional arguments go by it; a call's go by `arguments`.
  // Empty where both orders agree.
  std::vector<int> rule_order;

  [[nodiscard]] bool writes() const;  // some argument is written, perhaps conditionally
  // Index of the argument that a keyword names, by name, by role, or by one of torch's Python synonyms
  // (`input` is `self`, `axis` is `dim`, `keepdims` is `keepdim`); -1 when there is none.
  [[nodiscard]] int find(std::string_view keyword) const;
};

enum class SpellingStyle : std::uint8_t {
  method,         // call_method add
  function,       // call_function torch.add, torch.nn.functional.relu
  operator_,      // call_function operator.add, builtins.getattr
  dunder,         // call_method __add__; also torch.Tensor.add (unbound)
  aten_packet,    // torch.ops.NS.op
  aten_overload,  // torch.ops.NS.op.overload
  edge_packet,    // executorch.exir.dialects.edge._ops.NS.op
  edge_overload,
};

// How a target of a graph is understood.
struct Spelling {
  OpId op;
  SpellingStyle style;
  OverloadId overload;     // valid only when the target names one
  bool reflected = false;  // `__radd__`: the first two arguments are exchanged
};

class Catalogue {
 public:
  // Reads `<data_dir>/catalogue/torch.ops` and `overlay.ops`. Throws Error when they are missing or when
  // a line says nothing that the index understands; a malformed signature throws where it is first asked
  // for. O(size of the files); about a millisecond.
  static std::shared_ptr<Catalogue> load(const std::filesystem::path& data_dir);
  // From texts, for tests.
  static std::shared_ptr<Catalogue> from_texts(std::vector<Source> sources);

  ~Catalogue();
  Catalogue(const Catalogue&) = delete;
  Catalogue& operator=(const Catalogue&) = delete;

  // Adds a user's ops in torch's schema notation, one a line; `#` comments. A line for an overload or a
  // Python signature that is there already replaces it. Everything is checked at once; on errors nothing
  // is added. Not while other threads use the catalogue.
  [[nodiscard]] std::vector<Diagnostic> add(SourcePtr source);

  // ---- ops -------------------------------------------------------------------------------------
  // `name` as rules write it: "add" (aten first; then name space "python", which holds what has no aten
  // op: getitem, setitem, getattr, interpolate; then prims), "aten.add", "aten::add",
  // "quantized_decomposed.quantize_per_tensor".
  [[nodiscard]] std::optional<OpId> find_op(std::string_view name) const;
  [[nodiscard]] std::string_view op_name(OpId op) const;       // "add"
  [[nodiscard]] std::string_view op_namespace(OpId op) const;  // "aten"; "python" for getitem and kin
  [[nodiscard]] std::size_t op_count() const;
  [[nodiscard]] std::vector<std::string_view> all_op_names() const;  // for nearest-name hints
  // All overloads, schemas first in the file's order, then Python signatures. Parses on first use.
  // The catalogue may be shared by threads; the lazy parse is synchronised.
  [[nodiscard]] const std::vector<OverloadId>& overloads(OpId op) const;
  [[nodiscard]] const Overload& overload(OverloadId id) const;
  [[nodiscard]] std::optional<OverloadId> find_overload(OpId op, std::string_view name) const;

  // add_ -> add and add -> add_; nullopt where torch has none that takes the same arguments (`normal_` is
  // no `normal`) or a rule could not call it.
  [[nodiscard]] std::optional<OpId> functional_form(OpId in_place) const;
  [[nodiscard]] std::optional<OpId> in_place_form(OpId functional) const;

  // ---- spellings -------------------------------------------------------------------------------
  // `target` as the text IR prints it; nullopt for what the catalogue does not know. O(1).
  [[nodiscard]] std::optional<Spelling> resolve(Opcode opcode, std::string_view target) const;
  // The path that torch prints for a function that also has a friendlier one: "torch._C._nn.linear" for
  // "torch.nn.functional.linear", "torch.functional.einsum" for "torch.einsum"; else `path` itself.
  [[nodiscard]] std::string_view printed_target(std::string_view path) const;
  // Overloads that a spelling can mean, in the order in which a call should try them. An overload: that
  // one. A packet: all schemas. A method or a function bound from C++: the schemas that Python binds so,
  // then what its file adds in Python signatures. A function written in Python, and what the overlay gives
  // signatures (`.to`, `operator.iadd`): those alone.
  [[nodiscard]] std::vector<OverloadId> candidates(const Spelling& spelling, std::string_view target) const;
  // Targets for an op, empty where torch has no such spelling.
  [[nodiscard]] std::string_view method_of(OpId op) const;    // "add"
  [[nodiscard]] std::string_view function_of(OpId op) const;  // "torch.add"; torch's own printed path
  [[nodiscard]] std::string_view operator_of(OpId op) const;  // "operator.add"
  // Empty for ops of the name space "python", which torch.ops does not have.
  [[nodiscard]] std::string packet_target(OpId op) const;          // "torch.ops.aten.add"
  [[nodiscard]] std::string overload_target(OverloadId id) const;  // "torch.ops.aten.add.Tensor"
  [[nodiscard]] std::string edge_target(OverloadId id) const;

  // Helper ops that the engine itself creates, named by role in the overlay: "getitem", "write",
  // "clone", "writeback". Throws std::out_of_range for a role that the overlay does not name.
  [[nodiscard]] OpId role(std::string_view role) const;
  [[nodiscard]] std::optional<OpId> find_role(std::string_view role) const;
  // How the op calls graphs; null for an op that calls none, as far as the catalogue says.
  [[nodiscard]] const GraphCall* graph_call(OpId op) const;

 private:
  Catalogue();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fxrules
