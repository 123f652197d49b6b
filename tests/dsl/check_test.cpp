// Every load check with its exact text, a row a mistake, and next to it what is right: {line of this file,
// rule text, what is printed}.
#include "dsl/check.hpp"

#include <string>

#include "dsl/load.hpp"
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
    // Names
    {__LINE__, R"(copy_(d, s) => slice_scatter(d, src))",
     R"(t.rules:1:33: error: replacement uses `src`, which the pattern does not bind [unbound-name]
  1 | copy_(d, s) => slice_scatter(d, src)
    |                                 ^~~
hint: the pattern binds `d` and `s`
)"},
    {__LINE__, R"(add(x, y) => add(y, z) if z == y)",
     R"(t.rules:1:21: error: replacement uses `z`, which the pattern does not bind [unbound-name]
  1 | add(x, y) => add(y, z) if z == y
    |                     ^
hint: the pattern binds `x` and `y`
)"},
    {__LINE__, R"(add(x, y) => x if known(w))",
     R"(t.rules:1:25: error: guard uses `w`, which the pattern does not bind [unbound-name]
  1 | add(x, y) => x if known(w)
    |                         ^
hint: the pattern binds `x` and `y`
)"},
    {__LINE__, R"(add(x, y) => sub(x, y) as "{origin(z)}_m")",
     R"(t.rules:1:36: error: name text uses `z`, which the pattern does not bind [unbound-name]
  1 | add(x, y) => sub(x, y) as "{origin(z)}_m"
    |                                    ^
hint: the pattern binds `x` and `y`
)"},
    {__LINE__, R"(add(x, y) => error "no {z}" if x == y)",
     R"(t.rules:1:25: error: message uses `z`, which the pattern does not bind [unbound-name]
  1 | add(x, y) => error "no {z}" if x == y
    |                         ^
hint: the pattern binds `x` and `y`
)"},
    {__LINE__, R"(add(x, y) => { r = q, root = sub(r, sub(x, y)) })",
     R"(t.rules:1:20: error: replacement uses `q`, which the pattern does not bind [unbound-name]
  1 | add(x, y) => { r = q, root = sub(r, sub(x, y)) }
    |                    ^
hint: the pattern binds `x` and `y`
)"},
    {__LINE__, R"(add(x, y) => x if len(rest) == y)",
     R"(t.rules:1:23: error: guard uses `rest`, which the pattern does not bind [unbound-name]
  1 | add(x, y) => x if len(rest) == y
    |                       ^~~~
hint: the pattern binds `x` and `y`
)"},
    {__LINE__, R"(<f>(x) => <g>(x))",
     R"(t.rules:1:11: error: replacement uses `<g>`, which the pattern does not bind [unbound-name]
  1 | <f>(x) => <g>(x)
    |           ^~~
hint: the pattern binds `f` and `x`
)"},
    {__LINE__, R"(def f(x) = y)",
     R"(t.rules:1:12: error: helper uses `y`, which its left side does not bind [unbound-name]
  1 | def f(x) = y
    |            ^
hint: its left side binds `x`
)"},
    {__LINE__, R"(def f(x) = root)",
     R"(t.rules:1:12: error: helper uses `root`, which its left side does not bind [unbound-name]
  1 | def f(x) = root
    |            ^~~~
hint: its left side binds `x`
)"},
    {__LINE__, R"(meta neg(x) = Tensor(dtype(y), []))",
     R"(t.rules:1:28: error: shape function uses `y`, which its left side does not bind [unbound-name]
  1 | meta neg(x) = Tensor(dtype(y), [])
    |                            ^
hint: its left side binds `x`
)"},
    {__LINE__, R"(inverse select(b, d, i), v => w)",
     R"(t.rules:1:31: error: inverse uses `w`, which its left side does not bind [unbound-name]
  1 | inverse select(b, d, i), v => w
    |                               ^
hint: its left side binds `b`, `d`, `i` and `v`
)"},
    {__LINE__, R"(pattern f(x, c) = relu(x))",
     R"(t.rules:1:14: error: left side uses `c`, which the pattern behind `=` does not bind [unbound-name]
  1 | pattern f(x, c) = relu(x)
    |              ^
hint: the pattern behind `=` binds `x`
)"},
    {__LINE__, R"(test "t" { before { a = placeholder   b = relu(aa)   return b, c } })",
     R"(t.rules:1:48: error: graph uses `aa`, which no line above defines [unbound-name]
  1 | test "t" { before { a = placeholder   b = relu(aa)   return b, c } }
    |                                                ^~
hint: did you mean `a`?
t.rules:1:64: error: graph uses `c`, which no line above defines [unbound-name]
  1 | test "t" { before { a = placeholder   b = relu(aa)   return b, c } }
    |                                                                ^
)"},
    {__LINE__, R"(test "t" { check width(x) == 2 })",
     R"(t.rules:1:18: error: unknown op `width` [unknown-op]
  1 | test "t" { check width(x) == 2 }
    |                  ^~~~~
hint: ops that torch does not have are declared with `catalogue "my.ops"`, or written with a dot
t.rules:1:24: error: check uses `x`, but nothing is bound here [unbound-name]
  1 | test "t" { check width(x) == 2 }
    |                        ^
)"},
    {__LINE__, R"(add(x, y) => x if relu == y)",
     R"(t.rules:1:19: error: guard uses the op name `relu`, which the pattern does not hold [unbound-name]
  1 | add(x, y) => x if relu == y
    |                   ^~~~
hint: the pattern binds `x` and `y`
)"},
    {__LINE__, R"(f(x, y) => x)",
     R"(t.rules:1:1: error: unknown op `f` [unknown-op]
  1 | f(x, y) => x
    | ^
hint: ops that torch does not have are declared with `catalogue "my.ops"`, or written with a dot
t.rules:1:6: error: `y` is bound and never used [unused-variable]
  1 | f(x, y) => x
    |      ^
hint: write `_`
)"},
    {__LINE__, R"(add(x, y) => relo(x))",
     R"(t.rules:1:8: error: `y` is bound and never used [unused-variable]
  1 | add(x, y) => relo(x)
    |        ^
hint: write `_`
t.rules:1:14: error: unknown op `relo` [unknown-op]
  1 | add(x, y) => relo(x)
    |              ^~~~
hint: did you mean `relu`?
)"},
    {__LINE__, R"(add(x, y) => widht(x, y)
def width(a, b) = a)",
     R"(t.rules:1:14: error: unknown op `widht` [unknown-op]
  1 | add(x, y) => widht(x, y)
    |              ^~~~~
