// Text IR that torch prints: same bytes out, and the right arguments in between.
#include <fmt/format.h>

#include "tests/formats/support.hpp"

using namespace fxrules;
using namespace fxrules::testing;

namespace {

std::string kinds_of(const Graph& graph, NodeId node) {
  std::string out;
  for (const Slot& slot : graph.slots(node)) out += (out.empty() ? "" : " ") + std::string(to_string(slot.kind));
  return out;
}

// The kind of the only argument of `torch.f`, which must come back as the same text.
std::string kind_of(const std::string& argument) {
  const GraphFile file = read(call_with("%x, " + argument, "kw: " + argument));
  const std::string text =
      call_with("%x, " + argument, "kw: " + argument, 1, static_cast<int>(file.graph.user_count(file.graph.find("y"))));
  CHECK(to_text(file) == text);
  const NodeId call = file.graph.find("call");
  REQUIRE(file.graph.argument_count(call) == 3);
  return std::string(to_string(file.graph[file.graph.argument(call, 1)].kind));
}

std::string returned(const std::string& value) {
  const std::string text = "graph():\n    %x : [num_users=1] = placeholder[target=x]\n    return " + value;
  const GraphFile file = read(text);
  std::string same = text;
  same.replace(same.find("=1]"), 3, fmt::format("={}]", file.graph.user_count(file.graph.find("x"))));
  CHECK(to_text(file) == same);
  return kinds_of(file.graph, file.graph.output());
}

std::string returned_problem(const std::string& value) {
  const GraphFile file =
      read_graph(source_of("graph():\n    %x : [num_users=1] = placeholder[target=x]\n    return " + value));
  return file.diagnostics.empty() ? "" : file.diagnostics[0].kind;
}

}  // namespace

TEST_CASE("graphs of several forms in one file", "[formats]") {
  const GraphFiles files = read_graphs(source_of(file_text("graphs/906_mixed_symbolic_trace_all_forms_214.txt")));
  std::vector<GraphForm> forms;
  for (const GraphFile& file : files.graphs) forms.push_back(file.form);
  using enum GraphForm;
  CHECK(forms == std::vector{text_ir, code, code, code, tabular, code, code, code});
  CHECK(files.graphs[5].graph.subgraphs().size() == 1);
  // In front of text IR, too; what is wrong in a part has its place in the whole.
  const std::string text =
      "a remark\ndef forward(self, x):\n    relu = torch.relu(y)\n    return relu\n\n" + call_with("%x");
  const GraphFiles two = read_graphs(source_of(text));
  REQUIRE(two.graphs.size() == 2);
  REQUIRE(two.graphs[0].diagnostics.size() == 1);
  CHECK(two.graphs[0].diagnostics[0].kind == "unknown-node");
  CHECK(text.substr(two.graphs[0].diagnostics[0].span.begin, 1) == "y");
  std::string whole;
  for (const GraphFile& file : two.graphs)
    whole += file.before + text.substr(file.place.begin, file.place.end - file.place.begin) + file.after;
  CHECK(whole == text);
  CHECK(read_graph(source_of(text)).form == code);
}

TEST_CASE("files of torch come back byte for byte", "[formats]") {
  struct Case {
    const char* path;
    std::size_t graphs, nodes;
  };
  for (const Case& c :
       {Case{"graphs/903_textir_zoo_args_214.txt", 1, 126}, Case{"graphs/907_textir_dynamo_kv_214.txt", 1, 21},
        Case{"graphs/912_textir_dynamo_misc_214.txt", 1, 25}, Case{"graphs/914_textir_dynamo_vmap_214.txt", 1, 25},
        Case{"graphs/934_textir_export_while_cond_214.txt", 4, 34},
        Case{"graphs/906_mixed_symbolic_trace_all_forms_214.txt", 8, 112}, Case{"demo/decode_step.txt", 1, 164},
        Case{"demo/exported_kv_cache.meta.txt", 1, 190}}) {
    INFO(c.path);
    const std::string text = file_text(c.path);
    const GraphFiles files = read_graphs(source_of(text));
    REQUIRE(files.ok());
    CHECK(files.graphs.size() == c.graphs);
    std::size_t nodes = 0;
    std::string out;
    for (const GraphFile& file : files.graphs) {
      INFO(render(file.diagnostics));
      CHECK(file.diagnostics.empty());
      CHECK(verify(file.graph).empty());
      nodes += file.graph.size();
      // A table is written as text IR: it stands for itself here.
      const bool table = file.form == GraphForm::tabular;
      out += table ? file.before + text.substr(file.place.begin, file.place.end - file.place.begin) + file.after
                   : to_text(file);
    }
    CHECK(nodes == c.nodes);
    CHECK(out == text);
    // The first graph alone: the others stay text.
    CHECK(to_text(read_graph(source_of(text))) == text);
  }
}

