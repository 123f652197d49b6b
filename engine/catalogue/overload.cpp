// What an overload answers about itself.
#include <algorithm>
#include <array>

#include "fxrules/catalogue.hpp"

namespace fxrules {
namespace {

// Torch's Python argument parser takes these for one another; the first of a group that a signature has
// is meant.
constexpr std::array<std::array<std::string_view, 5>, 4> synonyms{{
    {"self", "input", "x", "x1", "a"},
    {"other", "x2", {}, {}, {}},
    {"dim", "axis", {}, {}, {}},
    {"keepdim", "keepdims", {}, {}, {}},
}};

int find_exact(const Overload& overload, std::string_view name) {
  const auto& all = overload.arguments;
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& a) { return a.name == name; });
  return found == all.end() ? -1 : static_cast<int>(found - all.begin());
}

int find_role(const Overload& overload, std::string_view name) {
  const auto& all = overload.arguments;
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& a) { return a.role == name; });
  return found == all.end() ? -1 : static_cast<int>(found - all.begin());
}

int find_synonym(const Overload& overload, std::string_view name) {
  for (const auto& group : synonyms) {
    if (std::find(group.begin(), group.end(), name) == group.end()) continue;
    for (const std::string_view other : group) {
      const int place = other.empty() ? -1 : find_exact(overload, other);
      if (place >= 0 && overload.arguments[static_cast<std::size_t>(place)].role.empty()) return place;
    }
  }
  return -1;
}

}  // namespace

bool Overload::writes() const {
  return std::any_of(arguments.begin(), arguments.end(), [](const auto& argument) { return argument.writes; });
}

int Overload::find(std::string_view keyword) const {
  if (const int place = find_exact(*this, keyword); place >= 0) return place;
  if (const int place = find_role(*this, keyword); place >= 0) return place;
  return find_synonym(*this, keyword);
}

std::string_view to_string(Opcode opcode) {
  switch (opcode) {
    case Opcode::placeholder:
      return "placeholder";
    case Opcode::get_attr:
      return "get_attr";
    case Opcode::call_function:
      return "call_function";
    case Opcode::call_method:
      return "call_method";
    case Opcode::call_module:
      return "call_module";
    case Opcode::output:
      return "output";
  }
  return "";
}

}  // namespace fxrules
