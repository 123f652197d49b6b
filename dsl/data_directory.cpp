#include <cstdlib>
#include <system_error>

#include "fxrules/rule_set.hpp"

namespace fxrules {

std::filesystem::path data_directory() {
  if (const char* given = std::getenv("FXRULES_DATA_DIR"); given != nullptr && *given != '\0') return given;
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path folder = error ? std::filesystem::path() : self.parent_path();
  return folder.parent_path() / "share" / "fxrules";
}

}  // namespace fxrules
