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

enum class TypeKind : std::uint8_t {
  any,            // no annotation, or a type that is none of these
  tensor,
  number,         // torch's Scalar
  integer,        // int and SymInt
  floating,       // float and SymFloat
  boolean,        // bool and SymBool
  string,
  dtype,          // ScalarType
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
  // Written only when this argument has this value (`inplace=True`): "" means always.
  std::string_view writes_when;   // as "inplace=True"
};

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
};
[[nodiscard]] constexpr OpTag operator|(OpTag a, OpTag b) {
  return static_cast<OpTag>(static_cast<std::uint16_t>(a) | static_cast<std::uint16_t>(b));
}
[[nodiscard]] constexpr bool has(OpTag set, OpTag bit) {
  return (static_cast<std::uint16_t>(set) & static_cast<std::uint16_t>(bit)) != 0;
}

struct Overload {
  OpId op;
  OverloadId id;
  std::string_view name;  // "Tensor"; "default" when the schema names none; "" for a Python signature
  std::vector<SchemaArgument> arguments;
  std::vector<SchemaReturn> returns;
  OpTag tags = OpTag::none;
  bool python = false;    // a Python signature, of `python_target` alone
  std::string_view python_target;

  [[nodiscard]] bool writes() const;  // some argument is written, perhaps conditionally
  // Index of the argument that a keyword names, torch's Python synonyms included (`input` is `self`,
  // `axis` is `dim`, `keepdims` is `keepdim`); -1 when there is none.
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
  OverloadId overload;  // valid only when the target names one
  bool reflected = false;  // `__radd__`: the first two arguments are exchanged
};

class Catalogue {
 public:
  // Reads `<data_dir>/catalogue/torch.ops` and `overlay.ops`. Throws Error when they are missing or
  // malformed. O(size of the files); about a millisecond.
  static std::shared_ptr<Catalogue> load(const std::filesystem::path& data_dir);
  // From texts, for tests.
  static std::shared_ptr<Catalogue> from_texts(std::vector<Source> sources);

  ~Catalogue();
  Catalogue(const Catalogue&) = delete;
  Catalogue& operator=(const Catalogue&) = delete;

  // Adds a user's ops in torch's schema notation, one a line; `#` comments. Errors are located.
  [[nodiscard]] std::vector<Diagnostic> add(SourcePtr source);

  // ---- ops -------------------------------------------------------------------------------------
  // `name` as rules write it: "add" (aten first, then the operators and builtins that have no aten op:
  // getitem, setitem, getattr), "aten.add", "aten::add", "quantized_decomposed.quantize_per_tensor".
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

  // add_ -> add and add -> add_; nullopt where torch has none.
  [[nodiscard]] std::optional<OpId> functional_form(OpId in_place) const;
  [[nodiscard]] std::optional<OpId> in_place_form(OpId functional) const;

  // ---- spellings -------------------------------------------------------------------------------
  // `target` as the text IR prints it; nullopt for what the catalogue does not know. O(1).
  [[nodiscard]] std::optional<Spelling> resolve(Opcode opcode, std::string_view target) const;
  // Overloads that a spelling can mean (an overload spelling: that one; a method: those that exist as
  // methods; a function: its Python signatures if it has any, else the schemas).
  [[nodiscard]] std::vector<OverloadId> candidates(const Spelling& spelling, std::string_view target) const;
  // Targets for an op, empty where torch has no such spelling.
  [[nodiscard]] std::string_view method_of(OpId op) const;    // "add"
  [[nodiscard]] std::string_view function_of(OpId op) const;  // "torch.add"; torch's own printed path
  [[nodiscard]] std::string_view operator_of(OpId op) const;  // "operator.add"
  [[nodiscard]] std::string packet_target(OpId op) const;     // "torch.ops.aten.add"
  [[nodiscard]] std::string overload_target(OverloadId id) const;  // "torch.ops.aten.add.Tensor"
  [[nodiscard]] std::string edge_target(OverloadId id) const;

  // Helper ops that the engine itself creates, named by role in the overlay: "getitem", "write",
  // "clone". Throws std::out_of_range for a role that the overlay does not name.
  [[nodiscard]] OpId role(std::string_view role) const;

 private:
  Catalogue();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fxrules
