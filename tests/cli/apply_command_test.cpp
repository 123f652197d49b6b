#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/cli/support.hpp"
#include "tests/support/catch.hpp"

using namespace fxrules::cli;
using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

namespace {

const std::string kGraph =
    "graph():\n"
    "    %x : [num_users=1] = placeholder[target=x]\n"
    "    %relu : [num_users=1] = call_function[target=torch.relu](args = (%x,), kwargs = {})\n"
    "    %neg : [num_users=1] = call_function[target=torch.neg](args = (%relu,), kwargs = {})\n"
    "    return neg\n";
const std::string kRewritten =
    "graph():\n"
    "    %x : [num_users=1] = placeholder[target=x]\n"
    "    %sigmoid : [num_users=1] = call_function[target=torch.sigmoid](args = (%x,), kwargs = {})\n"
    "    %neg : [num_users=1] = call_function[target=torch.neg](args = (%sigmoid,), kwargs = {})\n"
    "    return neg\n";
const std::string kRules = "smooth: relu(x) => sigmoid(x)\n";

struct Files : Folder {
  std::string rules = write("my.rules", kRules);
  std::string graph = write("graph.txt", kGraph);
  std::string out = path("out.txt");
};

}  // namespace

TEST_CASE("the graph goes to standard output") {
  const Files files;
  const Ran ran = run_program({"apply", files.rules, files.graph});
  CHECK(ran.code == 0);
  CHECK(ran.out == kRewritten);
  CHECK(ran.err.empty());
}

TEST_CASE("the graph comes from standard input, or the rules do") {
  const Files files;
  CHECK(run_program({"apply", files.rules, "-"}, kGraph).out == kRewritten);
  CHECK(run_program({"apply", "-", files.graph}, kRules).out == kRewritten);
}

TEST_CASE("-o writes the graph and nothing else") {
  const Files files;
  const Ran ran = run_program({"apply", files.rules, files.graph, "-o", files.out});
  CHECK(ran.code == 0);
  CHECK(ran.out + ran.err == "");
  CHECK(files.read("out.txt") == kRewritten);
  CHECK(files.files() == 3);
}

TEST_CASE("a graph may be rewritten in place") {
  const Files files;
  CHECK(run_program({"apply", files.rules, files.graph, "-o", files.graph}).code == 0);
  CHECK(files.read("graph.txt") == kRewritten);
}

TEST_CASE("--diff shows the change in place of the graph") {
  const Files files;
  const Ran ran = run_program({"apply", files.rules, files.graph, "--diff"});
  CHECK(ran.code == 0);
  CHECK(ran.out ==
        fmt::format("--- {}\n+++ {}\t(rewritten)\n", files.graph, files.graph) +
            "@@ -1,5 +1,5 @@\n"
            " graph():\n"
            "     %x : [num_users=1] = placeholder[target=x]\n"
            "-    %relu : [num_users=1] = call_function[target=torch.relu](args = (%x,), kwargs = {})\n"
            "-    %neg : [num_users=1] = call_function[target=torch.neg](args = (%relu,), kwargs = {})\n"
            "+    %sigmoid : [num_users=1] = call_function[target=torch.sigmoid](args = (%x,), kwargs = {})\n"
            "+    %neg : [num_users=1] = call_function[target=torch.neg](args = (%sigmoid,), kwargs = {})\n"
            "     return neg\n");
  CHECK(run_program({"apply", files.rules, files.graph, "--diff"}, "", true).out.find("\x1b[31m-    %relu") !=
        std::string::npos);
  CHECK(run_program({"apply", files.rules, files.graph, "--diff", "-o", files.out}).out == ran.out);
  CHECK(files.read("out.txt") == kRewritten);
}

TEST_CASE("--check tells by the exit code whether anything would change") {
  const Files files;
  const Ran ran = run_program({"apply", files.rules, files.graph, "--check"});
  CHECK(ran.code == 1);
  CHECK(ran.out + ran.err == "");
  CHECK(run_program({"apply", files.rules, files.write("done.txt", kRewritten), "--check"}).code == 0);
}

