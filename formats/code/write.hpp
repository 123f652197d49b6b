// Parts of generated code, for the reader, which keeps what a part looked like.
#pragma once

#include <string>

#include "fxrules/formats.hpp"

namespace fxrules::code {

// From `def` to the last line that unpacks inputs, with line ends between.
[[nodiscard]] std::string signature_text(const Graph& graph, const CodeStyle& style);
// `return …` without indentation and line end.
[[nodiscard]] std::string return_text(const Graph& graph, const CodeStyle& style);

// What the code of a graph needs beside torch's own names, a line each; ends with a blank line.
[[nodiscard]] std::string import_lines(const Graph& graph);

void write(const Graph& graph, const CodeStyle& style, const Sink& sink);

}  // namespace fxrules::code
