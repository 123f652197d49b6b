#pragma once

#include <cstdint>
#include <vector>

#include "fxrules/graph.hpp"

namespace fxrules::text_ir {

// Distinct users of every node, by node id, in one pass over all arguments. A user's uses stand in one
// run of slots, so the last user seen tells whether it is a new one.
[[nodiscard]] std::vector<std::uint32_t> count_users(const Graph& graph);

}  // namespace fxrules::text_ir
