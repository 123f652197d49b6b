#include "cli/help.hpp"

namespace fxrules::cli {

const std::string_view kHelp = R"(fxrules rewrites PyTorch FX graphs by declarative rules.

usage: fxrules COMMAND ...

{}
  fxrules COMMAND --help   options and examples of one command
  fxrules --version        the version

A first run, on what print(gm.graph) printed:

  fxrules apply device.rules graph.txt --diff

A rule of your own, in a file my.rules:

  # A double negation is none.
  neg(neg(x)) => x

  fxrules check my.rules
  fxrules apply my.rules graph.txt -o rewritten.txt --report text

Exit codes: 0 done; 1 bad input, a failed check or test, a rule's error; 2 wrong use of the command line;
3 the rules do not end on this graph.
)";

const std::string_view kApplyHelp = R"(
What goes where: the rewritten graph goes to OUT (written beside it and renamed; on any failure nothing is
written), without -o to standard output. --diff and --check take the graph's place on standard output.
The report goes to standard output when nothing else does, else to standard error.

Several graphs go to the folder of -o, each under its own name, a worker a core. --watch runs again whenever a
rule file is saved, and shows the difference to the last result; Ctrl-C ends it.

Rule files are looked up as given, then among the shipped ones (`fxrules rules`). They are applied in the
order given, each to its end.

Examples:
  fxrules apply device.rules graph.txt --diff              what would change
  fxrules apply device.rules graph.txt -o out.txt -D target=cuda
  fxrules apply device.rules noop.rules - < in.txt > out.txt
  fxrules apply my.rules graph.txt -o out.txt --report json > report.json
  fxrules apply my.rules graph.txt --only fuse_relu --max-rewrites 1 --diff
  fxrules apply my.rules graph.txt --check                 exit code 1 if anything would change
  fxrules apply my.rules graph.txt -o out.txt --html report.html
  fxrules apply my.rules graph.txt --until tidy --watch
  fxrules apply device.rules a.txt b.txt c.txt -o rewritten/
)";

const std::string_view kConvertHelp = R"(
IN may be text IR, code, a table, a printed ExportedProgram or a log; its form is recognised. The form of the
output is named by --to or by the ending of OUT: .txt fx, .py readable, .dot or .gv dot, .svg svg. What the
form cannot say is reported on standard error.

Examples:
  fxrules convert graph.txt -o graph.py
  fxrules convert run.log --graph "Forward graph 0" --to readable
  fxrules convert graph.py -o graph.svg
)";

const std::string_view kListHelp = R"(
Examples:
  fxrules list run.log                                     number, name, size and place of each graph
  fxrules apply my.rules run.log --graph 2
)";

const std::string_view kCheckHelp = R"(
Every error is shown with its place; the exit code is 1 when there is one.

Examples:
  fxrules check my.rules
  fxrules check my.rules -D target=cuda
)";

const std::string_view kTestHelp = R"(
A test stands beside the rules it is about:

  neg(neg(x)) => x

  test "a double negation is none" {
    before { x = placeholder   a = neg(x)   b = neg(a)   c = relu(b)   return c }
    after  { x = placeholder   c = relu(x)   return c }
  }
  test "a single one stays" {
    before { x = placeholder   a = neg(x)   return a }
    unchanged
  }

Ops without a dot are compared whatever their spelling, `.neg(x)` and `torch.neg(x)` exactly; arguments by
schema role with defaults filled in; names only where a rule gave them with `as`.

Examples:
  fxrules test my.rules
  fxrules test my.rules -k "double"                        tests whose name holds this text
  fxrules test my.rules --watch                            again whenever the file is saved
)";

const std::string_view kExplainHelp = R"(
For each rule whose root accepts the node: the first test of the pattern that fails, with the values that it saw;
where the pattern matches, each alternative with the part of its guard that is false or not known, and why. Looks at
the graph as it is given; a rule that matches is also tried alone on a copy, since the engine may refuse it.

Examples:
  fxrules explain noop.rules graph.txt --node clone_1
  fxrules explain my.rules graph.txt --node add --rule fuse_add
  fxrules explain my.rules graph.txt --node add --input x=f32[4,8]
)";

const std::string_view kInferHelp = R"(
One line a value, `name = f32[32, 64][64, 1]cpu` (sizes, strides, device), `?` where nothing is known: what a
guard of a rule knows of it. The shape functions are those of the rule files given and the shipped ones.
The output is a file for --inputs.

Examples:
  fxrules infer graph.txt --input x=f32[32,64]
  fxrules infer my.rules graph.txt --inputs inputs.txt
)";

const std::string_view kRulesHelp = R"(
Each can be named as it is listed in the place of a file: fxrules apply device.rules graph.txt
)";

const std::string_view kDumpHelp = R"(
Examples:
  fxrules dump my.rules                                    the compiled matcher and its guards
  fxrules dump my.rules --stage ast                        the syntax tree
)";

const std::string_view kFmtHelp = R"(
Blanks between tokens, columns of guards, arrows, equals signs and comments, blank lines; what the rules say, their
comments and their line breaks stay. A file that is formatted already is not written. Errors leave the file as it is.

Examples:
  fxrules fmt my.rules                                     formats the file in place
  fxrules fmt --check rules/*.rules                        exit code 1 and a diff if anything would change
  fxrules fmt - < my.rules                                 standard input to standard output
)";

const std::string_view kBenchHelp = R"(
Applies the rules again and again to copies of one graph and prints medians: time in matching (which the rules of a
phase share), in guards and in rewriting, and of each rule how often it was met and what that cost. --vs compares
two sets of rules on the same graph.

WORKLOAD is w1, blocks of ten calls with writes, copies and pairs of calls that undo each other, or chain, relu of relu
of relu; behind the colon stands how many nodes it has.

Examples:
  fxrules bench my.rules --graph graph.txt
  fxrules bench my.rules --generate w1:1000000 --report json
  fxrules bench old.rules --vs new.rules --graph graph.txt --chart times.svg
)";

}  // namespace fxrules::cli