hint: did you mean `width`?
)"},
    {__LINE__, R"({add, sbu}(x, y) => sub(x, y))",
     R"(t.rules:1:7: error: unknown op `sbu` [unknown-op]
  1 | {add, sbu}(x, y) => sub(x, y)
    |       ^~~
hint: did you mean `sub`?
)"},
    {__LINE__, R"(set S = { add, sbu })",
     R"(t.rules:1:16: error: unknown op `sbu` [unknown-op]
  1 | set S = { add, sbu }
    |                ^~~
hint: did you mean `sub`?
)"},
    {__LINE__, R"(<f: Views>(x) => sub(<f>(x), x))",
     R"(t.rules:1:1: error: `Views` is no set [unbound-name]
  1 | <f: Views>(x) => sub(<f>(x), x)
    | ^~~~~~~~~~
)"},
    {__LINE__, R"(test "t" { before { a = reul(b) } })",
     R"(t.rules:1:25: error: unknown op `reul` [unknown-op]
  1 | test "t" { before { a = reul(b) } }
    |                         ^~~~
hint: did you mean `real` or `relu`?
t.rules:1:30: error: graph uses `b`, which no line above defines [unbound-name]
  1 | test "t" { before { a = reul(b) } }
    |                              ^
)"},

    // Ops by their names
    {__LINE__, R"(add(relu(x), relu(y)) => relu if x == y)",
     R"(t.rules:1:26: error: `relu` occurs twice in the pattern, so its name does not tell which one is meant [ambiguous-name]
  1 | add(relu(x), relu(y)) => relu if x == y
    |                          ^~~~
hint: bind the one that is meant, as in `u @ relu(…)`
)"},
    {__LINE__, R"(add(relu(relu(relu(x))), x) => relu)",
     R"(t.rules:1:32: error: `relu` occurs 3 times in the pattern, so its name does not tell which one is meant [ambiguous-name]
  1 | add(relu(relu(relu(x))), x) => relu
    |                                ^~~~
hint: bind the one that is meant, as in `u @ relu(…)`
)"},
    {__LINE__, R"(add(.relu(x), y) => sub(relu, y))",
     R"(t.rules:1:11: error: `x` is bound and never used [unused-variable]
  1 | add(.relu(x), y) => sub(relu, y)
    |           ^
hint: write `_`
)"},

    // Keywords and counts
    {__LINE__, R"(add(x, y, beta = 1) => sub(x, y))",
     R"(t.rules:1:11: error: no overload of `add` has an argument `beta` [unknown-keyword]
  1 | add(x, y, beta = 1) => sub(x, y)
    |           ^~~~
hint: its arguments are `self`, `other`, `alpha` and `out`
)"},
    {__LINE__, R"(add(x, y, alhpa = 1) => sub(x, y))",
     R"(t.rules:1:11: error: no overload of `add` has an argument `alhpa` [unknown-keyword]
  1 | add(x, y, alhpa = 1) => sub(x, y)
    |           ^~~~~
hint: did you mean `alpha`?
)"},
    {__LINE__, R"(add(x, y) => mul(x, y, alpha = 1))",
     R"(t.rules:1:24: error: no overload of `mul` has an argument `alpha` [unknown-keyword]
  1 | add(x, y) => mul(x, y, alpha = 1)
    |                        ^~~~~
hint: its arguments are `self`, `other` and `out`
)"},
    {__LINE__, R"(aten.add.Tensor(x, y, dim = 1) => sub(x, y))",
     R"(t.rules:1:23: error: no overload of `aten.add.Tensor` has an argument `dim` [unknown-keyword]
  1 | aten.add.Tensor(x, y, dim = 1) => sub(x, y)
    |                       ^~~
hint: its arguments are `self`, `other` and `alpha`
)"},
    {__LINE__, R"(neg(x) => keep(dim = x))",
     R"(t.rules:1:16: error: no overload of `neg` has an argument `dim` [unknown-keyword]
  1 | neg(x) => keep(dim = x)
    |                ^~~
hint: its arguments are `self` and `out`
)"},
    {__LINE__, R"(neg(x) => keep(meta.device = x))",
     ""},
    {__LINE__, R"(add(x, y, z, w) => stack([x, y, z, w]))",
     R"(t.rules:1:1: error: `add` is given 4 positional arguments, but no overload takes more than 3 [arity]
  1 | add(x, y, z, w) => stack([x, y, z, w])
    | ^~~~~~~~~~~~~~~
)"},
    {__LINE__, R"(add(x, y) => relu(x, y))",
     ""},
    {__LINE__, R"(view(x, 1, 2, 3, 4) => x)",
     ""},
    {__LINE__, R"(writeback(p) => p)",
     R"(t.rules:1:1: error: the entry `writeback` takes 2 arguments, not 1 [arity]
  1 | writeback(p) => p
    | ^~~~~~~~~~~~
)"},
    {__LINE__, R"(neg(writeback(p, _)) => p)",
     R"(t.rules:1:5: error: `writeback` is an entry of the signature, and no value [misplaced]
  1 | neg(writeback(p, _)) => p
    |     ^~~~~~~~~~~~~~~
hint: it stands alone on a left side, and its result is an entry again
)"},
    {__LINE__, R"(writeback(p, neg(v)) => v   if is_buffer(p))",
     R"(t.rules:1:25: error: the result of an entry is an entry of the same input [misplaced]
  1 | writeback(p, neg(v)) => v   if is_buffer(p)
    |                         ^
hint: write `writeback(p, …)` with the `p` of the left side
)"},
    {__LINE__, R"(writeback(p, neg(v)) => writeback(v, p))",
     R"(t.rules:1:25: error: the result of an entry is an entry of the same input [misplaced]
  1 | writeback(p, neg(v)) => writeback(v, p)
    |                         ^~~~~~~~~~~~~~~
hint: write `writeback(p, …)` with the `p` of the left side
)"},
    {__LINE__, R"(writeback(p, neg(v)) => writeback(p, v))",
     ""},
    {__LINE__, R"(add(x, y) => full(shape(x, y), 1))",
     R"(t.rules:1:19: error: the built-in `shape` takes 1 argument, not 2 [arity]
  1 | add(x, y) => full(shape(x, y), 1)
    |                   ^~~~~~~~~~~
)"},
    {__LINE__, R"(add(x, y) => zeros(least()))",
     R"(t.rules:1:5: error: `x` is bound and never used [unused-variable]
  1 | add(x, y) => zeros(least())
    |     ^
hint: write `_`
t.rules:1:8: error: `y` is bound and never used [unused-variable]
  1 | add(x, y) => zeros(least())
    |        ^
hint: write `_`
t.rules:1:20: error: the built-in `least` takes 1 or more arguments, not 0 [arity]
  1 | add(x, y) => zeros(least())
    |                    ^~~~~~~
)"},
    {__LINE__, R"(add(x, y) => f(x, y)
def f(x) = x)",
     R"(t.rules:1:14: error: the helper `f` takes 1 argument, not 2 [arity]
  1 | add(x, y) => f(x, y)
    |              ^~~~~~~
)"},
    {__LINE__, R"(add(x, y) => f(x = y, x)
def f(x, y) = x)",
     R"(t.rules:1:16: error: the helper `f` has no keyword arguments [unknown-keyword]
  1 | add(x, y) => f(x = y, x)
    |                ^~~~~
)"},
    {__LINE__, R"(add(x, rest..) => f(x, rest..)
def f(x, y) = x)",
     ""},
    {__LINE__, R"(pattern p(x) = relu(x)
add(p(x, y), 0) => sub(x, y))",
     R"(t.rules:2:5: error: the helper pattern `p` takes 1 argument, not 2 [arity]
  2 | add(p(x, y), 0) => sub(x, y)
    |     ^~~~~~~
)"},
    {__LINE__, R"(def f(x) = x
def f(x, y) = x)",
     R"(t.rules:2:5: error: this equation of `f` has 2 parameters, the first one has 1 [arity]
  2 | def f(x, y) = x
    |     ^
