#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

#include "tests/cli/support.hpp"
#include "tests/support/catch.hpp"

using namespace fxrules::cli;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string kRules = "smooth: relu(x) => sigmoid(x)  if rank(x) == 2\n";

// The outcome of one test block with the rules above it.
Ran run_test(const std::string& body, const std::string& rules = kRules) {
  const Folder folder;
  return run_program({"test", folder.write("my.rules", rules + "test \"it\" {\n  " + body + "\n}\n")});
}

const std::string kBefore = "before { x = placeholder : f32[2,3]   a = relu(x)   b = neg(a)   return b }\n  ";

// The text from `begin` up to `end`, `indent` blanks taken off each line.
std::string excerpt(const std::string& text, const std::string& begin, const std::string& end, std::size_t indent) {
  const std::size_t first = text.find(begin);
  REQUIRE(first != std::string::npos);
  std::istringstream lines(text.substr(first, text.find(end, first) - first));
  std::string out;
  for (std::string line; std::getline(lines, line);) out += line.substr(std::min(indent, line.size())) + "\n";
  return out;
}

}  // namespace

TEST_CASE("a test passes when the graph becomes what it says") {
  const Ran ran = run_test(kBefore + "after { x = placeholder   a = sigmoid(x)   b = neg(a)   return b }");
  CHECK(ran.code == 0);
  CHECK(ran.err.empty());
  CHECK_THAT(ran.out, ContainsSubstring("PASS ") && ContainsSubstring("my.rules: it\n1 passed, 0 failed\n"));
}

TEST_CASE("a test that fails shows where, what and how") {
  const Ran ran = run_test(kBefore + "after { x = placeholder   a = tanh(x)   b = neg(a)   return b }");
  CHECK(ran.code == 1);
  CHECK_THAT(ran.out, ContainsSubstring("FAIL ") && ContainsSubstring("my.rules:2\n"));
  CHECK_THAT(ran.out, ContainsSubstring(
                          "  `sigmoid` is call_function torch.sigmoid, expected is call_function torch.tanh (`a`)\n"));
  CHECK_THAT(ran.out, ContainsSubstring("  -    %a : [num_users=1] = call_function[target=torch.tanh]"));
  CHECK_THAT(ran.out, ContainsSubstring("  +    %sigmoid : [num_users=1] = call_function[target=torch.sigmoid]"));
  CHECK_THAT(ran.out, ContainsSubstring("0 passed, 1 failed\n"));
}

TEST_CASE("PASS and FAIL have colours on a terminal") {
  const Folder folder;
  const std::string file = folder.write("my.rules", kRules + "test \"it\" {\n  " + kBefore + "unchanged\n}\n");
  CHECK_THAT(run_program({"test", file}, "", true).out, ContainsSubstring("\x1b[31mFAIL\x1b[0m"));
}

TEST_CASE("unchanged, and why") {
  const std::string before = "before { x = placeholder : f32[2]   a = relu(x)   return a }\n  ";
  CHECK(run_test(before + "unchanged").code == 0);
  CHECK(run_test(before + "unchanged because \"rank(x) == 2\"").code == 0);
  const Ran other = run_test(before + "unchanged because \"dtype\"");
  CHECK(other.code == 1);
  CHECK_THAT(other.out,
             ContainsSubstring("nothing changed, but not because of \"dtype\"") && ContainsSubstring("rank(x) == 2"));
  CHECK(run_test(kBefore + "unchanged").code == 1);
}

TEST_CASE("a reason belongs to a rule whose root is there") {
  const Ran ran = run_test("before { x = placeholder   a = neg(x)   return a }\n  unchanged because \"rank(x) == 2\"");
  CHECK(ran.code == 1);
}

TEST_CASE("what a rule says in an error is a reason") {
  const std::string rules = "relu(_) => error \"no relu here\"\n";
  CHECK(run_test(kBefore + "unchanged because \"no relu here\"", rules).code == 0);
  const Ran unexpected = run_test(kBefore + "unchanged", rules);
  CHECK(unexpected.code == 1);
  CHECK_THAT(unexpected.out, ContainsSubstring("no relu here"));
}

TEST_CASE("names that `as` made are compared, others are not") {
  const std::string rules = "relu(x) => add(sigmoid(x), 1)  as \"clipped\"\n";
  CHECK(run_test(kBefore + "after { x = placeholder  s = sigmoid(x)  clipped = add(s, 1)  b = neg(clipped)  return b }",
                 rules)
            .code == 0);
  const Ran wrong =
      run_test(kBefore + "after { x = placeholder  s = sigmoid(x)  c = add(s, 1)  b = neg(c)  return b }", rules);
  CHECK(wrong.code == 1);
  CHECK_THAT(wrong.out, ContainsSubstring("`clipped` should be called `c`"));
}

TEST_CASE("checks evaluate helpers") {
  const std::string rules = "def twice(n) = n + n\ndef first_of([h, t..]) = h\n" + kRules;
  CHECK(run_test("check twice(2) == 4", rules).code == 0);
  CHECK(run_test("check first_of([3, 4]) == 3\n  check twice(twice(1)) == 4", rules).code == 0);
  CHECK(run_test("check twice(2) > 3", rules).code == 0);
  const Ran wrong = run_test("check twice(2) == 4\n  check twice(2) == 5", rules);
  CHECK(wrong.code == 1);
  CHECK_THAT(wrong.out, ContainsSubstring("`(twice(2)) == (5)` is false"));
  const Ran unknown = run_test("check first_of([]) == 3", rules);
  CHECK(unknown.code == 1);
  CHECK_THAT(unknown.out, ContainsSubstring("is unknown"));
}

