#pragma once

#include <cstddef>
#include <string>

namespace fxrules {

// What is wrong, by offsets into the whole text. Readers make a diagnostic of it.
struct Problem {
  std::string kind, message, hint;
  std::size_t begin = 0, end = 0;
  std::string related = {};  // empty: none
  std::size_t related_at = 0;
};

}  // namespace fxrules
