// A graph back into the program it came from.
#pragma once

#include "fxrules/formats.hpp"

namespace fxrules::pt2 {

// What hinders the graph from being written (errors), and what had to be assumed (notes).
[[nodiscard]] std::vector<Diagnostic> check(const GraphFile& file);
// The program JSON. Requires: `check` finds no error.
void write_program(const GraphFile& file, const Sink& sink);
// The archive with the program in it.
void write_archive(const GraphFile& file, const Sink& sink, const Patch& patch);

}  // namespace fxrules::pt2
