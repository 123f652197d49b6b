// What the inputs and outputs of an exported program are: parameters, buffers, what the caller gives, and
// which outputs are new values of buffers or inputs. Inputs are named by their placeholder and outputs by
// their place in the output node, so that a renamed node and a replaced value need no care here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fxrules/ids.hpp"

namespace fxrules {

enum class InputRole : std::uint8_t {
  user,  // the caller gives it
  parameter,
  buffer,
  constant,  // a tensor constant, lifted
  object,    // a custom object, lifted
  token,
  literal,  // a value that was no tensor when the program was captured, and is fixed
};

enum class OutputRole : std::uint8_t {
  user,
  loss,
  buffer_mutation,
  parameter_mutation,
  input_mutation,
  parameter_gradient,
  input_gradient,
  token,
};
[[nodiscard]] constexpr bool is_mutation(OutputRole role) {
  return role == OutputRole::buffer_mutation || role == OutputRole::parameter_mutation ||
         role == OutputRole::input_mutation;
}

struct InputSpec {
  NodeId node;  // the placeholder
  InputRole role = InputRole::user;
  SymbolId path;           // what the module calls it, as "cache.k"; none for user, token and literal
  bool persistent = true;  // of a buffer
};

struct OutputSpec {
  OutputRole role = OutputRole::user;
  NodeId input;  // the placeholder that a mutation or gradient is of; none for the others
};

struct Signature {
  std::vector<InputSpec> inputs;    // one a placeholder, in program order
  std::vector<OutputSpec> outputs;  // one a value of the output node, in their order

  // O(inputs), O(outputs); null and `outputs.size()` where there is none.
  [[nodiscard]] const InputSpec* find(NodeId placeholder) const;
  [[nodiscard]] std::size_t mutation_of(NodeId placeholder) const;
  // The placeholder is erased: its entry goes, and gradients or mutations of it lose their target.
  void forget(NodeId placeholder);
};

}  // namespace fxrules
