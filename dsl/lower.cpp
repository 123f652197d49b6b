#include "dsl/lower.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "dsl/entries.hpp"
#include "dsl/helper_patterns.hpp"
#include "dsl/lower_pattern.hpp"
#include "dsl/lower_value.hpp"

namespace fxrules::dsl {
namespace {

using program::Index;
using program::kNone;

// A name of the left side on the right: a variable, or the op name of a node that is matched once.
struct Bindings {
  Variables variables{true};
  LoweredPattern first;  // registers of the pattern as written
};

class RuleLowering {
 public:
  RuleLowering(Definitions& definitions, DefTable& defs, const Ast& tree)
      : definitions_(definitions), defs_(defs), ast_(tree) {}

  // The calls that helper patterns of the rules since the last of these pass any number of times.
  std::set<Index> take_chain() { return std::exchange(chain_, {}); }

  void lower(const Rule& rule, program::Phase& phase, DecisionTree& tree, Places& places) {
    program::Rule out;
    out.name = name_of(rule);
    out.span = ast_.span(rule.head.end > rule.head.begin ? rule.head : rule.range);
    out.text = first_line(rule);
    out.phase = static_cast<Index>(definitions_.rules().phases.size());
    const auto id = static_cast<Index>(definitions_.rules().rules.size());

    Variables variables(true);
    const bool wants_rest = uses_rest(rule);
    const unsigned swappable = std::min(
        PatternLowering(definitions_, ast_, places, variables).commutative_calls(rule.roots[0].pattern), kMostSwaps);
    std::vector<LoweredPattern> variants;
    for (unsigned swaps = 0; swaps < (1u << swappable); ++swaps) {
      PatternLowering lowering(definitions_, ast_, places, variables);
      variants.push_back(lowering.lower(rule.roots[0].pattern, 0, swaps, wants_rest));
      if (!rule.roots[0].name.empty()) variants.back().bound.try_emplace(variables.add(rule.roots[0].name), 0);
      variables.name_no_more_ops();
      out.depth = std::max(out.depth, variants.back().depth);
      chain_.insert(variants.back().chain.begin(), variants.back().chain.end());
    }
    name_ops(rule, variables, variants);
    for (std::size_t r = 1; r < rule.roots.size(); ++r)
      extra_root(rule.roots[r], variables, variants.front(), out, wants_rest);

    locals_.clear();
    for (const Alternative& a : rule.alternatives) out.alternatives.push_back(alternative(a, rule, phase, variables));
    out.variables = variables.names();
    out.scalars = variables.scalars();
    out.tests = variants.front().tests;
    for (const LoweredPattern& variant : variants) {
      program::Accept accept;
      accept.rule = id;
      accept.registers.assign(out.variables.size(), 0xFFFF);
      accept.registers[0] = 0;
      for (const auto& [variable, place] : variant.bound) accept.registers[variable] = place;
      accept.nodes = variant.nodes;
      if (out.registers.empty()) out.registers = accept.registers;
      phase.match.accepts.push_back(std::move(accept));
      tree.insert(variant.tests, static_cast<Index>(phase.match.accepts.size() - 1));
    }
    phase.depth = std::max(phase.depth, out.depth);
    phase.rules.push_back(id);
    definitions_.rules().rules.push_back(std::move(out));
  }

 private:
  static constexpr unsigned kMostSwaps = 6;  // 64 orders

  [[nodiscard]] std::string name_of(const Rule& rule) {
    if (!rule.label.empty()) return std::string(rule.label);
    const std::string& path = ast_.source->name;
    const std::size_t slash = path.rfind('/');
    return fmt::format("{}:{}", slash == std::string::npos ? path : path.substr(slash + 1), line_of(rule.range.begin));
  }

  // Rules stand in file order: lines are counted on from the last one.
  std::size_t line_of(std::uint32_t at) {
    const std::string_view text = ast_.source->text;
    if (at < counted_) line_ = 1, counted_ = 0;
    line_ += static_cast<std::size_t>(std::count(text.begin() + counted_, text.begin() + at, '\n'));
    counted_ = at;
    return line_;
  }

