#include "formats/code/operators.hpp"

#include <algorithm>
#include <iterator>

namespace fxrules::code {
namespace {

// Longer tokens stand before their beginnings.
constexpr Operator kBinary[] = {{"pow", "**"}, {"floordiv", "//"}, {"lshift", "<<"}, {"rshift", ">>"}, {"le", "<="},
                                {"ge", ">="},  {"eq", "=="},       {"ne", "!="},     {"add", "+"},     {"sub", "-"},
                                {"mul", "*"},  {"truediv", "/"},   {"mod", "%"},     {"and_", "&"},    {"or_", "|"},
                                {"xor", "^"},  {"matmul", "@"},    {"lt", "<"},      {"gt", ">"}};
constexpr Operator kInPlace[] = {{"ipow", "**="},  {"ifloordiv", "//="}, {"ilshift", "<<="}, {"irshift", ">>="},
                                 {"iadd", "+="},   {"isub", "-="},       {"imul", "*="},     {"itruediv", "/="},
                                 {"imod", "%="},   {"iand", "&="},       {"ior", "|="},      {"ixor", "^="},
                                 {"imatmul", "@="}};
constexpr Operator kUnary[] = {{"pos", "+"}, {"neg", "-"}, {"invert", "~"}};

template <std::size_t N>
const Operator* at_front(const Operator (&table)[N], std::string_view text) {
  const auto* found =
      std::find_if(std::begin(table), std::end(table), [&](const Operator& o) { return text.starts_with(o.token); });
  return found == std::end(table) ? nullptr : found;
}

template <std::size_t N>
const Operator* by_function(const Operator (&table)[N], std::string_view function) {
  const auto* found =
      std::find_if(std::begin(table), std::end(table), [&](const Operator& o) { return o.function == function; });
  return found == std::end(table) ? nullptr : found;
}

}  // namespace

const Operator* binary_at(std::string_view text) { return at_front(kBinary, text); }
const Operator* in_place_at(std::string_view text) { return at_front(kInPlace, text); }
const Operator* unary_at(char token) { return at_front(kUnary, {&token, 1}); }

const Operator* find_binary(std::string_view function) {
  return by_function(kBinary, function == "div" ? "truediv" : function);
}
const Operator* find_in_place(std::string_view function) { return by_function(kInPlace, function); }
const Operator* find_unary(std::string_view function) { return by_function(kUnary, function); }

}  // namespace fxrules::code
