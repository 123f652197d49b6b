// Floats go through std::to_chars, whose shortest digits are Python's; only the layout differs.
#include "formats/python_literals.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace fxrules {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

struct Range {
  std::uint32_t first, last;
};
// Code points above ASCII that Python escapes: controls, format characters, separators, surrogates,
// private use.
constexpr Range kNotPrintable[] = {{0x7F, 0xA0},       {0xAD, 0xAD},       {0x600, 0x605},     {0x61C, 0x61C},
                                   {0x6DD, 0x6DD},     {0x70F, 0x70F},     {0x890, 0x891},     {0x8E2, 0x8E2},
                                   {0x1680, 0x1680},   {0x180E, 0x180E},   {0x2000, 0x200F},   {0x2028, 0x202F},
                                   {0x205F, 0x206F},   {0x3000, 0x3000},   {0xD800, 0xF8FF},   {0xFEFF, 0xFEFF},
                                   {0xFFF0, 0xFFFB},   {0xFFFE, 0xFFFF},   {0x110BD, 0x110BD}, {0x110CD, 0x110CD},
                                   {0x1D173, 0x1D17A}, {0xE0000, 0xE00FF}, {0xE01F0, 0x10FFFF}};

bool is_printable(std::uint32_t c) {
  return std::none_of(std::begin(kNotPrintable), std::end(kNotPrintable),
                      [c](Range r) { return c >= r.first && c <= r.last; });
}

void append_hex(std::string& out, std::uint32_t value, int digits) {
  static constexpr char kDigits[] = "0123456789abcdef";
  for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) out += kDigits[(value >> shift) & 15];
}

void append_utf8(std::string& out, std::uint32_t c) {
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((c >> shift) & 0x3F)); };
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    tail(0);
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | (c >> 12));
    tail(6), tail(0);
  } else {
    out += static_cast<char>(0xF0 | (c >> 18));
    tail(12), tail(6), tail(0);
  }
}

// Length of the UTF-8 sequence at the front, 0 when it is none; `c` gets the code point.
std::size_t decode_utf8(std::string_view text, std::uint32_t& c) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0;
  if (length == 0 || lead > 0xF4 || text.size() < length) return 0;
  c = lead & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0) != 0x80) return 0;
    c = c << 6 | (byte & 0x3F);
  }
  static constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  return c >= kLeast[length] && c <= 0x10FFFF ? length : 0;
}

// One character at the front of `text`, escaped where Python escapes it; returns its length.
std::size_t append_escaped(std::string& out, std::string_view text, char quote) {
  const char ch = text[0];
  const auto byte = static_cast<unsigned char>(ch);
  if (ch == quote || ch == '\\') {
    out += '\\';
    out += ch;
  } else if (ch == '\n') {
    out += "\\n";
  } else if (ch == '\r') {
    out += "\\r";
  } else if (ch == '\t') {
    out += "\\t";
  } else if (byte < 0x20 || byte == 0x7F) {
    out += "\\x";
    append_hex(out, byte, 2);
  } else if (byte < 0x80) {
    out += ch;
  } else {
    std::uint32_t c = 0;
    const std::size_t length = decode_utf8(text, c);
    if (length == 0 || is_printable(c)) {
      out.append(text.substr(0, std::max<std::size_t>(length, 1)));
    } else {
      out += c < 0x100 ? "\\x" : c < 0x10000 ? "\\u" : "\\U";
      append_hex(out, c, c < 0x100 ? 2 : c < 0x10000 ? 4 : 8);
    }
    return std::max<std::size_t>(length, 1);
  }
  return 1;
}

// The value of an escape behind the backslash; returns its length, 0 when it is none.
std::size_t append_unescaped(std::string& out, std::string_view text) {
  static constexpr std::string_view kNames = "nrtabfv\\'\"0", kValues{"\n\r\t\a\b\f\v\\'\"\0", 11};
  if (text.empty()) return 0;
  const char c = text[0];
  const std::size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
  if (digits == 0) {
    const std::size_t at = kNames.find(c);
    if (at == std::string_view::npos) return 0;
    out += kValues[at];
    return 1;
  }
  if (text.size() <= digits) return 0;
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + 1 + digits, value, 16);
  if (error != std::errc() || end != text.data() + 1 + digits || value > 0x10FFFF) return 0;
  append_utf8(out, value);
  return digits + 1;
}

