#include "engine/rewrite/session.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace fxrules::rewrite {

using program::Index;
using program::kNone;
using program::ResultKind;

std::string describe(Refusal refusal) {
  switch (refusal) {
    case Refusal::none:
      return {};
    case Refusal::root_writes:
      return "it writes to an operand, and the rule does not say what becomes of that operand";
    case Refusal::read_moves:
      return "a read would move past a write";
    case Refusal::written_later:
      return "a later write would reach other readers than it does now";
    case Refusal::aliases_output:
      return "an output would become an input or another output";
    case Refusal::not_before:
      return "an operand of the new node is computed after it";
    case Refusal::replaced:
      return "a result uses a value that the rule itself replaces";
    case Refusal::no_spelling:
      return "no op of the replacement takes these arguments";
  }
  return {};
}

Session::Session(const program::RuleSet& rules, Graph& graph, const ApplyOptions& options, Report& report)
    : rules_(&rules),
      graph_(&graph),
      options_(&options),
      report_(&report),
      binding_(rules, graph),
      machine_(binding_, [this]() -> Storage& { return rewriter_.storage(); }),
      rewriter_(binding_, machine_),
      extra_matcher_(binding_, machine_.heap()),
      enabled_(rules.rules.size(), true),
      noted_(rules.rules.size()) {
  const auto named = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (std::size_t r = 0; r < rules.rules.size(); ++r) {
    const program::Rule& rule = rules.rules[r];
    enabled_[r] = (options.only.empty() || named(options.only, rule.name)) && !named(options.disable, rule.name);
    report.rules.push_back({rule.name, rules.phases[rule.phase].name, rule.span});
  }
}

Outcome Session::attempt(Index index, NodeId root, std::vector<Value>& variables, std::vector<NodeId>& nodes) {
  const program::Rule& rule = rules_->rules[index];
  machine_.reset();
  machine_.set_root(root);
  last_dependencies_.clear();
  refusal_ = Refusal::none;
  rewriter_.begin();
  const Outcome outcome = join(rule, index, root, 0, variables, nodes);
  last_dependencies_.use_counts = machine_.dependencies().use_counts;
  last_dependencies_.elsewhere |= machine_.dependencies().elsewhere || refusal_ != Refusal::none;
  last_dependencies_.elsewhere |= !rule.extra.empty();  // another user may appear
  return outcome;
}

// The users of a value, or what lies that many uses away, in program order.
std::vector<NodeId> Session::users_of(NodeId value, unsigned hops) const {
  const auto order = [&](std::vector<NodeId>& nodes) {
    std::sort(nodes.begin(), nodes.end(), [&](NodeId a, NodeId b) { return graph_->precedes(a, b); });
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  };
  std::vector<NodeId> nodes{value};
  for (unsigned hop = 0; hop < hops; ++hop) {
    std::vector<NodeId> users;
    for (const NodeId n : nodes) {
      for (SlotId s = graph_->first_use(n); s.valid(); s = graph_->next_use(s)) users.push_back(graph_->owner(s));
    }
    order(users);
    nodes = std::move(users);
  }
  return nodes;
}

// Further roots are found among the users of a value that is already bound; every combination is tried until
// one is rewritten. The number of roots is written in the rule, so this recursion is as deep as the rule is wide.
Outcome Session::join(const program::Rule& rule, Index index, NodeId root, std::size_t extra_index,
                      std::vector<Value>& variables, std::vector<NodeId>& nodes) {
  if (extra_index == rule.extra.size()) {
    refusal_ = Refusal::none;
    return alternatives(rule, index, root, variables, nodes);
  }
  const program::ExtraRoot& extra = rule.extra[extra_index];
  const auto anchor = std::find_if(extra.anchors.begin(), extra.anchors.end(),
                                   [&](const auto& a) { return variables[a.variable].is(Tag::node); });
  if (anchor == extra.anchors.end()) return Outcome::declined;
  Outcome best = Outcome::declined;
  for (const NodeId user : users_of(variables[anchor->variable].node(), anchor->hops)) {
    if (std::find(nodes.begin(), nodes.end(), user) != nodes.end()) continue;
    for (auto& [more_variables, more_nodes] : matches_of(extra, user, variables, nodes)) {
      const Outcome outcome = join(rule, index, root, extra_index + 1, more_variables, more_nodes);
      if (outcome == Outcome::applied || outcome == Outcome::failed) return outcome;
      if (outcome == Outcome::noted) best = outcome;
    }
  }
  return best;
}