  [[nodiscard]] std::string first_line(const Rule& rule) const {
    const std::string_view text =
        std::string_view(ast_.source->text).substr(rule.range.begin, rule.range.end - rule.range.begin);
    return std::string(text.substr(0, text.find('\n')));
  }

  [[nodiscard]] bool mentions(TermId id, std::string_view rest) const {
    if (id == kNoTerm) return false;
    std::vector<TermId> todo{id};
    while (!todo.empty()) {
      const Term& t = ast_[todo.back()];
      todo.pop_back();
      if (t.kind == TermKind::rest && t.count == 0 && (t.text.empty() || t.text == "..") && rest == "..") return true;
      if (t.kind == TermKind::name && t.text == rest) return true;
      for (std::uint32_t i = 0; i < t.count; ++i) {
        if (ast_.children[t.first + i] != kNoTerm) todo.push_back(ast_.children[t.first + i]);
      }
    }
    return false;
  }

  template <class Visit>
  void visit_values(const Rule& rule, Visit visit) const {
    visit(rule.as);
    for (const Alternative& a : rule.alternatives) {
      visit(a.guard);
      visit(a.result.term);
      for (const ResultBinding& b : a.result.bindings) {
        visit(b.value);
        visit(b.as);
      }
    }
  }

  [[nodiscard]] bool uses_rest(const Rule& rule) const {
    bool found = false;
    visit_values(rule, [&](TermId id) { found = found || mentions(id, ".."); });
    return found;
  }

  // Ops of the pattern that the right side calls by name become variables.
  void name_ops(const Rule& rule, Variables& variables, std::vector<LoweredPattern>& variants) const {
    const std::vector<Variables::Op> ops = variables.ops();
    for (const Variables::Op& op : ops) {
      if (op.count != 1 || variables.find(op.name) != kNone) continue;
      bool used = false;
      visit_values(rule, [&](TermId id) { used = used || mentions(id, op.name); });
      if (!used) continue;
      const Index variable = variables.add(op.name);
      for (LoweredPattern& variant : variants) {
        // A swapped variant reaches the same pattern node by another path: the k-th node is the k-th node.
        const auto& calls = variants.front().calls;
        const auto at = static_cast<std::size_t>(std::find(calls.begin(), calls.end(), op.node) - calls.begin());
        variant.bound[variable] = at < variant.calls.size() ? variant.calls[at] : op.node;
      }
    }
  }

  void extra_root(const Root& root, Variables& variables, const LoweredPattern& main, program::Rule& out,
                  bool wants_rest) {
    program::ExtraRoot extra;
    Places places(1);
    std::map<Index, std::uint16_t> outer = main.bound;
    for (const program::ExtraRoot& before : out.extra) {
      for (const auto& accept : before.match.accepts) {
        for (Index v = 0; v < accept.registers.size(); ++v) {
          if (accept.registers[v] != 0xFFFF) outer.try_emplace(v, accept.registers[v]);
        }
      }
      outer.try_emplace(before.variable, 0);
    }
    DecisionTree tree(definitions_.rules());
    const unsigned swappable =
        std::min(PatternLowering(definitions_, ast_, places, variables).commutative_calls(root.pattern), kMostSwaps);
    for (unsigned swaps = 0; swaps < (1u << swappable); ++swaps) {
      PatternLowering lowering(definitions_, ast_, places, variables);
      lowering.set_outer(&outer);
      const LoweredPattern pattern = lowering.lower(root.pattern, 0, swaps, wants_rest);
      extra.variable = variables.add(root.name);
      add_anchors(pattern, extra);
      for (const auto& preloaded : pattern.preload) {
        if (std::find(extra.preload.begin(), extra.preload.end(), preloaded) == extra.preload.end())
          extra.preload.push_back(preloaded);
      }
      program::Accept accept;
      accept.registers.assign(variables.names().size(), 0xFFFF);
      accept.registers[extra.variable] = 0;
      for (const auto& [variable, place] : pattern.bound) accept.registers[variable] = place;
      accept.nodes = pattern.nodes;
      tree.insert(pattern.tests, static_cast<Index>(extra.match.accepts.size()));
      extra.match.accepts.push_back(std::move(accept));
      out.depth = std::max(out.depth, pattern.depth);
      chain_.insert(pattern.chain.begin(), pattern.chain.end());
    }
    if (extra.anchors.empty()) {
      definitions_.diagnostics().push_back(
          {Severity::error, "unconnected-root",
           fmt::format("the root `{}` uses nothing that the roots before it bind", root.name),
           ast_.span(ast_[root.pattern].range), "name a value of an earlier root among its arguments"});
    }
    tree.flatten(extra.match);
    extra.match.registers = places.count();
    out.extra.push_back(std::move(extra));
  }

