#include "dsl/callee.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace fxrules::dsl {

using program::Index;
using program::kNone;
using program::NamePiece;
using program::OpPattern;
using program::OpPatternKind;

namespace {

bool has_name_space(const Catalogue& catalogue, std::string_view space) {
  for (std::uint32_t op = 0; op < catalogue.op_count(); ++op) {
    if (catalogue.op_namespace(OpId(op)) == space) return true;
  }
  return false;
}

}  // namespace

Definitions::Definitions(const Scope& scope, program::RuleSet& rules) : scope_(&scope), rules_(&rules) {}

const Definition* Definitions::find(const Ast& from, std::string_view name) {
  auto names = names_.find(&from);
  if (names == names_.end()) {
    const auto visible = scope_->visible.find(&from);
    names =
        names_.emplace(&from, VisibleNames(visible == scope_->visible.end() ? scope_->trees : visible->second)).first;
  }
  return names->second.find(name);
}

const Param* Definitions::find_param(const Ast& from, std::string_view name, const Ast** tree) {
  const Definition* found = find(from, name);
  if (found == nullptr || found->kind != DefinitionKind::param) return nullptr;
  if (tree != nullptr) *tree = found->tree;
  return &found->tree->params[found->index];
}

Definitions::SetRef Definitions::find_set(const Ast& from, std::string_view name) {
  const Definition* found = find(from, name);
  if (found == nullptr) return {};
  if (found->kind == DefinitionKind::set) return {found->tree, &found->tree->sets[found->index], nullptr};
  if (found->kind != DefinitionKind::param) return {};
  const Param& param = found->tree->params[found->index];
  return param.type == "set" ? SetRef{found->tree, nullptr, &param} : SetRef{};
}

const Definitions::Helper* Definitions::helper(const Definition& definition, std::string_view name) {
  const auto [found, fresh] = helpers_.try_emplace({definition.tree, name});
  Helper& helper = found->second;
  if (!fresh) return &helper;
  helper.tree = definition.tree;
  const auto& all = definition.kind == DefinitionKind::def ? definition.tree->defs : definition.tree->patterns;
  for (auto equation = all.begin() + definition.index; equation != all.end(); ++equation) {
    if (equation->name == name) helper.equations.push_back(&*equation);
  }
  return &helper;
}

const Definitions::Helper* Definitions::find_def(const Ast& from, std::string_view name) {
  const Definition* found = find(from, name);
  return found != nullptr && found->kind == DefinitionKind::def ? helper(*found, name) : nullptr;
}

const Definitions::Helper* Definitions::find_pattern(const Ast& from, std::string_view name) {
  const Definition* found = find(from, name);
  return found != nullptr && found->kind == DefinitionKind::pattern ? helper(*found, name) : nullptr;
}

Index Definitions::pattern(const Helper& helper) {
  const auto [found, fresh] = patterns_.try_emplace(&helper, static_cast<Index>(rules_->patterns.size()));
  if (fresh) {
    rules_->patterns.push_back({std::string(helper.equations.front()->name), {}});
    new_patterns_.emplace_back(found->second, &helper);
  }
  return found->second;
}

Index Definitions::op_set(std::vector<Index> members, std::string text) {
  OpPattern set;
  set.kind = OpPatternKind::set;
  set.members = std::move(members);
  set.text = std::move(text);
  return add(std::move(set));
}

Index Definitions::add(OpPattern pattern) {
  // Keyed by everything that tells patterns apart; the text alone would confuse `<f>_` with `<f: S>_`.
  std::string key = fmt::format("{}|{}|{}|{}|{}", static_cast<int>(pattern.kind), pattern.op.value,
                                static_cast<int>(pattern.opcode), pattern.target, fmt::join(pattern.members, ","));
  for (const NamePiece& p : pattern.pieces) key += fmt::format("|{}{}:{}", p.hole ? "<" : "", p.text, p.set);
  const auto [found, fresh] =
      patterns_by_text_.try_emplace(std::move(key), static_cast<Index>(rules_->op_patterns.size()));
  if (fresh) rules_->op_patterns.push_back(std::move(pattern));
  return found->second;
}

Index Definitions::op_pattern(std::string_view spelled) {
  OpPattern pattern;
  pattern.text = spelled;
  const bool method = spelled.starts_with('.');
  const bool dotted = !method && spelled.find('.') != std::string_view::npos;
  if (method) {
    pattern.kind = OpPatternKind::exact;
    pattern.opcode = Opcode::call_method;
    pattern.target = spelled.substr(1);
  } else if (!dotted) {
    const auto op = catalogue().find_op(spelled);
    if (!op) return kNone;
    pattern.kind = OpPatternKind::op;
    pattern.op = *op;
  } else {
    pattern.kind = OpPatternKind::exact;
    pattern.target = full_target(catalogue(), spelled);
    const auto spelling = catalogue().resolve(Opcode::call_function, pattern.target);
    if (spelling && spelling->style == SpellingStyle::aten_packet) {
      pattern.kind = OpPatternKind::packet;
      pattern.op = spelling->op;
    }
  }
  return add(std::move(pattern));
}

