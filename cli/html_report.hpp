// What a run did, as one page for a browser: the graphs before and after side by side, and for each node that is new
// the rule that made it, its place and the nodes that it replaced. The page needs nothing beside it.
#pragma once

#include <string_view>
#include <vector>

#include "cli/report.hpp"
#include "fxrules/apply.hpp"
#include "fxrules/graph.hpp"

namespace fxrules::cli {

struct PageGraph {
  std::string_view name;
  const Graph* before = nullptr;
  const Graph* after = nullptr;
  const Report* report = nullptr;  // with applications and times
};

// The same for the same graphs and reports, but for the times, which stand in one line of their own. O(size), of all
// graphs: a browser takes a few hundred thousand nodes.
void html_report(std::string_view title, const std::vector<PageGraph>& graphs, const TextSink& sink);

}  // namespace fxrules::cli
