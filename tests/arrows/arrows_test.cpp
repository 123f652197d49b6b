#include "tests/arrows/arrows.hpp"

#include <fstream>
#include <random>

#include "tests/support/catch.hpp"

using namespace fxrules::arrows;
namespace fs = std::filesystem;

namespace {

// A source tree that lives as long as its test.
class Tree {
 public:
  Tree() : root_(fs::temp_directory_path() / ("fxrules-arrows-" + std::to_string(std::random_device{}()))) {}
  ~Tree() { fs::remove_all(root_); }
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  [[nodiscard]] std::vector<std::string> wrong() const {
    const std::vector<Room> rooms{{"engine/graph", {"graph.hpp"}, {}, {"fmt"}}, {"dsl", {}, {"engine/graph"}, {"tao"}}};
    return read_includes(root_, rooms, {"ids.hpp"}).wrong;
  }

 private:
  fs::path root_;
};

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("every include of the project follows the arrows") {
  const Findings findings = read_includes(FXRULES_SOURCE_DIR, kRooms, kCommonHeaders);
  for (const std::string& line : findings.wrong) UNSCOPED_INFO(line);
  CHECK(findings.wrong.empty());
  CHECK(findings.files > 10);
  CHECK(findings.includes > 30);
}

TEST_CASE("includes along the arrows are right, wherever they are spelt from") {
  const Tree tree;
  tree.write("include/fxrules/ids.hpp", "#include <vector>\n#include <sys/mman.h>\n");
  tree.write("include/fxrules/graph.hpp", "#include \"fxrules/ids.hpp\"\n");
  tree.write("engine/graph/own.hpp", "#include <fxrules/graph.hpp>\n#include <fmt/format.h>\n");
  tree.write("engine/graph/graph.cpp", "#include \"own.hpp\"\n#include \"engine/graph/own.hpp\"\n");
  tree.write("dsl/parse.cpp", "#include \"../engine/graph/own.hpp\"\n  #  include <tao/pegtl.hpp>\n");
  CHECK(tree.wrong() == Lines{});
}

TEST_CASE("an include against an arrow is named with its place") {
  const Tree tree;
  tree.write("dsl/parse.hpp", "");
  tree.write("engine/graph/graph.cpp",
             "#include <vector>\n#include \"dsl/parse.hpp\"\n#include \"../../dsl/parse.hpp\"\n");
  CHECK(tree.wrong() == Lines{"engine/graph/graph.cpp:2: engine/graph may not include dsl/parse.hpp",
                              "engine/graph/graph.cpp:3: engine/graph may not include dsl/parse.hpp"});
}

TEST_CASE("a public header follows the arrows of its room, a common one includes no room") {
  const Tree tree;
  tree.write("dsl/parse.hpp", "");
  tree.write("include/fxrules/graph.hpp", "#include \"dsl/parse.hpp\"\n");
  tree.write("include/fxrules/ids.hpp", "#include \"fxrules/graph.hpp\"\n");
  CHECK(tree.wrong() == Lines{"include/fxrules/graph.hpp:1: engine/graph may not include dsl/parse.hpp",
                              "include/fxrules/ids.hpp:1: everybody may not include include/fxrules/graph.hpp"});
}

TEST_CASE("a library belongs to the rooms that name it") {
  const Tree tree;
  tree.write("engine/graph/graph.cpp", "#include <tao/pegtl.hpp>\n");
  CHECK(tree.wrong() == Lines{"engine/graph/graph.cpp:1: engine/graph may not use the library <tao/pegtl.hpp>"});
}

TEST_CASE("a file without a room and an include without a file are wrong") {
  const Tree tree;
  tree.write("engine/stray.cpp", "");
  tree.write("include/fxrules/stray.hpp", "");
  tree.write("dsl/parse.cpp", "#include \"dsl/gone.hpp\"\n");
  CHECK(tree.wrong() == Lines{"dsl/parse.cpp:1: no such file: dsl/gone.hpp",
                              "engine/stray.cpp:1: belongs to no room: name it in tests/arrows/rooms.hpp",
                              "include/fxrules/stray.hpp:1: belongs to no room: name it in tests/arrows/rooms.hpp"});
}
