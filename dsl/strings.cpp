// Escapes of strings and texts, as Python resolves them. An escape that Python does not know stays as it is.
#include <charconv>

#include "dsl/ast.hpp"
#include "dsl/utf8.hpp"

namespace fxrules::dsl {
namespace {

constexpr std::string_view kEscaped = "abfnrtv\\'\"0";
constexpr std::string_view kMeaning = {"\a\b\f\n\r\t\v\\'\"\0", 11};

std::size_t hex_digits(char escape) { return escape == 'x' ? 2 : escape == 'u' ? 4 : escape == 'U' ? 8 : 0; }

// Appends what the escape at the start of `text` means; returns its length. `text` begins with a backslash.
std::size_t append_escape(std::string& out, std::string_view text) {
  const char escape = text[1];
  if (const std::size_t digits = hex_digits(escape)) {
    std::uint32_t code = 0;
    std::from_chars(text.data() + 2, text.data() + 2 + digits, code, 16);
    append_utf8(out, static_cast<char32_t>(code));
    return 2 + digits;
  }
  const std::size_t known = kEscaped.find(escape);
  if (known == std::string_view::npos)
    out.append(text.substr(0, 2));
  else
    out.push_back(kMeaning[known]);
  return 2;
}

std::string resolved(std::string_view text, bool braces) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '\\') {
      at += append_escape(out, text.substr(at));
      continue;
    }
    out.push_back(text[at]);
    const bool doubled = braces && (text[at] == '{' || text[at] == '}');
    at += doubled ? 2 : 1;
  }
  return out;
}

}  // namespace

std::string string_value(std::string_view spelled) { return resolved(spelled.substr(1, spelled.size() - 2), false); }

std::string piece_value(std::string_view piece) { return resolved(piece, true); }

}  // namespace fxrules::dsl
