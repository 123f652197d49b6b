// What a zip file is, by the names in it.
#pragma once

#include <string_view>

#include "fxrules/formats.hpp"

namespace fxrules {

[[nodiscard]] GraphForm archive_form(std::string_view table_of_contents);
// Why a form is not read, and what to give instead.
[[nodiscard]] Diagnostic refusal(std::string_view file, GraphForm form);

}  // namespace fxrules
