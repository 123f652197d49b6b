// All phases of a rule set, one after the other, and how a run that finds no end says so.
#pragma once

#include "engine/rewrite/session.hpp"

namespace fxrules::rewrite {

// Sets the report's `stop` where it is not `converged`; a default limit is told from a cycle by running on for a few
// rewrites and looking whether a graph comes back.
void run_phases(Session& session, const program::RuleSet& rules, const ApplyOptions& options, Report& report);

}  // namespace fxrules::rewrite
