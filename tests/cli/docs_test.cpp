// Every example of the language page loads, and its tests pass: a block ```rules is a rule file, a block
// ```ops NAME a catalogue beside the rule files that follow.
#include <fstream>
#include <sstream>

#include "tests/cli/support.hpp"
#include "tests/support/catch.hpp"

using namespace fxrules::cli;

namespace {

struct Example {
  std::string kind, text;
  std::size_t line = 0;
};

std::vector<Example> examples_of(const std::string& page) {
  std::ifstream file(std::string(FXRULES_SOURCE_DIR "/docs/") + page);
  REQUIRE(file);
  std::vector<Example> examples;
  bool inside = false;
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.starts_with("```")) {
      inside = !inside && line.size() > 3;
      if (inside) examples.push_back({line.substr(3), "", number});
    } else if (inside) {
      examples.back().text += line + "\n";
    }
  }
  return examples;
}

void run(const std::string& page, std::size_t least) {
  const Folder folder;
  std::size_t rules = 0;
  for (const Example& example : examples_of(page)) {
    INFO(page << ":" << example.line);
    if (example.kind.starts_with("ops ")) {
      folder.write(example.kind.substr(4), example.text);
      continue;
    }
    if (example.kind != "rules") continue;
    ++rules;
    const std::string path = folder.write("example.rules", example.text);
    const bool tested = example.text.find("\ntest \"") != std::string::npos;
    const Ran ran = run_program({tested ? "test" : "check", path});
    INFO(ran.out << ran.err);
    CHECK(ran.code == 0);
  }
  CHECK(rules >= least);
}

}  // namespace

TEST_CASE("the examples of the language page are run") { run("rule-language.md", 11); }
TEST_CASE("the examples of the command line page are run") { run("command-line.md", 1); }
