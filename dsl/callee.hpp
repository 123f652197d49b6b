// What a callee means: an op pattern on the left, an op to build on the right.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dsl/definitions.hpp"
#include "dsl/helper_patterns.hpp"
#include "dsl/intern.hpp"
#include "dsl/lower.hpp"

namespace fxrules::dsl {

class Definitions {
 public:
  Definitions(const Scope& scope, program::RuleSet& rules);

  // Names are looked up from the tree that uses them.
  struct SetRef {
    const Ast* tree = nullptr;
    const SetDeclaration* set = nullptr;
    const Param* param = nullptr;
  };
  // A def or helper pattern: all equations of the nearest tree that has one.
  struct Helper {
    const Ast* tree = nullptr;
    std::vector<const Equation*> equations;
  };
  [[nodiscard]] const Param* find_param(const Ast& from, std::string_view name, const Ast** tree);
  [[nodiscard]] SetRef find_set(const Ast& from, std::string_view name);  // a set, or a param of type set
  [[nodiscard]] const Helper* find_def(const Ast& from, std::string_view name);
  [[nodiscard]] const Helper* find_pattern(const Ast& from, std::string_view name);

  // The compiled helper pattern; one that is new waits to be compiled.
  program::Index pattern(const Helper& helper);
  [[nodiscard]] std::vector<std::pair<program::Index, const Helper*>> take_new_patterns() {
    return std::exchange(new_patterns_, {});
  }

  [[nodiscard]] const PatternShape& shape(const Helper& helper);
  // The ops that a call of a helper pattern may match at its own place.
  [[nodiscard]] std::vector<program::Index> roots(const Ast& tree, TermId pattern);
  program::Index add_block(const std::vector<program::Instruction>& block);

  // The op pattern of a callee on the left; kNone with a diagnostic when a -D value names no op.
  program::Index op_pattern(const Ast& tree, std::uint32_t callee);
  // The ops of a set. Where it is used as a value (`device_type(d) in keep`) it may hold other things too.
  program::Index set_pattern(const SetRef& ref, bool ops_only = true);
  program::Index op_pattern(std::string_view spelled);  // "add", "aten.add.Tensor", ".cpu", from -D
  program::Index op_set(std::vector<program::Index> members, std::string text);

  program::Index literal(const program::Literal& literal) { return literals_(rules_->literals, literal); }
  program::Index key(std::uint32_t position, std::string_view keyword) {
    return keys_(rules_->keys, {position, std::string(keyword)});
  }
  program::Index rest(const program::RestSpec& rest) { return rests_(rules_->rests, rest); }

  [[nodiscard]] std::vector<Diagnostic>& diagnostics() { return diagnostics_; }
  [[nodiscard]] const Catalogue& catalogue() const { return *rules_->catalogue; }
  [[nodiscard]] program::RuleSet& rules() { return *rules_; }
  [[nodiscard]] const Scope& scope() const { return *scope_; }

 private:
  program::Index add(program::OpPattern pattern);
  const Definition* find(const Ast& from, std::string_view name);
  const Helper* helper(const Definition& definition, std::string_view name);

  const Scope* scope_;
  program::RuleSet* rules_;
  std::unordered_map<const Ast*, VisibleNames> names_;  // of the trees that have used one
  std::map<std::pair<const Ast*, std::string_view>, Helper> helpers_;
  std::map<const Helper*, program::Index> patterns_;
  std::map<const Helper*, PatternShape> shapes_;
  std::vector<std::pair<program::Index, const Helper*>> new_patterns_;
  std::unordered_map<std::string_view, program::Index> spelled_;  // op patterns of names as rules spell them
  Interner<program::Literal> literals_;
  Interner<program::ArgumentKey> keys_;
  Interner<program::RestSpec> rests_;
  std::map<std::string, program::Index, std::less<>> patterns_by_text_;
  std::vector<Diagnostic> diagnostics_;
};

// `aten.add.Tensor` and other catalogued name spaces mean torch.ops.…; anything else is a path as written.
[[nodiscard]] std::string full_target(const Catalogue& catalogue, std::string_view dotted);
// The members of a set given with -D: `{index_put, add.Tensor}`, `meta`, `"a","b"`.
[[nodiscard]] std::vector<std::string> split_set_text(std::string_view text);

}  // namespace fxrules::dsl
