// Which node comes next: a sweep in program order, and the nodes that the sweep has passed and that deserve
// another look, in program order too. The sweep finds by itself what lies ahead of it, so only what lies
// behind is queued.
#pragma once

#include <set>

#include "fxrules/graph.hpp"

namespace fxrules::rewrite {

class Worklist {
 public:
  Worklist(const Graph& graph, bool reverse)
      : graph_(&graph), reverse_(reverse), cursor_(reverse ? graph.last() : graph.first()), queue_(Earlier{&graph, reverse}) {}

  // The earliest node that is due (the latest, in reverse); none when there is none.
  NodeId take() {
    if (!queue_.empty()) return queue_.extract(queue_.begin()).value();
    const NodeId n = cursor_;
    if (n.valid()) cursor_ = step(n);
    return n;
  }
  // Asks for another look. Nothing to do for what the sweep has not reached.
  void revisit(NodeId n) {
    if (passed(n)) queue_.insert(n);
  }
  // The sweep will not come to this node again by itself.
  [[nodiscard]] bool passed(NodeId n) const {
    if (!cursor_.valid()) return true;
    return reverse_ ? graph_->precedes(cursor_, n) : graph_->precedes(n, cursor_);
  }
  // What uses a node that the sweep has not reached is not reached either.
  [[nodiscard]] bool ahead_with_users(NodeId n) const { return !reverse_ && !passed(n); }
  void erased(NodeId n) {  // while it still has its place
    if (n == cursor_) cursor_ = step(n);
    queue_.erase(n);
  }

 private:
  // By the labels as they are now: relabelling moves numbers, never places.
  struct Earlier {
    const Graph* graph;
    bool reverse;
    bool operator()(NodeId a, NodeId b) const { return reverse ? graph->precedes(b, a) : graph->precedes(a, b); }
  };
  [[nodiscard]] NodeId step(NodeId n) const { return reverse_ ? graph_->prev(n) : graph_->next(n); }

  const Graph* graph_;
  bool reverse_;
  NodeId cursor_;
  std::set<NodeId, Earlier> queue_;
};

}  // namespace fxrules::rewrite
