#include "engine/graph/naming.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace fxrules {
namespace {

constexpr std::string_view kReserved[] = {
#include "engine/graph/reserved_names.inc"
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_identifier_char(char c) { return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// fooBar -> foo_bar, Tensor -> tensor
std::string snake_case(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c >= 'A' && c <= 'Z' && i > 0 && text[i - 1] >= 'a' && text[i - 1] <= 'z') out += '_';
    out += lower(c);
  }
  return out;
}

bool is_op_overload(std::string_view target) {
  return target.starts_with("torch.ops.") || target.find(".edge._ops.") != std::string_view::npos;
}

}  // namespace

NameParts legal_name(std::string_view base) {
  std::string name(base);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !is_identifier_char(c); }, '_');
  if (name.empty()) name = "_unnamed";
  if (is_digit(name.front())) name.insert(name.begin(), '_');
  const std::size_t last = name.find_last_not_of("0123456789");
  const std::size_t digits = name.size() - last - 1;
  if (digits == 0 || digits > 8 || last == std::string::npos || last == 0 || name[last] != '_') return {name, 0};
  const auto number = static_cast<std::uint32_t>(std::stoul(name.substr(last + 1)));
  if (number == 0 || name[last + 1] == '0') return {name, 0};
  return {name.substr(0, last), number};
}

bool is_reserved_name(std::string_view name) {
  return std::binary_search(std::begin(kReserved), std::end(kReserved), name);
}

std::string name_of_target(Opcode opcode, std::string_view target) {
  if (opcode == Opcode::call_module || opcode == Opcode::get_attr || opcode == Opcode::placeholder) {
    while (target.starts_with('*')) target.remove_prefix(1);
    return snake_case(target);
  }
  if (opcode == Opcode::call_function) {
    // An overload is named after its op too: add.Tensor; other functions by the last part of their path.
    std::size_t cut = target.rfind('.');
    if (cut != std::string_view::npos && is_op_overload(target)) {
      const std::string_view path =
          target.substr(0, target.find(".edge._ops.") == std::string_view::npos ? 10 : target.find(".edge._ops.") + 11);
      const std::size_t space = target.find('.', path.size());
      cut = space == std::string_view::npos ? cut : space;
    }
    if (cut != std::string_view::npos) target.remove_prefix(cut + 1);
  }
  const bool magic = target.size() > 4 && target.starts_with("__") && target.ends_with("__");
  if (opcode == Opcode::call_method && magic) target = target.substr(2, target.size() - 4);
  return snake_case(target);
}

}  // namespace fxrules
