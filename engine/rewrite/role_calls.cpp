#include "engine/rewrite/role_calls.hpp"

#include <algorithm>

namespace fxrules::rewrite {

bool spells_overloads(const Graph& graph, const Catalogue& catalogue) {
  std::vector<bool> looked(graph.form_count());
  return std::any_of(graph.nodes().begin(), graph.nodes().end(), [&](NodeId n) {
    if (looked[graph.form_id(n).value] || graph.opcode(n) != Opcode::call_function) return false;
    looked[graph.form_id(n).value] = true;
    const auto spelling = catalogue.resolve(Opcode::call_function, graph.target(n));
    return spelling &&
           (spelling->style == SpellingStyle::aten_overload || spelling->style == SpellingStyle::edge_overload);
  });
}

NodeId call_of_role(Graph& graph, const Catalogue& catalogue, std::string_view role,
                    const std::vector<NodeId>& operands, bool overload, NodeId before) {
  const OpId op = catalogue.role(role);
  CallBuilder builder(graph);
  for (const NodeId n : operands) builder.node(n);
  if (!overload) return builder.create(Opcode::call_method, catalogue.method_of(op), {}, before);
  return builder.create(Opcode::call_function, catalogue.overload_target(catalogue.overloads(op).front()), {}, before);
}

}  // namespace fxrules::rewrite
