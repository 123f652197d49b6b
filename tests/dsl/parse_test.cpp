// Rule text to tree, a row a construct: {line of this file, rule text, tree as text}.
#include <string>

#include "dsl/ast.hpp"
#include "tests/support/catch.hpp"

namespace fxrules::dsl {
namespace {

struct Row {
  int line;
  std::string input;
  std::string tree;
};

// clang-format off
const Row kRows[] = {
    // The two lines that are complete rule files
    {__LINE__, R"(copy_(d,s) => slice_scatter(d, expand_as(s,d)))",
     R"(rule
  call{copy_ name{d} name{s}}
  => call{slice_scatter name{d} call{expand_as name{s} name{d}}}
)"},
    {__LINE__, R"(copy(d, index_put(d,..)) => index_put)",
     R"(rule
  call{copy name{d} call{index_put name{d} rest{}}}
  => name{index_put}
)"},

    // Layout: labels, comments, continuation
    {__LINE__, R"(zero: add(x, 0) => x)",
     R"(rule zero
  call{add name{x} int{0}}
  => name{x}
)"},
    {__LINE__, R"(zero:
  add(x, 0)   # the pattern
    => x      # the result)",
     R"(rule zero
  call{add name{x} int{0}}
  => name{x}
)"},
    {__LINE__, R"(# a comment

add(x, 0) => x
# between

   # indented
mul(x, 1)
# inside an item
  => x
)",
     R"(rule
  call{add name{x} int{0}}
  => name{x}
rule
  call{mul name{x} int{1}}
  => name{x}
)"},
    {__LINE__, R"(add(x,
    0
) => x)",
     R"(rule
  call{add name{x} int{0}}
  => name{x}
)"},
    {__LINE__, "add(x, 0)\r\n\t=> x\r\n",
     R"(rule
  call{add name{x} int{0}}
  => name{x}
)"},
    {__LINE__, "\xEF\xBB\xBF" "add(x, 0) => x",
     R"(rule
  call{add name{x} int{0}}
  => name{x}
)"},
    {__LINE__, "# caf\xE9" " is Latin-1\nadd(x, 0) => x",
     R"(rule
  call{add name{x} int{0}}
  => name{x}
)"},

    // Literals
    {__LINE__, R"(f(0, -1, 9223372036854775807, -9223372036854775808) => g)",
     R"(rule
  call{f int{0} int{-1} int{9223372036854775807} int{-9223372036854775808}}
  => name{g}
)"},
    {__LINE__, R"(f(1.5, -0.5, 1e-05, 2., 1E+6, inf, -inf, nan) => g)",
     R"(rule
  call{f float{1.5} float{-0.5} float{1e-05} float{2.} float{1E+6} float{inf} float{-inf} float{nan}}
  => name{g}
)"},
    {__LINE__, R"(f(1j, (1+2j), -1.5j, (-1-2j)) => g)",
     R"(rule
  call{f complex{1j} complex{1+2j} complex{-1.5j} complex{-1-2j}}
  => name{g}
)"},
    {__LINE__, R"(f(True, False, None, Ellipsis, unknown) => g)",
     R"(rule
  call{f bool{True} bool{False} none{None} ellipsis{Ellipsis} unknown{unknown}}
  => name{g}
)"},
    {__LINE__, R"(f("mean", 'its'[0], 'a "b"', "tab\t\x41\u00e9 {x}") => g)",
     R"(rule
  call{f str{"mean"} index{str{'its'} int{0}} str{'a "b"'} str{"tab\t\x41\u00e9 {x}"}}
  => name{g}
)"},
    {__LINE__, R"(f(torch.float32, torch.channels_last) => g)",
     R"(rule
  call{f const{torch.float32} const{torch.channels_last}}
  => name{g}
)"},
    {__LINE__, R"(f(2:5, :, ::2, a:b:c, 1:, :n, -3:-1, n + 1:m) => g)",
     R"(rule
  call{f slice{int{2} int{5} -} slice{- - -} slice{- - int{2}} slice{name{a} name{b} name{c}} slice{int{1} - -} slice{- name{n} -} slice{int{-3} int{-1} -} slice{binary{+ name{n} int{1}} name{m} -}}
  => name{g}
)"},
    {__LINE__, R"(f(x[2:5, ..], (1:2, None), [::-1]) => g)",
     R"(rule
  call{f index{name{x} tuple{slice{int{2} int{5} -} rest{}}} tuple{slice{int{1} int{2} -} none{None}} list{slice{- - int{-1}}}}
  => name{g}
)"},

    // Binders
    {__LINE__, R"(f(x: Tensor, m: Tensor[bool], _: node, _) => x)",
     R"(rule
  call{f name{x: Tensor} name{m: Tensor[bool]} any{_: node} any{_}}
  => name{x}
)"},
    {__LINE__, R"(f([a: int, rest..], (b: Tensor, _), out = d: device) => a)",
     R"(rule
  call{f list{name{a: int} rest{rest}} tuple{name{b: Tensor} any{_}} arg{out name{d: device}}}
  => name{a}
)"},
    {__LINE__, R"(f(u @ g(x, ..), rest.., k = v) => u)",
     R"(rule
  call{f bind{u call{g name{x} rest{}}} rest{rest} arg{k name{v}}}
  => name{u}
)"},
    {__LINE__, R"(f(.., xs.., h @ [a, _..]) => h)",
     R"(rule
  call{f rest{} rest{xs} bind{h list{name{a} rest{}}}}
  => name{h}
)"},

    // Ops
    {__LINE__, R"(add(x, y) => x)",
     R"(rule
  call{add name{x} name{y}}
  => name{x}
)"},
    {__LINE__, R"(.add(x, y) => x)",
     R"(rule
  call{method .add name{x} name{y}}
  => name{x}
)"},
    {__LINE__, R"(torch.ops.aten.add.Tensor(x, y) => x)",
     R"(rule
  call{dotted torch.ops.aten.add.Tensor name{x} name{y}}
  => name{x}
)"},
    {__LINE__, R"(add~(x, y) => x)",
     R"(rule
  call{add~ name{x} name{y}}
  => name{x}
)"},
    {__LINE__, R"({add, .cpu, aten.mul.Tensor}(x, ..) => x)",
     R"(rule
  call{set [add method .cpu dotted aten.mul.Tensor] name{x} rest{}}
  => name{x}
)"},
    {__LINE__, R"({add,}~(x, y) => x)",
     R"(rule
  call{set [add]~ name{x} name{y}}
  => name{x}
)"},
    {__LINE__, R"(*(..) => root)",
     R"(rule
  call{any * rest{}}
  => name{root}
)"},
    {__LINE__, R"(<f>_(x, ..) => <f>(x, ..))",
     R"(rule
  call{holes [<f> _] name{x} rest{}}
  => call{holes [<f>] name{x} rest{}}
)"},
    {__LINE__, R"(aten.<f>_.<o>(x, ..) => aten.<f>.<o>(x, ..) if defined(aten.<f>.<o>))",
     R"(rule
  call{holes [aten. <f> _. <o>] name{x} rest{}}
  => call{holes [aten. <f> . <o>] name{x} rest{}} if call{defined op{holes [aten. <f> . <o>]}}
)"},
    {__LINE__, R"(_foreach_<f>_(x) => _foreach_<f>(x))",
     R"(rule
  call{holes [_foreach_ <f> _] name{x}}
  => call{holes [_foreach_ <f>] name{x}}
)"},
    {__LINE__, R"(<f: Views>_(x) => <f>(x))",
     R"(rule
  call{holes [<f: Views> _] name{x}}
  => call{holes [<f>] name{x}}
)"},
    {__LINE__, R"(writeback(p, copy(p, v)) => writeback(p, v))",
     R"(rule
  call{writeback name{p} call{copy name{p} name{v}}}
  => call{writeback name{p} name{v}}
)"},
    {__LINE__, R"(where(c, slice, select) => copy(set, index(test, graph), keep))",
     R"(rule
  call{where name{c} name{slice} name{select}}
  => call{copy name{set} call{index name{test} name{graph}} name{keep}}
)"},
    {__LINE__, R"(set(x) => test(output(error, note)))",
     R"(rule
  call{set name{x}}
  => call{test call{output name{error} name{note}}}
)"},

    // Structures and operators
    {__LINE__, R"(f([], (), (a,), (a, b), (a), [a, b,]) => [f(xs).., y, xs[0]..])",
     R"(rule
  call{f list{} tuple{} tuple{name{a}} tuple{name{a} name{b}} name{a} list{name{a} name{b}}}
  => list{rest{call{f name{xs}}} name{y} rest{index{name{xs} int{0}}}}
)"},
    {__LINE__, R"(f(x) => a + b * c - d // e % -f / 2)",
     R"(rule
  call{f name{x}}
  => binary{- binary{+ name{a} binary{* name{b} name{c}}} binary{/ binary{% binary{// name{d} name{e}} unary{- name{f}}} int{2}}}
)"},
    {__LINE__, R"(f(x) => (a + b) * c - -d)",
     R"(rule
  call{f name{x}}
  => binary{- binary{* binary{+ name{a} name{b}} name{c}} unary{- name{d}}}
)"},
    {__LINE__, R"(f(x) => x if not a == b and c or d in [1, 2] and e not in s)",
     R"(rule
  call{f name{x}}
  => name{x} if binary{or binary{and unary{not binary{== name{a} name{b}}} name{c}} binary{and binary{in name{d} list{int{1} int{2}}} binary{not in name{e} name{s}}}}
)"},
    {__LINE__, R"(f(x) => x if not (a < b) != c)",
     R"(rule
  call{f name{x}}
  => name{x} if unary{not binary{!= binary{< name{a} name{b}} name{c}}}
)"},
    {__LINE__, R"(f(x) => s.start + f(x).stop + xs[0].step[1] + a.b.start)",
     R"(rule
  call{f name{x}}
  => binary{+ binary{+ binary{+ field{start name{s}} field{stop call{f name{x}}}} index{field{step index{name{xs} int{0}}} int{1}}} const{a.b.start}}
)"},
    {__LINE__, R"(f(x) => x if (a == b) == (c == d))",
     R"(rule
  call{f name{x}}
  => name{x} if binary{== binary{== name{a} name{b}} binary{== name{c} name{d}}}
)"},
    {__LINE__, R"(f(x) => x[1][2] - x[a, b])",
     R"(rule
  call{f name{x}}
  => binary{- index{index{name{x} int{1}} int{2}} index{name{x} tuple{name{a} name{b}}}}
)"},
    {__LINE__, R"(f(x) => x if op(root) in {add, "s", -1, 1.5})",
     R"(rule
  call{f name{x}}
  => name{x} if binary{in call{op name{root}} set{op{add} str{"s"} int{-1} float{1.5}}}
)"},
    {__LINE__, R"(f((x..)) => x)",
     R"(rule
  call{f tuple{rest{x}}}
  => name{x}
)"},
    {__LINE__, R"(f((x + y)..) => x)",
     R"(rule
  call{f rest{binary{+ name{x} name{y}}}}
  => name{x}
)"},

    // Right sides
    {__LINE__, R"(f(x) => x if a
 => y if b
 => z otherwise
 as "{origin(x)}_modified")",
     R"(rule
  call{f name{x}}
  => name{x} if name{a}
  => name{y} if name{b}
  => name{z} otherwise
  as text{call{origin name{x}} str{_modified}}
)"},
    {__LINE__, R"(f(x)
  => x
     if a
  => y)",
     R"(rule
  call{f name{x}}
  => name{x} if name{a}
  => name{y}
)"},
    {__LINE__, R"(f(x) => error "no {f}_ for {{x}} \"{shape(x)}\"")",
     R"(rule
  call{f name{x}}
  => error text{str{no } name{f} str{_ for {{x}} \"} call{shape name{x}} str{\"}}
)"},
    {__LINE__, R"(f(x) => note 'seen {x[0] + 1}' if g(x))",
     R"(rule
  call{f name{x}}
  => note text{str{seen } binary{+ index{name{x} int{0}} int{1}}} if call{g name{x}}
)"},
    {__LINE__, R"(f(x) => error(x))",
     R"(rule
  call{f name{x}}
  => call{error name{x}}
)"},
    {__LINE__, R"(f(x) => error + note)",
     R"(rule
  call{f name{x}}
  => binary{+ name{error} name{note}}
)"},
    {__LINE__, R"(f(x, out = (a, b)) => { r = <f>(..), root = r, a = r[0] as "{a}_m", b = r[1], })",
     R"(rule
  call{f name{x} arg{out tuple{name{a} name{b}}}}
  => block r = call{holes [<f>] rest{}} root = name{r} a = index{name{r} int{0}} as text{name{a} str{_m}} b = index{name{r} int{1}}
)"},
    {__LINE__, R"(f(x) => keep(dim = 0, meta.device = d) if a)",
     R"(rule
  call{f name{x}}
  => keep dim = int{0} meta.device = name{d} if name{a}
)"},
    {__LINE__, R"(f(x) => x as "")",
     R"(rule
  call{f name{x}}
  => name{x}
  as text{}
)"},
    {__LINE__, R"({ s = split(x, n), a = s[0], b = s[1], } => { a = x, b = n })",
     R"(rule
  s = call{split name{x} name{n}}
  a = index{name{s} int{0}}
  b = index{name{s} int{1}}
  => block a = name{x} b = name{n}
)"},

    // Declarations
    {__LINE__, R"(import "lib.rules")",
     R"(import lib.rules
)"},
    {__LINE__, R"(catalogue 'my.ops')",
     R"(catalogue my.ops
)"},
    {__LINE__, R"(param target: str = "xla")",
     R"(param target: str = str{"xla"}
)"},
    {__LINE__, R"(param keep: set = {})",
     R"(param keep: set = set{}
)"},
    {__LINE__, R"(param some: set = {a, "b", 3, .cpu, aten.add.Tensor})",
     R"(param some: set = set{op{a} str{"b"} int{3} op{method .cpu} op{dotted aten.add.Tensor}}
)"},
    {__LINE__, R"(param n: int = -3)",
     R"(param n: int = int{-3}
)"},
    {__LINE__, R"(set Views = { view, reshape, })",
     R"(set Views = set{op{view} op{reshape}}
)"},
    {__LINE__, R"(phase tidy)",
     R"(phase tidy
)"},
    {__LINE__, R"(phase tidy once reverse as "{x}_m")",
     R"(phase tidy once reverse as text{name{x} str{_m}}
)"},
    {__LINE__, R"(phase one
f(x) => x
phase two forward
g(x) => x)",
     R"(phase one
rule
  call{f name{x}}
  => name{x}
phase two
rule
  call{g name{x}}
  => name{x}
)"},
    {__LINE__, R"(def alike(x, y) = to(x, dtype(y)) if known(dtype(y)))",
     R"(def alike name{x} name{y} = call{to name{x} call{dtype name{y}}} if call{known call{dtype name{y}}}
)"},
    {__LINE__, R"(def none() = None)",
     R"(def none = none{None}
)"},
    {__LINE__, R"(def f([h, t..], k: int) = error "no {h}" if k > 0)",
     R"(def f list{name{h} rest{t}} name{k: int} = error text{str{no } name{h}} if binary{> name{k} int{0}}
)"},
    {__LINE__, R"(def f(x, k = 3) = x)",
     R"(def f name{x} arg{k int{3}} = name{x}
)"},
    {__LINE__, R"(pattern through(p) = Views(through(p), ..))",
     R"(pattern through name{p} = call{Views call{through name{p}} rest{}}
)"},
    {__LINE__, R"(pattern scaled(p, 1 / c) = div(p, c: number) if c != 0)",
     R"(pattern scaled name{p} binary{/ int{1} name{c}} = call{div name{p} name{c: number}} if binary{!= name{c} int{0}}
)"},
    {__LINE__, R"(meta select(x, d, _) = Tensor(dtype(x), drop(shape(x), d)))",
     R"(meta call{select name{x} name{d} any{_}} = call{Tensor call{dtype name{x}} call{drop call{shape name{x}} name{d}}}
)"},
    {__LINE__, R"(meta {add, sub}(x, y) = error "no" if x == y)",
     R"(meta call{set [add sub] name{x} name{y}} = error text{str{no}} if binary{== name{x} name{y}}
)"},
    {__LINE__, R"(meta <f>(x) = Tensor(dtype(x)))",
     R"(meta call{holes [<f>] name{x}} = call{Tensor call{dtype name{x}}}
)"},
    {__LINE__, R"(inverse select(b, d, i), v => select_scatter(b, v, d, i))",
     R"(inverse call{select name{b} name{d} name{i}}, v
  => call{select_scatter name{b} name{v} name{d} name{i}}
)"},
    {__LINE__, R"(inverse getitem(split(b, n: int), k), v => b if n == 1
 => error "no {b}" if k
 => v otherwise)",
     R"(inverse call{getitem call{split name{b} name{n: int}} name{k}}, v
  => name{b} if binary{== name{n} int{1}}
  => error text{str{no } name{b}} if name{k}
  => name{v} otherwise
)"},

    // Declaration words are ordinary names elsewhere
    {__LINE__, R"(def(x) => x)",
     R"(rule
  call{def name{x}}
  => name{x}
)"},
    {__LINE__, R"(meta(x) => phase(x))",
     R"(rule
  call{meta name{x}}
  => call{phase name{x}}
)"},
    {__LINE__, R"(inverse (x) => param)",
     R"(rule
  call{inverse name{x}}
  => name{param}
)"},
    {__LINE__, R"(pattern: set(x) => import)",
     R"(rule pattern
  call{set name{x}}
  => name{import}
)"},
    {__LINE__, R"(test @ f(x) => test)",
     R"(rule
  bind{test call{f name{x}}}
  => name{test}
)"},
    {__LINE__, R"(f(def, pattern, meta, inverse, set, param, phase, import, catalogue, test) => before(after, check))",
     R"(rule
  call{f name{def} name{pattern} name{meta} name{inverse} name{set} name{param} name{phase} name{import} name{catalogue} name{test}}
  => call{before name{after} name{check}}
)"},

    // Tests
    {__LINE__, R"(test "one line" { before { x = placeholder : f32[4]   y = add(x, 1)   return y } unchanged because "x" })",
     R"(test one line
  before
    x = placeholder : f32[4]
    y = call{add name{x} int{1}}
    return name{y}
  unchanged because x
)"},
    {__LINE__, R"(test 't' {
  before {
    x = placeholder
    b = buffer : f32[4, s0 + 1] strides=(8,1) device=cuda:0   i = buffer
    y = x.to("cuda:0")[0] : (f32[4], i64[])
    r = r[0]   s = setitem(b, 2:5, (1:2, None))
    return writeback(b, y), r : f32[4]
  }
  after { return x }
})",
     R"(test t
  before
    x = placeholder
    b = buffer : f32[4, s0 + 1] strides=(8,1) device=cuda:0
    i = buffer
    y = index{call{dotted x.to str{"cuda:0"}} int{0}} : (f32[4], i64[])
    r = index{name{r} int{0}}
    s = call{setitem name{b} slice{int{2} int{5} -} tuple{slice{int{1} int{2} -} none{None}}}
    return tuple{call{writeback name{b} name{y}} name{r}} : f32[4]
  after
    return name{x}
)"},
    {__LINE__, R"(test "nested" {
  before {
    graph body { a = placeholder   return a }
    graph = cond(x, body)   return = graph
    graph other { graph deep { return 1 } return [deep] }
    return (graph, placeholder.x, buffer(x)) }
  unchanged })",
     R"(test nested
  before
    graph 1 body
    graph = call{cond name{x} name{body}}
    return = name{graph}
    graph 2 other
    return tuple{name{graph} const{placeholder.x} call{buffer name{x}}}
  graph 1 body
    a = placeholder
    return name{a}
  graph 2 other
    graph 3 deep
    return list{name{deep}}
  graph 3 deep
    return int{1}
  unchanged
)"},
    {__LINE__, R"(test "checks" { check width([1, 2:3]) == 2   check a < b
  check known(x) })",
     R"(test checks
  check call{width list{int{1} slice{int{2} int{3} -}}} == int{2}
  check binary{< name{a} name{b}}
  check call{known name{x}}
)"},
};
// clang-format on

TEST_CASE("rule text becomes a tree") {
  for (const Row& row : kRows) {
    INFO("parse_test.cpp:" << row.line);
    const ParseResult result = parse(std::make_shared<Source>(Source{"t.rules", row.input}));
    CHECK(render(result.diagnostics) == "");
    CHECK(to_text(result.ast) == row.tree);
  }
}

}  // namespace
}  // namespace fxrules::dsl
