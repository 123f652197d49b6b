#include "cli/arguments.hpp"

#include <sstream>

#include "tests/support/catch.hpp"

using namespace fxrules::cli;

namespace {

using Words = std::vector<std::string>;

struct Parsed {
  std::optional<Options> options;
  std::string out, error, hint;
};

Parsed parse(const Words& words) {
  std::istringstream in;
  std::ostringstream out, err;
  Console console{in, out, err};
  Parsed parsed;
  try {
    parsed.options = parse_arguments(words, console);
  } catch (const UsageError& error) {
    parsed.error = error.message();
    parsed.hint = error.hint();
  }
  parsed.out = out.str();
  return parsed;
}

Options options_of(const Words& words) {
  const Parsed parsed = parse(words);
  INFO(parsed.error);
  REQUIRE(parsed.options);
  return *parsed.options;
}

std::string error_of(const Words& words) {
  const Parsed parsed = parse(words);
  CHECK_FALSE(parsed.options);
  return parsed.error + " / " + parsed.hint;
}

}  // namespace

TEST_CASE("the graph is the last of apply's files") {
  const Options options = options_of({"apply", "a.rules", "b.rules", "graph.txt"});
  CHECK(options.rules == Words{"a.rules", "b.rules"});
  CHECK(options.graph == "graph.txt");
  CHECK(options_of({"apply", "a.rules", "-"}).graph == "-");
  CHECK(options_of({"apply", "-", "graph.txt"}).rules == Words{"-"});
}

TEST_CASE("apply's options") {
  const Options options =
      options_of({"apply",  "a.rules",   "-D",   "target=cuda",    "-Dkeep=meta", "g",      "-o", "out",
                  "--diff", "--report",  "json", "--max-rewrites", "7",           "--only", "x",  "--only",
                  "y",      "--disable", "z",    "--dce",          "--format",    "fx"});
  CHECK(options.rules == Words{"a.rules"});
  CHECK(options.graph == "g");
  CHECK(options.params.at("target") == "cuda");
  CHECK(options.params.at("keep") == "meta");
  CHECK(options.out == "out");
  CHECK(options.diff);
  CHECK(options.report == ReportForm::json);
  CHECK(options.max_rewrites == 7);
  CHECK(options.only == Words{"x", "y"});
  CHECK(options.disable == Words{"z"});
  CHECK(options.dce);
  CHECK_FALSE(options.check);
}

TEST_CASE("what is not said is off") {
  const Options options = options_of({"apply", "a.rules", "g"});
  CHECK(options.report == ReportForm::none);
  CHECK(options.max_rewrites == SIZE_MAX);
  CHECK(options.out.empty());
  CHECK_FALSE((options.diff || options.check || options.dce));
}

TEST_CASE("-o - is standard output") { CHECK(options_of({"apply", "a.rules", "g", "-o", "-"}).out.empty()); }

TEST_CASE("a value of -D may hold anything") {
  CHECK(options_of({"apply", "a.rules", "g", "-D", "x=a=b c"}).params.at("x") == "a=b c");
  CHECK(options_of({"apply", "a.rules", "g", "-D", "x="}).params.at("x").empty());
  CHECK(options_of({"apply", "a.rules", "g", "-D", "x=1", "-D", "x=2"}).params.at("x") == "2");
}

TEST_CASE("the other commands") {
  CHECK(options_of({"check", "a.rules"}).command == Command::check);
  CHECK(options_of({"test", "a.rules", "-k", "two words"}).filter == "two words");
  CHECK(options_of({"rules"}).command == Command::rules);
  CHECK(options_of({"dump", "a.rules"}).stage == Stage::program);
  CHECK(options_of({"dump", "a.rules", "--stage", "ast"}).stage == Stage::ast);
}