std::vector<Session::Joined> Session::matches_of(const program::ExtraRoot& extra, NodeId user,
                                                 const std::vector<Value>& variables,
                                                 const std::vector<NodeId>& nodes) {
  std::vector<Joined> out;
  extra_matcher_.begin(extra.match, Value::of_node(user));
  for (const auto& [place, variable] : extra.preload) extra_matcher_.registers()[place] = variables[variable];
  Index pc = extra.match.start;
  while (const program::Accept* accept = extra_matcher_.next(extra.match, pc)) {
    Joined joined{variables, nodes};
    for (std::size_t v = 0; v < accept->registers.size(); ++v) {
      if (accept->registers[v] != 0xFFFF) joined.variables[v] = extra_matcher_.registers()[accept->registers[v]];
    }
    joined.variables[extra.variable] = Value::of_node(user);
    for (const std::uint16_t r : accept->nodes) joined.nodes.push_back(extra_matcher_.registers()[r].node());
    out.push_back(std::move(joined));
  }
  return out;
}

Outcome Session::alternatives(const program::Rule& rule, Index index, NodeId root, std::vector<Value>& variables,
                              std::vector<NodeId>& nodes) {
  bool unknown = false, decided = false;
  for (const program::Alternative& alternative : rule.alternatives) {
    if (alternative.guard.present()) {
      const Truth guard = truth_of(machine_.run(alternative.guard, variables));
      if (guard != Truth::yes) {
        unknown |= guard == Truth::unknown;
        continue;
      }
    }
    Outcome outcome = Outcome::declined;
    switch (alternative.kind) {
      case ResultKind::value:
        outcome = value(rule, index, alternative, root, variables, nodes);
        break;
      case ResultKind::keep:
        outcome = keep(index, alternative, root, variables, nodes);
        break;
      case ResultKind::error:
      case ResultKind::note:
        return say(index, alternative, root, variables);
    }
    if (outcome != Outcome::declined) return outcome;
    decided = true;
    if (refusal_ != Refusal::none) break;  // the guard chose this alternative; the next ones are not for it
  }
  if (!decided) ++(unknown ? report_->rules[index].guard_unknown : report_->rules[index].guard_false);
  return Outcome::declined;
}

Outcome Session::refuse(Index index, NodeId root, Refusal why) {
  refusal_ = why;
  ++report_->rules[index].refused;
  std::vector<bool>& said = noted_[index];
  if (said.size() <= root.value) said.resize(root.value + 1);
  if (!said[root.value]) report_->notes.push_back({index, graph_->name_id(root), "not rewritten: " + describe(why)});
  said[root.value] = true;
  return Outcome::declined;
}

Outcome Session::say(Index index, const program::Alternative& alternative, NodeId root, std::vector<Value>& variables) {
  const Value text = machine_.run(alternative.code, variables);
  std::vector<bool>& said = noted_[index];
  if (said.size() <= root.value) said.resize(root.value + 1);
  if (said[root.value]) return Outcome::declined;
  said[root.value] = true;
  const std::string message = machine_.text_of(text);
  if (alternative.kind == ResultKind::note) {
    report_->notes.push_back({index, graph_->name_id(root), message});
    return Outcome::noted;
  }
  report_->diagnostics.push_back({Severity::error, "rule-error", fmt::format("`{}`: {}", graph_->name(root), message),
                                  alternative.span,
                                  fmt::format("the rule `{}` stops here", rules_->rules[index].name)});
  return Outcome::failed;
}

