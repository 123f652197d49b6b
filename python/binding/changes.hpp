// What a run changed: the graph that the walk built against what the engine left, as steps over live nodes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "fxrules/apply.hpp"
#include "fxrules/graph.hpp"

namespace fxrules::python {

// One node of the result that is not as it was, in program order. Together with the erasure of what is gone
// they turn the old graph into the new one.
struct Step {
  NodeId node;
  NodeId after;            // the node in front of it; none: it stands first
  bool created = false;    // else it was there
  bool moved = false;      // it must go behind `after`
  bool arguments = false;  // arguments or target are new
  bool renamed = false;
  std::uint32_t application = kNone;  // that created it
  NodeId origin;                      // of a created node: the old node that it stands for, if any
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
};

struct Changes {
  std::vector<Step> steps;
  std::vector<NodeId> erased;  // users first
};

// `before` is a copy from before the run, with the same ids. O(nodes + arguments); nothing for a run that
// changed nothing.
[[nodiscard]] Changes changes_between(const Graph& before, const Graph& after, const Report& report);

}  // namespace fxrules::python