  // Variables of earlier roots among the values that the pattern reads, with their distance from its root.
  static void add_anchors(const LoweredPattern& pattern, program::ExtraRoot& extra) {
    std::map<std::uint16_t, unsigned> hops{{0, 0}};  // by register
    for (const program::Instruction& test : pattern.tests) {
      if (test.test == program::Test::argument) {
        hops[test.a] = hops[static_cast<std::uint16_t>(test.c)] + 1;
      } else if (test.test == program::Test::item || test.test == program::Test::item_back ||
                 test.test == program::Test::part) {
        hops[test.a] = hops[static_cast<std::uint16_t>(test.c)];
      } else if (test.test == program::Test::same && hops.contains(test.a)) {
        const auto loaded = std::find_if(pattern.preload.begin(), pattern.preload.end(),
                                         [&](const auto& p) { return p.first == test.b; });
        const bool had =
            loaded == pattern.preload.end() || std::any_of(extra.anchors.begin(), extra.anchors.end(),
                                                           [&](const auto& a) { return a.variable == loaded->second; });
        if (!had) extra.anchors.push_back({loaded->second, hops[test.a]});
      }
    }
    std::stable_sort(extra.anchors.begin(), extra.anchors.end(),
                     [](const auto& a, const auto& b) { return a.hops < b.hops; });
  }

  program::Alternative alternative(const Alternative& a, const Rule& rule, const program::Phase&,
                                   Variables& variables) {
    program::Alternative out;
    ValueLowering values(definitions_, defs_, ast_, variables);
    out.span = ast_.span(a.result.range);
    if (a.guard != kNoTerm) {
      out.guard = values.value(a.guard);
      out.guard_span = ast_.span(ast_[a.guard].range);
    }
    TermId as = rule.as != kNoTerm ? rule.as : ast_.phases[rule.phase].as;
    if (as != kNoTerm && rule.as == kNoTerm) {  // for the rules that bind what the phase's text names
      bool all = true;
      visit_names(ast_, as, [&](std::string_view name) { all = all && variables.find(name) != kNone; });
      if (!all) as = kNoTerm;
    }
    switch (a.result.kind) {
      case ResultKind::error:
      case ResultKind::note:
        out.kind = a.result.kind == ResultKind::error ? program::ResultKind::error : program::ResultKind::note;
        out.code = values.value(a.result.term);
        break;
      case ResultKind::keep:
        out.kind = program::ResultKind::keep;
        for (const ResultBinding& b : a.result.bindings) {
          program::KeepEntry entry;
          entry.meta = b.name.starts_with("meta.");
          entry.key = entry.meta ? b.name.substr(5) : b.name;
          entry.value = values.value(b.value);
          out.keeps.push_back(std::move(entry));
        }
        break;
      case ResultKind::term: {
        // Of an entry of the signature only the value is new.
        const auto entry = entry_of(ast_, a.result.term);
        const TermId result = entry ? entry->value : a.result.term;
        const Term& t = ast_[result];
        const Index existing = t.kind == TermKind::name ? variables.find(t.text) : kNone;
        program::Assignment assignment;
        assignment.variable = 0;
        out.code = values.begin();
        values.append(result);
        assignment.value = variables.fresh("=root");
        values.append_store(assignment.value);
        values.finish(out.code);
        if (as != kNoTerm) assignment.as = values.value(as);
        out.existing = as == kNoTerm ? existing : kNone;
        out.single = true;
        out.assignments.push_back(std::move(assignment));
        break;
      }
      case ResultKind::block:
        block(a, as, values, variables, out);
        break;
    }
    return out;
  }

