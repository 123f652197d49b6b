// Every kind of error, with its exact text.
#include "tests/formats/support.hpp"

using namespace fxrules;
using namespace fxrules::testing;

namespace {

std::string errors_of(const std::string& text, std::size_t max_errors = 50) {
  ReadOptions options;
  options.max_errors = max_errors;
  return render(read_graph(source_of(text), options).diagnostics);
}

// The diagnostics of a line between an input and an output that do not depend on it.
std::string errors_of_line(const std::string& line) {
  return errors_of("graph():\n    %x : [num_users=1] = placeholder[target=x]\n    " + line + "\n    return x\n");
}

}  // namespace

TEST_CASE("unknown nodes are named, with the nearest names", "[formats]") {
  CHECK(
      errors_of(
          "graph():\n"
          "    %linear_1 : [num_users=1] = placeholder[target=x]\n"
          "    %a : [num_users=1] = call_method[target=neg](args = (%linear1,), kwargs = {})\n"
          "    %b : [num_users=1] = call_method[target=getitem](args = (%a, slice(unheard, None, None)), kwargs = {})\n"
          "    return (b, liner_1)\n") ==
      "graph.txt:3:59: error: no node is called `linear1` [unknown-node]\n"
      "  3 |     %a : [num_users=1] = call_method[target=neg](args = (%linear1,), kwargs = {})\n"
      "    |                                                           ^~~~~~~\n"
      "hint: did you mean `linear_1`?\n"
      "graph.txt:4:72: error: no node is called `unheard` [unknown-node]\n"
      "  4 |     %b : [num_users=1] = call_method[target=getitem](args = (%a, slice(unheard, None, None)), kwargs = "
      "{})\n"
      "    |                                                                        ^~~~~~~\n"
      "graph.txt:5:16: error: no node is called `liner_1` [unknown-node]\n"
      "  5 |     return (b, liner_1)\n"
      "    |                ^~~~~~~\n"
      "hint: did you mean `linear_1`?\n");
}