TEST_CASE("--check together with --dce counts what was dead") {
  const Files files;
  const std::string dead =
      files.write("dead.txt",
                  "graph():\n"
                  "    %x : [num_users=1] = placeholder[target=x]\n"
                  "    %neg : [num_users=0] = call_function[target=torch.neg](args = (%x,), kwargs = {})\n"
                  "    return x\n");
  CHECK(run_program({"apply", files.rules, dead, "--check"}).code == 0);
  CHECK(run_program({"apply", files.rules, dead, "--check", "--dce"}).code == 1);
  CHECK(run_program({"apply", files.rules, dead, "--dce"}).out ==
        "graph():\n    %x : [num_users=1] = placeholder[target=x]\n    return x\n");
}

TEST_CASE("the report stands where nothing else does") {
  const Files files;
  const std::string first = "converged after 1 rewrite; 4 nodes before, 4 after\n";
  CHECK_THAT(run_program({"apply", files.rules, files.graph, "--report", "text", "-o", files.out}).out,
             ContainsSubstring(first));
  CHECK_THAT(run_program({"apply", files.rules, files.graph, "--report", "text"}).err, ContainsSubstring(first));
  CHECK(run_program({"apply", files.rules, files.graph, "--report", "text"}).out == kRewritten);
  CHECK_THAT(run_program({"apply", files.rules, files.graph, "--report", "text", "--diff"}).out,
             ContainsSubstring(first));
  CHECK_THAT(run_program({"apply", files.rules, files.graph, "--report", "text", "--check"}).out,
             ContainsSubstring(first));
}

TEST_CASE("a JSON report has its stream for itself") {
  const Files files;
  const auto is_report = [](const std::string& text) {
    return json::accept(text) && json::parse(text)["stop"] == "converged";
  };
  CHECK(is_report(run_program({"apply", files.rules, files.graph, "--report", "json", "-o", files.out}).out));
  CHECK(is_report(run_program({"apply", files.rules, files.graph, "--report", "json"}).err));
  CHECK(is_report(run_program({"apply", files.rules, files.graph, "--report", "json", "--diff"}).err));
  const Ran checked = run_program({"apply", files.rules, files.graph, "--report", "json", "--check"});
  CHECK(is_report(checked.out));
  CHECK(json::parse(checked.out)["exit_code"] == 1);
}

TEST_CASE("a limit of the user's keeps what was done") {
  const Files files;
  const std::string two = files.write("two.rules", "a: relu(x) => sigmoid(x)\nb: neg(x) => abs(x)\n");
  const Ran ran = run_program({"apply", two, files.graph, "--max-rewrites", "1", "--report", "text"});
  CHECK(ran.code == 0);
  CHECK(ran.out == kRewritten);
  CHECK_THAT(ran.err, ContainsSubstring("stopped at the limit of 1 rewrite;"));
  CHECK(run_program({"apply", two, files.graph, "--max-rewrites", "0"}).out == kGraph);
}

TEST_CASE("--only and --disable choose rules by label") {
  const Files files;
  const std::string two = files.write("two.rules", "a: relu(x) => sigmoid(x)\nb: neg(x) => abs(x)\n");
  CHECK(run_program({"apply", two, files.graph, "--only", "a"}).out == kRewritten);
  CHECK(run_program({"apply", two, files.graph, "--disable", "b"}).out == kRewritten);
  const Ran wrong = run_program({"apply", two, files.graph, "--only", "aa"});
  CHECK(wrong.code == 2);
  CHECK(wrong.err == "fxrules: --only aa: no rule has this label\nhint: did you mean `a`?\n");
}

