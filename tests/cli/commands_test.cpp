// The commands that need no graph, and what holds for all of them.
#include <sstream>

#include "cli/run.hpp"
#include "tests/cli/support.hpp"
#include "tests/support/catch.hpp"

using namespace fxrules::cli;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("the version") {
  const Ran ran = run_program({"--version"});
  CHECK(ran.code == 0);
  CHECK(ran.out.substr(0, 8) == "fxrules ");
  CHECK(ran.out.back() == '\n');
}

TEST_CASE("wrong use is two lines on standard error and code 2") {
  const Ran ran = run_program({"aply"});
  CHECK(ran.code == 2);
  CHECK(ran.out.empty());
  CHECK(ran.err == "fxrules: there is no command `aply`\nhint: did you mean `apply`?\n");
  CHECK(run_program({"check"}).err ==
        "fxrules: `fxrules check` needs a rule file\nhint: `fxrules --help` shows how it is used\n");
  CHECK(run_program({}).code == 2);
}

TEST_CASE("help is on standard output and no failure") {
  CHECK(run_program({"--help"}).code == 0);
  CHECK_THAT(run_program({"apply", "--help"}).out, ContainsSubstring("--max-rewrites"));
}

TEST_CASE("check counts rules, or shows every error") {
  const Folder folder;
  const std::string good = folder.write("good.rules", "relu(x) => sigmoid(x)\nneg(neg(x)) => x\n");
  const Ran fine = run_program({"check", good});
  CHECK(fine.code == 0);
  CHECK(fine.out == "2 rules in 1 file, no errors\n");
  const std::string bad = folder.write("bad.rules", "relu(x) => sigmoid(y)\nneg(neg(x)) => z\n");
  const Ran wrong = run_program({"check", good, bad});
  CHECK(wrong.code == 1);
  CHECK(wrong.out.empty());
  CHECK_THAT(wrong.err, ContainsSubstring("bad.rules:1:20: error:") && ContainsSubstring("bad.rules:2:16: error:") &&
                            ContainsSubstring("^"));
}

TEST_CASE("carets have colours on a terminal only") {
  const Folder folder;
  const std::string bad = folder.write("bad.rules", "relu(x) => sigmoid(y)\n");
  CHECK(run_program({"check", bad}).err.find('\x1b') == std::string::npos);
  CHECK(run_program({"check", bad}, "", true).err.find('\x1b') != std::string::npos);
}

TEST_CASE("check reads standard input") {
  CHECK(run_program({"check", "-"}, "relu(x) => sigmoid(x)\n").out == "1 rule in 1 file, no errors\n");
  CHECK_THAT(run_program({"check", "-"}, "relu(x => sigmoid(x)\n").err, ContainsSubstring("<stdin>:1:"));
}

TEST_CASE("a rule file that is a folder says so") {
  const Folder folder;
  const Ran ran = run_program({"check", folder.path("")});
  CHECK(ran.code == 1);
  CHECK_THAT(ran.err, ContainsSubstring("Is a directory"));
}

TEST_CASE("the shipped files are listed with their first line") {
  const Ran ran = run_program({"rules"});
  CHECK(ran.code == 0);
  CHECK_THAT(ran.out, ContainsSubstring("device.rules       explicit devices become the target's.\n"));
  CHECK_THAT(ran.out, ContainsSubstring("lib.rules "));
}

TEST_CASE("every shipped rule file loads, and its tests pass") {
  std::istringstream lines(run_program({"rules"}).out);
  for (std::string line; std::getline(lines, line);) {
    const std::string name = line.substr(0, line.find(' '));
    INFO(name);
    const Ran check = run_program({"check", name});
    CHECK(check.code == 0);
    const Ran tests = run_program({"test", name});
    INFO(tests.out);
    CHECK(tests.code == 0);
  }
}

TEST_CASE("dump shows each stage") {
  const Folder folder;
  const std::string rules = folder.write("my.rules", "smooth: relu(x) => sigmoid(x)\n");
  const Ran tree = run_program({"dump", rules, "--stage", "ast"});
  CHECK(tree.code == 0);
  CHECK_THAT(tree.out, ContainsSubstring("smooth") && ContainsSubstring("sigmoid"));
  const Ran program = run_program({"dump", rules});
  CHECK(program.code == 0);
  CHECK_THAT(program.out, ContainsSubstring("accept"));
  CHECK(tree.out != program.out);
}

TEST_CASE("dump shows the tree of a file whose checks fail") {
  const Folder folder;
  const std::string rules = folder.write("my.rules", "smooth: relu(x) => sigmoid(y)\n");
  const Ran tree = run_program({"dump", rules, "--stage", "ast"});
  CHECK(tree.code == 1);
  CHECK_THAT(tree.out, ContainsSubstring("smooth"));
  CHECK_THAT(tree.err, ContainsSubstring("[unbound-name]"));
  CHECK(run_program({"dump", rules}).code == 1);
}

TEST_CASE("output that does not arrive is a failure") {
  struct Full : std::stringbuf {
    int sync() override { return -1; }
    int overflow(int) override { return traits_type::eof(); }
    std::streamsize xsputn(const char*, std::streamsize) override { return 0; }
  } full;
  std::istringstream in;
  std::ostream out(&full);
  std::ostringstream err;
  Console console{in, out, err};
  CHECK(run({"--version"}, console) == 1);
  CHECK(err.str() == "error: standard output cannot be written [unwritable]\n");
}

TEST_CASE("a value of -D that is not of the declared type is wrong use") {
  const Folder folder;
  const std::string file = folder.write("my.rules",
                                        "param n: int = 1\nparam b: bool = True\nparam f: float = 1.0\n"
                                        "param s: str = \"a\"\n"
                                        "neg(x) => x  if n == 1 and b and f == 1.0 and s == \"a\"\n");
  const auto tried = [&](const std::string& value) { return run_program({"check", file, "-D", value}); };
  for (const char* good : {"n=7", "n=-7", "b=True", "b=False", "b=true", "b=false", "b=1", "b=0", "f=2", "f=0.5",
                           "f=1e-05", "f=inf", "s=", "s=7", "s=True"}) {
    INFO(good);
    const Ran ran = tried(good);
    INFO(ran.err);
    CHECK(ran.code == 0);
  }
  for (const char* bad : {"n=x", "n=1.5", "n=", "n=True", "b=yes", "b=2", "b=", "f=x", "f="}) {
    INFO(bad);
    CHECK(tried(bad).code == 2);
  }
  const Ran wrong = tried("n=1.5");
  CHECK(wrong.err ==
        "fxrules: -D n=1.5: `n` is declared as int in " + file + ":1\nhint: it is an integer, as in 7 or -7\n");
  CHECK(run_program({"test", file, "-D", "b=maybe"}).code == 2);
  CHECK(run_program({"dump", file, "-D", "b=maybe"}).code == 2);
}

TEST_CASE("a variable that is never used hides nothing else") {
  const Folder folder;
  const Ran ran =
      run_program({"check", folder.write("my.rules", "{ a = neg(x), b = abs(y) } => { a = exp(x), b = x }\n")});
  CHECK(ran.code == 1);
  CHECK_THAT(ran.err, ContainsSubstring("`y` is bound and never used") && ContainsSubstring("[unconnected-root]"));
}

TEST_CASE("name spaces that nobody knows are taken as they stand") {
  const Folder folder;
  const Ran ran = run_program(
      {"check",
       folder.write("my.rules", "my_lib.nope(x) => torch.nowhere.nope(x)\nfused.f(x) => operator.add(x, x)\n")});
  INFO(ran.err);
  CHECK(ran.code == 0);
}