TEST_CASE("wrong use says what is wrong and what would be right") {
  CHECK(error_of({}) == "no command was given / `fxrules --help` lists them");
  CHECK(error_of({"aply"}) == "there is no command `aply` / did you mean `apply`?");
  CHECK(error_of({"frobnicate"}) == "there is no command `frobnicate` / `fxrules --help` lists them");
  CHECK(error_of({"--diff"}) == "`--diff` is no command / `fxrules --help` lists them");
  CHECK(error_of({"apply"}) == "`fxrules apply` needs rule files and a graph / ");
  CHECK(error_of({"apply", "g"}) == "no rule file was given / the graph comes last: fxrules apply RULES... GRAPH");
  CHECK(error_of({"apply", "a.rules"}) == "no graph was given / the graph comes last: fxrules apply RULES... GRAPH");
  CHECK(error_of({"apply", "g", "a.rules"}) ==
        "`a.rules` stands where the graph belongs / the graph comes last: fxrules apply RULES... GRAPH");
  CHECK(error_of({"apply", "-", "-"}) == "`-` can stand for one file only / ");
  CHECK(error_of({"apply", "a.rules", "g", "--check", "-o", "x"}) ==
        "--check writes no graph, so that -o has no meaning / ");
  CHECK(error_of({"apply", "a.rules", "g", "-D", "target"}) ==
        "`-D target` gives no value / write -D NAME=VALUE, as in -D target=cuda");
  CHECK(error_of({"apply", "a.rules", "g", "-D", "=x"}) ==
        "`-D =x` gives no value / write -D NAME=VALUE, as in -D target=cuda");
  CHECK(error_of({"check"}) == "`fxrules check` needs a rule file / ");
}

TEST_CASE("unknown options and values point at the help of the command") {
  const std::string hint = " / `fxrules apply --help` shows the options and examples";
  for (const Words& words :
       {Words{"apply", "a.rules", "g", "--frob"}, Words{"apply", "a.rules", "g", "--report", "xml"},
        Words{"apply", "a.rules", "g", "--format", "svg"}, Words{"apply", "a.rules", "g", "-o"}}) {
    const std::string error = error_of(words);
    INFO(error);
    CHECK(error.size() > hint.size());
    CHECK(error.substr(error.size() - hint.size()) == hint);
  }
}

TEST_CASE("help teaches by examples") {
  CHECK(parse({"--help"}).out.find("fxrules apply device.rules graph.txt --diff") != std::string::npos);
  CHECK(parse({"help"}).out == parse({"-h"}).out);
  for (const std::string command : {"apply", "check", "test", "rules", "dump"}) {
    const Parsed help = parse({command, "--help"});
    CHECK_FALSE(help.options);
    CHECK(help.error.empty());
    CHECK(help.out.find("fxrules " + command) != std::string::npos);
  }
  CHECK(parse({"test", "--help"}).out.find("before { x = placeholder") != std::string::npos);
}

TEST_CASE("an empty file name is no standard output") {
  CHECK(error_of({"apply", "a.rules", "g", "-o", ""}) ==
        "-o names no file / write -o OUT, or leave it out for standard output");
  CHECK(options_of({"apply", "a.rules", "g", "-o", "-"}).out.empty());
}

TEST_CASE("a limit of rewrites that is none is told so") {
  const std::string range = " / it is a number from 0 to 18446744073709551614";
  CHECK(error_of({"apply", "a.rules", "g", "--max-rewrites", "18446744073709551615"}) ==
        "--max-rewrites 18446744073709551615: this is too large" + range);
  CHECK(error_of({"apply", "a.rules", "g", "--max-rewrites", "99999999999999999999999"}) ==
        "--max-rewrites 99999999999999999999999: this is too large" + range);
  CHECK(error_of({"apply", "a.rules", "g", "--max-rewrites=-1"}) ==
        "--max-rewrites -1: this is no number of rewrites" + range);
  CHECK(error_of({"apply", "a.rules", "g", "--max-rewrites", "7x"}) ==
        "--max-rewrites 7x: this is no number of rewrites" + range);
  CHECK(options_of({"apply", "a.rules", "g", "--max-rewrites", "18446744073709551614"}).max_rewrites == SIZE_MAX - 1);
}