t.rules:1:5: note: the first one is here
  1 | def f(x) = x
    |     ^
)"},

    // Kinds
    {__LINE__, R"(add(x: Tensr, y: Tensor[boll]) => sub(x, y))",
     R"(t.rules:1:8: error: unknown kind `Tensr` [unknown-kind]
  1 | add(x: Tensr, y: Tensor[boll]) => sub(x, y)
    |        ^~~~~
hint: did you mean `Tensor`?
t.rules:1:18: error: unknown kind `Tensor[boll]` [unknown-kind]
  1 | add(x: Tensr, y: Tensor[boll]) => sub(x, y)
    |                  ^~~~~~~~~~~~
hint: a tensor's elements are told by `Tensor[bool]`, `Tensor[int]`, `Tensor[float]`, `Tensor[complex]`
)"},
    {__LINE__, R"(add(x: list[int], _: foo) => x)",
     R"(t.rules:1:8: error: unknown kind `list[int]` [unknown-kind]
  1 | add(x: list[int], _: foo) => x
    |        ^~~~~~~~~
hint: a tensor's elements are told by `Tensor[bool]`, `Tensor[int]`, `Tensor[float]`, `Tensor[complex]`
t.rules:1:22: error: unknown kind `foo` [unknown-kind]
  1 | add(x: list[int], _: foo) => x
    |                      ^~~
hint: the kinds are Tensor, node, number, int, float, bool, str, none, ellipsis, slice, tuple, list, dict, dtype, device
)"},
    {__LINE__, R"(add(x: Tensor, y: Tensor[bool]) => mul(x, y))",
     ""},

    // Unused variables
    {__LINE__, R"(add(x, y) => x)",
     R"(t.rules:1:8: error: `y` is bound and never used [unused-variable]
  1 | add(x, y) => x
    |        ^
hint: write `_`
)"},
    {__LINE__, R"(add(u @ relu(x), y) => sub(x, y))",
     R"(t.rules:1:5: error: `u` is bound and never used [unused-variable]
  1 | add(u @ relu(x), y) => sub(x, y)
    |     ^
hint: leave out `u`
)"},
    {__LINE__, R"(add(x, rest..) => x)",
     R"(t.rules:1:8: error: `rest` is bound and never used [unused-variable]
  1 | add(x, rest..) => x
    |        ^~~~~~
hint: write `..`
)"},
    {__LINE__, R"(add(x, x) => relu(x))",
     ""},
    {__LINE__, R"(add(x, y) => { r = relu(x), root = mul(x, y) })",
     R"(t.rules:1:16: error: `r` is bound and never used [unused-variable]
  1 | add(x, y) => { r = relu(x), root = mul(x, y) }
    |                ^
hint: leave it out
)"},
    {__LINE__, R"(add(x, _) => x)",
     ""},
    {__LINE__, R"({ s = split(x, n), a = s[0] } => { a = x })",
     R"(t.rules:1:16: error: `n` is bound and never used [unused-variable]
  1 | { s = split(x, n), a = s[0] } => { a = x }
    |                ^
hint: write `_`
)"},
    {__LINE__, R"(pattern p(x) = to(x, t))",
     R"(t.rules:1:22: error: `t` is bound and never used [unused-variable]
  1 | pattern p(x) = to(x, t)
    |                      ^
hint: write `_`
)"},
    {__LINE__, R"(def f(x, y) = x)",
     ""},
    {__LINE__, R"(meta relu(x) = Tensor(torch.bool, []))",
     ""},
    {__LINE__, R"(inverse select(b, d, i), v => b)",
     ""},

    // Misplaced terms
    {__LINE__, R"(add(x, 1 + y) => x)",
     R"(t.rules:1:8: error: an expression cannot be matched [misplaced]
  1 | add(x, 1 + y) => x
    |        ^~~~~
hint: bind a name and compare it in the guard
)"},
    {__LINE__, R"(add(x, s.start) => x)",
     R"(t.rules:1:8: error: an expression cannot be matched [misplaced]
  1 | add(x, s.start) => x
    |        ^~~~~~~
hint: bind a name and compare it in the guard
)"},
    {__LINE__, R"(x => x)",
     R"(t.rules:1:1: error: a rule's pattern is an op with its arguments [misplaced]
  1 | x => x
    | ^
hint: write `add(x, y)`, or `*(..)` for any op
)"},
    {__LINE__, R"(1 => neg(2))",
     R"(t.rules:1:1: error: a rule's pattern is an op with its arguments [misplaced]
  1 | 1 => neg(2)
    | ^
hint: write `add(x, y)`, or `*(..)` for any op
)"},
    {__LINE__, R"(root(x) => x)",
     R"(t.rules:1:1: error: unknown op `root` [unknown-op]
  1 | root(x) => x
    | ^~~~
hint: ops that torch does not have are declared with `catalogue "my.ops"`, or written with a dot
)"},
    {__LINE__, R"(add(root, x) => x)",
     R"(t.rules:1:5: error: `root` is the matched root and cannot be bound [misplaced]
  1 | add(root, x) => x
    |     ^~~~
)"},
    {__LINE__, R"(add(f(x).., y) => y)",
     R"(t.rules:1:5: error: only a name can stand before `..` in a pattern [misplaced]
  1 | add(f(x).., y) => y
    |     ^~~~~~
)"},
    {__LINE__, R"(add(unknown, x) => x)",
     R"(t.rules:1:5: error: `unknown` cannot be matched [misplaced]
  1 | add(unknown, x) => x
    |     ^~~~~~~
hint: bind a name and ask `not known(x)` in the guard
)"},
    {__LINE__, R"(add(x, {relu}) => x)",
     R"(t.rules:1:8: error: an expression cannot be matched [misplaced]
  1 | add(x, {relu}) => x
    |        ^~~~~~
hint: bind a name and compare it in the guard
)"},
    {__LINE__, R"(relu(x) => _)",
     R"(t.rules:1:6: error: `x` is bound and never used [unused-variable]
  1 | relu(x) => _
    |      ^
hint: write `_`
t.rules:1:12: error: `_` has no value [misplaced]
  1 | relu(x) => _
    |            ^
hint: bind a name instead
)"},
    {__LINE__, R"(relu(x) => u @ x)",
     R"(t.rules:1:6: error: `x` is bound and never used [unused-variable]
  1 | relu(x) => u @ x
    |      ^
hint: write `_`
t.rules:1:12: error: `@` binds in patterns only [misplaced]
  1 | relu(x) => u @ x
    |            ^~~~~
hint: name the value in a result block, `{ u = …, root = u }`
)"},
    {__LINE__, R"(relu(x) => *(x))",
     R"(t.rules:1:12: error: a new call needs one op [misplaced]
  1 | relu(x) => *(x)
    |            ^
hint: sets and `*` stand in patterns; keep the matched op with a hole, `<f>(..)`
)"},
    {__LINE__, R"(relu(x) => {relu, neg}(x))",
     R"(t.rules:1:12: error: a new call needs one op [misplaced]
  1 | relu(x) => {relu, neg}(x)
    |            ^~~~~~~~~~~
hint: sets and `*` stand in patterns; keep the matched op with a hole, `<f>(..)`
)"},
    {__LINE__, R"(relu(x) => V(x)
set V = { view })",
     R"(t.rules:1:12: error: `V` cannot be called here [misplaced]
  1 | relu(x) => V(x)
    |            ^
