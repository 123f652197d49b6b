// Files, imports, the prelude, parameters.
#include "dsl/load.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include "tests/support/catch.hpp"

namespace fxrules::dsl {
namespace {

namespace fs = std::filesystem;

// A folder of rule files that goes away with the test.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("fxrules_load_test_" + std::to_string(::getpid()))) {
    fs::remove_all(path_);
    fs::create_directories(path_ / "shipped");
    for (const char* name : {"lib.rules", "index.rules", "shapes.rules", "views.rules"})
      write(std::string("shipped/") + name, "");
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
  }
  [[nodiscard]] std::string operator/(const std::string& name) const { return (path_ / name).string(); }

  [[nodiscard]] LoadOptions options(std::map<std::string, std::string, std::less<>> params = {}) const {
    return {.rules_folder = path_ / "shipped",
            .search_paths = {path_ / "more"},
            .params = std::move(params),
            .prelude = true};
  }

 private:
  fs::path path_;
};

std::shared_ptr<Catalogue> catalogue() { return Catalogue::load(FXRULES_SHARE_DIR); }

std::vector<std::string> names(const RuleFile& file) {
  std::vector<std::string> all;
  for (const AstPtr& tree : file.trees) all.push_back(fs::path(tree->source->name).filename().string());
  return all;
}

std::string without_folder(std::string text, const Folder& folder) {
  const std::string path = folder / "";
  for (std::size_t at = text.find(path); at != std::string::npos; at = text.find(path))
    text.replace(at, path.size(), "/");
  return text;
}

using Names = std::vector<std::string>;

TEST_CASE("a file sees itself, its imports depth first, then the prelude") {
  const Folder folder;
  folder.write("a.rules", "import \"b.rules\"\nimport \"c.rules\"\nadd(x, 0) => f(x)\n");
  folder.write("b.rules", "import \"sub/d.rules\"\ndef f(x) = g(x)\n");
  folder.write("sub/d.rules", "import \"e.rules\"\ndef g(x) = h(x)\n");
  folder.write("sub/e.rules", "def h(x) = x\n");
  folder.write("more/c.rules", "import \"lib.rules\"\ndef unused(x) = x\n");
  Loader loader(catalogue(), folder.options());
  const RuleFile file = loader.load(folder / "a.rules");
  CHECK(render(loader.take_diagnostics()) == "");
  CHECK(names(file) == Names{"a.rules", "b.rules", "d.rules", "e.rules", "c.rules", "lib.rules", "index.rules",
                             "shapes.rules", "views.rules"});
}

TEST_CASE("a file is read once, and shipped files go by their bare names") {
  const Folder folder;
  folder.write("shipped/mine.rules", "import \"lib.rules\"\nadd(x, 0) => x\n");
  folder.write("a.rules", "import \"mine.rules\"\n");
  Loader loader(catalogue(), folder.options());
  const RuleFile a = loader.load(folder / "a.rules");
  const RuleFile bare = loader.load("mine");
  const RuleFile dotted = loader.load("mine.rules");
  CHECK(render(loader.take_diagnostics()) == "");
  CHECK(a.trees[1] == bare.trees[0]);
  CHECK(bare.trees[0] == dotted.trees[0]);
  CHECK(names(bare) == Names{"mine.rules", "lib.rules", "index.rules", "shapes.rules", "views.rules"});
}

TEST_CASE("each file has its own scope") {
  const Folder folder;
  folder.write("a.rules", "def mine(x) = x\nadd(x, 0) => mine(x)\n");
  folder.write("b.rules", "add(x, 0) => mine(x)\n");
  Loader loader(catalogue(), folder.options());
  loader.load(folder / "a.rules");
  loader.load(folder / "b.rules");
  CHECK(without_folder(render(loader.take_diagnostics()), folder) ==
        R"(/b.rules:1:14: error: unknown op `mine` [unknown-op]
  1 | add(x, 0) => mine(x)
    |              ^~~~
hint: did you mean `min`?
)");
}

TEST_CASE("a definition hides an imported one whole") {
  const Folder folder;
  folder.write("shipped/lib.rules", "def f(x, y) = x\n");
  folder.write("a.rules", "import \"lib.rules\"\ndef f(x) = x\nadd(x, 0) => f(x)\n");
  Loader loader(catalogue(), folder.options());
  loader.load(folder / "a.rules");
  CHECK(render(loader.take_diagnostics()) == "");
}

TEST_CASE("what cannot be found is told with where it was looked for") {
  const Folder folder;
  folder.write("a.rules", "import \"nope.rules\"\nadd(x, 0) => undefined(x)\n");
  folder.write("shipped/inplace.rules", "");
  Loader loader(catalogue(), folder.options());
  loader.load(folder / "a.rules");
  CHECK(without_folder(render(loader.take_diagnostics()), folder) ==
        R"(/a.rules:1:8: error: cannot find `nope.rules` [file-not-found]
  1 | import "nope.rules"
    |        ^~~~~~~~~~~~
hint: looked in `)" +
            without_folder(fs::path(folder / "a.rules").parent_path().string(), folder) + R"(`, `/more` and `/shipped`
)");
  loader.load("inplase.rules");
  CHECK(render(loader.take_diagnostics()) == R"(error: cannot read the rule file `inplase.rules` [file-not-found]
hint: did you mean `inplace.rules`?
)");
  loader.load("/");
  CHECK(render(loader.take_diagnostics()) == "error: cannot read the rule file `/` [file-not-found]\n");
}

