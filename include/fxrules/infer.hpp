// Metadata by the `meta` equations of rule files, for graphs that carry it on their inputs alone.
//
//   graph.set_meta(x, *graph.metas().parse("f32[4, s0] strides=(s0,1) device=cpu"));
//   infer_metadata(rules, graph);
#pragma once

#include <cstddef>

#include "fxrules/graph.hpp"
#include "fxrules/rule_set.hpp"

namespace fxrules {

// Gives each call without metadata what the equations say of it, in program order; the files of the rule
// set are asked in turn. What no equation covers stays unknown. Returns how many calls got metadata.
// O(size), times what the equations cost.
std::size_t infer_metadata(const RuleSet& rules, Graph& graph);

}  // namespace fxrules
