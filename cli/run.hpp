// The whole program but for `main`.
#pragma once

#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/console.hpp"

namespace fxrules::cli {

// Carries out one command line (without the program's name) and returns the exit code. Catches everything:
// what goes wrong is one or more sentences on `console.err`.
[[nodiscard]] int run(const std::vector<std::string>& arguments, Console& console);

// The commands. They throw Error for bad input and UsageError for wrong use.
[[nodiscard]] int apply_command(const Options& options, Console& console);
[[nodiscard]] int convert_command(const Options& options, Console& console);
[[nodiscard]] int list_command(const Options& options, Console& console);
[[nodiscard]] int check_command(const Options& options, Console& console);
[[nodiscard]] int test_command(const Options& options, Console& console);
[[nodiscard]] int rules_command(const Options& options, Console& console);
[[nodiscard]] int explain_command(const Options& options, Console& console);
int infer_command(const Options& options, Console& console);
[[nodiscard]] int fmt_command(const Options& options, Console& console);
[[nodiscard]] int bench_command(const Options& options, Console& console);
[[nodiscard]] int dump_command(const Options& options, Console& console);

}  // namespace fxrules::cli
