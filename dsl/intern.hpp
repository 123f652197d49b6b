// Building blocks of a rule set, each stored once and found by hash.
#pragma once

#include <bit>
#include <functional>
#include <string_view>
#include <unordered_map>

#include "engine/program/program.hpp"

namespace fxrules::dsl {

inline std::size_t hash_of(const program::Literal& l) {
  const std::hash<std::string_view> text;
  const auto number =
      static_cast<std::size_t>(l.integer) ^ static_cast<std::size_t>(std::bit_cast<std::uint64_t>(l.floating));
  return (text(l.text) * 31 + number) * 31 + static_cast<std::size_t>(l.kind) * 2 + (l.unknown ? 1 : 0);
}
inline std::size_t hash_of(const program::ArgumentKey& k) {
  return std::hash<std::string_view>()(k.keyword) * 31 + k.position;
}
inline std::size_t hash_of(const program::RestSpec& r) {
  std::size_t hash = r.mentioned.size();
  for (const program::Index key : r.mentioned) hash = hash * 1'000'003 + key;
  return hash;
}

// Finds entries of one pool, which others may have filled in part.
template <class T>
class Interner {
 public:
  program::Index operator()(std::vector<T>& pool, const T& value) {
    for (; seen_ < pool.size(); ++seen_) index_.emplace(hash_of(pool[seen_]), static_cast<program::Index>(seen_));
    const auto [first, last] = index_.equal_range(hash_of(value));
    for (auto at = first; at != last; ++at) {
      if (pool[at->second] == value) return at->second;
    }
    pool.push_back(value);
    return static_cast<program::Index>(pool.size() - 1);
  }

 private:
  std::unordered_multimap<std::size_t, program::Index> index_;
  std::size_t seen_ = 0;
};

}  // namespace fxrules::dsl
