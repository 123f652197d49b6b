#include "dsl/helper_patterns.hpp"

#include <algorithm>
#include <unordered_map>

#include "dsl/callee.hpp"
#include "dsl/lower_pattern.hpp"
#include "dsl/lower_value.hpp"

namespace fxrules::dsl {

using program::Index;
using program::kNone;
using Helper = Definitions::Helper;

namespace {

template <class Visit>
void visit_terms(const Ast& tree, TermId root, Visit visit) {
  std::vector<TermId> todo{root};
  while (!todo.empty()) {
    const Term& term = tree[todo.back()];
    todo.pop_back();
    visit(term);
    for (std::uint32_t i = 0; i < term.count; ++i) {
      if (tree.children[term.first + i] != kNoTerm) todo.push_back(tree.children[term.first + i]);
    }
  }
}

// ---------------------------------------------------------------- depth

class Shapes {
 public:
  explicit Shapes(Definitions& definitions) : definitions_(definitions) {}

  PatternShape of(const Helper& helper) {
    reach(helper);
    settle();
    PatternShape out;
    const auto depth = depth_.find(&helper);
    if (depth != depth_.end()) {
      out.depth = depth->second;
      return out;
    }
    for (const Helper* reached : order_) add_ops(*reached, out.chain);
    return out;
  }

 private:
  const Helper* called(const Ast& tree, const Term& term) {
    if (term.kind != TermKind::call || tree.callees[term.callee].kind != CalleeKind::implicit) return nullptr;
    return definitions_.find_pattern(tree, tree.callees[term.callee].text);
  }

  void reach(const Helper& first) {
    order_.assign(1, &first);
    callees_[&first];
    for (std::size_t next = 0; next < order_.size(); ++next) {
      const Helper& helper = *order_[next];
      for (const Equation* e : helper.equations) {
        visit_terms(*helper.tree, e->body, [&](const Term& term) {
          const Helper* callee = called(*helper.tree, term);
          if (callee == nullptr) return;
          callees_[&helper].insert(callee);
          if (callees_.try_emplace(callee).second) order_.push_back(callee);
        });
      }
    }
  }

  // From the leaves upwards; what is left repeats, or reaches what does.
  void settle() {
    std::unordered_map<const Helper*, std::vector<const Helper*>> callers;
    std::unordered_map<const Helper*, std::size_t> open;
    std::vector<const Helper*> ready;
    for (const Helper* helper : order_) {
      for (const Helper* callee : callees_[helper]) callers[callee].push_back(helper);
      open[helper] = callees_[helper].size();
      if (open[helper] == 0) ready.push_back(helper);
    }
    while (!ready.empty()) {
      const Helper* helper = ready.back();
      ready.pop_back();
      std::uint16_t depth = 0;
      for (const Equation* e : helper->equations) depth = std::max(depth, depth_of(*helper->tree, e->body));
      depth_[helper] = depth;
      for (const Helper* caller : callers[helper]) {
        if (--open[caller] == 0) ready.push_back(caller);
      }
    }
  }

  std::uint16_t depth_of(const Ast& tree, TermId id) {
    if (id == kNoTerm) return 0;
    const Term& term = tree[id];
    std::uint16_t inner = 0;
    for (std::uint32_t i = 0; i < term.count; ++i)
      inner = std::max(inner, depth_of(tree, tree.children[term.first + i]));
    if (const Helper* callee = called(tree, term)) return static_cast<std::uint16_t>(inner + depth_.at(callee));
    const bool level = term.kind == TermKind::call || term.kind == TermKind::index;
    return static_cast<std::uint16_t>(inner + (level ? 1 : 0));
  }

  void add_ops(const Helper& helper, std::set<Index>& ops) {
    for (const Equation* e : helper.equations) {
      visit_terms(*helper.tree, e->body, [&](const Term& term) {
        if (term.kind == TermKind::index) ops.insert(definitions_.op_pattern("getitem"));
        if (term.kind != TermKind::call || called(*helper.tree, term) != nullptr) return;
        const Index op = definitions_.op_pattern(*helper.tree, term.callee);
        if (op != kNone) ops.insert(op);
      });
    }
  }

