// FX's naming convention, so that nodes made here are named as FX would name them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fxrules/catalogue.hpp"

namespace fxrules {

struct NameParts {
  std::string stem;          // a legal identifier, without its numeric suffix
  std::uint32_t number = 0;  // 0: no suffix
};

[[nodiscard]] NameParts legal_name(std::string_view base);
// Python keywords and builtins, and the names that FX's generated code uses itself.
[[nodiscard]] bool is_reserved_name(std::string_view name);
[[nodiscard]] std::string name_of_target(Opcode opcode, std::string_view target);

}  // namespace fxrules
