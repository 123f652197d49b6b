// Lines of a rule file as tokens that know whether a blank stands in front of them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace fxrules::dsl::layout {

enum class TokenKind : std::uint8_t { word, number, string, comment, symbol };

struct Token {
  TokenKind kind = TokenKind::symbol;
  std::string_view text;
  bool blank = false;       // in front of it
  std::uint32_t depth = 0;  // brackets of the item that are open around it; an opening one counts itself not
};

struct Line {
  std::vector<Token> tokens;
  std::uint32_t indent = 0;  // columns; a tab is one
  [[nodiscard]] bool empty() const { return tokens.empty(); }
  [[nodiscard]] bool comment() const { return tokens.size() == 1 && tokens[0].kind == TokenKind::comment; }
  [[nodiscard]] bool starts(std::string_view word) const { return !empty() && tokens[0].text == word; }
  // Begins an item: not indented, neither a comment nor what continues an item.
  [[nodiscard]] bool starts_item() const;
};

[[nodiscard]] std::vector<Line> lines_of(std::string_view text);

}  // namespace fxrules::dsl::layout
