// Which calls a pattern accepts: spellings, arguments by schema role, kinds, literals, lists, names.
#include <fmt/format.h>

#include "support.hpp"
#include "tests/support/catch.hpp"

using namespace fxrules;
using namespace fxrules::testing;

namespace {

// How many nodes of the graph the pattern matches.
std::size_t matches(const std::string& pattern, const std::string& lines) {
  const std::string graph = "x = placeholder\ny = placeholder\n" + lines + "\nreturn (x,)";
  INFO(pattern << "\n" << graph);
  const Applied run = applied(rules_of("phase one once\n" + pattern + " => note \"hit\"\n"), graph_of(graph));
  CHECK(run.report.rewrites == 0);
  return run.report.notes.size();
}

struct Row {
  std::string pattern, call;
  bool match;
};
void check(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    INFO(row.pattern << "   on   " << row.call);
    CHECK((matches(row.pattern, "n = " + row.call) == 1) == row.match);
  }
}

}  // namespace

TEST_CASE("a plain name means every spelling of the op") {
  for (const std::string call : {"torch.add(x, y)", ".add(x, y)", "operator.add(x, y)",
                                 "torch.ops.aten.add.Tensor(x, y)", "torch.ops.aten.add(x, y)", ".__add__(x, y)",
                                 ".__radd__(x, y)", "executorch.exir.dialects.edge._ops.aten.add.Tensor(x, y)"}) {
    INFO(call);
    CHECK(matches("add(_, _)", "n = " + call) == 1);
    CHECK(matches("sub(_, _)", "n = " + call) == 0);
    CHECK(matches("add_(_, _)", "n = " + call) == 0);
  }
}

TEST_CASE("a dotted name or a method means that form") {
  check({{"torch.add(_, _)", "torch.add(x, y)", true},
         {"torch.add(_, _)", ".add(x, y)", false},
         {".add(_, _)", ".add(x, y)", true},
         {".add(_, _)", "torch.add(x, y)", false},
         {"operator.add(_, _)", "operator.add(x, y)", true},
         {"aten.add(_, _)", "torch.ops.aten.add.Tensor(x, y)", true},
         {"aten.add(_, _)", "torch.ops.aten.add(x, y)", true},
         {"aten.add(_, _)", "torch.add(x, y)", false},
         {"aten.add.Tensor(_, _)", "torch.ops.aten.add.Tensor(x, y)", true},
         {"aten.add.Tensor(_, _)", "torch.ops.aten.add(x, y)", false},
         {"aten.add.Scalar(_, _)", "torch.ops.aten.add.Tensor(x, y)", false},
         {"mine.op(_)", "mine.op(x)", true},
         {"mine.op(_)", "mine.other(x)", false}});
}

TEST_CASE("arguments go by schema role") {
  check({{"sub(_, 2)", "torch.sub(x, 2)", true},
         {"sub(_, 2)", "torch.sub(x, other=2)", true},
         {"sub(_, 2)", "torch.sub(other=2, input=x)", true},
         {"sub(other = 2, self = _)", "torch.sub(x, 2)", true},
         {"sub(input = _, other = 2)", "torch.sub(x, 2)", true},
         {"sub(2, _)", ".__rsub__(x, 2)", true},
         {"sub(_, 2)", ".__rsub__(x, 2)", false},
         {"sum(_, [1])", "torch.sum(x, 1)", true},  // int for a list of ints
         {"sum(_, [1])", "torch.sum(x, dim=[1])", true},
         {"sum(_, [1])", "torch.sum(x, dim=(1,))", true},
         {"sum(_, [1])", "torch.sum(x, axis=1)", true},  // a synonym
         {"sum(_, [1])", "torch.sum(x, 0)", false},
         {"reshape(_, [2, 3])", ".reshape(x, 2, 3)", true},  // varargs
         {"reshape(_, [2, 3])", ".reshape(x, (2, 3))", true},
         {"reshape(_, [2, 3])", "torch.reshape(x, [2, 3])", true},
         {"reshape(_, [2, 3])", "torch.reshape(input=x, shape=(2, 3))", true},
         {"reshape(_, [-1])", ".reshape(x, -1)", true},
         {"getitem(_, 0)", "operator.getitem(x, 0)", true}});
}