// A part of a complex number at the front: digits as repr writes them, without a needless `.0`.
std::size_t complex_part(std::string_view text) {
  std::size_t at = 0;
  if (text.starts_with("inf") || text.starts_with("nan")) return 3;
  while (at < text.size() && is_digit(text[at])) ++at;
  if (at == 0) return 0;
  if (at + 1 < text.size() && text[at] == '.' && is_digit(text[at + 1])) {
    ++at;
    while (at < text.size() && is_digit(text[at])) ++at;
  }
  if (at + 2 < text.size() && text[at] == 'e' && (text[at + 1] == '+' || text[at + 1] == '-') &&
      is_digit(text[at + 2])) {
    at += 2;
    while (at < text.size() && is_digit(text[at])) ++at;
  }
  return at;
}

bool is_imaginary(std::string_view text) {
  const std::size_t length = complex_part(text);
  return length > 0 && text.substr(length) == "j";
}

}  // namespace

void append_integer(std::string& out, std::int64_t value) {
  char buffer[24];
  const auto [end, error] = std::to_chars(std::begin(buffer), std::end(buffer), value);
  (void)error;
  out.append(buffer, end);
}

void append_float_repr(std::string& out, double value) {
  if (std::isnan(value)) {
    out += "nan";
    return;
  }
  if (std::isinf(value)) {
    out += value < 0 ? "-inf" : "inf";
    return;
  }
  char buffer[40];
  const auto [end, error] = std::to_chars(std::begin(buffer), std::end(buffer), value, std::chars_format::scientific);
  (void)error;
  std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
  const std::size_t e = text.find('e');
  int exponent = 0;
  std::from_chars(text.data() + e + (text[e + 1] == '+' ? 2 : 1), text.data() + text.size(), exponent);
  if (exponent < -4 || exponent >= 16) {
    out += text;
    return;
  }
  if (text[0] == '-') {
    out += '-';
    text.remove_prefix(1);
  }
  char digits[24];
  int count = 0;
  for (const char c : text.substr(0, text.find('e'))) {
    if (is_digit(c)) digits[count++] = c;
  }
  if (exponent < 0) {
    out += "0.";
    out.append(static_cast<std::size_t>(-exponent - 1), '0');
    out.append(digits, static_cast<std::size_t>(count));
    return;
  }
  const int whole = std::min(count, exponent + 1);
  out.append(digits, static_cast<std::size_t>(whole));
  out.append(static_cast<std::size_t>(exponent + 1 - whole), '0');
  out += '.';
  if (count > whole) {
    out.append(digits + whole, static_cast<std::size_t>(count - whole));
  } else {
    out += '0';
  }
}