TEST_CASE("arguments get their kinds and come back as text", "[formats]") {
  CHECK(kind_of("5") == "int");
  CHECK(kind_of("-7") == "int");
  CHECK(kind_of("9223372036854775807") == "int");
  CHECK(kind_of("-9223372036854775808") == "int");
  CHECK(kind_of("9223372036854775808") == "opaque value");
  for (const char* text : {"1.5", "1e-05", "1e+20", "2.0", "-0.0", "inf", "-inf", "nan"})
    CHECK(kind_of(text) == "float");
  for (const char* text : {"1e5", "0x10", "1_000", "007", "-0", "1.50", "--1", "1.", "3d"})
    CHECK(kind_of(text) == "bare text");
  for (const char* text : {"(1+2j)", "2j", "1j", "(-0-1.5j)"}) CHECK(kind_of(text) == "complex");
  for (const char* text : {"True", "False"}) CHECK(kind_of(text) == "bool");
  CHECK(kind_of("None") == "None");
  CHECK(kind_of("Ellipsis") == "Ellipsis");
  for (const char* text : {"torch.float16", "torch.bool", "torch.qint8"}) CHECK(kind_of(text) == "dtype");
  for (const char* text : {"torch.strided", "torch.sparse_coo"}) CHECK(kind_of(text) == "layout");
  for (const char* text : {"torch.channels_last", "torch.contiguous_format", "torch.preserve_format"})
    CHECK(kind_of(text) == "memory format");
  for (const char* text : {"mean",
                           "it's",
                           "",
                           "cpu",
                           "cuda:0",
                           "meta",
                           "s0",
                           "2*s0",
                           "((s72 + 1)//2)",
                           "Min(16384, s1)",
                           "weird name",
                           "ij,kj->ik",
                           "torch.func.{grad, vjp} don't",
                           "a\nb\"c",
                           "%",
                           "%-x",
                           "100%",
                           "50 %x",
                           "a: b",
                           "(abc)",
                           "[INFO] ready",
                           "{a}",
                           "{a, b}",
                           "slice(1, 2)",
                           "slice",
                           "slices(1, 2, 3)",
                           "range()",
                           "x(y)[z]",
                           "torch.nn",
                           "%x.shape",
                           "[%x]!",
                           "(%x, %y) mismatch",
                           "-nan",
                           "Runtime assertion failed for expression u0 >= 0 on node 'ge_1'",
                           "aten",
                           "aten.",
                           "gr\xc3\xbc\xc3\x9f",
                           "\x01\xff"})
    CHECK(kind_of(text) == "bare text");
  CHECK(kind_of("aten.add.Tensor") == "op");
  for (const char* text : {"<class 'int'>", "<Enum.A: 1>"}) CHECK(kind_of(text) == "opaque value");
  for (const char* text : {"()", "(1,)", "(1, 2)", "(,)", "(, )", "((((1,),),),)", "(a, b,c)", "((1+2j),)"})
    CHECK(kind_of(text) == "tuple");
  for (const char* text : {"[]", "[1, 2.5, None]", "[[], [[]]]", "[a,]", "[, ]"}) CHECK(kind_of(text) == "list");
  for (const char* text : {"{}", "{a: 1, b c: 2}", "{k: [%x, None]}", "{: }", "{(1, 2): x}", "{a: {b: {}}}"})
    CHECK(kind_of(text) == "dict");
  for (const char* text : {"slice(None, None, None)", "slice(1, None, 2)", "slice(x, y, None)",
                           "slice((x, 'a, b)', [1]), {'k': y}, 'it\\'s \"')"})
    CHECK(kind_of(text) == "slice");
  for (const char* text : {"range(0, 4)", "range(1, 10, 3)", "range(4)", "range(x, y)"})
    CHECK(kind_of(text) == "range");
}

