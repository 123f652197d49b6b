// The JSON object at the head of an entry of TORCH_TRACE.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fxrules::log {

struct TraceEntry {
  std::string name;        // "aot_forward_graph"; of an artifact or a dump its own name
  std::string compile_id;  // "0/0"; empty: none
};
// nullopt for text that is no such object. O(length).
[[nodiscard]] std::optional<TraceEntry> trace_entry(std::string_view json);

}  // namespace fxrules::log