TEST_CASE("what a pattern does not mention is at its default") {
  check({{"add(_, _)", "torch.add(x, y, alpha=1)", true},
         {"add(_, _)", "torch.add(x, y, alpha=2)", false},
         {"add(_, _)", "torch.add(x, y, out=x)", false},
         {"add(_, _, ..)", "torch.add(x, y, alpha=2)", true},
         {"add(_, _, alpha = 2)", "torch.add(x, y, alpha=2)", true},
         {"add(_, _, alpha = 1)", "torch.add(x, y)", true},  // an omitted argument is its default
         {"add(_, _, alpha = 2)", "torch.add(x, y)", false},
         {"sum(_, [0])", "torch.sum(x, 0, keepdim=False)", true},
         {"sum(_, [0])", "torch.sum(x, 0, keepdim=True)", false},
         {"sum(_, [0])", "torch.sum(x, 0, True)", false},
         {"sum(_, [0], True)", "torch.sum(x, 0, keepdim=True)", true}});
}

TEST_CASE("an op that nobody knows is matched literally") {
  check({{"mine.op(_, _)", "mine.op(x, 1)", true},
         {"mine.op(_)", "mine.op(x, 1)", false},
         {"mine.op(_, ..)", "mine.op(x, 1, k=2)", true},
         {"mine.op(_, k = 2)", "mine.op(x, k=2)", true},
         {"mine.op(_, k = 2)", "mine.op(x, 2)", false},
         {"mine.op(_, 2)", "mine.op(x, k=2)", false},
         {"mine.op~(1, _)", "mine.op(x, 1)", true},
         {".frob(_)", ".frob(x)", true}});
}

TEST_CASE("literals match exactly") {
  check({{"mine.op(1)", "mine.op(1)", true},
         {"mine.op(1)", "mine.op(1.0)", false},
         {"mine.op(1)", "mine.op(True)", false},
         {"mine.op(1.0)", "mine.op(1)", false},
         {"mine.op(-1.5)", "mine.op(-1.5)", true},
         {"mine.op(inf)", "mine.op(inf)", true},
         {"mine.op(-inf)", "mine.op(inf)", false},
         {"mine.op(True)", "mine.op(True)", true},
         {"mine.op(False)", "mine.op(0)", false},
         {"mine.op(None)", "mine.op(None)", true},
         {"mine.op(None)", "mine.op(x)", false},
         {"mine.op(Ellipsis)", "mine.op(Ellipsis)", true},
         {"mine.op(torch.float32)", "mine.op(torch.float32)", true},
         {"mine.op(torch.float32)", "mine.op(torch.float64)", false},
         {"mine.op(torch.strided)", "mine.op(torch.strided)", true},
         {"mine.op(9223372036854775807)", "mine.op(9223372036854775807)", true},
         {"mine.op(1+2j)", "mine.op((1+2j))", true},
         {"mine.op((1-2.5j))", "mine.op((1-2.5j))", true},
         {"mine.op(2j)", "mine.op(2j)", true},
         {"mine.op(2j)", "mine.op((1+2j))", false},
         {"mine.op(0:2)", "mine.op(slice(0, 2, None))", true},
         {"mine.op(0:2)", "mine.op(slice(0, 2, 1))", false},
         {"mine.op(:)", "mine.op(slice(None, None, None))", true},
         {"mine.op(_:2:_)", "mine.op(slice(x, 2, y))", true}});
}

