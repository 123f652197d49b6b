#include "dsl/utf8.hpp"

#include <algorithm>

#include <tao/pegtl.hpp>

namespace fxrules::dsl {

bool is_utf8(std::string_view bytes) {
  const auto ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::all_of(bytes.begin(), bytes.end(), ascii)) return true;
  using namespace tao::pegtl;  // NOLINT
  memory_input<tracking_mode::lazy> in(bytes.data(), bytes.size(), "");
  return parse<seq<star<utf8::any>, eof>>(in);
}

void append_utf8(std::string& out, char32_t code) {
  const auto byte = [&](unsigned value) { out.push_back(static_cast<char>(value)); };
  const auto tail = [&](unsigned shift) { byte(0x80u | ((code >> shift) & 0x3Fu)); };
  if (code < 0x80) return byte(code);
  if (code < 0x800) return byte(0xC0u | (code >> 6)), tail(0);
  if (code < 0x10000) return byte(0xE0u | (code >> 12)), tail(6), tail(0);
  byte(0xF0u | (code >> 18)), tail(12), tail(6), tail(0);
}

}  // namespace fxrules::dsl
