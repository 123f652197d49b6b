// What a match program asks first, worked out once for each form of call: where matching begins behind the tests
// that the form alone decides, and what a glance at the operands shows of the tests that come then.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "engine/program/program.hpp"
#include "engine/rewrite/value.hpp"

namespace fxrules::rewrite {

class Binding;

class FormTables {
 public:
  FormTables(Binding& binding, const program::MatchProgram& match);

  [[nodiscard]] const program::MatchProgram& match() const { return *match_; }
  // The edge of a switch for a node's op; program::kNone when there is none.
  program::Index edge(NodeId n, program::Index table);
  // Where matching begins at a node. 0, the program's `fail`, when it cannot match.
  program::Index start(NodeId n) { return entry(n).start; }
  // The same, and 0 too where the node's operands rule out every pattern: nearly all nodes end here.
  program::Index start_by_operands(NodeId n) {
    const Entry& e = entry(n);
    return e.count == 0 || some_first_test_holds(n, e) ? e.start : 0;
  }

 private:
  static constexpr program::Index kNotWorkedOut = program::kNone - 1;
  // A test of one operand that a pattern begins with: a pattern that may match needs one of them to hold.
  struct FirstTest {
    enum class Asks : std::uint8_t { literal, op, select };
    Asks asks;
    std::uint32_t from_end;    // of the operand's slot, counted from the end of the node's slots
    program::Index about = 0;  // op pattern or switch table
  };
  struct Entry {
    program::Index start = kNotWorkedOut;
    std::uint32_t first = 0, count = 0;  // of tests_; none: any node of the form may match
  };
  const Entry& entry(NodeId n) {
    const std::uint32_t form = graph_->form_id(n).value;
    if (form < entries_.size() && entries_[form].start != kNotWorkedOut) return entries_[form];
    return work_out(n);
  }
  const Entry& work_out(NodeId n);
  [[nodiscard]] program::Index begin(NodeId n);
  [[nodiscard]] std::vector<FirstTest> first_tests(NodeId n, program::Index start);
  [[nodiscard]] bool some_first_test_holds(NodeId n, const Entry& e);

  Binding* binding_;
  const Graph* graph_;
  const program::MatchProgram* match_;
  std::vector<std::vector<program::Index>> edge_by_form_;                      // by switch table
  std::vector<std::unordered_map<std::uint32_t, program::Index>> edge_by_op_;  // by switch table
  std::vector<Entry> entries_;                                                 // by form
  std::vector<FirstTest> tests_;
};

}  // namespace fxrules::rewrite
