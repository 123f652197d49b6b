#include "engine/rewrite/inferences.hpp"

#include <algorithm>
#include <utility>

namespace fxrules::rewrite {

std::size_t Inferences::Hash::operator()(const Key& key) const {
  std::uint64_t h = key.size();
  for (const std::uint32_t word : key) h = (h ^ word) * 0x9E3779B97F4A7C15ull, h ^= h >> 29;
  return h;
}

void Inferences::describe(const Graph& graph, NodeId n) {
  key_.clear();
  key_.insert(key_.end(), {graph.form_id(n).value, graph.meta(n).value});
  const std::span<const Slot> slots = graph.slots(n);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const Slot& slot = slots[i];
    key_.push_back(static_cast<std::uint32_t>(slot.kind));
    if (slot.kind == ArgKind::node) {
      // Which operands are one node may matter, which node it is may not.
      std::size_t first = 0;
      while (slots[first].kind != ArgKind::node || slots[first].a != slot.a) ++first;
      const NodeId operand = slot.node();
      key_.insert(key_.end(), {static_cast<std::uint32_t>(first), graph.form_id(operand).value,
                               graph.meta(operand).value, graph.type(operand).value});
    } else if (is_container(slot.kind)) {
      key_.push_back(slot.count());
    } else {
      key_.insert(key_.end(), {slot.a, slot.b, slot.c});
    }
  }
}

std::optional<MetaId> Inferences::find(const Graph& graph, NodeId n) {
  constexpr std::size_t kMostSlots = 64;  // looking for equal operands is quadratic
  if (graph.slots(n).size() > kMostSlots) {
    key_.clear();
    return std::nullopt;
  }
  describe(graph, n);
  const auto found = known_.find(key_);
  if (found == known_.end()) return std::nullopt;
  return found->second;
}

void Inferences::keep(Key key, MetaId meta) {
  if (key.empty()) return;
  if (known_.size() == kMost) known_.clear();
  known_.emplace(std::move(key), meta);
}

}  // namespace fxrules::rewrite
