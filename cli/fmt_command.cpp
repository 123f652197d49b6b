// fxrules fmt: the one layout of rule files.
#include <ostream>

#include <fmt/format.h>

#include "cli/files.hpp"
#include "cli/run.hpp"
#include "cli/unified.hpp"
#include "dsl/ast.hpp"
#include "dsl/format.hpp"

namespace fxrules::cli {
namespace {

// Throws for a file with syntax errors: what its lines mean is not known.
std::string formatted(const SourcePtr& source) {
  const dsl::ParseResult parsed = dsl::parse(source);
  if (has_errors(parsed.diagnostics)) throw Error(parsed.diagnostics);
  return dsl::format(source->text);
}

bool format_file(const std::string& name, const Options& options, Console& console) {
  const SourcePtr source = read_source(name, console.in);
  const std::string text = formatted(source);
  const bool same = text == source->text;
  if (options.check) {
    DiffStyle style;
    style.before_name = source->name;
    style.after_name = source->name + "\t(formatted)";
    style.color = console.out_color;
    unified_diff(source->text, text, style, [&](std::string_view piece) { console.out << piece; });
  } else if (name == "-") {
    console.out << text;
  } else if (!same) {
    OutputFile out(name);
    out.write(text);
    out.commit();
  }
  return same;
}

}  // namespace

int fmt_command(const Options& options, Console& console) {
  int code = kSuccess;
  for (const std::string& name : options.rules) {
    try {
      if (!format_file(name, options, console) && options.check) code = kFailure;
    } catch (const Error& error) {  // the other files are formatted all the same
      print(console, error.diagnostics());
      code = kFailure;
    }
  }
  return code;
}

}  // namespace fxrules::cli
