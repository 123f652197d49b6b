#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/cli/support.hpp"
#include "tests/support/catch.hpp"

using namespace fxrules::cli;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string graph_of(int number) {
  std::string text = "graph():\n    %x : [num_users=1] = placeholder[target=x]\n";
  std::string last = "x";
  for (int i = 0; i < 20 + number; ++i) {
    const std::string name = fmt::format("n{}", i);
    text += fmt::format("    %{} : [num_users=1] = call_function[target=torch.{}](args = (%{},), kwargs = {{}})\n",
                        name, i % 3 == 0 ? "relu" : "exp", last);
    last = name;
  }
  return text + fmt::format("    return {}\n", last);
}

struct Files : Folder {
  std::string rules = write("my.rules", "relu(x) => sigmoid(x)\n");
  std::vector<std::string> command(const std::string& out, std::vector<std::string> more = {}) const {
    std::vector<std::string> words{"apply", rules};
    for (int i = 0; i < 12; ++i) words.push_back(write(fmt::format("g{}.txt", i), graph_of(i)));
    words.insert(words.end(), {"-o", path(out)});
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
};

}  // namespace

TEST_CASE("several graphs are rewritten as one at a time") {
  const Files files;
  const Ran all = run_program(files.command("all", {"--report", "json", "--jobs", "4"}));
  const Ran again = run_program(files.command("again", {"--report", "json", "--jobs", "1"}));
  CHECK(all.code == 0);
  CHECK(all.out == again.out);
  for (int i = 0; i < 12; ++i) {
    const std::string name = fmt::format("g{}.txt", i);
    const Ran one = run_program({"apply", files.rules, files.path(name)});
    CHECK(files.read("all/" + name) == one.out);
    CHECK(files.read("again/" + name) == one.out);
  }
  const auto report = nlohmann::json::parse(all.out);
  CHECK(report["exit_code"] == 0);
  CHECK(report["files"].size() == 12);
  CHECK(report["files"][3]["file"] == files.path("g3.txt"));
  CHECK(report["files"][3]["report"]["rewrites"][0]["count"] == 8);
}

TEST_CASE("a graph that fails leaves the others") {
  const Files files;
  const std::string bad =
      files.write("bad.txt", "graph():\n    %x : [num_users=1] = placeholder[target=x]\n    return y\n");
  std::vector<std::string> words = files.command("out");
  words.insert(words.begin() + 3, bad);
  const Ran ran = run_program(words);
  CHECK(ran.code == 1);
  CHECK_THAT(ran.err, ContainsSubstring("bad.txt:3:"));
  CHECK(!files.has("out/bad.txt"));
  CHECK(files.has("out/g0.txt"));
  CHECK(files.has("out/g11.txt"));
}

TEST_CASE("several graphs need a folder") {
  const Files files;
  const std::string a = files.write("a.txt", graph_of(1)), b = files.write("b.txt", graph_of(2));
  const Ran none = run_program({"apply", files.rules, a, b});
  CHECK(none.code == 2);
  CHECK_THAT(none.err, ContainsSubstring("several graphs were given, and no folder"));
  const Ran file = run_program({"apply", files.rules, a, b, "-o", a});
  CHECK(file.code == 2);
  CHECK_THAT(file.err, ContainsSubstring("is no folder for them"));
  std::filesystem::create_directory(files.path("sub"));
  const Ran twice =
      run_program({"apply", files.rules, a, files.write("sub/a.txt", graph_of(3)), "-o", files.path("o")});
  CHECK(twice.code == 2);
  CHECK_THAT(twice.err, ContainsSubstring("have one name"));
}
