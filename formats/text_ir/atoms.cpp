// Decided by the first character, so that the common literals cost a comparison or two.
#include "formats/text_ir/atoms.hpp"

#include <algorithm>
#include <charconv>

#include "formats/python_literals.hpp"

namespace fxrules::text_ir {
namespace {

constexpr std::string_view kLayouts[] = {"torch.strided",    "torch.sparse_coo", "torch.sparse_csr", "torch.sparse_csc",
                                         "torch.sparse_bsr", "torch.sparse_bsc", "torch._mkldnn",    "torch.jagged"};
constexpr std::string_view kMemoryFormats[] = {"torch.contiguous_format", "torch.channels_last",
                                               "torch.channels_last_3d", "torch.preserve_format"};

template <std::size_t N>
bool contains(const std::string_view (&names)[N], std::string_view text) {
  return std::find(std::begin(names), std::end(names), text) != std::end(names);
}

Slot spelled(Symbols& symbols, ArgKind kind, std::string_view text) {
  return Slot::of_symbol(kind, symbols.intern(text));
}

Slot number(Symbols& symbols, std::string_view text) {
  const std::string_view digits = text.substr(text[0] == '-' ? 1 : 0);
  if (std::all_of(digits.begin(), digits.end(), is_digit)) {
    const bool canonical = digits == "0" ? text.size() == 1 : digits[0] != '0';
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (canonical && error == std::errc()) return Slot::of_integer(value);
    return spelled(symbols, canonical ? ArgKind::opaque : ArgKind::bare, text);
  }
  if (const auto value = parse_float_repr(text)) return Slot::of_floating(*value);
  return spelled(symbols, is_complex_repr(text) ? ArgKind::complex : ArgKind::bare, text);
}

Slot torch_constant(Symbols& symbols, std::string_view text) {
  if (contains(kLayouts, text)) return spelled(symbols, ArgKind::layout, text);
  if (contains(kMemoryFormats, text)) return spelled(symbols, ArgKind::memory_format, text);
  const bool dtype = text.find('.', 6) == std::string_view::npos && parse_dtype(text).has_value();
  return spelled(symbols, dtype ? ArgKind::dtype : ArgKind::bare, text);
}

// aten.add.Tensor: a name space that only ops have, a name and an overload.
bool is_op(std::string_view text) {
  if (!text.starts_with("aten.") && !text.starts_with("prims.")) return false;
  const std::size_t dot = text.find('.');
  const std::size_t second = text.find('.', dot + 1);
  return second != std::string_view::npos && is_identifier(text.substr(dot + 1, second - dot - 1)) &&
         is_identifier(text.substr(second + 1));
}

}  // namespace

bool is_identifier(std::string_view text) {
  return !text.empty() && is_letter(text[0]) && std::all_of(text.begin(), text.end(), is_name);
}

bool is_size_symbol(std::string_view text) {
  static constexpr std::string_view kStems[] = {"s", "u", "f", "i", "zf", "zuf"};
  std::size_t stem = 0;
  while (stem < text.size() && !is_digit(text[stem])) ++stem;
  if (stem == text.size() || !contains(kStems, text.substr(0, stem))) return false;
  return std::all_of(text.begin() + static_cast<std::ptrdiff_t>(stem), text.end(), is_digit);
}

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

Slot literal_of(Symbols& symbols, std::string_view text) {
  if (text.empty()) return spelled(symbols, ArgKind::bare, text);
  switch (text[0]) {
    case '-':
      if (text == "-inf") return Slot::of_floating(*parse_float_repr(text));
      if (text.size() > 1 && is_digit(text[1])) return number(symbols, text);
      if (is_complex_repr(text)) return spelled(symbols, ArgKind::complex, text);
      break;
    case 'N':
      if (text == "None") return Slot::of_kind(ArgKind::none);
      break;
    case 'T':
      if (text == "True") return Slot::of_boolean(true);
      break;
    case 'F':
      if (text == "False") return Slot::of_boolean(false);
      break;
    case 'E':
      if (text == "Ellipsis") return Slot::of_kind(ArgKind::ellipsis);
      break;
    case 'i':
    case 'n':
      if (text == "inf" || text == "nan") return Slot::of_floating(*parse_float_repr(text));
      if (is_complex_repr(text)) return spelled(symbols, ArgKind::complex, text);
      break;
    case 't':
      if (text.starts_with("torch.")) return torch_constant(symbols, text);
      break;
    case 'a':
    case 'p':
      if (is_op(text)) return spelled(symbols, ArgKind::op, text);
      break;
    case '(':
      if (is_complex_repr(text)) return spelled(symbols, ArgKind::complex, text);
      break;
    case '<':
      if (text.back() == '>') return spelled(symbols, ArgKind::opaque, text);
      break;
    default:
      if (is_digit(text[0])) return number(symbols, text);
      break;
  }
  return spelled(symbols, ArgKind::bare, text);
}

}  // namespace fxrules::text_ir
