#include "dsl/decision_tree.hpp"

namespace fxrules::dsl {

using program::Index;
using program::Instruction;
using program::kNone;
using program::Test;

DecisionTree::DecisionTree(const program::RuleSet& rules) : rules_(&rules), nodes_(1) {}

bool DecisionTree::is_plain_op(const Instruction& test) const {
  return test.test == Test::op && rules_->op_patterns[test.b].kind == program::OpPatternKind::op;
}

void DecisionTree::insert(const std::vector<Instruction>& tests, Index accept) {
  Index at = 0;
  for (const Instruction& test : tests) at = step(at, test);
  Instruction last;
  last.test = Test::accept;
  last.b = accept;
  nodes_[at].edges.push_back({last, kNone});
  nodes_[at].run_register = 0xFFFF;
}

// The child behind `test`, joined where an equal test can be reached without passing one that might also hold.
Index DecisionTree::step(Index node, const Instruction& test) {
  const bool plain = is_plain_op(test);
  Node& n = nodes_[node];
  if (plain && n.run_register == test.a) {
    const auto found = n.run_edges.find(test.b);
    if (found != n.run_edges.end()) return n.edges[found->second].child;
  } else if (!plain && test.test != Test::helper && !n.edges.empty() && n.edges.back().test == test &&
             n.edges.back().child != kNone) {
    return n.edges.back().child;
  }
  if (!plain) {
    n.run_register = 0xFFFF;
  } else if (n.run_register != test.a) {
    n.run_register = test.a;
    n.run_begin = n.edges.size();
    n.run_edges.clear();
  }
  if (plain) n.run_edges[test.b] = n.edges.size();
  const auto child = static_cast<Index>(nodes_.size());
  n.edges.push_back({test, child});
  nodes_.emplace_back();
  return child;
}

namespace {

// Labels are program counters that are not known yet.
class Labels {
 public:
  Index fresh() {
    places_.push_back(0);
    return static_cast<Index>(places_.size() - 1);
  }
  void place(Index label, std::size_t pc) { places_[label] = static_cast<Index>(pc); }
  [[nodiscard]] Index operator[](Index label) const { return places_[label]; }

 private:
  std::vector<Index> places_;
};

}  // namespace

void DecisionTree::flatten(program::MatchProgram& out) const {
  out.code.assign(1, Instruction{});
  Labels labels;
  const Index nowhere = labels.fresh();  // pc 0: fail
  struct Frame {
    Index node;
    std::size_t edge;
    Index fail;   // label where the node's last edge goes when it fails
    Index entry;  // label of the edge about to be laid out
    // Inside a switch group: the edges [group_begin, group_end) have no test of their own.
    std::size_t group_begin = 0, group_end = 0;
    std::size_t table = 0;
    Index after_group = 0;
  };
  std::vector<Frame> frames{{0, 0, nowhere, labels.fresh()}};
  out.start = nodes_[0].edges.empty() ? 0 : 1;  // nothing matches: `fail`
  while (!frames.empty()) {
    Frame& f = frames.back();
    const Node& node = nodes_[f.node];
    if (f.edge == node.edges.size()) {
      frames.pop_back();
      continue;
    }
    const bool in_group = f.edge < f.group_end;
    Index again = kNone;
    if (!in_group) {
      labels.place(f.entry, out.code.size());
      std::size_t end = f.edge;
      while (end < node.edges.size() && is_plain_op(node.edges[end].test) &&
             node.edges[end].test.a == node.edges[f.edge].test.a)
        ++end;
      if (end - f.edge >= 2) {  // a switch: one look-up instead of a test an edge
        f.group_begin = f.edge;
        f.group_end = end;
        f.table = out.switches.size();
        f.after_group = end == node.edges.size() ? f.fail : labels.fresh();
        Instruction select;
        select.test = Test::select;
        select.a = node.edges[f.edge].test.a;
        select.b = static_cast<Index>(out.switches.size());
        select.fail = f.after_group;
        out.code.push_back(select);
        out.switches.emplace_back();
        f.entry = f.after_group;
        // The table's targets are labels until the end.
        for (std::size_t e = f.edge; e < end; ++e)
          out.switches.back().edges.emplace_back(node.edges[e].test.b, labels.fresh());
        continue;
      }
      const bool last = f.edge + 1 == node.edges.size();
      f.entry = last ? f.fail : labels.fresh();
      Instruction test = node.edges[f.edge].test;
      test.fail = f.entry;
      if (test.test == Test::next) {  // what fails behind it comes back for the next way
        again = labels.fresh();
        labels.place(again, out.code.size());
      }
      out.code.push_back(test);
    } else {
      labels.place(out.switches[f.table].edges[f.edge - f.group_begin].second, out.code.size());
    }
    const Index child = node.edges[f.edge].child;
    const Index child_fail = again != kNone ? again : in_group ? f.after_group : f.entry;
    ++f.edge;
    if (child != kNone) frames.push_back({child, 0, child_fail, labels.fresh()});
  }
  for (std::size_t pc = 1; pc < out.code.size(); ++pc) out.code[pc].fail = labels[out.code[pc].fail];
  for (auto& table : out.switches) {
    for (auto& [pattern, label] : table.edges) label = labels[label];
  }
}

}  // namespace fxrules::dsl
