// The command line in CLI11's words. Only the command that is asked for is described, so that a run does
// not pay for the others.
#include "cli/arguments.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <ostream>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/help.hpp"
#include "cli/rule_files.hpp"

namespace fxrules::cli {
namespace {

struct CommandName {
  Command command;
  std::string_view name;
  std::string_view what;
};
constexpr std::array kCommands{
    CommandName{Command::apply, "apply", "rewrite a graph"},
    CommandName{Command::convert, "convert", "write a graph in another form"},
    CommandName{Command::list, "list", "list the graphs of a file"},
    CommandName{Command::check, "check", "load rule files and report what is wrong with them"},
    CommandName{Command::test, "test", "run the `test` blocks of rule files"},
    CommandName{Command::explain, "explain", "say why rules match a node of a graph, or do not"},
    CommandName{Command::infer, "infer", "print what is known of each value of a graph"},
    CommandName{Command::fmt, "fmt", "format rule files"},
    CommandName{Command::bench, "bench", "measure rules on a graph"},
    CommandName{Command::rules, "rules", "list the rule files that are shipped"},
    CommandName{Command::dump, "dump", "print how rule files were understood"},
};

std::string command_lines() {
  std::string lines;
  for (const CommandName& c : kCommands) lines += fmt::format("  fxrules {:<16} {}\n", c.name, c.what);
  return lines;
}

[[noreturn]] void unknown_command(const std::string& word) {
  std::vector<std::string_view> names;
  for (const CommandName& c : kCommands) names.push_back(c.name);
  const std::vector<std::string> near = nearest_names(word, names, 1);
  throw UsageError(fmt::format("there is no command `{}`", word), near.empty()
                                                                      ? std::string("`fxrules --help` lists them")
                                                                      : fmt::format("did you mean `{}`?", near[0]));
}

const CommandName& find_command(const std::string& word) {
  const auto* found =
      std::find_if(kCommands.begin(), kCommands.end(), [&](const CommandName& c) { return c.name == word; });
  if (found == kCommands.end()) unknown_command(word);
  return *found;
}

// What CLI11 fills in before it is checked.
struct Raw {
  std::vector<std::string> files, params;
  std::optional<std::string> out, max_rewrites;
  std::string report, stage = "program", format = "fx";
  std::string mutated_inputs = "return", mutated_attributes = "copy_back", verifier = "keep";
};

void add_params(CLI::App& app, Raw& raw) {
  app.add_option("-D", raw.params, "Value of a `param` in every rule file that has it")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
}

void add_inputs(CLI::App& app, Options& options) {
  app.add_option("--input", options.inputs,
                 "What an input of the graph is, as in 'x=f32[4,8] strides=(8,1) device=cpu'")
      ->type_name("NAME=TYPE")
      ->allow_extra_args(false);
  app.add_option("--inputs", options.inputs_file, "A file of them, one a line; `#` comments")->type_name("FILE");
}

void add_choice(CLI::App& app, Options& options) {
  app.add_option("--graph", options.choice, "Of several graphs of a file take this one, by name or number, or all")
      ->type_name("NAME|NUMBER|all");
}

void describe_convert(CLI::App& app, Raw& raw, Options& options) {
  app.add_option("file", raw.files, "The graph; `-` reads standard input")->type_name("IN");
  app.add_option("-o,--output", raw.out, "Write to this file")->type_name("OUT");
  app.add_option("--to", options.to, "Form of the output")
      ->check(CLI::IsMember({"fx", "readable", "code", "dot", "svg", "pt2", "program"}))
      ->type_name("FORM");
  add_choice(app, options);
  app.footer(std::string(kConvertHelp));
}

void describe_apply(CLI::App& app, Raw& raw, Options& options) {
  app.add_option("files", raw.files, "Rule files, then the graph, or several; `-` reads standard input")
      ->type_name("RULES... GRAPH...");
  app.add_option("-o,--output", raw.out, "Write the graph to this file, several to this folder")->type_name("OUT");
  add_params(app, raw);
  add_inputs(app, options);
  app.add_flag("--diff", options.diff, "Print what changes, as a unified diff, in place of the graph");
  app.add_option("--report", raw.report, "Print what was done")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("FORM");
  app.add_option("--html", options.html, "Write a page for a browser: both graphs, and which rule did what")
      ->type_name("FILE");
  app.add_flag("--check", options.check, "Write no graph; the exit code is 1 if anything would change");
  app.add_flag("--watch", options.watch, "Run again whenever a file is saved, and show what that changes");
  app.add_option("--until", options.until, "Leave out the phases behind this one")->type_name("PHASE");
  app.add_option("--jobs", options.jobs, "Of several graphs rewrite N at once (default: one a core)")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  app.add_option("--max-rewrites", raw.max_rewrites, "Stop after N rewrites and keep them")->type_name("N");
  app.add_option("--only", options.only, "Apply this rule and no other (may be repeated)")
      ->type_name("LABEL")
      ->allow_extra_args(false);
  app.add_option("--disable", options.disable, "Leave this rule out (may be repeated)")
      ->type_name("LABEL")
      ->allow_extra_args(false);
  const auto mode = [](std::vector<std::string> names) { return CLI::IsMember(std::move(names)); };
  app.add_option(
         "--alias", options.aliases,
         "Inputs that the caller passes with one storage: y=x, y=x[1:] (a view of it), or x,y (in a way that is "
         "not said); may be repeated")
      ->type_name("Y=X")
      ->allow_extra_args(false);
  app.add_option("--mutated-inputs", raw.mutated_inputs,
                 "Where the new value of an input goes whose writes the rules remove: a further output, back into the "
                 "input by copy_ at the end, or nowhere (default: return)")
      ->check(mode({"return", "copy_back", "drop"}))
      ->type_name("MODE");
  app.add_option("--mutated-attributes", raw.mutated_attributes, "The same for get_attr (default: copy_back)")
      ->check(mode({"return", "copy_back", "drop"}))
      ->type_name("MODE");
  app.add_flag("--dce", options.dce, "Also remove what was dead in the graph as it came");
  app.add_option("--verifier", raw.verifier,
                 "Of a program of torch.export that gets ops that write: keep its verifier, which may refuse them, or "
                 "make it TRAINING (default: keep)")
      ->check(mode({"keep", "training"}))
      ->type_name("VERIFIER");
  add_choice(app, options);
  app.add_option("--format", raw.format, "Form of the output: fx, as print(gm.graph) prints it")
      ->check(CLI::IsMember({"fx"}))
      ->type_name("FORM");
  app.footer(std::string(kApplyHelp));
}

void describe_rule_files(CLI::App& app, Raw& raw) {
  app.add_option("files", raw.files, "Rule files")->type_name("RULES...");
  add_params(app, raw);
}

void describe_bench(CLI::App& app, Raw& raw, Options& options) {
  describe_rule_files(app, raw);
  add_inputs(app, options);
  app.add_option("--graph", options.graph, "The graph")->type_name("FILE");
  app.add_option("--generate", options.workload, "A graph of this kind and size instead")->type_name("WORKLOAD:NODES");
  app.add_option("--vs", options.others, "Rule files to compare with")->type_name("RULES...");
  app.add_option("--runs", options.runs, "How often each set of rules is applied (default: 5)")
      ->check(CLI::Range(1, 10000))
      ->type_name("N");
  app.add_option("--report", raw.report, "Form of the output (default: text)")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("FORM");
  app.add_option("--chart", options.chart, "Also draw the times, as SVG")->type_name("FILE");
  app.footer(std::string(kBenchHelp));
}

void describe(CLI::App& app, Raw& raw, Options& options) {
  switch (options.command) {
    case Command::apply:
      describe_apply(app, raw, options);
      return;
    case Command::convert:
      describe_convert(app, raw, options);
      return;
    case Command::list:
      app.add_option("file", raw.files, "The file; `-` reads standard input")->type_name("FILE");
      app.footer(std::string(kListHelp));
      return;
    case Command::check:
      describe_rule_files(app, raw);
      app.footer(std::string(kCheckHelp));
      return;
    case Command::test:
      describe_rule_files(app, raw);
      app.add_option("-k", options.filter, "Only tests whose name holds this text")->type_name("NAME");
      app.add_flag("--watch", options.watch, "Run again whenever a file is saved, and show what that changes");
      app.footer(std::string(kTestHelp));
      return;
    case Command::explain:
      app.add_option("files", raw.files, "Rule files, then the graph; `-` reads standard input")
          ->type_name("RULES... GRAPH");
      add_params(app, raw);
      add_inputs(app, options);
      app.add_option("--node", options.node, "The node's name, with or without `%`")->type_name("NAME")->required();
      app.add_option("--rule", options.only, "Only this rule, even if its root is another op (may be repeated)")
          ->type_name("LABEL")
          ->allow_extra_args(false);
      app.footer(std::string(kExplainHelp));
      return;
    case Command::infer:
      app.add_option("files", raw.files, "Rule files, if any, then the graph; `-` reads standard input")
          ->type_name("[RULES...] GRAPH");
      add_params(app, raw);
      add_inputs(app, options);
      app.footer(std::string(kInferHelp));
      return;
    case Command::fmt:
      app.add_option("files", raw.files, "Rule files; `-` is standard input to standard output")->type_name("RULES...");
      app.add_flag("--check", options.check,
                   "Write nothing; print what would change, and end with 1 if anything would");
      app.footer(std::string(kFmtHelp));
      return;
    case Command::bench:
      describe_bench(app, raw, options);
      return;
    case Command::rules:
      app.footer(std::string(kRulesHelp));
      return;
    case Command::dump:
      describe_rule_files(app, raw);
      app.add_option("--stage", raw.stage, "Which form to print")
          ->check(CLI::IsMember({"ast", "program"}))
          ->type_name("STAGE");
      app.footer(std::string(kDumpHelp));
      return;
  }
}

void take_params(const Raw& raw, Options& options) {
  for (const std::string& param : raw.params) {
    const std::size_t equals = param.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw UsageError(fmt::format("`-D {}` gives no value", param), "write -D NAME=VALUE, as in -D target=cuda");
    }
    options.params[param.substr(0, equals)] = param.substr(equals + 1);
  }
}

// SIZE_MAX itself means that there is no limit.
void take_limit(const Raw& raw, Options& options) {
  if (!raw.max_rewrites) return;
  const std::string& text = *raw.max_rewrites;
  std::uint64_t limit = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), limit);
  const bool number = error != std::errc::invalid_argument && end == text.data() + text.size();
  if (number && error == std::errc() && limit < SIZE_MAX) {
    options.max_rewrites = limit;
    return;
  }
  const std::string range = fmt::format("it is a number from 0 to {}", SIZE_MAX - 1);
  throw UsageError(
      fmt::format("--max-rewrites {}: {}", text, number ? "this is too large" : "this is no number of rewrites"),
      range);
}

