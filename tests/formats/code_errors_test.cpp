// Nonsense in generated code: a located error, and no graph in silence.
#include <fmt/format.h>

#include "tests/formats/support.hpp"

using namespace fxrules;
using namespace fxrules::testing;

namespace {

// "2:22 unknown-node no node is called `z`", a line a diagnostic, notes left out.
std::string problems(const std::string& text) {
  const GraphFile file = read_graph(source_of(text));
  std::string out;
  for (const Diagnostic& d : file.diagnostics) {
    if (d.severity == Severity::note) continue;
    const LineColumn at = d.span.source ? line_column(d.span.source->text, d.span.begin) : LineColumn{};
    out += fmt::format("{}{}:{} {} {}", out.empty() ? "" : "\n", at.line, at.column, d.kind, d.message);
  }
  return out;
}

std::string body_problems(const std::string& body) {
  return problems("def forward(self, x, y):\n    " + body + "\n    return x\n");
}

}  // namespace

TEST_CASE("wrong statements are errors", "[formats]") {
  CHECK(body_problems("a = torch.add(x, z)") == "2:22 unknown-node no node is called `z`");
  CHECK(body_problems("a = ad.mul(x)") == "2:9 unknown-node no node is called `ad`");
  CHECK(body_problems("z[0] = y;  a = z") == "2:5 unknown-node no node is called `z`");
  CHECK(body_problems("a = torch.f(x);  q = None") == "2:22 unknown-node no node is called `q`");
  CHECK(body_problems("a = torch.f(b)\n    b = torch.f(x)") ==
        "2:17 use-before-definition `b` is used before it is defined");
  CHECK(body_problems("a = torch.f(x)\n    a = torch.f(x)") == "3:5 duplicate-node `a` is defined twice");
  CHECK(body_problems("a = torch.f(x);  y = None\n    b = torch.f(y)") ==
        "3:17 freed-name `y` was set to None before this use");
  CHECK(body_problems("a = torch.f(x);  y = None\n    b = y.view(1)") ==
        "3:9 freed-name `y` was set to None before this use");
  CHECK(body_problems("x.add_(y)") == "2:6 malformed-line expected ` = ` behind `x`");
  CHECK(body_problems("if x:\n        a = torch.f(x)") == "2:5 malformed-line `if` is no statement of a graph");
  CHECK(body_problems("a = torch.f(x)\n    b = a") == "3:5 malformed-line `b` would be a second name of `a`");
  CHECK(body_problems("a = 5") == "2:9 malformed-line this statement is no call, operator or attribute");
  CHECK(body_problems("a = x(y)") == "2:9 malformed-line `x` is a value, and values are not called");
  CHECK(body_problems("a = self") == "2:9 malformed-line the module itself is no value");
  CHECK(body_problems("x += y") == "2:11 truncated-line expected `;  NAME = x`, which names the node");
  CHECK(body_problems("x += y;  a = y") == "2:14 malformed-line expected `NAME = x`, which names the node");
  CHECK(body_problems("a = torch.f(x) z") == "2:20 malformed-line text behind the end of the statement");
  CHECK(body_problems("a = ") == "2:9 truncated-line the line ends behind `=`");
  CHECK(body_problems("        a = torch.f(x)") ==
        "3:5 malformed-line this line is indented less than the statements around it\n"
        "4:1 no-return the graph ends without a `return` line");
  CHECK(body_problems("a = torch.f(x)\n      b = torch.f(x)") ==
        "3:7 malformed-line this line is indented deeper than the statements around it");
  CHECK(problems("def forward(self, x):\n    return x\n    a = torch.f(x)\n") ==
        "3:5 malformed-line a statement behind `return`");
  CHECK(problems("def forward(self, x):\n    a = torch.f(x)\n") ==
        "3:1 no-return the graph ends without a `return` line");
}

