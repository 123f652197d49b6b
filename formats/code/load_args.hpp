// What a repro script says of its inputs: `load_args` makes each from a storage, a shape, strides and a dtype.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fxrules/graph.hpp"

namespace fxrules::code {

// Gives metadata to placeholders that have none, by the names that stand behind the lines of the first `load_args` in
// the text. Returns pairs of inputs made from one storage. What is not understood is left out. O(text).
std::vector<std::pair<std::string, std::string>> read_load_args(std::string_view text, Graph& graph);

}  // namespace fxrules::code
