#include "engine/catalogue/index.hpp"

#include <fmt/format.h>

namespace fxrules::catalogue {
namespace {

// Torch 2.13 has 2,400 ops with 4,200 signatures and, as functions and as methods, 2,300 and 800 paths.
constexpr std::size_t expected_ops = 3000;
constexpr std::size_t expected_signatures = 5000;
constexpr std::size_t expected_paths = 2500;
constexpr std::size_t expected_methods = 1000;

bool is_operator(std::string_view target) {
  return target.starts_with("operator.") || target.starts_with("builtins.") || target.starts_with("math.");
}

SpellingStyle style_of(std::string_view target) {
  if (target.starts_with(".__")) return SpellingStyle::dunder;
  if (target.starts_with('.')) return SpellingStyle::method;
  return is_operator(target) ? SpellingStyle::operator_ : SpellingStyle::function;
}

}  // namespace

Index::Index() : op_names_(expected_ops), path_names_(expected_paths), method_names_(expected_methods) {
  ops_.reserve(expected_ops);
  signatures_.reserve(expected_signatures);
  paths_.reserve(expected_paths + expected_methods);
}

void Index::add(std::string_view text, std::vector<IndexError>& errors) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    add_line(text.substr(0, end), errors);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  ++source_;
}

void Index::add_line(std::string_view line, std::vector<IndexError>& errors) {
  std::optional<LineError> error;
  const LineHead head = parse_line_head(line, error);
  if (error) {
    errors.push_back({error->at, error->message});
    return;
  }
  switch (head.kind) {
    case LineKind::blank:
      return;
    case LineKind::schema:
      return add_schema(head);
    case LineKind::python:
      return add_python(head);
    case LineKind::spellings:
      return add_spellings(head, errors);
    case LineKind::facts:
      return add_facts(head, errors);
  }
}

OpId Index::op_for(std::string_view full_name) {
  if (last_op_ && ops_[last_op_.value].full_name == full_name) return last_op_;
  const auto fresh = static_cast<std::uint32_t>(ops_.size());
  last_op_ = OpId(op_names_.at_or_insert(full_name, fresh));
  if (last_op_.value == fresh) {
    OpRecord record;
    record.full_name = full_name;
    ops_.push_back(record);
  }
  return last_op_;
}

void Index::append(OpId op, SignatureRecord record) {
  const OverloadId id(static_cast<std::uint32_t>(signatures_.size()));
  OpRecord& owner = ops_[op.value];
  record.op = op;
  record.source = source_;
  signatures_.push_back(record);
  if (owner.last) {
    signatures_[owner.last.value].next = id;
  } else {
    owner.first = id;
  }
  owner.last = id;
}

void Index::add_schema(const LineHead& head) {
  const OpId op = op_for(head.op);
  for (OverloadId id = ops_[op.value].first; id; id = signatures_[id.value].next) {
    SignatureRecord& known = signatures_[id.value];
    if (known.python || known.name != head.overload) continue;
    known.tags = known.tags | parse_facts(split_body(known.body).facts).tags;  // what was known of it stays true
    known.body = head.body;
    known.source = source_;
    return;
  }
  SignatureRecord record;
  record.name = head.overload;
  record.body = head.body;
  append(op, record);
}

void Index::add_python(const LineHead& head) {
  const OpId op = op_for(head.op);
  for (OverloadId id = ops_[op.value].first; id; id = signatures_[id.value].next) {
    SignatureRecord& known = signatures_[id.value];
    if (known.python && known.name == head.target && known.source != source_) known.replaced = true;
  }
  SignatureRecord record;
  record.name = head.target;
  record.body = head.body;
  record.python = true;
  append(op, record);
  PathRecord& path = path_for(head.target);
  path.plain = path.plain && path.op == op && path.source == source_;
  path.op = op;
  prefer(op, path);
}

PathRecord& Index::path_for(std::string_view target) {
  const bool method = target.starts_with('.');
  const std::string_view key = method ? target.substr(1) : target;
  const auto fresh = static_cast<std::uint32_t>(paths_.size());
  const std::uint32_t place = (method ? method_names_ : path_names_).at_or_insert(key, fresh);
  if (place == fresh) {
    PathRecord record;
    record.target = key;
    record.style = style_of(target);
    paths_.push_back(record);
  }
  return paths_[place];
}

