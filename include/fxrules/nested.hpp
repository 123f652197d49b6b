// A graph together with those that are nested in it, at any depth.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fxrules/graph.hpp"

namespace fxrules {

template <class AnyGraph>
struct NestedGraph {
  AnyGraph* graph = nullptr;
  std::string path;  // "cond_true_0.body"; empty for the graph itself
};

// The graph itself, then those in it, each in front of its own: the order of reports and of what is written.
// AnyGraph: Graph or const Graph. O(graphs · length of a path).
template <class AnyGraph>
[[nodiscard]] std::vector<NestedGraph<AnyGraph>> with_nested(AnyGraph& top) {
  std::vector<NestedGraph<AnyGraph>> out, open{{&top, ""}};
  while (!open.empty()) {
    out.push_back(std::move(open.back()));
    open.pop_back();
    const NestedGraph<AnyGraph> outer = out.back();
    const auto inside = outer.graph->subgraphs();
    for (std::size_t i = inside.size(); i-- > 0;) {
      std::string path = outer.path.empty() ? "" : outer.path + ".";
      path += outer.graph->text(inside[i].path);
      open.push_back({inside[i].graph.get(), std::move(path)});
    }
  }
  return out;
}

}  // namespace fxrules