TEST_CASE("-D sets a parameter of the rules") {
  const Files files;
  const std::string rules = files.write("p.rules", "param on: bool = False\nrelu(x) => sigmoid(x) if on\n");
  CHECK(run_program({"apply", rules, files.graph}).out == kGraph);
  CHECK(run_program({"apply", rules, files.graph, "-D", "on=True"}).out == kRewritten);
  const Ran wrong = run_program({"apply", rules, files.graph, "-D", "onn=True"});
  CHECK(wrong.code == 1);
  CHECK_THAT(wrong.err, ContainsSubstring("no rule file has a parameter `onn`"));
}

TEST_CASE("shipped rule files are found by name") {
  const Files files;
  const std::string graph =
      files.write("d.txt",
                  "graph():\n"
                  "    %x : [num_users=1] = placeholder[target=x]\n"
                  "    %to : [num_users=1] = call_method[target=to](args = (%x, cpu), kwargs = {})\n"
                  "    return to\n");
  CHECK_THAT(run_program({"apply", "device.rules", graph}).out, ContainsSubstring("(args = (%x, xla), kwargs = {})"));
}

TEST_CASE("an error of a rule writes nothing") {
  const Files files;
  const std::string rules = files.write("e.rules", "a: relu(_) => error \"no relu\"\nb: neg(_) => error \"no neg\"\n");
  files.write("out.txt", "as it was");
  const Ran ran = run_program({"apply", rules, files.graph, "-o", files.out});
  CHECK(ran.code == 1);
  CHECK(ran.out.empty());
  CHECK_THAT(ran.err,
             ContainsSubstring("`relu`: no relu [rule-error]") && ContainsSubstring("`neg`: no neg [rule-error]"));
  CHECK(files.read("out.txt") == "as it was");
  CHECK(run_program({"apply", rules, files.graph}).out.empty());
  CHECK(run_program({"apply", rules, files.graph, "--diff"}).out.empty());
}

TEST_CASE("a failed run still reports") {
  const Files files;
  const std::string rules = files.write("e.rules", "a: relu(_) => error \"no relu\"\n");
  const Ran ran = run_program({"apply", rules, files.graph, "-o", files.out, "--report", "json"});
  const json report = json::parse(ran.out);
  CHECK(report["stop"] == "failed");
  CHECK(report["exit_code"] == 1);
  CHECK(report["diagnostics"][0]["file"] == rules);
}

TEST_CASE("rules that undo each other end with 3 and their names") {
  const Files files;
  const std::string rules = files.write("c.rules", "there: relu(x) => sigmoid(x)\nback: sigmoid(x) => relu(x)\n");
  const Ran ran = run_program({"apply", rules, files.graph, "-o", files.out});
  CHECK(ran.code == 3);
  CHECK_THAT(ran.err, ContainsSubstring("there") && ContainsSubstring("back"));
  CHECK_FALSE(files.has("out.txt"));
}

TEST_CASE("rules and graph are both looked at before a run ends") {
  const Files files;
  const std::string rules = files.write("bad.rules", "relu(x) => sigmoid(y)\n"),
                    graph = files.write("bad.txt", "no graph\n");
  const Ran ran = run_program({"apply", rules, graph});
  CHECK(ran.code == 1);
  CHECK_THAT(ran.err, ContainsSubstring("[unbound-name]") && ContainsSubstring("[no-graph]"));
  CHECK(run_program({"apply", rules, files.graph}).code == 1);
}

TEST_CASE("files that cannot be read or written") {
  const Files files;
  const Ran no_graph = run_program({"apply", files.rules, files.path("none.txt")});
  CHECK(no_graph.code == 1);
  CHECK(no_graph.err ==
        fmt::format("error: cannot read `{}`: No such file or directory [unreadable]\n", files.path("none.txt")));
  const Ran no_rules = run_program({"apply", files.path("none.rules"), files.graph});
  CHECK(no_rules.code == 1);
  CHECK_THAT(no_rules.err, ContainsSubstring("none.rules"));
  const Ran no_out = run_program({"apply", files.rules, files.graph, "-o", files.path("no/out.txt")});
  CHECK(no_out.code == 1);
  CHECK(no_out.err ==
        fmt::format("error: cannot write `{}`: No such file or directory [unwritable]\n", files.path("no/out.txt")));
  const Ran full = run_program({"apply", files.rules, files.graph, "-o", "/dev/full"});
  CHECK(full.code == 1);
  CHECK_THAT(full.err, ContainsSubstring("No space left on device"));
}

