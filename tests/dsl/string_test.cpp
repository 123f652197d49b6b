// Escapes of strings and of the pieces of texts.
#include "dsl/ast.hpp"
#include "dsl/utf8.hpp"
#include "tests/support/catch.hpp"

namespace fxrules::dsl {
namespace {

TEST_CASE("strings are resolved as Python does") {
  CHECK(string_value(R"("")") == "");
  CHECK(string_value(R"('a"b')") == "a\"b");
  CHECK(string_value(R"("a\tb\n\\ \' \" \a\b\f\r\v")") == "a\tb\n\\ ' \" \a\b\f\r\v");
  CHECK(string_value(R"("\x41\u00e9\u20ac\U0001F600")") == "A\u00e9\u20ac\U0001F600");
  CHECK(string_value(R"("\d {{x}}")") == "\\d {{x}}");
  CHECK(string_value(R"("\0")") == std::string(1, '\0'));
}

TEST_CASE("doubled braces are single ones in texts") {
  CHECK(piece_value("a {{b}} 'c'") == "a {b} 'c'");
  CHECK(piece_value(R"(\"\x7b)") == "\"{");
}

TEST_CASE("UTF-8 is recognised") {
  CHECK(is_utf8("plain"));
  CHECK(is_utf8("caf\u00e9 \U0001F600"));
  CHECK_FALSE(is_utf8("caf\xE9"));
  CHECK_FALSE(is_utf8("\xED\xA0\x80"));  // a surrogate
  CHECK_FALSE(is_utf8("\xF0\x9F"));
}

}  // namespace
}  // namespace fxrules::dsl