TEST_CASE("nodes are found wherever they stand", "[formats]") {
  const GraphFile file =
      read(call_with("%x, [(1, {k: [%y, None]})], slice(x, (y,), None)", "out: %y, r: range(x, y)", 1, 1));
  const Graph& g = file.graph;
  CHECK(g.user_count(g.find("x")) == 1);
  std::size_t uses = 0;
  for (SlotId use = g.first_use(g.find("y")); use.valid(); use = g.next_use(use)) ++uses;
  CHECK(uses == 4);
  CHECK(format_node(g, g.find("call")) ==
        "%call : [num_users=1] = call_function[target=torch.f](args = (%x, [(1, {k: [%y, None]})], slice(x, (y,), "
        "None)), kwargs = {out: %y, r: range(x, y)})");
  CHECK(format_argument(g, g.argument(g.find("call"), 1)) == "[(1, {k: [%y, None]})]");
  CHECK(format_argument(g, g.argument(g.find("call"), 1), true) == "[(1, {'k': [y, None]})]");
}

TEST_CASE("strings may hold brackets without a partner", "[formats]") {
  for (const char* text : {"a) b", ":-)", "(", ")", "smile :-( and }", "f(x", "([{", "[x} and (y]", "a, b) c"}) {
    INFO(text);
    const std::string dump = call_with("%x, " + std::string(text) + ", 2");
    const GraphFile file = read(dump);
    CHECK(to_text(file) == dump);
    CHECK(file.graph.user_count(file.graph.find("x")) == 1);
    CHECK(
        file.graph[file.graph.argument(file.graph.find("call"), file.graph.argument_count(file.graph.find("call")) - 1)]
            .kind == ArgKind::integer);
  }
  const std::string dump = call_with("[:-(, %x],", "k: }, l: %y", 1, 1);
  const GraphFile file = read(dump);
  CHECK(to_text(file) == dump);
  CHECK(file.diagnostics.size() > 0);
  CHECK(file.diagnostics[0].kind == "text-bracket");
  CHECK(file.diagnostics[0].severity == Severity::note);
  CHECK(file.graph.has_uses(file.graph.find("x")));
  CHECK(file.graph.has_uses(file.graph.find("y")));
}

TEST_CASE("strings may hold line ends", "[formats]") {
  for (const char* text :
       {"a\nb", "\n", "a\n\n\nb", "assert(\n    x\n)", "line (one\nline two", "a\n    %x\nb", "a\ngraph()\nb"}) {
    INFO(text);
    const std::string dump = call_with("%x, " + std::string(text), "kw: " + std::string(text) + ", n: %y", 1, 1);
    const GraphFile file = read(dump);
    CHECK(to_text(file) == dump);
    CHECK(file.graph.size() == 4);
    CHECK(file.graph.has_uses(file.graph.find("y")));
  }
  const std::string defaulted =
      "graph():\n    %x : [num_users=1] = placeholder[target=x](default=two\nlines)\n    return x";
  CHECK(to_text(read(defaulted)) == defaulted);
}

