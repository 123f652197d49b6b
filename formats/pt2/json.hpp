// A thin layer over simdjson's on-demand parser: values with their places in the text, and strings that are not
// copied unless they hold escapes. The parser goes forward only; what is not asked for is skipped.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <simdjson.h>

#include "formats/pt2/origin.hpp"

namespace fxrules::pt2 {

using Value = simdjson::ondemand::value;
using Object = simdjson::ondemand::object;
using Array = simdjson::ondemand::array;
using Field = simdjson::ondemand::field;

// Throws the parser's error, as all that follows does.
inline Field field_of(simdjson::simdjson_result<Field> field) { return std::move(field).take_value(); }

// What is wrong with the text at a place of it.
struct Problem {
  std::string kind, message;
  Range place;
  std::string hint = {};
};

class Json {
 public:
  static constexpr std::size_t kPadding = simdjson::SIMDJSON_PADDING;

  // Text within `whole`, which has room for kPadding more bytes behind it.
  Json(std::string_view whole, std::size_t room, Range part);
  Json(const Json&) = delete;
  Json& operator=(const Json&) = delete;

  [[nodiscard]] Object root();

  [[nodiscard]] std::uint32_t begin(Value& value);
  // Behind the object or array whose fields or items were read last.
  [[nodiscard]] std::uint32_t end();
  [[nodiscard]] Range skip(Value& value);
  [[nodiscard]] std::string_view text(Range range) const { return whole_.substr(range.begin, range.end - range.begin); }

  // Key of a field; escapes are left as they are, since no key that is asked for has any.
  [[nodiscard]] std::string_view key(Field& field) const;
  [[nodiscard]] Range key_range(Field& field) const;

  [[nodiscard]] Object object(Value& value, std::string_view what);
  [[nodiscard]] Array array(Value& value, std::string_view what);
  // Without quotes; valid as long as this object. `token`: where it stands, with its quotes.
  [[nodiscard]] std::string_view string(Value& value, std::string_view what, Range* token = nullptr);
  [[nodiscard]] std::int64_t integer(Value& value, std::string_view what);
  // A number, or Infinity, -Infinity and NaN, bare or as strings.
  [[nodiscard]] double number(Value& value, std::string_view what, bool* bare = nullptr, bool* quoted = nullptr);
  [[nodiscard]] bool boolean(Value& value, std::string_view what);
  [[nodiscard]] bool is_null(Value& value);

  [[nodiscard]] std::uint32_t last() const { return last_; }  // where the last value began
  [[nodiscard]] static std::string describe(simdjson::error_code error);

 private:
  [[noreturn]] void expected(Value& value, std::string_view what, std::string_view type);
  [[nodiscard]] std::string_view token(Value& value);

  std::string_view whole_;
  simdjson::ondemand::parser parser_;
  simdjson::ondemand::document document_;
  std::uint32_t last_ = 0;
};

// Text as a JSON string, with its quotes, as Python's json.dumps writes it.
[[nodiscard]] std::string in_quotes(std::string_view text);
void append_number(std::string& out, double value, bool bare_infinity);

}  // namespace fxrules::pt2
