// Files of several graphs, and other forms out.
#include "tests/cli/support.hpp"
#include "tests/support/catch.hpp"

using namespace fxrules::cli;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string dump(const std::string& op) {
  return "graph():\n    %x : [num_users=1] = placeholder[target=x]\n    %a : [num_users=1] = "
         "call_function[target=torch." +
         op + "](args = (%x,), kwargs = {})\n    %b : [num_users=1] = call_function[target=torch." + op +
         "](args = (%a,), kwargs = {})\n    %c : [num_users=1] = call_function[target=torch.exp](args = (%b,), kwargs "
         "= {})\n"
         "    return (c,)\n";
}

const std::string kRules = "neg(neg(x)) => x\n";
const std::string kNested =
    "class M(torch.nn.Module):\n    def forward(self, x):\n        sub = self.sub\n        cond = "
    "torch.ops.higher_order.cond(x, sub, "
    "sub, (x,));  x = sub = None\n        return (cond,)\n\n    class sub(torch.nn.Module):\n        def forward(self, "
    "y):\n            neg "
    "= torch.neg(y);  y = None\n            neg_1 = torch.neg(neg);  neg = None\n            exp = torch.exp(neg_1);  "
    "neg_1 = None\n            return (exp,)\n";

}  // namespace

TEST_CASE("list names the graphs of a file") {
  const Folder folder;
  const std::string file = folder.write("two.txt", "== first\n" + dump("neg") + "== second\n" + dump("abs"));
  const Ran ran = run_program({"list", file});
  CHECK(ran.code == 0);
  CHECK(ran.out ==
        "  #  name    form       nodes  nested    line  from\n"
        "  1  first   text IR        5       0       2\n"
        "  2  second  text IR        5       0       9\n");
  CHECK(run_program({"list", "-"}, "no graph\n").code == 1);
  CHECK(run_program({"list"}).code == 2);
}

TEST_CASE("apply takes the graph that is chosen and leaves the others") {
  const Folder folder;
  const std::string rules = folder.write("a.rules", kRules);
  const std::string text = "== first\n" + dump("neg") + "== second\n" + dump("neg");
  const std::string gone =
      "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
      "    %c : [num_users=1] = call_function[target=torch.exp](args = (%x,), kwargs = {})\n    return (c,)\n";
  const std::string file = folder.write("two.txt", text);
  CHECK(run_program({"apply", rules, file}).out == "== first\n" + gone + "== second\n" + dump("neg"));
  CHECK(run_program({"apply", rules, file, "--graph", "2"}).out == "== first\n" + dump("neg") + "== second\n" + gone);
  CHECK(run_program({"apply", rules, file, "--graph", "sec"}).out == "== first\n" + dump("neg") + "== second\n" + gone);
  const Ran all = run_program({"apply", rules, file, "--graph", "all", "--report", "text", "-o", folder.path("out")});
  CHECK(all.code == 0);
  CHECK(folder.read("out") == "== first\n" + gone + "== second\n" + gone);
  CHECK_THAT(all.out,
             ContainsSubstring("== first\nconverged after 1 rewrite") && ContainsSubstring("== second\nconverged"));
  const Ran json = run_program({"apply", rules, file, "--graph", "all", "--report", "json", "-o", folder.path("out")});
  CHECK_THAT(json.out, ContainsSubstring("{\"graph\": \"first\", \"report\":"));
  CHECK_THAT(run_program({"apply", rules, file, "--graph", "third"}).err,
             ContainsSubstring("error: no graph is called `third` [no-graph]\nhint: there are 1 `first`, 2 `second`"));
  CHECK_THAT(run_program({"apply", rules, file, "--graph", "3"}).err, ContainsSubstring("there is no graph 3"));
}

TEST_CASE("nested graphs are rewritten with the one that holds them") {
  const Folder folder;
  const std::string rules = folder.write("a.rules", kRules), file = folder.write("a.py", kNested);
  const Ran ran = run_program({"apply", rules, file, "--report", "text"});
  CHECK(ran.code == 0);
  CHECK_THAT(ran.out, ContainsSubstring("            exp = torch.exp(y);  y = None\n            return (exp,)\n"));
  CHECK_THAT(ran.err, ContainsSubstring("== M\n") && ContainsSubstring("== M.sub\nconverged after 1 rewrite"));
}

TEST_CASE("a log gives its graphs as text") {
  const Folder folder;
  const std::string rules = folder.write("a.rules", kRules);
  std::string log;
  const std::string prefix = "V1129 14:45:45.869000 1300 a.py:1] [0/0] [__graph_code] ";
  for (const std::string line : {"===== one =====", "class M(torch.nn.Module):", "    def forward(self, x):",
                                 "        a = torch.neg(x);  x = None", "        b = torch.neg(a);  a = None",
                                 "        c = torch.exp(b);  b = None", "        return (c,)", "", "===== two =====",
                                 "class M(torch.nn.Module):", "    def forward(self, x):", "        return (x,)"})
    log += prefix + line + "\n";
  const std::string file = folder.write("run.log", log);
  CHECK(run_program({"apply", rules, file, "--graph", "one"}).out ==
        "class M(torch.nn.Module):\n    def forward(self, x):\n        c = torch.exp(x);  x = None\n        return "
        "(c,)\n");
  CHECK(run_program({"apply", rules, file, "--graph", "all"}).out ==
        "# ===== one =====\nclass M(torch.nn.Module):\n    def forward(self, x):\n        c = torch.exp(x);  x = None\n"
        "        return (c,)\n\n# ===== two "
        "=====\nclass "
        "M(torch.nn.Module):\n    def forward(self, x):\n        return (x,)\n\n");
  CHECK_THAT(run_program({"list", file}).out,
             ContainsSubstring("  1  one   code           5       0       2  [0/0] graph_code\n"));
}

TEST_CASE("convert writes the form that the name or the option says") {
  const Folder folder;
  const std::string file = folder.write("a.txt", dump("neg"));
  CHECK(run_program({"convert", file, "-o", folder.path("a.py")}).code == 0);
  CHECK(folder.read("a.py") ==
        "class GraphModule(torch.nn.Module):\n    def forward(self, x):\n        a = torch.neg(x);  x = None\n        "
        "b = torch.neg(a);  "
        "a = None\n        c = torch.exp(b);  b = None\n        return (c,)\n");
  CHECK(run_program({"convert", folder.path("a.py"), "--to", "fx"}).out == dump("neg"));
  CHECK(run_program({"convert", file, "-o", folder.path("a.svg")}).code == 0);
  CHECK(folder.read("a.svg").substr(0, 5) == "<svg ");
  CHECK_THAT(run_program({"convert", file, "--to", "dot"}).out, ContainsSubstring("digraph G {"));
  const Ran unsaid = run_program({"convert", file});
  CHECK(unsaid.code == 2);
  CHECK_THAT(unsaid.err, ContainsSubstring("fxrules: no form was asked for\nhint: write --to fx, readable"));
  CHECK(run_program({"convert", file, "-o", folder.path("a.xyz")}).code == 2);
  CHECK_THAT(run_program({"convert", folder.write("b.py", kNested), "--to", "fx"}).err,
             ContainsSubstring("warning: nested graphs are no part of text IR: `sub` [lost-nested]"));
}
