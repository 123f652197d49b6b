#include "cli/test_graph.hpp"

#include <cstdlib>

#include "dsl/ast.hpp"
#include "fxrules/formats.hpp"
#include "tests/support/catch.hpp"

using namespace fxrules;
using namespace fxrules::cli;

namespace {

std::shared_ptr<Catalogue> catalogue() {
  static const std::shared_ptr<Catalogue> loaded = Catalogue::load(FXRULES_SHARE_DIR);
  return loaded;
}

TestGraphResult build(const std::string& statements) {
  const dsl::ParseResult parsed = dsl::parse(
      std::make_shared<Source>(Source{"t.rules", "test \"t\" {\n  before {\n    " + statements + " }\n}\n"}));
  INFO(render(parsed.diagnostics));
  REQUIRE_FALSE(has_errors(parsed.diagnostics));
  return build_test_graph(parsed.ast, parsed.ast.tests.at(0), parsed.ast.tests[0].before, catalogue());
}

// The node lines, without header and blanks around them.
std::string lines(const std::string& statements) {
  TestGraphResult built = build(statements);
  INFO(render(built.diagnostics));
  REQUIRE(built.diagnostics.empty());
  REQUIRE(verify(built.graph).empty());
  std::string text;
  for (const NodeId n : built.graph.nodes()) text += format_node(built.graph, n) + "\n";
  return text;
}

// The last line but `return`.
std::string call(const std::string& statement) {
  const std::string text = lines("x = placeholder   y = placeholder   r = " + statement + "   return r");
  const std::size_t end = text.rfind('\n', text.size() - 2);
  const std::size_t begin = text.rfind('\n', end - 1);
  const std::string line = text.substr(begin + 1, end - begin - 1);
  return line.substr(line.find("= ") + 2);
}

std::string errors(const std::string& statements) { return render(build(statements).diagnostics); }

}  // namespace

TEST_CASE("inputs, buffers and the output") {
  CHECK(lines("x = placeholder  b = buffer  return x, b") ==
        "%x : [num_users=1] = placeholder[target=x]\n"
        "%b : [num_users=1] = placeholder[target=b]\n"
        "return (x, b)\n");
  CHECK(lines("x = placeholder  return x") == "%x : [num_users=1] = placeholder[target=x]\nreturn x\n");
  CHECK(lines("x = placeholder  return (x, [x, 1])") ==
        "%x : [num_users=1] = placeholder[target=x]\nreturn (x, [x, 1])\n");
}

TEST_CASE("an op without a dot is spelled as Dynamo would have it") {
  CHECK(call("neg(x)") == "call_function[target=torch.neg](args = (%x,), kwargs = {})");
  CHECK(call("expand_as(x, y)") == "call_method[target=expand_as](args = (%x, %y), kwargs = {})");
  CHECK(call("add_(x, y)") == "call_method[target=add_](args = (%x, %y), kwargs = {})");
  CHECK(call("setitem(x, 0, 1.5)") == "call_function[target=operator.setitem](args = (%x, 0, 1.5), kwargs = {})");
}

TEST_CASE("an op that only aten has takes the overload of its arguments") {
  CHECK(call("copy(x, y)") == "call_function[target=torch.ops.aten.copy.default](args = (%x, %y), kwargs = {})");
  CHECK(call("copy(x, y, non_blocking = True)") ==
        "call_function[target=torch.ops.aten.copy.default](args = (%x, %y), kwargs = {non_blocking: True})");
}

TEST_CASE("dotted ops stand as they are written") {
  CHECK(call("torch.add(x, y, alpha = 2)") == "call_function[target=torch.add](args = (%x, %y), kwargs = {alpha: 2})");
  CHECK(call(".add(x, y)") == "call_method[target=add](args = (%x, %y), kwargs = {})");
  CHECK(call("x.add(y)") == "call_method[target=add](args = (%x, %y), kwargs = {})");
  CHECK(call("aten.add.Tensor(x, y)") ==
        "call_function[target=torch.ops.aten.add.Tensor](args = (%x, %y), kwargs = {})");
  CHECK(call("aten.add(x, y)") == "call_function[target=torch.ops.aten.add](args = (%x, %y), kwargs = {})");
  CHECK(call("operator.and_(x, y)") == "call_function[target=operator.and_](args = (%x, %y), kwargs = {})");
  CHECK(call("fused.linear_relu(x)") == "call_function[target=fused.linear_relu](args = (%x,), kwargs = {})");
}

TEST_CASE("which ops were spelled out is known") {
  const TestGraphResult built = build("x = placeholder  a = neg(x)  b = .neg(a)  c = torch.neg(b)  d = c[0]  return d");
  CHECK(built.exact == std::unordered_set<std::string>{"b", "c"});
}

TEST_CASE("arguments of every kind") {
  CHECK(call("f.f(1, -2, 2.5, inf, True, None, Ellipsis, \"s\", torch.float32, torch.strided, torch.channels_last, "
             "1+2j)") ==
        "call_function[target=f.f](args = (1, -2, 2.5, inf, True, None, Ellipsis, s, torch.float32, torch.strided, "
        "torch.channels_last, (1+2j)), kwargs = {})");
  CHECK(
      call("f.f([x, (y, [1])], (), 2:5, ::2)") ==
      "call_function[target=f.f](args = ([%x, (%y, [1])], (), slice(2, 5, None), slice(None, None, 2)), kwargs = {})");
  CHECK(call("f.f(torch.device(\"cpu\"), torch.device(\"cuda\", 1))") ==
        "call_function[target=f.f](args = (cpu, cuda:1), kwargs = {})");
  CHECK(call("f.f(9223372036854775807, -9223372036854775808)") ==
        "call_function[target=f.f](args = (9223372036854775807, -9223372036854775808), kwargs = {})");
}

