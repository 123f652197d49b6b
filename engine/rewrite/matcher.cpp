#include "engine/rewrite/matcher.hpp"

namespace fxrules::rewrite {

using program::Index;
using program::Instruction;
using program::Test;

void Matcher::begin(const program::MatchProgram& match, Value root) {
  if (registers_.size() < match.registers) registers_.resize(match.registers);
  registers_[0] = root;
  search_.begin(match.registers);
}

const program::Accept* Matcher::next(const program::MatchProgram& match, Index& pc) {
  Value* r = registers_.data();
  const Instruction* const code = match.code.data();
  for (;;) {
    const Instruction& i = code[pc];
    if (counts_ != nullptr) ++(*counts_)[static_cast<std::size_t>(i.test)];
    bool holds = false;
    switch (i.test) {
      case Test::select: {
        const Index target =
            r[i.a].tag == Tag::node ? tester_.binding().tables(match).edge(r[i.a].node(), i.b) : program::kNone;
        pc = target == program::kNone ? i.fail : target;
        continue;
      }
      case Test::helper:
        search_.enter(i.b, i.a);
        holds = true;
        break;
      case Test::next:
        holds = search_.next();
        r = registers_.data();
        break;
      case Test::accept: {
        const program::Accept* accept = &match.accepts[i.b];
        pc = i.fail;
        return accept;
      }
      case Test::fail:
        if (pc == 0) return nullptr;
        break;
      default:
        holds = tester_.holds(i, r);
        break;
    }
    pc = holds ? pc + 1 : i.fail;
  }
}

}  // namespace fxrules::rewrite
