// What the command line asks for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/console.hpp"
#include "fxrules/apply.hpp"

namespace fxrules::cli {

enum class Command : std::uint8_t { apply, convert, list, check, test, explain, infer, fmt, bench, rules, dump };
enum class ReportForm : std::uint8_t { none, text, json };
enum class Stage : std::uint8_t { ast, program };

struct Options {
  Command command = Command::apply;
  std::vector<std::string> rules;
  std::string graph;                                       // apply, convert, list; "-" is standard input
  std::vector<std::string> more_graphs;                    // apply: those behind `graph`
  std::string choice;                                      // --graph; empty: the first
  std::string to;                                          // convert --to; empty: by the name of `out`
  std::string out;                                         // apply; empty: standard output
  std::map<std::string, std::string, std::less<>> params;  // -D
  std::vector<std::string> inputs;                         // --input, in their order
  std::string inputs_file;                                 // --inputs
  std::vector<std::string> aliases;                        // --alias
  ReportForm report = ReportForm::none;
  bool training = false;  // apply: a program that gets in-place ops is verified as TRAINING
  std::string html;       // apply: the page; empty: none
  std::string until;      // apply: the last phase; empty: all
  bool diff = false, check = false, dce = false, watch = false;
  std::size_t jobs = 0;  // apply: graphs at once; 0: as many as there are cores
  MutatedInputs mutated_inputs = MutatedInputs::as_output;
  MutatedInputs mutated_attributes = MutatedInputs::copy_back;
  std::size_t max_rewrites = SIZE_MAX;
  std::vector<std::string> only, disable;
  std::string filter;  // test -k
  std::string node;    // explain
  Stage stage = Stage::program;
  std::vector<std::string> others;  // bench --vs
  std::string workload, chart;      // bench --generate, --chart
  std::size_t runs = 5;             // bench
};

// Options, or nothing when help was printed on standard output. Throws UsageError.
[[nodiscard]] std::optional<Options> parse_arguments(const std::vector<std::string>& arguments, Console& console);

}  // namespace fxrules::cli
