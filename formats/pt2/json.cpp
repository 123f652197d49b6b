#include "formats/pt2/json.hpp"

#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace fxrules::pt2 {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// Behind the quote that closes the string whose text starts at `at`.
std::size_t closing_quote(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return std::min(at, text.size());
}

std::uint32_t offset(const char* place, std::string_view text) {
  return static_cast<std::uint32_t>(place - text.data());
}

}  // namespace

Json::Json(std::string_view whole, std::size_t room, Range part) : whole_(whole) {
  const std::size_t length = part.end - part.begin;
  document_ = parser_.iterate(
      simdjson::padded_string_view(whole.data() + part.begin, length, length + (whole.size() - part.end) + room));
  last_ = part.begin;
}

Object Json::root() { return document_.get_object(); }

std::uint32_t Json::begin(Value& value) {
  const std::string_view raw = value.raw_json_token();
  return last_ = offset(raw.data(), whole_);
}

std::uint32_t Json::end() {
  const char* place = nullptr;
  std::size_t at = whole_.size();
  if (document_.current_location().get(place) == simdjson::SUCCESS) at = offset(place, whole_);
  while (at > 0 && is_blank(whole_[at - 1])) --at;
  return static_cast<std::uint32_t>(at);
}

Range Json::skip(Value& value) {
  const std::uint32_t from = begin(value);
  std::string_view raw;
  switch (value.type()) {
    case simdjson::ondemand::json_type::object: {
      Object object = value.get_object();
      raw = object.raw_json();
      break;
    }
    case simdjson::ondemand::json_type::array: {
      Array array = value.get_array();
      raw = array.raw_json();
      break;
    }
    default:
      raw = token(value);
  }
  while (!raw.empty() && is_blank(raw.back())) raw.remove_suffix(1);
  return {from, from + static_cast<std::uint32_t>(raw.size())};
}

std::string_view Json::key(Field& field) const {
  const std::size_t from = offset(field.key().raw(), whole_);
  return whole_.substr(from, closing_quote(whole_, from) - from);
}

Range Json::key_range(Field& field) const {
  const std::uint32_t from = offset(field.key().raw(), whole_);
  return {from - 1, static_cast<std::uint32_t>(closing_quote(whole_, from) + 1)};
}

std::string_view Json::token(Value& value) {
  std::string_view raw = value.raw_json_token();
  last_ = offset(raw.data(), whole_);
  while (!raw.empty() && is_blank(raw.back())) raw.remove_suffix(1);
  return raw;
}

void Json::expected(Value& value, std::string_view what, std::string_view type) {
  const std::string_view raw = token(value);
  throw Problem{"malformed-program",
                fmt::format("{} must be {}", what, type),
                {last_, last_ + static_cast<std::uint32_t>(raw.size())}};
}

Object Json::object(Value& value, std::string_view what) {
  if (value.type() != simdjson::ondemand::json_type::object) expected(value, what, "an object");
  return value.get_object();
}

Array Json::array(Value& value, std::string_view what) {
  if (value.type() != simdjson::ondemand::json_type::array) expected(value, what, "a list");
  return value.get_array();
}

std::string_view Json::string(Value& value, std::string_view what, Range* place) {
  const std::string_view raw = token(value);
  if (raw.size() < 2 || raw.front() != '"' || raw.back() != '"') expected(value, what, "a string");
  if (place != nullptr) *place = {last_, last_ + static_cast<std::uint32_t>(raw.size())};
  const std::string_view inside = raw.substr(1, raw.size() - 2);
  if (inside.find('\\') == std::string_view::npos) return inside;
  return value.get_string();
}

std::int64_t Json::integer(Value& value, std::string_view what) {
  const std::string_view raw = token(value);
  std::int64_t number = 0;
  const auto read = std::from_chars(raw.data(), raw.data() + raw.size(), number);
  if (read.ec != std::errc() || read.ptr != raw.data() + raw.size()) expected(value, what, "an integer of 64 bits");
  return number;
}

double Json::number(Value& value, std::string_view what, bool* bare, bool* quoted) {
  const std::string_view raw = token(value);
  const bool in_quotes = raw.size() > 2 && raw.front() == '"' && raw.back() == '"';
  const std::string_view word = in_quotes ? raw.substr(1, raw.size() - 2) : raw;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const bool special = word == "Infinity" || word == "-Infinity" || word == "NaN";
  if (special && !in_quotes && bare != nullptr) *bare = true;
  if (special && in_quotes && quoted != nullptr) *quoted = true;
  if (word == "Infinity") return kInfinity;
  if (word == "-Infinity") return -kInfinity;
  if (word == "NaN") return std::numeric_limits<double>::quiet_NaN();
  double number = 0;
  const auto read = std::from_chars(raw.data(), raw.data() + raw.size(), number);
  const bool whole = read.ptr == raw.data() + raw.size() && !raw.empty();
  if (!whole || (read.ec != std::errc() && read.ec != std::errc::result_out_of_range))
    expected(value, what, "a number");
  if (read.ec == std::errc::result_out_of_range) expected(value, what, "a number that a float can hold");
  return number;
}

bool Json::boolean(Value& value, std::string_view what) {
  const std::string_view raw = token(value);
  if (raw != "true" && raw != "false") expected(value, what, "true or false");
  return raw == "true";
}

bool Json::is_null(Value& value) { return token(value) == "null"; }

std::string Json::describe(simdjson::error_code error) {
  switch (error) {
    case simdjson::UTF8_ERROR:
      return "the text is not UTF-8";
    case simdjson::UNCLOSED_STRING:
      return "a string is not closed";
    case simdjson::EMPTY:
      return "the text ends where a value must stand";
    case simdjson::CAPACITY:
      return "the text is too long";
    case simdjson::MEMALLOC:
      return "there is not enough memory";
    case simdjson::STRING_ERROR:
      return "this string holds an escape that is none";
    case simdjson::INCORRECT_TYPE:
      return "a value of another kind must stand here";
    case simdjson::DEPTH_ERROR:
      return "values are nested too deep";
    default:
      return "this is no JSON from here on";
  }
}

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
          out += c;  // UTF-8 as it is
        }
    }
  }
  return out + '"';
}

void append_number(std::string& out, double value, bool bare_infinity) {
  if (std::isfinite(value)) {
    std::string text = fmt::format("{}", value);
    if (text.find_first_of(".en") == std::string::npos) text += ".0";
    out += text;
    return;
  }
  const std::string_view word = std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
  if (!bare_infinity) out += '"';
  out += word;
  if (!bare_infinity) out += '"';
}

}  // namespace fxrules::pt2
