#include <cstdlib>
#include <iostream>
#include <string_view>

#include <unistd.h>

#include "cli/run.hpp"

namespace {

// https://no-color.org: any value but the empty one turns colours off.
bool colors_wanted() {
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return (no_color == nullptr || *no_color == '\0') && (terminal == nullptr || std::string_view(terminal) != "dumb");
}

}  // namespace

int main(int count, char** words) {
  std::ios::sync_with_stdio(false);
  const bool colors = colors_wanted();
  const bool out_terminal = isatty(STDOUT_FILENO) != 0;
  const bool err_terminal = isatty(STDERR_FILENO) != 0;
  fxrules::cli::Console console{std::cin,    std::cout, std::cerr, colors && out_terminal, colors && err_terminal,
                                err_terminal};
  return fxrules::cli::run({words + (count > 0 ? 1 : 0), words + count}, console);
}