TEST_CASE("brackets are getitem") {
  CHECK(call("x[0]") == "call_function[target=operator.getitem](args = (%x, 0), kwargs = {})");
  CHECK(call("x[1:2, None, y]") ==
        "call_function[target=operator.getitem](args = (%x, (slice(1, 2, None), None, %y)), kwargs = {})");
}

TEST_CASE("calls inside of calls are nodes of their own") {
  CHECK(lines("x = placeholder  r = relu(add(x, x[0]))  return neg(r)") ==
        "%x : [num_users=2] = placeholder[target=x]\n"
        "%getitem : [num_users=1] = call_function[target=operator.getitem](args = (%x, 0), kwargs = {})\n"
        "%add : [num_users=1] = call_function[target=torch.add](args = (%x, %getitem), kwargs = {})\n"
        "%r : [num_users=1] = call_function[target=torch.relu](args = (%add,), kwargs = {})\n"
        "%neg : [num_users=1] = call_function[target=torch.neg](args = (%r,), kwargs = {})\n"
        "return neg\n");
}

TEST_CASE("stored tensors and modules") {
  CHECK(call("get_attr(\"a.b\")") == "get_attr[target=a.b]");
  CHECK(call("call_module(\"layer.0\", x, scale = 2)") ==
        "call_module[target=layer.0](args = (%x,), kwargs = {scale: 2})");
}

TEST_CASE("a signature entry stands for its value") {
  CHECK(lines("x = placeholder  y = neg(x)  return writeback(x, y), y") ==
        "%x : [num_users=1] = placeholder[target=x]\n"
        "%y : [num_users=1] = call_function[target=torch.neg](args = (%x,), kwargs = {})\n"
        "return (y, y)\n");
}

TEST_CASE("metadata") {
  const TestGraphResult built =
      build("x = placeholder : f32[4,8] strides=(16,1) device=cpu   y = neg(x) : f32[4,8]   return y");
  REQUIRE(built.diagnostics.empty());
  const Graph& graph = built.graph;
  CHECK(graph.metas().text(graph.meta(graph.find("x"))) == "f32[4, 8][16, 1]cpu");
  CHECK(graph.metas().text(graph.meta(graph.find("y"))) == "f32[4, 8]");
}

TEST_CASE("a nested graph is a value") {
  const TestGraphResult built = build(
      "p = placeholder  x = placeholder  graph body { a = placeholder  b = .neg(a)  return b }  "
      "r = my.cond(p, body, (x,))  return r");
  INFO(render(built.diagnostics));
  REQUIRE(built.diagnostics.empty());
  CHECK(verify(built.graph).empty());
  REQUIRE(built.graph.subgraphs().size() == 1);
  CHECK(to_text(*built.graph.subgraphs()[0].graph) ==
        "graph():\n"
        "    %a : [num_users=1] = placeholder[target=a]\n"
        "    %b : [num_users=1] = call_method[target=neg](args = (%a,), kwargs = {})\n"
        "    return b\n");
  CHECK(format_node(built.graph, built.graph.find("r")).find("args = (%p, %body, (%x,))") != std::string::npos);
  CHECK(built.exact == std::unordered_set<std::string>{"body/b", "r"});
}

TEST_CASE("names of ops and of nodes do not collide") {
  CHECK(lines("x = placeholder  r = relu(add(x, 1))  add = neg(r)  return add").find("return add_1") !=
        std::string::npos);
}

TEST_CASE("errors have their place and a hint, once") {
  CHECK(errors("x = placeholder  y = nge(x)  z = neg(y)  return z, q") ==
        "t.rules:3:26: error: no op is called `nge` [unknown-op]\n"
        "  3 |     x = placeholder  y = nge(x)  z = neg(y)  return z, q }\n"
        "    |                          ^~~\n"
        "hint: did you mean `ge`?\n"
        "t.rules:3:56: error: no node is called `q` here [unknown-name]\n"
        "  3 |     x = placeholder  y = nge(x)  z = neg(y)  return z, q }\n"
        "    |                                                        ^\n"
        "hint: did you mean `x`?\n");
}

TEST_CASE("each kind of error") {
  const auto first = [](const std::string& statements) {
    const TestGraphResult built = build(statements);
    return built.diagnostics.empty() ? std::string("none")
                                     : built.diagnostics[0].message + " [" + built.diagnostics[0].kind + "]";
  };
  CHECK(first("x = placeholder  y = neg(z)  return y") == "no node is called `z` here [unknown-name]");
  CHECK(first("x = placeholder  x = placeholder  return x") == "`x` is defined twice [duplicate-name]");
  CHECK(first("x = placeholder  x = neg(x)  return x") == "`x` is defined twice [duplicate-name]");
  CHECK(first("x = placeholder  y = neg(x)") == "this graph returns nothing [no-return]");
  CHECK(first("x = placeholder  return x  y = neg(x)") == "nothing can stand behind `return` [after-return]");
  CHECK(first("x = placeholder : f33[2]  return x") == "this is no metadata [metadata]");
  CHECK(first("x = placeholder  y = {add, sub}(x)  return y") == "`{add, sub}` names no single op [no-op]");
  CHECK(first("x = placeholder  y = add(x, alpha = 1, x)  return y") ==
        "a positional argument stands behind a keyword argument [argument-order]");
  CHECK(first("x = placeholder  y = get_attr(x)  return y") == "`get_attr` needs a path [no-path]");
}
