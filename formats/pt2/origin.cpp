#include "formats/pt2/origin.hpp"

namespace fxrules::pt2 {

std::span<const Leaf> GraphOrigin::leaves_of(NodeId n) const {
  if (n.value >= first_leaf.size() || first_leaf[n.value] == 0xFFFFFFFFu) return {};
  const std::size_t first = first_leaf[n.value];
  std::size_t end = first;
  while (end < leaves.size() && leaves[end].producer == n) ++end;
  return {leaves.data() + first, end - first};
}

}  // namespace fxrules::pt2