  Definitions& definitions_;
  std::vector<const Helper*> order_;
  std::unordered_map<const Helper*, std::set<const Helper*>> callees_;
  std::unordered_map<const Helper*, std::uint16_t> depth_;
};

// ---------------------------------------------------------------- equations

bool binds(const Ast& tree, TermId body, std::string_view name) {
  bool found = false;
  visit_terms(tree, body, [&](const Term& term) {
    const bool binder = term.kind == TermKind::name || term.kind == TermKind::rest || term.kind == TermKind::bind;
    found = found || (binder && term.text == name);
    if (term.kind != TermKind::call) return;
    for (const CalleePiece& piece : tree.callees[term.callee].pieces)
      found = found || (piece.hole && piece.text == name);
  });
  return found;
}

std::size_t occurrences(const Ast& tree, TermId root, std::string_view name) {
  if (root == kNoTerm) return 0;
  std::size_t count = 0;
  visit_terms(tree, root, [&](const Term& term) {
    const bool names = term.kind == TermKind::name || term.kind == TermKind::rest || term.kind == TermKind::bind;
    count += names && term.text == name;
  });
  return count;
}

PatternHead head_of(const Ast& tree, const Equation& e) {
  PatternHead head;
  for (Index p = 0; p < e.parameters.size(); ++p) {
    const Term& parameter = tree[e.parameters[p]];
    if (parameter.kind != TermKind::name || !binds(tree, e.body, parameter.text)) continue;
    std::size_t count = occurrences(tree, e.body, parameter.text) + occurrences(tree, e.guard, parameter.text);
    for (const TermId other : e.parameters) count += occurrences(tree, other, parameter.text);
    head.parameters.try_emplace(parameter.text, PatternHead::Parameter{p, count == 2});  // the head and one place
  }
  return head;
}

void compile(Definitions& definitions, DefTable& defs, const Ast& tree, const Equation& e, Index pattern) {
  program::RuleSet& rules = definitions.rules();
  Variables variables(false);
  Places places(1);
  const PatternHead head = head_of(tree, e);
  std::vector<program::Instruction> block;
  LoweredPattern body = PatternLowering(definitions, tree, places, variables).lower_equation(e.body, head, block);
  for (const Variables::Op& op : variables.ops()) {
    if (op.count == 1 && variables.find(op.name) == kNone) body.bound[variables.add(op.name)] = op.node;
  }
  const auto id = static_cast<Index>(rules.pattern_equations.size());
  program::PatternEquation out;
  ValueLowering values(definitions, defs, tree, variables);
  const auto emit = [&](program::Test test, Index c) {
    program::Instruction i;
    i.test = test;
    i.b = id;
    i.c = c;
    block.push_back(i);
  };
  if (e.guard != kNoTerm) {
    out.guard = values.value(e.guard);
    emit(program::Test::guard, 0);
  }
  for (Index p = 0; p < e.parameters.size(); ++p) {
    const Term& parameter = tree[e.parameters[p]];
    const auto matched = head.parameters.find(parameter.text);
    const bool in_body =
        parameter.kind == TermKind::name && matched != head.parameters.end() && matched->second.index == p;
    out.heads.push_back(in_body ? program::Code{} : values.value(e.parameters[p]));
    if (!in_body) emit(program::Test::give, p);
  }
  emit(program::Test::done, 0);
  out.pattern = pattern;
  out.block = definitions.add_block(block);
  out.names = variables.names();
  out.variables.assign(variables.names().size(), 0xFFFF);
  for (const auto& [variable, place] : body.bound) out.variables[variable] = place;
  out.registers = places.count();
  out.scalars = variables.scalars();
  out.span = tree.span(e.range);
  rules.pattern_equations.push_back(std::move(out));
  rules.patterns[pattern].equations.push_back(id);
}

}  // namespace

const PatternShape& Definitions::shape(const Helper& helper) {
  const auto found = shapes_.find(&helper);
  return found != shapes_.end() ? found->second : shapes_.emplace(&helper, Shapes(*this).of(helper)).first->second;
}

// By descending through helper patterns that stand for their arguments; where that takes long it may be any op.
std::vector<Index> Definitions::roots(const Ast& tree, TermId pattern) {
  struct Place {
    const Ast* tree;
    TermId term;
    std::size_t call;  // of the helper pattern whose equation this is, in `calls`
  };
  struct Call {
    Place at;
    const Equation* equation;
  };
  constexpr std::size_t kMost = 256;
  constexpr std::size_t kRule = static_cast<std::size_t>(-1);
  std::vector<Call> calls;
  std::vector<Place> todo{{&tree, pattern, kRule}};
  std::vector<Index> found;
  for (std::size_t next = 0; next < todo.size(); ++next) {
    const Place at = todo[next];
    const Term& term = (*at.tree)[at.term];
    Index op = kNone;
    if (term.kind == TermKind::bind) {
      todo.push_back({at.tree, at.tree->children[term.first], at.call});
      continue;
    }
    if (term.kind == TermKind::name && at.call != kRule) {
      const Call& call = calls[at.call];
      const auto& parameters = call.equation->parameters;
      const auto parameter = std::find_if(parameters.begin(), parameters.end(), [&](TermId p) {
        return (*at.tree)[p].kind == TermKind::name && (*at.tree)[p].text == term.text;
      });
      if (parameter != parameters.end() && next < kMost) {
        const Term& caller = (*call.at.tree)[call.at.term];
        const TermId argument = call.at.tree->children[caller.first + (parameter - parameters.begin())];
        todo.push_back({call.at.tree, call.at.tree->children[(*call.at.tree)[argument].first], call.at.call});
        continue;
      }
    } else if (term.kind == TermKind::index) {
      op = op_pattern("getitem");
    } else if (term.kind == TermKind::call) {
      const Callee& callee = at.tree->callees[term.callee];
      const Helper* helper = callee.kind == CalleeKind::implicit ? find_pattern(*at.tree, callee.text) : nullptr;
      if (helper != nullptr && next < kMost) {
        for (const Equation* e : helper->equations) {
          calls.push_back({at, e});
          todo.push_back({helper->tree, e->body, calls.size() - 1});
        }
        continue;
      }
      if (helper == nullptr) op = op_pattern(*at.tree, term.callee);
    }
    if (op == kNone) {
      program::OpPattern any;
      any.text = "*";
      return {add(std::move(any))};
    }
    if (std::find(found.begin(), found.end(), op) == found.end()) found.push_back(op);
  }
  return found;
}

Index Definitions::add_block(const std::vector<program::Instruction>& block) {
  const auto at = static_cast<Index>(rules_->pattern_code.size());
  rules_->pattern_code.insert(rules_->pattern_code.end(), block.begin(), block.end());
  return at;
}

void compile_helpers(Definitions& definitions, DefTable& defs) {
  for (;;) {
    defs.compile_pending();
    const auto patterns = definitions.take_new_patterns();
    if (patterns.empty()) return;
    for (const auto& [id, helper] : patterns) {
      for (const Equation* e : helper->equations) compile(definitions, defs, *helper->tree, *e, id);
    }
  }
}

}  // namespace fxrules::dsl
