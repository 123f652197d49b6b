// Helper patterns must descend: one that stands for itself at its own place, directly, through another helper
// pattern or through what it hands to one, would match nothing for ever.
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "dsl/check.hpp"

namespace fxrules::dsl {
namespace {

using Key = std::pair<const Ast*, std::string_view>;

class PatternCheck {
 public:
  explicit PatternCheck(const CheckInput& input) : in_(input), ast_(input.ast) {}

  void run() {
    for (const Equation& e : ast_.patterns) reach({&ast_, e.name});
    settle();
    peel();
    for (const Equation& e : ast_.patterns) {
      if (open_.contains({&ast_, e.name})) check(e);
    }
  }

 private:
  struct Pattern {
    std::vector<const Equation*> equations;
    std::set<std::size_t> own_place;  // parameters that may be matched where the pattern itself stands
  };

  // A name of an imported file means nothing of this one.
  const Definition* called(const Ast& tree, const Term& term) const {
    if (term.kind != TermKind::call || tree.callees[term.callee].kind != CalleeKind::implicit) return nullptr;
    const Definition* found = in_.names.find(tree.callees[term.callee].text);
    if (found == nullptr || found->kind != DefinitionKind::pattern) return nullptr;
    return &tree == &ast_ || found->tree != &ast_ ? found : nullptr;
  }

  void reach(Key first) {
    std::vector<Key> todo{first};
    while (!todo.empty()) {
      const Key key = todo.back();
      todo.pop_back();
      const auto [found, fresh] = patterns_.try_emplace(key);
      if (!fresh) continue;
      order_.push_back(key);
      for (const Equation& e : key.first->patterns) {
        if (e.name != key.second) continue;
        found->second.equations.push_back(&e);
        std::vector<TermId> terms{e.body};
        while (!terms.empty()) {
          const Term& term = (*key.first)[terms.back()];
          terms.pop_back();
          if (const Definition* callee = called(*key.first, term))
            todo.emplace_back(callee->tree, key.first->callees[term.callee].text);
          for (std::uint32_t i = 0; i < term.count; ++i) {
            const TermId child = key.first->children[term.first + i];
            if (child != kNoTerm) terms.push_back(child);
          }
        }
      }
    }
  }

  // To and fro, so that chains of them settle at once however they stand.
  void settle() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const Key& key : order_) changed |= widen(key);
      for (auto key = order_.rbegin(); key != order_.rend(); ++key) changed |= widen(*key);
    }
  }

  bool widen(const Key& key) {
    Pattern& pattern = patterns_.at(key);
    const std::size_t before = pattern.own_place.size();
    for (const Equation* e : pattern.equations) {
      visit_own_place(*key.first, e->body, [&](const Term& term) {
        if (term.kind != TermKind::name) return;
        for (std::size_t p = 0; p < e->parameters.size(); ++p) {
          const Term& parameter = (*key.first)[e->parameters[p]];
          if (parameter.kind == TermKind::name && parameter.text == term.text) pattern.own_place.insert(p);
        }
      });
    }
    return pattern.own_place.size() != before;
  }

  // Patterns that get nowhere near a cycle go, those that stand for nothing else first.
  void peel() {
    std::map<Key, std::vector<Key>> callers;
    std::vector<Key> ready;
    for (const Key& key : order_) {
      std::set<Key> callees;
      for (const Equation* e : patterns_.at(key).equations) {
        visit_own_place(*key.first, e->body, [&](const Term& term) {
          if (const Definition* callee = called(*key.first, term))
            callees.insert({callee->tree, key.first->callees[term.callee].text});
        });
      }
      for (const Key& callee : callees) callers[callee].push_back(key);
      open_[key] = callees.size();
      if (callees.empty()) ready.push_back(key);
    }
    while (!ready.empty()) {
      const Key key = ready.back();
      ready.pop_back();
      open_.erase(key);
      for (const Key& caller : callers[key]) {
        if (--open_.at(caller) == 0) ready.push_back(caller);
      }
    }
  }

  // Terms that are matched where `id` is.
  template <class Visit>
  void visit_own_place(const Ast& tree, TermId id, Visit visit) const {
    std::vector<TermId> todo{id};
    while (!todo.empty()) {
      const Term& term = tree[todo.back()];
      todo.pop_back();
      visit(term);
      if (term.kind == TermKind::bind) todo.push_back(tree.children[term.first]);
      const Definition* callee = called(tree, term);
      if (callee == nullptr) continue;
      const auto pattern = patterns_.find({callee->tree, tree.callees[term.callee].text});
      if (pattern == patterns_.end()) continue;
      for (const std::size_t p : pattern->second.own_place) {
        if (p < term.count) todo.push_back(tree.children[tree[tree.children[term.first + p]].first]);
      }
    }
  }

  // Whether the equation gets back to its own pattern without entering an op.
  void check(const Equation& equation) {
    std::set<Key> seen;
    std::vector<Key> todo;
    bool direct = false, endless = false;
    std::string_view through;
    const Key own{&ast_, equation.name};
    const auto follow = [&](const Ast& tree, TermId body, bool first) {
      visit_own_place(tree, body, [&](const Term& term) {
        const Definition* callee = called(tree, term);
        if (callee == nullptr) return;
        const Key key{callee->tree, tree.callees[term.callee].text};
        if (key == own) {
          endless = true;
          direct = direct || first;
        } else if (seen.insert(key).second) {
          todo.push_back(key);
          if (first && through.empty()) through = key.second;
        }
      });
    };
    follow(ast_, equation.body, true);
    while (!todo.empty() && !endless) {
      const Key key = todo.back();
      todo.pop_back();
      for (const Equation* e : patterns_.at(key).equations) follow(*key.first, e->body, false);
    }
    if (!endless) return;
    in_.findings.add("endless-helper",
                     direct ? fmt::format("`{}` stands for itself", equation.name)
                            : fmt::format("`{}` stands for itself, through `{}`", equation.name, through),
                     ast_[equation.body].range,
                     "a helper pattern that repeats stands inside of an op, as in `Views(through(p), ..)`");
  }

  const CheckInput& in_;
  const Ast& ast_;
  std::map<Key, Pattern> patterns_;
  std::vector<Key> order_;
  std::map<Key, std::size_t> open_;  // that lead to a cycle: own-place callees that do
};

}  // namespace

void check_patterns(const CheckInput& input) { PatternCheck(input).run(); }

}  // namespace fxrules::dsl
