#include "engine/rewrite/graph_calls.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "engine/rewrite/effects.hpp"

namespace fxrules::rewrite {
namespace {

const GraphCall& call_of_module() {
  static const GraphCall call{GraphCall::Kind::once, {}, {}};
  return call;
}

// The values of one argument: itself, or the items of its list.
void add_values(const Graph& graph, SlotId argument, std::vector<SlotId>& out) {
  const Slot& slot = graph[argument];
  if (slot.kind != ArgKind::tuple && slot.kind != ArgKind::list) {
    out.push_back(argument);
    return;
  }
  for (std::uint32_t i = 0; i < slot.count(); ++i) out.push_back(slot.child(i));
}

std::optional<BodyCall> call_of_op(Binding& binding, NodeId n, const GraphCall& how) {
  const Graph& graph = binding.graph();
  const CallClass& call = binding.call_class(n);
  if (call.schema == nullptr) return std::nullopt;
  BodyCall found;
  found.call = n;
  found.kind = how.kind;
  const auto access_of = [&](std::string_view name) -> const Access* {
    const int at = call.schema->find(name);
    if (at < 0) return nullptr;
    const Access& access = call.by_argument[static_cast<std::size_t>(at)];
    return access.how == Access::How::slot || access.how == Access::How::run ? &access : nullptr;
  };
  for (const std::string_view name : how.graphs) {
    const Access* access = access_of(name);
    if (access == nullptr) continue;
    const Slot& slot = graph[SlotId(graph.argument(n, access->at))];
    if (slot.kind != ArgKind::node || graph.opcode(slot.node()) != Opcode::get_attr) return std::nullopt;
    Graph* body = graph.find_subgraph(graph.form(slot.node()).target);
    if (body == nullptr) return std::nullopt;
    found.graphs.push_back(body);
  }
  bool first = true;
  for (const std::string_view name : how.operands) {
    const Access* access = access_of(name);
    if (access == nullptr) continue;
    for (std::uint32_t i = 0; i < std::max(access->count, 1u); ++i) {
      const SlotId argument = graph.argument(n, access->at + i);
      if (access->how == Access::How::run && access->count == 0) break;
      if (access->how == Access::How::run && !access->list) {
        found.operands.push_back(argument);
      } else {
        add_values(graph, argument, found.operands);
      }
    }
    if (first) {
      found.carried = static_cast<std::uint32_t>(found.operands.size());
      found.first_group = access->at;
    }
    first = false;
  }
  if (how.kind != GraphCall::Kind::loop && how.kind != GraphCall::Kind::scan) found.carried = 0;
  if (found.graphs.empty()) return std::nullopt;
  return found;
}

std::size_t placeholder_count(const Graph& graph) {
  std::size_t count = 0;
  for (const NodeId n : graph.nodes()) {
    if (graph.opcode(n) != Opcode::placeholder && graph.opcode(n) != Opcode::get_attr) break;
    count += graph.opcode(n) == Opcode::placeholder;
  }
  return count;
}

}  // namespace

std::optional<BodyCall> body_call(Binding& binding, NodeId n) {
  const Graph& graph = binding.graph();
  if (graph.opcode(n) == Opcode::call_module) {
    Graph* body = graph.find_subgraph(graph.form(n).target);
    if (body == nullptr || !graph.form(n).keywords.empty()) return std::nullopt;
    BodyCall found;
    found.call = n;
    found.kind = call_of_module().kind;
    found.graphs.push_back(body);
    for (std::uint32_t i = 0; i < graph.argument_count(n); ++i) found.operands.push_back(graph.argument(n, i));
    return found;
  }
  if (graph.opcode(n) != Opcode::call_function) return std::nullopt;
  const OpId op = binding.call_class(n).op;
  const GraphCall* how = op.valid() ? binding.catalogue().graph_call(op) : nullptr;
  return how == nullptr ? std::nullopt : call_of_op(binding, n, *how);
}

std::vector<BodyCall> body_calls(Binding& binding) {
  std::vector<BodyCall> calls;
  const Graph& graph = binding.graph();
  if (graph.subgraphs().empty()) return calls;
  for (const NodeId n : graph.nodes()) {
    std::optional<BodyCall> call = body_call(binding, n);
    if (!call) continue;
    const bool fit = std::all_of(call->graphs.begin(), call->graphs.end(),
                                 [&](const Graph* g) { return placeholder_count(*g) == call->operands.size(); });
    if (fit) calls.push_back(std::move(*call));
  }
  return calls;
}

bool BodyFacts::any_writes() const { return std::find(writes.begin(), writes.end(), true) != writes.end(); }

BodyFacts facts_of(Binding& binding, Storage& storage) {
  const Graph& graph = binding.graph();
  BodyFacts facts;
  for (const NodeId n : graph.nodes()) {
    const Opcode opcode = graph.opcode(n);
    if (opcode == Opcode::placeholder) {
      facts.placeholders.push_back(n);
      facts.writes.push_back(storage.write_between(n, n, NodeId()).valid());
      facts.returned.push_back(storage.reaches_output(n));
    } else if (opcode != Opcode::output && opcode != Opcode::get_attr) {
      // A write to a value of its own stays inside.
      facts.stays |= !binding.removable(n) && !binding.writes(n);
    } else if (opcode == Opcode::get_attr && storage.write_between(n, n, NodeId()).valid()) {
      facts.stays = true;
    }
  }
  const NodeId output = graph.output();
  if (!output.valid() || graph.argument_count(output) == 0) return facts;
  const Slot& returned = graph[graph.argument(output, 0)];
  facts.several = returned.kind == ArgKind::tuple || returned.kind == ArgKind::list;
  facts.apart = true;
  std::unordered_set<std::uint32_t> seen;
  for (const Slot& slot : graph.slots(output)) {
    if (slot.kind != ArgKind::node) continue;
    facts.apart = facts.apart && seen.insert(slot.a).second && !storage.returned_otherwise(slot.node());
  }
  return facts;
}

namespace {

// What the value is a view of, or its own storage; none where it may be several.
NodeId base_of(Binding& binding, NodeId n) {
  for (;;) {
    NodeId operand;
    bool several = false;
    aliased_operands(binding, n, [&](NodeId o) {
      if (relation(binding, n, o) == Relation::none) return;
      several |= operand.valid() && o != operand;
      operand = o;
    });
    if (several) return {};
    if (!operand.valid()) return n;
    n = operand;
  }
}

// Storage counts all that a call gives as one; different new tensors of it, and views of them, share nothing. Which
// one a value lives in is found when it is first asked for.
class Parts {
 public:
  explicit Parts(Binding& binding) : binding_(&binding) {}

