// The entries of a signature that give inputs new values, as rules see them. While rules run, each such place of
// the output holds a call `writeback(place, value)` that stands right before the output: a root like any other,
// and a use of the value at the end of the graph. Rules read its first argument as the input that the signature
// names there. At the end the places hold their values again.
#pragma once

#include <vector>

#include "engine/rewrite/binding.hpp"

namespace fxrules::rewrite {

class Entries {
 public:
  explicit Entries(Binding& binding);  // O(outputs)
  void settle();                       // O(outputs). Storage that was worked out before knows nothing of it

 private:
  Graph* graph_;
  std::vector<NodeId> entries_;
};

}  // namespace fxrules::rewrite
