#include "cli/report.hpp"

#include <chrono>

#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"

using namespace fxrules;
using namespace fxrules::cli;
using nlohmann::json;

namespace {

// A run of two rules over a graph of which only the names matter.
struct Sample {
  Graph graph;
  Report report;

  Sample() {
    const auto source = std::make_shared<Source>(Source{"my.rules", "# first line\nfuse: relu(x) => y\nneg(x) => z\n"});
    report.rules.resize(2);
    report.rules[0].name = "fuse";
    report.rules[0].phase = "tidy";
    report.rules[0].span = {source, 13, 17};
    report.rules[0].rewrites = 2;
    report.rules[1].name = "my.rules:3";
    report.rules[1].span = {source, 32, 35};
    report.rules[1].guard_false = 3;
    report.rules[1].guard_unknown = 1;
    report.rules[1].refused = 1;
    report.rewrites = 2;
    report.nodes_before = 5;
    report.nodes_after = 4;
    report.notes.push_back({1, name("neg"), "not here"});
    report.unknown_targets = {"my.op"};
    applied("relu", {"relu", "x"}, {"clip"}, "clip");
    applied("clip", {"clip"}, {"clip_1"}, "clip_1");
    applied("kept", {"kept"}, {}, "kept");
  }

  SymbolId name(std::string_view text) const { return graph.symbols().intern(text); }

  void applied(std::string_view root, const std::vector<std::string>& matched, const std::vector<std::string>& created,
               std::string_view result) {
    std::vector<SymbolId> old_names, new_names;
    for (const std::string& n : matched) old_names.push_back(name(n));
    for (const std::string& n : created) new_names.push_back(name(n));
    report.applications.push_back({0, name(root), old_names, new_names, name(result)});
  }

  [[nodiscard]] std::string json_text(int exit_code) const {
    std::string text;
    report_json(report, graph, exit_code, [&](std::string_view piece) { text += piece; });
    return text;
  }
};

}  // namespace

TEST_CASE("the report for people") {
  const Sample sample;
  CHECK(report_text(sample.report, sample.graph) ==
        "converged after 2 rewrites; 5 nodes before, 4 after\n"
        "  rewrites\n"
        "          2  fuse  (my.rules:2, phase tidy)\n"
        "  near misses: matched or almost, but not applied; `fxrules explain` says why at a node\n"
        "          5  my.rules:3: 3 with a guard that is false, 1 with a guard that is unknown, 1 refused as unsafe\n"
        "  notes\n"
        "    `neg`: not here  (my.rules:3)\n"
        "  not in the op catalogue, assumed to read and write what they get\n"
        "    my.op\n"
        "  values with another name\n"
        "    relu -> clip_1\n"
        "    clip -> clip_1\n");
}

TEST_CASE("the report for programs") {
  const Sample sample;
  const json report = json::parse(sample.json_text(0));
  CHECK(report["stop"] == "converged");
  CHECK(report["exit_code"] == 0);
  CHECK(report["nodes_before"] == 5);
  CHECK(report["nodes_after"] == 4);
  CHECK(report["rewrites"] ==
        json::parse(R"([{"rule": "fuse", "phase": "tidy", "file": "my.rules", "line": 2, "count": 2}])"));
  CHECK(report["near_misses"] ==
        json::parse(R"([{"rule": "my.rules:3", "guard_false": 3, "guard_unknown": 1, "refused": 1,
                         "kind": 0, "literal": 0, "repeated": 0}])"));
  CHECK(report["notes"] == json::parse(R"([{"rule": "my.rules:3", "node": "neg", "text": "not here"}])"));
  CHECK(report["unknown_targets"] == json::parse(R"(["my.op"])"));
  CHECK(report["cycle"] == json::array());
  CHECK(report["changed_names"] == json::parse(R"({"relu": "clip_1", "clip": "clip_1"})"));
  CHECK(report["applications"][0] ==
        json::parse(
            R"({"rule": "fuse", "root": "relu", "matched": ["relu", "x"], "created": ["clip"], "result": "clip"})"));
  CHECK(report["applications"].size() == 3);
  CHECK(report["diagnostics"] == json::array());
}

TEST_CASE("each way to end has its words") {
  Sample sample;
  const auto first_line = [&] {
    const std::string text = report_text(sample.report, sample.graph);
    return text.substr(0, text.find('\n'));
  };
  const auto stop = [&] { return json::parse(sample.json_text(3))["stop"]; };
  sample.report.stop = StopReason::limit;
  CHECK(first_line() == "stopped at the limit of 2 rewrites; 5 nodes before, 4 after");
  CHECK(stop() == "limit");
  sample.report.stop = StopReason::default_limit;
  CHECK(first_line() == "gave up after 2 rewrites: the rules do not seem to end; 5 nodes before, 4 after");
  CHECK(stop() == "default_limit");
  sample.report.stop = StopReason::cycle;
  sample.report.cycle = {"a", "b", "c"};
  CHECK(first_line() == "gave up after 2 rewrites: `a`, `b` and `c` undo each other; 5 nodes before, 4 after");
  CHECK(stop() == "cycle");
  sample.report.stop = StopReason::failed;
  CHECK(first_line() == "failed, nothing was changed; 5 nodes before, 4 after");
  CHECK(stop() == "failed");
}

TEST_CASE("long lists are cut for people, not for programs") {
  Sample sample;
  for (int i = 0; i < 100; ++i) sample.report.unknown_targets.push_back("op" + std::to_string(i));
  const std::string text = report_text(sample.report, sample.graph);
  CHECK(text.find("    op18\n    ... and 81 more; --report json has them all\n") != std::string::npos);
  CHECK(json::parse(sample.json_text(0))["unknown_targets"].size() == 101);
}

TEST_CASE("diagnostics of a failed run have their place") {
  Sample sample;
  Diagnostic d;
  d.kind = "rule-error";
  d.message = "no \"such\" thing";
  d.span = sample.report.rules[1].span;
  d.hint = "try another";
  sample.report.diagnostics.push_back(d);
  CHECK(json::parse(sample.json_text(1))["diagnostics"] ==
        json::parse(R"([{"severity": "error", "kind": "rule-error", "message": "no \"such\" thing",
                         "file": "my.rules", "line": 3, "column": 1, "hint": "try another"}])"));
}

TEST_CASE("a report of many applications is linear") {
  Sample sample;
  for (int i = 0; i < 200'000; ++i) sample.applied("n" + std::to_string(i), {}, {}, "m" + std::to_string(i));
  const auto start = std::chrono::steady_clock::now();
  const json report = json::parse(sample.json_text(0));
  CHECK(report["changed_names"].size() == 200'002);
  CHECK(report["applications"].size() == 200'003);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(60));
}

TEST_CASE("names that are no text are still JSON") {
  Sample sample;
  sample.report.unknown_targets = {"\xff\xfe"};
  CHECK(json::accept(sample.json_text(0)));
}

TEST_CASE("a value that was replaced over and over has its last name") {
  Sample sample;
  sample.report.applications.clear();
  for (int i = 0; i < 1000; ++i) sample.applied("n" + std::to_string(i), {}, {}, "n" + std::to_string(i + 1));
  const auto names = changed_names(sample.report, sample.graph);
  REQUIRE(names.size() == 1000);
  CHECK(names.front() == std::pair<std::string_view, std::string_view>("n0", "n1000"));
  CHECK(names.back() == std::pair<std::string_view, std::string_view>("n999", "n1000"));
}
