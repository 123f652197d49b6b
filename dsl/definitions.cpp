#include "dsl/definitions.hpp"

namespace fxrules::dsl {

VisibleNames::VisibleNames(const std::vector<const Ast*>& trees) {
  const auto add = [this](std::string_view name, DefinitionKind kind, const Ast& tree, std::size_t index,
                          std::size_t parameters) {
    names_.try_emplace(name, Definition{kind, &tree, static_cast<std::uint32_t>(index), parameters});
  };
  for (const Ast* tree : trees) {
    for (std::size_t i = 0; i < tree->params.size(); ++i) add(tree->params[i].name, DefinitionKind::param, *tree, i, 0);
    for (std::size_t i = 0; i < tree->sets.size(); ++i) add(tree->sets[i].name, DefinitionKind::set, *tree, i, 0);
    for (std::size_t i = 0; i < tree->defs.size(); ++i)
      add(tree->defs[i].name, DefinitionKind::def, *tree, i, tree->defs[i].parameters.size());
    for (std::size_t i = 0; i < tree->patterns.size(); ++i)
      add(tree->patterns[i].name, DefinitionKind::pattern, *tree, i, tree->patterns[i].parameters.size());
  }
}

const Definition* VisibleNames::find(std::string_view name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? nullptr : &found->second;
}

std::vector<std::string_view> VisibleNames::all() const {
  std::vector<std::string_view> all;
  all.reserve(names_.size());
  for (const auto& [name, definition] : names_) all.push_back(name);
  return all;
}

bool VisibleNames::is_set(std::string_view name) const {
  const Definition* found = find(name);
  if (found == nullptr) return false;
  if (found->kind == DefinitionKind::set) return true;
  return found->kind == DefinitionKind::param && found->tree->params[found->index].type == "set";
}

}  // namespace fxrules::dsl