TEST_CASE("a missing prelude is told once") {
  Loader loader(catalogue(), {.rules_folder = "/nowhere", .search_paths = {}, .params = {}, .prelude = true});
  loader.load(std::make_shared<Source>(Source{"t.rules", ""}));
  loader.load(std::make_shared<Source>(Source{"u.rules", ""}));
  const auto found = loader.take_diagnostics();
  REQUIRE(found.size() == 4);
  CHECK(found[0].message == "cannot read `/nowhere/lib.rules`, which belongs to the prelude");
}

TEST_CASE("imports that lead in a circle are told") {
  const Folder folder;
  folder.write("a.rules", "import \"b.rules\"\n");
  folder.write("b.rules", "import \"a.rules\"\n");
  Loader loader(catalogue(), folder.options());
  const RuleFile file = loader.load(folder / "a.rules");
  CHECK(render(loader.take_diagnostics()) ==
        R"(b.rules:1:8: error: `a.rules` imports this file, directly or through others [import-cycle]
  1 | import "a.rules"
    |        ^~~~~~~~~
hint: move what both need into a third file
)");
  CHECK(names(file).size() == 6);
}

TEST_CASE("a long chain of imports is no deep recursion") {
  const Folder folder;
  constexpr int kFiles = 500;
  for (int i = 0; i < kFiles; ++i)
    folder.write(std::to_string(i) + ".rules", "import \"" + std::to_string(i + 1) + ".rules\"\n");
  folder.write(std::to_string(kFiles) + ".rules", "def last(x) = x\n");
  Loader loader(catalogue(), folder.options());
  const RuleFile file = loader.load(folder / "0.rules");
  CHECK(render(loader.take_diagnostics()) == "");
  CHECK(file.trees.size() == kFiles + 1 + 4);
}

TEST_CASE("a file with syntax errors hides no others, but starts no guesses about its names") {
  const Folder folder;
  folder.write("b.rules", "def f(x) =\n");
  folder.write("a.rules", "import \"b.rules\"\nadd(x, 0) => f(x)\n");
  folder.write("c.rules", "add(x, 0 => x\n");
  Loader loader(catalogue(), folder.options());
  loader.load(folder / "a.rules");
  loader.load(folder / "c.rules");
  const auto found = loader.take_diagnostics();
  REQUIRE(found.size() == 2);
  CHECK(found[0].message == "expected a value after `=`");
  CHECK(found[1].message == "expected `,` or `)` in the arguments");
}

TEST_CASE("-D must name a parameter of some file") {
  const Folder folder;
  folder.write("a.rules", "param target: str = \"xla\"\n");
  Loader loader(catalogue(), folder.options({{"target", "cuda"}, {"tagret", "cuda"}, {"other", "1"}}));
  loader.load(folder / "a.rules");
  loader.finish();
  CHECK(render(loader.take_diagnostics()) == R"(error: -D other=1: no rule file has a parameter `other` [unknown-param]
error: -D tagret=cuda: no rule file has a parameter `tagret` [unknown-param]
hint: did you mean `target`?
)");
}

TEST_CASE("a catalogue file declares ops") {
  const Folder folder;
  folder.write("my.ops", "mine::twice(Tensor self, *, int times=2) -> Tensor\n");
  folder.write("a.rules",
               "catalogue \"my.ops\"\nadd(x, 0) => mine.twice(x, times = 3)\nadd(x, 1) => mine.twice(x, time = 3)\n");
  Loader loader(catalogue(), folder.options());
  loader.load(folder / "a.rules");
  CHECK(without_folder(render(loader.take_diagnostics()), folder) ==
        R"(/a.rules:3:28: error: no overload of `mine.twice` has an argument `time` [unknown-keyword]
  3 | add(x, 1) => mine.twice(x, time = 3)
    |                            ^~~~
hint: did you mean `times`?
)");
}

// The page of docs that shows the whole syntax, and the two lines that are complete rule files.
TEST_CASE("the examples of the language page pass all checks") {
  Loader loader(catalogue(),
                {.rules_folder = FXRULES_SOURCE_DIR "/rules", .search_paths = {}, .params = {}, .prelude = true});
  const RuleFile page = loader.load(FXRULES_SOURCE_DIR "/tests/dsl/language_page.rules");
  loader.load(std::make_shared<Source>(Source{"one.rules", "copy_(d,s) => slice_scatter(d, expand_as(s,d))\n"}));
  loader.load(std::make_shared<Source>(Source{"two.rules", "copy(d, index_put(d,..)) => index_put\n"}));
  CHECK(render(loader.take_diagnostics()) == "");
  CHECK(page.trees[0]->rules.size() == 8);
  CHECK(page.trees[0]->tests.size() == 2);
}

TEST_CASE("the shipped rule files pass all checks") {
  const fs::path rules = FXRULES_SOURCE_DIR "/rules";
  Loader loader(catalogue(), {.rules_folder = rules, .search_paths = {}, .params = {}, .prelude = true});
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(rules)) {
    if (entry.path().extension() != ".rules") continue;
    const RuleFile file = loader.load(entry.path().string());
    CHECK(file.trees.size() >= 4);
    ++files;
  }
  CHECK(render(loader.take_diagnostics()) == "");
  CHECK(files >= 4);
}

}  // namespace
}  // namespace fxrules::dsl
