// The parts of a node of the program JSON, found again when the node is spelled anew.
#pragma once

#include <string_view>
#include <vector>

#include "formats/pt2/argument_order.hpp"
#include "formats/pt2/origin.hpp"

namespace fxrules::pt2 {

struct NodeParts {
  Range target, inputs, outputs, metadata, name;  // values; not valid where the key is missing or null
  std::vector<NamedArgument> arguments;           // in file order; names live as long as the text
  std::vector<Range> argument_ranges, argument_values;
};
[[nodiscard]] NodeParts parts_of_node(const Source& source, Range node);
// Where the value of a key of an object stands; not valid where the key is missing.
[[nodiscard]] Range value_of(const Source& source, Range object, std::string_view key);

}  // namespace fxrules::pt2
