// One loop over items; each character is looked at once, but for short looks ahead that a limit bounds.
#include "formats/code/values.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "formats/python_literals.hpp"
#include "formats/text_ir/atoms.hpp"

namespace fxrules::code {
namespace {

using text_ir::is_digit;
using text_ir::is_letter;
using text_ir::is_name;

constexpr std::size_t kNowhere = std::string_view::npos;
// Of looks ahead: what is longer is no size and no object's repr.
constexpr std::size_t kAhead = 4096;

constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
constexpr char closing_of(char open) { return open == '(' ? ')' : open == '[' ? ']' : '}'; }
constexpr bool is_closing(char c) { return c == ')' || c == ']' || c == '}'; }

// Functions of sizes, as sympy and torch name them.
bool is_size_function(std::string_view name) {
  static constexpr std::string_view kNames[] = {
      "Min",      "Max",      "Mod",     "FloorDiv",   "PythonMod",    "CeilToInt",
      "CeilDiv",  "floor",    "ceiling", "Abs",        "TruncToInt",   "FloorToInt",
      "CleanDiv", "Identity", "ToFloat", "IntTrueDiv", "PowByNatural", "ModularIndexing"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

// A number that Python reads and repr would print otherwise: `1e5`, `0x10`, `1_000`.
bool other_number(std::string_view token, Slot& out) {
  std::string digits;
  for (const char c : token) {
    if (c != '_') digits += c;
  }
  const bool negative = digits.starts_with('-');
  const std::string_view body = std::string_view(digits).substr(negative ? 1 : 0);
  if (body.starts_with("0x") || body.starts_with("0X")) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(body.data() + 2, body.data() + body.size(), value, 16);
    if (error != std::errc() || end != body.data() + body.size() || body.size() < 3) return false;
    out = Slot::of_integer(negative ? -value : value);
    return true;
  }
  if (body.find_first_of(".e") == kNowhere && body.size() > 1 && body[0] == '0') return false;
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (end != digits.data() + digits.size() || error == std::errc::invalid_argument) return false;
  if (body.find_first_of(".eE") == kNowhere) {
    std::int64_t whole = 0;
    const auto [last, wrong] = std::from_chars(digits.data(), digits.data() + digits.size(), whole);
    if (wrong != std::errc() || last != end) return false;
    out = Slot::of_integer(whole);
    return true;
  }
  if (error != std::errc()) return false;
  out = Slot::of_floating(value);
  return true;
}

}  // namespace

// ---------------------------------------------------------------- small steps

std::size_t ValueReader::end_of_name(std::size_t at) const {
  while (at < text_.size() && is_name(text_[at])) ++at;
  return at;
}

std::size_t ValueReader::skip_blank(std::size_t at) const {
  while (at < text_.size()) {
    if (text_[at] == '#') {
      at = std::min(text_.find('\n', at), text_.size());
    } else if (is_blank(text_[at])) {
      ++at;
    } else {
      break;
    }
  }
  return at;
}

std::size_t ValueReader::line_end(std::size_t at) const { return std::min(text_.find('\n', at), text_.size()); }

std::size_t ValueReader::end_of_string(std::size_t at) const {
  const char quote = text_[at];
  for (std::size_t i = at + 1; i < text_.size() && text_[i] != '\n'; ++i) {
    if (text_[i] == '\\') {
      ++i;
    } else if (text_[i] == quote) {
      return i + 1;
    }
  }
  return kFailed;
}

std::size_t ValueReader::end_of_group(std::size_t at, std::size_t limit) const {
  const std::size_t end = text_.size() - at > limit ? at + limit : text_.size();
  std::vector<char> closers;
  while (at < end) {
    const char c = text_[at];
    if (c == '\'' || c == '"') {
      at = end_of_string(at);
      if (at == kFailed) return kFailed;
      continue;
    }
    if (c == '(' || c == '[' || c == '{') {
      closers.push_back(closing_of(c));
    } else if (is_closing(c)) {
      if (closers.empty() || closers.back() != c) return kFailed;
      closers.pop_back();
      if (closers.empty()) return at + 1;
    }
    ++at;
  }
  return kFailed;
}

bool ValueReader::fail(std::string_view kind, std::string message, std::size_t begin, std::size_t end,
                       std::string hint) {
  problem_ = {std::string(kind), std::move(message), std::move(hint), begin, std::max(begin, end)};
  return false;
}

// What stands at `at_` is no continuation; where the line ends here, that is what is wrong.
bool ValueReader::fail_unexpected(std::string_view expected) {
  std::size_t back = at_;
  while (back > 0 && is_blank(text_[back - 1]) && text_[back - 1] != '\n') --back;
  const bool ended = at_ >= text_.size() || text_[at_] == '\n' || (back > 0 && text_[back - 1] == '\n');
  const Frame* frame = frames_.empty() || frames_.back().begin == kNowhere ? nullptr : &frames_.back();
  if (ended) {
    std::size_t end = std::min(at_, text_.size());
    while (end > 0 && is_blank(text_[end - 1])) --end;
    fail("truncated-line", frame == nullptr ? "the line ends inside a value" : "the line ends inside brackets", end,
         end);
  } else if (is_closing(text_[at_])) {
    fail("unbalanced-bracket",
         frame == nullptr || frame->close == '\0' ? fmt::format("`{}` has no partner", text_[at_])
                                                  : fmt::format("`{}` where {} is expected", text_[at_], expected),
         at_, at_ + 1);
  } else {
    fail("malformed-arguments", fmt::format("expected {}", expected), at_, at_ + 1);
  }
  if (frame != nullptr) {
    problem_.related = "this bracket is not closed";
    problem_.related_at = frame->begin;
  }
  return false;
}

// ---------------------------------------------------------------- the loop

std::size_t ValueReader::value(CallBuilder& builder, std::size_t at) {
  return run(builder, at, {ArgKind::none, '\0', false, false, false, false, 0, kNowhere});
}

std::size_t ValueReader::arguments(CallBuilder& builder, std::size_t at) {
  allow_keywords_ = true;
  const std::size_t end = elements(builder, at);
  allow_keywords_ = false;
  return end;
}

std::size_t ValueReader::elements(CallBuilder& builder, std::size_t at) {
  return run(builder, at, {ArgKind::none, ')', false, false, false, false, 0, at - 1});
}

std::size_t ValueReader::index(CallBuilder& builder, std::size_t at) {
  return run(builder, at, {ArgKind::none, ']', false, false, false, false, 0, at - 1});
}

std::size_t ValueReader::run(CallBuilder& builder, std::size_t at, Frame root) {
  frames_.clear();
  keywords_.clear();
  frames_.push_back(root);
  at_ = at;
  while (!frames_.empty()) {
    if (!item(builder)) return kFailed;
  }
  return at_;
}

bool ValueReader::open(CallBuilder& builder, ArgKind kind, char close, std::size_t length) {
  builder.open(kind);
  frames_.push_back({kind, close, false, false, false, false, 0, at_ + length - 1});
  at_ += length;
  return true;
}

// Reads one item, or closes the innermost bracket where none is left.
bool ValueReader::item(CallBuilder& builder) {
  Frame& frame = frames_.back();
  if (frame.close != '\0') {
    if (at_ < text_.size() && (is_blank(text_[at_]) || text_[at_] == '#')) at_ = skip_blank(at_);
    if (at_ < text_.size() && text_[at_] == frame.close && !frame.value_next)
      return close(builder) && (frames_.empty() || after_item(builder));
  }
  if (at_ >= text_.size()) return fail_unexpected("a value");
  const char c = text_[at_];
  if (frame.keywords && !frame.value_next && !(is_letter(c) && is_keyword(end_of_name(at_))))
    return fail("malformed-arguments", "a positional argument behind a keyword argument", at_, at_ + 1);
  if (is_letter(c)) return word(builder);
  if (is_digit(c) || c == '-') return number(builder);
  switch (c) {
    case '\'':
    case '"':
      return string(builder);
    case '(':
      return parenthesis(builder);
    case '[':
      return open(builder, ArgKind::list, ']', 1);
    case '{':
      return open(builder, ArgKind::dict, '}', 1);
    case '<':
      return angle(builder);
    case '.':
      if (text_.substr(at_, 3) == "...") {
        builder.ellipsis();
        at_ += 3;
        return after_item(builder);
      }
      [[fallthrough]];
    default:
      return fail_unexpected("a value");
  }
}

bool ValueReader::after_item(CallBuilder& builder) {
  while (true) {
    Frame& frame = frames_.back();
    if (frame.close == '\0') {  // a single value
      frames_.pop_back();
      return true;
    }
    if (at_ < text_.size() && (is_blank(text_[at_]) || text_[at_] == '#')) at_ = skip_blank(at_);
    if (at_ >= text_.size()) return fail_unexpected(fmt::format("`,` or `{}`", frame.close));
    const char c = text_[at_];
    if (frame.kind == ArgKind::dict && !frame.value_next) {
      if (c != ':') return fail_unexpected("`:` behind a key");
      ++at_;
      frame.value_next = true;
      at_ = skip_blank(at_);
      return true;
    }
    frame.value_next = false;
    ++frame.items;
    if (c == ',') {
      ++at_;
      frame.comma = true;
      if (at_ < text_.size() && text_[at_] == ' ') ++at_;
      return true;
    }
    if (c != frame.close) return fail_unexpected(fmt::format("`,` or `{}`", frame.close));
    if (!close(builder)) return false;
    if (frames_.empty()) return true;  // else what closed is an item of the bracket around it
  }
}

// At the closing bracket of the innermost frame.
bool ValueReader::close(CallBuilder& builder) {
  const Frame frame = frames_.back();
  const std::size_t begin = frame.begin;
  ++at_;
  if (frame.kind == ArgKind::none) {
    frames_.pop_back();
    if (frame.close == ']' && (frame.items != 1 || frame.comma))
      return fail("malformed-arguments", "an index is one value: several are printed as a tuple, `x[(a, b)]`", begin,
                  at_);
    return true;
  }
  if (frame.kind == ArgKind::slice && frame.items != 3)
    return fail("malformed-arguments", "`slice` is printed with three arguments", begin, at_);
  if (frame.kind == ArgKind::range && (frame.items < 1 || frame.items > 3))
    return fail("malformed-arguments", "`range` has one to three arguments", begin, at_);
  if (frame.kind == ArgKind::tuple && frame.items == 1 && !frame.comma && !frame.named)
    return fail("malformed-arguments", "a value in parentheses of its own: a tuple of one value is printed as `(x,)`",
                begin, at_);
  builder.close();
  frames_.pop_back();
  return true;
}

// ---------------------------------------------------------------- names

bool ValueReader::is_keyword(std::size_t end) const {
  const Frame& frame = frames_.back();
  if (!allow_keywords_ || frame.kind != ArgKind::none) return false;
  while (end < text_.size() && text_[end] == ' ') ++end;
  return end < text_.size() && text_[end] == '=' && (end + 1 == text_.size() || text_[end + 1] != '=');
}

bool ValueReader::word(CallBuilder& builder) {
  const std::size_t begin = at_, end = end_of_name(at_);
  const char next = end < text_.size() ? text_[end] : '\n';
  if (next == '.') return dotted(builder, end);
  if (next == '(') return called(builder, text_.substr(begin, end - begin));
  const std::string_view word = text_.substr(begin, end - begin);
  if ((next == ' ' || next == '=') && is_keyword(end)) {
    if (std::find(keywords_.begin(), keywords_.end(), word) != keywords_.end())
      return fail("malformed-arguments", fmt::format("the keyword argument `{}` stands twice", word), begin, end);
    keywords_.push_back(word);
    builder.keyword(word);
    frames_.back().value_next = frames_.back().keywords = true;
    at_ = skip_blank(text_.find('=', end) + 1);
    return true;
  }
  if ((next == '\'' || next == '"') && word.size() <= 2) {  // b'...'
    const std::size_t close = end_of_string(end);
    if (close == kFailed) return fail("truncated-line", "the line ends inside a string", line_end(end), line_end(end));
    opaque(builder, close);
    return after_item(builder);
  }
  if (goes_on(end)) return expression(builder, begin);
  at_ = end;
  return name(builder, word) && after_item(builder);
}

// Whether an operator follows: then what begins here is an expression.
bool ValueReader::goes_on(std::size_t at) const {
  if (frames_.back().close == '\0') return false;
  while (at < text_.size() && text_[at] == ' ') ++at;
  if (at >= text_.size()) return false;
  constexpr std::string_view kOperators = "+-*/%<>=&|^@!";
  return kOperators.find(text_[at]) != kNowhere;
}

bool ValueReader::name(CallBuilder& builder, std::string_view name) {
  const NodeId node = scope_.find(name);
  if (node.valid()) {
    if (scope_.is_freed(node)) {
      return fail("freed-name", fmt::format("`{}` was set to None before this use", name.substr(0, 100)),
                  at_ - name.size(), at_);
    }
    builder.node(node);
    return true;
  }
  const Slot slot = text_ir::literal_of(graph_.symbols(), name);
  if (slot.kind != ArgKind::bare) {
    builder.literal(slot);
  } else if (name == "NoneType") {
    builder.spelled(ArgKind::opaque, name);
  } else if (text_ir::is_size_symbol(name)) {
    builder.spelled(ArgKind::symbolic, name);
  } else {
    unknown_.push_back({at_ - name.size(), name.size()});
    builder.none();
  }
  return true;
}

// `torch.float32`, `torch.ops.aten.add.Tensor`, `Cls.MEMBER`, `torch.device('cpu')`.
bool ValueReader::dotted(CallBuilder& builder, std::size_t end) {
  const std::size_t begin = at_;
  std::size_t last = end;
  while (end < text_.size() && text_[end] == '.') {
    last = end;
    end = end_of_name(end + 1);
    if (end == last + 1) return at_ = end, fail_unexpected("a name behind `.`");
  }
  const std::string_view path = text_.substr(begin, end - begin);
  if (end < text_.size() && text_[end] == '(') return called(builder, path);
  if (goes_on(end)) return expression(builder, begin);
  const std::string_view root = path.substr(0, path.find('.'));
  if (scope_.find(root).valid() || root == "self") {
    return fail("malformed-arguments", "an attribute of a value inside of arguments", begin, end,
                "each node has a line of its own: `getattr_1 = x.shape`");
  }
  at_ = end;
  constexpr std::string_view kOps = "torch.ops.";
  const Slot slot = text_ir::literal_of(graph_.symbols(), path);
  if (path.starts_with(kOps) && path.find('.', kOps.size()) != kNowhere) {
    builder.spelled(ArgKind::op, path.substr(kOps.size()));
  } else if (slot.kind != ArgKind::bare) {
    builder.literal(slot);
  } else {
    builder.spelled(ArgKind::opaque, path);
  }
  return after_item(builder);
}

void ValueReader::opaque(CallBuilder& builder, std::size_t end) {
  builder.spelled(ArgKind::opaque, text_.substr(at_, end - at_));
  at_ = end;
}

// At a path with `(` behind it.
bool ValueReader::called(CallBuilder& builder, std::string_view path) {
  const std::size_t begin = at_;
  if (path == "slice" || path == "range")
    return open(builder, path == "slice" ? ArgKind::slice : ArgKind::range, ')', 6);
  if (path == "device" || path == "torch.device") {
    at_ += path.size();
    return device(builder, begin);
  }
  if (path == "complex") return complex(builder, begin);
  if (is_size_function(path)) return expression(builder, begin);
  const std::size_t end = end_of_group(begin + path.size(), kAhead);
  const std::string_view root = path.substr(0, path.find('.'));
  if (scope_.find(root).valid() || root == "self") {
    return fail("malformed-arguments", "a call inside of arguments", begin, begin + path.size(),
                "each node has a line of its own, and arguments name it");
  }
  if (end != kFailed && !mentions_nodes(text_.substr(begin + path.size(), end - begin - path.size()))) {
    opaque(builder, end);
    return after_item(builder);
  }
  // A named tuple; keyword arguments of nodes show themselves as malformed.
  builder.open(Slot::of_named_tuple(graph_.symbols().intern(path)));
  frames_.push_back({ArgKind::tuple, ')', false, false, false, true, 0, begin + path.size()});
  at_ = begin + path.size() + 1;
  return true;
}

bool ValueReader::mentions_nodes(std::string_view value) const {
  for (std::size_t i = 0; i < value.size();) {
    const char c = value[i];
    if (c == '\'' || c == '"') {
      for (++i; i < value.size() && value[i] != c; ++i) i += value[i] == '\\' ? 1 : 0;
      ++i;
    } else if (is_letter(c)) {
      std::size_t end = i;
      while (end < value.size() && (is_name(value[end]) || value[end] == '.')) ++end;
      const bool keyword = end < value.size() && value[end] == '=';
      if (!keyword && scope_.find(value.substr(i, std::min(value.find('.', i), end) - i)).valid()) return true;
      i = end;
    } else if (is_digit(c)) {
      while (i < value.size() && (is_name(value[i]) || value[i] == '.')) ++i;
    } else {
      ++i;
    }
  }
  return false;
}

// `(type='cuda', index=0)`, `('cuda:0')`, `('cuda', 0)`.
bool ValueReader::device(CallBuilder& builder, std::size_t begin) {
  const std::size_t end = end_of_group(at_, kAhead);
  if (end == kFailed) return ++at_, at_ = line_end(at_), fail_unexpected("`)`");
  const auto device = parse_device_arguments(text_.substr(at_ + 1, end - at_ - 2));
  if (!device) return fail("malformed-arguments", "a device is printed as `device(type='cuda', index=0)`", begin, end);
  at_ = end;
  builder.spelled(ArgKind::device, *device);
  return after_item(builder);
}

// `complex(0.0, 2.0)` is how newer versions of torch print 2j.
bool ValueReader::complex(CallBuilder& builder, std::size_t begin) {
  const std::size_t open = begin + 7, end = end_of_group(open, kAhead);
  if (end == kFailed) return at_ = line_end(at_), fail_unexpected("`)`");
  const std::string_view inside = text_.substr(open + 1, end - open - 2);
  const std::size_t comma = inside.find(", ");
  const auto real = comma == kNowhere ? std::nullopt : parse_float_repr(inside.substr(0, comma));
  const auto imaginary = comma == kNowhere ? std::nullopt : parse_float_repr(inside.substr(comma + 2));
  if (!real || !imaginary)
    return fail("malformed-arguments", "a complex number is printed as `complex(0.0, 2.0)` or `(1+2j)`", begin, end);
  std::string spelled;
  append_complex_repr(spelled, *real, *imaginary);
  at_ = end;
  builder.spelled(ArgKind::complex, spelled);
  return after_item(builder);
}

// ---------------------------------------------------------------- literals

bool ValueReader::number(CallBuilder& builder) {
  const std::size_t begin = at_;
  std::size_t end = at_ + (text_[at_] == '-' ? 1 : 0);
  const std::size_t digits = end;
  while (end < text_.size() && (is_name(text_[end]) || text_[end] == '.' ||
                                ((text_[end] == '-' || text_[end] == '+') && end > digits && text_[end - 1] == 'e' &&
                                 is_digit(text_[digits]) && is_digit(text_[end - 2 < digits ? digits : end - 2]))))
    ++end;
  if (end == digits || goes_on(end)) {
    if (frames_.back().close != '\0') return expression(builder, begin);
    return fail_unexpected("a value");
  }
  const std::string_view token = text_.substr(begin, end - begin);
  Slot slot = text_ir::literal_of(graph_.symbols(), token);
  if (slot.kind == ArgKind::bare && !other_number(token, slot)) {
    if (is_digit(text_[digits])) return fail("malformed-arguments", "this is no number", begin, end);
    return expression(builder, begin);
  }
  builder.literal(slot);
  at_ = end;
  return after_item(builder);
}

bool ValueReader::string(CallBuilder& builder) {
  const std::size_t end = end_of_string(at_);
  if (end == kFailed) {
    const std::size_t stop = line_end(at_);
    fail("truncated-line", "the line ends inside a string", stop, stop);
    problem_.related = "the string begins here";
    problem_.related_at = at_;
    return false;
  }
  const std::string_view literal = text_.substr(at_, end - at_);
  if (literal.find('\\') == kNowhere) {
    builder.spelled(ArgKind::string, literal.substr(1, literal.size() - 2));
  } else if (const auto value = parse_string_literal(literal)) {
    builder.spelled(ArgKind::string, *value);
  } else {
    builder.spelled(ArgKind::opaque, literal);
  }
  at_ = end;
  return after_item(builder);
}

// `<class 'int'>`, `<Kind.A: 1>`: an object's own text.
bool ValueReader::angle(CallBuilder& builder) {
  std::size_t depth = 0;
  for (std::size_t i = at_; i < text_.size() && text_[i] != '\n'; ++i) {
    if (text_[i] == '<') ++depth;
    if (text_[i] != '>' || --depth > 0) continue;
    opaque(builder, i + 1);
    return after_item(builder);
  }
  const std::size_t stop = line_end(at_);
  fail("truncated-line", "the line ends inside an object's text", stop, stop);
  problem_.related = "it begins here";
  problem_.related_at = at_;
  return false;
}

// A tuple, a complex number or a symbolic size: only a tuple has a comma of its own.
bool ValueReader::parenthesis(CallBuilder& builder) {
  std::size_t depth = 0;
  const std::size_t end = text_.size() - at_ > kAhead ? at_ + kAhead : text_.size();
  for (std::size_t i = at_; i < end; ++i) {
    const char c = text_[i];
    if (c == '\'' || c == '"' || c == '{' || c == '#' || c == '\n') break;
    if (c == '(' || c == '[') ++depth;
    if (c == ',' && depth == 1) break;
    if ((c != ')' && c != ']') || --depth > 0) continue;
    if (i == at_ + 1) break;  // `()`
    const std::string_view group = text_.substr(at_, i + 1 - at_);
    if (!is_complex_repr(group)) return expression(builder, at_);
    builder.spelled(ArgKind::complex, group);
    at_ = i + 1;
    return after_item(builder);
  }
  return open(builder, ArgKind::tuple, ')', 1);
}

// `2*s0`, `((s72 + 1)//2)`, `Min(16384, s1)`: a size that was not made a node.
bool ValueReader::expression(CallBuilder& builder, std::size_t begin) {
  std::size_t depth = 0, end = begin;
  const std::size_t limit = text_.size() - begin > kAhead ? begin + kAhead : text_.size();
  for (; end < limit && text_[end] != '\n' && text_[end] != ';'; ++end) {
    const char c = text_[end];
    if (depth == 0 && (c == ',' || is_closing(c) || c == ':')) break;
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
  }
  while (end > begin && text_[end - 1] == ' ') --end;
  const std::string_view value = text_.substr(begin, end - begin);
  if (mentions_nodes(value)) {
    return fail("malformed-arguments", "a computation of nodes inside of arguments", begin, end,
                "each node has a line of its own: `mul = s0 * 2`");
  }
  if (!graph_.metas().expressions().parse(value))
    return fail("malformed-arguments", "this is no value that torch prints", begin, std::max(end, begin + 1));
  builder.spelled(ArgKind::symbolic, value);
  at_ = end;
  return after_item(builder);
}

}  // namespace fxrules::code
