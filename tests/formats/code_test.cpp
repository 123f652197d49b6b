// Generated code that torch prints: the same bytes out, and the graph that its text IR shows in between.
#include <fmt/format.h>

#include "tests/formats/support.hpp"

using namespace fxrules;
using namespace fxrules::testing;

namespace {

// A function whose body is given, between two inputs and an output.
std::string function_with(const std::string& body, const std::string& result = "call") {
  return "def forward(self, x, y):\n    " + body + "\n    return " + result + "\n";
}

// The text IR line of `call`, for a statement that must come back as it is.
std::string line_of(const std::string& statement) {
  const std::string text = function_with(statement);
  const GraphFile file = read(text);
  CHECK(to_text(file) == text);
  const NodeId call = file.graph.find("call");
  REQUIRE(call.valid());
  const std::string line = format_node(file.graph, call);
  return line.substr(line.find("] = ") + 4);
}

std::string kind_of(const std::string& argument) {
  const std::string text = function_with("call = torch.f(x, " + argument + ", kw = " + argument + ");  x = None");
  const GraphFile file = read(text);
  INFO(to_text(file));
  CHECK(to_text(file).find("torch.f(x, " + argument + ", kw = " + argument + ")") != std::string::npos);
  const NodeId call = file.graph.find("call");
  return std::string(to_string(file.graph[file.graph.argument(call, 1)].kind));
}

}  // namespace

TEST_CASE("code of torch comes back byte for byte", "[formats]") {
  struct Case {
    const char* path;
    std::size_t nodes, nested;
  };
  for (const Case& c :
       {Case{"graphs/904_code_zoo_args_214.txt", 126, 0}, Case{"graphs/908_readable_dynamo_kv_214.txt", 21, 0},
        Case{"graphs/915_readable_dynamo_cond_214.txt", 10, 2},
        Case{"graphs/917_code_dynamo_collectives_214.txt", 10, 0},
        Case{"graphs/923_readable_makefx_symbolic_214.txt", 9, 0},
        Case{"graphs/927_debugdir_fx_graph_readable_214.txt", 39, 0}}) {
    INFO(c.path);
    const std::string text = file_text(c.path);
    const GraphFile file = read_graph(source_of(text));
    INFO(render(file.diagnostics));
    CHECK(file.form == GraphForm::code);
    CHECK(file.diagnostics.empty());
    CHECK(verify(file.graph).empty());
    CHECK(file.graph.size() == c.nodes);
    CHECK(file.graph.subgraphs().size() == c.nested);
    CHECK((to_text(file) == text));
  }
}

TEST_CASE("code and text IR of a graph are the same graph", "[formats]") {
  const auto without_types = [](std::string text) {
    for (std::size_t at = text.find(" : "); at != std::string::npos; at = text.find(" : ", at + 3))
      text.erase(at + 3, std::min(text.find("[num_users=", at), text.find('\n', at)) - at - 3);
    while (text.ends_with('\n')) text.pop_back();
    return text;
  };
  const std::string code = to_text(read(file_text("graphs/908_readable_dynamo_kv_214.txt")).graph);
  CHECK(without_types(code) == without_types(file_text("graphs/907_textir_dynamo_kv_214.txt")));
  // Only an import tells what `__main___ident` is, and types are printed in another way.
  std::string zoo = to_text(read(file_text("graphs/904_code_zoo_args_214.txt")).graph);
  zoo.replace(zoo.find("__main___ident"), 14, "__main__.ident");
  CHECK(without_types(zoo) == without_types(file_text("graphs/903_textir_zoo_args_214.txt")));
}

