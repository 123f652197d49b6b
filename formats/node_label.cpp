#include "formats/node_label.hpp"

#include <fmt/format.h>

namespace fxrules {

NodeLabel node_label(const Graph& graph, NodeId node) {
  NodeLabel out;
  out.name = graph.name(node);
  const std::string_view target = graph.target(node);
  switch (graph.opcode(node)) {
    case Opcode::placeholder:
      out.what = target == graph.name(node) ? "" : std::string(target);
      out.colour = "#d5e8d4";
      break;
    case Opcode::get_attr:
      out.what = fmt::format("self.{}", target);
      out.colour = "#fff2cc";
      break;
    case Opcode::call_function:
      out.what = target;
      out.colour = "#dae8fc";
      break;
    case Opcode::call_method:
      out.what = fmt::format(".{}", target);
      out.colour = "#e1d5e7";
      break;
    case Opcode::call_module:
      out.what = fmt::format("self.{}()", target);
      out.colour = "#ffe6cc";
      break;
    case Opcode::output:
      out.colour = "#f8cecc";
      break;
  }
  if (graph.meta(node).valid()) out.value = graph.metas().text(graph.meta(node));
  return out;
}

}  // namespace fxrules
