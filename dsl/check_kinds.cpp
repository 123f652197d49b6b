// Guards that can never be known true, and results that can never be a node, by their form alone.
#include <unordered_map>

#include <fmt/format.h>

#include "dsl/check.hpp"
#include "engine/program/builtins.hpp"

namespace fxrules::dsl {
namespace {

// What a value may be. None of them: it is always unknown.
enum Can : unsigned { kTrue = 1, kFalse = 2, kNode = 4, kOther = 8, kAnything = 15 };
constexpr unsigned kTruth = kTrue | kFalse;

unsigned of_kind(std::string_view annotation) {
  const std::string_view kind = annotation.substr(0, annotation.find('['));
  if (kind.empty()) return kAnything;
  if (kind == "bool") return kTruth;
  if (kind == "Tensor" || kind == "node") return kNode;
  if (kind == "int") return kNode | kOther;  // a node may compute one
  for (const std::string_view other :
       {"float", "str", "none", "ellipsis", "slice", "tuple", "list", "dict", "dtype", "device"}) {
    if (annotation == other) return kOther;
  }
  return kAnything;  // number, and what is no kind
}

unsigned of_builtin(Builtin id) {
  switch (id) {
    case Builtin::shape:
    case Builtin::dtype:
    case Builtin::rank:
    case Builtin::strides:
    case Builtin::device:
    case Builtin::results:
    case Builtin::row_major:
    case Builtin::len:
    case Builtin::list:
    case Builtin::tuple:
    case Builtin::reversed:
    case Builtin::first:
    case Builtin::last:
    case Builtin::after:
    case Builtin::drop:
    case Builtin::replace:
    case Builtin::insert_at:
    case Builtin::position:
    case Builtin::copies:
    case Builtin::upto:
    case Builtin::least:
    case Builtin::greatest:
    case Builtin::total:
    case Builtin::product:
    case Builtin::promote:
    case Builtin::device_type:
    case Builtin::with_type:
    case Builtin::uses:
    case Builtin::occurrences:
    case Builtin::outputs:
    case Builtin::origin:
    case Builtin::name:
    case Builtin::op:
    case Builtin::tensor:
      return kOther;
    case Builtin::base:
      return kAnything;
    default:
      return kTruth;
  }
}

class KindCheck {
 public:
  explicit KindCheck(const CheckInput& input) : in_(input), ast_(input.ast) {}

  void run() {
    for (const Rule& rule : ast_.rules) {
      kinds_.clear();
      for (const Root& root : rule.roots) collect(root.pattern);
      for (const Alternative& alternative : rule.alternatives) {
        guard(alternative.guard);
        result(rule, alternative.result);
      }
    }
    for (const Equation& equation : ast_.defs) {
      kinds_.clear();
      for (const TermId parameter : equation.parameters) collect(parameter);
      guard(equation.guard);
    }
    for (const MetaEquation& meta : ast_.metas) guard_of(meta.head, meta.guard);
    for (const Inverse& inverse : ast_.inverses) {
      for (const Alternative& alternative : inverse.alternatives) guard_of(inverse.head, alternative.guard);
    }
  }

 private:
  void guard_of(TermId head, TermId term) {
    kinds_.clear();
    collect(head);
    guard(term);
  }

  // The kinds that a pattern gives its variables.
  void collect(TermId id) {
    if (id == kNoTerm) return;
    const Term& term = ast_[id];
    if (term.kind == TermKind::name) kinds_.try_emplace(term.text, of_kind(term.annotation));
    if (term.kind == TermKind::bind)
      kinds_.try_emplace(term.text, can(term.first < ast_.children.size() ? ast_.children[term.first] : kNoTerm));
    for (std::uint32_t i = 0; i < term.count; ++i) collect(ast_.children[term.first + i]);
  }

  void guard(TermId id) {
    if (id == kNoTerm || (can(id) & kTrue) != 0) return;
    in_.findings.add("never-true", "this guard is never known true", ast_[id].range,
                     (can(id) & (kOther | kNode)) != 0 ? "a guard asks what is true or false, as in `rank(x) == 2`"
                                                       : "leave out what it guards");
  }

