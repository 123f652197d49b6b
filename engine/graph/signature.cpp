#include "fxrules/signature.hpp"

#include <algorithm>

namespace fxrules {

// Inputs are made in program order as a rule: then their ids increase.
const InputSpec* Signature::find(NodeId placeholder) const {
  const auto near = std::lower_bound(inputs.begin(), inputs.end(), placeholder,
                                     [](const InputSpec& s, NodeId n) { return s.node < n; });
  if (near != inputs.end() && near->node == placeholder) return &*near;
  const auto at = std::find_if(inputs.begin(), inputs.end(), [&](const InputSpec& s) { return s.node == placeholder; });
  return at == inputs.end() ? nullptr : &*at;
}

std::size_t Signature::mutation_of(NodeId placeholder) const {
  const auto at = std::find_if(outputs.begin(), outputs.end(),
                               [&](const OutputSpec& s) { return is_mutation(s.role) && s.input == placeholder; });
  return static_cast<std::size_t>(at - outputs.begin());
}

void Signature::forget(NodeId placeholder) {
  std::erase_if(inputs, [&](const InputSpec& s) { return s.node == placeholder; });
  for (OutputSpec& s : outputs) {
    if (s.input == placeholder) s.input = NodeId();
  }
}

}  // namespace fxrules
