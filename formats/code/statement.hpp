// One statement of generated code: `name: "meta" = call;  x = y = None`.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "formats/code/callee.hpp"
#include "formats/code/operators.hpp"
#include "formats/code/scope.hpp"
#include "formats/code/values.hpp"
#include "fxrules/formats.hpp"

namespace fxrules::code {

// `: "f32[4]"` or ` : torch.Tensor` behind a name.
struct Annotation {
  MetaId meta;
  SymbolId type;
  std::size_t end = 0;  // behind it
};

class StatementReader {
 public:
  static constexpr std::size_t kFailed = ValueReader::kFailed;

  StatementReader(std::string_view text, Graph& graph, Scope& scope, const Imports& imports, CodeStyle& style)
      : text_(text),
        graph_(graph),
        scope_(scope),
        imports_(imports),
        style_(style),
        values_(text, graph, scope),
        builder_(std::in_place, graph) {}

  // Reads the statement at `at` and makes its node. The end of its line, or kFailed; then nothing was made.
  std::size_t read(std::size_t at);
  // Reads `return VALUE` at `at` and makes the output node.
  std::size_t read_return(std::size_t at);
  // Makes a placeholder; its default, if any, is the value at `default_at`, whose end is returned.
  std::size_t placeholder(std::string_view target, std::string_view name, const Annotation& annotation,
                          std::size_t default_at);
  // The annotation at `at`, which may be none (end == at); kFailed as its end: malformed.
  Annotation annotation(std::size_t at, std::string_view stops);

  [[nodiscard]] const Problem& problem() const { return problem_; }
  [[nodiscard]] ValueReader& values() { return values_; }
  [[nodiscard]] NodeId last() const { return last_; }
  // What stands between the returned value and the brackets of `self._out_shuffle_graph(`, as "a, b, ".
  void set_leaves(std::string_view leaves) { leaves_ = leaves; }

 private:
  std::size_t right_side(std::size_t at);
  std::size_t unary(std::size_t at);
  std::size_t operand(std::size_t at);
  std::size_t behind_operand(std::size_t at);
  std::size_t called_name(std::size_t at, std::size_t end);
  std::size_t path(std::size_t at, std::size_t end);
  std::size_t module_path(std::size_t at);
  std::size_t method(std::size_t dot);
  bool written_operand(std::size_t at, std::string_view name);
  std::size_t in_place(std::size_t at, std::size_t end, const Operator* op);
  std::size_t set_index(std::size_t open);
  std::size_t behind_in_place(std::size_t at, std::string_view first);
  std::size_t finish(std::size_t at);
  std::size_t deletions(std::size_t at);
  std::size_t free_chain(std::size_t at);
  std::size_t line_tail(std::size_t at);
  std::size_t end_of_annotation(std::size_t at, std::string_view stops) const;
  bool node_operand(std::size_t at, std::string_view name);

  void target(Opcode opcode, SymbolId target) {
    opcode_ = opcode;
    target_ = target;
  }
  SymbolId operator_target(std::string_view function);
  MetaId meta_of(std::string_view text);
  void forget();
  std::size_t fail(std::string_view kind, std::string message, std::size_t begin, std::size_t end,
                   std::string hint = {});
  std::size_t fail_values();
  std::size_t fail_duplicate();
  [[nodiscard]] std::size_t skip(std::size_t at) const {
    while (at < text_.size() && text_[at] == ' ') ++at;
    return at;
  }
  [[nodiscard]] bool at_line_end(std::size_t at) const;

  std::string_view text_;
  Graph& graph_;
  Scope& scope_;
  const Imports& imports_;
  CodeStyle& style_;
  ValueReader values_;
  std::optional<CallBuilder> builder_;
  std::string_view name_, leaves_;
  std::size_t name_at_ = 0;
  Annotation annotation_;
  Opcode opcode_ = Opcode::call_function;
  SymbolId target_;
  NodeId last_;
  std::unordered_map<std::string_view, SymbolId> callees_, operators_;
  std::unordered_map<std::string_view, MetaId> metas_;  // by text, which many nodes share; none: kept as text
  Problem problem_;
};

}  // namespace fxrules::code