  void block(const Alternative& a, TermId rule_as, ValueLowering& values, Variables& variables,
             program::Alternative& out) {
    // Names bound on the left get the new value; the values on the right of later bindings still mean the
    // left side's unless the name is local.
    std::vector<std::pair<std::string_view, Index>> left;
    out.code = values.begin();
    std::vector<program::Assignment> assignments;
    for (const ResultBinding& b : a.result.bindings) {
      const bool effect = b.name == "_";
      const Index bound = b.name == "root" ? 0 : effect ? kNone : variables.find(b.name);
      values.append(b.value);
      if ((bound == kNone && !effect) || locals_.contains(bound)) {
        values.append_store(*locals_.insert(variables.add(b.name)).first);
        continue;
      }
      program::Assignment assignment;
      assignment.variable = bound;
      assignment.value = variables.fresh("=" + std::string(b.name));
      values.append_store(assignment.value);
      assignments.push_back(std::move(assignment));
    }
    values.finish(out.code);
    std::size_t next = 0;
    for (const ResultBinding& b : a.result.bindings) {
      if (next >= assignments.size()) break;
      if (variables.names()[assignments[next].value] != "=" + std::string(b.name)) continue;
      const TermId as = b.as != kNoTerm ? b.as : rule_as;
      if (as != kNoTerm) assignments[next].as = values.value(as);
      ++next;
    }
    out.assignments = std::move(assignments);
  }

  Definitions& definitions_;
  DefTable& defs_;
  const Ast& ast_;
  std::set<Index> chain_;   // of the phase
  std::set<Index> locals_;  // of the rule's blocks: each alternative has its own
  std::uint32_t counted_ = 0;
  std::size_t line_ = 1;
};

}  // namespace

std::vector<Diagnostic> lower(const Scope& scope, program::RuleSet& rules) {
  Definitions definitions(scope, rules);
  DefTable defs(definitions);
  const Ast& ast = *scope.trees.front();
  if (rules.item_template == kNone) {
    rules.item_template = static_cast<Index>(rules.templates.size());
    program::Template item;
    item.op = rules.catalogue->role("getitem");
    item.arguments.resize(2);
    item.text = "getitem";
    rules.templates.push_back(std::move(item));
  }
  RuleLowering lowering(definitions, defs, ast);
  auto rule = ast.rules.begin();  // a rule belongs to the phase above it
  for (std::uint32_t p = 0; p < ast.phases.size(); ++p) {
    program::Phase phase;
    phase.name = ast.phases[p].name;
    phase.once = ast.phases[p].once;
    phase.reverse = ast.phases[p].order == Order::reverse;
    phase.facts = static_cast<Index>(rules.facts.size());
    Places places(1);
    DecisionTree tree(rules);
    for (; rule != ast.rules.end() && rule->phase == p; ++rule) lowering.lower(*rule, phase, tree, places);
    const std::set<Index> chain = lowering.take_chain();
    if (phase.rules.empty()) continue;
    if (!chain.empty()) phase.chain = definitions.op_set({chain.begin(), chain.end()}, "chain");
    tree.flatten(phase.match);
    phase.match.registers = places.count();
    rules.phases.push_back(std::move(phase));
  }
  rules.facts.push_back({defs.add_metas(), defs.add_inverses(), !ast.metas.empty() || !ast.inverses.empty()});
  compile_helpers(definitions, defs);
  return std::move(definitions.diagnostics());
}

}  // namespace fxrules::dsl