TEST_CASE("return values are Python's repr", "[formats]") {
  CHECK(returned("x") == "node");
  CHECK(returned("None") == "None");
  CHECK(returned("(x,)") == "node tuple");
  CHECK(returned("[x, 'it', \"it's\", 'a\\nb', 1.5]") == "node str str str float list");
  CHECK(returned("{'k': x, 'n': {'m': (x, None)}}") == "node None str tuple str node str dict dict");
  CHECK(returned("{1: x, None: 2, (1, 'a'): 3}") == "int str int node None int tuple int dict");
  CHECK(returned("(device(type='cuda', index=0), device(type='cpu'), torch.float32)") == "device device dtype tuple");
  CHECK(returned("(s0, 2*s0, Min(s0, 3), inf, 2j)") == "symbolic symbolic symbolic float complex tuple");
  CHECK(returned("(<class 'int'>, b'ab', \"plain\", <OpOverload(op='aten.add', overload='Tensor')>)") ==
        "opaque value opaque value opaque value opaque value tuple");
  CHECK(returned("(x, slice(x, None, 'a'))") == "node None str node slice tuple");
  CHECK(returned("'%x) ['") == "bare text");  // a string stands there without quotes: these are part of it
}

TEST_CASE("a named tuple in a return value keeps its name and its fields", "[formats]") {
  CHECK(returned("Point(x=x, y=None)") == "node None tuple");
  CHECK(returned("(Point(x=x, y=[x, 1]), Only(only=x))").ends_with(" tuple"));
  CHECK(returned("{'k': Only(only=Point(x=x, y='s,)(')), 'l': Only(only=(x,))}").ends_with(" dict"));
  CHECK(returned("Only(only=x)") == "node tuple");
  CHECK(returned("a.b.Point(x=x, y=slice(1, x, None))").ends_with(" tuple"));
  CHECK(returned("[E(), Point(x=1, y=x)]").ends_with(" list"));
  // Without nodes it may be any object, and stays one.
  CHECK(returned("Point(x=1, y=Point(x=2, y=None))") == "opaque value");
  CHECK(returned("(x, Point(x=1))") == "node opaque value tuple");
  for (const char* value : {"Point(x=x, x)", "Point(x=x,)", "Point(x)", "Point(x=Point(x=x, x))"})
    CHECK(returned_problem(value) == "malformed-arguments");
}

TEST_CASE("an op or a device in a return value is printed by its repr", "[formats]") {
  Graph g;
  const NodeId x = CallBuilder(g).create(Opcode::placeholder, "x", "x");
  CallBuilder builder(g);
  builder.open(ArgKind::tuple).node(x).spelled(ArgKind::op, "aten.add.Tensor").spelled(ArgKind::device, "cuda:1");
  builder.spelled(ArgKind::device, "cpu")
      .spelled(ArgKind::string, "cpu")
      .close()
      .create(Opcode::output, "output", "output");
  CHECK(to_text(g) ==
        "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
        "    return (x, <OpOverload(op='aten.add', overload='Tensor')>, device(type='cuda', index=1), "
        "device(type='cpu'), 'cpu')\n");
}

TEST_CASE("placeholders keep names, targets and defaults", "[formats]") {
  const std::string text =
      "graph():\n"
      "    %l_x_ : torch.Tensor [num_users=1] = placeholder[target=L_x_]\n"
      "    %z : [num_users=0] = placeholder[target=z](default=3)\n"
      "    %m : [num_users=0] = placeholder[target=m](default=mean)\n"
      "    %n : [num_users=0] = placeholder[target=n](default=None)\n"
      "    %t : typing.Tuple[int, str] [num_users=0] = placeholder[target=t](default=(1, 'a'))\n"
      "    %w : [num_users=0] = placeholder[target=w](default=weird (l_x_, text)\n"
      "    %e : [num_users=0] = placeholder[target=e](default=)\n"
      "    %same : [num_users=0] = placeholder[target=same](default=l_x_)\n"
      "    %_args : [num_users=0] = placeholder[target=*args]\n"
      "    %_kwargs : [num_users=0] = placeholder[target=**kwargs]\n"
      "    return l_x_\n";
  const GraphFile file = read(text);
  const Graph& g = file.graph;
  CHECK(to_text(file) == text);
  CHECK(g.target(g.find("l_x_")) == "L_x_");
  CHECK(g.text(g.type(g.find("t"))) == "typing.Tuple[int, str]");
  CHECK(kinds_of(g, g.find("z")) == "int");
  CHECK(kinds_of(g, g.find("t")) == "int str tuple");
  CHECK(kinds_of(g, g.find("w")) == "bare text");
  CHECK(kinds_of(g, g.find("same")) == "bare text");
  CHECK(g.target(g.find("_kwargs")) == "**kwargs");
}

