#include "engine/rewrite/form_tables.hpp"

#include <algorithm>

#include "engine/rewrite/binding.hpp"

namespace fxrules::rewrite {

using program::Index;
using program::Instruction;
using program::kNone;
using program::Test;

FormTables::FormTables(Binding& binding, const program::MatchProgram& match)
    : binding_(&binding), graph_(&binding.graph()), match_(&match), edge_by_form_(match.switches.size()) {
  for (const program::SwitchTable& table : match.switches) {
    auto& by_op = edge_by_op_.emplace_back();
    for (const auto& [pattern, pc] : table.edges) by_op.try_emplace(binding.rules().op_patterns[pattern].op.value, pc);
  }
}

Index FormTables::edge(NodeId n, Index table) {
  std::vector<Index>& by_form = edge_by_form_[table];
  const std::uint32_t form = graph_->form_id(n).value;
  if (form >= by_form.size()) by_form.resize(std::max<std::size_t>(graph_->form_count(), form + 1), kNotWorkedOut);
  Index& target = by_form[form];
  if (target == kNotWorkedOut) {
    const OpId op = binding_->call_class(n).op;
    const auto& by_op = edge_by_op_[table];
    const auto found = op.valid() && is_call(graph_->opcode(n)) ? by_op.find(op.value) : by_op.end();
    target = found == by_op.end() ? kNone : found->second;
  }
  return target;
}

const FormTables::Entry& FormTables::work_out(NodeId n) {
  Entry entry;
  entry.start = begin(n);
  const std::vector<FirstTest> tests = first_tests(n, entry.start);
  entry.first = static_cast<std::uint32_t>(tests_.size());
  entry.count = static_cast<std::uint32_t>(tests.size());
  tests_.insert(tests_.end(), tests.begin(), tests.end());
  const std::uint32_t form = graph_->form_id(n).value;
  if (form >= entries_.size()) entries_.resize(std::max<std::size_t>(graph_->form_count(), form + 1));
  return entries_[form] = entry;
}

Index FormTables::begin(NodeId n) {
  Index pc = match_->start;
  for (bool decided = true; decided && pc != 0;) {
    const Instruction& i = match_->code[pc];
    if (i.test == Test::fail) {
      pc = i.fail;
    } else if (i.test == Test::select && i.a == 0) {
      const Index target = edge(n, i.b);
      pc = target == kNone ? i.fail : target;
    } else if (i.test == Test::op && i.a == 0 &&
               (i.c == 0 || !binding_->accepts(n, i.b))) {  // holes are bound when it is run
      pc = binding_->accepts(n, i.b) ? pc + 1 : i.fail;
    } else if (i.test == Test::rest && i.a == 0) {
      CallClass* call = binding_->only_class(n);
      const bool asks = call == nullptr || call->schema == nullptr ||
                        (!binding_->rest(*call, i.b).never && !binding_->rest(*call, i.b).at_default.empty());
      if (!asks) pc = binding_->rest(*call, i.b).never ? i.fail : pc + 1;
      decided = !asks;
    } else {
      decided = false;
    }
  }
  return pc;
}

// Follows the program along its failures. Each path meets a test of an operand before it can accept, or there is
// nothing to say: then the list is empty.
std::vector<FormTables::FirstTest> FormTables::first_tests(NodeId n, Index start) {
  constexpr std::size_t kMost = 8;
  CallClass* call = binding_->only_class(n);
  if (call == nullptr || start == 0) return {};
  std::vector<FirstTest> tests;
  std::vector<std::uint32_t> from_end(match_->registers, 0);  // of the operand that a register holds
  Index pc = start;
  while (pc != 0) {
    const Instruction& i = match_->code[pc];
    switch (i.test) {
      case Test::fail:
        pc = i.fail;
        continue;
      case Test::rest:
      case Test::commutes:  // may hold or not: the tests behind them count in either case
        if (i.a != 0) return {};
        ++pc;
        continue;
      case Test::argument: {
        const Access& access = call->by_key[i.b];
        if (i.c != 0) return {};
        if (access.how == Access::How::absent) {
          pc = i.fail;
          continue;
        }
        const bool one = access.how == Access::How::slot && !access.list;
        from_end[i.a] = one ? graph_->argument_count(n) - access.at : 0;
        ++pc;
        continue;
      }
      case Test::literal:
      case Test::op:
      case Test::select: {
        if (i.a == 0 || from_end[i.a] == 0 || tests.size() == kMost) return {};
        const FirstTest::Asks asks = i.test == Test::literal ? FirstTest::Asks::literal
                                     : i.test == Test::op    ? FirstTest::Asks::op
                                                             : FirstTest::Asks::select;
        tests.push_back({asks, from_end[i.a], i.b});
        pc = i.fail;
        continue;
      }
      default:
        return {};
    }
  }
  return tests;
}

bool FormTables::some_first_test_holds(NodeId n, const Entry& e) {
  const Slot* const end = graph_->slot_data() + graph_->slots_end(n);
  for (std::uint32_t t = e.first; t < e.first + e.count; ++t) {
    const FirstTest test = tests_[t];
    const Slot& slot = end[-static_cast<std::ptrdiff_t>(test.from_end)];
    const bool node = slot.kind == ArgKind::node;
    switch (test.asks) {
      case FirstTest::Asks::literal:
        if (!node) return true;
        break;
      case FirstTest::Asks::op:
        if (node && binding_->accepts(slot.node(), test.about)) return true;
        break;
      case FirstTest::Asks::select:
        if (node && edge(slot.node(), test.about) != kNone) return true;
        break;
    }
  }
  return false;
}

}  // namespace fxrules::rewrite
