// Graphs to measure on, of any size.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fxrules/graph.hpp"

namespace fxrules::cli {

// `spelled`: "w1:100000". w1 has blocks of ten calls as models with caches have them: a product, an index update of a
// buffer that is copied back, a write, and pairs of calls of which a rule would remove one. chain is relu of relu of …
// Throws UsageError for what is none.
[[nodiscard]] Graph generate(const std::string& spelled);

}  // namespace fxrules::cli
