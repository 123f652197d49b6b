// The examples of the pages are run: a block ```rules loads and its tests pass, a block ```ops NAME is a catalogue
// beside the rule files that follow. ```rules NAME and ```graph NAME are files for the commands of ```console blocks,
// each a line `$ fxrules …` and what it prints, where a line `…` stands for any lines.
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

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Words as a shell splits them; quotes are for words with blanks.
std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> words;
  bool quoted = false, open = false;
  for (const char c : command) {
    if (c == '\'') {
      quoted = !quoted;
    } else if (c == ' ' && !quoted) {
      open = false;
    } else {
      if (!open) words.emplace_back();
      open = true;
      words.back() += c;
    }
  }
  return words;
}

// Whether the lines are those expected, `…` being any number of them.
bool shows(const std::vector<std::string>& lines, const std::vector<std::string>& expected) {
  std::size_t at = 0;
  bool any = false;
  for (const std::string& line : expected) {
    if (line == "…") {
      any = true;
      continue;
    }
    while (any && at < lines.size() && lines[at] != line) ++at;
    if (at == lines.size() || lines[at] != line) return false;
    ++at;
    any = false;
  }
  return any || at == lines.size();
}

void run_console(const Folder& folder, const std::string& text) {
  const std::vector<std::string> lines = lines_of(text);
  const std::string start = "$ fxrules ";
  for (std::size_t i = 0; i < lines.size();) {
    REQUIRE(lines[i].starts_with(start));
    std::vector<std::string> words = words_of(lines[i].substr(start.size()));
    for (std::size_t w = 1; w < words.size(); ++w) {
      const bool file = folder.has(words[w]) || words[w - 1] == "-o";
      if (file) words[w] = folder.path(words[w]);
    }
    std::vector<std::string> expected;
    INFO(lines[i]);
    for (++i; i < lines.size() && !lines[i].starts_with(start); ++i) expected.push_back(lines[i]);
    while (!expected.empty() && expected.back().empty()) expected.pop_back();
    const Ran ran = run_program(words);
    std::string printed = ran.err + ran.out;
    const std::string root = folder.path("");
    for (std::size_t at = printed.find(root); at != std::string::npos; at = printed.find(root))
      printed.erase(at, root.size());
    INFO(printed);
    std::vector<std::string> got = lines_of(printed);
    while (!got.empty() && got.back().empty()) got.pop_back();
    CHECK(shows(got, expected));
  }
}

void run(const std::string& page, std::size_t least) {
  const Folder folder;
  std::size_t rules = 0;
  for (const Example& example : examples_of(page)) {
    INFO(page << ":" << example.line);
    if (example.kind == "console") {
      run_console(folder, example.text);
      continue;
    }
    if (const std::size_t blank = example.kind.find(' '); blank != std::string::npos) {
      folder.write(example.kind.substr(blank + 1), example.text);
      rules += example.kind.starts_with("rules ");
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

// Of the tables of a page: each `name(`, with the bracket.
std::vector<std::string> built_ins_of(const std::string& page) {
  std::ifstream file(std::string(FXRULES_SOURCE_DIR "/docs/") + page);
  REQUIRE(file);
  std::vector<std::string> names;
  bool there = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## ")) there = line == "## Guards and built-in functions";
    if (!there || !line.starts_with("| `")) continue;
    const std::string cell = line.substr(0, line.find(" |", 1));
    for (std::size_t at = cell.find('`'); at != std::string::npos; at = cell.find('`', cell.find('`', at + 1) + 1)) {
      const std::size_t bracket = cell.find('(', at);
      if (bracket < cell.find('`', at + 1)) names.push_back(cell.substr(at + 1, bracket - at));
    }
  }
  return names;
}

}  // namespace

TEST_CASE("the examples of the language page are run") { run("rule-language.md", 36); }
TEST_CASE("each built-in function of the language page is in an example that is run") {
  std::string run;
  for (const Example& example : examples_of("rule-language.md")) {
    if (example.kind == "rules" && example.text.find("\ntest \"") != std::string::npos) run += example.text;
  }
  const std::vector<std::string> names = built_ins_of("rule-language.md");
  CHECK(names.size() > 60);
  for (const std::string& name : names) {
    INFO(name);
    CHECK(run.find(name) != std::string::npos);
  }
}
TEST_CASE("the tutorial is run") { run("tutorial.md", 4); }
TEST_CASE("the examples of the command line page are run") { run("command-line.md", 1); }
