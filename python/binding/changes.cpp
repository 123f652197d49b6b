#include "python/binding/changes.hpp"

namespace fxrules::python {
namespace {

bool same_slot(const Slot& a, const Slot& b) {
  if (a.kind != b.kind) return false;
  if (a.kind == ArgKind::node || is_spelled(a.kind)) return a.a == b.a;
  if (is_container(a.kind)) return a.b == b.b;  // children stand before it, in the same order
  return a.b == b.b && a.c == b.c;
}

bool same_call(const Graph& before, const Graph& after, NodeId n) {
  if (!(before.form(n) == after.form(n))) return false;
  const auto a = before.slots(n), b = after.slots(n);
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!same_slot(a[i], b[i])) return false;
  }
  return true;
}

// Which application created a node, and for which node of the old graph.
class Origins {
 public:
  Origins(const Graph& before, const Report& report) : before_(before) {
    origin_of_.reserve(report.applications.size());
    std::uint32_t i = 0;
    for (const Application& a : report.applications) {
      const auto maker = created_by_.find(a.root.value);
      origin_of_.push_back(maker != created_by_.end() ? origin_of_[maker->second] : before.find(a.root));
      for (const SymbolId name : a.created) created_by_[name.value] = i;
      ++i;
    }
  }
  void describe(SymbolId name, Step& step) const {
    const auto maker = created_by_.find(name.value);
    if (maker == created_by_.end()) return;
    step.application = maker->second;
    step.origin = origin_of_[maker->second];
  }

 private:
  const Graph& before_;
  std::vector<NodeId> origin_of_;  // by application
  std::unordered_map<std::uint32_t, std::uint32_t> created_by_;
};

}  // namespace

Changes changes_between(const Graph& before, const Graph& after, const Report& report) {
  Changes out;
  if (report.rewrites == 0 && report.removed == 0 && report.created == 0 && report.mutated_inputs.empty() &&
      before.size() == after.size() && before.id_bound() == after.id_bound())
    return out;
  const auto old = static_cast<std::uint32_t>(before.id_bound());
  const Origins origins(before, report);
  // The next old node that stays and was not moved; ids of the old graph are in program order.
  std::uint32_t expected = 0;
  std::vector<bool> moved(old);
  const auto skip = [&] {
    while (expected < old && (moved[expected] || !after.alive(NodeId(expected)))) ++expected;
  };
  NodeId previous;
  for (const NodeId n : after.nodes()) {
    Step step;
    step.node = n;
    step.after = previous;
    previous = n;
    if (n.value >= old) {
      step.created = true;
      origins.describe(after.name_id(n), step);
      out.steps.push_back(step);
      continue;
    }
    skip();
    if (n.value == expected) {
      ++expected;
    } else {
      step.moved = moved[n.value] = true;
    }
    step.renamed = before.name_id(n) != after.name_id(n);
    step.arguments = !same_call(before, after, n);
    if (step.moved || step.renamed || step.arguments) out.steps.push_back(step);
  }
  for (std::uint32_t i = old; i-- > 0;) {
    if (!after.alive(NodeId(i))) out.erased.emplace_back(i);
  }
  return out;
}

}  // namespace fxrules::python