hint: a value is made of helpers, built-ins and ops
)"},
    {__LINE__, R"(f(x) => x
def f(x) = x)",
     R"(t.rules:1:1: error: `f` cannot be matched [misplaced]
  1 | f(x) => x
    | ^
hint: a pattern holds ops, sets of ops and helper patterns
)"},
    {__LINE__, R"(def f(x, k = 1) = x)",
     R"(t.rules:1:10: error: a helper's parameters have no keywords [misplaced]
  1 | def f(x, k = 1) = x
    |          ^~~~~
)"},
    {__LINE__, R"(test "t" { before { a = placeholder   b = {add, sub}(a, ..)   return b } })",
     R"(t.rules:1:43: error: a graph calls ops by their names [misplaced]
  1 | test "t" { before { a = placeholder   b = {add, sub}(a, ..)   return b } }
    |                                           ^~~~~~~~~~
t.rules:1:57: error: only values can stand in a graph [misplaced]
  1 | test "t" { before { a = placeholder   b = {add, sub}(a, ..)   return b } }
    |                                                         ^~
)"},

    // Remaining arguments
    {__LINE__, R"(add(.., rest..) => rest)",
     R"(t.rules:1:9: error: two `..` in one argument list [two-rests]
  1 | add(.., rest..) => rest
    |         ^~~~~~
hint: only one of them can tell what it takes
)"},
    {__LINE__, R"(cat([a.., b..]) => stack([a.., b..]))",
     R"(t.rules:1:11: error: two `..` in one list [two-rests]
  1 | cat([a.., b..]) => stack([a.., b..])
    |           ^~~
hint: only one of them can tell what it takes
)"},
    {__LINE__, R"(add(x, y) => mul(x, ..))",
     R"(t.rules:1:8: error: `y` is bound and never used [unused-variable]
  1 | add(x, y) => mul(x, ..)
    |        ^
hint: write `_`
t.rules:1:21: error: replacement uses `..`, which the pattern does not have [unbound-name]
  1 | add(x, y) => mul(x, ..)
    |                     ^~
)"},
    {__LINE__, R"(add(relu(x, ..), neg(y, ..)) => mul(x, y, ..))",
     R"(t.rules:1:43: error: the pattern has several `..`, and none in its outermost op [ambiguous-name]
  1 | add(relu(x, ..), neg(y, ..)) => mul(x, y, ..)
    |                                           ^~
hint: name the one that is meant, as in `rest..`
)"},
    {__LINE__, R"(add(relu(x, ..), y) => mul(x, y, ..))",
     ""},
    {__LINE__, R"(add(relu(x, ..), y, ..) => mul(x, y, ..))",
     ""},

    // What can never fire
    {__LINE__, R"(add(x, 0) => x
add(y, 0) => neg(y))",
     R"(t.rules:2:1: error: this rule can never fire [unreachable]
  2 | add(y, 0) => neg(y)
    | ^~~~~~~~~