Index Definitions::op_pattern(const Ast& tree, std::uint32_t index) {
  const Callee& callee = tree.callees[index];
  switch (callee.kind) {
    case CalleeKind::any: {
      OpPattern pattern;
      pattern.text = "*";
      return add(std::move(pattern));
    }
    case CalleeKind::implicit: {
      const SetRef set = find_set(tree, callee.text);
      if (set.tree != nullptr) return set_pattern(set);
      [[fallthrough]];
    }
    case CalleeKind::method:
    case CalleeKind::dotted: {
      const auto [known, fresh] = spelled_.try_emplace(callee.text, kNone);
      if (fresh) known->second = op_pattern(callee.text);
      return known->second;
    }
    case CalleeKind::set: {
      OpPattern pattern;
      pattern.kind = OpPatternKind::set;
      pattern.text = callee.text;
      for (const std::uint32_t m : callee.members) {
        const Index member = op_pattern(tree, m);
        if (member != kNone) pattern.members.push_back(member);
      }
      return add(std::move(pattern));
    }
    case CalleeKind::holes:
      break;
  }
  OpPattern pattern;
  pattern.text = callee.text;
  for (const CalleePiece& p : callee.pieces) {
    NamePiece piece{std::string(p.text), p.hole, kNone};
    if (!p.set.empty()) piece.set = set_pattern(find_set(tree, p.set));
    pattern.pieces.push_back(std::move(piece));
  }
  const auto& pieces = pattern.pieces;
  const bool dotted = std::any_of(pieces.begin(), pieces.end(),
                                  [](const NamePiece& p) { return !p.hole && p.text.find('.') != std::string::npos; });
  if (dotted) {
    pattern.kind = OpPatternKind::target;
    if (!pieces.front().hole) {
      const std::string_view head = pieces.front().text;
      const std::string_view space = head.substr(0, head.find('.'));
      if (has_name_space(catalogue(), space)) pattern.pieces.front().text = "torch.ops." + pieces.front().text;
    }
  } else if (pieces.size() == 1) {
    pattern.kind = OpPatternKind::any_op;
  } else if (pieces.size() == 2 && pieces[0].hole && pieces[1].text == "_") {
    pattern.kind = OpPatternKind::in_place;
  } else {
    pattern.kind = OpPatternKind::name;
  }
  return add(std::move(pattern));
}

Index Definitions::set_pattern(const SetRef& ref, bool ops_only) {
  OpPattern pattern;
  pattern.kind = OpPatternKind::set;
  const std::string_view name = ref.set != nullptr ? ref.set->name : ref.param->name;
  pattern.text = name;
  const auto override_text = ref.param != nullptr ? scope_->params.find(name) : scope_->params.end();
  if (override_text != scope_->params.end()) {
    for (const std::string& member : split_set_text(override_text->second)) {
      Index op = op_pattern(member);
      // `add.Tensor` in a set given on the command line means aten's.
      if (member.find('.') != std::string::npos && !member.starts_with('.')) {
        const std::string aten = "aten." + member;
        if (catalogue().resolve(Opcode::call_function, "torch.ops." + aten)) op = op_pattern(aten);
      }
      if (op == kNone) {
        if (!ops_only) continue;
        diagnostics_.push_back(
            {Severity::error, "unknown-op", fmt::format("-D {}: no op is called `{}`", name, member), {}, {}});
        continue;
      }
      pattern.members.push_back(op);
    }
    return add(std::move(pattern));
  }
  const Term& set = (*ref.tree)[ref.set != nullptr ? ref.set->value : ref.param->value];
  for (std::uint32_t i = 0; i < set.count; ++i) {
    const Term& m = (*ref.tree)[ref.tree->children[set.first + i]];
    if (m.kind != TermKind::op) continue;
    const Index member = op_pattern(*ref.tree, m.callee);
    if (member != kNone) pattern.members.push_back(member);
  }
  return add(std::move(pattern));
}

std::string full_target(const Catalogue& catalogue, std::string_view dotted) {
  if (dotted.starts_with("torch.") || dotted.starts_with("operator.") || dotted.starts_with("builtins.")) {
    return std::string(catalogue.printed_target(dotted));  // F.linear prints as torch._C._nn.linear
  }
  std::string ops = fmt::format("torch.ops.{}", dotted);
  if (catalogue.resolve(Opcode::call_function, ops)) return ops;
  return std::string(dotted);
}

std::vector<std::string> split_set_text(std::string_view text) {
  std::vector<std::string> members;
  std::string current;
  const auto flush = [&] {
    if (!current.empty()) members.push_back(std::move(current));
    current.clear();
  };
  for (const char c : text) {
    if (c == ',' || c == ' ' || c == '{' || c == '}' || c == '\t') {
      flush();
    } else if (c != '"' && c != '\'') {
      current += c;
    }
  }
  flush();
  return members;
}

}  // namespace fxrules::dsl
