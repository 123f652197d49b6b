// What drawings say of a node.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fxrules/graph.hpp"

namespace fxrules {

struct NodeLabel {
  std::string name;
  std::string what;   // "torch.add", ".view", "self.weight"
  std::string value;  // "f32[4][1]cpu"; empty: not known
  std::string_view colour;
};
[[nodiscard]] NodeLabel node_label(const Graph& graph, NodeId node);

}  // namespace fxrules