t.rules:1:1: note: this one always fires first
  1 | add(x, 0) => x
    | ^~~~~~~~~
)"},
    {__LINE__, R"(add(x, y: Tensor) => mul(x, y)
add(x, y: Tensor[bool]) => sub(x, y))",
     R"(t.rules:2:1: error: this rule can never fire [unreachable]
  2 | add(x, y: Tensor[bool]) => sub(x, y)
    | ^~~~~~~~~~~~~~~~~~~~~~~
t.rules:1:1: note: this one always fires first
  1 | add(x, y: Tensor) => mul(x, y)
    | ^~~~~~~~~~~~~~~~~
)"},
    {__LINE__, R"(add(x, y) => mul(x, y)
add(relu(x), 1) => x)",
     R"(t.rules:2:1: error: this rule can never fire [unreachable]
  2 | add(relu(x), 1) => x
    | ^~~~~~~~~~~~~~~
t.rules:1:1: note: this one always fires first
  1 | add(x, y) => mul(x, y)
    | ^~~~~~~~~
)"},
    {__LINE__, R"({add, sub}(x, y) => mul(x, y)
add(x, y) => neg(x) if x == y)",
     R"(t.rules:2:1: error: this rule can never fire [unreachable]
  2 | add(x, y) => neg(x) if x == y
    | ^~~~~~~~~
t.rules:1:1: note: this one always fires first
  1 | {add, sub}(x, y) => mul(x, y)
    | ^~~~~~~~~~~~~~~~
)"},
    {__LINE__, R"(*(..) => note "seen"
add(x, 0) => x)",
     ""},
    {__LINE__, R"(*(..) => error "no"
add(x, 0) => x)",
     R"(t.rules:2:1: error: this rule can never fire [unreachable]
  2 | add(x, 0) => x
    | ^~~~~~~~~
t.rules:1:1: note: this one always fires first
  1 | *(..) => error "no"
    | ^~~~~
)"},
    {__LINE__, R"(add(x, 0) => x if rank(x) == 1
add(y, 0) => y)",
     ""},
    {__LINE__, R"(add(x, 1) => x
add(x, 1.0) => x
add(x, True) => x)",
     ""},
    {__LINE__, R"(add(x, x) => relu(x)
add(x, y) => mul(x, y))",
     ""},
    {__LINE__, R"(phase a
add(x, 0) => x
phase b
add(x, 0) => x)",
     ""},
    {__LINE__, R"(add(x, y) => x if y => y => relu(x))",
     R"(t.rules:1:26: error: this alternative can never be taken [unreachable]
  1 | add(x, y) => x if y => y => relu(x)
    |                          ^~~~~~~~~~
t.rules:1:21: note: the one before it always holds
  1 | add(x, y) => x if y => y => relu(x)
    |                     ^~~~
)"},
    {__LINE__, R"(add(x, y) => x if y => y otherwise => relu(x) if x)",
     R"(t.rules:1:36: error: this alternative can never be taken [unreachable]
  1 | add(x, y) => x if y => y otherwise => relu(x) if x
    |                                    ^~~~~~~~~~~~~~~
t.rules:1:21: note: the one before it always holds
  1 | add(x, y) => x if y => y otherwise => relu(x) if x
    |                     ^~~~~~~~~~~~~~
)"},
    {__LINE__, R"(inverse select(b, d, i), v => b => v)",
     R"(t.rules:1:33: error: this alternative can never be taken [unreachable]
  1 | inverse select(b, d, i), v => b => v
    |                                 ^~~~
t.rules:1:28: note: the one before it always holds
  1 | inverse select(b, d, i), v => b => v
    |                            ^~~~
)"},
    {__LINE__, R"(def f(x) = x
def f(1) = 2)",
     R"(t.rules:2:5: error: this equation can never be used [unreachable]
  2 | def f(1) = 2
    |     ^
t.rules:1:5: note: this one always holds
  1 | def f(x) = x
    |     ^
)"},
    {__LINE__, R"(def f([x, rest..]) = x
def f([x]) = x
def f([]) = 1)",
     R"(t.rules:2:5: error: this equation can never be used [unreachable]
  2 | def f([x]) = x
    |     ^
t.rules:1:5: note: this one always holds
  1 | def f([x, rest..]) = x
    |     ^
)"},
    {__LINE__, R"(def f([rest.., 1]) = rest
def f([2, rest..]) = rest)",
     ""},
    {__LINE__, R"(def f(x: number) = x
def f(1) = 1
def f(None) = 1)",
     R"(t.rules:2:5: error: this equation can never be used [unreachable]
  2 | def f(1) = 1
    |     ^
t.rules:1:5: note: this one always holds
  1 | def f(x: number) = x
    |     ^
)"},
    {__LINE__, R"(meta relu(x) = Tensor(dtype(x), shape(x))
meta relu(x) = Tensor(dtype(x), []))",
     R"(t.rules:2:6: error: this shape function can never fire [unreachable]
  2 | meta relu(x) = Tensor(dtype(x), [])
    |      ^~~~~~~
t.rules:1:6: note: this one always fires first
  1 | meta relu(x) = Tensor(dtype(x), shape(x))
    |      ^~~~~~~
)"},
    {__LINE__, R"(inverse t(b), v => v
inverse t(b), v => b)",
     R"(t.rules:2:9: error: this inverse can never fire [unreachable]
  2 | inverse t(b), v => b
    |         ^~~~
