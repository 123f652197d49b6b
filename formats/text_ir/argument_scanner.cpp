// A loop over three states: an item begins, a text goes on, an item has ended. Whether a bracket was a
// container shows at its end; if not, its pieces are dropped and its characters belong to a text, which
// then goes on behind it. So nothing is scanned twice and no state is kept for later.
#include "formats/text_ir/argument_scanner.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "formats/python_literals.hpp"
#include "formats/text_ir/atoms.hpp"

namespace fxrules::text_ir {
namespace {

constexpr std::size_t kNowhere = std::string_view::npos;

constexpr std::array<bool, 256> special_characters() {
  std::array<bool, 256> out{};
  for (const char c : std::string_view(",:()[]{}'\"")) out[static_cast<unsigned char>(c)] = true;
  return out;
}
constexpr std::array<bool, 256> kSpecial = special_characters();

constexpr char closing_of(char open) { return open == '(' ? ')' : open == '[' ? ']' : '}'; }
constexpr char opening_of(char close) { return close == ')' ? '(' : close == ']' ? '[' : '{'; }
constexpr bool is_opening(char c) { return c == '(' || c == '[' || c == '{'; }
constexpr bool is_closing(char c) { return c == ')' || c == ']' || c == '}'; }
constexpr std::size_t bracket_index(char c) { return c == '(' || c == ')' ? 0 : c == '[' || c == ']' ? 1 : 2; }

// `device(type='cuda', index=0)` as `cuda:0`; nullopt: it is something else.
std::optional<std::string> device_of(std::string_view repr) {
  constexpr std::string_view kHead = "device(";
  if (!repr.starts_with(kHead) || !repr.ends_with(')')) return std::nullopt;
  auto device = parse_device_arguments(repr.substr(kHead.size(), repr.size() - kHead.size() - 1));
  if (!device || !is_identifier(std::string_view(*device).substr(0, device->find(':')))) return std::nullopt;
  std::string printed;
  append_device_repr(printed, *device);
  if (printed != repr) return std::nullopt;
  return device;
}

Piece unknown(std::size_t at, std::size_t length) {
  Slot place;
  place.b = static_cast<std::uint32_t>(at);
  place.c = static_cast<std::uint32_t>(length);
  return {Piece::What::unknown, place};
}

}  // namespace

void ArgumentScanner::clear() {
  pieces_.clear();
  taken_as_text_.clear();
  mentions_.clear();
  if (!problem_.kind.empty()) problem_ = {};
}

void ArgumentScanner::prepare(std::size_t begin, std::size_t end) {
  frames_.clear();
  text_brackets_.clear();
  fields_.clear();
  at_ = begin;
  end_ = end;
  state_ = State::item;
  failed_ = has_lone_ = unresolved_ = false;
  nodes_ = true;
  root_begin_ = begin;
}

std::size_t ArgumentScanner::positional(std::size_t at, std::size_t end) {
  prepare(at + 1, end);
  frames_.push_back({ArgKind::tuple, Root::group, ')', false, false, false, 0, at, pieces_.size(), {}});
  return run() ? at_ : kNowhere;
}

std::size_t ArgumentScanner::keywords(std::size_t at, std::size_t end) {
  prepare(at + 1, end);
  frames_.push_back({ArgKind::dict, Root::group, '}', false, false, true, 0, at, pieces_.size(), {}});
  return run() ? at_ : kNowhere;
}

bool ArgumentScanner::bounded(ArgKind kind, std::size_t begin, std::size_t end) {
  prepare(begin, end);
  find_partners(begin, end);
  const char close = kind == ArgKind::dict ? '}' : ')';
  frames_.push_back({kind, Root::bounded, close, false, false, kind == ArgKind::dict, 0, begin, pieces_.size(), {}});
  return run();
}

bool ArgumentScanner::unbalanced_positional(std::size_t begin, std::size_t end) {
  return bounded(ArgKind::tuple, begin, end);
}
bool ArgumentScanner::unbalanced_keywords(std::size_t begin, std::size_t end) {
  return bounded(ArgKind::dict, begin, end);
}

bool ArgumentScanner::single(std::size_t begin, std::size_t end, bool nodes) {
  prepare(begin, end);
  nodes_ = nodes;
  frames_.push_back({ArgKind::list, Root::single, '\n', true, false, false, 0, begin, pieces_.size(), {}});
  return run();
}

bool ArgumentScanner::returned(std::size_t begin, std::size_t end) { return single(begin, end, true); }
bool ArgumentScanner::default_value(std::size_t begin, std::size_t end) { return single(begin, end, false); }

void ArgumentScanner::text_value(std::size_t begin, std::size_t end) {
  add(Slot::of_symbol(ArgKind::bare, graph_.symbols().intern(text_.substr(begin, end - begin))));
}

bool ArgumentScanner::run() {
  const std::size_t first = pieces_.size();
  while (!frames_.empty() && !failed_) {
    switch (state_) {
      case State::item:
        item();
        break;
      case State::text:
        text();
        break;
      case State::ended:
        ended();
        break;
    }
  }
  if (unresolved_ && !failed_) resolve_texts(first);
  return !failed_;
}

// ---------------------------------------------------------------- where things end

bool ArgumentScanner::has_partner(std::size_t at) const {
  return !has_lone_ || !std::binary_search(lone_.begin(), lone_.end(), at);
}

bool ArgumentScanner::closes(const Frame& frame, std::size_t at) const {
  if (frame.root == Root::bounded || frame.root == Root::single) return at == end_;
  return at < end_ && text_[at] == frame.close && has_partner(at);
}

bool ArgumentScanner::ends_item(std::size_t at) const {
  const Frame& frame = frames_.back();
  const bool key = frame.python && frame.key_next;
  if (closes(frame, at)) return !key;
  if (frame.root == Root::single || at + 1 >= end_) {
    return at + 1 == end_ && frame.root == Root::bounded && frame.kind == ArgKind::tuple && frame.items == 0 &&
           text_[at] == ',';
  }
  if (key) return text_[at] == ':' && text_[at + 1] == ' ';
  if (text_[at] != ',') return false;
  if (text_[at + 1] == ' ') return frame.kind != ArgKind::dict || frame.python || !continues_entry(frame, at + 2);
  return frame.kind == ArgKind::tuple && frame.items == 0 && closes(frame, at + 1);
}

// `{value: a, b}` is one entry, the text "a, b": what follows a separator in a dict has a key, or goes on
// with the text. Looks no further than the next separator, so that a long text is scanned twice, not more.
bool ArgumentScanner::continues_entry(const Frame& frame, std::size_t at) const {
  for (; at < end_; ++at) {
    if (closes(frame, at)) return true;
    const char c = text_[at];
    if (is_opening(c) || is_closing(c)) return false;
    if (at + 1 < end_ && text_[at + 1] == ' ') {
      if (c == ':') return false;
      if (c == ',') return true;
    }
  }
  return false;
}

// ---------------------------------------------------------------- items

void ArgumentScanner::item() {
  Frame& frame = frames_.back();
  if (frame.items == 0 && frame.root != Root::single && closes(frame, at_) &&
      !(frame.kind == ArgKind::dict && !frame.key_next)) {
    close(at_);
    return;
  }
  if (frame.named && !field()) return;
  if (at_ > end_ || (at_ == end_ && frame.root != Root::bounded && frame.root != Root::single)) {
    fail_at_end();
    return;
  }
  if (frame.key_next && !frame.python) {
    key();
    return;
  }
  if (at_ == end_) {
    start_text(at_, at_);
    return;
  }
  const char c = text_[at_];
  if (is_opening(c) && has_partner(at_)) {
    open(c == '(' ? ArgKind::tuple : c == '[' ? ArgKind::list : ArgKind::dict, closing_of(c), 1, frame.python);
  } else if (c == 's' && text_.substr(at_, end_ - at_).starts_with("slice(") && has_partner(at_ + 5)) {
    open(ArgKind::slice, ')', 6, true);
  } else if (c == 'r' && text_.substr(at_, end_ - at_).starts_with("range(") && has_partner(at_ + 5)) {
    open(ArgKind::range, ')', 6, true);
  } else if (!(frame.python ? (nodes_ && named_tuple()) || python_item() : node_item())) {
    start_text(at_, at_);
  }
}

void ArgumentScanner::open(ArgKind kind, char close, std::size_t length, bool python) {
  frames_.push_back({kind, Root::none, close, python, false, kind == ArgKind::dict, 0, at_, pieces_.size(), {}});
  pieces_.push_back({Piece::What::open, Slot::of_kind(kind)});
  at_ += length;
}

std::size_t ArgumentScanner::end_of_name(std::size_t at) const {
  while (at < end_ && is_name(text_[at])) ++at;
  return at;
}

// `Point(x=relu, y=a)`.
bool ArgumentScanner::named_tuple() {
  if (!is_letter(text_[at_])) return false;
  std::size_t end = at_;
  while (end < end_ && (is_name(text_[end]) || text_[end] == '.')) ++end;
  if (end >= end_ || text_[end] != '(' || !has_partner(end)) return false;
  const std::size_t field = end_of_name(end + 1);
  if (field == end + 1 || field >= end_ || text_[field] != '=') return false;
  const Frame::Before before{fields_.size(), nodes_seen_};
  open(ArgKind::tuple, ')', end + 1 - at_, true);
  frames_.back().named = before;
  return true;
}

// The name of a field and its `=`. Without them the bracket is none of a named tuple.
bool ArgumentScanner::field() {
  const Frame frame = frames_.back();
  const std::size_t end = end_of_name(at_);
  if (end > at_ && end < end_ && text_[end] == '=') {
    fields_.push_back(text_.substr(at_, end - at_));
    at_ = end + 1;
    return true;
  }
  fields_.resize(frame.named->fields);
  back_to_text(at_);
  text_brackets_.push_back({')', text_.find('(', frame.begin)});
  return false;
}

// Its name and fields are known when it closes.
void ArgumentScanner::name_tuple(const Frame& frame) {
  std::string name(text_.substr(frame.begin, text_.find('(', frame.begin) - frame.begin));
  for (std::size_t f = frame.named->fields; f < fields_.size(); ++f) {
    name += f == frame.named->fields ? "(" : ", ";
    name += fields_[f];
  }
  fields_.resize(frame.named->fields);
  pieces_[frame.pieces].slot = Slot::of_named_tuple(graph_.symbols().intern(name + ")"));
}

// `%name` with a separator behind it.
bool ArgumentScanner::node_item() {
  if (text_[at_] != '%') return false;
  const std::size_t end = end_of_name(at_ + 1);
  if (end == at_ + 1 || !ends_item(end)) return false;
  const NodeId node = find(text_.substr(at_ + 1, end - at_ - 1));
  if (node.valid()) {
    add({NodeId::kNone, ArgKind::node, node.value, 0, 0});
  } else {
    add_unknown(at_ + 1, end - at_ - 1);
  }
  at_ = end;
  state_ = State::ended;
  return true;
}

// A quoted string with a separator behind it.
bool ArgumentScanner::python_item() {
  const char quote = text_[at_];
  if (quote != '\'' && quote != '"') return false;
  const std::size_t begin = at_;
  if (!skip_quoted()) {
    fail_at_end();
    return true;
  }
  ++at_;
  if (!ends_item(at_)) {
    start_text(begin, at_);
    return true;
  }
  const std::string_view literal = text_.substr(begin, at_ - begin);
  const auto value = parse_string_literal(literal);
  std::string printed;
  if (value) append_string_repr(printed, *value);
  const bool same = value && printed == literal;
  const bool whole = frames_.back().root == Root::single;  // printed without quotes: these are its own
  add(whole ? Slot::of_symbol(ArgKind::bare, graph_.symbols().intern(literal))
            : Slot::of_symbol(same ? ArgKind::string : ArgKind::opaque,
                              graph_.symbols().intern(same ? *value : literal)));
  state_ = State::ended;
  return true;
}

// The key of a dict entry: everything up to `: ` outside brackets.
void ArgumentScanner::key() {
  Frame& frame = frames_.back();
  const std::size_t begin = at_;
  text_brackets_.clear();
  for (; at_ < end_; ++at_) {
    const char c = text_[at_];
    if (c == ':' && text_brackets_.empty() && at_ + 1 < end_ && text_[at_ + 1] == ' ') {
      const SymbolId symbol = graph_.symbols().intern(text_.substr(begin, at_ - begin));
      if (frame.root == Root::none) {
        add(Slot::of_symbol(ArgKind::string, symbol));
      } else {
        pieces_.push_back({Piece::What::keyword, Slot::of_symbol(ArgKind::string, symbol)});
      }
      frame.key_next = false;
      at_ += 2;
      return;
    }
    if (!is_opening(c) && !is_closing(c)) continue;
    if (!has_partner(at_)) {
      if (!lone_bracket(at_)) return;
    } else if (is_opening(c)) {
      text_brackets_.push_back({closing_of(c), at_});
    } else if (!text_brackets_.empty()) {
      if (text_brackets_.back().close != c)
        return fail_mismatch(at_, text_brackets_.back().close, text_brackets_.back().at);
      text_brackets_.pop_back();
    } else if (c != frame.close) {
      return fail_mismatch(at_, frame.close, frame.begin);
    } else if (frame.root == Root::none) {
      return back_to_text(at_ + 1);
    } else {
      break;
    }
  }
  if (at_ >= end_ && frame.root != Root::bounded) return fail_at_end();
  fail({"malformed-arguments",
        fmt::format("keyword argument `{}` has no value", text_.substr(begin, std::min<std::size_t>(at_ - begin, 60))),
        "keyword arguments are printed as `{name: value}`", begin, at_});
}

// ---------------------------------------------------------------- texts

void ArgumentScanner::start_text(std::size_t begin, std::size_t from, bool resumed) {
  resumed_ = resumed;
  text_begin_ = begin;
  at_ = from;
  text_brackets_.clear();
  state_ = State::text;
}

void ArgumentScanner::text() {
  while (true) {
    while (at_ < end_ && !kSpecial[static_cast<unsigned char>(text_[at_])]) ++at_;
    if (text_brackets_.empty() && ends_item(at_)) return finish_text(at_);
    if (at_ >= end_) return fail_at_end();
    if (!step_text()) return;
  }
}

bool ArgumentScanner::step_text() {
  const char c = text_[at_];
  const Frame& frame = frames_.back();
  if (is_opening(c) || is_closing(c)) {
    if (!has_partner(at_)) {
      if (!lone_bracket(at_)) return false;
    } else if (is_opening(c)) {
      text_brackets_.push_back({closing_of(c), at_});
    } else if (!text_brackets_.empty()) {
      if (text_brackets_.back().close != c) {
        fail_mismatch(at_, text_brackets_.back().close, text_brackets_.back().at);
        return false;
      }
      text_brackets_.pop_back();
    } else if (frame.python && frame.key_next && c == frame.close) {
      back_to_text(at_ + 1);  // `{a, b}` is no dict
      return false;
    } else {
      fail_mismatch(at_, frame.root == Root::single || frame.root == Root::bounded ? '\0' : frame.close, frame.begin);
      return false;
    }
  } else if (frame.python && (c == '\'' || c == '"') && !skip_quoted()) {
    fail_at_end();
    return false;
  }
  ++at_;
  return true;
}

// From an opening quote to its closing one; false when there is none.
bool ArgumentScanner::skip_quoted() {
  const char quote = text_[at_];
  for (std::size_t i = at_ + 1; i < end_; ++i) {
    if (text_[i] == '\\') {
      ++i;
    } else if (text_[i] == quote) {
      at_ = i;
      return true;
    }
  }
  return false;
}

// What began as a container may yet become part of a longer text: it is looked at when all is known, so
// that no character is looked at once a level.
void ArgumentScanner::finish_text(std::size_t end) {
  const bool python = frames_.back().python;
  const std::size_t length = end - text_begin_;
  if (resumed_) {
    Slot place;
    place.b = static_cast<std::uint32_t>(text_begin_);
    place.c = static_cast<std::uint32_t>(length);
    pieces_.push_back({python ? Piece::What::python_text : Piece::What::text, place});
    unresolved_ = true;
  } else {
    pieces_.push_back(piece_of(text_begin_, length, python));
  }
  at_ = end;
  state_ = State::ended;
}

void ArgumentScanner::resolve_texts(std::size_t from) {
  for (std::size_t i = from; i < pieces_.size(); ++i) {
    const Piece& piece = pieces_[i];
    if (piece.what != Piece::What::text && piece.what != Piece::What::python_text) continue;
    pieces_[i] = piece_of(piece.slot.b, piece.slot.c, piece.what == Piece::What::python_text);
  }
}

Piece ArgumentScanner::piece_of(std::size_t begin, std::size_t length, bool python) {
  const std::string_view value = text_.substr(begin, length);
  if (python) return python_piece(begin, value);
  note_mentions(begin, value);
  return {Piece::What::literal, literal_of(graph_.symbols(), value)};
}

void ArgumentScanner::note_mentions(std::size_t begin, std::string_view value) {
  constexpr std::size_t kMost = 1000;
  for (std::size_t at = value.find('%'); at != kNowhere && mentions_.size() < kMost; at = value.find('%', at + 1)) {
    std::size_t end = at + 1;
    while (end < value.size() && is_name(value[end])) ++end;
    const NodeId node = find(value.substr(at + 1, end - at - 1));
    if (node.valid()) mentions_.push_back({node, begin, value.size()});
  }
}

// In Python's repr a text without quotes is a number, a name, or an object of its own.
Piece ArgumentScanner::python_piece(std::size_t begin, std::string_view value) {
  if (value.empty()) return unknown(begin, 0);
  Symbols& symbols = graph_.symbols();
  const Slot slot = literal_of(symbols, value);
  if (slot.kind != ArgKind::bare) return {Piece::What::literal, slot};
  if (is_identifier(value)) return name_or_symbol(begin, value);
  const auto spelled = [&](ArgKind kind, std::string_view text) {
    return Piece{Piece::What::literal, Slot::of_symbol(kind, symbols.intern(text))};
  };
  if (const auto device = device_of(value)) return spelled(ArgKind::device, *device);
  // The whole of a default: a string stands there unquoted.
  if (!nodes_ && begin == root_begin_) return spelled(ArgKind::bare, value);
  if (nodes_ && names_a_node(value)) return unknown(begin, value.size());
  return spelled(graph_.metas().expressions().parse(value) ? ArgKind::symbolic : ArgKind::opaque, value);
}

Piece ArgumentScanner::name_or_symbol(std::size_t begin, std::string_view name) {
  const NodeId node = nodes_ ? find(name) : NodeId();
  if (node.valid()) {
    ++nodes_seen_;
    return {Piece::What::literal, {NodeId::kNone, ArgKind::node, node.value, 0, 0}};
  }
  const bool whole = !nodes_ && begin == root_begin_;
  if (!whole && !is_size_symbol(name)) return unknown(begin, name.size());
  return {Piece::What::literal,
          Slot::of_symbol(whole ? ArgKind::bare : ArgKind::symbolic, graph_.symbols().intern(name))};
}

// Whether a text that is taken as a whole mentions a node: its use would be lost.
bool ArgumentScanner::names_a_node(std::string_view value) const {
  for (std::size_t i = 0; i < value.size();) {
    if (!is_letter(value[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < value.size() && is_name(value[end])) ++end;
    const std::string_view name = value.substr(i, end - i);
    const bool keyword = end < value.size() && value[end] == '=';
    if (!keyword && !is_size_symbol(name) && find(name).valid()) return true;
    i = end;
  }
  return false;
}

NodeId ArgumentScanner::find(std::string_view name) const { return graph_.find(name); }

void ArgumentScanner::add_unknown(std::size_t at, std::size_t length) { pieces_.push_back(unknown(at, length)); }

// ---------------------------------------------------------------- ends

void ArgumentScanner::ended() {
  Frame& frame = frames_.back();
  if (frame.key_next) {  // a key of a Python dict: `: ` follows
    frame.key_next = false;
    at_ += 2;
    state_ = State::item;
    return;
  }
  ++frame.items;
  if (closes(frame, at_)) return close(at_);
  if (at_ + 1 < end_ && text_[at_ + 1] == ' ') {
    at_ += 2;
    frame.key_next = frame.kind == ArgKind::dict;
    state_ = State::item;
    return;
  }
  frame.comma = true;  // `(x,)`
  close(at_ + 1);
}

bool ArgumentScanner::is_complete(const Frame& frame) {
  switch (frame.kind) {
    case ArgKind::tuple:
      return frame.named ? !frame.comma : frame.items != 1 || frame.comma;
    case ArgKind::slice:
      return frame.items == 3;
    case ArgKind::range:
      return frame.items >= 1 && frame.items <= 3;
    default:
      return true;
  }
}

void ArgumentScanner::close(std::size_t at) {
  const Frame frame = frames_.back();
  if (frame.root != Root::none) {
    if (!is_complete(frame)) {
      return fail({"malformed-arguments", "a single argument is printed with a comma behind it: `(%x,)`", "",
                   frame.begin, at + 1});
    }
    frames_.pop_back();
    at_ = at + 1;
    return;
  }
  // What looks like a named tuple and holds no node is an object of its own.
  const bool object = frame.named && nodes_seen_ == frame.named->nodes;
  frames_.pop_back();
  if (object || !is_complete(frame) || !ends_item(at + 1)) {
    frames_.push_back(frame);
    if (frame.named) fields_.resize(frame.named->fields);
    return back_to_text(at + 1);
  }
  if (frame.named) name_tuple(frame);
  pieces_.push_back({Piece::What::close, {}});
  at_ = at + 1;
  state_ = State::ended;
}

// The innermost bracket was none of a container: its characters begin a text that goes on at `from`.
void ArgumentScanner::back_to_text(std::size_t from) {
  const Frame frame = frames_.back();
  frames_.pop_back();
  pieces_.resize(frame.pieces);
  start_text(frame.begin, from, true);
}

// ---------------------------------------------------------------- brackets without partner

// Pairs brackets in [begin, end); a closing one gives up the openers between it and its partner.
void ArgumentScanner::find_partners(std::size_t begin, std::size_t end) {
  struct Open {
    char close;
    std::size_t at;
  };
  std::vector<Open> stack;
  std::array<std::size_t, 3> open{};
  lone_.clear();
  for (std::size_t i = begin; i < end; ++i) {
    const char c = text_[i];
    if (is_opening(c)) {
      stack.push_back({closing_of(c), i});
      ++open[bracket_index(c)];
    } else if (is_closing(c) && open[bracket_index(c)] == 0) {
      lone_.push_back(i);
    } else if (is_closing(c)) {
      for (bool found = false; !found; stack.pop_back()) {
        found = stack.back().close == c;
        --open[bracket_index(stack.back().close)];
        if (!found) lone_.push_back(stack.back().at);
      }
    }
  }
  for (const Open& o : stack) lone_.push_back(o.at);
  std::sort(lone_.begin(), lone_.end());
  has_lone_ = !lone_.empty();
}

// A bracket without partner is text, unless it stands where a container would begin or end.
bool ArgumentScanner::lone_bracket(std::size_t at) {
  const char c = text_[at];
  if (looks_structural(at)) {
    fail({"unbalanced-bracket", fmt::format("`{}` has no partner", c), "", at, at + 1});
    return false;
  }
  taken_as_text_.push_back(at);
  return true;
}

bool ArgumentScanner::looks_structural(std::size_t at) const {
  const auto is_value = [](std::string_view word) {
    if (word.empty()) return false;
    if (word[0] == '%') return word.size() > 1 && is_name(word[1]);
    if (is_digit(word[0]) || (word[0] == '-' && word.size() > 1 && is_digit(word[1]))) return true;
    return word.starts_with("None") || word.starts_with("True") || word.starts_with("False") ||
           word.starts_with("slice(");
  };
  const std::string_view text = text_.substr(0, end_);
  if (is_opening(text[at])) {
    if (!text.substr(0, at).ends_with(", ") && at != frames_.front().begin) return false;
    std::size_t next = at + 1;
    while (next < text.size() && is_opening(text[next])) ++next;
    return is_value(text.substr(next, 8));
  }
  const std::string_view behind = text.substr(at + 1, 2);
  if (!behind.empty() && !is_closing(behind[0]) && behind != ", " && !(behind == "," && at + 2 == text.size()))
    return false;
  std::size_t begin = at;
  while (begin > frames_.front().begin && at - begin < 256 && is_name(text[begin - 1])) --begin;
  if (begin > frames_.front().begin && text[begin - 1] == '%') --begin;
  const bool at_item = begin == frames_.front().begin || text[begin - 1] == ' ' || is_opening(text[begin - 1]);
  return at_item && is_value(text.substr(begin, at - begin));
}

// ---------------------------------------------------------------- failures

void ArgumentScanner::fail(Problem problem) {
  failed_ = true;
  problem_ = std::move(problem);
}

void ArgumentScanner::fail_at_end() {
  const Frame& frame = frames_.back();
  const bool in_text = !text_brackets_.empty() && state_ == State::text;
  Problem problem{"truncated-line", "the line ends inside the arguments", "", end_, end_};
  if (frames_.front().root == Root::single) problem.message = "the line ends inside a value";
  if (in_text || frame.root == Root::none || frame.root == Root::group) {
    problem.related_at = in_text ? text_brackets_.back().at : frame.begin;
    problem.related = "this bracket is not closed";
  }
  fail(std::move(problem));
}

void ArgumentScanner::fail_mismatch(std::size_t at, char expected, std::size_t opener) {
  if (expected == '\0')
    return fail({"unbalanced-bracket", fmt::format("`{}` has no partner", text_[at]), "", at, at + 1});
  fail({"unbalanced-bracket", fmt::format("`{}` where `{}` is expected", text_[at], expected), "", at, at + 1,
        fmt::format("`{}` was opened here", opening_of(expected)), opener});
}

}  // namespace fxrules::text_ir