// Erased nodes keep their names.
void Session::record(Index index, NodeId root, const std::vector<NodeId>& nodes, SymbolId result) {
  const Rewriter::Changes& changes = rewriter_.changes();
  ++report_->rules[index].rewrites;
  ++report_->rewrites;
  report_->created += changes.created.size();
  report_->removed += changes.removed.size();
  if (!options_->record) return;
  matched_.clear();
  created_.clear();
  for (const NodeId n : nodes) matched_.push_back(graph_->name_id(n));
  for (const NodeId n : changes.created) created_.push_back(graph_->name_id(n));
  report_->applications.push_back({index, graph_->name_id(root), matched_, created_, result});
}

// ---------------------------------------------------------------- results

Outcome Session::value(const program::Rule& rule, Index index, const program::Alternative& alternative, NodeId root,
                       std::vector<Value>& variables, const std::vector<NodeId>& nodes) {
  variables.resize(rule.variables.size());
  if (alternative.existing != kNone) {  // the code would load and store it
    variables[alternative.assignments[0].value] = variables[alternative.existing];
  } else if (const Value top = machine_.run(alternative.code, variables); top.is(Tag::failure)) {
    report_->diagnostics.push_back({Severity::error, "rule-error",
                                    fmt::format("`{}`: {}", graph_->name(root), machine_.text_of(top)),
                                    alternative.span, fmt::format("the rule `{}` stops here", rule.name)});
    return Outcome::failed;
  }
  replacements_.clear();
  for (const program::Assignment& a : alternative.assignments) {
    const Value old = variables[a.variable], value = variables[a.value];
    if (!old.is(Tag::node) || !rewriter_.can_write(value)) return Outcome::declined;
    if (!value.is(Tag::node) && !value.is(Tag::fresh)) return Outcome::declined;  // a root is a node
    replacements_.push_back({old.node(), value, a.as});
  }
  for (const Replacement& r : replacements_) {
    if (r.value.is(Tag::node) && r.value.node() == r.old) return Outcome::declined;  // nothing would change
    if (binding_.writes(r.old)) return refuse(index, root, Refusal::root_writes);
    const Refusal moved = reads_move(nodes, r.old);
    if (moved != Refusal::none) return refuse(index, root, moved);
    if (r.value.is(Tag::node) && !graph_->precedes(r.value.node(), r.old))
      return refuse(index, root, Refusal::not_before);
  }
  const auto replaced = [&](NodeId n) {
    return std::any_of(replacements_.begin(), replacements_.end(), [&](const Replacement& r) { return r.old == n; });
  };
  for (const Replacement& r : replacements_) {
    if (r.value.is(Tag::node) && replaced(r.value.node())) return refuse(index, root, Refusal::replaced);
  }
  for (const Replacement& r : replacements_) {
    SymbolId name;
    if (r.as.present() && r.value.is(Tag::fresh)) {
      const Value text = machine_.run(r.as, variables);
      if (text.is(Tag::string)) name = graph_->numbered_name(graph_->text(text.symbol()));
    }
    if (!rewriter_.make(r.value, r.old, r.old, name)) {
      rewriter_.unmake();
      return refuse(index, root, Refusal::no_spelling);
    }
  }
  for (const NodeId n : rewriter_.changes().created) {
    for (const Slot& s : graph_->slots(n)) {
      if (s.kind != ArgKind::node || (graph_->precedes(s.node(), n) && !replaced(s.node()))) continue;
      const Refusal why = replaced(s.node()) ? Refusal::replaced : Refusal::not_before;
      rewriter_.unmake();
      return refuse(index, root, why);
    }
  }
  for (const Replacement& r : replacements_) {
    const NodeId value = rewriter_.node_of(r.value);
    Refusal why = output_allows(r.old, value);
    if (why == Refusal::none) why = storage_allows(r.old, value);
    if (why != Refusal::none) {
      rewriter_.unmake();
      return refuse(index, root, why);
    }
  }
  SymbolId result;
  for (const Replacement& r : replacements_) {
    const NodeId value = rewriter_.node_of(r.value);
    if (r.value.is(Tag::fresh)) inherit(r.old, value);
    if (r.old == root) result = graph_->name_id(value);
    rewriter_.replace(r.old, value);
  }
  record(index, root, nodes, result);
  return Outcome::applied;
}