t.rules:1:9: note: this one always fires first
  1 | inverse t(b), v => v
    |         ^~~~
)"},

    // What would never end
    {__LINE__, R"(add(x, y) => add(y, x))",
     R"(t.rules:1:14: error: the result matches the rule's own pattern, so the rule would fire for ever [endless-rule]
  1 | add(x, y) => add(y, x)
    |              ^~~~~~~~~
hint: add a guard, or put the rule into a `phase … once`
)"},
    {__LINE__, R"(add(x, y) => relu(add(x, y)))",
     R"(t.rules:1:19: error: the result matches the rule's own pattern, so the rule would fire for ever [endless-rule]
  1 | add(x, y) => relu(add(x, y))
    |                   ^~~~~~~~~
hint: add a guard, or put the rule into a `phase … once`
)"},
    {__LINE__, R"(add(x, y) => { r = add(y, x), root = r })",
     R"(t.rules:1:20: error: the result matches the rule's own pattern, so the rule would fire for ever [endless-rule]
  1 | add(x, y) => { r = add(y, x), root = r }
    |                    ^~~~~~~~~
hint: add a guard, or put the rule into a `phase … once`
)"},
    {__LINE__, R"(<f>_(x, ..) => <f>_(x, ..))",
     R"(t.rules:1:16: error: the result matches the rule's own pattern, so the rule would fire for ever [endless-rule]
  1 | <f>_(x, ..) => <f>_(x, ..)
    |                ^~~~~~~~~~~
hint: add a guard, or put the rule into a `phase … once`
)"},
    {__LINE__, R"(phase p once
add(x, y) => add(y, x))",
     ""},
    {__LINE__, R"(add(x, y) => add(y, x) if rank(x) == 0)",
     ""},
    {__LINE__, R"(add(x, 0) => add(x, 1))",
     ""},
    {__LINE__, R"(add(x: Tensor, y: int) => add(x, y))",
     R"(t.rules:1:27: error: the result matches the rule's own pattern, so the rule would fire for ever [endless-rule]
  1 | add(x: Tensor, y: int) => add(x, y)
    |                           ^~~~~~~~~
hint: add a guard, or put the rule into a `phase … once`
)"},
    {__LINE__, R"(add(x: Tensor, y: int) => add(y, x))",
     ""},
    {__LINE__, R"(relu(relu(x)) => relu(x))",
     ""},
    {__LINE__, R"(add(x, y) => mine(x, y)
def mine(x, y) = x)",
     ""},
    {__LINE__, R"(def f(x) = f(x))",
     R"(t.rules:1:12: error: `f` calls itself without shrinking a list [endless-helper]
  1 | def f(x) = f(x)
    |            ^~~~
hint: every such call passes, at one and the same position, a part of a list that the left side takes apart, as `rest` of `[x, rest..]`
)"},
    {__LINE__, R"(def f([x, rest..]) = f(rest)
def f([]) = 1)",
     ""},
    {__LINE__, R"(def f([x, rest..], k) = f(k, rest))",
     R"(t.rules:1:25: error: `f` calls itself without shrinking a list [endless-helper]
  1 | def f([x, rest..], k) = f(k, rest)
    |                         ^~~~~~~~~~
hint: every such call passes, at one and the same position, a part of a list that the left side takes apart, as `rest` of `[x, rest..]`
)"},
    {__LINE__, R"(def f(xs) = g(xs)
def g(xs) = f(xs))",
     R"(t.rules:1:13: error: `f` and `g` call each other without shrinking a list [endless-helper]
  1 | def f(xs) = g(xs)
    |             ^~~~~
hint: every such call passes, at one and the same position, a part of a list that the left side takes apart, as `rest` of `[x, rest..]`
)"},
    {__LINE__, R"(def f([x, rest..]) = g(rest)
def g([x, rest..]) = f(rest))",
     ""},
    {__LINE__, R"(def f(x) = 1 if f(x) == 1)",
     R"(t.rules:1:17: error: `f` calls itself without shrinking a list [endless-helper]
  1 | def f(x) = 1 if f(x) == 1
    |                 ^~~~
hint: every such call passes, at one and the same position, a part of a list that the left side takes apart, as `rest` of `[x, rest..]`
)"},
    {__LINE__, R"(def f([x, rest..]) = f([x, rest..]))",
     R"(t.rules:1:22: error: `f` calls itself without shrinking a list [endless-helper]
  1 | def f([x, rest..]) = f([x, rest..])
    |                      ^~~~~~~~~~~~~~
hint: every such call passes, at one and the same position, a part of a list that the left side takes apart, as `rest` of `[x, rest..]`
)"},
    {__LINE__, R"(def f(x @ [y, z..]) = f(x))",
     R"(t.rules:1:23: error: `f` calls itself without shrinking a list [endless-helper]
  1 | def f(x @ [y, z..]) = f(x)
    |                       ^~~~
hint: every such call passes, at one and the same position, a part of a list that the left side takes apart, as `rest` of `[x, rest..]`
)"},
    {__LINE__, R"(pattern p(x) = p(x))",
     R"(t.rules:1:16: error: `p` stands for itself [endless-helper]
  1 | pattern p(x) = p(x)
    |                ^~~~
hint: a helper pattern that repeats stands inside of an op, as in `Views(through(p), ..)`
)"},
    {__LINE__, R"(pattern p(x) = q(x)
pattern q(x) = r(p(x), 1)
pattern r(x, 1) = x
pattern r(x, y) = add(x, y))",
     R"(t.rules:1:16: error: `p` stands for itself, through `q` [endless-helper]
  1 | pattern p(x) = q(x)
    |                ^~~~
hint: a helper pattern that repeats stands inside of an op, as in `Views(through(p), ..)`
t.rules:2:16: error: `q` stands for itself, through `r` [endless-helper]
  2 | pattern q(x) = r(p(x), 1)
    |                ^~~~~~~~~~
