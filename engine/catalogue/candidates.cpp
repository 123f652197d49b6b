// Which overloads a spelling can mean.
#include <algorithm>

#include "engine/catalogue/impl.hpp"

namespace fxrules {
namespace {

using catalogue::PathRecord;

constexpr std::string_view tensor_prefix = "torch.Tensor.";

bool is_method(const Spelling& spelling) {
  return spelling.style == SpellingStyle::method || spelling.style == SpellingStyle::dunder;
}

bool is_packet(const Spelling& spelling) {
  return spelling.style == SpellingStyle::aten_packet || spelling.style == SpellingStyle::edge_packet;
}

// Which schemas Python binds under this spelling. Operators reach what methods reach and, with a number
// first, what functions reach.
OpTag binding_of(const Spelling& spelling) {
  if (spelling.style == SpellingStyle::function) return OpTag::function;
  if (spelling.style == SpellingStyle::method) return OpTag::method;
  return OpTag::method | OpTag::function;
}

std::string_view bare_method(std::string_view target) {
  return target.starts_with(tensor_prefix) ? target.substr(tensor_prefix.size()) : target;
}

// Signatures name methods with a dot, targets of call_method without.
bool names_target(const Overload& overload, const Spelling& spelling, std::string_view target) {
  const std::string_view name = overload.python_target;
  return is_method(spelling) ? name.starts_with('.') && name.substr(1) == bare_method(target) : name == target;
}

bool has_out(const Overload& overload) {
  return std::any_of(overload.arguments.begin(), overload.arguments.end(),
                     [](const SchemaArgument& argument) { return argument.writes && argument.keyword_only; });
}

}  // namespace

std::vector<OverloadId> Catalogue::candidates(const Spelling& spelling, std::string_view target) const {
  if (spelling.overload) return {spelling.overload};
  const std::string_view printed = printed_target(target);
  const PathRecord* path =
      is_method(spelling) ? impl_->index.find_method(bare_method(target)) : impl_->index.find_path(printed);
  const bool schemas_too = is_packet(spelling) || (path != nullptr && path->plain);
  const OpTag binding = binding_of(spelling);
  std::vector<OverloadId> bound, unbound, signatures;
  for (const OverloadId id : overloads(spelling.op)) {
    const Overload& overload = this->overload(id);
    if (overload.python) {
      if (!is_packet(spelling) && names_target(overload, spelling, printed)) signatures.push_back(id);
    } else if (schemas_too) {
      const bool is_bound = is_packet(spelling) || has(overload.tags, binding);
      if (is_bound || !has_out(overload)) (is_bound ? bound : unbound).push_back(id);
    }
  }
  // Methods that torch binds by hand (`size`) carry no mark on their schemas.
  std::vector<OverloadId>& result = bound.empty() && signatures.empty() ? unbound : bound;
  result.insert(result.end(), signatures.begin(), signatures.end());
  return result;
}

}  // namespace fxrules