TEST_CASE("targets and types are kept verbatim", "[formats]") {
  const std::string text =
      "graph() -> torch.Tensor:\n"
      "    %x : int | None [#users=3] = placeholder[target=x]\n"
      "    %layers_0 : [#users=0] = get_attr[target=layers.0.n@1.weight]\n"
      "    %f : [#users=0] = call_function[target=<built-in method cat of type object at 0x7f00>](args = (%x,), kwargs "
      "= {})\n"
      "    %g : typing.List[torch.Tensor] [#users=0] = call_function[target=lambda x: x[0]](args = (%x,), kwargs = "
      "{})\n"
      "    %output : [#users=1] = call_module[target=a.b.0](args = (%x,), kwargs = {})\n"
      "    return output\n";
  const GraphFile file = read(text);
  CHECK(to_text(file) == text);
  CHECK(file.style.users == "#users");
  CHECK(file.graph.target(file.graph.find("g")) == "lambda x: x[0]");
  CHECK(file.graph.text(file.graph.type(file.graph.output())) == "torch.Tensor");
  CHECK(file.graph.name(file.graph.output()) == "output_1");
}

TEST_CASE("tensor metadata is read and written", "[formats]") {
  const std::string text =
      "graph():\n"
      "    %x : [num_users=2] = placeholder[target=x]\n"
      "    %a : Tensor \"f32[4, s77 + 1][s77 + 1, 1]cuda:0\"[num_users=2] = call_method[target=add](args = (%x, 1), "
      "kwargs = {})\n"
      "    %n : int [num_users=0] = call_function[target=builtins.len](args = (%x,), kwargs = {})\n"
      "    %b : Tensor \"f99[4][1]tpu\"[num_users=0] = call_method[target=neg](args = (%a,), kwargs = {})\n"
      "    return (a,)\n";
  const GraphFile file = read(text);
  CHECK(file.diagnostics.empty());
  CHECK(to_text(file) == text);
  CHECK(file.style.metadata);
  const TensorMeta* meta = file.graph.metas().tensor_of(file.graph.meta(file.graph.find("a")));
  REQUIRE(meta != nullptr);
  CHECK(meta->dtype == Dtype::float32);
  CHECK(file.graph.text(meta->device) == "cuda:0");
  CHECK_FALSE(file.graph.meta(file.graph.find("b")).valid());  // no dtype that is known: kept as text
  TextIrStyle plain;
  CHECK(format_node(file.graph, file.graph.find("a"), plain) ==
        "%a : [num_users=2] = call_method[target=add](args = (%x, 1), kwargs = {})");
}

TEST_CASE("layout is kept: indentation, prefixes, line ends, no header", "[formats]") {
  const std::string body =
      "%x : [num_users=1] = placeholder[target=x]\n%y : [num_users=1] = call_method[target=neg](args = (%x,), kwargs = "
      "{})\nreturn (y,)\n";
  const auto with = [&](const std::string& header, const std::string& before_line, const std::string& line_end,
                        bool last) {
    std::string out = header.empty() ? "" : header + line_end;
    std::istringstream in(body);
    for (std::string line; std::getline(in, line);) out += before_line + line + line_end;
    if (!last) out.resize(out.size() - line_end.size());
    return out;
  };
  for (const std::string& text :
       {with("graph():", "    ", "\n", true), with("graph():", "    ", "\n", false), with("graph():", "  ", "\n", true),
        with("graph():", "\t", "\n", true), with("  graph():", "      ", "\n", true),
        with("graph():", "    ", "\r\n", true), with("graph():", "    ", "\r\n", false),
        with("lowered graph():", "    ", "\n", true), with("", "    ", "\n", true), with("", "", "\n", false),
        with("", "  ", "\r\n", true),
        with("V0729 10:00:00.0 12 a.py:3] [0/0] graph():", "V0729 10:00:00.0 12 a.py:3] [0/0]     ", "\n", true)}) {
    const GraphFile file = read(text);
    INFO(text);
    CHECK(file.diagnostics.empty());
    CHECK(file.graph.size() == 3);
    CHECK(to_text(file) == text);
  }
}

