// Rules whose left side writes: each written operand gets a new value, which its later uses mean, and the
// write goes. What the engine guarantees whatever a rule says: every written operand has a new value, no two
// of them share storage, the new value is nobody else's storage that is written or returned later.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "engine/rewrite/session.hpp"

namespace fxrules::rewrite {

using program::Index;

// The operands that the root writes. A method that no catalogue knows and that ends in one underscore writes
// its self, as torch's naming says.
std::vector<NodeId> Session::written_by(NodeId root) {
  std::vector<NodeId> operands;
  const CallClass& call = binding_.call_class(root);
  if (call.unknown) {
    const std::string_view target = graph_->target(root);
    const bool in_place = graph_->opcode(root) == Opcode::call_method && target.size() > 1 && target.ends_with('_') &&
                          !target.ends_with("__") && graph_->argument_count(root) > 0;
    const Slot& self = (*graph_)[in_place ? graph_->argument(root, 0) : SlotId(0)];
    if (in_place && self.kind == ArgKind::node) operands.push_back(self.node());
    return operands;
  }
  if (!call.writes) return operands;
  written_operands(binding_, root, [&](NodeId o) {
    if (std::find(operands.begin(), operands.end(), o) == operands.end()) operands.push_back(o);
  });
  return operands;
}

// A last `copy_` into an input that is written back at the end anyway.
bool Session::is_write_back(NodeId root) {
  const CallClass& call = binding_.call_class(root);
  if (!call.op.valid() || call.op != binding_.catalogue().role("write")) return false;
  const std::vector<NodeId> operands = written_by(root);
  if (operands.size() != 1 || graph_->has_uses(root)) return false;
  const Opcode opcode = graph_->opcode(operands[0]);
  const bool back = opcode == Opcode::get_attr      ? options_->mutated_attributes == MutatedInputs::copy_back
                    : opcode == Opcode::placeholder ? options_->mutated_inputs == MutatedInputs::copy_back
                                                    : false;
  return back && !rewriter_.storage().used_after(operands[0], graph_->next(root), graph_->output());
}

Outcome Session::refuse_write(Index index, NodeId root, Refusal why) {
  ++report_->rules[index].refused;
  report_->diagnostics.push_back({Severity::error, "write-refused",
                                  fmt::format("`{}` is not rewritten: {}", graph_->name(root), describe(why)),
                                  rules_->rules[index].span, "the graph is left as it was"});
  return Outcome::failed;
}

// Pairs what the rule assigns with the operands that the root writes. A list on the left takes the items of
// the value, or, of a call that returns several, one item each.
Refusal Session::gather_written(const program::Alternative& alternative, NodeId root,
                                const std::vector<NodeId>& operands, const std::vector<Value>& variables,
                                const std::vector<NodeId>& nodes, Gathered& gathered) {
  std::vector<Written>& written = gathered.written;
  if (alternative.single) {
    if (operands.size() != 1) return Refusal::operand_left;
    const program::Assignment& a = alternative.assignments[0];
    written.push_back({operands[0], variables[a.value], a.as, {}});
    return Refusal::none;
  }
  const auto assign = [&](NodeId old, const Value& value, program::Code as) {
    if (old == root) {
      gathered.root = value;
      return true;
    }
    const bool operand = std::find(operands.begin(), operands.end(), old) != operands.end();
    if (!operand && std::find(nodes.begin(), nodes.end(), old) != nodes.end()) {
      gathered.others.emplace_back(old, value);
      return true;
    }
    const bool again = std::any_of(written.begin(), written.end(), [&](const Written& w) { return w.operand == old; });
    if (again || !operand) return false;
    written.push_back({old, value, as, {}});
    return true;
  };
  for (const program::Assignment& a : alternative.assignments) {
    if (a.variable == program::kNone) {
      gathered.effects.push_back(variables[a.value]);
      continue;
    }
    const Value& old = variables[a.variable];
    const Value& value = variables[a.value];
    if (old.is(Tag::node)) {
      if (!assign(old.node(), value, a.as)) return Refusal::operand_left;
      continue;
    }
    if (!old.is_sequence()) return Refusal::operand_left;
    for (std::uint32_t i = 0; i < old.range.count; ++i) {
      const Value item = machine_.item(old, i);
      if (!item.is(Tag::node) || !assign(item.node(), machine_.indexed(value, Value::integer(i)), a.as))
        return Refusal::operand_left;
    }
  }
  return written.size() == operands.size() ? Refusal::none : Refusal::operand_left;
}

// The new value may be, or be a view of, something else: then no later write may reach either of them, and no
// output may come to share storage with an input or another output.
Refusal Session::new_value_allows(NodeId root, NodeId operand, NodeId value) {
  bool rebinds = false;
  rebound_operands(binding_, root, [&](NodeId o, NodeId taken) { rebinds |= o == operand && taken == value; });
  if (rebinds || value == operand) return Refusal::none;
  std::vector<NodeId> others, todo;
  const auto look_at = [&](NodeId n) {
    if (!is_new(n)) {
      others.push_back(n);
    } else if (!binding_.shares_nothing(n) && !binding_.call_class(n).unknown) {
      todo.push_back(n);
    }
  };
  look_at(value);
  while (!todo.empty()) {
    const NodeId n = todo.back();
    todo.pop_back();
    aliased_operands(binding_, n, [&](NodeId o) {
      if (relation(binding_, n, o) != Relation::none) look_at(o);
    });
  }
  for (const NodeId other : others) {
    Storage& storage = rewriter_.storage();
    if (other == operand || versions_.buffer_of(root, other) == versions_.buffer_of(root, operand)) continue;
    if (storage.write_between(other, root, NodeId()).valid() || storage.write_between(operand, root, NodeId()).valid())
      return Refusal::written_later;
    const bool seen = storage.holds_input(operand) || storage.reaches_output(operand);
    if (seen && (storage.holds_input(other) || storage.reaches_output(other))) return Refusal::aliases_output;
  }
  return Refusal::none;
}

// A list op goes item by item: an operand that it writes and reads for another item has its new value there.
bool Session::reads_what_it_writes(NodeId root, const std::vector<Written>& written) {
  const std::uint32_t count = graph_->argument_count(root);
  std::unordered_map<std::uint32_t, std::uint32_t> item_of;  // by node: its place in the lists
  bool otherwise = false;
  const auto look_at = [&](const Slot& slot, std::uint32_t item) {
    if (slot.kind != ArgKind::node) return;
    const auto [known, fresh] = item_of.try_emplace(slot.a, item);
    if (fresh || known->second == item) return;
    otherwise |=
        std::any_of(written.begin(), written.end(), [&](const Written& w) { return w.operand == slot.node(); });
  };
  for (std::uint32_t a = 0; a < count; ++a) {
    const Slot& slot = (*graph_)[graph_->argument(root, a)];
    if (!is_container(slot.kind)) {
      look_at(slot, SlotId::kNone);
    } else {
      for (std::uint32_t i = 0; i < slot.count(); ++i) look_at((*graph_)[slot.child(i)], i);
    }
  }
  std::unordered_map<std::uint32_t, NodeId> operand_of;  // by buffer: the operand that writes it
  for (const Written& w : written) operand_of.emplace(versions_.buffer_of(root, w.operand), w.operand);
  for (const auto& [node, item] : item_of) {
    if (is_tensor(binding_, NodeId(node)) == Truth::no) continue;
    const auto found = operand_of.find(versions_.buffer_of(root, NodeId(node)));
    otherwise |= found != operand_of.end() && found->second != NodeId(node);
  }
  return otherwise;
}

// The root's own uses mean the value from now on; those that still wait say so for themselves.
void Session::settle_root(NodeId root, NodeId value) {
  for (SlotId s = graph_->first_use(root); s.valid(); s = graph_->next_use(s))
    rewriter_.changes().readers.push_back(graph_->owner(s));
  if (graph_->has_uses(root)) graph_->replace_uses(root, value);
  rewriter_.users().forget();
}

bool Session::Gathered::keeps_operands() const {
  return std::all_of(written.begin(), written.end(),
                     [](const Written& w) { return w.value.is(Tag::node) && w.value.node() == w.operand; });
}

// The root's write becomes another one, to the same storage: the operand stays what it is, for all its readers. What
// the new calls read, they read where the root stands.
Refusal Session::written_in_place(NodeId root, const std::vector<NodeId>& nodes, const Gathered& gathered) {
  for (const NodeId n : nodes) {
    const Opcode opcode = graph_->opcode(n);
    const bool call = opcode != Opcode::placeholder && opcode != Opcode::get_attr;
    if (n != root && call && !binding_.removable(n)) return Refusal::effect_moves;
  }
  Storage& storage = rewriter_.storage();
  Refusal why = Refusal::none;
  for (const NodeId n : rewriter_.changes().created) {
    written_operands(binding_, n, [&](NodeId operand) {
      const bool own = std::any_of(gathered.written.begin(), gathered.written.end(),
                                   [&](const Written& w) { return storage.together(w.operand, operand); });
      if (why != Refusal::none) return;
      if (!own) {
        why = new_write_allows(n, operand, rewriter_.changes().created);
      } else if (reads_written(n, operand)) {
        why = Refusal::reads_written;
      }
    });
  }
  for (const auto& [old, value] : gathered.others) {
    const NodeId now = rewriter_.node_of(value);
    if (!binding_.shares_nothing(old) || versions_.knows(old) || !is_new(now) || !binding_.shares_nothing(now))
      return Refusal::written_later;
    for (SlotId s = graph_->first_use(old); s.valid(); s = graph_->next_use(s)) {
      const NodeId user = graph_->owner(s);
      if (user != root && !graph_->precedes(root, user)) return Refusal::read_before;
    }
  }
  return why;
}

Outcome Session::write(Index index, const program::Alternative& alternative, NodeId root, std::vector<Value>& variables,
                       const std::vector<NodeId>& nodes) {
  versions_.begin(root);  // a guard that counts uses has bound those that waited
  Gathered gathered;
  std::vector<Written>& written = gathered.written;
  const Value& root_value = gathered.root;
  Refusal why = gather_written(alternative, root, written_by(root), variables, nodes, gathered);
  // Where the operand stays what it is, so may the write: nothing is lost.
  const bool keeps = why == Refusal::none && gathered.keeps_operands();
  const auto deny = [&](Refusal reason) {
    return keeps ? refuse(index, root, reason) : refuse_write(index, root, reason);
  };
  if (!keeps && why == Refusal::none && !(gathered.others.empty() && gathered.effects.empty()))
    why = Refusal::operand_left;
  if (why == Refusal::none) why = reads_move(nodes, root);
  if (why != Refusal::none) return deny(why);
  const auto usable = [&](const Value& v) { return v.is(Tag::node) || v.is(Tag::fresh); };
  const bool own = usable(root_value);  // the root's uses get a value of their own
  // The next alternative, or rule, may know a result.
  const auto unbuilt = [&](const Value& v) {
    unbuilt_ = v.unusable() || usable(v) ? Refusal::not_known : Refusal::no_node;
    return Outcome::declined;
  };
  for (const Written& w : written) {
    if (!usable(w.value) || !rewriter_.can_write(w.value)) return unbuilt(w.value);
  }
  if (!own && !root_value.is(Tag::none)) return unbuilt(root_value);
  for (const Value& v : gathered.effects) {
    if (!v.is(Tag::fresh)) return unbuilt(v);
  }
  for (const auto& [old, v] : gathered.others) {
    if (!usable(v)) return unbuilt(v);
  }
  bool follows = false;
  std::unordered_set<std::uint32_t> buffers;
  for (const Written& w : written) {
    aliased_operands(binding_, root, [&](NodeId o) { follows |= o == w.operand; });
    if (!buffers.insert(versions_.buffer_of(root, w.operand)).second) return deny(Refusal::shared_operands);
  }
  if (written.size() > 1 && reads_what_it_writes(root, written)) return deny(Refusal::shared_operands);
  const CallClass& call = binding_.call_class(root);
  follows |= call.unknown;
  const bool returns_nothing = call.schema != nullptr && call.schema->returns.empty();
  if (!own && graph_->has_uses(root) && (written.size() > 1 || (!follows && !returns_nothing)))
    return deny(Refusal::result_used);

  if (why = make_effects(gathered.effects, root); why != Refusal::none) {
    rewriter_.unmake();
    return deny(why);
  }
  const auto made = [&](const Value& v) { return rewriter_.make(v, root, root, SymbolId()); };
  for (Written& w : written) {
    SymbolId name;
    const Value text = w.as.present() ? machine_.run(w.as, variables) : Value();
    const bool view = versions_.through_view(root, w.operand);
    if (text.is(Tag::string)) w.name = text.symbol();
    if (text.is(Tag::string) && !view && w.value.is(Tag::fresh) && !rewriter_.node_of(w.value).valid())
      name = graph_->numbered_name(graph_->text(text.symbol()));
    if (!rewriter_.make(w.value, root, root, name)) {
      rewriter_.unmake();
      return deny(Refusal::no_spelling);
    }
  }
  const bool rest =
      std::all_of(gathered.others.begin(), gathered.others.end(), [&](const auto& o) { return made(o.second); });
  if (!rest || (own && !made(root_value))) {
    rewriter_.unmake();
    return deny(Refusal::no_spelling);
  }
  for (const NodeId n : rewriter_.changes().created) {
    for (const Slot& s : graph_->slots(n)) {
      if (s.kind == ArgKind::node && !graph_->precedes(s.node(), n)) why = Refusal::not_before;
    }
  }
  for (const Written& w : written) {
    const NodeId value = rewriter_.node_of(w.value);
    if (why == Refusal::none && !is_new(value) && !graph_->precedes(value, root)) why = Refusal::not_before;
    if (why == Refusal::none) why = new_value_allows(root, w.operand, value);
  }
  const bool moves = !rewriter_.changes().created.empty() || !gathered.others.empty();
  if (why == Refusal::none && keeps && moves) why = written_in_place(root, nodes, gathered);
  if (why != Refusal::none) {
    rewriter_.unmake();
    return deny(why);
  }
  writing_ = index;
  for (const Written& w : written) {
    const NodeId value = rewriter_.node_of(w.value);
    if (w.value.is(Tag::fresh)) inherit(w.operand, value);
    rewriter_.changes().gained_uses.push_back(value);
  }
  for (const auto& [old, value] : gathered.others) {
    inherit(old, rewriter_.node_of(value));
    rewriter_.replace(old, rewriter_.node_of(value));
  }
  if (own) {
    settle_root(root, rewriter_.node_of(root_value));
  } else if (!follows) {
    while (graph_->has_uses(root)) graph_->set_literal(graph_->first_use(root), Slot::of_kind(ArgKind::none));
  }
  const NodeId first = rewriter_.node_of(written[0].value);
  record(index, root, nodes, graph_->name_id(first));
  for (const Written& w : written)
    versions_.write(root, w.operand, rewriter_.node_of(w.value), w.name, follows && !own);
  if (graph_->has_uses(root)) settle_root(root, first);
  rewriter_.erase_write(root);
  return Outcome::applied;
}

// A rule made the value of the write inside of the graph that the call runs.
bool Session::hand_back(NodeId n) {
  const HandBack back = hand_backs_.at(n.value);
  hand_backs_.erase(n.value);
  if (is_write_back(n)) return false;
  rewriter_.begin();
  machine_.reset();
  machine_.set_root(n);
  const Index phase = back.rule == program::kNone ? 0 : rules_->rules[back.rule].phase;
  machine_.use(rules_->facts[rules_->phases[phase].facts]);
  versions_.begin(n);
  // Arguments may mean newer values by now.
  const NodeId operand = (*graph_)[graph_->argument(n, 0)].node(), value = (*graph_)[graph_->argument(n, 1)].node();
  SymbolId name;
  if (back.name.valid()) {  // what holds the name of the placeholder has that of the operand here
    const std::string_view text = graph_->text(back.name), inside = graph_->text(back.inside);
    const std::string_view origin = graph_->name(versions_.origin(operand));
    name = text.starts_with(inside) ? binding_.symbol(std::string(origin) + std::string(text.substr(inside.size())))
                                    : back.name;
    if (!versions_.through_view(n, operand)) graph_->rename(value, graph_->numbered_name(graph_->text(name)));
  }
  writing_ = back.rule;
  versions_.write(n, operand, value, name, false);
  rewriter_.erase_write(n);
  return true;
}

}  // namespace fxrules::rewrite
