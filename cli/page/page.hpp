// The parts of the report page that are the same for every run, from the files beside this one.
#pragma once

#include <string_view>

namespace fxrules::cli {

extern const std::string_view kPageHead;    // up to the data, style included
extern const std::string_view kPageScript;  // behind it
}  // namespace fxrules::cli