TEST_CASE("kinds") {
  const auto kind = [](const std::string& kind, const std::string& argument, bool match) {
    INFO(kind << " on " << argument);
    CHECK((matches("mine.op(_: " + kind + ")",
                   "t: f32[2] = mine.tensor(x)\nb: b8[2] = mine.tensor(x)\ni: i64[2] = mine.tensor(x)\ns: Sym(s0) = "
                   "mine.size(x)\nn = mine.op(" +
                       argument + ")") == 1) == match);
  };
  for (const auto& [name, argument] : std::vector<std::pair<std::string, std::string>>{{"int", "1"},
                                                                                       {"int", "s"},
                                                                                       {"float", "1.5"},
                                                                                       {"bool", "True"},
                                                                                       {"str", "'text'"},
                                                                                       {"none", "None"},
                                                                                       {"ellipsis", "Ellipsis"},
                                                                                       {"slice", "slice(0, 1, None)"},
                                                                                       {"tuple", "(x,)"},
                                                                                       {"list", "[x]"},
                                                                                       {"dict", "{'a': x}"},
                                                                                       {"dtype", "torch.float32"},
                                                                                       {"number", "1"},
                                                                                       {"number", "1.5"},
                                                                                       {"number", "True"},
                                                                                       {"number", "s"},
                                                                                       {"number", "(1+2j)"},
                                                                                       {"node", "x"},
                                                                                       {"node", "t"},
                                                                                       {"Tensor", "t"},
                                                                                       {"Tensor[bool]", "b"},
                                                                                       {"Tensor[int]", "i"}})
    kind(name, argument, true);
  for (const auto& [name, argument] : std::vector<std::pair<std::string, std::string>>{
           {"int", "True"}, {"int", "1.0"},  {"int", "t"},          {"float", "1"},        {"bool", "1"},
           {"str", "1"},    {"none", "0"},   {"slice", "(x,)"},     {"tuple", "[x]"},      {"list", "(x,)"},
           {"dict", "[x]"}, {"number", "t"}, {"number", "None"},    {"node", "1"},         {"Tensor", "1"},
           {"Tensor", "s"}, {"Tensor", "x"}, {"Tensor[bool]", "t"}, {"Tensor[bool]", "i"}, {"Tensor[int]", "b"}})
    kind(name, argument, false);
}

TEST_CASE("a node in a schema's Tensor position is a Tensor even without metadata") {
  check({{"neg(_: Tensor)", "torch.neg(x)", true},
         {"mine.op(_: Tensor)", "mine.op(x)", false},
         {"mul(_: Tensor, _: number)", "torch.mul(x, 2)", true},
         {"mul(_: Tensor, _: number)", "torch.mul(x, y)", false},
         {"full(_, _, device = _: device)", "torch.full([2], 1, device='cpu')", true},
         {"full(_, _, device = _: str)", "torch.full([2], 1, device='cpu')", true}});
}

TEST_CASE("a variable twice is the same node, or an equal literal") {
  check({{"add(a, a)", "torch.add(x, x)", true},
         {"add(a, a)", "torch.add(x, y)", false},
         {"mine.op(a, a)", "mine.op(2, 2)", true},
         {"mine.op(a, a)", "mine.op(2, 2.0)", false},
         {"mine.op(a, a)", "mine.op(1, True)", false},
         {"mine.op(a, a)", "mine.op([x, (1, y)], [x, (1, y)])", true},
         {"mine.op(a, a)", "mine.op([x, (1, y)], [x, (1, x)])", false},
         {"mine.op(a, a)", "mine.op('s', 's')", true},
         {"mine.op(a, [a, _])", "mine.op(x, [x, y])", true}});
}

TEST_CASE("list patterns") {
  check({{"cat([_, _])", "torch.cat([x, y])", true},
         {"cat([_, _])", "torch.cat((x, y))", true},
         {"cat((_, _))", "torch.cat([x, y])", false},
         {"cat((_, _))", "torch.cat((x, y))", true},
         {"cat([_])", "torch.cat([x, y])", false},
         {"cat([_, ..])", "torch.cat([x, y])", true},
         {"cat([_, ..])", "torch.cat([])", false},
         {"cat([.., _, _])", "torch.cat([x])", false},
         {"cat([a, .., a])", "torch.cat([x, y, x])", true},
         {"cat([a, .., a])", "torch.cat([x, y])", false},
         {"cat([])", "torch.cat([])", true},
         {"mine.op([[_], (1, ..)])", "mine.op([[x], (1, 2, 3)])", true}});
}

