// --input and --inputs: what the command line says of a graph's inputs.
#pragma once

#include "cli/arguments.hpp"
#include "fxrules/graph.hpp"
#include "fxrules/rule_set.hpp"

namespace fxrules::cli {

// Gives the named values their metadata, inputs as a rule, and what follows from it to the calls without, by the shape
// functions. Does nothing when nothing is said. Throws Error, each problem with its place.
void take_inputs(const Options& options, const RuleSet& rules, Graph& graph);

}  // namespace fxrules::cli
