// Argument terms of a test graph, as arguments of a node.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "dsl/ast.hpp"
#include "fxrules/graph.hpp"

namespace fxrules::cli {

// What a term stands for that is no literal and no container: the node of a name, of a call, of an index.
using NodeOfTerm = std::function<NodeId(dsl::TermId)>;

// A node of its own: a call that is no literal, or an index.
[[nodiscard]] bool makes_node(const dsl::Ast& ast, dsl::TermId term);

// Terms below `term` (itself excluded) that make nodes, inner ones first. O(size).
[[nodiscard]] std::vector<dsl::TermId> inner_calls(const dsl::Ast& ast, dsl::TermId term);

// Appends one argument. False when some term can be no argument; `wrong` is then that term. A none id from
// `node_of` counts as reported already and gives None.
bool add_argument(CallBuilder& call, const dsl::Ast& ast, dsl::TermId term, const NodeOfTerm& node_of,
                  dsl::TermId& wrong);

}  // namespace fxrules::cli
