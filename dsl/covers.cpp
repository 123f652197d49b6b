#include "dsl/covers.hpp"

#include <algorithm>

namespace fxrules::dsl {
namespace {

// Names of a pattern, arguments of a call: with more the answer is the careful one, and never slow.
constexpr std::size_t kMost = 64;

bool is_literal(TermKind kind) {
  return kind <= TermKind::constant;  // they stand first
}

std::string_view kind_of_literal(TermKind kind) {
  switch (kind) {
    case TermKind::none:
      return "none";
    case TermKind::boolean:
      return "bool";
    case TermKind::integer:
      return "int";
    case TermKind::floating:
      return "float";
    case TermKind::string:
      return "str";
    case TermKind::ellipsis:
      return "ellipsis";
    case TermKind::list:
      return "list";
    case TermKind::tuple:
      return "tuple";
    case TermKind::slice:
      return "slice";
    default:
      return "";
  }
}

bool kind_covers(std::string_view general, std::string_view special) {
  if (general == special) return true;
  const bool number = special == "int" || special == "float" || special == "bool";
  if (general == "number") return number;
  return general == "Tensor" && special.starts_with("Tensor[");
}

}  // namespace

bool Cover::pattern(TermId general, TermId special) {
  bound_.clear();
  annotations_.clear();
  return term(general, special);
}

bool Cover::patterns(const std::vector<TermId>& general, const std::vector<TermId>& special) {
  bound_.clear();
  annotations_.clear();
  if (general.size() != special.size()) return false;
  for (std::size_t i = 0; i < general.size(); ++i)
    if (!term(general[i], special[i])) return false;
  return true;
}

bool Cover::value(TermId general, TermId built) {
  bound_.clear();
  annotations_.clear();
  collect_annotations(general);
  return term(general, built);
}

void Cover::collect_annotations(TermId pattern) {
  if (pattern == kNoTerm || annotations_.size() == kMost) return;
  const Term& term = ast_[pattern];
  if (term.kind == TermKind::name && !term.annotation.empty()) annotations_.emplace_back(term.text, term.annotation);
  for (std::uint32_t i = 0; i < term.count; ++i) collect_annotations(ast_.children[term.first + i]);
}

bool Cover::term(TermId general, TermId special) {
  if (general == kNoTerm || special == kNoTerm) return general == special;
  const Term& g = ast_[general];
  const Term& s = ast_[special];
  if (g.kind == TermKind::bind) return term(ast_.children[g.first], special);
  if (s.kind == TermKind::bind) return term(general, ast_.children[s.first]);
  if (g.kind == TermKind::name || g.kind == TermKind::wildcard) return name(g, special);
  if (g.kind != s.kind) return false;
  switch (g.kind) {
    case TermKind::call:
      return call(g, s);
    case TermKind::list:
    case TermKind::tuple:
      return sequence(g, s);
    case TermKind::index:
    case TermKind::slice:
      return children(g, s);
    case TermKind::rest:
      return true;
    default:
      return is_literal(g.kind) && g.text == s.text;
  }
}

// A name takes anything of its kind; when it has stood before, the same again.
bool Cover::name(const Term& general, TermId special) {
  if (ast_[special].kind == TermKind::rest || !same_kind(general, special)) return false;
  if (general.kind == TermKind::wildcard) return true;
  for (const auto& [text, earlier] : bound_)
    if (text == general.text) return equal(earlier, special);
  if (bound_.size() == kMost) return false;
  bound_.emplace_back(general.text, special);
  return true;
}

bool Cover::same_kind(const Term& general, TermId special) const {
  if (general.annotation.empty()) return true;
  const Term& s = ast_[special];
  if (s.kind == TermKind::name || s.kind == TermKind::wildcard) {
    const std::string_view known = annotation_of(s);
    return !known.empty() && kind_covers(general.annotation, known);
  }
  if (s.kind == TermKind::call) return general.annotation == "node" && !is_helper(ast_.callees[s.callee]);
  return kind_covers(general.annotation, kind_of_literal(s.kind));
}

std::string_view Cover::annotation_of(const Term& name) const {
  if (!name.annotation.empty()) return name.annotation;
  for (const auto& [text, annotation] : annotations_)
    if (text == name.text) return annotation;
  return {};
}

bool Cover::call(const Term& general, const Term& special) {
  const Callee& other = ast_.callees[special.callee];
  return !is_helper(other) && callee(ast_.callees[general.callee], other) && sequence(general, special);
}

// On the right a helper hides an op of its name, and what it makes is not known here.
bool Cover::is_helper(const Callee& callee) const {
  if (callee.kind != CalleeKind::implicit) return false;
  const Definition* found = names_.find(callee.text);
  return found != nullptr && found->kind == DefinitionKind::def;
}

bool Cover::callee(const Callee& general, const Callee& special) const {
  if (general.kind == CalleeKind::any) return true;
  if (general.kind == special.kind && general.text == special.text && general.kind != CalleeKind::set) return true;
  if (general.kind != CalleeKind::set) return false;
  const auto holds = [&](const Callee& one) {
    return std::any_of(general.members.begin(), general.members.end(), [&](std::uint32_t member) {
      const Callee& mine = ast_.callees[member];
      return mine.kind == one.kind && mine.text == one.text;
    });
  };
  if (special.kind != CalleeKind::set) return holds(special);
  return std::all_of(special.members.begin(), special.members.end(),
                     [&](std::uint32_t m) { return holds(ast_.callees[m]); });
}

// Arguments or elements: each of the general ones covers its counterpart, and `..` what is left. Keywords
// are compared in their order.
bool Cover::sequence(const Term& general, const Term& special) {
  if (general.count > kMost || special.count > kMost) return false;
  const auto kind_at = [&](const Term& t, std::uint32_t i) {
    TermId id = ast_.children[t.first + i];
    if (ast_[id].kind == TermKind::argument) id = ast_.children[ast_[id].first];
    return ast_[id].kind;
  };
  const auto without_rest = [&](const Term& t, std::vector<TermId>& out) {
    bool rest = false;
    for (std::uint32_t i = 0; i < t.count; ++i) {
      if (kind_at(t, i) == TermKind::rest)
        rest = true;
      else
        out.push_back(ast_.children[t.first + i]);
    }
    return rest;
  };
  std::vector<TermId> g, s;
  const bool open = without_rest(general, g);
  const bool special_open = without_rest(special, s);
  if (special_open && !open) return false;
  // Behind a `..` positions count from the end, which only lists of one length can be held against.
  const bool trailing = open && general.kind != TermKind::call && kind_at(general, general.count - 1) != TermKind::rest;
  if (g.size() > s.size() || ((!open || trailing) && g.size() != s.size())) return false;
  if (trailing && special_open && kind_at(special, special.count - 1) == TermKind::rest) return false;
  for (std::size_t i = 0; i < g.size(); ++i) {
    if (general.kind != TermKind::call) {
      if (!term(g[i], s[i])) return false;
      continue;
    }
    const Term& mine = ast_[g[i]];
    const auto other = mine.text.empty()
                           ? s.begin() + static_cast<std::ptrdiff_t>(i)
                           : std::find_if(s.begin(), s.end(), [&](TermId id) { return ast_[id].text == mine.text; });
    if (other == s.end() || ast_[*other].text != mine.text) return false;
    if (!term(ast_.children[mine.first], ast_.children[ast_[*other].first])) return false;
  }
  return true;
}

bool Cover::children(const Term& general, const Term& special) {
  if (general.count != special.count) return false;
  for (std::uint32_t i = 0; i < general.count; ++i)
    if (!term(ast_.children[general.first + i], ast_.children[special.first + i])) return false;
  return true;
}

// The same value whatever the variables are: not two wildcards, nor two calls, which may be two nodes.
bool Cover::equal(TermId a, TermId b) const {
  const Term& x = ast_[a];
  const Term& y = ast_[b];
  if (x.kind != y.kind || x.text != y.text) return false;
  return x.kind == TermKind::name || (is_literal(x.kind) && x.count == 0);
}

}  // namespace fxrules::dsl