namespace {

// A part of a complex number: without `.0` where it is whole.
void append_part(std::string& out, double value) {
  append_float_repr(out, value);
  if (out.ends_with(".0")) out.resize(out.size() - 2);
}

std::optional<double> part_value(std::string_view text) {
  double value = 0;
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

}  // namespace

void append_complex_repr(std::string& out, double real, double imaginary) {
  const bool pure = real == 0 && !std::signbit(real);
  if (!pure) {
    out += '(';
    append_part(out, real);
    if (!std::signbit(imaginary) || std::isnan(imaginary)) out += '+';
  }
  append_part(out, imaginary);
  out += pure ? "j" : "j)";
}

std::optional<ComplexParts> parse_complex_repr(std::string_view text) {
  if (!is_complex_repr(text)) return std::nullopt;
  const bool group = text.starts_with('(');
  if (group) text = text.substr(1, text.size() - 2);
  text.remove_suffix(1);
  std::size_t split = 0;
  for (std::size_t i = 1; group && i < text.size(); ++i) {
    if ((text[i] == '+' || text[i] == '-') && text[i - 1] != 'e') split = i;
  }
  const auto real = split == 0 ? std::optional(0.0) : part_value(text.substr(0, split));
  const auto imaginary = part_value(text.substr(split));
  if (!real || !imaginary) return std::nullopt;
  return ComplexParts{*real, *imaginary};
}

void append_string_repr(std::string& out, std::string_view value) {
  const bool has_single = value.find('\'') != std::string_view::npos;
  const char quote = has_single && value.find('"') == std::string_view::npos ? '"' : '\'';
  out += quote;
  while (!value.empty()) value.remove_prefix(append_escaped(out, value, quote));
  out += quote;
}

std::optional<std::string> parse_string_literal(std::string_view literal) {
  if (literal.size() < 2 || (literal[0] != '\'' && literal[0] != '"') || literal.back() != literal[0])
    return std::nullopt;
  const char quote = literal[0];
  literal = literal.substr(1, literal.size() - 2);
  std::string out;
  out.reserve(literal.size());
  while (!literal.empty()) {
    const char c = literal[0];
    literal.remove_prefix(1);
    if (c == quote) return std::nullopt;
    if (c != '\\') {
      out += c;
      continue;
    }
    const std::size_t length = append_unescaped(out, literal);
    if (length == 0) return std::nullopt;
    literal.remove_prefix(length);
  }
  return out;
}

std::optional<double> parse_float_repr(std::string_view text) {
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  constexpr std::size_t kLongest = 32;
  if (text.empty() || text.size() > kLongest ||
      !(is_digit(text[0]) || (text[0] == '-' && text.size() > 1 && is_digit(text[1]))))
    return std::nullopt;
  if (text.find_first_of(".e") == std::string_view::npos) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  std::string printed;
  append_float_repr(printed, value);
  if (printed != text) return std::nullopt;
  return value;
}

bool is_complex_repr(std::string_view text) {
  if (!text.starts_with('(')) return is_imaginary(text.substr(text.starts_with('-') ? 1 : 0));
  if (!text.ends_with(')')) return false;
  text = text.substr(1, text.size() - 2);
  if (text.starts_with('-')) text.remove_prefix(1);
  const std::size_t real = complex_part(text);
  if (real == 0 || real >= text.size() || (text[real] != '+' && text[real] != '-')) return false;
  return is_imaginary(text.substr(real + 1));
}

void append_device_repr(std::string& out, std::string_view device) {
  const std::size_t colon = device.find(':');
  out += "device(type='";
  out += device.substr(0, colon);
  out += '\'';
  if (colon != std::string_view::npos) {
    out += ", index=";
    out += device.substr(colon + 1);
  }
  out += ')';
}

std::optional<std::string> parse_device_arguments(std::string_view arguments) {
  if (arguments.starts_with("type=")) arguments.remove_prefix(5);
  if (arguments.size() < 3 || (arguments[0] != '\'' && arguments[0] != '"')) return std::nullopt;
  const std::size_t close = arguments.find(arguments[0], 1);
  if (close == std::string_view::npos || close == 1) return std::nullopt;
  std::string device(arguments.substr(1, close - 1));
  arguments.remove_prefix(close + 1);
  if (arguments.empty()) return device;
  if (!arguments.starts_with(", ")) return std::nullopt;
  arguments.remove_prefix(2);
  if (arguments.starts_with("index=")) arguments.remove_prefix(6);
  if (arguments.empty() || arguments.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  return device + ':' + std::string(arguments);
}

bool append_simple_repr(std::string& out, const Slot& slot) {
  switch (slot.kind) {
    case ArgKind::none:
      out += "None";
      return true;
    case ArgKind::boolean:
      out += slot.boolean() ? "True" : "False";
      return true;
    case ArgKind::integer:
      append_integer(out, slot.integer());
      return true;
    case ArgKind::floating:
      append_float_repr(out, slot.floating());
      return true;
    case ArgKind::ellipsis:
      out += "Ellipsis";
      return true;
    default:
      return false;
  }
}

bool append_text_repr(std::string& out, ArgKind kind, std::string_view text) {
  if (kind == ArgKind::string) {
    append_string_repr(out, text);
  } else if (kind == ArgKind::device) {
    append_device_repr(out, text);
  } else {
    return false;
  }
  return true;
}

}  // namespace fxrules
