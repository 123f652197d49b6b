// Inputs whose storage the graph writes. The caller sees what they hold when the graph has run; that is a
// use like any other, and while rules run it stands in the graph as one: a second argument of the output
// node, a tuple of the inputs. At the end its items are the inputs' new values, and go where the caller wants
// them.
#pragma once

#include <unordered_map>
#include <vector>

#include "engine/rewrite/versions.hpp"
#include "fxrules/apply.hpp"

namespace fxrules::rewrite {

class Inputs {
 public:
  Inputs(Binding& binding, Rewriter& rewriter);  // O(forms) when nothing writes, else O(size)
  // The new values so far, by input.
  [[nodiscard]] std::unordered_map<std::uint32_t, NodeId> changed() const;
  // Takes the uses back and returns, copies back or drops each new value, as the options say.
  void settle(const Versions& versions, const ApplyOptions& options, Report& report);

 private:
  [[nodiscard]] bool graph_writes() const;
  [[nodiscard]] std::vector<NodeId> written_inputs();
  struct New {
    NodeId input, value;
    MutatedInputs where = MutatedInputs::drop;
  };
  void return_values(const std::vector<New>& values, Report& report);
  void copy_back(const std::vector<New>& values, Report& report);

  Binding* binding_;
  Rewriter* rewriter_;
  Graph* graph_;
  std::vector<NodeId> inputs_;  // by item of the tuple
};

}  // namespace fxrules::rewrite
