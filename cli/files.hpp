// Files in and out. Everything here throws Error with a sentence that names the file and the reason.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

#include "fxrules/diagnostic.hpp"

namespace fxrules::cli {

// The whole file; "-" is `standard_input`, whose name in diagnostics is `<stdin>`.
[[nodiscard]] SourcePtr read_source(const std::string& path, std::istream& standard_input);
// The same of what may be large: such files are mapped. Who cuts one short meanwhile ends the program.
[[nodiscard]] SourcePtr map_source(const std::string& path, std::istream& standard_input);

// A file that appears whole or not at all: pieces go to a file beside it, `commit` renames that. What is no
// plain file (a device, a pipe) is written as it stands. An existing file keeps its mode; a symbolic link
// stays one and its target is replaced.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view piece);
  // Bytes in the place of as many that were written; only where `can_patch`.
  void patch(std::uint64_t at, std::string_view bytes);
  [[nodiscard]] bool can_patch() const { return !temporary_.empty(); }
  void commit();

 private:
  void open_in_place();
  void open_beside(unsigned mode);
  [[noreturn]] void fail() const;

  std::string path_;       // as given
  std::string target_;     // behind symbolic links
  std::string temporary_;  // empty: written in place, or done
  int descriptor_ = -1;
};

// What must be complete before the first byte goes out, as an archive for a pipe: a file without a name.
class Spool {
 public:
  Spool();
  ~Spool();
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  void write(std::string_view piece);
  void patch(std::uint64_t at, std::string_view bytes);
  void drain(const std::function<void(std::string_view)>& sink);

 private:
  std::FILE* file_;
};

}  // namespace fxrules::cli