TEST_CASE("a graph that breaks FX's rules is refused before any rule runs") {
  const Files files;
  const std::string graph =
      files.write("self.txt",
                  "graph():\n"
                  "    %x : [num_users=1] = placeholder[target=x]\n"
                  "    %relu : [num_users=1] = call_method[target=relu](args = (), kwargs = {self: %x})\n"
                  "    return relu\n");
  const Ran ran = run_program({"apply", files.rules, graph});
  CHECK(ran.code == 1);
  CHECK(ran.out.empty());
  CHECK_THAT(ran.err, ContainsSubstring("relu"));
}

TEST_CASE("every root of a rule that is replaced has its new name in the report") {
  const Folder folder;
  const std::string rules = folder.write("my.rules", "{ a = relu(x), b = neg(x) } => { a = exp(x), b = sin(x) }\n");
  const std::string graph =
      folder.write("graph.txt",
                   "graph():\n"
                   "    %x : [num_users=2] = placeholder[target=x]\n"
                   "    %relu : [num_users=1] = call_function[target=torch.relu](args = (%x,), kwargs = {})\n"
                   "    %neg : [num_users=1] = call_function[target=torch.neg](args = (%x,), kwargs = {})\n"
                   "    return (relu, neg)\n");
  const Ran ran = run_program({"apply", rules, graph, "--report", "json", "-o", folder.path("out.txt")});
  CHECK(json::parse(ran.out)["changed_names"] == json::parse(R"({"relu": "exp", "neg": "sin"})"));
}

TEST_CASE("a rule that undoes itself is named with its place") {
  const Files files;
  const std::string rules =
      files.write("loop.rules", "# a loop\nturn: relu(x) => relu(x)  if rank(x) == rank(x) or uses(x) > 0\n");
  const Ran ran = run_program({"apply", rules, files.graph, "--report", "text"});
  CHECK(ran.code == 3);
  CHECK_THAT(ran.err, ContainsSubstring("loop.rules:2:1: error: the rule `turn` (") &&
                          ContainsSubstring("loop.rules:2) undoes itself, or repeats [cycle]") &&
                          ContainsSubstring(": `turn` undoes itself; "));
}

TEST_CASE("a helper that runs away is named with its place") {
  const Files files;
  const std::string rules = files.write("deep.rules",
                                        "def twice([]) = [1]\n"
                                        "def twice([h, t..]) = [twice(t).., twice(t)..]\n"
                                        "relu(x) => sigmoid(x)  if len(twice(copies(0, 40))) == 3\n");
  const Ran ran = run_program({"apply", rules, files.graph});
  CHECK(ran.code == 0);
  CHECK(ran.out == kGraph);
  CHECK_THAT(ran.err, ContainsSubstring("deep.rules:2:1: note: `twice` was given up at `relu`: it ") &&
                          ContainsSubstring("[helper-limit]"));
}

TEST_CASE("what would be read back as something else is told with node, argument and rule") {
  const Files files;
  const std::string rules = files.write("text.rules", "\nas_text: relu(x) => my_ops.f(x, mode = \"1\")\n");
  const Ran ran = run_program({"apply", rules, files.graph, "-o", files.out});
  CHECK(ran.code == 1);
  CHECK_FALSE(files.has("out.txt"));
  CHECK_THAT(ran.err, ContainsSubstring("text.rules:2:1: error: `%f`: the argument `mode`, '1' would be read back as "
                                        "something else; the rule `as_text` made it [unsayable]"));
}
