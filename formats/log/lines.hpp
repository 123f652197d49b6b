// Prefixes of log lines: `[rank0]:V1129 14:45:45.869000 1300 torch/_dynamo/output_graph.py:2936] [0/0] [__graph_code]
// `, those of torch 2.2 and older, behind what launchers and containers put in front, and what is left of one where
// somebody cut it.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace fxrules::log {

struct Prefix {
  std::string_view rank, process, trace, artifact;  // "rank0", "1300", "0/0", "graph_code"
  std::size_t length = 0;                           // with one blank behind it
};
[[nodiscard]] std::optional<Prefix> prefix_of(std::string_view line);

// Whether most lines have a prefix, or are the payload of one that has.
[[nodiscard]] bool is_log(std::string_view text);

}  // namespace fxrules::log
