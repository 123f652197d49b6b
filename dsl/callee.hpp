// What a callee means: an op pattern on the left, an op to build on the right.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "dsl/intern.hpp"
#include "dsl/lower.hpp"

namespace fxrules::dsl {

class Definitions {
 public:
  Definitions(const Scope& scope, program::RuleSet& rules);

  struct SetRef {
    const Ast* tree = nullptr;
    const SetDeclaration* set = nullptr;
    const Param* param = nullptr;
  };
  [[nodiscard]] const Param* find_param(std::string_view name, const Ast** tree) const;
  [[nodiscard]] SetRef find_set(std::string_view name) const;  // a set, or a param of type set
  [[nodiscard]] const Ast* tree_defining(std::string_view def) const;
  [[nodiscard]] const std::vector<const Equation*>& equations_of(std::string_view def) const;
  [[nodiscard]] bool is_helper_pattern(std::string_view name) const;

  // The op pattern of a callee on the left; kNone with a diagnostic when a -D value names no op.
  program::Index op_pattern(const Ast& tree, std::uint32_t callee);
  // The ops of a set. Where it is used as a value (`device_type(d) in keep`) it may hold other things too.
  program::Index set_pattern(const SetRef& ref, bool ops_only = true);
  program::Index op_pattern(std::string_view spelled);  // "add", "aten.add.Tensor", ".cpu", from -D

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

  // A def or pattern means all its equations in the nearest tree that has one.
  struct Helper {
    const Ast* tree = nullptr;
    std::vector<const Equation*> equations;
  };

  const Scope* scope_;
  program::RuleSet* rules_;
  std::unordered_map<std::string_view, Helper> defs_;
  std::unordered_map<std::string_view, SetRef> sets_;
  std::unordered_map<std::string_view, std::pair<const Ast*, const Param*>> params_;
  std::unordered_set<std::string_view> helper_patterns_;
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
