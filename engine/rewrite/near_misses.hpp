// Near misses: nodes at which a rule found all its ops and failed at a kind, a literal or a repeated variable.
#pragma once

#include "engine/rewrite/session.hpp"

namespace fxrules::rewrite {

// Adds to the rules of the report. Looks at the graph as the run left it, at no more than 100,000 pairs of a node
// and a rule whose root accepts it.
void count_near_misses(const program::RuleSet& rules, Session& session, Report& report);

}  // namespace fxrules::rewrite
