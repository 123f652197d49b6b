// Helper patterns: what calls of them may reach, and their compiled equations.
#pragma once

#include <set>
#include <vector>

#include "engine/program/program.hpp"

namespace fxrules::dsl {

class DefTable;
class Definitions;

// How far below its own place a call of a helper pattern matches its arguments.
struct PatternShape {
  std::uint16_t depth = 0;         // levels of calls, where that is bounded
  std::set<program::Index> chain;  // else: op patterns of the calls that stand in between, any number of them
};

// Compiles the helper patterns and helpers that something uses, and what they use.
void compile_helpers(Definitions& definitions, DefTable& defs);

}  // namespace fxrules::dsl
