#include "cli/watch.hpp"

#include <filesystem>
#include <functional>
#include <sstream>
#include <vector>

#include "cli/run.hpp"
#include "tests/cli/support.hpp"
#include "tests/support/catch.hpp"

using namespace fxrules::cli;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string kGraph =
    "graph():\n"
    "    %x : [num_users=1] = placeholder[target=x]\n"
    "    %relu : [num_users=1] = call_function[target=torch.relu](args = (%x,), kwargs = {})\n"
    "    %neg : [num_users=1] = call_function[target=torch.neg](args = (%relu,), kwargs = {})\n"
    "    return neg\n";

// As editors save: a new file takes the place of the old one.
void replace(const Folder& folder, const std::string& name, const std::string& text) {
  folder.write(name + ".new", text);
  std::filesystem::rename(folder.path(name + ".new"), folder.path(name));
}

// Runs the command; between two rounds the next step is taken, and behind the last one it ends.
std::string watched(std::vector<std::string> arguments, const std::vector<std::function<void()>>& steps) {
  std::istringstream in;
  std::ostringstream out, err;
  Console console{in, out, err};
  const std::optional<Options> options = parse_arguments(arguments, console);
  std::size_t step = 0, seen = 0;
  const Until until = [&] {
    // A round ends with its text: a step waits for the one before it to have had an effect.
    if (out.str().size() == seen) return false;
    seen = out.str().size();
    if (step == steps.size()) return true;
    steps[step++]();
    return false;
  };
  Options once = *options;
  once.watch = false;
  const auto body = [](const Options& o, Console& c) {
    return o.command == Command::test ? test_command(o, c) : apply_command(o, c);
  };
  CHECK(options->watch);
  (void)(once.command == Command::test ? watch_test(once, console, body, until)
                                       : watch_apply(once, console, body, until));
  return out.str() + err.str();
}

}  // namespace

TEST_CASE("a watch sees what was saved, in place or by renaming") {
  const Folder folder;
  const std::string a = folder.write("a", "1"), b = folder.write("b", "1");
  FileWatch watch;
  watch.watch({a, b, folder.path("missing")});
  CHECK(watch.saved().empty());
  folder.write("a", "longer");
  CHECK(watch.saved() == std::vector<std::string>{a});
  replace(folder, "b", "2");
  CHECK(watch.saved() == std::vector<std::string>{b});
  CHECK(watch.saved().empty());
  std::filesystem::remove(a);
  CHECK(watch.saved().empty());  // an editor that writes it anew is not through
  folder.write("a", "back");
  folder.write("missing", "here");
  CHECK(watch.saved() == std::vector<std::string>{a, folder.path("missing")});
}

TEST_CASE("apply --watch shows the difference to the last result") {
  const Folder folder;
  const std::string rules = folder.write("my.rules", "relu(x) => sigmoid(x)\n"), graph = folder.write("g.txt", kGraph);
  const std::string said = watched({"apply", rules, graph, "--watch", "-o", folder.path("out.txt")},
                                   {[&] { replace(folder, "my.rules", "relu(x) => \n"); },
                                    [&] { folder.write("my.rules", "relu(x) => sigmoid(x)\n"); },
                                    [&] { folder.write("my.rules", "relu(x) => tanh(x)\n"); }});
  CHECK_THAT(said, ContainsSubstring("-    %relu : [num_users=1]"));
  CHECK_THAT(said, ContainsSubstring("+    %sigmoid : [num_users=1]"));
  CHECK_THAT(said, ContainsSubstring("converged after 1 rewrite"));
  CHECK_THAT(said, ContainsSubstring("my.rules was saved"));
  CHECK_THAT(said, ContainsSubstring("error: "));
  CHECK_THAT(said, ContainsSubstring("the result is the same"));
  CHECK_THAT(said, ContainsSubstring("-    %sigmoid : [num_users=1]"));
  CHECK_THAT(said, ContainsSubstring("+    %tanh : [num_users=1]"));
  CHECK_THAT(folder.read("out.txt"), ContainsSubstring("torch.tanh"));
}

TEST_CASE("an imported file is watched, too") {
  const Folder folder;
  folder.write("helpers.rules", "def f(x) = sigmoid(x)\n");
  const std::string rules = folder.write("my.rules", "import \"helpers.rules\"\nrelu(x) => f(x)\n");
  const std::string graph = folder.write("g.txt", kGraph);
  const std::string said =
      watched({"apply", rules, graph, "--watch"}, {[&] { replace(folder, "helpers.rules", "def f(x) = tanh(x)\n"); }});
  CHECK_THAT(said, ContainsSubstring("helpers.rules was saved"));
  CHECK_THAT(said, ContainsSubstring("+    %tanh : [num_users=1]"));
}

TEST_CASE("test --watch shows the tests that turned") {
  const Folder folder;
  const std::string test =
      "test \"one\" {\n  before { x = placeholder   a = neg(x)   b = neg(a)   return abs(b) }\n"
      "  after  { x = placeholder   return abs(x) }\n}\ntest \"two\" {\n  before { x = placeholder   return exp(x) }\n "
      " unchanged\n}\n";
  const std::string rules = folder.write("my.rules", "neg(neg(x)) => x\n" + test);
  const std::string said =
      watched({"test", rules, "--watch"}, {[&] { replace(folder, "my.rules", "neg(abs(x)) => x\n" + test); },
                                           [&] { replace(folder, "my.rules", "neg(neg(x)) => x\n" + test); }});
  CHECK_THAT(said, ContainsSubstring("2 passed, 0 failed"));
  CHECK_THAT(said, ContainsSubstring("1 passed, 1 failed"));
  const std::size_t failed = said.find("FAIL "), passed = said.find("PASS ");
  CHECK(failed < passed);
  CHECK(said.find("one", passed) < said.find('\n', passed));
  CHECK(said.find("two") == std::string::npos);
}

TEST_CASE("standard input cannot be watched") {
  const Folder folder;
  const std::string graph = folder.write("g.txt", kGraph);
  const Ran ran = run_program({"apply", "-", graph, "--watch"});
  CHECK(ran.code == 2);
  CHECK_THAT(ran.err, ContainsSubstring("--watch reads files again and again"));
}
