// Runs the program in this process, in a folder of its own.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace fxrules::cli {

struct Ran {
  int code = -1;
  std::string out, err;
};

// A temporary folder; files are named relative to it.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  // Writes the file and returns its whole path.
  std::string write(const std::string& name, const std::string& text) const;
  [[nodiscard]] std::string path(const std::string& name) const { return (root_ / name).string(); }
  [[nodiscard]] std::string read(const std::string& name) const;
  [[nodiscard]] bool has(const std::string& name) const;
  [[nodiscard]] std::size_t files() const;

 private:
  std::filesystem::path root_;
};

// `color`: as if both streams were terminals.
[[nodiscard]] Ran run_program(const std::vector<std::string>& arguments, const std::string& input = {},
                              bool color = false);

}  // namespace fxrules::cli
