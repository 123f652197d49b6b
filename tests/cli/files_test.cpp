#include "cli/files.hpp"

#include <filesystem>
#include <sstream>

#include <sys/stat.h>
#include <unistd.h>

#include "tests/cli/support.hpp"
#include "tests/support/catch.hpp"

using namespace fxrules;
using namespace fxrules::cli;
namespace fs = std::filesystem;

namespace {

void write_whole(const std::string& path, const std::string& text) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

std::string message_of(const std::string& path) {
  std::istringstream nothing;
  try {
    (void)read_source(path, nothing);
  } catch (const Error& error) {
    return render(error.diagnostics());
  }
  return "no error";
}

}  // namespace

TEST_CASE("a file is read whole, standard input too") {
  const Folder folder;
  const std::string big(3'000'000, 'x');
  std::istringstream nothing, input("from stdin");
  CHECK(read_source(folder.write("big", big), nothing)->text == big);
  CHECK(read_source(folder.write("empty", ""), nothing)->text.empty());
  const SourcePtr source = read_source("-", input);
  CHECK(source->name == "<stdin>");
  CHECK(source->text == "from stdin");
}

TEST_CASE("a large file is mapped, and reads as others do") {
  const Folder folder;
  std::istringstream nothing, input("from stdin");
  constexpr std::size_t kPages = std::size_t{16} << 20;
  for (const std::size_t size : {kPages, kPages + 1, std::size_t{100}, std::size_t{0}}) {
    std::string text(size, 'x');
    if (!text.empty()) text.back() = 'y';
    const SourcePtr source = map_source(folder.write("file", text), nothing);
    CHECK(source->text == text);
    // What stands behind it may be read, too, by those who look ahead.
    for (std::size_t i = 0; size >= kPages && i < source->room; ++i) REQUIRE(source->text.data()[size + i] == 0);
  }
  CHECK(map_source("-", input)->text == "from stdin");
  CHECK_THROWS_AS(map_source(folder.path("none"), nothing), Error);
}

TEST_CASE("what cannot be read says why") {
  const Folder folder;
  CHECK(message_of(folder.path("none")) ==
        "error: cannot read `" + folder.path("none") + "`: No such file or directory [unreadable]\n");
  CHECK(message_of(folder.path("")) == "error: cannot read `" + folder.path("") + "`: Is a directory [unreadable]\n");
}

TEST_CASE("a pipe is read to its end") {
  const Folder folder;
  const std::string path = folder.path("pipe");
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  const std::string text(200'000, 'y');
  if (::fork() == 0) {
    OutputFile pipe(path);
    pipe.write(text);
    pipe.commit();
    ::_exit(0);
  }
  std::istringstream nothing;
  CHECK(read_source(path, nothing)->text == text);
}

TEST_CASE("an output file appears when it is committed") {
  const Folder folder;
  {
    OutputFile file(folder.path("out"));
    file.write("half");
    CHECK_FALSE(folder.has("out"));
  }
  CHECK(folder.files() == 0);
  write_whole(folder.path("out"), "whole");
  CHECK(folder.read("out") == "whole");
  CHECK(folder.files() == 1);
}

TEST_CASE("an existing file keeps its mode and stays until the end") {
  const Folder folder;
  const std::string path = folder.write("out", "old");
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
  {
    OutputFile file(path);
    file.write("new");
    CHECK(folder.read("out") == "old");
    file.commit();
  }
  CHECK(folder.read("out") == "new");
  CHECK(fs::status(path).permissions() == (fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read));
}

TEST_CASE("a new file has the mode that others get") {
  const Folder folder;
  const mode_t mask = ::umask(022);
  write_whole(folder.path("out"), "x");
  ::umask(mask);
  CHECK(static_cast<unsigned>(fs::status(folder.path("out")).permissions()) == 0644);
}

TEST_CASE("a symbolic link stays one") {
  const Folder folder;
  folder.write("real", "old");
  fs::create_symlink(folder.path("real"), folder.path("link"));
  write_whole(folder.path("link"), "new");
  CHECK(fs::is_symlink(folder.path("link")));
  CHECK(folder.read("real") == "new");
}

TEST_CASE("a device is written as it stands") {
  write_whole("/dev/null", "gone");
  CHECK(fs::is_character_file("/dev/null"));
}

TEST_CASE("what cannot be written says why") {
  const Folder folder;
  CHECK_THROWS_WITH(OutputFile(folder.path("no/such")),
                    Catch::Matchers::ContainsSubstring("No such file or directory"));
  CHECK_THROWS_WITH(OutputFile(folder.path("")), Catch::Matchers::ContainsSubstring("Is a directory"));
  CHECK_THROWS_WITH(write_whole("/dev/full", "x"), Catch::Matchers::ContainsSubstring("No space left on device"));
}
