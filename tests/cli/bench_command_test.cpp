#include <nlohmann/json.hpp>

#include "tests/cli/support.hpp"
#include "tests/support/catch.hpp"

using namespace fxrules::cli;
using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

TEST_CASE("bench measures rules on a graph that it makes") {
  const Folder folder;
  const std::string rules = folder.write(
      "my.rules", "twice: relu(r @ relu(_)) => r\nzero: add(x, 0) => x\nnever: add(x, n: number) => x   if n == 7\n");
  const Ran ran = run_program({"bench", rules, "--generate", "w1:2000", "--runs", "2", "--report", "json"});
  REQUIRE(ran.code == 0);
  const json report = json::parse(ran.out);
  CHECK(report["nodes"] == 2000);
  const json& set = report["sets"][0];
  CHECK(set["stop"] == "converged");
  CHECK(set["seconds"] > 0);
  CHECK(set["visits"] >= 2000);
  std::size_t rewrites = 0;
  for (const json& rule : set["by_rule"]) {
    rewrites += rule["rewrites"].get<std::size_t>();
    CHECK(rule["matches"] >= rule["rewrites"]);
    CHECK(rule["guard_seconds"].get<double>() + rule["rewrite_seconds"].get<double>() >= 0);
  }
  CHECK(set["rewrites"] == rewrites);
  CHECK(rewrites == 2000 - set["nodes_after"].get<std::size_t>());
  CHECK(set["by_rule"].size() == 3);  // `never` matches, and nothing comes of it
}

TEST_CASE("bench compares two sets of rules, as text and as a chart") {
  const Folder folder;
  const std::string one = folder.write("one.rules", "relu(r @ relu(_)) => r\n");
  const std::string two = folder.write("two.rules", "relu(relu(x)) => relu(x)\n");
  const Ran ran = run_program(
      {"bench", one, "--generate", "chain:500", "--vs", two, "--runs", "1", "--chart", folder.path("times.svg")});
  REQUIRE(ran.code == 0);
  CHECK_THAT(ran.out, ContainsSubstring("chain:500: 500 nodes, medians of 1 runs"));
  CHECK_THAT(ran.out, ContainsSubstring("497 rewrites"));
  CHECK_THAT(ran.out, ContainsSubstring("ratio"));
  CHECK_THAT(folder.read("times.svg"), ContainsSubstring("<svg "));
  CHECK_THAT(folder.read("times.svg"), ContainsSubstring("two.rules"));
}

TEST_CASE("bench needs one graph") {
  const Folder folder;
  const std::string rules = folder.write("my.rules", "neg(neg(x)) => x\n");
  CHECK(run_program({"bench", rules}).code == 2);
  const Ran ran = run_program({"bench", rules, "--generate", "w9:100"});
  CHECK(ran.code == 2);
  CHECK_THAT(ran.err, ContainsSubstring("write w1:N or chain:N"));
}
