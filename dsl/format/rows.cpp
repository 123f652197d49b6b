#include "dsl/format/rows.hpp"

#include <algorithm>
#include <array>

namespace fxrules::dsl::layout {
namespace {

constexpr std::uint32_t kBody = 2, kAlternative = 4, kGuard = 4;
constexpr std::array<std::string_view, 7> kDeclarations{"def", "meta", "inverse", "pattern", "set", "param", "import"};
constexpr std::array<std::string_view, 5> kRelations{"=>", "==", "!=", "<=", ">="};

bool is_symbol(const Token& t, std::string_view text) { return t.kind == TokenKind::symbol && t.text == text; }
bool is_word(const Token& t, std::string_view text) { return t.kind == TokenKind::word && t.text == text; }

bool blank_between(const Token& left, const Token& right) {
  if (right.kind == TokenKind::symbol) {
    if (right.text == "," || right.text == ")" || right.text == "]") return false;
    if (right.text == "=" || right.text == "@") return true;
    if (std::find(kRelations.begin(), kRelations.end(), right.text) != kRelations.end()) return true;
  }
  if (left.kind == TokenKind::symbol) {
    if (left.text == "(" || left.text == "[") return false;
    if (left.text == "," || left.text == "=" || left.text == "@") return true;
    if (std::find(kRelations.begin(), kRelations.end(), left.text) != kRelations.end()) return true;
  }
  return right.blank;
}

// Where on the line the tokens of a part begin.
struct Cut {
  Part part;
  std::size_t at;
};

}  // namespace

std::string spaced(const Line& line, std::size_t begin, std::size_t end) {
  std::string out;
  for (std::size_t i = begin; i < end; ++i) {
    if (i > begin && blank_between(line.tokens[i - 1], line.tokens[i])) out += ' ';
    out += line.tokens[i].text;
  }
  return out;
}

void ItemLayout::begin_item(const Line& line) {
  const Token& first = line.tokens[0];
  declaration_ = first.kind == TokenKind::word && line.tokens.size() > 1 && line.tokens[1].blank &&
                 std::find(kDeclarations.begin(), kDeclarations.end(), first.text) != kDeclarations.end();
  const std::size_t count = line.tokens.size() - (line.tokens.back().kind == TokenKind::comment ? 1 : 0);
  only_label_ = count == 2 && is_symbol(line.tokens[1], ":");
  arrow_in_head_ = std::any_of(line.tokens.begin(), line.tokens.end(),
                               [](const Token& t) { return t.depth == 0 && is_symbol(t, "=>"); });
}

std::uint32_t ItemLayout::indent_of(const Line& line) {
  if (line.starts_item()) {
    begin_item(line);
    return 0;
  }
  const Token& first = line.tokens[0];
  if (first.depth == 0) {
    if (is_symbol(first, "=>")) return aligns_first(line) ? 0 : kAlternative;
    if (is_word(first, "if") || is_word(first, "otherwise")) return last_indent_ + kGuard;
    if (is_word(first, "as")) return kBody;
    if (only_label_) return kBody;
  }
  if (line.indent == 0) return 0;  // a closing bracket
  return static_cast<std::uint32_t>(std::max<std::int64_t>(1, line.indent + shift_));
}

// Whether what a line begins with stands under its like in the lines above.
bool ItemLayout::aligns_first(const Line& line) const {
  const Token& first = line.tokens[0];
  return is_symbol(first, "=>") ? arrow_in_head_ && declaration_ : declaration_;
}

void ItemLayout::add_pieces(const Line& line, Row& row) const {
  std::vector<Cut> cuts;
  std::size_t end = line.tokens.size();
  bool arrow = false, guard = false, naming = false;
  const bool item = line.starts_item();
  if (item && end > 2 && !declaration_ && is_symbol(line.tokens[1], ":") && line.tokens[2].kind != TokenKind::comment)
    cuts.push_back({Part::body, 2});
  for (std::size_t i = 0; i < end; ++i) {
    const Token& t = line.tokens[i];
    if (t.kind == TokenKind::comment) {
      cuts.push_back({Part::comment, i});
    } else if (t.depth > 0) {
      continue;
    } else if (i == 0 && !aligns_first(line)) {
      continue;
    } else if (!arrow && !guard && !naming && (is_symbol(t, "=>") || (declaration_ && i > 0 && is_symbol(t, "=")))) {
      cuts.push_back({Part::arrow, i});
      arrow = true;
    } else if (!guard && !naming && (is_word(t, "if") || is_word(t, "otherwise"))) {
      cuts.push_back({Part::guard, i});
      guard = true;
    } else if (!naming && is_word(t, "as") && i > 0 && !line.starts("phase")) {
      cuts.push_back({Part::naming, i});
      naming = true;
    }
  }
  if (cuts.empty() || cuts[0].at > 0) cuts.insert(cuts.begin(), {Part::head, 0});
  for (std::size_t c = 0; c < cuts.size(); ++c) {
    const std::size_t to = c + 1 < cuts.size() ? cuts[c + 1].at : end;
    row.pieces.push_back({cuts[c].part, spaced(line, cuts[c].at, to)});
  }
  const std::size_t last = cuts.back().part == Part::comment && cuts.size() > 1 ? cuts.size() - 2 : cuts.size() - 1;
  const Token& begins = line.tokens[cuts[last].at];
  const bool bare = cuts[last].part == Part::head && !is_word(begins, "if");
  row.expression = bare ? 0 : width_of(begins.text) + 1;
}

Row ItemLayout::row(const Line& line, const Line* next) {
  Row row;
  if (line.comment()) {
    row.indent = line.indent == 0 ? 0 : line.indent;
    row.pieces.push_back({Part::head, std::string(line.tokens[0].text)});
    if (line.indent > 0 && next != nullptr && !next->empty() && !next->comment() && !next->starts_item()) {
      ItemLayout ahead = *this;
      row.indent = ahead.indent_of(*next);
    }
    return row;
  }
  row.indent = indent_of(line);
  const Token& first = line.tokens[0];
  row.hangs = !line.starts_item() && first.depth == 0 && (is_word(first, "and") || is_word(first, "or"));
  add_pieces(line, row);
  if (!row.hangs && !is_word(first, "if")) {
    last_indent_ = row.indent;
    shift_ = static_cast<std::int64_t>(row.indent) - line.indent;
  }
  if (!line.starts_item() && first.depth == 0) only_label_ = false;
  return row;
}

}  // namespace fxrules::dsl::layout