void Index::prefer(OpId op, const PathRecord& path) {
  OpRecord& record = ops_[op.value];
  const auto keep_first = [&](std::string_view& slot) {
    if (slot.empty()) slot = path.target;
  };
  if (path.style == SpellingStyle::method) keep_first(record.method);
  if (path.style == SpellingStyle::function) keep_first(record.function);
  if (path.style == SpellingStyle::operator_) keep_first(record.operator_);
}

void Index::add_spellings(const LineHead& head, std::vector<IndexError>& errors) {
  const OpId op = op_for(head.op);
  std::string_view names = head.names;
  for (std::string_view word = next_word(names); !word.empty(); word = next_word(names)) {
    const auto at_sign = word.find('@');
    const bool reflected = word.ends_with('~');
    PathRecord& path = path_for(word.substr(0, reflected ? word.size() - 1 : at_sign));
    path.op = op;
    path.reflected = reflected;
    if (at_sign != std::string_view::npos) {
      path.printed = word.substr(at_sign + 1);
    } else {
      path.plain = true;
      path.source = source_;
      prefer(op, path);
    }
  }
  const Facts facts = parse_facts(head.facts);
  if (!facts.unknown.empty()) errors.push_back({facts.unknown, fmt::format("unknown fact `{}`", facts.unknown)});
  add_op_facts(op, facts);
}

void Index::add_facts(const LineHead& head, std::vector<IndexError>& errors) {
  const Facts facts = parse_facts(head.facts);
  if (!facts.unknown.empty()) errors.push_back({facts.unknown, fmt::format("unknown fact `{}`", facts.unknown)});
  std::string_view names = head.names;
  if (head.facts.empty()) {
    op_for(next_word(names));
    return;
  }
  for (std::string_view word = next_word(names); !word.empty(); word = next_word(names)) {
    add_facts_of(word, facts, errors);
  }
}

void Index::add_facts_of(std::string_view name, const Facts& facts, std::vector<IndexError>& errors) {
  const OverloadName parts = split_overload(name);
  if (parts.op.ends_with("::*")) {
    namespaces_.push_back({parts.op.substr(0, parts.op.size() - 3), facts.tags});
  } else if (!find_op(parts.op)) {
    errors.push_back({name, fmt::format("no line before this one declares `{}`", parts.op)});
  } else if (parts.overload.empty()) {
    add_op_facts(op_for(parts.op), facts);
  } else {
    add_overload_tags(op_for(parts.op), parts.overload, facts, name, errors);
  }
}

void Index::add_op_facts(OpId op, const Facts& facts) {
  OpRecord& record = ops_[op.value];
  record.tags = record.tags | facts.tags;
  if (!facts.functional.empty()) record.functional = facts.functional;
  if (!facts.role.empty()) roles_.push_back({facts.role, op});
  if (facts.graph_call) graph_calls_[op.value] = *facts.graph_call;
}

void Index::add_overload_tags(OpId op, std::string_view overload, const Facts& facts, std::string_view at,
                              std::vector<IndexError>& errors) {
  for (OverloadId id = ops_[op.value].first; id; id = signatures_[id.value].next) {
    SignatureRecord& known = signatures_[id.value];
    if (known.python || known.name != overload) continue;
    known.tags = known.tags | facts.tags;
    return;
  }
  errors.push_back({at, fmt::format("`{}` has no overload `{}`", ops_[op.value].full_name, overload)});
}

std::optional<OpId> Index::find_op(std::string_view full_name) const {
  const auto place = op_names_.find(full_name);
  return place ? std::optional(OpId(*place)) : std::nullopt;
}

const PathRecord* Index::find_path(std::string_view target) const {
  const auto place = path_names_.find(target);
  return place ? &paths_[*place] : nullptr;
}

const PathRecord* Index::find_method(std::string_view name) const {
  const auto place = method_names_.find(name);
  return place ? &paths_[*place] : nullptr;
}

OpTag Index::namespace_tags(std::string_view name_space) const {
  OpTag tags = OpTag::none;
  for (const NamespaceTags& entry : namespaces_) {
    if (entry.name_space == name_space) tags = tags | entry.tags;
  }
  return tags;
}

const GraphCall* Index::graph_call(OpId op) const {
  const auto found = graph_calls_.find(op.value);
  return found == graph_calls_.end() ? nullptr : &found->second;
}

std::optional<OpId> Index::role(std::string_view name) const {
  for (auto role = roles_.rbegin(); role != roles_.rend(); ++role) {
    if (role->name == name) return role->op;
  }
  return std::nullopt;
}

}  // namespace fxrules::catalogue