TEST_CASE("checks may be plain") {
  CHECK(run_test("check 1 == 1\n  check True\n  check not False\n  check [1,\n    2] == [1, 2]").code == 0);
  CHECK_THAT(run_test("check 1 == 2").out, ContainsSubstring("`(1) == (2)` is false"));
}

TEST_CASE("a test block without a result is no test") {
  const Ran ran = run_test(kBefore);
  CHECK(ran.code == 1);
}

TEST_CASE("errors inside of a test's graph are shown") {
  const Ran ran = run_test("before { x = placeholder   a = nge(x)   return a }\n  unchanged");
  CHECK(ran.code == 1);
  CHECK_THAT(ran.out + ran.err, ContainsSubstring("nge"));
}

TEST_CASE("-k chooses tests by name") {
  const Folder folder;
  const std::string tests =
      "test \"one two\" { before { x = placeholder  return x } unchanged }\n"
      "test \"three\" { before { x = placeholder  return x } unchanged }\n";
  const std::string file = folder.write("my.rules", kRules + tests);
  CHECK_THAT(run_program({"test", file}).out, ContainsSubstring("2 passed, 0 failed"));
  const Ran one = run_program({"test", file, "-k", "one t"});
  CHECK_THAT(one.out, ContainsSubstring(": one two\n1 passed, 0 failed\n"));
  const Ran none = run_program({"test", file, "-k", "four"});
  CHECK(none.code == 1);
  CHECK(none.out.empty());
  CHECK(none.err == "error: no test's name holds \"four\" [no-test]\nhint: there are 2 tests\n");
  const Ran near = run_program({"test", file, "-k", "thre e"});
  CHECK(near.code == 1);
  CHECK_THAT(near.err, ContainsSubstring("hint: did you mean \"three\"?\n"));
  const Ran no_tests = run_program({"test", folder.write("none.rules", kRules), "-k", "four"});
  CHECK(no_tests.code == 1);
  CHECK_THAT(no_tests.err, ContainsSubstring("hint: there are no tests\n"));
}

TEST_CASE("a file that does not load fails, the others run") {
  const Folder folder;
  const std::string bad = folder.write("bad.rules", "relu(x) => sigmoid(y)\n");
  const std::string good =
      folder.write("good.rules", kRules + "test \"it\" { before { x = placeholder  return x } unchanged }\n");
  const Ran ran = run_program({"test", bad, good});
  CHECK(ran.code == 1);
  CHECK_THAT(ran.err, ContainsSubstring("[unbound-name]"));
  CHECK_THAT(ran.out, ContainsSubstring("good.rules: it\n1 passed, 1 failed\n"));
}

TEST_CASE("a file without tests passes") {
  const Folder folder;
  const Ran ran = run_program({"test", folder.write("my.rules", kRules)});
  CHECK(ran.code == 0);
  CHECK(ran.out == "0 passed, 0 failed\n");
}

TEST_CASE("-D acts on tests as well") {
  const Folder folder;
  const std::string rules = "param on: bool = False\nrelu(x) => sigmoid(x) if on\n";
  const std::string file =
      folder.write("p.rules", rules + "test \"it\" { before { x = placeholder  a = relu(x)  return a } unchanged }\n");
  CHECK(run_program({"test", file}).code == 0);
  CHECK(run_program({"test", file, "-D", "on=True"}).code == 1);
}

TEST_CASE("the example of the help passes") {
  const Folder folder;
  const std::string help = run_program({"test", "--help"}).out;
  const std::string file = folder.write("help.rules", excerpt(help, "  neg(neg(x)) => x", "\nOps without", 2));
  CHECK_THAT(run_program({"test", file}).out, ContainsSubstring("2 passed, 0 failed"));
}

TEST_CASE("the example of the documentation passes") {
  const Folder folder;
  std::ifstream page(FXRULES_SOURCE_DIR "/docs/command-line.md");
  const std::string text{std::istreambuf_iterator<char>(page), {}};
  const std::string file = folder.write("docs.rules", excerpt(text, "def half(n)", "```", 0));
  CHECK_THAT(run_program({"test", file}).out, ContainsSubstring("3 passed, 0 failed"));
}

TEST_CASE("what a file imports goes on meaning its own helpers, sets and parameters") {
  const Folder folder;
  folder.write("library.rules",
               "param one: int = 1\n"
               "set Units = { neg }\n"
               "def step(x) = x + one\n"
               "def twice(x) = step(step(x))\n"
               "pattern unit(p) = Units(p)\n");
  const std::string rules = folder.write("mine.rules",
                                         "import \"library.rules\"\n"
                                         "param one: int = 10\n"
                                         "set Units = { exp }\n"
                                         "def step(x) = x * one\n"
                                         "relu(unit(x)) => sigmoid(x)\n"
                                         "test \"helpers\" {\n"
                                         "  check twice(5) == 7\n"
                                         "  check step(5) == 50\n"
                                         "}\n"
                                         "test \"patterns\" {\n"
                                         "  before { x = placeholder   n = neg(x)   e = exp(x)\n"
                                         "           a = relu(n)       b = relu(e)  return a, b }\n"
                                         "  after  { x = placeholder   e = exp(x)\n"
                                         "           a = sigmoid(x)    b = relu(e)  return a, b }\n"
                                         "}\n");
  const Ran ran = run_program({"test", rules});
  INFO(ran.out << ran.err);
  CHECK(ran.code == 0);
}
