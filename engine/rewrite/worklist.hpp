// Which node comes next: a sweep in program order, and the nodes that the sweep has passed and that deserve
// another look, in program order too. The sweep finds by itself what lies ahead of it, so only what lies
// behind is queued.
#pragma once

#include <utility>
#include <vector>

#include "fxrules/column.hpp"
#include "fxrules/graph.hpp"

namespace fxrules::rewrite {

class Worklist {
 public:
  Worklist(const Graph& graph, bool reverse)
      : graph_(&graph), reverse_(reverse), cursor_(reverse ? graph.last() : graph.first()) {}

  // The earliest node that is due (the latest, in reverse); none when there is none.
  NodeId take() {
    if (!heap_.empty()) {
      const NodeId first = heap_.front();
      remove(0);
      return first;
    }
    const NodeId n = cursor_;
    if (n.valid()) cursor_ = step(n);
    return n;
  }
  // Nodes that were asked for are left.
  [[nodiscard]] bool waiting() const { return !heap_.empty(); }
  // Asks for another look. Nothing to do for what the sweep has not reached.
  void revisit(NodeId n) {
    if (passed(n) && !queued(n)) push(n);
  }
  // The sweep will not come to this node again by itself.
  [[nodiscard]] bool passed(NodeId n) const { return !cursor_.valid() || earlier(n, cursor_); }
  // What uses a node that the sweep has not reached is not reached either.
  [[nodiscard]] bool ahead_with_users(NodeId n) const { return !reverse_ && !passed(n); }
  void erased(NodeId n) {  // while it still has its place
    if (n == cursor_) cursor_ = step(n);
    if (queued(n)) remove(place_[n.value] - 1);
  }

 private:
  // By the labels as they are now: relabelling moves numbers, never places.
  [[nodiscard]] bool earlier(NodeId a, NodeId b) const {
    return reverse_ ? graph_->precedes(b, a) : graph_->precedes(a, b);
  }
  [[nodiscard]] NodeId step(NodeId n) const { return reverse_ ? graph_->prev(n) : graph_->next(n); }
  [[nodiscard]] bool queued(NodeId n) const { return n.value < place_.size() && place_[n.value] != 0; }

  void push(NodeId n) {
    if (n.value >= place_.size()) place_.resize(graph_->id_bound());
    heap_.push_back(n);
    rise(heap_.size() - 1, n);
  }
  void remove(std::size_t at) {
    place_[heap_[at].value] = 0;
    const NodeId last = heap_.back();
    heap_.pop_back();
    if (at == heap_.size()) return;
    sink(at, last);
    rise(place_[last.value] - 1, last);
  }
  void put(std::size_t at, NodeId n) {
    heap_[at] = n;
    place_[n.value] = static_cast<std::uint32_t>(at) + 1;
  }
  void rise(std::size_t at, NodeId n) {
    for (; at > 0 && earlier(n, heap_[(at - 1) / 2]); at = (at - 1) / 2) put(at, heap_[(at - 1) / 2]);
    put(at, n);
  }
  void sink(std::size_t at, NodeId n) {
    for (std::size_t child = 2 * at + 1; child < heap_.size(); child = 2 * at + 1) {
      if (child + 1 < heap_.size() && earlier(heap_[child + 1], heap_[child])) ++child;
      if (!earlier(heap_[child], n)) break;
      put(at, heap_[child]);
      at = child;
    }
    put(at, n);
  }

  const Graph* graph_;
  bool reverse_;
  NodeId cursor_;
  std::vector<NodeId> heap_;     // the earliest is first
  Column<std::uint32_t> place_;  // in the heap, by node: index + 1, or 0
};

}  // namespace fxrules::rewrite
