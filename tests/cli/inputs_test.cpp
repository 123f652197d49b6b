// --input, --inputs and `fxrules infer`.
#include "tests/cli/support.hpp"
#include "tests/support/catch.hpp"

using namespace fxrules::cli;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string kGraph =
    "graph():\n"
    "    %x : [num_users=1] = placeholder[target=x]\n"
    "    %mask : [num_users=1] = placeholder[target=mask]\n"
    "    %view : [num_users=1] = call_method[target=view](args = (%x, -1), kwargs = {})\n"
    "    %add : [num_users=1] = call_function[target=torch.add](args = (%view, %mask), kwargs = {})\n"
    "    return add\n";

struct Files {
  Folder folder;
  std::string graph = folder.write("graph.txt", kGraph);
};

}  // namespace

TEST_CASE("what is said of inputs spreads through the calls") {
  const Files files;
  const Ran ran = run_program({"infer", files.graph, "--input", "x=f32[4,8] strides=(8,1) device=cpu", "--input",
                               "mask = i64[1] strides=(1) device=cpu"});
  CHECK(ran.code == 0);
  CHECK(ran.err.empty());
  CHECK(ran.out == "x = f32[4, 8][8, 1]cpu\nmask = i64[1][1]cpu\nview = f32[32][1]cpu\nadd = f32[32][1]cpu\n");
  CHECK(run_program({"infer", files.graph}).out == "x = ?\nmask = ?\nview = ?[?]\nadd = ?\n");
  CHECK_THAT(run_program({"infer", files.graph, "--input", "x=f16[s0, 2]"}).out,
             ContainsSubstring("view = f16[2*s0]\n"));
}

TEST_CASE("what `infer` prints is a file for --inputs") {
  const Files files;
  const std::string said = run_program({"infer", files.graph, "--input", "x=f32[4,8]"}).out;
  std::string inputs = "# of the inputs\n\n";
  inputs += said;
  const std::string path = files.folder.write("inputs.txt", inputs);
  CHECK(run_program({"infer", files.graph, "--inputs", path}).out == said);
  CHECK_THAT(run_program({"infer", files.graph, "--inputs", path, "--input", "x=f16[2]"}).out,
             ContainsSubstring("x = f16[2]\n") && ContainsSubstring("view = f32[32]"));  // stated, too
}

TEST_CASE("rules see what inputs are, and the shape functions of their file") {
  const Files files;
  const std::string rules = files.folder.write("my.rules", "view(x, s) => reshape(x, s)   if shape(root) == [32]\n");
  const Ran without = run_program({"apply", rules, files.graph});
  CHECK(without.out == kGraph);
  const Ran with = run_program({"apply", rules, files.graph, "--input", "x=f32[4,8]"});
  CHECK(with.code == 0);
  CHECK_THAT(with.out, ContainsSubstring("torch.reshape") && !ContainsSubstring("f32"));
  const std::string own = files.folder.write("own.rules", "meta view(x, ..) = Tensor(torch.int8, [7])\n");
  CHECK_THAT(run_program({"infer", own, files.graph}).out, ContainsSubstring("view = i8[7]\n"));
}

TEST_CASE("a mistake in what is said of an input has its place") {
  const Files files;
  const auto error_of = [&](const std::string& said) {
    const Ran ran = run_program({"infer", files.graph, "--input", said});
    CHECK(ran.code == 1);
    CHECK(ran.out.empty());
    return ran.err;
  };
  CHECK(error_of("msk=f32[2]") ==
        "--input:1:1: error: the graph has no value `msk` [unknown-input]\n  1 | msk=f32[2]\n    | ^~~\n"
        "hint: did you mean `mask`?\n");
  CHECK_THAT(error_of("output=f32[2]"), ContainsSubstring("the graph has no value `output` [unknown-input]"));
  CHECK_THAT(error_of("x=f33[2]"), ContainsSubstring("--input:1:3: error: this is no type of a value [bad-type]") &&
                                       ContainsSubstring("    |   ^~~~~~\n"));
  CHECK_THAT(error_of("x=f32[2] strides=(1"), ContainsSubstring("--input:1:10: error:"));
  CHECK_THAT(error_of("x=f32[2] colour=red"), ContainsSubstring("--input:1:10: error:"));
  CHECK_THAT(error_of("x"), ContainsSubstring("expected `name=type` [bad-input]"));
  CHECK_THAT(error_of("=f32[2]"), ContainsSubstring("expected a name before `=`"));
  const std::string path = files.folder.write("inputs.txt", "x=f32[2]\n\n  mask = q[1]\nmsk=i8[1]\n");
  const Ran ran = run_program({"infer", files.graph, "--inputs", path});
  CHECK_THAT(ran.err, ContainsSubstring(":3:10: error:") && ContainsSubstring(":4:1: error:"));
  CHECK(run_program({"infer", files.graph, "--inputs", "-"}).code == 2);
  CHECK(run_program({"infer", "only.rules"}).code == 2);
}

TEST_CASE("an int is a number of unknown value") {
  const Files files;
  CHECK_THAT(run_program({"infer", files.graph, "--input", "mask=int"}).out, ContainsSubstring("mask = Sym(?)\n"));
}