// Whether the call writes to an operand because of this argument, as with `inplace = True`.
bool Session::decides_write(NodeId n, std::string_view argument) {
  const CallClass& call = binding_.call_class(n);
  if (call.schema == nullptr) return false;
  if (argument == "copy" && has(call.schema->tags, OpTag::may_alias))
    return true;  // decides whether later writes are shared
  for (const SchemaArgument& a : call.schema->arguments) {
    if (!a.writes) continue;
    if (a.name == argument && binding_.writes(n)) return true;
    if (a.writes_when.substr(0, a.writes_when.find_first_of("!=")) == argument) return true;
  }
  return false;
}

// A kept node that gets another operand reads it where it stands, and shares its storage where it is a view.
Refusal Session::operands_allow(const std::vector<Value>& values, NodeId root, const std::vector<NodeId>& nodes) {
  bool operand = false;
  for (const Value& value : values) {
    std::vector<Value> todo{value};
    while (!todo.empty() && !operand) {
      const Value v = todo.back();
      todo.pop_back();
      operand |= v.is(Tag::node);
      for (std::uint32_t i = 0; v.is_container() && i < v.range.count; ++i) todo.push_back(machine_.item(v, i));
    }
  }
  if (!operand) return Refusal::none;
  if (binding_.writes(root)) return Refusal::root_writes;
  const CallClass& call = binding_.call_class(root);
  Storage& storage = rewriter_.storage();
  if ((call.aliases || call.unknown) && storage.any_writes()) return Refusal::written_later;
  if (call.aliases && storage.reaches_output(root)) return Refusal::aliases_output;
  return reads_move(nodes, root);
}

Outcome Session::keep(Index index, const program::Alternative& alternative, NodeId root, std::vector<Value>& variables,
                      const std::vector<NodeId>& nodes) {
  std::vector<Value> values;
  for (const program::KeepEntry& entry : alternative.keeps) {
    values.push_back(machine_.run(entry.value, variables));
    if (!rewriter_.can_write(values.back()) || values.back().is(Tag::fresh)) return Outcome::declined;
  }
  for (const program::KeepEntry& entry : alternative.keeps) {
    if (decides_write(root, entry.key)) return refuse(index, root, Refusal::root_writes);
  }
  const Refusal unsafe = operands_allow(values, root, nodes);
  if (unsafe != Refusal::none) return refuse(index, root, unsafe);
  bool changed = false;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const program::KeepEntry& entry = alternative.keeps[k];
    if (entry.meta) {
      if (!keep_meta(root, entry.key, values[k])) continue;
      rewriter_.changes().kept.push_back(root);
      changed = true;
      continue;
    }
    const Access access = binding_.find_argument(binding_.call_class(root), root, entry.key);
    const auto kept = rewriter_.set_argument(root, entry.key, values[k]);
    if (kept == Rewriter::Kept::impossible) return Outcome::declined;
    if (kept == Rewriter::Kept::changed && access.type == TypeKind::device) device_changed(root, values[k]);
    changed |= kept == Rewriter::Kept::changed;
  }
  if (!changed) return Outcome::declined;
  record(index, root, nodes, graph_->name_id(root));
  return Outcome::applied;
}

}  // namespace fxrules::rewrite
