// Calls that the engine makes by itself, by the role of their op in the catalogue: `clone`, `write`. Beside
// overloads they are aten overloads, in edge graphs too, whose write-backs are; elsewhere methods.
#pragma once

#include <string_view>
#include <vector>

#include "fxrules/catalogue.hpp"
#include "fxrules/graph.hpp"

namespace fxrules::rewrite {

// Some call is spelled as an overload of aten or of the edge dialect. O(nodes).
[[nodiscard]] bool spells_overloads(const Graph& graph, const Catalogue& catalogue);

// Requires: the catalogue has an op of that role. Operands are positional.
NodeId call_of_role(Graph& graph, const Catalogue& catalogue, std::string_view role,
                    const std::vector<NodeId>& operands, bool overload, NodeId before);

}  // namespace fxrules::rewrite