hint: a helper pattern that repeats stands inside of an op, as in `Views(through(p), ..)`
)"},
    {__LINE__, R"(pattern p(x) = relu(p(x)))",
     ""},

    // Declarations
    {__LINE__, R"(one: add(x, 0) => x
one: add(x, 1) => x)",
     R"(t.rules:2:1: error: the label `one` is used twice [duplicate-label]
  2 | one: add(x, 1) => x
    | ^~~
t.rules:1:1: note: the first one is here
  1 | one: add(x, 0) => x
    | ^~~
)"},
    {__LINE__, R"(param target: string = "x")",
     R"(t.rules:1:15: error: unknown type `string` [unknown-type]
  1 | param target: string = "x"
    |               ^~~~~~
hint: the types of parameters are str, bool, int, float and set
)"},
    {__LINE__, R"(param target: strr = "x")",
     R"(t.rules:1:15: error: unknown type `strr` [unknown-type]
  1 | param target: strr = "x"
    |               ^~~~
hint: did you mean `str`?
)"},
    {__LINE__, R"(param n: int = "x")",
     R"(t.rules:1:16: error: the value of `n` is not of type int [wrong-type]
  1 | param n: int = "x"
    |                ^~~
)"},
    {__LINE__, R"(param n: bool = True
param n: int = 1)",
     R"(t.rules:2:7: error: `n` is declared twice [duplicate-name]
  2 | param n: int = 1
    |       ^
t.rules:1:7: note: the first one is here
  1 | param n: bool = True
    |       ^
)"},
    {__LINE__, R"(set V = { view }
def V(x) = x)",
     R"(t.rules:2:5: error: `V` is declared twice [duplicate-name]
  2 | def V(x) = x
    |     ^
t.rules:1:5: note: the first one is here
  1 | set V = { view }
    |     ^
)"},
    {__LINE__, R"(phase p onc)",
     R"(t.rules:1:9: error: unknown word `onc` behind the phase's name [unknown-phase-word]
  1 | phase p onc
    |         ^~~
hint: did you mean `once`?
)"},
    {__LINE__, R"(phase p twice again)",
     R"(t.rules:1:9: error: unknown word `twice` behind the phase's name [unknown-phase-word]
  1 | phase p twice again
    |         ^~~~~
hint: a phase is `once` or runs to a fixpoint, and goes `forward` or in `reverse`
t.rules:1:15: error: unknown word `again` behind the phase's name [unknown-phase-word]
  1 | phase p twice again
    |               ^~~~~
hint: a phase is `once` or runs to a fixpoint, and goes `forward` or in `reverse`
)"},
    // What can never be
    {__LINE__, R"(neg(x) => abs(x) if 1)",
     R"(t.rules:1:21: error: this guard is never known true [never-true]
  1 | neg(x) => abs(x) if 1
    |                     ^
hint: a guard asks what is true or false, as in `rank(x) == 2`
)"},
    {__LINE__, R"(neg(x) => abs(x) if rank(x))",
     R"(t.rules:1:21: error: this guard is never known true [never-true]
  1 | neg(x) => abs(x) if rank(x)
    |                     ^~~~~~~
hint: a guard asks what is true or false, as in `rank(x) == 2`
)"},
    {__LINE__, R"(neg(x) => abs(x) if rank(x) == 1 and False)",
     R"(t.rules:1:21: error: this guard is never known true [never-true]
  1 | neg(x) => abs(x) if rank(x) == 1 and False
    |                     ^~~~~~~~~~~~~~~~~~~~~~
hint: leave out what it guards
)"},
    {__LINE__, R"(add(x, n: int) => abs(x) if not n)",
     R"(t.rules:1:29: error: this guard is never known true [never-true]
  1 | add(x, n: int) => abs(x) if not n
    |                             ^~~~~
hint: leave out what it guards
)"},
    {__LINE__, R"(param target: str = "xla"
neg(x) => abs(x) if target)",
     R"(t.rules:2:21: error: this guard is never known true [never-true]
  2 | neg(x) => abs(x) if target
    |                     ^~~~~~
hint: a guard asks what is true or false, as in `rank(x) == 2`
)"},
    {__LINE__, R"(def f([h, t..]) = h if 1 == 2
def f(x) = 3
neg(x) => abs(x) if f(shape(x)) == 3)",
     R"(t.rules:1:24: error: this guard is never known true [never-true]
  1 | def f([h, t..]) = h if 1 == 2
    |                        ^~~~~~