bool is_rule_file(std::string_view name) { return name.ends_with(".rules"); }

// Several graphs stand behind the rule files: whatever is neither called NAME.rules nor named as a shipped file is.
void take_more_graphs(Options& options) {
  std::vector<std::string>& files = options.rules;
  const auto is_graph = [](const std::string& name) {
    std::error_code error;
    return name != "-" && !is_rule_file(name) && !std::filesystem::exists(shipped_rules() / (name + ".rules"), error);
  };
  while (files.size() > 1 && is_graph(files.back())) {
    options.more_graphs.insert(options.more_graphs.begin(), std::move(options.graph));
    options.graph = std::move(files.back());
    files.pop_back();
  }
}

void take_graph(Options& options, std::string_view command) {
  if (options.rules.empty()) throw UsageError(fmt::format("`fxrules {}` needs rule files and a graph", command));
  const std::string usage = fmt::format("the graph comes last: fxrules {} RULES... GRAPH", command);
  options.graph = std::move(options.rules.back());
  options.rules.pop_back();
  if (is_rule_file(options.graph)) {
    throw UsageError(options.rules.empty() ? "no graph was given"
                                           : fmt::format("`{}` stands where the graph belongs", options.graph),
                     usage);
  }
  if (options.rules.empty()) {
    throw UsageError("no rule file was given", usage);
  }
}