TEST_CASE("statements of code become nodes", "[formats]") {
  CHECK(line_of("call = x + y;  x = y = None") == "call_function[target=operator.add](args = (%x, %y), kwargs = {})");
  CHECK(line_of("call = x // 2;  x = None") == "call_function[target=operator.floordiv](args = (%x, 2), kwargs = {})");
  CHECK(line_of("call = x ** -2;  x = None") == "call_function[target=operator.pow](args = (%x, -2), kwargs = {})");
  CHECK(line_of("call = 1 / x;  x = None") == "call_function[target=operator.truediv](args = (1, %x), kwargs = {})");
  CHECK(line_of("call = -5 - x;  x = None") == "call_function[target=operator.sub](args = (-5, %x), kwargs = {})");
  CHECK(line_of("call = -5") == "call_function[target=operator.neg](args = (5,), kwargs = {})");
  CHECK(line_of("call = -x;  x = None") == "call_function[target=operator.neg](args = (%x,), kwargs = {})");
  CHECK(line_of("call = ~x;  x = None") == "call_function[target=operator.invert](args = (%x,), kwargs = {})");
  CHECK(line_of("call = x >= y;  x = y = None") == "call_function[target=operator.ge](args = (%x, %y), kwargs = {})");
  CHECK(line_of("call = x[0];  x = None") == "call_function[target=operator.getitem](args = (%x, 0), kwargs = {})");
  CHECK(line_of("call = x['a b'];  x = None") ==
        "call_function[target=operator.getitem](args = (%x, a b), kwargs = {})");
  CHECK(line_of("x[(slice(None, None, None), 0)] = y;  call = x;  x = y = None") ==
        "call_function[target=operator.setitem](args = (%x, (slice(None, None, None), 0), %y), kwargs = {})");
  CHECK(line_of("x += y;  call = x;  x = y = None") ==
        "call_function[target=operator.iadd](args = (%x, %y), kwargs = {})");
  CHECK(line_of("call = x.shape;  x = None") ==
        "call_function[target=builtins.getattr](args = (%x, shape), kwargs = {})");
  CHECK(line_of("call = getattr(x, 'weird name');  x = None") ==
        "call_function[target=builtins.getattr](args = (%x, weird name), kwargs = {})");
  CHECK(line_of("call = x.add_(y, alpha = 2);  x = y = None") ==
        "call_method[target=add_](args = (%x, %y), kwargs = {alpha: 2})");
  CHECK(line_of("call = ', '.join(x);  x = None") == "call_method[target=join](args = (, , %x), kwargs = {})");
  CHECK(line_of("call = self.a.lin(x);  x = None") == "call_module[target=a.lin](args = (%x,), kwargs = {})");
  CHECK(line_of("call = getattr(self.layers, \"0\").conv(x);  x = None") ==
        "call_module[target=layers.0.conv](args = (%x,), kwargs = {})");
  CHECK(line_of("call = getattr(getattr(self, \"0\"), \"n@1\").bias") == "get_attr[target=0.n@1.bias]");
  CHECK(line_of("call = self.w") == "get_attr[target=w]");
  CHECK(line_of("call = torch.ops.aten.add.Tensor(x, y);  x = y = None") ==
        "call_function[target=torch.ops.aten.add.Tensor](args = (%x, %y), kwargs = {})");
  CHECK(line_of("call = _operator_not_(x);  x = None") ==
        "call_function[target=operator.not_](args = (%x,), kwargs = {})");
  CHECK(line_of("call = math_sqrt(2)") == "call_function[target=math.sqrt](args = (2,), kwargs = {})");
  CHECK(line_of("call = torch_Tensor_add_(x, y);  x = y = None") ==
        "call_function[target=torch.Tensor.add_](args = (%x, %y), kwargs = {})");
  CHECK(line_of("call = len(x);  x = None") == "call_function[target=builtins.len](args = (%x,), kwargs = {})");
  CHECK(line_of("call = mypkg_ops_fused(x);  x = None") ==
        "call_function[target=mypkg_ops_fused](args = (%x,), kwargs = {})");
  CHECK(line_of("call = _operator_add(2*s0, x);  x = None") ==
        "call_function[target=operator.add](args = (2*s0, %x), kwargs = {})");
}

