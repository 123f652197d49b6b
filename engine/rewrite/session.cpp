#include "engine/rewrite/session.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/rewrite/stopwatch.hpp"

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
    case Refusal::not_known:
      return "the result needs a value that is not known";
    case Refusal::keeps_new:
      return "`keep` takes values that are there, and this one would have to be computed";
    case Refusal::no_node:
      return "the result is no node, and only a node can take a node's place";
    case Refusal::operand_left:
      return "it writes to several operands, and the rule does not say what becomes of each";
    case Refusal::shared_operands:
      return "it writes to several operands, and two of its operands share storage or are read for one another";
    case Refusal::result_used:
      return "its result is used and is not one of the operands that it writes to";
    case Refusal::read_later:
      return "something later reads what the new call writes to";
    case Refusal::not_writable:
      return "the new call writes to an input that no output gives a new value";
    case Refusal::reads_written:
      return "the new call reads what it writes to";
    case Refusal::writes_nothing:
      return "a value named `_` is made for what it writes, and this one writes nothing";
    case Refusal::effect_moves:
      return "a call that is random or has an effect would move";
    case Refusal::read_before:
      return "a value that the rule replaces is read before it is written back";
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
      versions_(binding_, machine_, rewriter_,
                [this](NodeId user, const std::string& why) {
                  const Index rule = writing_ == kNone ? 0 : writing_;
                  report_->diagnostics.push_back({Severity::error, "lost-write",
                                                  fmt::format("`{}`: {}", graph_->name(user), why),
                                                  rules_->rules[rule].span, "the graph is left as it was"});
                }),
      extra_matcher_(binding_, machine_.heap()),
      enabled_(rules.rules.size(), true),
      noted_(rules.rules.size()),
      refused_(rules.rules.size()) {
  rewriter_.keep_alive(versions_);
  extra_matcher_.use(machine_);
  machine_.use(rewriter_);
  machine_.ask(versions_, [this](NodeId n) { return is_write_back(n); });
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
  machine_.use(rules_->facts[rules_->phases[rule.phase].facts]);
  last_dependencies_.clear();
  refusal_ = Refusal::none;
  rewriter_.begin();
  const bool writes = may_write(root);
  if (writes) versions_.begin(root);
  if (versions_.pending() && (!rule.extra.empty() || (!writes && versions_.knows(root)))) versions_.settle();
  if (writes && is_write_back(root)) return Outcome::declined;
  const Outcome outcome = join(rule, index, root, 0, variables, nodes);
  report_helper();
  report_given_up(extra_matcher_);
  last_dependencies_.use_counts = machine_.dependencies().use_counts;
  last_dependencies_.elsewhere |= machine_.dependencies().elsewhere || refusal_ != Refusal::none;
  last_dependencies_.elsewhere |= !rule.extra.empty();  // another user may appear
  return outcome;
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
  const program::ExtraRoot::Anchor* anchor = cheapest_anchor(extra, variables);
  if (anchor == nullptr) return Outcome::declined;
  Outcome best = Outcome::declined;
  const auto ends = [&](NodeId user) {
    if (std::find(nodes.begin(), nodes.end(), user) != nodes.end()) return false;
    for (auto& [more_variables, more_nodes] : matches_of(extra, user, variables, nodes)) {
      const Outcome outcome = join(rule, index, root, extra_index + 1, more_variables, more_nodes);
      if (outcome == Outcome::applied || outcome == Outcome::failed) return best = outcome, true;
      if (outcome == Outcome::noted) best = outcome;
    }
    return false;
  };
  const NodeId value = variables[anchor->variable].node();
  if (anchor->hops == 1 && rewriter_.users().many(value)) {
    const Users::Ordered& users = rewriter_.users().of(value, extra.match);
    (void)std::any_of(users.begin(), users.end(), ends);
  } else {
    const std::vector<NodeId> users = rewriter_.users().behind(value, anchor->hops);
    (void)std::any_of(users.begin(), users.end(), ends);
  }
  return best;
}

// Whichever value the search starts from, it finds the same roots: the one with the fewest users, and near.
const program::ExtraRoot::Anchor* Session::cheapest_anchor(const program::ExtraRoot& extra,
                                                           const std::vector<Value>& variables) const {
  const program::ExtraRoot::Anchor* best = nullptr;
  std::pair<unsigned, std::uint32_t> least;
  for (const program::ExtraRoot::Anchor& a : extra.anchors) {
    if (!variables[a.variable].is(Tag::node)) continue;
    const std::pair cost(a.hops, graph_->use_count(variables[a.variable].node()));
    if (best == nullptr || cost < least) best = &a, least = cost;
  }
  return best;
}