void take_inferred_graph(Options& options) {
  if (options.rules.empty() || is_rule_file(options.rules.back()))
    throw UsageError("no graph was given", "the graph comes last: fxrules infer [RULES...] GRAPH");
  options.graph = std::move(options.rules.back());
  options.rules.pop_back();
}

bool takes_one_file(Command command) { return command == Command::convert || command == Command::list; }

void take_one_file(Options& options, std::string_view command) {
  if (options.rules.size() != 1) {
    throw UsageError(options.rules.empty() ? fmt::format("`fxrules {}` needs a file", command)
                                           : fmt::format("`fxrules {}` takes one file", command));
  }
  options.graph = std::move(options.rules.front());
  options.rules.clear();
}

void check_several(const Options& options) {
  if (options.more_graphs.empty()) return;
  if (options.watch || !options.html.empty())
    throw UsageError(fmt::format("{} takes one graph", options.watch ? "--watch" : "--html"));
  if (options.out.empty() && !options.check && !options.diff)
    throw UsageError("several graphs were given, and no folder for what comes of them", "write -o FOLDER");
}

void check_files(const Options& options, std::string_view command) {
  const bool without_rules =
      options.command == Command::rules || options.command == Command::infer || takes_one_file(options.command);
  if (!without_rules && options.rules.empty()) {
    throw UsageError(fmt::format("`fxrules {}` needs a rule file", command));
  }
  const auto stdin_files = std::count(options.rules.begin(), options.rules.end(), "-") + (options.graph == "-" ? 1 : 0);
  if (options.inputs_file == "-") throw UsageError("--inputs takes a file, not standard input");
  if (stdin_files > 1) throw UsageError("`-` can stand for one file only");
  if (options.check && options.watch) throw UsageError("--check and --watch are two different things");
  check_several(options);
  if (options.check && !options.out.empty()) throw UsageError("--check writes no graph, so that -o has no meaning");
}

