// Whether two graphs are the same but for names, for tests. Ops are compared by what they mean, whatever
// their spelling; arguments by schema role with defaults filled in (a `start` of 0 is None); nodes by how
// they hang together: the order of independent pure nodes is not compared, the order of writes, of effects
// and of reads of what is written is. Metadata is compared where the expected graph states it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_set>

#include "fxrules/catalogue.hpp"
#include "fxrules/graph.hpp"

namespace fxrules::cli {

struct CompareOptions {
  std::shared_ptr<const Catalogue> catalogue;  // required
  // Nodes of the expected graph whose op must be spelled as they spell it; nested ones as `body/name`.
  std::unordered_set<std::string> exact;
  bool all_exact = false;
  // Nodes of the graph at hand that must have the name that the expected graph gives them.
  std::unordered_set<std::string> named;
  bool all_named = false;
};

// What the first difference is, in a sentence; nothing when there is none. Nested graphs are compared too.
// O(size), with the square of the number of dead nodes.
[[nodiscard]] std::optional<std::string> find_difference(Graph& got, Graph& expected, const CompareOptions& options);

}  // namespace fxrules::cli