TEST_CASE("values of code get their kinds", "[formats]") {
  for (const char* text : {"5", "-7", "9223372036854775807"}) CHECK(kind_of(text) == "int");
  for (const char* text : {"1.5", "1e-05", "1e+20", "inf", "-inf", "nan", "-0.0"}) CHECK(kind_of(text) == "float");
  for (const char* text : {"(1+2j)", "complex(0.0, 2.0)", "complex(-0.0, 1.5)"}) CHECK(kind_of(text) == "complex");
  for (const char* text : {"'mean'", "\"it's\"", "'a\\nb\"c'", "''", "'# no comment;  x = None'", "'cpu'"})
    CHECK(kind_of(text) == "str");
  for (const char* text : {"device(type='cuda', index=0)", "device(type='cpu')"}) CHECK(kind_of(text) == "device");
  for (const char* text : {"s0", "2*s0", "((s72 + 1)//2)", "Min(16384, s1)"}) CHECK(kind_of(text) == "symbolic");
  for (const char* text : {"<class 'int'>", "Kind.A", "torch.Size([1, 2])", "mypkg.Spec(a=1, b=[*, *])", "b'ab'"})
    CHECK(kind_of(text) == "opaque value");
  CHECK(kind_of("torch.float16") == "dtype");
  CHECK(kind_of("torch.strided") == "layout");
  CHECK(kind_of("torch.channels_last") == "memory format");
  CHECK(kind_of("torch.ops.aten.add.Tensor") == "op");
  CHECK(kind_of("Ellipsis") == "Ellipsis");
  for (const char* text : {"()", "(x,)", "(1, (2, ()))", "pkg_NT(1, x)", "pkg_NT(x,)"}) CHECK(kind_of(text) == "tuple");
  for (const char* text : {"[]", "[x, None]"}) CHECK(kind_of(text) == "list");
  for (const char* text : {"{}", "{'a': 1, 'b c': [x]}", "{1: x}"}) CHECK(kind_of(text) == "dict");
  for (const char* text : {"slice(x, y, None)", "slice(None, -1, None)"}) CHECK(kind_of(text) == "slice");
  CHECK(kind_of("range(1, 10, 3)") == "range");
}

TEST_CASE("annotations become metadata", "[formats]") {
  const std::string text =
      "class GraphModule(torch.nn.Module):\n"
      "    def forward(self, s0: \"Sym(s0)\", x: \"f32[1, s0, 8][8*s0, 8, 1]cuda:0\", d: \"DTensor(f32[4], S(0))\", n "
      ": int = 3):\n"
      "        # File: a.py:1 in f, code: y = x.view(Min(1, 2))  # \"unbalanced ( ' [\n"
      "        a: \"bf16[Min(16384, ((s0 + 1)//2)), 2048]\" = x.view(-1);  x = None\n"
      "        b: \"b8[][]cpu\" = a.any()\n"
      "        c: \"Sym(u0 >= 0)\" = s0 >= 0;  s0 = None\n"
      "        d_1 : torch.Tensor = torch.f(d, a, b, c, n);  d = a = b = c = n = None\n"
      "        return (d_1,)\n";
  const GraphFile file = read(text);
  CHECK(to_text(file) == text);
  const Graph& g = file.graph;
  const auto meta = [&](const char* name) { return meta_of(g, name); };
  CHECK(meta("s0") == "Sym(s0)");
  CHECK(meta("x") == "f32[1, s0, 8][8*s0, 8, 1]cuda:0");
  CHECK(meta("d") == "DTensor(f32[4], S(0))");
  CHECK(meta("a") == "bf16[Min(16384, ((s0 + 1)//2)), 2048]");
  CHECK(meta("b") == "b8[][]cpu");
  CHECK(g.metas().tensor_of(g.meta(g.find("x")))->dtype == Dtype::float32);
  CHECK(g.text(g.type(g.find("d_1"))) == "torch.Tensor");
  // Older versions print without quotes.
  const std::string old =
      "def forward(self, arg0_1: f32[4, s0], arg1_1: Sym(s0)):\n    add: f32[4, s0] = torch.add(arg0_1, arg1_1);  "
      "arg0_1 = arg1_1 = None\n    return add\n";
  const GraphFile older = read(old);
  CHECK(to_text(older) == old);
  CHECK(older.graph.metas().text(older.graph.meta(older.graph.find("add"))) == "f32[4, s0]");
  // What the metadata would not be printed as again stays text.
  const std::string odd = "def forward(self, x: \"zz9[4]\"):\n    return x\n";
  CHECK(to_text(read(odd)) == odd);
}

TEST_CASE("what is not torch's layout is read, too", "[formats]") {
  const std::string text =
      "def forward(self, x, y):\n"
      "    call = torch.cat(\n"
      "        [\n"
      "            x,  # the first\n"
      "            y,\n"
      "        ],\n"
      "        dim=-1,\n"
      "    )\n"
      "    x = y = None\n"
      "    big = torch.mul(call, 1e5)\n"
      "    call = None\n"
      "    return big\n";
  const GraphFile file = read(text);
  CHECK(to_text(file) ==
        "def forward(self, x, y):\n    call = torch.cat([x, y], dim = -1);  x = y = None\n    big = torch.mul(call, "
        "100000.0);  call = None\n    return big\n");
}

