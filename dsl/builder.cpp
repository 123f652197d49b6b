#include "dsl/builder.hpp"

#include <algorithm>
#include <utility>

namespace fxrules::dsl {
namespace {

bool opens(char c) { return c == '(' || c == '['; }
bool closes(char c) { return c == ')' || c == ']'; }
bool ends_word(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '}' || c == ',' || c == '#' || c == '=';
}

}  // namespace

std::size_t metadata_length(std::string_view text) {
  std::size_t depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n' && depth != 0) return 0;
    if (opens(text[i])) ++depth;
    if (closes(text[i]) && depth-- == 0) return i;
    if (depth == 0 && ends_word(text[i])) return i;
  }
  return depth == 0 ? text.size() : 0;
}

void Builder::begin_item(Range range) {
  item_ = range;
  sizes_ = {ast_.terms.size(), ast_.children.size(), ast_.callees.size()};
  message_ = guard_ = as_ = body_ = op_head_ = kNoTerm;
  is_error_ = false;
  rule_ = {};
  phase_ = {};
  test_ = {};
  alternatives_.clear();
  graphs_.clear();
  set_pattern(true);
}

void Builder::abandon_item() {
  ast_.terms.resize(sizes_.terms);
  ast_.children.resize(sizes_.children);
  ast_.callees.resize(sizes_.callees);
  reset_terms();
}

std::string_view Builder::unquoted(TermId string) const {
  const std::string_view text = ast_[string].text;
  return text.substr(1, text.size() - 2);
}

void Builder::white_space(Range range) {
  if (range.begin != space_end_) token_end_ = range.begin;
  space_end_ = range.end;
}

Range Builder::trimmed(Range range) const {
  return {range.begin, std::max(range.begin, std::min(range.end, token_end_))};
}

// ---- right sides

void Builder::arrow(Range range) {
  set_pattern(false);
  alternative_ = {};
  guard_ = kNoTerm;
  alternative_.range.begin = range.begin;
}

void Builder::result(ResultKind kind, TermId term, Range range) {
  alternative_.result.kind = kind;
  alternative_.result.term = term;
  alternative_.result.range = trimmed(range);
}

void Builder::binding_value() {
  const TermId value = take();
  const Range range{name_.begin, range_of(value).end};
  alternative_.result.bindings.push_back({slice_of(name_), name_, value, kNoTerm, range});
}

void Builder::end_alternative(Range range) {
  alternative_.guard = std::exchange(guard_, kNoTerm);
  alternative_.range = trimmed(range);
  alternatives_.push_back(std::move(alternative_));
}

// ---- items

void Builder::label(Range range) {
  const std::string_view text = slice_of(range);
  const std::size_t length = text.find_first_of(" \t:");
  rule_.label = text.substr(0, length);
  rule_.label_range = {range.begin, range.begin + static_cast<std::uint32_t>(length)};
}

void Builder::pattern_root() {
  const TermId pattern = take();
  rule_.roots.push_back({{}, {}, pattern, range_of(pattern)});
}

void Builder::root_binding(Range range) { rule_.roots.push_back({slice_of(name_), name_, take(), trimmed(range)}); }

void Builder::end_head(Range range) { rule_.head = trimmed(range); }

void Builder::rule() {
  if (!rule_.label.empty()) rule_.head = rule_.label_range;
  rule_.phase = static_cast<std::uint32_t>(ast_.phases.size() - 1);
  rule_.alternatives = std::move(alternatives_);
  rule_.as = as_;
  rule_.range = item_range();
  ast_.rules.push_back(std::move(rule_));
}

void Builder::add_import(bool catalogue) {
  const TermId path = take();
  ast_.imports.push_back({unquoted(path), catalogue, range_of(path)});
}

void Builder::param() { ast_.params.push_back({slice_of(name_), slice_of(type_), take(), item_range(), name_, type_}); }

void Builder::set() { ast_.sets.push_back({slice_of(name_), take(), item_range(), name_}); }

