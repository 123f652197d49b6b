// Which node comes next: a sweep in program order, and a heap of nodes that the sweep has passed and that
// deserve another look. The sweep finds by itself what lies ahead of it, so only what lies behind is queued.
#pragma once

#include <algorithm>
#include <vector>

#include "fxrules/graph.hpp"

namespace fxrules::rewrite {

class Worklist {
 public:
  Worklist(const Graph& graph, bool reverse) : graph_(&graph), reverse_(reverse), cursor_(reverse ? graph.last() : graph.first()) {}

  // The earliest node that is due (the latest, in reverse); none when there is none.
  NodeId take() {
    while (!heap_.empty()) {
      const Entry top = heap_.front();
      std::pop_heap(heap_.begin(), heap_.end(), later());
      heap_.pop_back();
      if (!graph_->alive(top.node) || !queued(top.node)) continue;
      queued_[top.node.value] = false;
      if (graph_->order(top.node) != top.order) {  // relabelled since: ask again at its new place
        push(top.node);
        continue;
      }
      return top.node;
    }
    const NodeId n = cursor_;
    if (n.valid()) cursor_ = step(n);
    return n;
  }
  // Asks for another look. Nothing to do for what the sweep has not reached.
  void revisit(NodeId n) {
    if (passed(n) && !queued(n)) push(n);
  }
  // The sweep will not come to this node again by itself.
  [[nodiscard]] bool passed(NodeId n) const {
    if (!cursor_.valid()) return true;
    return reverse_ ? graph_->precedes(cursor_, n) : graph_->precedes(n, cursor_);
  }
  void erased(NodeId n) {
    if (n == cursor_) cursor_ = step(n);
    if (n.value < queued_.size()) queued_[n.value] = false;
  }

 private:
  struct Entry {
    std::uint64_t order;
    NodeId node;
  };
  [[nodiscard]] NodeId step(NodeId n) const { return reverse_ ? graph_->prev(n) : graph_->next(n); }
  [[nodiscard]] bool queued(NodeId n) const { return n.value < queued_.size() && queued_[n.value]; }
  struct Later {
    bool reverse;
    bool operator()(const Entry& a, const Entry& b) const { return reverse ? a.order < b.order : a.order > b.order; }
  };
  [[nodiscard]] Later later() const { return {reverse_}; }
  void push(NodeId n) {
    if (n.value >= queued_.size()) queued_.resize(std::max<std::size_t>(graph_->id_bound(), n.value + 1));
    queued_[n.value] = true;
    heap_.push_back({graph_->order(n), n});
    std::push_heap(heap_.begin(), heap_.end(), later());
  }

  const Graph* graph_;
  bool reverse_;
  NodeId cursor_;
  std::vector<Entry> heap_;
  std::vector<bool> queued_;
};

}  // namespace fxrules::rewrite
