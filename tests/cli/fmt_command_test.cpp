#include "tests/cli/support.hpp"
#include "tests/support/catch.hpp"

using namespace fxrules::cli;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("fmt writes files that are not formatted") {
  const Folder folder;
  const std::string path = folder.write("my.rules", "add(x,0)=>x\n");
  const Ran ran = run_program({"fmt", path});
  CHECK(ran.code == 0);
  CHECK(ran.out + ran.err == "");
  CHECK(folder.read("my.rules") == "add(x, 0) => x\n");
  CHECK(folder.files() == 1);
  CHECK(run_program({"fmt", "--check", path}).code == 0);
}

TEST_CASE("fmt --check shows what would change and writes nothing") {
  const Folder folder;
  const std::string path = folder.write("my.rules", "add(x,0)=>x\n");
  const Ran ran = run_program({"fmt", "--check", path});
  CHECK(ran.code == 1);
  CHECK_THAT(ran.out, ContainsSubstring("-add(x,0)=>x\n+add(x, 0) => x\n"));
  CHECK(folder.read("my.rules") == "add(x,0)=>x\n");
}

TEST_CASE("fmt reads standard input and leaves what does not parse") {
  const Folder folder;
  const Ran ran = run_program({"fmt", "-"}, "add(x,0)=>x\n");
  CHECK(ran.out == "add(x, 0) => x\n");
  const std::string bad = folder.write("bad.rules", "add(x,=>x\n"), good = folder.write("good.rules", "neg(x)=>x\n");
  const Ran failed = run_program({"fmt", bad, good});
  CHECK(failed.code == 1);
  CHECK_THAT(failed.err, ContainsSubstring("bad.rules:1:"));
  CHECK(folder.read("bad.rules") == "add(x,=>x\n");
  CHECK(folder.read("good.rules") == "neg(x) => x\n");
}