  void result(const Rule& rule, const Result& result) {
    if (result.kind == ResultKind::term) return node(result.term);
    if (result.kind != ResultKind::block) return;
    for (const ResultBinding& binding : result.bindings) {
      bool root = binding.name == "root";
      for (const Root& r : rule.roots) root = root || r.name == binding.name;
      if (root) node(binding.value);
    }
  }

  void node(TermId id) {
    if (id == kNoTerm || (can(id) & kNode) != 0) return;
    in_.findings.add("no-node", "this result is never a node, and only a node can take a node's place", ast_[id].range,
                     "a result is a value of the pattern or a call of an op, as in `add(x, 1)`");
  }

  unsigned can(TermId id) {
    if (id == kNoTerm) return kAnything;
    const Term& term = ast_[id];
    const auto child = [&](std::uint32_t i) { return ast_.children[term.first + i]; };
    switch (term.kind) {
      case TermKind::boolean:
        return term.text == "True" ? kTrue : kFalse;
      case TermKind::unknown:
        return 0;
      case TermKind::name:
        return name(term.text);
      case TermKind::rest:
      case TermKind::index:
      case TermKind::field:
      case TermKind::wildcard:
        return kAnything;
      case TermKind::argument:
      case TermKind::bind:
        return can(child(0));
      case TermKind::unary: {
        if (term.text != "not") return kOther;
        const unsigned operand = can(child(0));
        return ((operand & kTrue) != 0 ? kFalse : 0u) | ((operand & kFalse) != 0 ? kTrue : 0u);
      }
      case TermKind::binary:
        return binary(term.text, child(0), child(1));
      case TermKind::call:
        return call(term);
      default:
        return kOther;
    }
  }

  unsigned name(std::string_view text) {
    if (const auto known = kinds_.find(text); known != kinds_.end()) return known->second;
    const Definition* definition = in_.names.find(text);
    if (definition == nullptr) return kAnything;
    if (definition->kind == DefinitionKind::set) return kOther;
    if (definition->kind != DefinitionKind::param) return kAnything;
    return definition->tree->params[definition->index].type == "bool" ? kTruth : static_cast<unsigned>(kOther);
  }

  unsigned binary(std::string_view op, TermId left, TermId right) {
    const bool both = op == "and";
    if (both || op == "or") {
      const unsigned a = can(left), b = can(right);
      const unsigned decides = both ? kFalse : kTrue, other = both ? kTrue : kFalse;
      return ((a | b) & decides) | (a & b & other);
    }
    const bool arithmetic = op == "+" || op == "-" || op == "*" || op == "/" || op == "//" || op == "%";
    if (arithmetic) return kOther;
    // Of two literals of one kind the texts decide.
    const Term &a = ast_[left], &b = ast_[right];
    const bool literals = a.kind == b.kind && (a.kind == TermKind::integer || a.kind == TermKind::boolean);
    if (literals && (op == "==" || op == "!=")) return (a.text == b.text) == (op == "==") ? kTrue : kFalse;
    return kTruth;
  }

  unsigned call(const Term& term) {
    const Callee& callee = ast_.callees[term.callee];
    if (callee.kind == CalleeKind::dotted && callee.text == "torch.device") return kOther;
    if (callee.kind != CalleeKind::implicit) return kNode;
    const Definition* definition = in_.names.find(callee.text);
    if (definition != nullptr) return kAnything;
    if (kinds_.contains(callee.text) || in_.find_function(callee.text) != nullptr) return kAnything;
    const BuiltinInfo* builtin = find_builtin(callee.text);
    return builtin != nullptr ? of_builtin(builtin->id) : static_cast<unsigned>(kNode);
  }

  const CheckInput& in_;
  const Ast& ast_;
  std::unordered_map<std::string_view, unsigned> kinds_;  // of the variables of one item
};

}  // namespace

void check_kinds(const CheckInput& input) { KindCheck(input).run(); }

}  // namespace fxrules::dsl
