// A workload in our own types: the graph with names, nested arguments and everything else that a graph has,
// the ops that torch lacks as a user would declare them, the rules as a user would write them.
#pragma once

#include <memory>
#include <string>

#include "bench/workloads.hpp"
#include "fxrules/apply.hpp"

namespace fxrules::bench {

// `aten` spells calls as exported programs do (torch.ops.aten.add.Tensor), `torch` as Dynamo does
// (torch.add, method add_).
enum class Dialect { aten, torch };

// The shipped catalogue with p, q, a, b, top, mix, z0..z9 and op0..op999 added as users add ops.
[[nodiscard]] std::shared_ptr<Catalogue> catalogue_with_ops();
[[nodiscard]] RuleSet load(const std::string& rules, const std::shared_ptr<Catalogue>& catalogue);

// Placeholders of w2down are calls of an op without arguments: an output must not become an input, so the
// last rewrite of that workload would rightly be refused.
[[nodiscard]] Graph build(const Plan& plan, Dialect dialect, bool inputs_are_calls);

struct Structure {
  std::uint64_t hash = 0, nodes = 0;
};
[[nodiscard]] Structure structure_of(const Graph& graph);

}  // namespace fxrules::bench
