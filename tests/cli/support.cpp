#include "tests/cli/support.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "cli/run.hpp"

namespace fxrules::cli {
namespace fs = std::filesystem;

Folder::Folder() {
  std::string name = (fs::temp_directory_path() / "fxrules-cli-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  root_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(root_, ignored);
}

std::string Folder::write(const std::string& name, const std::string& text) const {
  std::ofstream(path(name), std::ios::binary) << text;
  return path(name);
}

std::string Folder::read(const std::string& name) const {
  std::ifstream file(path(name), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool Folder::has(const std::string& name) const { return fs::exists(root_ / name); }

std::size_t Folder::files() const {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(root_), fs::directory_iterator()));
}

Ran run_program(const std::vector<std::string>& arguments, const std::string& input, bool color) {
  ::setenv("FXRULES_DATA_DIR", FXRULES_SHARE_DIR, 1);
  std::istringstream in(input);
  std::ostringstream out, err;
  Console console{in, out, err, color, color, false};
  const int code = run(arguments, console);
  return {code, out.str(), err.str()};
}

}  // namespace fxrules::cli
