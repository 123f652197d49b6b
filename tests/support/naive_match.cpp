#include "naive_match.hpp"

#include <algorithm>

#include "dsl/literals.hpp"

namespace fxrules::testing {

using dsl::Callee;
using dsl::CalleeKind;
using dsl::Term;
using dsl::TermId;
using dsl::TermKind;
using rewrite::Access;
using rewrite::CallClass;
using rewrite::Tag;
using rewrite::Value;

// ---------------------------------------------------------------- roots

bool NaiveMatcher::each_match(const dsl::Rule& rule, NodeId node, const std::function<bool(NaiveMatch&)>& found) {
  const unsigned orders = 1u << commutative_calls(rule.roots[0].pattern);
  for (unsigned exchanged = 0; exchanged < orders; ++exchanged) {
    NaiveMatch match;
    if (!matches(rule.roots[0].pattern, node, exchanged, match)) continue;
    if (!rule.roots[0].name.empty()) match.bound.emplace(rule.roots[0].name, Value::of_node(node));
    if (further_roots(rule, 1, match, found)) return true;
  }
  return false;
}

bool NaiveMatcher::further_roots(const dsl::Rule& rule, std::size_t root, const NaiveMatch& so_far,
                                 const std::function<bool(NaiveMatch&)>& found) {
  if (root == rule.roots.size()) {
    NaiveMatch complete = so_far;
    return found(complete);
  }
  const unsigned orders = 1u << commutative_calls(rule.roots[root].pattern);
  for (const NodeId node : graph_.nodes()) {
    if (std::find(so_far.nodes.begin(), so_far.nodes.end(), node) != so_far.nodes.end()) continue;
    for (unsigned exchanged = 0; exchanged < orders; ++exchanged) {
      NaiveMatch match = so_far;
      if (!matches(rule.roots[root].pattern, node, exchanged, match)) continue;
      match.bound.emplace(rule.roots[root].name, Value::of_node(node));
      if (further_roots(rule, root + 1, match, found)) return true;
    }
  }
  return false;
}

bool NaiveMatcher::matches(TermId pattern, NodeId node, unsigned exchanged, NaiveMatch& match) {
  exchanged_ = exchanged;
  commutative_seen_ = 0;
  return term(pattern, Value::of_node(node), match);
}

unsigned NaiveMatcher::commutative_calls(TermId pattern) const {
  if (pattern == dsl::kNoTerm) return 0;
  const Term& t = ast_[pattern];
  unsigned count = may_commute(t) ? 1 : 0;
  for (std::uint32_t i = 0; i < t.count; ++i) count += commutative_calls(ast_.children[t.first + i]);
  return count;
}

// Whether some overload of an op that the call may mean commutes, and both operands are given by position.
bool NaiveMatcher::may_commute(const Term& t) const {
  if (t.kind != TermKind::call || t.count < 2) return false;
  for (std::uint32_t i = 0; i < 2; ++i) {
    const Term& operand = ast_[ast_.children[t.first + i]];
    if (operand.kind != TermKind::argument || !operand.text.empty()) return false;
  }
  const Callee& callee = ast_.callees[t.callee];
  if (callee.commutative) return true;
  const Catalogue& catalogue = binding_.catalogue();
  const auto commutes = [&](std::string_view name) {
    const auto op = catalogue.find_op(name);
    if (!op) return false;
    const auto& overloads = catalogue.overloads(*op);
    return std::any_of(overloads.begin(), overloads.end(),
                       [&](OverloadId o) { return has(catalogue.overload(o).tags, OpTag::commutative); });
  };
  if (callee.kind == CalleeKind::implicit) {
    for (const dsl::SetDeclaration& set : ast_.sets) {
      if (set.name != callee.text) continue;
      for (std::uint32_t i = 0; i < ast_[set.value].count; ++i) {
        const Term& member = ast_[ast_.children[ast_[set.value].first + i]];
        if (member.kind == TermKind::op && commutes(ast_.callees[member.callee].text)) return true;
      }
      return false;
    }
    return commutes(callee.text);
  }
  if (callee.kind == CalleeKind::set)
    return std::any_of(callee.members.begin(), callee.members.end(),
                       [&](std::uint32_t m) { return commutes(ast_.callees[m].text); });
  const bool packet = callee.kind == CalleeKind::dotted && std::count(callee.text.begin(), callee.text.end(), '.') == 1;
  return packet && commutes(callee.text);
}

// ---------------------------------------------------------------- terms

bool NaiveMatcher::term(TermId id, const Value& value, NaiveMatch& match) {
  const Term& t = ast_[id];
  if (t.kind != TermKind::name) {
    if (const auto literal = dsl::literal_of(ast_, id)) return equals_literal(value, *literal);
  }
  switch (t.kind) {
    case TermKind::argument:
      return term(ast_.children[t.first], value, match);
    case TermKind::wildcard:
      return t.annotation.empty() || is_of_kind(value, t.annotation);
    case TermKind::name: {
      const auto literal = match.bound.contains(t.text) ? std::nullopt : dsl::literal_of(ast_, id);  // inf
      if (literal) return equals_literal(value, *literal);
      return (t.annotation.empty() || is_of_kind(value, t.annotation)) && bind(t.text, value, match);
    }
    case TermKind::bind:
      return term(ast_.children[t.first], value, match) && bind(t.text, value, match);
    case TermKind::list:
    case TermKind::tuple:
      return sequence(t, value, match);
    case TermKind::slice:
      return slice(t, value, match);
    case TermKind::index:
      return subscript(t, value, match);
    case TermKind::call:
      return call(t, value, match);
    default:
      return false;
  }
}

bool NaiveMatcher::bind(std::string_view name, const Value& value, NaiveMatch& match) {
  const auto bound = match.bound.find(name);
  if (bound != match.bound.end()) return equal(bound->second, value);
  match.bound.emplace(name, value);
  return true;
}

bool NaiveMatcher::slice(const Term& t, const Value& value, NaiveMatch& match) {
  if (!value.is(Tag::slice)) return false;
  for (std::uint32_t i = 0; i < t.count; ++i) {
    const TermId part = ast_.children[t.first + i];
    const Value given = item(value, i);
    if (part == dsl::kNoTerm ? !given.is(Tag::none) : !term(part, given, match)) return false;
  }
  return true;
}

bool NaiveMatcher::sequence(const Term& t, const Value& value, NaiveMatch& match) {
  if (t.kind == TermKind::tuple ? !value.is(Tag::tuple) : !value.is_sequence()) return false;
  std::uint32_t rest = t.count;
  for (std::uint32_t i = 0; i < t.count; ++i) {
    if (ast_[ast_.children[t.first + i]].kind == TermKind::rest) rest = i;
  }
  const std::uint32_t given = value.range.count;
  if (rest == t.count ? given != t.count : given + 1 < t.count) return false;
  for (std::uint32_t i = 0; i < t.count; ++i) {
    const TermId child = ast_.children[t.first + i];
    if (i == rest) {
      const std::string_view name = ast_[child].text;
      const std::uint32_t behind = t.count - 1 - i;
      if (!name.empty() && name != ".." && !bind(name, value.without(i, behind), match)) return false;
    } else if (!term(child, item(value, i < rest ? i : given - (t.count - i)), match)) {
      return false;
    }
  }
  return true;
}

// s[0] is getitem(s, 0)
bool NaiveMatcher::subscript(const Term& t, const Value& value, NaiveMatch& match) {
  if (!value.is(Tag::node) || !is_named(value.node(), "getitem")) return false;
  match.nodes.push_back(value.node());
  for (unsigned i = 0; i < 2; ++i) {
    const Role role = role_at(value.node(), i);
    if (!role.exists() || !term(ast_.children[t.first + i], value_of(value.node(), role), match)) return false;
  }
  return true;
}

bool NaiveMatcher::call(const Term& t, const Value& value, NaiveMatch& match) {
  const bool exchanged = may_commute(t) && ((exchanged_ >> commutative_seen_++) & 1u) != 0;
  const Callee& callee = ast_.callees[t.callee];
  std::vector<std::pair<std::string_view, std::string>> holes;
  if (!value.is(Tag::node) || !is_called(value.node(), callee, &holes)) return false;
  const NodeId node = value.node();
  match.nodes.push_back(node);
  const std::string op(callee.text.substr(callee.text.rfind('.') + 1));
  if (callee.kind != CalleeKind::holes && callee.kind != CalleeKind::set && callee.kind != CalleeKind::any)
    ++match.ops.try_emplace(op, NaiveMatch::Named{node, 0}).first->second.count;
  for (const auto& [name, text] : holes) {
    if (!bind(name, Value::make(Tag::string, binding_.symbol(text).value, node.value), match)) return false;
  }

  bool open = false;
  std::string_view rest_name = "..";
  std::vector<Role> roles;
  std::vector<std::pair<unsigned, std::string_view>> mentioned;  // as a rest spec has them
  std::vector<std::pair<TermId, Role>> operands;
  unsigned position = 0;
  for (std::uint32_t i = 0; i < t.count; ++i) {
    const Term* argument = &ast_[ast_.children[t.first + i]];
    if (argument->kind == TermKind::argument && ast_[ast_.children[argument->first]].kind == TermKind::rest)
      argument = &ast_[ast_.children[argument->first]];
    if (argument->kind == TermKind::rest) {
      open = true;
      if (!argument->text.empty()) rest_name = argument->text;
      continue;
    }
    Role role;
    if (argument->text.empty()) {
      const unsigned place = exchanged && position < 2 ? 1 - position : position;
      role = role_at(node, place);
      mentioned.emplace_back(place, "");
      ++position;
    } else {
      role = role_of(node, argument->text);
      mentioned.emplace_back(program::kNone, argument->text);
    }
    roles.push_back(role);
    operands.emplace_back(ast_.children[argument->first], role);
  }
  if (exchanged && !operands_exchange(node, callee.commutative)) return false;
  if (!open && !others_at_default(node, roles, 0)) return false;
  if (open && (rest_name != ".." || !match.bound.contains(".."))) {
    if (!bind(rest_name, rest_of(node, mentioned), match)) return false;
  }
  return std::all_of(operands.begin(), operands.end(), [&](const auto& operand) {
    return operand.second.exists() && term(operand.first, value_of(node, operand.second), match);
  });
}

// ---------------------------------------------------------------- ops

namespace {

// All ways to read `text` as the pieces, holes without dots, shortest first; the first one counts.
bool read_pieces(const std::vector<dsl::CalleePiece>& pieces, std::size_t piece, std::string_view text,
                 std::vector<std::string>& holes) {
  if (piece == pieces.size()) return text.empty();
  if (!pieces[piece].hole)
    return text.starts_with(pieces[piece].text) &&
           read_pieces(pieces, piece + 1, text.substr(pieces[piece].text.size()), holes);
  for (std::size_t n = 1; n <= text.size() && text[n - 1] != '.'; ++n) {
    holes.emplace_back(text.substr(0, n));
    if (read_pieces(pieces, piece + 1, text.substr(n), holes)) return true;
    holes.pop_back();
  }
  return false;
}

}  // namespace

bool NaiveMatcher::is_named(NodeId node, std::string_view spelled) const {
  const Opcode opcode = graph_.opcode(node);
  const std::string_view target = graph_.target(node);
  const Catalogue& catalogue = binding_.catalogue();
  if (opcode != Opcode::call_function && opcode != Opcode::call_method && opcode != Opcode::call_module) return false;
  if (spelled.starts_with('.')) return opcode == Opcode::call_method && target == spelled.substr(1);
  const auto called = catalogue.resolve(opcode, target);
  if (spelled.find('.') == std::string_view::npos) return called && called->op == catalogue.find_op(spelled);
  if (opcode != Opcode::call_function) return false;
  const std::string in_ops = "torch.ops." + std::string(spelled);
  for (const std::string& path : {std::string(spelled), in_ops}) {
    if (target == path) return true;
    const auto meant = catalogue.resolve(Opcode::call_function, path);
    if (meant && meant->style == SpellingStyle::aten_packet && called && called->op == meant->op &&
        called->style >= SpellingStyle::aten_packet)
      return true;
  }
  return false;
}

bool NaiveMatcher::in_set(NodeId node, std::string_view name) const {
  for (const dsl::SetDeclaration& set : ast_.sets) {
    if (set.name != name) continue;
    for (std::uint32_t i = 0; i < ast_[set.value].count; ++i) {
      const Term& member = ast_[ast_.children[ast_[set.value].first + i]];
      if (member.kind == TermKind::op && is_named(node, ast_.callees[member.callee].text)) return true;
    }
  }
  return false;
}

bool NaiveMatcher::is_called(NodeId node, const Callee& callee,
                             std::vector<std::pair<std::string_view, std::string>>* holes) const {
  const Opcode opcode = graph_.opcode(node);
  switch (callee.kind) {
    case CalleeKind::any:
      return opcode == Opcode::call_function || opcode == Opcode::call_method || opcode == Opcode::call_module;
    case CalleeKind::holes:
      return fills_holes(node, callee, holes);
    case CalleeKind::set:
      return std::any_of(callee.members.begin(), callee.members.end(),
                         [&](std::uint32_t m) { return is_named(node, ast_.callees[m].text); });
    case CalleeKind::implicit: {
      const bool is_set =
          std::any_of(ast_.sets.begin(), ast_.sets.end(), [&](const auto& s) { return s.name == callee.text; });
      return is_set ? in_set(node, callee.text) : is_named(node, callee.text);
    }
    default:
      return is_named(node, callee.text);
  }
}

bool NaiveMatcher::fills_holes(NodeId node, const Callee& callee,
                               std::vector<std::pair<std::string_view, std::string>>* out) const {
  const Catalogue& catalogue = binding_.catalogue();
  const std::string_view target = graph_.target(node);
  const Opcode opcode = graph_.opcode(node);
  const auto called = catalogue.resolve(opcode, target);
  const bool path = std::any_of(callee.pieces.begin(), callee.pieces.end(),
                                [](const auto& p) { return !p.hole && p.text.find('.') != std::string_view::npos; });
  const bool in_place = callee.pieces.size() == 2 && callee.pieces[0].hole && callee.pieces[1].text == "_";
  std::vector<std::string> texts;
  if (opcode != Opcode::call_function && opcode != Opcode::call_method && opcode != Opcode::call_module) return false;
  if (path) {
    const std::string_view under_ops = target.starts_with("torch.ops.") ? target.substr(10) : target;
    if (!read_pieces(callee.pieces, 0, under_ops, texts)) return false;
  } else if (called) {
    if (!read_pieces(callee.pieces, 0, catalogue.op_name(called->op), texts)) return false;
    if (in_place && (texts[0].ends_with('_') || !binding_.call_class(node).writes)) return false;
  } else if (in_place) {  // a method that nobody knows
    if (opcode != Opcode::call_method || target.starts_with("__") || target.ends_with("__")) return false;
    if (!read_pieces(callee.pieces, 0, target, texts)) return false;
  } else {
    return false;
  }
  std::size_t hole = 0;
  for (const dsl::CalleePiece& piece : callee.pieces) {
    if (!piece.hole) continue;
    if (!piece.set.empty() && !in_set(node, piece.set)) {
      const auto functional = called ? catalogue.functional_form(called->op) : std::nullopt;
      bool held = false;
      for (const dsl::SetDeclaration& set : ast_.sets) {
        for (std::uint32_t i = 0; set.name == piece.set && i < ast_[set.value].count; ++i) {
          const Term& member = ast_[ast_.children[ast_[set.value].first + i]];
          held |= functional && member.kind == TermKind::op &&
                  catalogue.find_op(ast_.callees[member.callee].text) == functional;
        }
      }
      if (!held) return false;
    }
    out->emplace_back(piece.text, texts[hole++]);
  }
  return true;
}

// ---------------------------------------------------------------- arguments

NaiveMatcher::Role NaiveMatcher::role_at(NodeId node, unsigned position) const {
  const CallClass& call = binding_.call_class(node);
  if (call.schema == nullptr) return {-1, position < graph_.form(node).positional ? static_cast<int>(position) : -1};
  if (!call.schema->rule_order.empty())
    return {position < call.schema->rule_order.size() ? call.schema->rule_order[position] : -1, -1};
  const auto& arguments = call.schema->arguments;
  if (position >= arguments.size() || arguments[position].keyword_only || arguments[position].variadic) return {};
  return {static_cast<int>(position), -1};
}

NaiveMatcher::Role NaiveMatcher::role_of(NodeId node, std::string_view keyword) const {
  const CallClass& call = binding_.call_class(node);
  if (call.schema != nullptr) return {call.schema->find(keyword), -1};
  const CallForm& form = graph_.form(node);
  for (std::size_t k = 0; k < form.keywords.size(); ++k) {
    if (graph_.text(form.keywords[k]) == keyword) return {-1, static_cast<int>(form.positional + k)};
  }
  return {};
}

Value NaiveMatcher::value_of(NodeId node, Role role) const {
  if (role.schema_argument >= 0)
    return binding_.argument(node,
                             binding_.call_class(node).by_argument[static_cast<std::size_t>(role.schema_argument)]);
  return binding_.from_slot(graph_[graph_.argument(node, static_cast<std::uint32_t>(role.literal_argument))],
                            TypeKind::any);
}

// Arguments from schema position `from` on that the pattern does not mention.
bool NaiveMatcher::others_at_default(NodeId node, const std::vector<Role>& mentioned, std::size_t from) const {
  const CallClass& call = binding_.call_class(node);
  if (call.schema == nullptr) {
    return static_cast<std::size_t>(std::count_if(mentioned.begin(), mentioned.end(),
                                                  [](Role r) { return r.exists(); })) == graph_.argument_count(node);
  }
  for (std::size_t a = from; a < call.by_argument.size(); ++a) {
    const Access& access = call.by_argument[a];
    const bool given = access.how == Access::How::slot || (access.how == Access::How::run && access.count > 0);
    const bool in_pattern = std::any_of(mentioned.begin(), mentioned.end(),
                                        [&](Role r) { return r.schema_argument == static_cast<int>(a); });
    if (!given || in_pattern) continue;
    if (!call.schema->arguments[a].has_default) return false;
    if (!equal(binding_.argument(node, access), binding_.default_of(call, a))) return false;
  }
  return true;
}

bool NaiveMatcher::operands_exchange(NodeId node, bool asked) const {
  const CallClass& call = binding_.call_class(node);
  if (call.schema == nullptr) return asked;
  if (!asked && !has(call.schema->tags, OpTag::commutative)) return false;
  return call.schema->arguments.size() >= 2 && others_at_default(node, {}, 2);
}

Value NaiveMatcher::rest_of(NodeId node, const std::vector<std::pair<unsigned, std::string_view>>& mentioned) const {
  const program::RuleSet& rules = binding_.rules();
  std::vector<program::Index> keys;
  for (const auto& [position, keyword] : mentioned) {
    const program::ArgumentKey key{position, std::string(keyword)};
    keys.push_back(
        static_cast<program::Index>(std::find(rules.keys.begin(), rules.keys.end(), key) - rules.keys.begin()));
  }
  std::sort(keys.begin(), keys.end());
  for (std::size_t spec = 0; spec < rules.rests.size(); ++spec) {
    if (rules.rests[spec].mentioned == keys) return Value::make(Tag::rest, node.value, static_cast<std::int64_t>(spec));
  }
  return {};  // nothing on the right takes it
}

// ---------------------------------------------------------------- values

Value NaiveMatcher::item(const Value& sequence, std::uint32_t i) const { return binding_.item(sequence, i, no_heap_); }

bool NaiveMatcher::equal(const Value& a, const Value& b) const {
  if (a.unusable() || b.unusable()) return false;
  const auto one_for_list = [&](const Value& list, const Value& one) {  // an int where a schema takes a list of ints
    return list.is_sequence() && list.role == TypeKind::integer && list.range.count == 1 &&
           (one.is(Tag::integer) || one.is(Tag::symbolic));
  };
  if (one_for_list(a, b)) return equal(item(a, 0), b);
  if (one_for_list(b, a)) return equal(a, item(b, 0));
  if (a.is_container() || b.is_container()) {
    if (!a.is_container() || !b.is_container() || a.range.count != b.range.count) return false;
    const bool in_a_role = a.role != TypeKind::any || b.role != TypeKind::any;
    if (a.tag != b.tag && !(a.is_sequence() && b.is_sequence() && in_a_role)) return false;
    for (std::uint32_t i = 0; i < a.range.count; ++i) {
      if (!equal(item(a, i), item(b, i))) return false;
    }
    return true;
  }
  const auto is_text = [](const Value& v) { return v.is(Tag::string) || v.is(Tag::device); };
  if (is_text(a) && is_text(b)) {
    const bool bare = a.spelled == rewrite::kAsBare || b.spelled == rewrite::kAsBare;
    return a.symbol() == b.symbol() && (bare || a.spelled == b.spelled);
  }
  if (a.tag != b.tag) return false;
  switch (a.tag) {
    case Tag::none:
    case Tag::ellipsis:
      return true;
    case Tag::boolean:
    case Tag::integer:
    case Tag::floating:
      return a.i == b.i;
    case Tag::dtype:
    case Tag::node:
      return a.a == b.a;
    case Tag::spelled:
      return a.a == b.a && a.i == b.i;
    case Tag::symbolic: {
      const auto size = [](const Value& v) { return Size::of(ExprId(static_cast<std::uint32_t>(v.i))); };
      return graph_.metas().expressions().equal(size(a), size(b)) == Truth::yes;
    }
    default:
      return false;
  }
}

bool NaiveMatcher::equals_literal(const Value& value, const program::Literal& literal) const {
  if (literal.unknown) return false;
  const auto text_is = [&] { return value.a != SymbolId::kNone && graph_.text(value.symbol()) == literal.text; };
  switch (literal.kind) {
    case ArgKind::none:
      return value.is(Tag::none);
    case ArgKind::ellipsis:
      return value.is(Tag::ellipsis);
    case ArgKind::boolean:
      return value.is(Tag::boolean) && value.i == literal.integer;
    case ArgKind::integer:
      if (value.is_sequence() && value.role == TypeKind::integer && value.range.count == 1)
        return equals_literal(item(value, 0), literal);
      return value.is(Tag::integer) && value.i == literal.integer;
    case ArgKind::floating:
      return value.is(Tag::floating) && value.i == Value::floating(literal.floating).i;
    case ArgKind::string:
      return (value.is(Tag::string) || (value.is(Tag::device) && value.spelled != rewrite::kAsObject)) && text_is();
    case ArgKind::device:
      return value.is(Tag::device) && value.spelled != rewrite::kAsString && text_is();
    case ArgKind::dtype:
      return value.is(Tag::dtype) && text_is();
    default:
      return value.is(Tag::spelled) && value.i == static_cast<std::int64_t>(literal.kind) && text_is();
  }
}

bool NaiveMatcher::is_of_kind(const Value& v, std::string_view kind) const {
  const bool node = v.is(Tag::node);
  const auto is_int = [&] {
    if (v.is(Tag::integer) || v.is(Tag::symbolic)) return true;
    if (!node) return false;
    const Truth known = rewrite::is_integer_node(binding_, v.node());
    return known == Truth::yes || (known == Truth::unknown && v.role == TypeKind::integer);
  };
  const auto is_tensor = [&] {
    if (!node) return false;
    const Truth known = rewrite::is_tensor(binding_, v.node());
    return known == Truth::yes || (known == Truth::unknown && v.role == TypeKind::tensor);
  };
  const auto element = [&](DtypeCategory category) {
    const TensorMeta* meta = node ? graph_.metas().tensor_of(graph_.meta(v.node())) : nullptr;
    return meta != nullptr && meta->dtype != Dtype::unknown && fxrules::category(meta->dtype) == category;
  };
  if (kind == "Tensor") return is_tensor();
  if (kind == "Tensor[bool]") return is_tensor() && element(DtypeCategory::boolean);
  if (kind == "Tensor[int]") return is_tensor() && element(DtypeCategory::integral);
  if (kind == "node") return node;
  if (kind == "int") return is_int();
  if (kind == "float") return v.is(Tag::floating);
  if (kind == "bool") return v.is(Tag::boolean);
  if (kind == "number") {
    const bool complex = v.is(Tag::spelled) && v.i == static_cast<std::int64_t>(ArgKind::complex);
    return is_int() || v.is(Tag::boolean) || v.is(Tag::floating) || complex;
  }
  if (kind == "str") return v.is(Tag::string) || (v.is(Tag::device) && v.spelled != rewrite::kAsObject);
  if (kind == "none") return v.is(Tag::none);
  if (kind == "ellipsis") return v.is(Tag::ellipsis);
  if (kind == "slice") return v.is(Tag::slice);
  if (kind == "tuple") return v.is(Tag::tuple);
  if (kind == "list") return v.is(Tag::list) || (v.is(Tag::tuple) && v.role != TypeKind::any);
  if (kind == "dict") return v.is(Tag::dict);
  if (kind == "dtype") return v.is(Tag::dtype);
  return kind == "device" && v.is(Tag::device);
}

}  // namespace fxrules::testing