TEST_CASE("both orders of a commutative op, while the rest is at its default") {
  check({{"add(neg(_), _)", "torch.add(y, n0)", false},
         {"mul(2, _)", "torch.mul(x, 2)", true},
         {"mul(_, 2)", "torch.mul(x, 2)", true},
         {"add(1, _, ..)", "torch.add(x, 1)", true},
         {"add(1, _, ..)", "torch.add(x, 1, alpha=2)", false},
         {"sub(1, _)", "torch.sub(x, 1)", false},
         {"sub~(1, _)", "torch.sub(x, 1)", true},
         {"{add, sub}(1, _)", "torch.add(x, 1)", true},
         {"{add, sub}(1, _)", "torch.sub(x, 1)", false}});
}

TEST_CASE("op sets, any op and modules") {
  check({{"{neg, .abs}(_)", "torch.neg(x)", true},
         {"{neg, .abs}(_)", ".abs(x)", true},
         {"{neg, .abs}(_)", "torch.abs(x)", false},
         {"*(_)", "torch.neg(x)", true},
         {"*(_)", "mine.op(x)", true},
         {"*(_)", "$layers.0(x)", true}});
  CHECK(matches("*(..)", "n = torch.neg(x)") == 1);  // inputs and the output are no calls
}

TEST_CASE("name holes") {
  check({{"<f>_(_, ..)", ".add_(x, y)", true},
         {"<f>_(_, ..)", "torch.ops.aten.add_.Tensor(x, y)", true},
         {"<f>_(_, ..)", "operator.iadd(x, y)", true},
         {"<f>_(_, ..)", ".frob_(x)", true},
         {"<f>_(_, ..)", ".frob__(x)", false},
         {"<f>_(_, ..)", ".__frob_(x)", false},
         {"<f>_(_, ..)", "mine.frob_(x)", false},
         {"<f>_(_, ..)", "torch.add(x, y)", false},
         {"<f>_(_, ..)", "operator.and_(x, y)", false},
         {"<f>(_)", "torch.neg(x)", true},
         {"<f>(_)", "mine.op(x)", false},
         {"aten.<f>.default(_)", "torch.ops.aten.neg.default(x)", true},
         {"aten.<f>.<o>(_, _)", "torch.ops.aten.add.Tensor(x, y)", true},
         {"aten.<f>.default(_)", "torch.neg(x)", false},
         {"_foreach_<f>_(_, ..)", "torch._foreach_neg_([x])", true},
         {"_foreach_<f>_(_, ..)", "torch._foreach_neg([x])", false}});
}

TEST_CASE("a hole restricted to a set") {
  const std::string sets = "set Units = { neg, abs }\nphase one once\n";
  const auto hits = [&](const std::string& pattern, const std::string& call) {
    return applied(sets + pattern + " => note \"{f}\"\n", "x = placeholder\nn = " + call + "\nreturn (n,)")
        .report.notes;
  };
  REQUIRE(hits("<f: Units>(_)", "torch.neg(x)").size() == 1);
  CHECK(hits("<f: Units>(_)", "torch.neg(x)")[0].text == "neg");
  CHECK(hits("<f: Units>(_)", "torch.exp(x)").empty());
  CHECK(hits("<f: Units>_(_)", ".neg_(x)").at(0).text == "neg");
  CHECK(hits("<f: Units>_(_)", ".exp_(x)").empty());
}

TEST_CASE("patterns reach into operands") {
  CHECK(matches("neg(neg(_))", "a = torch.neg(x)\nn = torch.neg(a)") == 1);
  CHECK(matches("neg(neg(_))", "a = torch.neg(x)\nn = torch.abs(a)") == 0);
  CHECK(matches("split(_, 2)[1]", "a = torch.split(x, 2)\nn = operator.getitem(a, 1)") == 1);
  CHECK(matches("split(_, 2)[1]", "a = torch.split(x, 2)\nn = operator.getitem(a, 0)") == 0);
  CHECK(matches("add(neg(_), _)", "a = torch.neg(x)\nn = torch.add(y, a)") == 1);
}
