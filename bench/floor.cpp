#include "bench/floor.hpp"

namespace fxrules::bench {

std::uint64_t walk(const Graph& graph) {
  std::uint64_t sum = 0;
  for (NodeId n = graph.first(); n.valid(); n = graph.next(n)) {
    sum += graph.form_id(n).value;
    for (const Slot& slot : graph.slots(n)) sum += slot.a;
  }
  return sum;
}

LeanStore::LeanStore(const Plan& plan) {
  nodes_.reserve(plan.size());
  arguments_.reserve(plan.arguments.size());
  for (std::uint32_t i = 0; i < plan.size(); ++i) {
    const std::uint32_t begin = plan.offsets[i], count = plan.offsets[i + 1] - begin;
    nodes_.push_back({plan.ops[i], begin, 0, i + 1, i - 1, static_cast<std::uint16_t>(count), 0});
    for (std::uint32_t k = begin; k < begin + count; ++k) arguments_.push_back({plan.arguments[k], i, 0, 0});
  }
}

std::uint64_t LeanStore::walk() const {
  std::uint64_t sum = 0;
  for (std::uint32_t n = 0; n < nodes_.size(); n = nodes_[n].next) {
    const Node& node = nodes_[n];
    sum += node.op;
    for (std::uint32_t k = 0; k < node.arguments; ++k) sum += arguments_[node.first_argument + k].value;
  }
  return sum;
}

}  // namespace fxrules::bench