std::vector<Session::Joined> Session::matches_of(const program::ExtraRoot& extra, NodeId user,
                                                 const std::vector<Value>& variables,
                                                 const std::vector<NodeId>& nodes) {
  std::vector<Joined> out;
  extra_matcher_.forget();
  extra_matcher_.begin(extra.match, Value::of_node(user));
  for (const auto& [place, variable] : extra.preload) extra_matcher_.registers()[place] = variables[variable];
  Index pc = extra.match.start;
  while (const program::Accept* accept = extra_matcher_.next(extra.match, pc)) {
    Joined joined{variables, nodes};
    for (std::size_t v = 0; v < accept->registers.size(); ++v) {
      if (accept->registers[v] != 0xFFFF) joined.variables[v] = extra_matcher_.registers()[accept->registers[v]];
    }
    joined.variables[extra.variable] = Value::of_node(user);
    extra_matcher_.add_nodes(*accept, joined.nodes);
    out.push_back(std::move(joined));
  }
  return out;
}

Truth Session::truth_of_guard(Index index, const program::Alternative& alternative, std::vector<Value>& variables) {
  const Stopwatch watch(options_->profile ? &report_->rules[index].guard_seconds : nullptr);
  return truth_of(machine_.run(alternative.guard, variables));
}

Outcome Session::alternatives(const program::Rule& rule, Index index, NodeId root, std::vector<Value>& variables,
                              std::vector<NodeId>& nodes) {
  for (const Index v : rule.scalars) {
    if (variables[v].is_one_int()) variables[v] = machine_.item(variables[v], 0);
  }
  bool unknown = false, decided = false;
  unbuilt_ = Refusal::none;
  for (const program::Alternative& alternative : rule.alternatives) {
    if (alternative.guard.present()) {
      const Truth guard = truth_of_guard(index, alternative, variables);
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
    if (binding_.is_entry(root) && unbuilt_ == Refusal::none) break;  // it is as the alternative wants it
  }
  if (!decided) ++(unknown ? report_->rules[index].guard_unknown : report_->rules[index].guard_false);
  if (unbuilt_ != Refusal::none && refusal_ == Refusal::none) report_refusal(index, root, unbuilt_);
  return Outcome::declined;
}

Outcome Session::refuse(Index index, NodeId root, Refusal why) {
  refusal_ = why;
  report_refusal(index, root, why);
  return Outcome::declined;
}

// A match is tried again when something changes: it counts once.
void Session::report_refusal(Index index, NodeId root, Refusal why) {
  std::vector<bool>& said = refused_[index];
  if (said.size() <= root.value) said.resize(root.value + 1);
  if (said[root.value]) return;
  said[root.value] = true;
  ++report_->rules[index].refused;
  report_->notes.push_back({index, name_of(root), "not rewritten: " + describe(why)});
}

void Session::begin_matching(const program::Phase& phase, NodeId root) {
  if (rules_->pattern_calls.empty()) return;
  machine_.begin_matching(root, rules_->facts[phase.facts]);
  rewriter_.begin();
}

void Session::report_given_up(Matcher& matcher) {
  const std::optional<Index> call = matcher.take_given_up();
  if (!call) return;
  const program::PatternCall& given_up = rules_->pattern_calls[*call];
  report_->diagnostics.push_back({Severity::note,
                                  "pattern-limit",
                                  fmt::format("`{}` was given up at `{}`: it takes more than {} steps", given_up.text,
                                              graph_->name(machine_.root()), PatternSearch::kMostSteps),
                                  given_up.span,
                                  "the rule does not match there; after three times it is not tried again",
                                  {}});
}

void Session::report_helper() {
  const std::optional<Machine::GivenUp> given_up = machine_.take_given_up();
  if (!given_up) return;
  const program::Def& def = rules_->defs[given_up->def];
  report_->diagnostics.push_back(
      {Severity::note, "helper-limit",
       fmt::format("`{}` was given up at `{}`: it {}", def.name, graph_->name(machine_.root()),
                   given_up->values ? fmt::format("holds more than {} values", Machine::kMostValues)
                                    : fmt::format("takes more than {} steps", Machine::kFuel)),
       def.equations.empty() ? Span() : def.equations[given_up->equation].span,
       "a value that it gives counts as unknown; after three times it is not tried again"});
}

Outcome Session::say(Index index, const program::Alternative& alternative, NodeId root, std::vector<Value>& variables) {
  const Value text = machine_.run(alternative.code, variables);
  std::vector<bool>& said = noted_[index];
  if (said.size() <= root.value) said.resize(root.value + 1);
  if (said[root.value]) return Outcome::declined;
  said[root.value] = true;
  if (alternative.kind == ResultKind::error && !wrong_.insert(root.value).second) return Outcome::failed;
  const std::string message = machine_.text_of(text);
  if (alternative.kind == ResultKind::note) {
    report_->notes.push_back({index, name_of(root), message});
    return Outcome::noted;
  }
  report_->diagnostics.push_back({Severity::error, "rule-error",
                                  fmt::format("`{}`: {}", graph_->text(name_of(root)), message), alternative.span,
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
  for (const NodeId n : nodes) matched_.push_back(name_of(n));
  for (const NodeId n : changes.created) created_.push_back(graph_->name_id(n));
  report_->applications.push_back({index, name_of(root), matched_, created_, result, replaced_});
}

// ---------------------------------------------------------------- results

Outcome Session::value(const program::Rule& rule, Index index, const program::Alternative& alternative, NodeId root,
                       std::vector<Value>& variables, const std::vector<NodeId>& nodes) {
  variables.resize(rule.variables.size());
  if (alternative.existing != kNone) {  // the code would load and store it
    variables[alternative.assignments[0].value] = variables[alternative.existing];
  } else if (const Value top = machine_.run(alternative.code, variables); top.is(Tag::failure)) {
    report_->diagnostics.push_back({Severity::error, "rule-error",
                                    fmt::format("`{}`: {}", graph_->text(name_of(root)), machine_.text_of(top)),
                                    alternative.span, fmt::format("the rule `{}` stops here", rule.name)});
    return Outcome::failed;
  }
  if (binding_.is_entry(root)) return write_back(index, alternative, root, variables, nodes);
  if (may_write(root)) return write(index, alternative, root, variables, nodes);
  replacements_.clear();
  effects_.clear();
  for (const program::Assignment& a : alternative.assignments) {
    if (a.variable == kNone) {
      effects_.push_back(variables[a.value]);
      if (effects_.back().is(Tag::fresh)) continue;
      unbuilt_ = effects_.back().unusable() ? Refusal::not_known : Refusal::no_node;
      return Outcome::declined;
    }
    const Value old = variables[a.variable], value = variables[a.value];
    if (!old.is(Tag::node) || (!value.is(Tag::node) && !value.is(Tag::fresh))) {
      unbuilt_ = value.unusable() ? Refusal::not_known : Refusal::no_node;
      return Outcome::declined;
    }
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
  if (const Refusal why = make_effects(effects_, root); why != Refusal::none) {
    rewriter_.unmake();
    return refuse(index, root, why);
  }
  for (const Replacement& r : replacements_) {
    SymbolId name;
    if (r.as.present() && r.value.is(Tag::fresh)) {
      const Value text = machine_.run(r.as, variables);
      if (text.is(Tag::string)) name = graph_->numbered_name(graph_->text(text.symbol()));
    }
    if (!rewriter_.make(r.value, r.old, r.old, name)) {
      rewriter_.unmake();
      if (!rewriter_.unwritable()) return refuse(index, root, Refusal::no_spelling);
      unbuilt_ = Refusal::not_known;
      return Outcome::declined;
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
  going_.clear();
  for (const Replacement& r : replacements_) going_.push_back(r.old);
  Refusal why = new_writes_allow(going_);
  for (const Replacement& r : replacements_) {
    if (why != Refusal::none) break;
    const NodeId value = rewriter_.node_of(r.value);
    const bool anew = writes_anew(value);
    why = anew ? takes_over(r.old, value) : output_allows(r.old, value);
    if (why == Refusal::none && !anew) why = storage_allows(r.old, value);
  }
  if (why != Refusal::none) {
    rewriter_.unmake();
    return refuse(index, root, why);
  }
  SymbolId result;
  replaced_.clear();
  for (const Replacement& r : replacements_) {
    const NodeId value = rewriter_.node_of(r.value);
    if (r.value.is(Tag::fresh)) inherit(r.old, value);
    if (r.old == root) {
      result = graph_->name_id(value);
    } else {
      replaced_.insert(replaced_.end(), {graph_->name_id(r.old), graph_->name_id(value)});
    }
    if (!in_place_of_.empty()) in_place_of_.insert_or_assign(r.old.value, value);
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
    if (rewriter_.can_write(values.back()) && !values.back().is(Tag::fresh)) continue;
    unbuilt_ = values.back().is(Tag::fresh) ? Refusal::keeps_new : Refusal::not_known;
    return Outcome::declined;
  }
  const std::vector<NodeId> written = written_by(root);
  bool stops_writing = false;
  for (const program::KeepEntry& entry : alternative.keeps) {
    if (!decides_write(root, entry.key)) continue;
    if (written.size() != 1) return refuse(index, root, Refusal::root_writes);
    stops_writing = true;
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
  replaced_.clear();
  rewriter_.erase_unused();
  record(index, root, nodes, graph_->name_id(root));
  if (stops_writing) {
    writing_ = index;
    versions_.write(root, written[0], root, SymbolId(), true);
  }
  return Outcome::applied;
}

}  // namespace fxrules::rewrite
