#include "engine/rewrite/entries.hpp"

#include <fmt/format.h>

namespace fxrules::rewrite {

Entries::Entries(Binding& binding) : graph_(&binding.graph()) {
  const Signature* signature = graph_->signature();
  const NodeId output = graph_->output();
  if (signature == nullptr || !output.valid() || signature->outputs.size() != graph_->output_count()) return;
  static constexpr std::string_view kRole = "writeback";
  SymbolId target;
  for (std::size_t i = 0; i < signature->outputs.size(); ++i) {
    const OutputSpec& spec = signature->outputs[i];
    const SlotId place = graph_->output_value(i);
    if (!is_mutation(spec.role) || !spec.input.valid() || (*graph_)[place].kind != ArgKind::node) continue;
    if (!target.valid()) target = binding.symbol(binding.catalogue().function_of(binding.catalogue().role(kRole)));
    const NodeId value = (*graph_)[place].node();
    // No FX name looks like this, so that none is taken.
    const SymbolId name = binding.symbol(fmt::format("writeback({}, {})", graph_->name(spec.input), i));
    const NodeId entry = CallBuilder(*graph_)
                             .integer(static_cast<std::int64_t>(i))
                             .node(value)
                             .create(Opcode::call_function, target, name, output);
    graph_->set_meta(entry, graph_->meta(value));
    graph_->rebind(place, entry);
    entries_.push_back(entry);
  }
}

void Entries::settle() {
  for (const NodeId entry : entries_) {
    const NodeId value = (*graph_)[graph_->argument(entry, 1)].node();
    while (graph_->has_uses(entry)) graph_->rebind(graph_->first_use(entry), value);
    graph_->erase(entry);
  }
  entries_.clear();
}

}  // namespace fxrules::rewrite
