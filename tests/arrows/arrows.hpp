// Reads every #include of the rooms and of include/fxrules.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/arrows/rooms.hpp"

namespace fxrules::arrows {

struct Findings {
  std::vector<std::string> wrong;  // "file:line: what", in the order of the rooms and file names
  std::size_t files = 0;
  std::size_t includes = 0;
};

[[nodiscard]] Findings read_includes(const std::filesystem::path& root, const std::vector<Room>& rooms,
                                     const std::vector<std::string>& common_headers);

}  // namespace fxrules::arrows
