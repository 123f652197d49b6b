#include <nlohmann/json.hpp>

#include "tests/cli/support.hpp"
#include "tests/support/catch.hpp"

using namespace fxrules::cli;
using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

namespace {

struct Files : Folder {
  std::string rules = write("my.rules",
                            "zero: add(x, 0) => x\n"
                            "twice: mul(x, x) => pow(x, 2)\n"
                            "kinds: sub(x, _: int) => x\n"
                            "guards: relu(x) => x        if rank(x) == 1 and shape(x)[0] > 3\n"
                            "                => neg(x)   if dtype(x) == torch.int64\n"
                            "both: exp(log(x)) => x      if rank(x) == 1\n"
                            "back: log(exp(x)) => x\n");
  std::string graph = write("graph.txt",
                            "graph():\n"
                            "    %x : Tensor \"f32[3][1]cpu\"[num_users=4] = placeholder[target=x]\n"
                            "    %y : [num_users=4] = placeholder[target=y]\n"
                            "    %a : [num_users=1] = call_function[target=torch.add](args = (%x, 1), kwargs = {})\n"
                            "    %m : [num_users=1] = call_function[target=torch.mul](args = (%a, %y), kwargs = {})\n"
                            "    %s : [num_users=1] = call_function[target=torch.sub](args = (%m, %y), kwargs = {})\n"
                            "    %r : [num_users=1] = call_function[target=torch.relu](args = (%x,), kwargs = {})\n"
                            "    %q : [num_users=1] = call_function[target=torch.relu](args = (%y,), kwargs = {})\n"
                            "    %l : [num_users=1] = call_function[target=torch.log](args = (%x,), kwargs = {})\n"
                            "    %e : [num_users=1] = call_function[target=torch.exp](args = (%l,), kwargs = {})\n"
                            "    %w : [num_users=1] = call_method[target=add_](args = (%y, 1), kwargs = {})\n"
                            "    %n : [num_users=1] = call_function[target=torch.neg](args = (%e,), kwargs = {})\n"
                            "    return (s, r, q, n)\n");

  [[nodiscard]] Ran explain(const std::string& node, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"explain", rules, graph, "--node", node};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words);
  }
};

}  // namespace

TEST_CASE("explain says which test of a pattern fails, what it saw and what would have to hold") {
  const Files files;
  CHECK_THAT(files.explain("a").out, ContainsSubstring("does not match\n  add(x, 0)\n    x = x\n"
                                                       "  fails: argument 2 is `1`, not `0`\n"
                                                       "  would have to hold: argument 2 is `0`\n"));
  CHECK_THAT(files.explain("%m").out, ContainsSubstring("fails: `x` is `a` in one place and `y` in another\n"
                                                        "  would have to hold: `x` is the same in both places\n"));
  CHECK_THAT(files.explain("s").out, ContainsSubstring("fails: argument 2 is `y`, not known to be `int`\n"));
}

TEST_CASE("explain says of each alternative which part of its guard fails, and why") {
  const Files files;
  const Ran ran = files.explain("r");
  CHECK(ran.code == 0);
  CHECK_THAT(ran.out, ContainsSubstring("matches, no guard is known to hold\n"));
  CHECK_THAT(ran.out, ContainsSubstring("  x\n    `shape(x)[0] > 3` is false: 3 > 3\n"
                                        "    would have to hold: shape(x)[0] > 3\n"));
  CHECK_THAT(ran.out,
             ContainsSubstring("  neg(x)\n    `dtype(x) == torch.int64` is false: torch.float32 == torch.int64\n"));
  CHECK_THAT(files.explain("q").out,
             ContainsSubstring("`rank(x) == 1` is unknown: metadata of `y` is missing; --input NAME=TYPE gives it\n"));
  CHECK_THAT(files.explain("q", {"--input", "y=f32[5]"}).out,
             ContainsSubstring("    holds\n  applied alone: not rewritten: an output would become an input"));
}

