// Every syntax message with its exact text, a row a mistake: {line of this file, rule text, what is printed}.
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "dsl/ast.hpp"
#include "tests/support/catch.hpp"

namespace fxrules::dsl {
namespace {

struct Row {
  int line;
  std::string input;
  std::string printed;
};

// clang-format off
const Row kRows[] = {
    // Values and operators
    {__LINE__, R"(f(x) => x + otherwise)",
     R"(t.rules:1:13: error: a reserved word stands where a value should [syntax]
  1 | f(x) => x + otherwise
    |             ^~~~~~~~~
hint: `otherwise` is a word of the language
)"},
    {__LINE__, R"(f(x) => -)",
     R"(t.rules:1:10: error: expected a value after the operator [syntax]
  1 | f(x) => -
    |          ^
)"},
    {__LINE__, R"(f(x) => not)",
     R"(t.rules:1:12: error: expected a value after the operator [syntax]
  1 | f(x) => not
    |            ^
)"},
    {__LINE__, R"(f(x) => a +)",
     R"(t.rules:1:12: error: expected a value after the operator [syntax]
  1 | f(x) => a +
    |            ^
)"},
    {__LINE__, R"(f(x) -> x)",
     R"(t.rules:1:6: error: `->` is not an arrow of this language [syntax]
  1 | f(x) -> x
    |      ^
hint: write `=>`
)"},
    {__LINE__, R"(f(x) => x if a -> b)",
     R"(t.rules:1:16: error: `->` is not an arrow of this language [syntax]
  1 | f(x) => x if a -> b
    |                ^
hint: write `=>`
)"},
    {__LINE__, R"(f(x) => x if a && b)",
     R"(t.rules:1:16: error: this operator is not part of the language [syntax]
  1 | f(x) => x if a && b
    |                ^
hint: logic is written `and`, `or`, `not`; there are no powers and no bit operations
)"},
    {__LINE__, R"(f(x) => x if !a)",
     R"(t.rules:1:14: error: expected a condition after `if` [syntax]
  1 | f(x) => x if !a
    |              ^
)"},
    {__LINE__, R"(f(x) => x ** 2)",
     R"(t.rules:1:11: error: this operator is not part of the language [syntax]
  1 | f(x) => x ** 2
    |           ^
hint: logic is written `and`, `or`, `not`; there are no powers and no bit operations
)"},
    {__LINE__, R"(f(x) => x if 0 < a < 3)",
     R"(t.rules:1:20: error: comparisons cannot be chained [syntax]
  1 | f(x) => x if 0 < a < 3
    |                    ^
hint: write `a < b and b < c`, or put one of them in parentheses
)"},
    {__LINE__, R"(f(x) => x if a == b in c)",
     R"(t.rules:1:21: error: comparisons cannot be chained [syntax]
  1 | f(x) => x if a == b in c
    |                     ^~
hint: write `a < b and b < c`, or put one of them in parentheses
)"},
    {__LINE__, R"(x.a @ f(y) => x)",
     R"(t.rules:1:6: error: only a plain name can stand before `@` [syntax]
  1 | x.a @ f(y) => x
    |      ^
hint: write `u @ pattern`; `root` is the matched root already
)"},
    {__LINE__, R"(root @ f(y) => y)",
     R"(t.rules:1:7: error: only a plain name can stand before `@` [syntax]
  1 | root @ f(y) => y
    |       ^
hint: write `u @ pattern`; `root` is the matched root already
)"},
    {__LINE__, R"(u @ => x)",
     R"(t.rules:1:5: error: expected a pattern after `@` [syntax]
  1 | u @ => x
    |     ^
)"},
    {__LINE__, R"(* => x)",
     R"(t.rules:1:3: error: expected `(` after `*`, which stands for any op [syntax]
  1 | * => x
    |   ^
hint: write `*(..)`
)"},
    {__LINE__, R"(add~ x => x)",
     R"(t.rules:1:6: error: expected `(` after `~` [syntax]
  1 | add~ x => x
    |      ^
hint: `add~(x, y)` tries both orders of the first two arguments
)"},
    {__LINE__, R"({add, "x"}(y) => y)",
     R"(t.rules:1:11: error: a set that is called may hold ops only [syntax]
  1 | {add, "x"}(y) => y
    |           ^
)"},
    {__LINE__, R"(f(x) => g(x).to(y))",
     R"(t.rules:1:14: error: expected `start`, `stop` or `step` after `.` [syntax]
  1 | f(x) => g(x).to(y)
    |              ^~
hint: the fields of a slice are `s.start`, `s.stop`, `s.step`; a method is called as `.to(x, y)`
)"},
    {__LINE__, R"(f(...) => x)",
     R"(t.rules:1:3: error: `...` is not part of the language [syntax]
  1 | f(...) => x
    |   ^
hint: write `..` for remaining arguments and `Ellipsis` for the literal
)"},
    {__LINE__, R"(f(x...) => x)",
     R"(t.rules:1:4: error: `...` is not part of the language [syntax]
  1 | f(x...) => x
    |    ^
hint: write `..` for remaining arguments and `Ellipsis` for the literal
)"},

    // Literals
    {__LINE__, R"(f(12ab) => x)",
     R"(t.rules:1:5: error: a number runs into a name [syntax]
  1 | f(12ab) => x
    |     ^~
hint: put a blank or an operator between them
)"},
    {__LINE__, R"(f(9223372036854775808) => x)",
     R"(t.rules:1:3: error: this integer does not fit into 64 bits [syntax]
  1 | f(9223372036854775808) => x
    |   ^~~~~~~~~~~~~~~~~~~
)"},
    {__LINE__, R"(f("abc) => x)",
     R"(t.rules:1:3: error: this string is not closed on its line [syntax]
  1 | f("abc) => x
    |   ^~~~~~~~~~
)"},
    {__LINE__, R"(f(x) => note "abc
f(y) => y)",
     R"(t.rules:1:14: error: this text is not closed on its line [syntax]
  1 | f(x) => note "abc
    |              ^~~~
)"},
    {__LINE__, R"(f(x) => note 'abc)",
     R"(t.rules:1:14: error: this text is not closed on its line [syntax]
  1 | f(x) => note 'abc
    |              ^~~~
)"},
    {__LINE__, R"(f('abc)",
     R"(t.rules:1:3: error: this string is not closed on its line [syntax]
  1 | f('abc
    |   ^~~~
)"},
    {__LINE__, R"(f("\x4g") => x)",
     R"(t.rules:1:7: error: expected two hexadecimal digits after `\x` [syntax]
  1 | f("\x4g") => x
    |       ^
)"},
    {__LINE__, R"(f("\u00g") => x)",
     R"(t.rules:1:8: error: expected four hexadecimal digits after `\u` [syntax]
  1 | f("\u00g") => x
    |        ^
)"},
    {__LINE__, R"(f("\U0000000g") => x)",
     R"(t.rules:1:13: error: expected eight hexadecimal digits after `\U` [syntax]
  1 | f("\U0000000g") => x
    |             ^
)"},
    {__LINE__, "f(\"\\\n\") => x",
     R"(t.rules:1:5: error: expected a character after `\` [syntax]
  1 | f("\
    |     ^
t.rules:2:1: error: this string is not closed on its line [syntax]
  2 | ") => x
    | ^~~~~~~
)"},
    {__LINE__, "f(\"caf\xE9\") => x",
     R"(t.rules:1:3: error: this string is not UTF-8 [syntax]
  1 | f("caf\xe9") => x
    |   ^~~~~~~~~
hint: save the file as UTF-8, or write the bytes as `\x` escapes
)"},
    {__LINE__, R"(f(x) => note "{}")",
     R"(t.rules:1:16: error: expected a value after `{` [syntax]
  1 | f(x) => note "{}"
    |                ^
hint: a brace that is text is written `{{`
)"},
    {__LINE__, R"(f(x) => note "{x y}")",
     R"(t.rules:1:18: error: expected `}` after the value [syntax]
  1 | f(x) => note "{x y}"
    |                  ^
hint: a brace that is text is written `{{`
)"},
    {__LINE__, R"(f(x) => note "a } b")",
     R"(t.rules:1:17: error: a single `}` in a text [syntax]
  1 | f(x) => note "a } b"
    |                 ^
hint: a brace that is text is written `}}`
)"},

    // Brackets, with the place where they open
    {__LINE__, R"(f(x, (y, z] => x)",
     R"(t.rules:1:11: error: expected `,` or `)` [syntax]
  1 | f(x, (y, z] => x
    |           ^
t.rules:1:6: note: opened here
  1 | f(x, (y, z] => x
    |      ^
)"},
    {__LINE__, R"(f(x y) => x)",
     R"(t.rules:1:5: error: expected `,` or `)` in the arguments [syntax]
  1 | f(x y) => x
    |     ^
t.rules:1:2: note: opened here
  1 | f(x y) => x
    |  ^
)"},
    {__LINE__, R"(f([x, y z]) => x)",
     R"(t.rules:1:9: error: expected `,` or `]` in the list [syntax]
  1 | f([x, y z]) => x
    |         ^
t.rules:1:3: note: opened here
  1 | f([x, y z]) => x
    |   ^
)"},
    {__LINE__, R"(f((x, y z)) => x)",
     R"(t.rules:1:9: error: expected `,` or `)` [syntax]
  1 | f((x, y z)) => x
    |         ^
t.rules:1:3: note: opened here
  1 | f((x, y z)) => x
    |   ^
)"},
    {__LINE__, R"(f(x[]) => x)",
     R"(t.rules:1:5: error: expected an index after `[` [syntax]
  1 | f(x[]) => x
    |     ^
)"},
    {__LINE__, R"(f(x[1 2]) => x)",
     R"(t.rules:1:7: error: expected `]` after the index [syntax]
  1 | f(x[1 2]) => x
    |       ^
t.rules:1:4: note: opened here
  1 | f(x[1 2]) => x
    |    ^
)"},
    {__LINE__, R"({add sub}(x) => x)",
     R"(t.rules:1:6: error: expected `,` or `}` in the set [syntax]
  1 | {add sub}(x) => x
    |      ^~~
hint: a set holds op names, strings and numbers
t.rules:1:1: note: opened here
  1 | {add sub}(x) => x
    | ^
)"},
    {__LINE__, R"({add, sub)",
     R"(t.rules:1:10: error: expected `,` or `}` in the set [syntax]
  1 | {add, sub
    |          ^
hint: a set holds op names, strings and numbers
t.rules:1:1: note: opened here
  1 | {add, sub
    | ^
)"},
    {__LINE__, R"(f(x,
  g(y) => x
)",
     R"(t.rules:2:8: error: expected `,` or `)` in the arguments [syntax]
  2 |   g(y) => x
    |        ^
t.rules:1:2: note: opened here
  1 | f(x,
    |  ^
)"},
    {__LINE__, R"(f(1 = x) => x)",
     R"(t.rules:1:5: error: only a name can stand before `=` [syntax]
  1 | f(1 = x) => x
    |     ^
hint: a keyword argument is written `name = value`, a comparison `==`
)"},
    {__LINE__, R"(f(x = ) => x)",
     R"(t.rules:1:7: error: expected a value after `=` [syntax]
  1 | f(x = ) => x
    |       ^
)"},

    // Rules
    {__LINE__, R"(zero:
f(x) => x)",
     R"(t.rules:1:6: error: a label without a rule [syntax]
  1 | zero:
    |      ^
hint: indent the rule below its label: what starts in column 1 is a new item
)"},
    {__LINE__, R"(=> x)",
     R"(t.rules:1:1: error: expected a rule or a declaration [syntax]
  1 | => x
    | ^
hint: a rule is written `pattern => result`
)"},
    {__LINE__, R"(f(x) = x)",
     R"(t.rules:1:6: error: expected `=>` after the pattern [syntax]
  1 | f(x) = x
    |      ^
hint: a rule is written `pattern => result`; lines that continue an item are indented
)"},
    {__LINE__, R"(f(x))",
     R"(t.rules:1:5: error: expected `=>` after the pattern [syntax]
  1 | f(x)
    |     ^
hint: a rule is written `pattern => result`; lines that continue an item are indented
)"},
    {__LINE__, R"(f(x)
=> x)",
     R"(t.rules:1:5: error: expected `=>` after the pattern [syntax]
  1 | f(x)
    |     ^
hint: a rule is written `pattern => result`; lines that continue an item are indented
t.rules:2:1: error: expected a rule or a declaration [syntax]
  2 | => x
    | ^
hint: a rule is written `pattern => result`
)"},
    {__LINE__, R"(f(x) =>)",
     R"(t.rules:1:8: error: expected a result after `=>` [syntax]
  1 | f(x) =>
    |        ^
)"},
    {__LINE__, R"({ a = } => x)",
     R"(t.rules:1:7: error: expected a pattern after `=` [syntax]
  1 | { a = } => x
    |       ^
)"},
    {__LINE__, R"({ a = f(x) b = g(x) } => x)",
     R"(t.rules:1:12: error: expected `,` or `}` after the pattern [syntax]
  1 | { a = f(x) b = g(x) } => x
    |            ^
hint: several roots are written `{ s = split(x, n), a = s[0] } => …`
)"},
    {__LINE__, R"({ a = f(x), b: g(x) } => x)",
     R"(t.rules:1:14: error: expected `=` after the name [syntax]
  1 | { a = f(x), b: g(x) } => x
    |              ^
)"},
    {__LINE__, R"(f(x) => { if = x })",
     R"(t.rules:1:11: error: expected a name [syntax]
  1 | f(x) => { if = x }
    |           ^~
hint: `if` is a word of the language
)"},
    {__LINE__, R"(f(x) => { a = x, b })",
     R"(t.rules:1:20: error: expected `=` after the name [syntax]
  1 | f(x) => { a = x, b }
    |                    ^
)"},
    {__LINE__, R"(f(x) => { a = })",
     R"(t.rules:1:15: error: expected a value after `=` [syntax]
  1 | f(x) => { a = }
    |               ^
)"},
    {__LINE__, R"(f(x) => { a = x as b })",
     R"(t.rules:1:20: error: expected a text in quotes after `as` [syntax]
  1 | f(x) => { a = x as b }
    |                    ^
)"},
    {__LINE__, R"(f(x) => { a = x; b = y })",
     R"(t.rules:1:16: error: expected `,` or `}` after the value [syntax]
  1 | f(x) => { a = x; b = y }
    |                ^
hint: a result block is written `{ name = value, … }`
)"},
    {__LINE__, R"(f(x) => keep())",
     R"(t.rules:1:14: error: expected `name = value` in `keep` [syntax]
  1 | f(x) => keep()
    |              ^
hint: `keep(dim = 0)` replaces an argument, `keep(meta.device = d)` metadata
)"},
    {__LINE__, R"(f(x) => keep(dim: 0))",
     R"(t.rules:1:17: error: expected `=` after the name [syntax]
  1 | f(x) => keep(dim: 0)
    |                 ^
hint: `keep(dim = 0)` replaces an argument, `keep(meta.device = d)` metadata
)"},
    {__LINE__, R"(f(x) => keep(dim = ))",
     R"(t.rules:1:20: error: expected a value after `=` [syntax]
  1 | f(x) => keep(dim = )
    |                    ^
)"},
    {__LINE__, R"(f(x) => keep(dim = 0 start = 1))",
     R"(t.rules:1:22: error: expected `,` or `)` in `keep` [syntax]
  1 | f(x) => keep(dim = 0 start = 1)
    |                      ^~~~~
)"},
    {__LINE__, R"(f(x) => x if)",
     R"(t.rules:1:13: error: expected a condition after `if` [syntax]
  1 | f(x) => x if
    |             ^
)"},
    {__LINE__, R"(f(x) => x if a = b)",
     R"(t.rules:1:16: error: `=` does not compare [syntax]
  1 | f(x) => x if a = b
    |                ^
hint: write `==`
)"},
    {__LINE__, R"(f(x) => x as name)",
     R"(t.rules:1:14: error: expected a text in quotes after `as` [syntax]
  1 | f(x) => x as name
    |              ^~~~
)"},
    {__LINE__, R"(f(x) => x y)",
     R"(t.rules:1:11: error: expected the end of the rule [syntax]
  1 | f(x) => x y
    |           ^
hint: after a result come `if` or `otherwise`, the next `=>`, `as`; the next rule starts in column 1
)"},
    {__LINE__, R"(f(x) => x; y)",
     R"(t.rules:1:10: error: expected the end of the rule [syntax]
  1 | f(x) => x; y
    |          ^
hint: after a result come `if` or `otherwise`, the next `=>`, `as`; the next rule starts in column 1
)"},
    {__LINE__, R"(f(x) => x if a otherwise)",
     R"(t.rules:1:16: error: expected the end of the rule [syntax]
  1 | f(x) => x if a otherwise
    |                ^~~~~~~~~
hint: after a result come `if` or `otherwise`, the next `=>`, `as`; the next rule starts in column 1
)"},
    {__LINE__, R"(f(x) => “x”)",
     R"(t.rules:1:9: error: expected a result after `=>` [syntax]
  1 | f(x) => “x”
    |         ^
hint: `“` can stand only in strings, texts and comments
)"},
    {__LINE__, "f(x) => x \x01",
     R"(t.rules:1:11: error: expected the end of the rule [syntax]
  1 | f(x) => x \x01
    |           ^~~~
hint: a control character can stand only in comments
)"},

    // Declarations
    {__LINE__, R"(def if(x) = x)",
     R"(t.rules:1:5: error: expected a name [syntax]
  1 | def if(x) = x
    |     ^~
hint: `if` is a word of the language
)"},
    {__LINE__, R"(def f = x)",
     R"(t.rules:1:7: error: expected `(` after the helper's name [syntax]
  1 | def f = x
    |       ^
)"},
    {__LINE__, R"(def f(x) => x)",
     R"(t.rules:1:11: error: expected `=` after the left side [syntax]
  1 | def f(x) => x
    |           ^
)"},
    {__LINE__, R"(def f(x) =)",
     R"(t.rules:1:11: error: expected a value after `=` [syntax]
  1 | def f(x) =
    |           ^
)"},
    {__LINE__, R"(def f(x) = x y)",
     R"(t.rules:1:14: error: expected the end of the declaration [syntax]
  1 | def f(x) = x y
    |              ^
hint: the next item starts in column 1
)"},
    {__LINE__, R"(def root(x) = x)",
     R"(t.rules:1:5: error: expected a name [syntax]
  1 | def root(x) = x
    |     ^~~~
hint: `root` is a word of the language
)"},
    {__LINE__, R"(pattern f(x) => x)",
     R"(t.rules:1:15: error: expected `=` after the left side [syntax]
  1 | pattern f(x) => x
    |               ^
)"},
    {__LINE__, R"(pattern f(x) =)",
     R"(t.rules:1:15: error: expected a pattern after `=` [syntax]
  1 | pattern f(x) =
    |               ^
)"},
    {__LINE__, R"(meta {add, sub} = x)",
     R"(t.rules:1:17: error: expected an op with its arguments [syntax]
  1 | meta {add, sub} = x
    |                 ^
)"},
    {__LINE__, R"(meta .(x) = x)",
     R"(t.rules:1:6: error: expected an op [syntax]
  1 | meta .(x) = x
    |      ^
)"},
    {__LINE__, R"(meta <f = x)",
     R"(t.rules:1:6: error: expected an op [syntax]
  1 | meta <f = x
    |      ^
)"},
    {__LINE__, R"(meta add(x) : y)",
     R"(t.rules:1:13: error: expected `=` after the left side [syntax]
  1 | meta add(x) : y
    |             ^
)"},
    {__LINE__, R"(inverse select(b) => b)",
     R"(t.rules:1:19: error: expected `,` and the name of the new value after the view [syntax]
  1 | inverse select(b) => b
    |                   ^
hint: write `inverse select(b, d, i), v => select_scatter(b, v, d, i)`
)"},
    {__LINE__, R"(inverse select(b), 3 => b)",
     R"(t.rules:1:20: error: expected a name for the view's new value [syntax]
  1 | inverse select(b), 3 => b
    |                    ^
)"},
    {__LINE__, R"(inverse select(b), v = b)",
     R"(t.rules:1:22: error: expected `=>` after the pattern [syntax]
  1 | inverse select(b), v = b
    |                      ^
hint: a rule is written `pattern => result`; lines that continue an item are indented
)"},
    {__LINE__, R"(set X { a })",
     R"(t.rules:1:7: error: expected `=` after the name [syntax]
  1 | set X { a }
    |       ^
)"},
    {__LINE__, R"(set X = a)",
     R"(t.rules:1:9: error: expected `{` after `=` [syntax]
  1 | set X = a
    |         ^
hint: a set is written `set Views = { view, reshape }`
)"},
    {__LINE__, R"(set X = { a = b })",
     R"(t.rules:1:13: error: expected `,` or `}` in the set [syntax]
  1 | set X = { a = b }
    |             ^
hint: a set holds op names, strings and numbers
t.rules:1:9: note: opened here
  1 | set X = { a = b }
    |         ^
)"},
    {__LINE__, R"(set as = {})",
     R"(t.rules:1:5: error: expected `=>` after the pattern [syntax]
  1 | set as = {}
    |     ^~
hint: a rule is written `pattern => result`; lines that continue an item are indented
)"},
    {__LINE__, R"(set "X" = {})",
     R"(t.rules:1:5: error: expected a name [syntax]
  1 | set "X" = {}
    |     ^
)"},
    {__LINE__, R"(phase tidy, once)",
     R"(t.rules:1:11: error: expected the end of the declaration [syntax]
  1 | phase tidy, once
    |           ^
hint: the next item starts in column 1
)"},
    {__LINE__, R"(phase "tidy")",
     R"(t.rules:1:7: error: expected a name [syntax]
  1 | phase "tidy"
    |       ^
)"},
    {__LINE__, R"(phase tidy as x)",
     R"(t.rules:1:15: error: expected a text in quotes after `as` [syntax]
  1 | phase tidy as x
    |               ^
)"},
    {__LINE__, R"(param x = 3)",
     R"(t.rules:1:9: error: expected `:` and a type after the parameter's name [syntax]
  1 | param x = 3
    |         ^
hint: write `param target: str = "xla"`
)"},
    {__LINE__, R"(param x: = 3)",
     R"(t.rules:1:10: error: expected a type [syntax]
  1 | param x: = 3
    |          ^
hint: the types of parameters are str, bool, int, float and set
)"},
    {__LINE__, R"(param x: 3 = 3)",
     R"(t.rules:1:10: error: expected a type [syntax]
  1 | param x: 3 = 3
    |          ^
hint: the types of parameters are str, bool, int, float and set
)"},
    {__LINE__, R"(param x: int)",
     R"(t.rules:1:13: error: expected `=` after the name [syntax]
  1 | param x: int
    |             ^
)"},
    {__LINE__, R"(param x: int =)",
     R"(t.rules:1:15: error: expected a value after `=` [syntax]
  1 | param x: int =
    |               ^
)"},
    {__LINE__, R"(import lib.rules)",
     R"(t.rules:1:8: error: expected a file name in quotes [syntax]
  1 | import lib.rules
    |        ^~~
)"},
    {__LINE__, R"(catalogue my)",
     R"(t.rules:1:11: error: expected a file name in quotes [syntax]
  1 | catalogue my
    |           ^~
)"},
    {__LINE__, R"(import "lib.rules" as x)",
     R"(t.rules:1:20: error: expected the end of the declaration [syntax]
  1 | import "lib.rules" as x
    |                    ^~
hint: the next item starts in column 1
)"},

    // Tests
    {__LINE__, R"(test name { })",
     R"(t.rules:1:6: error: expected the test's name in quotes [syntax]
  1 | test name { }
    |      ^~~~
)"},
    {__LINE__, R"(test "x" before)",
     R"(t.rules:1:10: error: expected `{` after the test's name [syntax]
  1 | test "x" before
    |          ^~~~~~
)"},
    {__LINE__, R"(test "x" { before x })",
     R"(t.rules:1:19: error: expected `{` and a graph [syntax]
  1 | test "x" { before x }
    |                   ^
)"},
    {__LINE__, R"(test "x" { after })",
     R"(t.rules:1:18: error: expected `{` and a graph [syntax]
  1 | test "x" { after }
    |                  ^
)"},
    {__LINE__, R"(test "x" { before { x = } })",
     R"(t.rules:1:25: error: expected a value after `=` [syntax]
  1 | test "x" { before { x = } }
    |                         ^
hint: an input is written `x = placeholder : f32[4]`, a node `y = add(x, 1)`
)"},
    {__LINE__, R"(test "x" { before { x = placeholder : } })",
     R"(t.rules:1:39: error: expected metadata after `:` [syntax]
  1 | test "x" { before { x = placeholder : } }
    |                                       ^
hint: write `f32[4, 8] strides=(8,1) device=cpu`
)"},
    {__LINE__, R"(test "x" { before { x = placeholder : f32[4 } })",
     R"(t.rules:1:39: error: expected metadata after `:` [syntax]
  1 | test "x" { before { x = placeholder : f32[4 } }
    |                                       ^~~
hint: write `f32[4, 8] strides=(8,1) device=cpu`
)"},
    {__LINE__, R"(test "x" { before { add(x, 1) } })",
     R"(t.rules:1:21: error: expected `name = op(…)`, `return` or `}` in the graph [syntax]
  1 | test "x" { before { add(x, 1) } }
    |                     ^~~
t.rules:1:19: note: opened here
  1 | test "x" { before { add(x, 1) } }
    |                   ^
)"},
    {__LINE__, R"(test "x" { before { return } })",
     R"(t.rules:1:28: error: expected a value to return [syntax]
  1 | test "x" { before { return } }
    |                            ^
)"},
    {__LINE__, R"(test "x" { before { return a, } })",
     R"(t.rules:1:31: error: expected a value to return [syntax]
  1 | test "x" { before { return a, } }
    |                               ^
)"},
    {__LINE__, R"(test "x" { unchanged because x })",
     R"(t.rules:1:30: error: expected a reason in quotes after `because` [syntax]
  1 | test "x" { unchanged because x }
    |                              ^
)"},
    {__LINE__, R"(test "x" { check })",
     R"(t.rules:1:18: error: expected `f(…) == value` after `check` [syntax]
  1 | test "x" { check }
    |                  ^
)"},
    {__LINE__, R"(test "x" { then { } })",
     R"(t.rules:1:12: error: expected `before`, `after`, `unchanged`, `check` or `}` in the test [syntax]
  1 | test "x" { then { } }
    |            ^~~~
)"},
    {__LINE__, R"(test "x" {
  before { return a
})",
     R"(t.rules:3:2: error: expected `before`, `after`, `unchanged`, `check` or `}` in the test [syntax]
  3 | }
    |  ^
)"},

    // Several errors of one file, and the text before the first item
    {__LINE__, R"(f(x => x
g(y) => y
h(z) =>

zero:
)",
     R"(t.rules:1:5: error: expected `,` or `)` in the arguments [syntax]
  1 | f(x => x
    |     ^
t.rules:1:2: note: opened here
  1 | f(x => x
    |  ^
t.rules:3:8: error: expected a result after `=>` [syntax]
  3 | h(z) =>
    |        ^
t.rules:5:6: error: a label without a rule [syntax]
  5 | zero:
    |      ^
hint: indent the rule below its label: what starts in column 1 is a new item
)"},
    {__LINE__, R"(   f(x) => x
g(x) => y z)",
     R"(t.rules:1:4: error: this line is indented, but there is no item that it could continue [syntax]
  1 |    f(x) => x
    |    ^~~~~~~~~
hint: an item starts in column 1
t.rules:2:11: error: expected the end of the rule [syntax]
  2 | g(x) => y z
    |           ^
hint: after a result come `if` or `otherwise`, the next `=>`, `as`; the next rule starts in column 1
)"},
    {__LINE__, R"(f(x) => x
phse tidy
f(y) => y)",
     R"(t.rules:2:6: error: expected `=>` after the pattern [syntax]
  2 | phse tidy
    |      ^~~~
hint: a rule is written `pattern => result`; lines that continue an item are indented
)"},
    {__LINE__, std::string("a\x00" "b(x) => x", 11),
     R"(t.rules:1:2: error: expected `=>` after the pattern [syntax]
  1 | a\x00b(x) => x
    |  ^~~~
hint: a control character can stand only in comments
)"},
};
// clang-format on

std::string printed(const std::string& text) {
  return render(parse(std::make_shared<Source>(Source{"t.rules", text})).diagnostics);
}

std::string repeated(std::string_view text, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

TEST_CASE("a syntax error is drawn with its place and a hint") {
  for (const Row& row : kRows) {
    INFO("syntax_error_test.cpp:" << row.line);
    CHECK(printed(row.input) == row.printed);
  }
}

const char* const kNesting = "brackets are nested more than 200 deep";
const char* const kChain = "this expression has more than 1000 operators in a row";

TEST_CASE("nesting has a limit, in every bracket") {
  for (const std::string open : {"f(", "(", "[", "x[", "u @ ", "{a}("}) {
    INFO(open);
    const std::string deep = "f(" + repeated(open, 100'000);
    const ParseResult result = parse(std::make_shared<Source>(Source{"t.rules", deep}));
    REQUIRE(result.diagnostics.size() == 1);
    CHECK(result.diagnostics[0].message == kNesting);
    CHECK(result.diagnostics[0].span.begin <= 201 * open.size() + 2);
  }
  CHECK(printed("f(" + repeated("[", 199) + repeated("]", 199) + ") => x") == "");
  CHECK_THAT(printed("f(" + repeated("[", 200) + repeated("]", 200) + ") => x"),
             Catch::Matchers::ContainsSubstring(kNesting));
  CHECK_THAT(printed("test \"x\" { before { " + repeated("graph g { ", 100'000)),
             Catch::Matchers::ContainsSubstring(kNesting));
}

TEST_CASE("a chain of operators has a limit") {
  CHECK(printed("f(x) => x" + repeated(" + x", 999)) == "");
  for (const std::string link : {" + x", "[0]", ".step", " and not x"}) {
    INFO(link);
    CHECK_THAT(printed("f(x) => x[0]" + repeated(link, 100'000)), Catch::Matchers::ContainsSubstring(kChain));
  }
  CHECK_THAT(printed("f(x) => " + repeated("not ", 100'000) + "x"), Catch::Matchers::ContainsSubstring(kChain));
  CHECK_THAT(printed("f(x) => " + repeated("-", 100'000) + "x"), Catch::Matchers::ContainsSubstring(kChain));
}

TEST_CASE("at most a hundred errors of a file are reported") {
  const ParseResult result = parse(std::make_shared<Source>(Source{"t.rules", repeated("f(\n", 1'000'000)}));
  CHECK(result.diagnostics.size() == 100);
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The string literal behind the next `= ` of a table's line.
std::string literal_behind(std::string_view table, std::size_t at) {
  const std::size_t begin = table.find('"', table.find("= ", at));
  std::size_t end = begin + 1;
  while (table[end] != '"') end += table[end] == '\\' ? 2 : 1;
  return string_value(table.substr(begin, end + 1 - begin));
}

TEST_CASE("every message of the table is provoked by a row above") {
  std::string all = kNesting + std::string(kChain);
  for (const Row& row : kRows) all += row.printed;
  const std::string table = text_of(FXRULES_SOURCE_DIR "/dsl/messages.hpp");
  std::size_t count = 0;
  for (std::size_t at = table.find("auto error_message<"); at != std::string::npos;
       at = table.find("auto error_message<", at + 1), ++count) {
    const std::string message = literal_behind(table, at);
    CHECK_THAT(all, Catch::Matchers::ContainsSubstring(message.substr(0, message.find('\n'))));
  }
  CHECK(count > 60);
}

}  // namespace
}  // namespace fxrules::dsl