hint: leave out what it guards
)"},
    {__LINE__, R"(neg(neg(x)) => x + 1)",
     R"(t.rules:1:16: error: this result is never a node, and only a node can take a node's place [no-node]
  1 | neg(neg(x)) => x + 1
    |                ^~~~~
hint: a result is a value of the pattern or a call of an op, as in `add(x, 1)`
)"},
    {__LINE__, R"(neg(neg(x)) => [x])",
     R"(t.rules:1:16: error: this result is never a node, and only a node can take a node's place [no-node]
  1 | neg(neg(x)) => [x]
    |                ^~~
hint: a result is a value of the pattern or a call of an op, as in `add(x, 1)`
)"},
    {__LINE__, R"({ s = chunk(x, 2), a = s[0] } => { a = (x, x), s = abs(x) })",
     R"(t.rules:1:40: error: this result is never a node, and only a node can take a node's place [no-node]
  1 | { s = chunk(x, 2), a = s[0] } => { a = (x, x), s = abs(x) }
    |                                        ^~~~~~
hint: a result is a value of the pattern or a call of an op, as in `add(x, 1)`
)"},
    {__LINE__, R"(add(x) => x)",
     R"(t.rules:1:1: error: `add` always has `other`, so that this can never match [arity]
  1 | add(x) => x
    | ^~~~~~
hint: write `..` for the arguments that do not matter
)"},
    {__LINE__, R"({}(x, ..) => x)",
     R"(t.rules:1:1: error: this can never match: the set is empty [unreachable]
  1 | {}(x, ..) => x
    | ^~
)"},
    {__LINE__, R"(set S = { "meta" }
S(x, ..) => x)",
     R"(t.rules:2:1: error: this can never match: the set `S` holds no op [unreachable]
  2 | S(x, ..) => x
    | ^
)"},
    {__LINE__, R"(torch.nope(x) => x)",
     R"(t.rules:1:1: error: `torch` has no function `nope` [unknown-op]
  1 | torch.nope(x) => x
    | ^~~~~~~~~~
hint: what torch does not have is declared with `catalogue "my.ops"`
)"},
    {__LINE__, R"(neg(x) => torch.reluu(x))",
     R"(t.rules:1:11: error: `torch` has no function `reluu` [unknown-op]
  1 | neg(x) => torch.reluu(x)
    |           ^~~~~~~~~~~
hint: did you mean `relu` or `relu_`?
)"},
    {__LINE__, R"(aten.nope(x) => x)",
     R"(t.rules:1:1: error: `aten` has no function `nope` [unknown-op]
  1 | aten.nope(x) => x
    | ^~~~~~~~~
hint: what torch does not have is declared with `catalogue "my.ops"`
)"},
    {__LINE__, R"(aten.add.Nope(x, y) => x)",
     R"(t.rules:1:1: error: `aten.add` has no overload `Nope` [unknown-op]
  1 | aten.add.Nope(x, y) => x
    | ^~~~~~~~~~~~~
hint: there are `Tensor`, `Scalar`, `out` and `Scalar_out`
t.rules:1:18: error: `y` is bound and never used [unused-variable]
  1 | aten.add.Nope(x, y) => x
    |                  ^
hint: write `_`
)"},
    {__LINE__, R"(operator.ad(x, y) => neg(x))",
     R"(t.rules:1:1: error: `operator` has no function `ad` [unknown-op]
  1 | operator.ad(x, y) => neg(x)
    | ^~~~~~~~~~~
hint: did you mean `add`?
t.rules:1:16: error: `y` is bound and never used [unused-variable]
  1 | operator.ad(x, y) => neg(x)
    |                ^
hint: write `_`
)"},
    {__LINE__, R"(neg(x) => abs(x)

test "t" {
  before { x = placeholder   a = neg(x)   return a }
  after { x = placeholder   a = abs(x)   return a }
  unchanged
}
test "t" {
  before { x = placeholder   return x }
  unchanged
})",
     R"(t.rules:3:6: error: a test has `after` or `unchanged`, not both [misplaced]
  3 | test "t" {
    |      ^~~
hint: the graph cannot both become what `after` shows and stay as it was
t.rules:8:6: error: two tests are called "t" [duplicate-test]
  8 | test "t" {
    |      ^~~
t.rules:3:6: note: the first one is here
  3 | test "t" {
    |      ^~~
)"},
    {__LINE__, R"(phase a
neg(x) => abs(x)
phase b
abs(x) => exp(x)
phase a
exp(x) => neg(x))",
     R"(t.rules:5:7: error: the phase `a` is there already [duplicate-phase]
  5 | phase a
    |       ^
t.rules:1:7: note: the first one is here
  1 | phase a
    |       ^
)"},
};
// clang-format on

TEST_CASE("a mistake that only the names can tell is drawn with its place and a hint") {
  const auto catalogue = Catalogue::load(FXRULES_SHARE_DIR);
  for (const Row& row : kRows) {
    INFO("check_test.cpp:" << row.line);
    Loader loader(catalogue, {.rules_folder = {}, .search_paths = {}, .params = {}, .prelude = false});
    loader.load(std::make_shared<Source>(Source{"t.rules", row.input}));
    CHECK(render(loader.take_diagnostics()) == row.printed);
  }
}

std::vector<Diagnostic> found_in(std::string text) {
  const auto catalogue = Catalogue::load(FXRULES_SHARE_DIR);
  Loader loader(catalogue, {.rules_folder = {}, .search_paths = {}, .params = {}, .prelude = false});
  loader.load(std::make_shared<Source>(Source{"t.rules", std::move(text)}));
  return loader.take_diagnostics();
}

// `before`, the number, `after`, again and again.
std::string counted(std::size_t count, const std::string& before, const std::string& after) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += before + std::to_string(i) + after;
  return text;
}

TEST_CASE("a twin is found among many rules of one op") {
  const std::string many = counted(1000, "add(x, ", ") => x\n");
  CHECK(found_in(many).empty());
  const auto twin = found_in(many + "add(y, 700) => neg(y)\n");
  REQUIRE(twin.size() == 1);
  CHECK(twin[0].message == "this rule can never fire");
  const Span& first = twin[0].related.at(0).span;
  CHECK(line_column(first.source->text, first.begin).line == 701);
}

TEST_CASE("at most a hundred mistakes of a file are told") {
  CHECK(found_in(counted(50'000, "unknown_op_", "(x) => x\n")).size() == 100);
  CHECK(found_in("cat([" + counted(50'000, "a", ", ") + "]) => 1").size() == 100);
}

TEST_CASE("huge items take no long time") {
  const std::string graph = "test \"t\" { before { " + counted(50'000, "a", " = placeholder ") + "return a49999 } }";
  CHECK(found_in(graph).empty());
  std::string chain;
  for (int i = 0; i < 20'000; ++i) chain += "def f" + std::to_string(i) + "(x) = f" + std::to_string(i + 1) + "(x)\n";
  CHECK(found_in(chain + "def f20000(x) = x\n").empty());
  std::string wide = "cat([";
  for (int i = 0; i < 20'000; ++i) wide += "_, ";
  wide += "]) => zeros(1)\n";
  CHECK(found_in("*(..) => error \"no\"\n" + wide + wide).size() == 2);
}

TEST_CASE("names are listed in words") {
  CHECK(quoted_list({}).empty());
  CHECK(quoted_list({"a"}) == "`a`");
  CHECK(quoted_list({"a", "b", "c"}) == "`a`, `b` and `c`");
  CHECK(did_you_mean("stirng", {"string", "list"}) == "did you mean `string`?");
  CHECK(did_you_mean("x", {"y"}).empty());
}

}  // namespace
}  // namespace fxrules::dsl