TEST_CASE("ways to take inputs come back", "[formats]") {
  for (const std::string text : {
           "def forward(self, x, b, y):\n    x: \"f32[3]\"; b: \"b8[3]\"; y: \"f32[]\"; \n\n    x, b, y, = "
           "fx_pytree.tree_flatten_spec(([x, b, y], {}), self._in_spec)\n    add: \"f32[3]\" = x + y;  x = y = None\n  "
           "  "
           "return pytree.tree_unflatten((add, b), self._out_spec)\n",
           "def forward(self, args_list):\n    args_iter = iter(args_list)\n    x = next(args_iter)\n    y = "
           "next(args_iter)\n    args_list.clear()\n    add = x + y;  x = y = None\n    return (add,)\n",
           "def forward(\n    self,\n    x: \"f32[3]\",  # PlainAOTInput(idx=0)\n    y: \"f32[3]\",  # "
           "ParamAOTInput('w')\n):\n    "
           "add: \"f32[3]\" = x + y;  x = y = None\n    return (\n        add,  # PlainAOTOutput(idx=0)\n    )\n",
           "def forward(self, a, b):\n    a_0, b_0, = pytree.tree_leaves((self, a, b,))\n    arg0, arg1, = "
           "self._in_shuffle_graph(a_0, b_0)\n    l_a_ = arg0\n    l_b_ = arg1\n    add = l_a_ + l_b_;  l_a_ = l_b_ = "
           "None\n    return "
           "pytree.tree_unflatten(self._out_shuffle_graph(a_0, b_0, add), self._out_spec)\n",
       }) {
    INFO(text);
    const GraphFile file = read(text);
    CHECK(to_text(file) == text);
    CHECK(file.graph.find("add").valid());
  }
}

TEST_CASE("inputs stand where their second names stand", "[formats]") {
  const std::string text =
      "def forward(self, x, L_y_, *args, **kwargs):\n    w = self.w\n    l_y_ = L_y_\n    args_1 = args\n    b = "
      "self.b\n    kwargs_1 "
      "= kwargs\n    call = torch.f(x, L_y_, args_1, w, b, kwargs_1);  x = l_y_ = args_1 = w = b = kwargs_1 = None\n   "
      " "
      "return call\n";
  const GraphFile file = read(text);
  CHECK(to_text(file.graph) ==
        "graph():\n"
        "    %x : [num_users=1] = placeholder[target=x]\n"
        "    %w : [num_users=1] = get_attr[target=w]\n"
        "    %l_y_ : [num_users=1] = placeholder[target=L_y_]\n"
        "    %args_1 : [num_users=1] = placeholder[target=*args]\n"
        "    %b : [num_users=1] = get_attr[target=b]\n"
        "    %kwargs_1 : [num_users=1] = placeholder[target=**kwargs]\n"
        "    %call : [num_users=1] = call_function[target=torch.f](args = (%x, %l_y_, %args_1, %w, %b, %kwargs_1), "
        "kwargs = {})\n"
        "    return call\n");
}

TEST_CASE("text around code is kept", "[formats]") {
  const std::string repro =
      "import torch\nfrom mypkg.ops import fused as mypkg_ops_fused\n\nclass Repro(torch.nn.Module):\n    def "
      "__init__(self) -> None:\n        super().__init__()\n        self.w = torch.nn.Parameter(torch.randn(4))\n\n    "
      "def "
      "forward(self, arg0_1):\n        w = self.w\n        fused = mypkg_ops_fused(arg0_1, w);  arg0_1 = w = None\n    "
      "    "
      "return (fused,)\n\ndef load_args(reader):\n    reader.tensor(None, (4,))  # arg0_1\n";
  const GraphFile file = read(repro);
  CHECK(to_text(file) == repro);
  CHECK(file.graph.target(file.graph.find("fused")) == "mypkg.ops.fused");
  CHECK(file.before.ends_with("randn(4))\n\n"));
}

