// Programs of torch.export on the command line.
#include <fstream>
#include <sstream>

#include "tests/cli/support.hpp"
#include "tests/support/catch.hpp"

using namespace fxrules::cli;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string program(const std::string& name) {
  std::ifstream in(FXRULES_SOURCE_DIR "/tests/data/pt2/" + name, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

struct Files : Folder {
  std::string rules = write("my.rules", "phase one once\nplus_one: add(x, 1) => sub(x, -1)\n");
  std::string model = write("model.pt2", program("torch214/kv_aten.pt2"));
};

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a program is rewritten into a file, a pipe or standard output alike") {
  const Files files;
  const Ran ran = run_program({"apply", files.rules, files.model, "-o", files.path("out.pt2"), "--report", "text"});
  CHECK(ran.code == 0);
  CHECK_THAT(ran.out, ContainsSubstring("plus_one"));
  const std::string out = files.read("out.pt2");
  CHECK(holds(out, "torch.ops.aten.sub.Scalar"));
  CHECK(holds(out, "{\"user_input_mutation\": {\"arg\": {\"name\": \"sub_scalar\"}, \"user_input_name\": \"x\"}}"));
  CHECK(run_program({"apply", files.rules, files.model}).out == out);
  CHECK(run_program({"apply", files.rules, "-"}, files.read("model.pt2")).out == out);
  CHECK(run_program({"apply", files.rules, files.model, "-o", files.model}).code == 0);  // in place
  CHECK(files.read("model.pt2") == out);
  CHECK(files.files() == 3);
}

TEST_CASE("a diff of programs is one of their graphs") {
  const Files files;
  const std::string rules = files.write("sin.rules", "sin(x) => cos(x)\n");
  CHECK_THAT(run_program({"apply", files.rules, files.model, "--diff"}).out,
             ContainsSubstring("-    %add_27 : ") && ContainsSubstring("+    %sub_scalar : "));
  const Ran same = run_program({"apply", rules, files.model, "--check"});
  CHECK(same.code == 0);
  CHECK_THAT(run_program({"infer", files.model}).out, ContainsSubstring("add_27 = f32[1, s11, 8][8*s11, 8, 1]cpu\n"));
}

TEST_CASE("branches of a program are rewritten too") {
  const Files files;
  const std::string model = files.write("cond.pt2", program("torch214/cond_aten.pt2"));
  const std::string rules = files.write("sin.rules", "sin(x) => cos(x)\n");
  const Ran ran = run_program({"apply", rules, model, "-o", files.path("out.pt2"), "--diff"});
  CHECK(ran.code == 0);
  CHECK_THAT(ran.out, ContainsSubstring("-    %sin : ") && ContainsSubstring("torch.ops.aten.cos.default"));
  CHECK_FALSE(holds(files.read("out.pt2"), "torch.ops.aten.sin.default"));
}

TEST_CASE("what a program cannot hold stops before anything is written") {
  const Files files;
  const std::string rules = files.write("method.rules", "add(x, 1) => .add(x, 2)\n");
  const Ran ran = run_program({"apply", rules, files.model, "-o", files.path("out.pt2")});
  CHECK(ran.code == 1);
  CHECK_THAT(ran.err, ContainsSubstring("a program of torch.export holds no call_method [unsayable]"));
  CHECK_FALSE(files.has("out.pt2"));
}

TEST_CASE("archives without a program are refused by name") {
  const Files files;
  const auto refused = [&](const std::string& name, const std::string& old, const std::string& now) {
    std::string bytes = program("torch214/cond_aten.pt2");
    for (std::size_t at = bytes.find(old); at != std::string::npos; at = bytes.find(old, at + 1))
      bytes.replace(at, old.size(), now);
    const Ran ran = run_program({"apply", files.rules, files.write(name, bytes)});
    CHECK(ran.code == 1);
    return ran.err.substr(ran.err.find(name));
  };
  // The same lengths, so that the table of contents stays right.
  CHECK(holds(refused("other.pt2", "models/model.json", "things/model.json"),
              "other.pt2: this is a zip file, which holds no FX graph [no-graph]"));
  std::string cut = program("torch214/cond_aten.pt2");
  cut.resize(cut.size() / 2);
  const Ran ran = run_program({"apply", files.rules, files.write("cut.pt2", cut)});
  CHECK(ran.code == 1);
  CHECK_THAT(ran.err, ContainsSubstring("cut.pt2: its table of contents is damaged or missing [damaged-archive]"));
}