void check_bench(const Options& options) {
  if (options.graph.empty() == options.workload.empty())
    throw UsageError("one graph is needed to measure on", "write --graph FILE or --generate w1:100000");
}

MutatedInputs mutated_mode(std::string_view text) {
  if (text == "copy_back") return MutatedInputs::copy_back;
  return text == "drop" ? MutatedInputs::drop : MutatedInputs::as_output;
}

void take(Raw& raw, Options& options, std::string_view command) {
  options.rules = std::move(raw.files);
  if (options.command == Command::apply || options.command == Command::explain) take_graph(options, command);
  if (options.command == Command::apply) take_more_graphs(options);
  if (options.command == Command::infer) take_inferred_graph(options);
  if (takes_one_file(options.command)) take_one_file(options, command);
  if (raw.out && raw.out->empty()) {
    throw UsageError("-o names no file", "write -o OUT, or leave it out for standard output");
  }
  options.out = raw.out.value_or("");
  if (options.out == "-") options.out.clear();  // standard output, as without it
  take_params(raw, options);
  take_limit(raw, options);
  if (!raw.report.empty()) options.report = raw.report == "json" ? ReportForm::json : ReportForm::text;
  options.mutated_inputs = mutated_mode(raw.mutated_inputs);
  options.mutated_attributes = mutated_mode(raw.mutated_attributes);
  options.training = raw.verifier == "training";
  if (options.command == Command::bench) check_bench(options);
  options.stage = raw.stage == "ast" ? Stage::ast : Stage::program;
  check_files(options, command);
}

std::optional<Options> parse_command(const CommandName& command, std::vector<std::string> words, Console& console) {
  Options options;
  options.command = command.command;
  Raw raw;
  CLI::App app(fmt::format("fxrules {}: {}", command.name, command.what), fmt::format("fxrules {}", command.name));
  describe(app, raw, options);
  try {
    std::reverse(words.begin(), words.end());  // the order that CLI11 takes
    app.parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    console.out << app.help();
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what(), fmt::format("`fxrules {} --help` shows the options and examples", command.name));
  }
  take(raw, options, command.name);
  return options;
}

}  // namespace

std::optional<Options> parse_arguments(const std::vector<std::string>& arguments, Console& console) {
  if (arguments.empty()) throw UsageError("no command was given", "`fxrules --help` lists them");
  const std::string& first = arguments.front();
  if (first == "--help" || first == "-h" || first == "help") {
    console.out << fmt::format(fmt::runtime(kHelp), command_lines());
    return std::nullopt;
  }
  if (first.starts_with('-')) throw UsageError(fmt::format("`{}` is no command", first), "`fxrules --help` lists them");
  return parse_command(find_command(first), {arguments.begin() + 1, arguments.end()}, console);
}

}  // namespace fxrules::cli
