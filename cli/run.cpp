#include "cli/run.hpp"

#include <new>
#include <ostream>

#include <fmt/format.h>

namespace fxrules::cli {

void print(Console& console, const std::vector<Diagnostic>& diagnostics) {
  console.err << render(diagnostics, console.err_color);
}

std::vector<Diagnostic> without_notes(std::vector<Diagnostic> diagnostics) {
  std::erase_if(diagnostics, [](const Diagnostic& d) { return d.severity == Severity::note; });
  return diagnostics;
}

Diagnostic plain_error(std::string_view kind, std::string message, std::string hint) {
  Diagnostic diagnostic;
  diagnostic.kind = kind;
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  return diagnostic;
}

namespace {

int carry_out(const Options& options, Console& console) {
  switch (options.command) {
    case Command::apply:
      return apply_command(options, console);
    case Command::convert:
      return convert_command(options, console);
    case Command::list:
      return list_command(options, console);
    case Command::check:
      return check_command(options, console);
    case Command::test:
      return test_command(options, console);
    case Command::rules:
      return rules_command(options, console);
    case Command::explain:
      return explain_command(options, console);
    case Command::infer:
      return infer_command(options, console);
    case Command::fmt:
      return fmt_command(options, console);
    case Command::bench:
      return bench_command(options, console);
    case Command::dump:
      return dump_command(options, console);
  }
  return kUsage;
}

int parse_and_carry_out(const std::vector<std::string>& arguments, Console& console) {
  // Ahead of everything else: programs ask for the version to see whether we are there.
  if (arguments.size() == 1 && (arguments[0] == "--version" || arguments[0] == "-V")) {
    console.out << "fxrules " FXRULES_VERSION "\n";
    return kSuccess;
  }
  const std::optional<Options> options = parse_arguments(arguments, console);
  return options ? carry_out(*options, console) : kSuccess;
}

// What was printed must have arrived: a full disk behind a redirection is a failure.
int finish(int code, Console& console) {
  console.out.flush();
  if (console.out.good()) return code;
  print(console, {plain_error("unwritable", "standard output cannot be written")});
  return code == kSuccess ? kFailure : code;
}

int report_usage(const UsageError& error, Console& console) {
  console.err << "fxrules: " << error.message() << '\n';
  console.err << "hint: " << (error.hint().empty() ? "`fxrules --help` shows how it is used" : error.hint()) << '\n';
  return kUsage;
}

}  // namespace

int run(const std::vector<std::string>& arguments, Console& console) {
  try {
    return finish(parse_and_carry_out(arguments, console), console);
  } catch (const UsageError& error) {
    return report_usage(error, console);
  } catch (const Error& error) {
    print(console, error.diagnostics());
  } catch (const std::bad_alloc&) {
    console.err << "fxrules: there is not enough memory for this\n";
  } catch (const std::exception& error) {
    console.err << "fxrules: this should not have happened: " << error.what() << '\n';
  } catch (...) {
    console.err << "fxrules: this should not have happened\n";
  }
  return kFailure;
}

}  // namespace fxrules::cli