void Builder::phase_word(Range range) {
  const std::string_view word = slice_of(range);
  if (word == "once")
    phase_.once = true;
  else if (word == "forward")
    phase_.order = Order::forward;
  else if (word == "reverse")
    phase_.order = Order::reverse;
  else
    phase_.unknown_words.push_back(range);
}

void Builder::phase() {
  phase_.name = slice_of(name_);
  phase_.name_range = name_;
  phase_.as = as_;
  phase_.range = item_range();
  ast_.phases.push_back(std::move(phase_));
}

void Builder::equation_name(Range range) {
  equation_name_ = range;
  path(range);
}

Equation Builder::equation() {
  Equation made;
  made.name = slice_of(equation_name_);
  made.name_range = equation_name_;
  made.body = body_;
  made.is_error = is_error_;
  made.guard = guard_;
  made.range = item_range();
  const Term& head = ast_[take()];
  for (std::uint32_t i = 0; i < head.count; ++i) {
    const TermId argument = ast_.children[head.first + i];
    const bool positional = ast_[argument].text.empty();
    made.parameters.push_back(positional ? ast_.children[ast_[argument].first] : argument);
  }
  return made;
}

void Builder::meta() { ast_.metas.push_back({op_head_, body_, is_error_, guard_, item_range()}); }

void Builder::inverse() {
  ast_.inverses.push_back({op_head_, slice_of(inverse_value_), inverse_value_, std::move(alternatives_), item_range()});
}

// ---- tests

void Builder::statement_name(Range range) {
  statement_ = {};
  statement_.name = slice_of(range);
  statement_.name_range = range;
  statement_.range = range;
}

void Builder::metadata(Range range) {
  const Range whole = trimmed(range);
  const std::uint32_t blanks = static_cast<std::uint32_t>(slice_of(whole).find_first_not_of(" \t\r\n", 1));
  statement_.meta_range = {whole.begin + blanks, whole.end};
  statement_.meta = slice_of(statement_.meta_range);
}

void Builder::statement(Range range) {
  statement_.range = trimmed(range);
  test_.graphs[graphs_.back()].statements.push_back(std::move(statement_));
}

void Builder::begin_return() {
  statement_ = {};
  statement_.kind = StatementKind::returns;
  returned_.clear();
}

void Builder::returns(Range range) {
  statement_.value = returned_.front();
  if (statement_.tuple) statement_.value = make_tuple(returned_);
  statement(range);
}

void Builder::open_graph(Range range) {
  const auto index = static_cast<std::uint32_t>(test_.graphs.size());
  if (!graphs_.empty()) {
    Statement nested;
    nested.kind = StatementKind::graph;
    nested.name = slice_of(name_);
    nested.name_range = nested.range = name_;
    nested.graph = index;
    test_.graphs[graphs_.back()].statements.push_back(std::move(nested));
  }
  TestGraph& graph = test_.graphs.emplace_back();
  if (!graphs_.empty()) graph.name = slice_of(name_);
  graph.range.begin = range.begin;
  graphs_.push_back(index);
  open(range);
}

void Builder::close_graph(Range range) {
  close_hole(range);
  test_.graphs[graphs_.back()].range.end = range.end;
  last_graph_ = graphs_.back();
  graphs_.pop_back();
}

void Builder::before() {
  test_.before = last_graph_;
  test_.has_before = true;
}

void Builder::after() { test_.after = static_cast<std::int32_t>(last_graph_); }

void Builder::because() {
  const TermId reason = take();
  test_.because = unquoted(reason);
  test_.because_range = range_of(reason);
}

void Builder::check(Range range) {
  const TermId condition = take();
  const Term& term = ast_[condition];
  const bool equation = term.kind == TermKind::binary && term.text == "==";
  const TermId left = equation ? ast_.children[term.first] : condition;
  const TermId right = equation ? ast_.children[term.first + 1] : kNoTerm;
  test_.checks.push_back({left, right, trimmed(range)});
}

void Builder::test() {
  test_.name = unquoted(test_name_);
  test_.name_range = range_of(test_name_);
  test_.range = item_range();
  ast_.tests.push_back(std::move(test_));
}

}  // namespace fxrules::dsl
