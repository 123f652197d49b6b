// What a file's names mean in its scope: parameters, sets, helpers and helper patterns share one name space,
// and a definition of an earlier tree hides those of later trees whole.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dsl/ast.hpp"

namespace fxrules::dsl {

enum class DefinitionKind : std::uint8_t { param, set, def, pattern };

struct Definition {
  DefinitionKind kind = DefinitionKind::def;
  const Ast* tree = nullptr;
  std::uint32_t index = 0;     // into the tree's params or sets; of the first equation of a def or pattern
  std::size_t parameters = 0;  // of a def or pattern
};

class VisibleNames {
 public:
  // `trees`, nearest first. They must outlive this.
  explicit VisibleNames(const std::vector<const Ast*>& trees);

  [[nodiscard]] const Definition* find(std::string_view name) const;
  [[nodiscard]] std::vector<std::string_view> all() const;
  // A set, or a parameter that holds one.
  [[nodiscard]] bool is_set(std::string_view name) const;

 private:
  std::unordered_map<std::string_view, Definition> names_;
};

}  // namespace fxrules::dsl