TEST_CASE("damaged lines are located errors", "[formats]") {
  const std::vector<std::pair<std::string, std::string>> cases{
      // closing bracket of another kind
      {"%y : [num_users=0] = call_function[target=torch.f](args = ([%x, 1), kwargs = {})",
       "graph.txt:3:70: error: `)` where `]` is expected [unbalanced-bracket]\n"
       "  3 |     %y : [num_users=0] = call_function[target=torch.f](args = ([%x, 1), kwargs = {})\n"
       "    |                                                                      ^\n"
       "graph.txt:3:64: note: `[` was opened here [unbalanced-bracket]\n"
       "  3 |     %y : [num_users=0] = call_function[target=torch.f](args = ([%x, 1), kwargs = {})\n"
       "    |                                                                ^\n"},
      // closing bracket without opening one
      {"%y : [num_users=0] = call_function[target=torch.f](args = (%x, 1)), kwargs = {})",
       "graph.txt:3:70: error: `)` has no partner [unbalanced-bracket]\n"
       "  3 |     %y : [num_users=0] = call_function[target=torch.f](args = (%x, 1)), kwargs = {})\n"
       "    |                                                                      ^\n"},
      // arguments that never close
      {"%y : [num_users=0] = call_function[target=torch.f](args = (%x, 1, kwargs = {})",
       "graph.txt:3:63: error: `(` of the arguments is not closed [unbalanced-bracket]\n"
       "  3 |     %y : [num_users=0] = call_function[target=torch.f](args = (%x, 1, kwargs = {})\n"
       "    |                                                               ^\n"
       "graph.txt:3:69: note: `)` is missing here [unbalanced-bracket]\n"
       "  3 |     %y : [num_users=0] = call_function[target=torch.f](args = (%x, 1, kwargs = {})\n"
       "    |                                                                     ^\n"},
      // line cut inside the arguments
      {"%y : [num_users=0] = call_function[target=torch.f](args = (%x, 1",
       "graph.txt:3:69: error: the line ends inside the arguments [truncated-line]\n"
       "  3 |     %y : [num_users=0] = call_function[target=torch.f](args = (%x, 1\n"
       "    |                                                                     ^\n"
       "graph.txt:3:63: note: this bracket is not closed [truncated-line]\n"
       "  3 |     %y : [num_users=0] = call_function[target=torch.f](args = (%x, 1\n"
       "    |                                                               ^\n"},
      // line cut inside the keyword arguments
      {"%y : [num_users=0] = call_function[target=torch.f](args = (%x,), kwargs = {a: 1",
       "graph.txt:3:84: error: the line ends inside the arguments [truncated-line]\n"
       "  3 |     %y : [num_users=0] = call_function[target=torch.f](args = (%x,), kwargs = {a: 1\n"
       "    |                                                                                    ^\n"
       "graph.txt:3:79: note: this bracket is not closed [truncated-line]\n"
       "  3 |     %y : [num_users=0] = call_function[target=torch.f](args = (%x,), kwargs = {a: 1\n"
       "    |                                                                               ^\n"},
      // keyword without value
      {"%y : [num_users=0] = call_function[target=torch.f](args = (%x,), kwargs = {a})",
       "graph.txt:3:80: error: keyword argument `a` has no value [malformed-arguments]\n"
       "  3 |     %y : [num_users=0] = call_function[target=torch.f](args = (%x,), kwargs = {a})\n"
       "    |                                                                                ^\n"
       "hint: keyword arguments are printed as `{name: value}`\n"},
      // single argument without comma
      {"%y : [num_users=0] = call_function[target=torch.f](args = (%x), kwargs = {})",
       "graph.txt:3:63: error: a single argument is printed with a comma behind it: `(%x,)` [malformed-arguments]\n"
       "  3 |     %y : [num_users=0] = call_function[target=torch.f](args = (%x), kwargs = {})\n"
       "    |                                                               ^~~~\n"},
      // misspelt opcode
      {"%y : [num_users=0] = call_funtion[target=torch.f](args = (%x,), kwargs = {})",
       "graph.txt:3:26: error: `call_funtion` is no opcode [unknown-opcode]\n"
       "  3 |     %y : [num_users=0] = call_funtion[target=torch.f](args = (%x,), kwargs = {})\n"
       "    |                          ^~~~~~~~~~~~\n"
       "hint: did you mean `call_function`?\n"},
      // line cut inside the user count
      {"%y : [num_us",
       "graph.txt:3:10: error: expected `[num_users=N] = ` behind the node's name and type [truncated-line]\n"
       "  3 |     %y : [num_us\n"
       "    |          ^\n"},
      // no colon
      {"%y = torch.add(%x)",
       "graph.txt:3:7: error: expected ` : ` behind the node's name [malformed-line]\n"
       "  3 |     %y = torch.add(%x)\n"
       "    |       ^\n"},
      // no number of users
      {"%y : [num_users=] = placeholder[target=y]",
       "graph.txt:3:21: error: expected the number of users [malformed-line]\n"
       "  3 |     %y : [num_users=] = placeholder[target=y]\n"
       "    |                     ^\n"},
      // line cut behind the user count
      {"%y : [num_users=0]",
       "graph.txt:3:22: error: expected `] = ` behind the number of users [truncated-line]\n"
       "  3 |     %y : [num_users=0]\n"
       "    |                      ^\n"},
      // line cut behind the opcode
      {"%y : [num_users=0] = call_function",
       "graph.txt:3:39: error: expected `[target=` behind the opcode [truncated-line]\n"
       "  3 |     %y : [num_users=0] = call_function\n"
       "    |                                       ^\n"},
      // line cut inside the target
      {"%y : [num_users=0] = call_function[target=torch.f",
       "graph.txt:3:54: error: expected `](args = (` behind the target [truncated-line]\n"
       "  3 |     %y : [num_users=0] = call_function[target=torch.f\n"
       "    |                                                      ^\n"},
      // node without percent sign
      {"y : [num_users=0] = call_function[target=torch.f](args = (%x,), kwargs = {})",
       "graph.txt:3:5: error: this line does not start with `%name : ` or `return` [malformed-line]\n"
       "  3 |     y : [num_users=0] = call_function[target=torch.f](args = (%x,), kwargs = {})\n"
       "    |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
      // node without name
      {"% : [num_users=0] = call_function[target=torch.f](args = (%x,), kwargs = {})",
       "graph.txt:3:5: error: expected a name behind `%` [malformed-line]\n"
       "  3 |     % : [num_users=0] = call_function[target=torch.f](args = (%x,), kwargs = {})\n"
       "    |     ^\n"},
      // text behind the call
      {"%y : [num_users=0] = call_function[target=torch.f](args = (%x,), kwargs = {}) tail",
       "graph.txt:3:82: error: text behind the end of the call [malformed-line]\n"
       "  3 |     %y : [num_users=0] = call_function[target=torch.f](args = (%x,), kwargs = {}) tail\n"
       "    |                                                                                  ^\n"},
      // name defined twice
      {"%x : [num_users=0] = call_function[target=torch.f](args = (%x,), kwargs = {})",
       "graph.txt:3:5: error: `%x` is defined twice [duplicate-node]\n"
       "  3 |     %x : [num_users=0] = call_function[target=torch.f](args = (%x,), kwargs = {})\n"
       "    |     ^~\n"
       "graph.txt:2:5: note: the first one [duplicate-node]\n"
       "  2 |     %x : [num_users=1] = placeholder[target=x]\n"
       "    |     ^\n"},
      // default not closed
      {"%y : [num_users=0] = placeholder[target=y](default=3",
       "graph.txt:3:57: error: expected `)` behind the default [truncated-line]\n"
       "  3 |     %y : [num_users=0] = placeholder[target=y](default=3\n"
       "    |                                                         ^\n"},
      // target not closed
      {"%y : [num_users=0] = get_attr[target=y",
       "graph.txt:3:43: error: expected `]` behind the target [truncated-line]\n"
       "  3 |     %y : [num_users=0] = get_attr[target=y\n"
       "    |                                           ^\n"},
      // text behind a placeholder
      {"%y : [num_users=0] = placeholder[target=y]junk",
       "graph.txt:3:47: error: expected `(default=` or the end of the line [malformed-line]\n"
       "  3 |     %y : [num_users=0] = placeholder[target=y]junk\n"
       "    |                                               ^\n"},
      // value missing in a slice
      {"%y : [num_users=0] = call_function[target=torch.f](args = (slice(x, , None),), kwargs = {})",
       "graph.txt:3:73: error: a value is missing [malformed-arguments]\n"
       "  3 |     %y : [num_users=0] = call_function[target=torch.f](args = (slice(x, , None),), kwargs = {})\n"
       "    |                                                                         ^\n"},
      // garbage
      {"garbage here",
       "graph.txt:3:5: error: this line does not start with `%name : ` or `return` [malformed-line]\n"
       "  3 |     garbage here\n"
       "    |     ^~~~~~~~~~~~\n"},
      // output as a node line
      {"%y : [num_users=0] = output[target=y]",
       "graph.txt:3:26: error: `output` is no opcode [unknown-opcode]\n"
       "  3 |     %y : [num_users=0] = output[target=y]\n"
       "    |                          ^~~~~~\n"
       "hint: opcodes are placeholder, get_attr, call_function, call_method and call_module\n"},
  };
  for (const auto& [line, expected] : cases) CHECK(errors_of_line(line) == expected);
}

TEST_CASE("damaged graphs are located errors", "[formats]") {
  const std::vector<std::pair<std::string, std::string>> cases{
      // no target, whatever the opcode
      {"graph():\n"
       "    %x : [num_users=1] = placeholder[target=]\n"
       "    %y : [num_users=0] = call_method[target=](args = (%x,), kwargs = {})\n"
       "    return x\n",
       "graph.txt:2:45: error: the node has no target [malformed-line]\n"
       "  2 |     %x : [num_users=1] = placeholder[target=]\n"
       "    |                                             ^\n"
       "graph.txt:3:45: error: the node has no target [malformed-line]\n"
       "  3 |     %y : [num_users=0] = call_method[target=](args = (%x,), kwargs = {})\n"
       "    |                                             ^\n"},
      // an object that mentions nodes
      {"graph():\n"
       "    %x : [num_users=1] = placeholder[target=x]\n"
       "    return Foo(x, 1)\n",
       "graph.txt:3:12: error: this value mentions nodes in a form that is not read [malformed-arguments]\n"
       "  3 |     return Foo(x, 1)\n"
       "    |            ^~~~~~~~~\n"},
      // return value not closed
      {"graph():\n"
       "    %x : [num_users=1] = placeholder[target=x]\n"
       "    return (x\n",
       "graph.txt:3:14: error: the line ends inside a value [truncated-line]\n"
       "  3 |     return (x\n"
       "    |              ^\n"
       "graph.txt:3:12: note: this bracket is not closed [truncated-line]\n"
       "  3 |     return (x\n"
       "    |            ^\n"},
      // return value closed twice
      {"graph():\n"
       "    %x : [num_users=1] = placeholder[target=x]\n"
       "    return (x))\n",
       "graph.txt:3:15: error: `)` has no partner [unbalanced-bracket]\n"
       "  3 |     return (x))\n"
       "    |               ^\n"},
      // no return value
      {"graph():\n"
       "    %x : [num_users=1] = placeholder[target=x]\n"
       "    return \n",
       "graph.txt:3:11: error: a value is missing [malformed-arguments]\n"
       "  3 |     return \n"
       "    |           ^\n"},
      // no return line
      {"graph():\n"
       "    %x : [num_users=1] = placeholder[target=x]\n",
       "graph.txt:3:1: warning: the graph ends without a `return` line [no-return]\n"
       "  3 |\n"
       "    | ^\n"
       "hint: the text may have been cut\n"},
      // header of old torch
      {"graph(x, y):\n"
       "    %a : [#users=1] = call_function[target=torch.f](args = (%x,), kwargs = {})\n"
       "    return a\n",
       "graph.txt:1:1: error: parameters in the header are written by torch 1.7 and older, whose graphs are not read "
       "[old-header]\n"
       "  1 | graph(x, y):\n"
       "    | ^~~~~~~~~~~~\n"
       "graph.txt:2:5: note: 2 lines are beside the graphs kept as text [skipped-lines]\n"
       "  2 |     %a : [#users=1] = call_function[target=torch.f](args = (%x,), kwargs = {})\n"
       "    |     ^\n"},
      // string not closed
      {"graph():\n"
       "    %x : [num_users=1] = placeholder[target=x]\n"
       "    return ('abc\n",
       "graph.txt:3:17: error: the line ends inside a value [truncated-line]\n"
       "  3 |     return ('abc\n"
       "    |                 ^\n"
       "graph.txt:3:12: note: this bracket is not closed [truncated-line]\n"
       "  3 |     return ('abc\n"
       "    |            ^\n"},
      // use before definition
      {"graph():\n"
       "    %y : [num_users=1] = call_method[target=f](args = (%x,), kwargs = {})\n"
       "    %x : [num_users=1] = placeholder[target=x]\n"
       "    return y",
       "graph.txt:2:57: error: `x` is used before it is defined [use-before-definition]\n"
       "  2 |     %y : [num_users=1] = call_method[target=f](args = (%x,), kwargs = {})\n"
       "    |                                                         ^\n"
       "graph.txt:3:5: note: defined here [use-before-definition]\n"
       "  3 |     %x : [num_users=1] = placeholder[target=x]\n"
       "    |     ^\n"},
      // line cut inside return
      {"graph():\n"
       "    %x : [num_users=1] = placeholder[target=x]\n"
       "    retu",
       "graph.txt:3:5: error: this line does not start with `%name : ` or `return` [malformed-line]\n"
       "  3 |     retu\n"
       "    |     ^~~~\n"
       "graph.txt:3:9: warning: the graph ends without a `return` line [no-return]\n"
       "  3 |     retu\n"
       "    |         ^\n"
       "hint: the text may have been cut\n"},
      // header alone
      {"graph():",
       "graph.txt:1:9: warning: the graph ends without a `return` line [no-return]\n"
       "  1 | graph():\n"
       "    |         ^\n"
       "hint: the text may have been cut\n"},
  };
  for (const auto& [text, expected] : cases) CHECK(errors_of(text) == expected);
}

TEST_CASE("one damaged line does not make errors of those that use it", "[formats]") {
  CHECK(errors_of("graph():\n"
                  "    %x : [num_users=1] = placeholder[target=x]\n"
                  "    %y : [num_users=1] = call_function[target=torch.f](args = (%x, kwargs = {})\n"
                  "    and what follows it\n"
                  "    %z : [num_users=1] = call_function[target=torch.f](args = (%y,), kwargs = {})\n"
                  "    return z\n") ==
        "graph.txt:3:63: error: `(` of the arguments is not closed [unbalanced-bracket]\n"
        "  3 |     %y : [num_users=1] = call_function[target=torch.f](args = (%x, kwargs = {})\n"
        "    |                                                               ^\n"
        "graph.txt:3:66: note: `)` is missing here [unbalanced-bracket]\n"
        "  3 |     %y : [num_users=1] = call_function[target=torch.f](args = (%x, kwargs = {})\n"
        "    |                                                                  ^\n");
}

TEST_CASE("errors of one run come in the order of the text, up to a limit", "[formats]") {
  std::string text = "graph():\n";
  for (int i = 0; i < 10; ++i) {
    const std::string n = std::to_string(i);
    text += "    %a" + n + " : [num_users=0] = call_method[target=f](args = (%m" + n + ",), kwargs = {})\n    %b" + n +
            " : oops\n";
  }
  const GraphFile file = read_graph(source_of(text + "    return None\n"));
  REQUIRE(file.diagnostics.size() == 20);
  for (std::size_t i = 0; i < 20; ++i)
    CHECK(file.diagnostics[i].kind == (i % 2 == 0 ? "unknown-node" : "truncated-line"));
  ReadOptions few;
  few.max_errors = 3;
  const GraphFile cut = read_graph(source_of(text), few);
  REQUIRE(cut.diagnostics.size() == 4);
  CHECK(render(cut.diagnostics[3]) ==
        "graph.txt:5:1: error: reading stops after 3 errors [too-many-errors]\n"
        "  5 |     %b1 : oops\n"
        "    | ^\n");
}

TEST_CASE("many wrong user counts are one note", "[formats]") {
  std::string text = "graph():\n";
  for (int i = 0; i < 100; ++i) text += "    %a" + std::to_string(i) + " : [num_users=3] = placeholder[target=a]\n";
  const GraphFile file = read_graph(source_of(text + "    return None\n"));
  REQUIRE(file.diagnostics.size() == 1);
  CHECK_FALSE(has_errors(file.diagnostics));
  CHECK(file.diagnostics[0].message == "100 user counts are wrong: `%a0` has 0 users, not 3, and so on");
}

TEST_CASE("a use that a bracket in a string hides is an error, not lost", "[formats]") {
  // The first argument is the tuple of the string `a) b (` and x.
  CHECK(errors_of("graph():\n"
                  "    %x : [num_users=2] = placeholder[target=x]\n"
                  "    %a : [num_users=0] = call_function[target=torch.f](args = ((a) b (, %x), 1), kwargs = {})\n"
                  "    return x\n") ==
        "graph.txt:3:64: error: this text cannot be told apart: `%x` should have 2 users and has 1, so one stands in "
        "it [ambiguous-text]\n"
        "  3 |     %a : [num_users=0] = call_function[target=torch.f](args = ((a) b (, %x), 1), kwargs = {})\n"
        "    |                                                                ^~~~~~~~~~~~\n"
        "hint: strings stand unquoted, and one of them holds a bracket\n");
}
