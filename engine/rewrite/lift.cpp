#include "engine/rewrite/lift.hpp"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "engine/rewrite/effects.hpp"
#include "engine/rewrite/role_calls.hpp"

namespace fxrules::rewrite {
namespace {

// What the output node returns, as a list of slots; `bare`: it returns one value, no tuple.
std::vector<SlotId> results_of(const Graph& graph, bool& bare) {
  std::vector<SlotId> out;
  bare = false;
  const NodeId output = graph.output();
  if (!output.valid() || graph.argument_count(output) == 0) return out;
  const SlotId returned = graph.argument(output, 0);
  const Slot& slot = graph[returned];
  if (slot.kind == ArgKind::tuple || slot.kind == ArgKind::list) {
    for (std::uint32_t i = 0; i < slot.count(); ++i) out.push_back(slot.child(i));
  } else if (slot.kind != ArgKind::none) {
    bare = true;
    out.push_back(returned);
  }
  return out;
}

void insert_result(Graph& graph, std::uint32_t at, NodeId value) {
  bool bare = false;
  const std::vector<SlotId> results = results_of(graph, bare);
  const NodeId output = graph.output();
  const Slot returned = graph[graph.argument(output, 0)];
  const CallForm form = graph.form(output);
  CallBuilder builder(graph);
  builder.open(returned.kind == ArgKind::list ? ArgKind::list : ArgKind::tuple);
  for (std::uint32_t i = 0; i < results.size(); ++i) {
    if (i == at) builder.node(value);
    builder.copy(results[i]);
  }
  if (at >= results.size()) builder.node(value);
  builder.close();
  builder.reassign(output, form.opcode, form.target);
}

}  // namespace

Lifting::Lifting(Binding& binding, const program::RuleSet& rules, std::vector<BodyCall> calls, ResultsOfGraphs& results)
    : binding_(&binding), rules_(&rules), graph_(&binding.graph()), calls_(std::move(calls)), results_(&results) {}

void Lifting::run(const Obstacles& obstacles, std::vector<Diagnostic>& diagnostics) {
  obstacles_ = &obstacles;
  std::unordered_set<const Graph*> run;
  for (const Group& group : groups()) {
    run.insert(group.graphs.begin(), group.graphs.end());
    lift(group, diagnostics);
  }
  for (const NodeId n : graph_->nodes()) {
    const Opcode opcode = graph_->opcode(n);
    if (opcode != Opcode::get_attr && opcode != Opcode::call_module) continue;
    const Graph* body = graph_->find_subgraph(graph_->form(n).target);
    if (body == nullptr || (opcode == Opcode::get_attr && !graph_->has_uses(n)) || !run.insert(body).second) continue;
    const BodyResult& r = results_->at(body);
    const auto [was, is] = std::mismatch(r.placeholders.begin(), r.placeholders.end(), r.values.begin());
    if (was == r.placeholders.end()) continue;
    diagnostics.push_back({Severity::error, "lost-write",
                           fmt::format("`{}` writes to its operand `{}`, and how it is called is not known",
                                       graph_->target(n), body->name(*was)),
                           r.rule == program::kNone ? Span() : rules_->rules[r.rule].span,
                           "`graphs=… operands=… calls=…` in a catalogue say how an op calls graphs"});
  }
}

// Graphs that one call runs belong together, and so do all calls of a graph.
std::vector<Lifting::Group> Lifting::groups() const {
  std::unordered_map<const Graph*, std::size_t> number;
  std::vector<std::size_t> parent;
  const auto find = [&](std::size_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  for (const BodyCall& call : calls_) {
    for (const Graph* g : call.graphs) {
      if (number.try_emplace(g, parent.size()).second) parent.push_back(parent.size());
      parent[find(number.at(g))] = find(number.at(call.graphs[0]));
    }
  }
  std::vector<Group> groups;
  std::unordered_map<std::size_t, std::size_t> group_of;
  const auto add = [](std::vector<Graph*>& list, Graph* g) {
    if (std::find(list.begin(), list.end(), g) == list.end()) list.push_back(g);
  };
  for (std::size_t c = 0; c < calls_.size(); ++c) {
    const std::size_t root = find(number.at(calls_[c].graphs[0]));
    const auto [found, fresh] = group_of.try_emplace(root, groups.size());
    if (fresh) groups.emplace_back();
    Group& group = groups[found->second];
    group.calls.push_back(c);
    for (Graph* g : calls_[c].graphs) {
      add(group.graphs, g);
      if (calls_[c].kind != GraphCall::Kind::loop || g == calls_[c].graphs[0]) add(group.giving, g);
    }
  }
  return groups;
}

std::vector<std::uint32_t> Lifting::written(const Group& group) const {
  std::vector<std::uint32_t> positions;
  const std::size_t count = calls_[group.calls[0]].operands.size();
  for (std::uint32_t i = 0; i < count; ++i) {
    const bool any = std::any_of(group.graphs.begin(), group.graphs.end(), [&](const Graph* g) {
      const BodyResult& r = results_->at(g);
      return r.values[i] != r.placeholders[i];
    });
    if (any) positions.push_back(i);
  }
  return positions;
}

// Somebody else runs one of the graphs, who would not know of the new result.
bool Lifting::called_otherwise(const Group& group) const {
  std::unordered_map<std::uint32_t, bool> calls;
  for (const std::size_t c : group.calls) calls.emplace(calls_[c].call.value, true);
  for (const NodeId n : graph_->nodes()) {
    const Opcode opcode = graph_->opcode(n);
    if (opcode != Opcode::get_attr && opcode != Opcode::call_module) continue;
    const Graph* body = graph_->find_subgraph(graph_->form(n).target);
    if (body == nullptr || std::find(group.graphs.begin(), group.graphs.end(), body) == group.graphs.end()) continue;
    if (opcode == Opcode::call_module) {
      if (!calls.contains(n.value)) return true;
      continue;
    }
    for (SlotId s = graph_->first_use(n); s.valid(); s = graph_->next_use(s)) {
      if (!calls.contains(graph_->owner(s).value)) return true;
    }
  }
  return false;
}

// Why the values cannot reach outside; empty when they can.
std::string Lifting::refusal(const Group& group, const std::vector<std::uint32_t>& positions) const {
  const BodyCall& first = calls_[group.calls[0]];
  const auto alike = [&](std::size_t c) {
    const BodyCall& call = calls_[c];
    return call.kind == first.kind && call.carried == first.carried && call.operands.size() == first.operands.size();
  };
  if (!std::all_of(group.calls.begin(), group.calls.end(), alike)) return "its graph is run in different ways";
  if (called_otherwise(group)) return "its graph is used by something else, too";
  if (first.kind == GraphCall::Kind::each) return "its graph runs once for each slice, in no order";
  for (const Graph* g : group.graphs) {
    if (std::find(group.giving.begin(), group.giving.end(), g) != group.giving.end()) continue;
    const BodyResult& r = results_->at(g);
    if (r.values != r.placeholders) return "the graph that decides on another turn writes";
  }
  for (const Graph* g : group.graphs) {
    if (!results_->at(g).reshaped.empty()) return "it gets another shape";
  }
  for (const Obstacle& o : *obstacles_) {
    const bool here =
        std::any_of(group.calls.begin(), group.calls.end(), [&](std::size_t c) { return calls_[c].call == o.call; });
    if (here && std::find(positions.begin(), positions.end(), o.operand) != positions.end()) return o.why;
  }
  for (const std::uint32_t p : positions) {
    if (first.kind == GraphCall::Kind::once || first.kind == GraphCall::Kind::branch) continue;
    if (p < first.carried && result_of(group, p) != p)
      return "it is written in the first turn and carries another value into the next";
    if (p < first.carried) continue;
    const auto slot_kind = [&](std::size_t c) {
      return (*graph_)[graph_->argument(calls_[c].call, first.first_group)].kind;
    };
    const auto grows = [&](std::size_t c) { return slot_kind(c) == ArgKind::tuple || slot_kind(c) == ArgKind::list; };
    if (!std::all_of(group.calls.begin(), group.calls.end(), grows)) return "what it carries is no list";
    for (const Graph* g : group.giving) {
      bool bare = false;
      if (results_of(*g, bare).size() < first.carried || bare) return "what it carries is no list";
    }
    if (first.kind == GraphCall::Kind::scan && p >= first.carried) {
      for (const std::size_t c : group.calls) {
        for (SlotId s = graph_->first_use(calls_[c].call); s.valid(); s = graph_->next_use(s)) {
          const NodeId user = graph_->owner(s);
          const bool item = binding_->call_class(user).op == binding_->catalogue().role("getitem") &&
                            (*graph_)[graph_->argument(user, 1)].kind == ArgKind::integer;
          if (!item) return "its results are used as a whole";
        }
      }
    }
  }
  return {};
}

// A result that every graph gives already, and that is the new value.
std::optional<std::uint32_t> Lifting::result_of(const Group& group, std::uint32_t position) const {
  std::vector<bool> possible;
  for (std::size_t g = 0; g < group.giving.size(); ++g) {
    bool bare = false;
    const std::vector<SlotId> results = results_of(*group.giving[g], bare);
    const NodeId value = results_->at(group.giving[g]).values[position];
    if (g == 0) possible.assign(results.size(), true);
    if (results.size() != possible.size()) return std::nullopt;
    for (std::size_t i = 0; i < results.size(); ++i) {
      const Slot& slot = (*group.giving[g])[results[i]];
      possible[i] = possible[i] && slot.kind == ArgKind::node && slot.node() == value;
    }
  }
  const BodyCall& first = calls_[group.calls[0]];
  if (position < first.carried)
    return position < possible.size() && possible[position] ? std::optional(position) : std::nullopt;
  if (first.kind == GraphCall::Kind::loop || first.kind == GraphCall::Kind::scan) return std::nullopt;
  const auto found = std::find(possible.begin(), possible.end(), true);
  if (found == possible.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - possible.begin());
}

void Lifting::lift(const Group& group, std::vector<Diagnostic>& diagnostics) {
  const std::vector<std::uint32_t> positions = written(group);
  if (positions.empty()) return;
  if (const std::string why = refusal(group, positions); !why.empty()) {
    const BodyCall& call = calls_[group.calls[0]];
    program::Index rule = program::kNone;
    std::string inside;
    for (const Graph* g : group.graphs) {
      const BodyResult& r = results_->at(g);
      const std::uint32_t p = positions[0];
      if (r.values[p] == r.placeholders[p]) continue;
      rule = r.rule;
      inside = g->name(r.placeholders[p]);
    }
    diagnostics.push_back({Severity::error, "lost-write",
                           fmt::format("`{}` writes to an operand, `{}` inside, which cannot reach outside: {}",
                                       graph_->name(call.call), inside, why),
                           rule == program::kNone ? Span() : rules_->rules[rule].span, "the graph is left as it was"});
    return;
  }
  for (std::uint32_t p : positions) {
    std::optional<std::uint32_t> result = result_of(group, p);
    if (!result) {
      const BodyCall& first = calls_[group.calls[0]];
      if (first.kind == GraphCall::Kind::loop || first.kind == GraphCall::Kind::scan) {
        const std::uint32_t place = first.carried;
        carry(group, p);
        p = place;
      }
      result = add_result(group, p);
    }
    for (const std::size_t c : group.calls) hand_back(group, calls_[c], p, result);
  }
}

// An operand of every turn becomes one that the turns hand on: the last of those.
void Lifting::carry(const Group& group, std::uint32_t position) {
  const std::uint32_t place = calls_[group.calls[0]].carried;
  for (Graph* g : group.graphs) {
    BodyResult& r = results_->at(g);
    if (position != place) g->move_before(r.placeholders[position], r.placeholders[place]);
    const auto to_place = [&](auto& list) {
      std::rotate(list.begin() + place, list.begin() + position, list.begin() + position + 1);
    };
    to_place(r.placeholders);
    to_place(r.values);
    to_place(r.names);
  }
  for (const std::size_t c : group.calls) carry_operand(calls_[c], position);
}

void Lifting::carry_operand(BodyCall& call, std::uint32_t position) {
  const SlotId moved = call.operands[position];
  const CallForm form = graph_->form(call.call);
  {
    CallBuilder builder(*graph_);
    for (std::uint32_t a = 0; a < form.count(); ++a) {
      if (a >= form.positional) builder.keyword(form.keywords[a - form.positional]);
      const SlotId argument = graph_->argument(call.call, a);
      const Slot slot = (*graph_)[argument];
      const bool holds = is_container(slot.kind) && moved.value >= slot.a && moved.value < slot.a + slot.count();
      if (a != call.first_group && !holds) {
        builder.copy(argument);
        continue;
      }
      builder.open(slot);
      for (std::uint32_t i = 0; i < slot.count(); ++i) {
        if (slot.child(i) != moved) builder.copy(slot.child(i));
      }
      if (a == call.first_group) builder.copy(moved);
      builder.close();
    }
    builder.reassign(call.call, form.opcode, form.target);
  }
  call = *body_call(*binding_, call.call);
}

// The new value, or a copy of what a graph that does not write was given: no result is an operand.
std::uint32_t Lifting::add_result(const Group& group, std::uint32_t position) {
  bool bare = false;
  const auto count = static_cast<std::uint32_t>(results_of(*group.giving[0], bare).size());
  const BodyCall& first = calls_[group.calls[0]];
  const bool carries = first.kind == GraphCall::Kind::loop || first.kind == GraphCall::Kind::scan;
  const std::uint32_t at = carries ? position : count;
  for (Graph* g : group.giving) {
    const BodyResult& r = results_->at(g);
    NodeId value = r.values[position];
    if (value == r.placeholders[position]) {
      value = new_call(*g, "clone", {value}, g->output());
      g->set_meta(value, g->meta(r.placeholders[position]));
    }
    insert_result(*g, at, value);
  }
  for (const std::size_t c : group.calls) make_room(calls_[c], at, bare);
  return at;
}

// What uses the call's results finds them where they are now.
void Lifting::make_room(const BodyCall& call, std::uint32_t at, bool was_bare) {
  if (was_bare && graph_->has_uses(call.call)) {
    std::vector<SlotId> uses;
    for (SlotId s = graph_->first_use(call.call); s.valid(); s = graph_->next_use(s)) uses.push_back(s);
    const NodeId only = item(call.call, 0, graph_->next(call.call));
    graph_->set_meta(only, graph_->meta(call.call));
    for (const SlotId s : uses) graph_->rebind(s, only);
  } else if (call.kind == GraphCall::Kind::scan) {
    for (SlotId s = graph_->first_use(call.call); s.valid(); s = graph_->next_use(s)) {
      const SlotId index = graph_->argument(graph_->owner(s), 1);
      const std::int64_t i = (*graph_)[index].integer();
      if (i >= at) graph_->set_literal(index, Slot::of_integer(i + 1));
    }
  }
  graph_->set_meta(call.call, MetaId());
}

NodeId Lifting::new_call(Graph& graph, std::string_view role, std::initializer_list<NodeId> operands, NodeId before) {
  const auto [known, fresh] = overloads_.try_emplace(&graph, false);
  if (fresh) known->second = spells_overloads(graph, binding_->catalogue());
  return call_of_role(graph, binding_->catalogue(), role, operands, known->second, before);
}

NodeId Lifting::item(NodeId call, std::uint32_t index, NodeId before) {
  const Catalogue& catalogue = binding_->catalogue();
  CallBuilder builder(*graph_);
  builder.node(call).integer(index);
  return builder.create(Opcode::call_function, catalogue.operator_of(catalogue.role("getitem")), {}, before);
}

// Behind the call and in front of everything that uses its results stands the write of the new value.
void Lifting::hand_back(const Group& group, const BodyCall& call, std::uint32_t position,
                        std::optional<std::uint32_t> result) {
  const NodeId operand = (*graph_)[call.operands[position]].node();
  bool bare = false;
  (void)results_of(*group.giving[0], bare);
  const NodeId behind = graph_->next(call.call);
  NodeId value = call.call;
  if (!bare) {
    value = item(call.call, *result, behind);
    const TensorMeta* meta = graph_->metas().tensor_of(graph_->meta(operand));
    if (meta != nullptr) {
      TensorMeta known = *meta;
      known.strides.reset();
      graph_->set_meta(value, graph_->metas().tensor(known));
    }
  }
  const NodeId write = new_call(*graph_, "write", {operand, value}, behind);
  HandBack back{call.call, operand, value, {}, {}, program::kNone};
  for (const Graph* g : group.giving) {
    const BodyResult& r = results_->at(g);
    if (r.values[position] == r.placeholders[position]) continue;
    back.rule = r.rule;
    back.name = r.names[position];
    back.inside = g->name_id(r.placeholders[position]);
  }
  hand_backs_.emplace(write.value, back);
}

}  // namespace fxrules::rewrite
