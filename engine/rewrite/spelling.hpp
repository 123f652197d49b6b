// Which target a node that a rule creates gets: the root's dialect for a plain op name, the binder's form
// for a name hole, what was written for a dotted one.
#pragma once

#include <string>
#include <vector>

#include "engine/rewrite/machine.hpp"

namespace fxrules::rewrite {

struct CallSpelling {
  Opcode opcode = Opcode::call_function;
  std::string target;
  const Overload* schema = nullptr;  // the overload that the arguments fit, when one is known
  bool ok = true;                    // false: no spelling exists
};

[[nodiscard]] CallSpelling spell(Machine& machine, const FreshNode& node, NodeId root);

}  // namespace fxrules::rewrite