  [[nodiscard]] bool different(NodeId a, NodeId b) {
    const std::optional<NewPart> one = of(a), other = of(b);
    return one && other && (one->whole != other->whole || one->index != other->index);
  }

 private:
  std::optional<NewPart> of(NodeId n) {
    const auto [found, fresh] = known_.try_emplace(n.value);
    if (!fresh) return found->second;
    if (const NodeId base = base_of(*binding_, n); base.valid()) found->second = part_of_new(*binding_, base);
    return found->second;
  }

  Binding* binding_;
  std::unordered_map<std::uint32_t, std::optional<NewPart>> known_;
};

}  // namespace

Obstacles obstacles(Binding& binding, const std::vector<BodyCall>& calls, const FactsOfGraphs& facts,
                    Storage& storage) {
  const Graph& graph = binding.graph();
  Obstacles found;
  Parts parts(binding);
  for (const BodyCall& call : calls) {
    for (std::uint32_t i = 0; i < call.operands.size(); ++i) {
      const auto any = [&](const std::vector<bool> BodyFacts::*what) {
        return std::any_of(call.graphs.begin(), call.graphs.end(),
                           [&](const Graph* g) { return (facts.at(g).*what)[i]; });
      };
      const Slot& slot = graph[call.operands[i]];
      if (slot.kind != ArgKind::node || !any(&BodyFacts::writes)) continue;
      if (any(&BodyFacts::returned) && graph.has_uses(call.call) &&
          storage.write_between(slot.node(), call.call, NodeId()).valid())
        found.push_back({call.call, i, "a result is the operand itself or a view of it, and is written later"});
      for (std::uint32_t j = 0; j < call.operands.size(); ++j) {
        const Slot& other = graph[call.operands[j]];
        if (j == i || other.kind != ArgKind::node || !storage.together(slot.node(), other.node())) continue;
        if (parts.different(slot.node(), other.node())) continue;
        found.push_back({call.call, i, "another operand may share its storage"});
        break;
      }
    }
  }
  return found;
}

void tell_placeholders(const Graph& graph, const BodyCall& call) {
  if (call.kind == GraphCall::Kind::each || call.kind == GraphCall::Kind::scan) return;  // slices
  for (Graph* body : call.graphs) {
    std::size_t i = 0;
    for (const NodeId n : body->nodes()) {
      if (body->opcode(n) != Opcode::placeholder) continue;
      const Slot& slot = graph[call.operands[i++]];
      if (slot.kind == ArgKind::node && !body->meta(n).valid()) body->set_meta(n, graph.meta(slot.node()));
      if (i == call.operands.size()) break;
    }
  }
}

void add_effects(Binding& binding, const std::vector<BodyCall>& calls, const FactsOfGraphs& facts) {
  const Graph& graph = binding.graph();
  for (const BodyCall& call : calls) {
    Binding::Effects effects;
    effects.several = effects.apart = true;
    std::vector<bool> written(call.operands.size()), returned(call.operands.size());
    for (const Graph* body : call.graphs) {
      const BodyFacts& known = facts.at(body);
      for (std::size_t i = 0; i < call.operands.size(); ++i) {
        written[i] = written[i] || known.writes[i];
        returned[i] = returned[i] || known.returned[i];
      }
      effects.stays |= known.stays;
      // The second graph of a loop only decides whether there is another turn.
      if (call.kind == GraphCall::Kind::loop && body != call.graphs[0]) continue;
      effects.several = effects.several && known.several;
      effects.apart = effects.apart && known.apart;
    }
    for (std::size_t i = 0; i < call.operands.size(); ++i) {
      const Slot& slot = graph[call.operands[i]];
      if (slot.kind != ArgKind::node) continue;
      if (written[i]) effects.written.push_back(slot.node());
      if (returned[i]) effects.returned.push_back(slot.node());
    }
    binding.add_effects(call.call, std::move(effects));
  }
}

}  // namespace fxrules::rewrite
