// Graphs of a case: text IR, or the notation of `test` blocks.
#pragma once

#include <memory>
#include <string>
#include <unordered_set>

#include "fxrules/catalogue.hpp"
#include "fxrules/graph.hpp"
#include "tests/cases/runner/case_file.hpp"

namespace fxrules::cases {

struct CaseGraph {
  Graph graph;
  bool text_ir = false;                   // names and ops are meant as they stand
  std::unordered_set<std::string> exact;  // else: nodes whose op was spelled out
};

// Throws std::runtime_error with the diagnostics of a graph that has errors.
[[nodiscard]] CaseGraph read_section(const CaseFile& file, const std::string& section,
                                     const std::shared_ptr<const Catalogue>& catalogue);
[[nodiscard]] CaseGraph read_output(const std::string& path, const std::shared_ptr<const Catalogue>& catalogue);

// Program JSON, for graphs with a signature. Tensors are contiguous and on the CPU where nothing else is said.
[[nodiscard]] std::string to_program(const Graph& graph, const std::shared_ptr<const Catalogue>& catalogue);

// Text IR with the metadata of all nodes, inputs included, as the program reads it; readable code where graphs are
// nested, of which text IR has none.
[[nodiscard]] std::string to_input(const Graph& graph);

}  // namespace fxrules::cases