TEST_CASE("explain looks at one rule, whatever its root") {
  const Files files;
  CHECK_THAT(files.explain("e").out, ContainsSubstring("both (") && ContainsSubstring("applied alone, it rewrites"));
  CHECK_THAT(files.explain("l", {"--rule", "back"}).out,
             ContainsSubstring("would have to hold: argument 1 is a call of `exp`\n"));
  CHECK_THAT(files.explain("e", {"--rule", "zero"}).out, ContainsSubstring("another op\n"));
  CHECK_THAT(files.explain("x").out, ContainsSubstring("no rule has a root that accepts this node"));
}

TEST_CASE("explain names what is not there") {
  const Files files;
  const Ran node = files.explain("ee");
  CHECK(node.code == 2);
  CHECK_THAT(node.err, ContainsSubstring("--node ee: the graph has no node of this name"));
  CHECK(files.explain("e", {"--rule", "bothh"}).code == 2);
  CHECK_THAT(files.explain("e", {"--rule", "bothh"}).err, ContainsSubstring("did you mean `both`?"));
  CHECK(run_program({"explain", files.rules, files.graph}).code == 2);
}

TEST_CASE("the report counts what almost matched") {
  const Files files;
  const Ran ran = run_program({"apply", files.rules, files.graph, "--check", "--report", "json"});
  const auto misses = json::parse(ran.out)["near_misses"];
  const auto of = [&](const std::string& rule, const std::string& what) {
    for (const auto& entry : misses) {
      if (entry["rule"] == rule) return entry[what].get<int>();
    }
    return 0;
  };
  CHECK(of("zero", "literal") == 1);
  CHECK(of("twice", "repeated") == 1);
  CHECK(of("kinds", "kind") == 1);
  CHECK(of("guards", "guard_false") == 1);
  CHECK(of("guards", "guard_unknown") == 1);
  CHECK(of("back", "kind") == 0);  // its inner op is not there
  const Ran text = run_program({"apply", files.rules, files.graph, "--check", "--report", "text"});
  CHECK_THAT(text.out, ContainsSubstring("1 with another literal"));
}

TEST_CASE("explain says what a helper pattern does not match, and how far a rule came behind one") {
  struct : Folder {
    std::string rules = write("my.rules",
                              "pattern through(p) = p\n"
                              "pattern through(p) = {view, unsqueeze}(through(p), ..)\n"
                              "sum: relu(through(add(x, y))) => x   if rank(y) == 1\n"
                              "twice: neg(through(through(exp(x)))) => x\n"
                              "order: mul(through(abs(x)), 2) => x\n");
    std::string graph = write("graph.txt",
                              "graph():\n"
                              "    %x : Tensor \"f32[3][1]cpu\"[num_users=4] = placeholder[target=x]\n"
                              "    %a : [num_users=1] = call_function[target=torch.add](args = (%x, %x), kwargs = {})\n"
                              "    %v : [num_users=3] = call_method[target=unsqueeze](args = (%a, 0), kwargs = {})\n"
                              "    %r : [num_users=1] = call_function[target=torch.relu](args = (%v,), kwargs = {})\n"
                              "    %n : [num_users=1] = call_function[target=torch.neg](args = (%v,), kwargs = {})\n"
                              "    %b : [num_users=1] = call_function[target=torch.abs](args = (%x,), kwargs = {})\n"
                              "    %m : [num_users=1] = call_function[target=torch.mul](args = (%b, 3), kwargs = {})\n"
                              "    return (r, n, m)\n");
  } files;
  const auto explain = [&](const char* node) {
    return run_program({"explain", files.rules, files.graph, "--node", node}).out;
  };
  CHECK_THAT(explain("r"), ContainsSubstring("    x = x\n    y = x\n"));
  CHECK_THAT(explain("n"), ContainsSubstring("fails: argument 1 is `v` (`unsqueeze`), which "
                                             "`through(through(exp(x)))` does not match\n"
                                             "  would have to hold: argument 1 matches `through(through(exp(x)))`\n"));
  CHECK_THAT(explain("m"), ContainsSubstring("fails: argument 2 is `3`, not `2`\n"));
}
