// What shape functions said of calls that look alike: the same form, the same literals, operands of the same forms
// and metadata. Layers of a model repeat, and rules make the same few nodes again and again.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "fxrules/graph.hpp"

namespace fxrules::rewrite {

class Inferences {
 public:
  using Key = std::vector<std::uint32_t>;

  // What is known of the call, or nothing; then `key()` is what to keep the answer under. O(slots).
  [[nodiscard]] std::optional<MetaId> find(const Graph& graph, NodeId n);
  [[nodiscard]] const Key& key() const { return key_; }
  void keep(Key key, MetaId meta);
  void forget() { known_.clear(); }

 private:
  static constexpr std::size_t kMost = 1 << 16;
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  void describe(const Graph& graph, NodeId n);

  std::unordered_map<Key, MetaId, Hash> known_;
  Key key_;
};

}  // namespace fxrules::rewrite
