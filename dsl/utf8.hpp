// Whether bytes are UTF-8: strings and texts of rule files must be, comments need not.
#pragma once

#include <string>
#include <string_view>

namespace fxrules::dsl {

[[nodiscard]] bool is_utf8(std::string_view bytes);
void append_utf8(std::string& out, char32_t code);

}  // namespace fxrules::dsl
