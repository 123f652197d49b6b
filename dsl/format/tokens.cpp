#include "dsl/format/tokens.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace fxrules::dsl::layout {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\f' || c == '\r' || c == '\v'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c) ||
         static_cast<unsigned char>(c) >= 0x80;
}

constexpr std::array<std::string_view, 9> kLongSymbols{"...", "=>", "==", "!=", "<=", ">=", "//", "..", "->"};

// `1e-05` and `1.5` are one token; `2..` is `2` and `..`.
std::size_t number_end(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    const char c = text[at];
    const bool exponent = (c == '+' || c == '-') && (text[at - 1] == 'e' || text[at - 1] == 'E');
    const bool point = c == '.' && text.substr(at, 2) != "..";
    if (!is_word(c) && !point && !exponent) break;
    ++at;
  }
  return at;
}

std::size_t string_end(std::string_view text, std::size_t at) {
  const char quote = text[at++];
  while (at < text.size() && text[at] != quote) at += text[at] == '\\' ? 2 : 1;
  return std::min(at + 1, text.size());
}

Token token_at(std::string_view text, std::size_t at) {
  const char c = text[at];
  const auto token = [&](TokenKind kind, std::size_t end) { return Token{kind, text.substr(at, end - at)}; };
  if (c == '#') return token(TokenKind::comment, text.size());
  if (c == '"' || c == '\'') return token(TokenKind::string, string_end(text, at));
  if (is_digit(c)) return token(TokenKind::number, number_end(text, at + 1));
  if (is_word(c)) {
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    return token(TokenKind::word, end);
  }
  for (const std::string_view symbol : kLongSymbols) {
    if (text.substr(at).starts_with(symbol)) return token(TokenKind::symbol, at + symbol.size());
  }
  return token(TokenKind::symbol, at + 1);
}

bool opens(const Token& t) { return t.kind == TokenKind::symbol && (t.text == "(" || t.text == "[" || t.text == "{"); }
bool closes(const Token& t) { return t.kind == TokenKind::symbol && (t.text == ")" || t.text == "]" || t.text == "}"); }

Line line_of(std::string_view text) {
  Line line;
  std::size_t at = 0;
  while (at < text.size() && is_blank(text[at])) ++at;
  line.indent = static_cast<std::uint32_t>(at);
  while (at < text.size()) {
    const std::size_t from = at;
    while (at < text.size() && is_blank(text[at])) ++at;
    if (at == text.size()) break;
    line.tokens.push_back(token_at(text, at));
    line.tokens.back().blank = at > from;
    at += line.tokens.back().text.size();
  }
  if (!line.empty() && line.tokens.back().kind == TokenKind::comment) {
    std::string_view& comment = line.tokens.back().text;
    while (is_blank(comment.back())) comment.remove_suffix(1);
  }
  return line;
}

}  // namespace

bool Line::starts_item() const {
  if (empty() || indent > 0 || tokens[0].kind == TokenKind::comment) return false;
  return !closes(tokens[0]);
}

std::vector<Line> lines_of(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::vector<Line> lines;
  std::uint32_t depth = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    Line line = line_of(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_item()) depth = 0;
    for (Token& token : line.tokens) {
      if (closes(token) && depth > 0) --depth;
      token.depth = depth;
      if (opens(token)) ++depth;
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace fxrules::dsl::layout
