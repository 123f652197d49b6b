#include "dsl/term_builder.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "dsl/utf8.hpp"

namespace fxrules::dsl {
namespace {

// How tightly operators bind, as in Python.
enum Precedence : std::uint8_t { kAnything, kOr, kAnd, kNot, kComparison, kSum, kProduct, kNegation };

Precedence precedence_of(std::string_view op) {
  if (op == "or") return kOr;
  if (op == "and") return kAnd;
  if (op == "+" || op == "-") return kSum;
  if (op == "*" || op == "/" || op == "//" || op == "%") return kProduct;
  return kComparison;
}

Range joined(Range a, Range b) { return {a.begin, b.end}; }

bool is_number(const Term& term) { return term.kind == TermKind::integer || term.kind == TermKind::floating; }

TermKind kind_of_number(std::string_view text) {
  if (text.back() == 'j') return TermKind::complex;
  return text.find_first_of(".eE") == std::string_view::npos ? TermKind::integer : TermKind::floating;
}

// Names that are literals.
TermKind kind_of_name(std::string_view text) {
  static constexpr std::pair<std::string_view, TermKind> kLiterals[] = {
      {"_", TermKind::wildcard},   {"True", TermKind::boolean},      {"False", TermKind::boolean},
      {"None", TermKind::none},    {"Ellipsis", TermKind::ellipsis}, {"unknown", TermKind::unknown},
      {"inf", TermKind::floating}, {"nan", TermKind::floating},
  };
  for (const auto& [name, kind] : kLiterals)
    if (text == name) return kind;
  return TermKind::name;
}

bool is_field(std::string_view name) { return name == "start" || name == "stop" || name == "step"; }

}  // namespace

// ---- questions

bool TermBuilder::plain_name() const {
  const Term& term = top();
  return term.kind == TermKind::name && term.annotation.empty();
}

bool TermBuilder::is_binder() const {
  const bool in_slice = frames_.back().colons.end != 0;
  if (!pattern_ || in_slice || !plain_name()) return false;
  const TermKind kind = kind_of_name(top().text);
  return kind == TermKind::name || kind == TermKind::wildcard;
}

bool TermBuilder::is_bindable() const {
  const Frame& frame = frames_.back();
  const Term& term = ast_[operands_[frame.operands - 1]];
  return term.kind == TermKind::name && term.text != "root" && kind_of_name(term.text) == TermKind::name;
}

bool TermBuilder::is_keyword() const {
  return operands_.back() != kNoTerm && (plain_name() || top().kind == TermKind::constant);
}

bool TermBuilder::is_op_set() const {
  const Term& set = top();
  const auto first = ast_.children.begin() + set.first;
  return std::all_of(first, first + set.count, [this](TermId id) { return ast_[id].kind == TermKind::op; });
}

bool TermBuilder::is_unchained() const {
  for (std::size_t i = operators_.size(); i-- > frames_.back().operators;) {
    if (operators_[i].precedence == kComparison) return false;
    if (operators_[i].precedence < kComparison) return true;
  }
  return true;
}

bool TermBuilder::fits_64_bits() const {
  const Term& term = top();
  if (term.kind != TermKind::integer) return true;
  std::uint64_t value = 0;
  const char* end = term.text.data() + term.text.size();
  if (std::from_chars(term.text.data(), end, value).ec != std::errc()) return false;
  constexpr std::uint64_t kSmallest = std::uint64_t{1} << 63;
  if (value != kSmallest) return value < kSmallest;
  // -9223372036854775808 is one literal: see reduce_unary.
  return !operators_.empty() && operators_.back().unary && operators_.back().range.end == term.range.begin;
}

bool TermBuilder::is_utf8() const { return fxrules::dsl::is_utf8(slice_of(top().range)); }

// ---- operands

TermId TermBuilder::push(TermKind kind, Range range, std::string_view text) {
  const auto id = static_cast<TermId>(ast_.terms.size());
  Term& term = ast_.terms.emplace_back();
  term.kind = kind;
  term.range = range;
  term.text = text;
  depths_.push_back(1);
  operands_.push_back(id);
  return id;
}

void TermBuilder::path(Range range) {
  const std::string_view text = slice_of(range);
  if (text.find('<') != std::string_view::npos) {
    const TermId id = push(TermKind::op, range, text);
    ast_.terms[id].callee = add_callee(CalleeKind::holes, range);
    return;
  }
  const bool dotted = text.find('.') != std::string_view::npos;
  push(dotted ? TermKind::constant : TermKind::name, range, text);
}

void TermBuilder::plain_path() {
  Term& term = top();
  if (term.kind == TermKind::name) term.kind = kind_of_name(term.text);
  if (term.kind != TermKind::constant) return;
  const std::size_t dot = term.text.rfind('.');
  const bool plain_base = term.text.find('.') == dot;
  if (!plain_base || !is_field(term.text.substr(dot + 1))) return;
  const std::string_view base = term.text.substr(0, dot);
  const std::string_view field = term.text.substr(dot + 1);
  const Range range = term.range;
  term.kind = TermKind::name;
  term.text = base;
  term.range.end = range.begin + static_cast<std::uint32_t>(dot);
  wrap(TermKind::field, range, 1, field);
}

void TermBuilder::any(Range range) {
  const TermId id = push(TermKind::op, range, slice_of(range));
  ast_.terms[id].callee = add_callee(CalleeKind::any, range);
}

void TermBuilder::member_op(Range range) {
  const std::string_view text = slice_of(range);
  const bool holes = text.find('<') != std::string_view::npos;
  const std::size_t dot = text.find('.');
  const CalleeKind kind = holes                           ? CalleeKind::holes
                          : dot == 0                      ? CalleeKind::method
                          : dot == std::string_view::npos ? CalleeKind::implicit
                                                          : CalleeKind::dotted;
  const TermId id = push(TermKind::op, range, text);
  ast_.terms[id].callee = add_callee(kind, range);
}

void TermBuilder::number(Range range) {
  const std::string_view text = slice_of(range);
  push(kind_of_number(text), range, text);
}

void TermBuilder::negative_member(Range range) {
  Term& term = top();
  term.range.begin = range.begin;
  term.text = slice_of(term.range);
}

void TermBuilder::string(Range range) { push(TermKind::string, range, slice_of(range)); }

void TermBuilder::text_piece(Range range) { push(TermKind::string, range, slice_of(range)); }

void TermBuilder::rest(Range range) { push(TermKind::rest, range, {}); }

void TermBuilder::spread(Range range) {
  Term& term = top();
  const Range whole = joined(term.range, range);
  if (!plain_name() && term.kind != TermKind::wildcard) return wrap(TermKind::rest, whole, 1, {});
  if (term.kind == TermKind::wildcard) term.text = {};
  term.kind = TermKind::rest;
  term.range = whole;
}

void TermBuilder::colon(Range range) {
  Range& colons = frames_.back().colons;
  if (colons.end == 0) colons.begin = range.begin;
  colons.end = range.begin + 1;
}

void TermBuilder::slice() {
  const TermId lower = operands_[operands_.size() - 3];
  Range range = frames_.back().colons;
  if (lower != kNoTerm) range.begin = range_of(lower).begin;
  for (std::size_t i = operands_.size() - 2; i < operands_.size(); ++i)
    if (operands_[i] != kNoTerm) range.end = std::max(range.end, range_of(operands_[i]).end);
  wrap(TermKind::slice, range, 3, {});
  frames_.back().colons = {};
}

void TermBuilder::annotate() {
  Term& term = top();
  if (term.text == "_") term.kind = TermKind::wildcard;
  term.annotation = slice_of(kind_);
  term.annotation_range = kind_;
  term.range.end = kind_.end;
}

// ---- operators

void TermBuilder::prefix(Range range) {
  const std::string_view text = slice_of(range);
  operators_.push_back({text, range, text == "-" ? kNegation : kNot, true});
}

void TermBuilder::infix(Range range) {
  std::string_view text = slice_of(range);
  if (text.size() > 3 && text.starts_with("not")) text = "not in";
  const Precedence precedence = precedence_of(text);
  reduce(precedence);
  operators_.push_back({text, range, precedence, false});
}

void TermBuilder::end_expression() { reduce(kAnything); }

// Applies the waiting operators that bind at least as tightly.
void TermBuilder::reduce(std::uint8_t precedence) {
  while (operators_.size() > frames_.back().operators && operators_.back().precedence >= precedence) {
    const Operator op = operators_.back();
    operators_.pop_back();
    if (op.unary)
      reduce_unary(op);
    else
      reduce_binary(op);
  }
}

void TermBuilder::reduce_unary(const Operator& op) {
  Term& term = top();
  const Range range = joined(op.range, term.range);
  const bool literal = is_number(term) || term.kind == TermKind::complex;
  if (op.text != "-" || !literal || op.range.end != term.range.begin || term.text.front() == '-')
    return wrap(TermKind::unary, range, 1, op.text);
  term.range = range;
  term.text = slice_of(range);
}

void TermBuilder::reduce_binary(const Operator& op) {
  const TermId left = operands_[operands_.size() - 2];
  const Range range = joined(range_of(left), top().range);
  if (!folds_to_complex(op)) return wrap(TermKind::binary, range, 2, op.text);
  operands_.pop_back();
  top().kind = TermKind::complex;
  top().range = range;
  top().text = slice_of(range);
}

// Python prints a complex number as `(1+2j)`.
bool TermBuilder::folds_to_complex(const Operator& op) const {
  if (op.text != "+" && op.text != "-") return false;
  const Term& right = top();
  const Term& left = ast_[operands_[operands_.size() - 2]];
  return right.kind == TermKind::complex && right.text.front() != '-' && is_number(left) &&
         left.range.end == op.range.begin && op.range.end == right.range.begin;
}

// ---- brackets

void TermBuilder::open(Range range) {
  const auto operands = static_cast<std::uint32_t>(operands_.size());
  frames_.push_back({range, operands, static_cast<std::uint32_t>(operators_.size()), false, false, {}, {}});
}

void TermBuilder::open_call(Range range) {
  open(range);
  frames_.back().commutative = std::exchange(commutative_, false);
}

void TermBuilder::close_call(Range range) {
  const Frame frame = frames_.back();
  frames_.pop_back();
  const TermId id = operands_[frame.operands - 1];
  const Term callee = ast_[id];
  const CalleeKind kind = callee.kind == TermKind::constant ? CalleeKind::dotted : CalleeKind::implicit;
  const std::uint32_t index = callee.kind == TermKind::op ? callee.callee : add_callee(kind, callee.range);
  ast_.callees[index].commutative = frame.commutative;
  Term& term = ast_.terms[id];
  term.kind = TermKind::call;
  term.callee = index;
  term.range.end = range.end;
  adopt(id, frame.operands);
}

void TermBuilder::close(TermKind kind, Range range) {
  const Frame frame = frames_.back();
  frames_.pop_back();
  wrap(kind, joined(frame.range, range), operands_.size() - frame.operands, {});
}

void TermBuilder::close_tuple(Range range) {
  const Frame& frame = frames_.back();
  const bool single = operands_.size() == frame.operands + 1 && !frame.commas;
  if (single && top().kind != TermKind::rest)
    frames_.pop_back();
  else
    close(TermKind::tuple, range);
}

void TermBuilder::close_index(Range range) {
  const Frame frame = frames_.back();
  frames_.pop_back();
  const std::size_t count = operands_.size() - frame.operands;
  if (frame.commas || count != 1) {
    const std::uint32_t begin = range_of(operands_[frame.operands]).begin;
    wrap(TermKind::tuple, {begin, top().range.end}, count, {});
  }
  wrap(TermKind::index, joined(range_of(operands_[frame.operands - 1]), range), 2, {});
}

void TermBuilder::field(Range range) { wrap(TermKind::field, joined(top().range, range), 1, slice_of(range)); }

void TermBuilder::close_bind() {
  const Frame frame = frames_.back();
  frames_.pop_back();
  const TermId pattern = operands_.back();
  const Term& name = ast_[operands_[frame.operands - 1]];
  const Range range = joined(name.range, range_of(pattern));
  const std::string_view text = name.text;
  operands_[frame.operands - 1] = pattern;
  operands_.pop_back();
  wrap(TermKind::bind, range, 1, text);
}

void TermBuilder::call_set() {
  const TermId id = operands_.back();
  const Term set = ast_[id];
  const std::uint32_t callee = add_callee(CalleeKind::set, set.range);
  for (std::uint32_t i = 0; i < set.count; ++i)
    ast_.callees[callee].members.push_back(ast_[ast_.children[set.first + i]].callee);
  Term& term = ast_.terms[id];
  term.kind = TermKind::op;
  term.callee = callee;
  term.text = slice_of(set.range);
  term.first = term.count = 0;
}

void TermBuilder::keyword() {
  frames_.back().keyword = top().range;
  operands_.pop_back();
}

void TermBuilder::argument() {
  Frame& frame = frames_.back();
  const Range keyword = std::exchange(frame.keyword, {});
  Range range = top().range;
  if (keyword.end != 0) range.begin = keyword.begin;
  wrap(TermKind::argument, range, 1, slice_of(keyword));
}

// ---- shared parts

TermId TermBuilder::take() {
  const TermId id = operands_.back();
  operands_.pop_back();
  return id;
}

TermId TermBuilder::make_tuple(const std::vector<TermId>& elements) {
  operands_.insert(operands_.end(), elements.begin(), elements.end());
  wrap(TermKind::tuple, joined(range_of(elements.front()), range_of(elements.back())), elements.size(), {});
  return take();
}

void TermBuilder::adopt(TermId id, std::size_t base) {
  Term& term = ast_.terms[id];
  term.first = static_cast<std::uint32_t>(ast_.children.size());
  term.count = static_cast<std::uint32_t>(operands_.size() - base);
  std::uint16_t depth = 0;
  for (std::size_t i = base; i < operands_.size(); ++i) {
    ast_.children.push_back(operands_[i]);
    if (operands_[i] != kNoTerm) depth = std::max(depth, depths_[operands_[i]]);
  }
  operands_.resize(base);
  depths_[id] = std::min<std::uint16_t>(depth + 1, kMaxTermDepth + 1);
  too_deep_ = too_deep_ || depths_[id] > kMaxTermDepth;
}

void TermBuilder::wrap(TermKind kind, Range range, std::size_t children, std::string_view text) {
  const std::size_t base = operands_.size() - children;
  const TermId id = push(kind, range, text);
  operands_.pop_back();
  adopt(id, base);
  operands_.push_back(id);
}

std::uint32_t TermBuilder::add_callee(CalleeKind kind, Range range) {
  Callee& callee = ast_.callees.emplace_back();
  callee.kind = kind;
  callee.range = range;
  callee.text = slice_of(range);
  if (kind == CalleeKind::holes) split_holes(callee);
  return static_cast<std::uint32_t>(ast_.callees.size() - 1);
}

// `aten.<f: Set>_` is the text `aten.`, the hole f of Set, and the text `_`.
void TermBuilder::split_holes(Callee& callee) const {
  const auto piece = [&](std::size_t begin, std::size_t end) {
    return Range{callee.range.begin + static_cast<std::uint32_t>(begin),
                 callee.range.begin + static_cast<std::uint32_t>(end)};
  };
  std::size_t at = 0;
  while (at < callee.text.size()) {
    const std::size_t hole = std::min(callee.text.find('<', at), callee.text.size());
    if (hole > at) callee.pieces.push_back({callee.text.substr(at, hole - at), false, {}, piece(at, hole)});
    if (hole == callee.text.size()) return;
    const std::size_t close = callee.text.find('>', hole);
    const std::string_view inside = callee.text.substr(hole + 1, close - hole - 1);
    const std::size_t colon = inside.find(':');
    CalleePiece made{inside.substr(0, colon), true, {}, piece(hole, close + 1)};
    if (colon != std::string_view::npos) made.set = inside.substr(inside.find_first_not_of(" \t", colon + 1));
    callee.pieces.push_back(made);
    at = close + 1;
  }
}

void TermBuilder::reset_terms() {
  operands_.clear();
  operators_.clear();
  frames_.assign(1, {});
  depths_.resize(ast_.terms.size());
  too_deep_ = commutative_ = false;
}

}  // namespace fxrules::dsl
