// run_case PROGRAM CASE: runs the program on a case file and says what is not as the case wants it.
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/compare_graphs.hpp"
#include "cli/unified.hpp"
#include "fxrules/formats.hpp"
#include "tests/cases/runner/case_file.hpp"
#include "tests/cases/runner/case_graph.hpp"

namespace fxrules::cases {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct Folder {
  fs::path path;
  Folder() {
    std::string name = (fs::temp_directory_path() / "fxrules-case-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a temporary folder");
    path = name;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string file(const std::string& name) const { return (path / name).string(); }
};

struct Outcome {
  int exit = 0;
  bool written = false;
  std::string out, err;
  json report;
};

// The report of the outer graph, with what was done in the graphs nested in it.
json whole(json report) {
  if (!report.contains("graphs")) return report;
  json outer;
  for (json& graph : report["graphs"]) {
    if (outer.is_null()) {
      outer = std::move(graph["report"]);
      continue;
    }
    for (const char* what : {"rewrites", "near_misses", "notes", "unknown_targets"}) {
      for (json& entry : graph["report"][what]) outer[what].push_back(std::move(entry));
    }
  }
  return outer;
}

std::string shell_word(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

class Runner {
 public:
  Runner(std::string program, CaseFile file)
      : program_(std::move(program)), case_(std::move(file)), catalogue_(Catalogue::load(FXRULES_SHARE_DIR)) {}

  // What is wrong, empty when nothing is.
  std::string run() {
    before_ = read_section(case_, "before", catalogue_);
    program_json_ = before_.graph.signature() != nullptr;
    write_text(folder_.file(named("before")), before_.text_ir ? case_.sections.at("before").text
                                              : program_json_ ? to_program(before_.graph, catalogue_)
                                                              : to_input(before_.graph));
    if (case_.sections.count("rules") > 0) write_text(folder_.file("case.rules"), case_.sections.at("rules").text);
    const Outcome first = apply(named("before"), named("after"));
    check_expectations(first);
    check_written(first);
    if (first.exit == 0 && problems_.empty()) check_again();
    return problems_;
  }

 private:
  // Only a program has a signature.
  [[nodiscard]] std::string named(const std::string& stem) const { return stem + (program_json_ ? ".json" : ".txt"); }

  Outcome apply(const std::string& in, const std::string& out) {
    std::string command = fmt::format("cd {} && {} apply", shell_word(fs::absolute(case_.path).parent_path().string()),
                                      shell_word(program_));
    if (case_.headers.count("rules") > 0) command += " " + case_.headers["rules"];
    if (case_.sections.count("rules") > 0) command += " " + shell_word(folder_.file("case.rules"));
    command += fmt::format(" {} -o {} --report json {} > {} 2> {}", shell_word(folder_.file(in)),
                           shell_word(folder_.file(out)), case_.headers["options"], shell_word(folder_.file("stdout")),
                           shell_word(folder_.file("stderr")));
    const int status = std::system(command.c_str());
    Outcome outcome;
    outcome.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    outcome.written = fs::exists(folder_.file(out));
    outcome.out = read_text(folder_.file("stdout"));
    outcome.err = read_text(folder_.file("stderr"));
    outcome.report = whole(json::parse(outcome.out, nullptr, false));
    return outcome;
  }

  void problem(const std::string& text) { problems_ += text + "\n"; }

  // ---- the report

  void check_expectations(const Outcome& got) {
    int exit = 0;
    for (const auto& words : case_.expectations) {
      if (words[0] == "error") exit = 1;
      if (words[0] == "exit") exit = std::stoi(words.at(1));
    }
    if (got.exit != exit)
      problem(fmt::format("the exit code is {}, expected is {}; standard error:\n{}", got.exit, exit, got.err));
    for (const auto& words : case_.expectations) check_expectation(words, got);
  }

  void check_expectation(const std::vector<std::string>& words, const Outcome& got) {
    const std::string& what = words[0];
    const std::string& text = words.back();
    if (what == "exit" || what == "again") return;
    if (what == "error") return holds(got.err, text, "standard error");
    if (got.report.is_discarded()) return problem(fmt::format("there is no JSON report to look up `{}` in", what));
    if (what == "stop") return equal("stop", got.report["stop"], json(text));
    if (what == "nodes") return equal("nodes", got.report["nodes_after"], json(std::stoul(text)));
    if (what == "rewrites")
      return equal(fmt::format("rewrites {}", text), json(rewrites(words, got.report)), json(number(words)));
    if (what == "near-misses")
      return equal(fmt::format("near-misses {}", text), json(near_misses(words, got.report)), json(number(words)));
    if (what == "note")
      return holds(got.report["notes"].dump(), json(text).dump().substr(1, json(text).dump().size() - 2), "the notes");
    if (what == "unknown") return holds(got.report["unknown_targets"].dump(), text, "the unknown targets");
    if (what == "renamed")
      return equal(fmt::format("renamed {}", text), got.report["changed_names"].value(words.at(1), ""),
                   json(words.at(2)));
    problem(fmt::format("`{}` is no expectation", what));
  }

  void equal(const std::string& what, const json& got, const json& expected) {
    if (got != expected) problem(fmt::format("{}: got {}, expected is {}", what, got.dump(), expected.dump()));
  }
  void holds(const std::string& text, const std::string& part, std::string_view what) {
    if (text.find(part) == std::string::npos)
      problem(fmt::format("{} should hold \"{}\", but is:\n{}", what, part, text));
  }

  // `rewrites 3` are all, `rewrites RULE 3` those of a rule. The words end with the whole rest of the line.
  static std::size_t number(const std::vector<std::string>& words) { return std::stoul(words.at(words.size() - 2)); }
  static bool is_about(const std::vector<std::string>& words, const json& rule) {
    return words.size() == 3 || rule["rule"].get<std::string>() == words.at(1);
  }
  static std::size_t rewrites(const std::vector<std::string>& words, const json& report) {
    std::size_t count = 0;
    for (const json& rule : report["rewrites"]) count += is_about(words, rule) ? rule["count"].get<std::size_t>() : 0;
    return count;
  }
  static std::size_t near_misses(const std::vector<std::string>& words, const json& report) {
    std::size_t count = 0;
    for (const json& rule : report["near_misses"]) {
      if (!is_about(words, rule)) continue;
      for (const char* kind : {"guard_false", "guard_unknown", "refused"}) count += rule[kind].get<std::size_t>();
    }
    return count;
  }

  // ---- the graph

  void check_written(const Outcome& got) {
    const bool wanted = case_.sections.count("after") + case_.sections.count("unchanged") > 0;
    if (got.exit != 0) {
      if (got.written) problem("the run failed, but wrote a graph");
      if (wanted) problem("the run failed, so that there is no graph to compare");
      return;
    }
    if (!got.written) return problem("no graph was written");
    if (!wanted) return problem("the case says nothing about the graph: it needs `--- after` or `--- unchanged`");
    const bool unchanged = case_.sections.count("unchanged") > 0;
    if (unchanged) equal("rewrites", json(rewrites({"rewrites", "0", "0"}, got.report)), json(0));
    compare(unchanged ? read_section(case_, "before", catalogue_) : read_section(case_, "after", catalogue_),
            unchanged);
  }

  void compare(CaseGraph expected, bool unchanged) {
    CaseGraph got = read_output(folder_.file(named("after")), catalogue_);
    cli::CompareOptions options;
    options.catalogue = catalogue_;
    options.exact = expected.exact;
    options.all_exact = options.all_named = expected.text_ir || unchanged;
    if (!program_json_) drop_metadata_of_inputs(expected.graph);
    const auto difference = cli::find_difference(got.graph, expected.graph, options);
    if (!difference) return;
    cli::DiffStyle style;
    style.before_name = "expected";
    style.after_name = "got";
    style.context = 1000;
    problem(*difference + "\n" + cli::unified_diff(to_text(expected.graph), to_text(got.graph), style));
  }

  // Text IR does not print it.
  static void drop_metadata_of_inputs(Graph& graph) {
    for (const NodeId n : graph.nodes()) {
      if (graph.opcode(n) == Opcode::placeholder) graph.set_meta(n, {});
    }
  }

  // Rules that are through have nothing to do on what they made, byte for byte. What the rules know of inputs
  // is not in the output, so that cases that depend on it say `again skip`.
  void check_again() {
    for (const auto& words : case_.expectations) {
      if (words[0] == "again" && words.back() == "skip") return;
    }
    const std::string after = named("after"), again = named("again");
    const Outcome second = apply(after, again);
    if (second.exit != 0) return problem(fmt::format("a second run fails:\n{}", second.err));
    if (rewrites({"rewrites", "0", "0"}, second.report) != 0 ||
        read_text(folder_.file(after)) != read_text(folder_.file(again))) {
      problem(fmt::format("a second run changes something:\n{}",
                          cli::unified_diff(read_text(folder_.file(after)), read_text(folder_.file(again)))));
    }
  }

  std::string program_;
  CaseFile case_;
  std::shared_ptr<const Catalogue> catalogue_;
  Folder folder_;
  CaseGraph before_;
  bool program_json_ = false;
  std::string problems_;
};

int main_of(int count, char** words) {
  if (count != 3) {
    std::cerr << "usage: run_case PROGRAM CASE\n";
    return 2;
  }
  ::setenv("FXRULES_DATA_DIR", FXRULES_SHARE_DIR, 0);
  try {
    const std::string problems = Runner(fs::absolute(words[1]).string(), read_case(words[2])).run();
    std::cout << (problems.empty() ? "as expected\n" : problems);
    return problems.empty() ? 0 : 1;
  } catch (const Error& error) {
    std::cerr << render(error.diagnostics());
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
  }
  return 1;
}

}  // namespace
}  // namespace fxrules::cases

int main(int count, char** words) { return fxrules::cases::main_of(count, words); }
