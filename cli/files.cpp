// Plain POSIX calls: streams do not tell why a file cannot be read.
#include "cli/files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <istream>
#include <iterator>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/console.hpp"

namespace fxrules::cli {
namespace {

[[noreturn]] void throw_system_error(std::string_view kind, std::string_view doing, const std::string& path,
                                     int reason) {
  throw Error({plain_error(kind, fmt::format("cannot {} `{}`: {}", doing, path, std::strerror(reason)))});
}

struct Descriptor {
  int value;
  explicit Descriptor(int descriptor) : value(descriptor) {}
  ~Descriptor() {
    if (value >= 0) ::close(value);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
};

// 0 on success, else errno.
int read_all(int descriptor, std::string& text) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  constexpr std::size_t kRoom = 128;  // parsers look ahead: they need no copy then
  struct stat facts {};
  if (::fstat(descriptor, &facts) != 0) return errno;
  text.resize(facts.st_size > 0 ? static_cast<std::size_t>(facts.st_size) + kRoom : kPiece);
  std::size_t have = 0;
  while (true) {
    if (have == text.size()) text.resize(2 * have);  // for what does not tell its size
    const ssize_t got = ::read(descriptor, text.data() + have, text.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  text.resize(have);
  return 0;
}

std::string read_file(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.value < 0) throw_system_error("unreadable", "read", path, errno);
  std::string text;
  if (const int reason = read_all(file.value, text); reason != 0)
    throw_system_error("unreadable", "read", path, reason);
  return text;
}

unsigned mode_for_new_files() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666U & ~mask;
}

std::string behind_links(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::path target = std::filesystem::weakly_canonical(path, ignored);
  return target.empty() ? path : target.string();
}

}  // namespace

SourcePtr read_source(const std::string& path, std::istream& standard_input) {
  if (path == "-") {
    std::string text{std::istreambuf_iterator<char>(standard_input), std::istreambuf_iterator<char>()};
    return std::make_shared<Source>(Source{"<stdin>", std::move(text)});
  }
  return std::make_shared<Source>(Source{path, read_file(path)});
}

SourcePtr map_source(const std::string& path, std::istream& standard_input) {
  constexpr off_t kLarge = off_t{8} << 20;  // below, reading costs nothing to speak of
  const Descriptor file(path == "-" ? -1 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat facts {};
  if (file.value < 0 || ::fstat(file.value, &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_size < kLarge)
    return read_source(path, standard_input);
  const auto size = static_cast<std::size_t>(facts.st_size);
  void* const at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.value, 0);
  if (at == MAP_FAILED) return read_source(path, standard_input);
  const std::shared_ptr<const void> holder(at, [size](void* mapped) { ::munmap(mapped, size); });
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return std::make_shared<Source>(path, std::string_view(static_cast<const char*>(at), size),
                                  (page - size % page) % page, holder);
}

OutputFile::OutputFile(const std::string& path) : path_(path), target_(path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) {
    target_ = behind_links(path);
    open_beside(mode_for_new_files());
  } else if (S_ISDIR(facts.st_mode)) {
    errno = EISDIR;
    fail();
  } else if (S_ISREG(facts.st_mode)) {
    target_ = behind_links(path);
    open_beside(facts.st_mode & 07777U);
  } else {
    open_in_place();
  }
}

void OutputFile::open_in_place() {
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor_ < 0) fail();
}

void OutputFile::open_beside(unsigned mode) {
  std::string name = target_ + ".XXXXXX";
  descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor_ < 0) fail();
  temporary_ = std::move(name);
  ::fchmod(descriptor_, static_cast<mode_t>(mode));  // an unusual mode is no reason to give up
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::fail() const { throw_system_error("unwritable", "write", path_, errno); }

void OutputFile::write(std::string_view piece) {
  while (!piece.empty()) {
    const ssize_t put = ::write(descriptor_, piece.data(), piece.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail();
    piece.remove_prefix(static_cast<std::size_t>(put));
  }
}

void OutputFile::patch(std::uint64_t at, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail();
    bytes.remove_prefix(static_cast<std::size_t>(put));
    at += static_cast<std::uint64_t>(put);
  }
}

void OutputFile::commit() {
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (::close(descriptor) != 0) fail();
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail();
  temporary_.clear();
}

Spool::Spool() : file_(std::tmpfile()) {
  if (file_ == nullptr) throw_system_error("unwritable", "write", "a temporary file", errno);
}

Spool::~Spool() { std::fclose(file_); }

void Spool::write(std::string_view piece) {
  if (std::fwrite(piece.data(), 1, piece.size(), file_) != piece.size())
    throw_system_error("unwritable", "write", "a temporary file", errno);
}

void Spool::patch(std::uint64_t at, std::string_view bytes) {
  if (::fseeko(file_, static_cast<off_t>(at), SEEK_SET) != 0)
    throw_system_error("unwritable", "write", "a temporary file", errno);
  write(bytes);
  if (::fseeko(file_, 0, SEEK_END) != 0) throw_system_error("unwritable", "write", "a temporary file", errno);
}

void Spool::drain(const std::function<void(std::string_view)>& sink) {
  if (std::fflush(file_) != 0) throw_system_error("unwritable", "write", "a temporary file", errno);
  std::rewind(file_);
  std::string piece(std::size_t{1} << 20, '\0');
  for (std::size_t got = 0; (got = std::fread(piece.data(), 1, piece.size(), file_)) > 0;)
    sink(std::string_view(piece).substr(0, got));
  if (std::ferror(file_) != 0) throw_system_error("unreadable", "read", "a temporary file", errno);
}

}  // namespace fxrules::cli
