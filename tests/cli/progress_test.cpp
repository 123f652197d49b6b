#include "cli/progress.hpp"

#include <sstream>

#include "tests/support/catch.hpp"

using namespace fxrules;
using namespace fxrules::cli;

namespace {

struct Screen {
  std::istringstream in;
  std::ostringstream out, err;
  Console console{in, out, err};
  explicit Screen(bool terminal) { console.err_terminal = terminal; }
};

}  // namespace

TEST_CASE("progress says where a run is") {
  CHECK(to_text({"tidy", 10, 200, 3}) == "phase tidy: 10 of 200 nodes, 3 rewrites");
  CHECK(to_text({"", 10, 200, 3}) == "applying: 10 of 200 nodes, 3 rewrites");
}

TEST_CASE("progress is one line on a terminal, and goes away") {
  Screen screen(true);
  {
    ProgressLine line(screen.console, std::chrono::seconds(0));
    line.show(Progress{"tidy", 1, 2, 0});
    line.show("writing");
  }
  CHECK(screen.err.str() == "\r\x1b[Kphase tidy: 1 of 2 nodes, 0 rewrites\r\x1b[Kwriting\r\x1b[K");
  CHECK(screen.out.str().empty());
}

TEST_CASE("a short run shows no progress") {
  Screen screen(true);
  { ProgressLine(screen.console).show("writing"); }
  CHECK(screen.err.str().empty());
}

TEST_CASE("no terminal, no progress") {
  Screen screen(false);
  ProgressLine line(screen.console, std::chrono::seconds(0));
  line.show("writing");
  CHECK_FALSE(line.enabled());
  CHECK(screen.err.str().empty());
}