TEST_CASE("what stands beside graphs is kept and reported", "[formats]") {
  const std::string graph = "graph():\n    %x : [num_users=1] = placeholder[target=x]\n    return x\n";
  const std::string text = "some log\n== first ==\n" + graph + "\n# between\n" + graph + "the end";
  const GraphFiles files = read_graphs(source_of(text));
  REQUIRE(files.graphs.size() == 2);
  CHECK(files.graphs[0].title == "first");
  CHECK(files.graphs[1].title == "between");
  CHECK(to_text(files.graphs[0]) + to_text(files.graphs[1]) == text);
  CHECK(render(files.diagnostics) ==
        "graph.txt:1:1: note: 2 lines are beside the graphs kept as text [skipped-lines]\n"
        "  1 | some log\n"
        "    | ^\n"
        "graph.txt:7:1: note: 2 lines are beside the graphs kept as text [skipped-lines]\n"
        "  7 | # between\n"
        "    | ^\n"
        "graph.txt:11:1: note: 1 line is beside the graphs kept as text [skipped-lines]\n"
        "  11 | the end\n"
        "     | ^\n");
  const GraphFile first = read_graph(source_of(text));
  CHECK(first.graph.size() == 2);
  CHECK(to_text(first) == text);
  CHECK(render(first.diagnostics.back()) ==
        "note: only the first graph of the file is read; the others are kept as text [several-graphs]\n");
}

TEST_CASE("foreign lines between nodes and text in front of nodes are reported", "[formats]") {
  const GraphFile file = read(
      "graph():\n    %x : [num_users=1] = placeholder[target=x]\nW1129 a warning\n\n"
      "--> %y : [num_users=1] = call_method[target=neg](args = (%x,), kwargs = {})\n    return y\n");
  CHECK(render(file.diagnostics) ==
        "graph.txt:3:1: note: 2 lines between nodes skipped [skipped-lines]\n"
        "  3 | W1129 a warning\n"
        "    | ^\n"
        "graph.txt:5:1: note: text in front of the node dropped on 1 line [line-prefix]\n"
        "  5 | --> %y : [num_users=1] = call_method[target=neg](args = (%x,), kwargs = {})\n"
        "    | ^~~~\n");
  CHECK(to_text(file) ==
        "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
        "    %y : [num_users=1] = call_method[target=neg](args = (%x,), kwargs = {})\n    return y\n");
}

TEST_CASE("user counts are repaired", "[formats]") {
  const GraphFile file = read("graph():\n    %x : [num_users=7] = placeholder[target=x]\n    return (x, x)\n");
  CHECK(render(file.diagnostics) ==
        "graph.txt:2:21: note: `%x` has 1 user, not 7 [user-count]\n"
        "  2 |     %x : [num_users=7] = placeholder[target=x]\n"
        "    |                     ^\n"
        "hint: user counts are worked out anew when the graph is written\n");
  CHECK(to_text(file) == "graph():\n    %x : [num_users=1] = placeholder[target=x]\n    return (x, x)\n");
}

TEST_CASE("a graph shares tables when asked to", "[formats]") {
  const auto tables = std::make_shared<Tables>();
  ReadOptions options;
  options.tables = tables;
  const GraphFile file = read_graph(source_of(call_with("%x,")), options);
  CHECK(file.graph.tables() == tables);
  CHECK(tables->symbols.find("torch.f").has_value());
}
