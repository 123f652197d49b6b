// Building blocks of a rule set, each stored once.
#pragma once

#include "engine/program/program.hpp"

namespace fxrules::dsl {

template <class T>
program::Index intern(std::vector<T>& pool, const T& value) {
  // Newest first: equal entries tend to be close, and pools that grow with the rule count are searched by
  // their owners through an index of their own.
  for (std::size_t i = pool.size(); i-- > 0;) {
    if (pool[i] == value) return static_cast<program::Index>(i);
  }
  pool.push_back(value);
  return static_cast<program::Index>(pool.size() - 1);
}

}  // namespace fxrules::dsl
