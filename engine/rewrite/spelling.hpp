// Which target a node that a rule creates gets: the root's dialect for a plain op name, the binder's form
// for a name hole, what was written for a dotted one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/rewrite/machine.hpp"

namespace fxrules::rewrite {

struct CallSpelling {
  Opcode opcode = Opcode::call_function;
  std::string target;
  const Overload* schema = nullptr;  // the overload that the arguments fit, when one is known
  bool ok = true;                    // false: no spelling exists
  SymbolId symbol, name_base;        // of the target, and what FX names its nodes after
};

class Speller {
 public:
  explicit Speller(Machine& machine) : machine_(&machine) {}
  // How the call is spelled beside `root`. Valid until the next call.
  const CallSpelling& spell(const FreshNode& node, NodeId root);

 private:
  // A template without name holes spells calls alike where the root's style and the kinds of the arguments
  // are alike.
  struct Known {
    SpellingStyle style;
    std::uint64_t kinds;
    CallSpelling call;
  };
  [[nodiscard]] std::optional<std::uint64_t> kinds_of(const FreshNode& node);
  CallSpelling work_out(const FreshNode& node, NodeId root);

  Machine* machine_;
  std::vector<std::vector<Known>> known_;  // by template
  CallSpelling other_;
};

}  // namespace fxrules::rewrite
