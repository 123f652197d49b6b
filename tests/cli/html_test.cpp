// What stands in the report page; tests/page looks at it in a browser.
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
    "    %a : [num_users=1] = call_function[target=torch.relu](args = (%x,), kwargs = {})\n"
    "    %b : [num_users=1] = call_function[target=torch.relu](args = (%a,), kwargs = {})\n"
    "    %c : [num_users=1] = call_function[target=torch.add](args = (%b, 0), kwargs = {})\n"
    "    %d : [num_users=1] = call_method[target=view](args = (%c, </script>), kwargs = {})\n"
    "    return d\n";
const std::string kRules = "double:\n  relu(r @ relu(_)) => r\nplus: add(x, 0) => sigmoid(x)\n";

json part_of(const std::string& page, const std::string& id) {
  const std::string head = "<script type=\"application/json\" id=\"" + id + "\">";
  const std::size_t begin = page.find(head) + head.size();
  return json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

std::string without_times(std::string page) {
  const std::size_t begin = page.find("id=\"times\"");
  return page.erase(begin, page.find('\n', begin) - begin);
}

}  // namespace

TEST_CASE("the page holds both graphs, the rows that they share and what made each node") {
  const Folder folder;
  const std::string rules = folder.write("my.rules", kRules), graph = folder.write("g.txt", kGraph);
  const Ran ran = run_program({"apply", rules, graph, "-o", folder.path("out.txt"), "--html", folder.path("r.html")});
  CHECK(ran.code == 0);
  CHECK(ran.out + ran.err == "");
  const std::string page = folder.read("r.html");
  const json data = part_of(page, "data")["graphs"][0];
  CHECK(data["outcome"] == "converged · 2 rewrites · 6 → 5 nodes");
  CHECK(data["before"][2] == json({"b", "torch.relu", "(a)", "", "gone", {1}}));
  CHECK(data["after"][2] == json({"sigmoid", "torch.sigmoid", "(a)", "", "new", {1}}));
  CHECK(data["after"][3][2] == "(sigmoid, </script>)");
  CHECK(data["after"][3][4] == "changed");
  CHECK(data["rows"] == json::parse("[[0,0],[1,1],[2,2],[3,-1],[4,3],[5,4]]"));
  CHECK(data["applications"][1] == json::parse(R"([1,"c",["c"],["sigmoid"],"sigmoid"])"));
  CHECK(data["rules"][0][3] == "double:\n  relu(r @ relu(_)) => r");
  CHECK(data["rules"][1][1] == rules + ":3");
  CHECK(part_of(page, "times")["graphs"][0]["rules"].size() == 2);
}

TEST_CASE("the page is the same but for its times") {
  const Folder folder;
  const std::string rules = folder.write("my.rules", kRules), graph = folder.write("g.txt", kGraph);
  for (const char* name : {"1.html", "2.html"})
    CHECK(run_program({"apply", rules, graph, "--check", "--html", folder.path(name)}).code == 1);
  CHECK(without_times(folder.read("1.html")) == without_times(folder.read("2.html")));
}

TEST_CASE("--until leaves out later phases") {
  const Folder folder;
  const std::string rules =
      folder.write("my.rules", "phase one\nrelu(relu(x)) => tanh(x)\n\nphase two\nadd(x, 0) => x\n");
  const std::string graph = folder.write("g.txt", kGraph);
  const Ran ran = run_program({"apply", rules, graph, "--until", "one"});
  CHECK(ran.code == 0);
  CHECK_THAT(ran.out, ContainsSubstring("torch.tanh") && ContainsSubstring("torch.add"));
  CHECK_THAT(run_program({"apply", rules, graph, "--until", "two"}).out, !ContainsSubstring("torch.add"));
  const Ran wrong = run_program({"apply", rules, graph, "--until", "onn"});
  CHECK(wrong.code == 2);
  CHECK_THAT(wrong.err,
             ContainsSubstring("--until onn: no phase has this name") && ContainsSubstring("did you mean `one`?"));
}
