// fxrules rules: each shipped rule file with the first line of its opening comment.
#include <algorithm>
#include <filesystem>
#include <ostream>

#include <fmt/format.h>

#include "cli/files.hpp"
#include "cli/rule_files.hpp"
#include "cli/run.hpp"

namespace fxrules::cli {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> shipped_files() {
  std::vector<fs::path> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(shipped_rules(), error)) {
    if (entry.path().extension() == ".rules") files.push_back(entry.path());
  }
  if (error)
    throw Error(
        {plain_error("unreadable", fmt::format("cannot read `{}`: {}", shipped_rules().string(), error.message()))});
  std::sort(files.begin(), files.end());
  return files;
}

// "# device.rules - explicit devices become the target's." without what the reader sees already.
std::string_view summary(std::string_view text, std::string_view name) {
  std::string_view line = text.substr(0, text.find('\n'));
  if (!line.starts_with('#')) return {};
  line.remove_prefix(std::min(line.find_first_not_of("# "), line.size()));
  if (line.starts_with(name)) {
    line.remove_prefix(name.size());
    line.remove_prefix(std::min(line.find_first_not_of(" -:"), line.size()));
  }
  return line;
}

}  // namespace

int rules_command(const Options&, Console& console) {
  for (const fs::path& path : shipped_files()) {
    const std::string name = path.filename().string();
    const SourcePtr source = read_source(path.string(), console.in);
    console.out << fmt::format("{:<18} {}\n", name, summary(source->text, name));
  }
  return kSuccess;
}

}  // namespace fxrules::cli
