// Functions of guards and helpers that are written in Python.
#pragma once

#include <exception>
#include <memory>

#include <nanobind/nanobind.h>

#include "fxrules/functions.hpp"
#include "python/binding/live_graph.hpp"

namespace fxrules::python {

// By name a tuple (least arguments, most arguments, callable). The callable takes and gives a tuple
// (UserValue::Kind, payload); of a node the payload is the fx.Node, or its name where a rule has just made it.
[[nodiscard]] std::shared_ptr<const Functions> functions_of(const nanobind::dict& functions);

// While this lives, nodes that functions of this thread get are those of the graph. What one raised makes the
// value unknown and is kept: the run goes on, and `rethrow` says so afterwards.
class FunctionCalls {
 public:
  explicit FunctionCalls(LiveGraph& graph);
  ~FunctionCalls();
  FunctionCalls(const FunctionCalls&) = delete;
  FunctionCalls& operator=(const FunctionCalls&) = delete;
  void rethrow();

  [[nodiscard]] static FunctionCalls* current();
  [[nodiscard]] LiveGraph& graph() { return *graph_; }
  void keep(std::exception_ptr raised) {
    if (!raised_) raised_ = std::move(raised);
  }

 private:
  LiveGraph* graph_;
  FunctionCalls* outer_;
  std::exception_ptr raised_;
};

}  // namespace fxrules::python
