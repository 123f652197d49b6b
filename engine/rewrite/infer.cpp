#include "fxrules/infer.hpp"

#include "engine/rewrite/effects.hpp"
#include "engine/rewrite/rewriter.hpp"

namespace fxrules {

std::size_t infer_metadata(const RuleSet& rules, Graph& graph) {
  const program::RuleSet& program = rules.program();
  rewrite::Binding binding(program, graph);
  rewrite::Machine machine(binding, []() -> rewrite::Storage& { throw std::logic_error("shape functions ask none"); });
  rewrite::Rewriter rewriter(binding, machine);
  machine.use(rewriter);
  std::size_t inferred = 0;
  for (const NodeId n : graph.nodes()) {
    if (graph.has_meta(n)) continue;
    MetaId meta;
    for (std::size_t f = 0; f < program.facts.size() && !meta.valid(); ++f) {
      machine.reset();
      machine.set_root(n);
      machine.use(program.facts[f]);
      meta = machine.infer(n);
      machine.settle();
    }
    if (!meta.valid()) meta = rewrite::meta_of_written(binding, n);
    graph.set_meta(n, meta);
    inferred += meta.valid();
  }
  return inferred;
}

}  // namespace fxrules