TEST_CASE("a repro script says what its inputs look like", "[formats]") {
  const std::string text =
      "class Repro(torch.nn.Module):\n    def forward(self, s0, a, b, c, d, e, f):\n        return (s0, a, b, c, d, e, "
      "f)\ndef load_args(reader):\n"
      "    reader.symint(3, expr='s27')  # s0\n"
      "    buf0 = reader.storage(None, 64*s27, device=device(type='cuda', index=1), dtype_hint=torch.bfloat16)\n"
      "    reader.tensor(buf0, (4, s27, 8), dtype=torch.bfloat16, is_leaf=True)  # a\n"
      "    reader.tensor(buf0, (8, 4), (1, 8), dtype=torch.bfloat16, storage_offset=3)  # b\n"
      "    buf1 = reader.storage('hash,(', 4)\n"
      "    reader.tensor(buf1, (), is_leaf=True)  # c\n"
      "    reader.tensor(None, (2,), dtype=torch.int64)  # d\n"
      "    reader.tensor(None, what)  # e\n"
      "    reader.const('f')  # f, filtered out during compilation\n"
      "load_args._version = 0\n"
      "    reader.tensor(None, (9,))  # e\n";
  const GraphFile file = read(text);
  CHECK(to_text(file) == text);
  const auto meta = [&](const char* name) { return meta_of(file.graph, name); };
  CHECK(meta("s0") == "Sym(s27)");
  CHECK(meta("a") == "bf16[4, s27, 8][8*s27, 8, 1]cuda:1");
  CHECK(meta("b") == "bf16[8, 4][1, 8]cuda:1");
  CHECK(meta("c") == "f32[][]cpu");
  CHECK(meta("d") == "i64[2][1]cpu");
  CHECK(meta("e") == "?");
  CHECK(meta("f") == "?");
  CHECK(file.shared_inputs == std::vector<std::pair<std::string, std::string>>{{"a", "b"}});
}

TEST_CASE("nested graphs of older versions are found by their place", "[formats]") {
  const std::string text =
      "class GraphModule(torch.nn.Module):\n    def forward(self, x):\n        true_graph_0 = self.true_graph_0\n      "
      "  "
      "cond = torch.ops.higher_order.cond(x, true_graph_0);  x = true_graph_0 = None\n        return cond\n\n    class "
      "<lambda>(torch.nn.Module):\n        def forward(self, y):\n            neg = -y;  y = None\n            return "
      "neg\n";
  const GraphFile file = read(text);
  CHECK(to_text(file) == text);
  REQUIRE(file.graph.subgraphs().size() == 1);
  CHECK(file.graph.text(file.graph.subgraphs()[0].path) == "true_graph_0");
  REQUIRE(file.diagnostics.size() == 1);
  CHECK(file.diagnostics[0].kind == "nested-name");
}

TEST_CASE("freed values are written as they were read", "[formats]") {
  for (const std::string text :
       {"def forward(self, x):\n    a = torch.f(x)\n    b = torch.g(a)\n    return b\n",             // none
        "def forward(self, x):\n    a = torch.f(x);  x = None\n    b = torch.g(a)\n    return a\n",  // 1.13
        "def forward(self, x):\n    a = torch.f(x);  x = None\n    b = torch.g(a);  b = None\n    return a\n"}) {
    INFO(text);
    CHECK(to_text(read(text)) == text);
  }
}

TEST_CASE("a printed program keeps its signature, with the names that its outputs have now", "[formats]") {
  for (const std::string signature :
       {"Graph signature: \n    # inputs\n    x: USER_INPUT\n    \n    # outputs\n    neg: BUFFER_MUTATION "
        "target='k'\n    abs_1: "
        "USER_OUTPUT\n    \nRange constraints: {s0: VR[0, 16]}\n",
        "Graph signature: ExportGraphSignature(input_specs=[InputSpec(kind=<InputKind.USER_INPUT: 1>, "
        "arg=TensorArgument(name='x'))], output_specs=[OutputSpec(kind=<OutputKind.BUFFER_MUTATION: 3>, "
        "arg=TensorArgument(name='neg'), target='k'), OutputSpec(kind=<OutputKind.USER_OUTPUT: 1>, "
        "arg=TensorArgument(name='abs_1'), target=None)])\nRange constraints: {}\n"}) {
    const std::string text =
        "ExportedProgram:\n    class GraphModule(torch.nn.Module):\n        def forward(self, x: \"f32[s0]\"):\n       "
        "     neg: "
        "\"f32[s0]\" = torch.ops.aten.neg.default(x)\n            abs_1: \"f32[s0]\" = torch.ops.aten.abs.default(x);  "
        "x = "
        "None\n            return (neg, abs_1)\n            \n" +
        signature;
    GraphFile file = read(text);
    CHECK(file.form == GraphForm::exported_program);
    CHECK(to_text(file) == text);
    file.graph.rename(file.graph.find("abs_1"), file.graph.symbols().intern("other"));
    std::string renamed = text;
    for (std::size_t at = renamed.find("abs_1"); at != std::string::npos; at = renamed.find("abs_1", at))
      renamed.replace(at, 5, "other");
    CHECK(to_text(file) == renamed);
  }
}