TEST_CASE("wrong values are errors", "[formats]") {
  CHECK(body_problems("a = torch.f(x, y") == "2:21 truncated-line the line ends inside brackets");
  CHECK(body_problems("a = torch.f(x, y))") == "2:22 unbalanced-bracket `)` has no partner");
  CHECK(body_problems("a = torch.f(x, [y)") == "2:22 unbalanced-bracket `)` where `,` or `]` is expected");
  CHECK(body_problems("a = torch.f(x, 'y)") == "2:23 truncated-line the line ends inside a string");
  CHECK(body_problems("a = torch.f(x, <class 'int')") == "2:33 truncated-line the line ends inside an object's text");
  CHECK(body_problems("a = torch.f(x y)") == "2:19 malformed-arguments expected `,` or `)`");
  CHECK(body_problems("a = torch.f(x,, y)") == "2:19 malformed-arguments expected a value");
  CHECK(body_problems("a = torch.f({'a' 1})") == "2:22 malformed-arguments expected `:` behind a key");
  CHECK(body_problems("a = torch.f(x.view(-1), y)") == "2:17 malformed-arguments a call inside of arguments");
  CHECK(body_problems("a = torch.f(x.shape)") ==
        "2:17 malformed-arguments an attribute of a value inside of arguments");
  CHECK(body_problems("a = torch.f(x + 1)") == "2:17 malformed-arguments a computation of nodes inside of arguments");
  CHECK(body_problems("a = torch.f(x, k = 1, k = 2)") ==
        "2:27 malformed-arguments the keyword argument `k` stands twice");
  CHECK(body_problems("a = torch.f(k = 1, x)") ==
        "2:24 malformed-arguments a positional argument behind a keyword argument");
  CHECK(body_problems("a = torch.f(0xZZ)") == "2:17 malformed-arguments this is no number");
  CHECK(body_problems("a = torch.f(slice(1, 2))") ==
        "2:22 malformed-arguments `slice` is printed with three arguments");
  CHECK(body_problems("a = torch.f(device(cuda))") ==
        "2:17 malformed-arguments a device is printed as `device(type='cuda', index=0)`");
  CHECK(body_problems("a = x[0, 1]") ==
        "2:10 malformed-arguments an index is one value: several are printed as a tuple, `x[(a, b)]`");
  CHECK(body_problems("a: \"f32[4 = torch.f(x)") == "2:27 truncated-line the line ends inside an annotation");
}

TEST_CASE("wrong signatures are errors", "[formats]") {
  CHECK(problems("def forward(self, x, x):\n    return x\n") == "1:22 duplicate-node two parameters are called `x`");
  CHECK(problems("def forward(self, x\n    return x\n") == "1:20 truncated-line the line ends inside the parameters");
  CHECK(problems("def forward(self, 3):\n    return x\n") == "1:19 malformed-line expected the name of a parameter");
  CHECK(problems("def forward(self, x = [1):\n    return x\n") ==
        "1:27 truncated-line the line ends inside the parameters");
  CHECK(problems("def forward(self, x)\n    return x\n") == "1:21 truncated-line expected `:` behind the parameters");
}

TEST_CASE("code nests without recursion", "[formats]") {
  constexpr std::size_t kDeep = 200000;
  const std::string open(kDeep, '['), close(kDeep, ']');
  const std::string text =
      "def forward(self, x):\n    a = torch.f(" + open + "x" + close + ");  x = None\n    return a\n";
  const GraphFile file = read_graph(source_of(text));
  CHECK(file.diagnostics.empty());
  CHECK((to_text(file) == text));
  CHECK(problems("def forward(self, x):\n    a = torch.f(" + open + "x)\n    return a\n")
            .starts_with("2:200018 unbalanced-bracket"));
  std::string classes;
  for (std::size_t i = 0; i < 150; ++i) {
    const std::string indent(i * 4, ' ');
    classes += indent + "class sub(torch.nn.Module):\n" + indent + "    def forward(self, x):\n" + indent +
               "        return x\n";
  }
  CHECK(problems(classes) == "301:401 too-deep graphs nest deeper than 100 levels");
}
