#include "cli/reasons.hpp"

#include <unordered_set>

#include "fxrules/explain.hpp"
#include "fxrules/nested.hpp"

namespace fxrules::cli {
namespace {

class Reasons {
 public:
  void add(const std::string& reason) {
    if (!reason.empty() && seen_.insert(reason).second) list_.push_back(reason);
  }

  void add(const std::vector<Diagnostic>& diagnostics) {
    for (const Diagnostic& d : diagnostics) {
      add(d.message);
      add(d.hint);
      for (const Diagnostic& related : d.related) add(related.message);
    }
  }

  void add(const RuleSet& rules, Graph& graph) {
    for (const NodeId n : graph.nodes()) {
      const Opcode opcode = graph.opcode(n);
      if (opcode == Opcode::get_attr || opcode == Opcode::output) continue;
      for (const Explanation& e : explain(rules, graph, n)) add(e.reason);
    }
  }

  std::vector<std::string> take() { return std::move(list_); }

 private:
  std::unordered_set<std::string> seen_;
  std::vector<std::string> list_;
};

}  // namespace

std::vector<std::string> reasons(const RuleSet& rules, Graph& graph, const Report& report) {
  Reasons found;
  for (const auto& each : with_nested(graph)) found.add(rules, *each.graph);
  for (const Note& note : report.notes) found.add(note.text);
  found.add(report.diagnostics);
  return found.take();
}

}  // namespace fxrules::cli
