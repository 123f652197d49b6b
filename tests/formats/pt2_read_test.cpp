// Programs of torch.export as graphs. What torch itself makes of the files is in tests/data/pt2/*/*.txt.
#include "fxrules/catalogue.hpp"
#include "tests/formats/support.hpp"

using namespace fxrules;
using namespace fxrules::testing;

namespace {

std::string path_of(const std::string& file) { return FXRULES_SOURCE_DIR "/tests/data/pt2/" + file; }

ReadOptions with_catalogue() {
  ReadOptions options;
  options.catalogue = Catalogue::load(FXRULES_SHARE_DIR);
  return options;
}

GraphFile read_pt2(const std::string& file) {
  GraphFile out = read_archive(path_of(file), with_catalogue());
  INFO(file);
  INFO(render(out.diagnostics));
  REQUIRE_FALSE(has_errors(out.diagnostics));
  INFO(render(verify(out.graph)));
  REQUIRE(verify(out.graph).empty());
  return out;
}

// As print_loaded.py prints a program.
std::string dump(const Graph& graph, const std::string& title = "") {
  TextIrStyle style;
  style.metadata = true;
  std::string text = (title.empty() ? "" : "# " + title + "\n") + to_text(graph, style);
  for (const Subgraph& s : graph.subgraphs())
    text += dump(*s.graph, (title.empty() ? "" : title + ".") + std::string(graph.text(s.path)));
  return text;
}

NodeId node(const Graph& graph, const std::string& name) {
  const NodeId n = graph.find(name);
  INFO(name);
  REQUIRE(n.valid());
  return n;
}

std::string meta(const Graph& graph, const std::string& name) {
  return graph.metas().text(graph.meta(node(graph, name)));
}

std::string problems(const std::string& json) {
  return render(read_graph(source_of(json, "p.json"), with_catalogue()).diagnostics);
}

// A program with one node, whose parts are given.
std::string program(const std::string& nodes, const std::string& output = "{\"as_tensor\": {\"name\": \"y\"}}",
                    const std::string& signature = "{\"user_output\": {\"arg\": {\"as_tensor\": {\"name\": \"y\"}}}}") {
  return "{\"graph_module\": {\"graph\": {\"inputs\": [{\"as_tensor\": {\"name\": \"x\"}}], \"outputs\": [" + output +
         "], \"nodes\": [" + nodes +
         "], \"tensor_values\": {}, \"sym_int_values\": {}, \"sym_bool_values\": {}, \"is_single_tensor_return\": "
         "false, "
         "\"custom_obj_values\": {}}, \"signature\": {\"input_specs\": [{\"user_input\": {\"arg\": {\"as_tensor\": "
         "{\"name\": \"x\"}}}}], \"output_specs\": [" +
         signature + "]}, \"module_call_graph\": []}, \"schema_version\": {\"major\": 8, \"minor\": 2}}";
}

std::string relu(const std::string& input = "{\"as_tensor\": {\"name\": \"x\"}}", const std::string& name = "y") {
  return "{\"target\": \"torch.ops.aten.relu.default\", \"inputs\": [{\"name\": \"self\", \"arg\": " + input +
         "}], \"outputs\": [{\"as_tensor\": {\"name\": \"" + name + "\"}}], \"metadata\": {}}";
}

}  // namespace

TEST_CASE("both generations of archives are read as torch reads them", "[pt2]") {
  for (const std::string file : {"torch214/kv_aten", "torch214/kv_train", "torch214/cond_aten", "torch214/cond_train",
                                 "torch26/kv_aten", "torch26/kv_train"}) {
    INFO(file);
    CHECK(dump(read_pt2(file + ".pt2").graph) == file_text("pt2/" + file + ".txt"));
  }
}

TEST_CASE("an archive in memory and a bare program are the same graph", "[pt2]") {
  const std::string expected = dump(read_pt2("torch214/kv_aten.pt2").graph);
  const GraphFile memory = read_graph(source_of(file_text("pt2/torch214/kv_aten.pt2"), "kv.pt2"), with_catalogue());
  CHECK(memory.form == GraphForm::pt2_archive);
  CHECK(dump(memory.graph) == expected);
  const GraphFile json = read_graph(source_of(file_text("pt2/torch214/kv_aten.json"), "kv.json"), with_catalogue());
  INFO(render(json.diagnostics));
  CHECK(json.form == GraphForm::program_json);
  CHECK(to_text(json.graph) == to_text(read_pt2("torch214/kv_aten.pt2").graph));
}

TEST_CASE("a branch of an older archive is read too", "[pt2]") {  // torch 2.13 cannot
  const GraphFile file = read_pt2("torch26/cond_aten.pt2");
  CHECK(to_text(file.graph) == to_text(read_pt2("torch214/cond_aten.pt2").graph));
  REQUIRE(file.graph.subgraphs().size() == 2);
  CHECK(file.graph.text(file.graph.subgraphs()[0].path) == "true_graph_0");
}

TEST_CASE("metadata of every value is known", "[pt2]") {
  const Graph graph = std::move(read_pt2("torch214/kv_aten.pt2").graph);
  CHECK(meta(graph, "b_k") == "f32[1, 16, 8][128, 8, 1]cpu");
  CHECK(meta(graph, "sym_size_int_5").starts_with("Sym(s"));
  CHECK(meta(graph, "mul_40").starts_with("Sym(2*s"));
  CHECK(meta(graph, "getitem").starts_with("f32[1, s"));
  CHECK(meta(graph, "max_1").starts_with("(f32[1, s"));
  const TensorMeta* weight = graph.metas().tensor_of(graph.meta(node(graph, "p_q_weight")));
  REQUIRE(weight != nullptr);
  CHECK(weight->requires_grad == true);
  CHECK(graph.text(weight->layout) == "torch.strided");
}

TEST_CASE("the signature is part of the graph", "[pt2]") {
  const Graph graph = std::move(read_pt2("torch26/kv_aten.pt2").graph);
  REQUIRE(graph.signature() != nullptr);
  const Signature& s = *graph.signature();
  CHECK(s.find(node(graph, "p_q_weight"))->role == InputRole::parameter);
  CHECK(graph.text(s.find(node(graph, "p_q_weight"))->path) == "q.weight");
  CHECK(s.find(node(graph, "b_k"))->persistent);
  CHECK_FALSE(s.find(node(graph, "b_np"))->persistent);
  CHECK(s.find(node(graph, "c_c"))->role == InputRole::constant);
  CHECK(s.find(node(graph, "flag"))->role == InputRole::literal);
  CHECK(s.mutation_of(node(graph, "b_k")) == 0);
  CHECK(s.mutation_of(node(graph, "x")) == 1);
  CHECK(s.outputs[0].role == OutputRole::buffer_mutation);
  CHECK(s.outputs[1].role == OutputRole::input_mutation);
  CHECK(s.outputs[2].role == OutputRole::user);
}

TEST_CASE("arguments of every kind", "[pt2]") {
  const auto argument = [](const std::string& arg) {
    const std::string json = program(relu() +
                                     ", {\"target\": \"torch.ops.my.f.default\", \"inputs\": [{\"name\": \"a\", "
                                     "\"arg\": " +
                                     arg + "}], \"outputs\": [], \"metadata\": {}}");
    const GraphFile file = read_graph(source_of(json, "p.json"));
    INFO(render(file.diagnostics));
    REQUIRE_FALSE(has_errors(file.diagnostics));
    const NodeId n = file.graph.prev(file.graph.output());
    return format_argument(file.graph, file.graph.argument(n, 0), true);
  };
  CHECK(argument("{\"as_none\": true}") == "None");
  CHECK(argument("{\"as_ints\": [1, -2]}") == "[1, -2]");
  CHECK(argument("{\"as_float\": 2.0}") == "2.0");
  CHECK(argument("{\"as_float\": 2}") == "2.0");
  CHECK(argument("{\"as_float\": \"-Infinity\"}") == "-inf");
  CHECK(argument("{\"as_float\": Infinity}") == "inf");
  CHECK(argument("{\"as_float\": NaN}") == "nan");
  CHECK(argument("{\"as_floats\": [0.5, \"NaN\"]}") == "[0.5, nan]");
  CHECK(argument("{\"as_string\": \"it\\u0027s \\\"so\\\"\"}") == "'it\\'s \"so\"'");
  CHECK(argument("{\"as_strings\": [\"a\", \"\"]}") == "['a', '']");
  CHECK(argument("{\"as_bools\": [true, false]}") == "[True, False]");
  CHECK(argument("{\"as_sym_ints\": [{\"as_int\": 3}, {\"as_int\": -1}]}") == "[3, -1]");
  CHECK(argument("{\"as_sym_int\": {\"as_int\": 3}}") == "3");
  CHECK(argument("{\"as_scalar_type\": 13}") == "torch.bfloat16");
  CHECK(argument("{\"as_memory_format\": 2}") == "torch.channels_last");
  CHECK(argument("{\"as_layout\": 7}") == "torch.strided");
  CHECK(argument("{\"as_device\": {\"type\": \"cuda\", \"index\": 1}}") == "device(type='cuda', index=1)");
  CHECK(argument("{\"as_device\": {\"type\": \"cpu\", \"index\": null}}") == "device(type='cpu')");
  CHECK(argument("{\"as_optional_tensors\": [{\"as_none\": true}, {\"as_tensor\": {\"name\": \"x\"}}]}") ==
        "[None, x]");
  CHECK(argument("{\"as_optional_tensor\": {\"as_tensor\": {\"name\": \"x\"}}}") == "x");
  CHECK(argument("{\"as_nested_tensors\": [[{\"name\": \"x\"}], []]}") == "[[x], []]");
  CHECK(argument("{\"as_int_lists\": [[1, 2]]}") == "[(1, 2)]");
  CHECK(argument("{\"as_complex\": {\"real\": 1.0, \"imag\": -2.5}}") == "(1-2.5j)");
  CHECK(argument("{\"as_complex\": {\"real\": 0.0, \"imag\": 2.0}}") == "2j");
  CHECK(argument("{\"as_operator\": \"torch.ops.my.mut.default\"}") == "<OpOverload(op='my.mut', overload='default')>");
  CHECK(argument("{\"as_string_to_argument\": {\"k\": {\"as_int\": 1}}}") == "{'k': 1}");
}

TEST_CASE("a list of outputs becomes getitem nodes, but for what nothing uses", "[pt2]") {
  const auto split = [](const std::string& outputs) {
    return "{\"target\": \"torch.ops.aten.split.Tensor\", \"inputs\": [{\"name\": \"self\", \"arg\": {\"as_tensor\": "
           "{\"name\": \"x\"}}}, {\"name\": \"split_size\", \"arg\": {\"as_int\": 2}}], \"outputs\": [" +
           outputs + "], \"metadata\": {}}";
  };
  const auto graph = [](const std::string& json) { return to_text(read_graph(source_of(json, "p.json")).graph); };
  CHECK(graph(program(split("{\"as_tensors\": [{\"name\": \"y\"}, {\"name\": \"split_unused_1\"}]}"))) ==
        "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
        "    %split_tensor : [num_users=1] = call_function[target=torch.ops.aten.split.Tensor](args = (%x, 2), kwargs "
        "= {})\n"
        "    %y : [num_users=1] = call_function[target=operator.getitem](args = (%split_tensor, 0), kwargs = {})\n"
        "    return (y,)\n");
  // What calls itself unused and is used after all.
  CHECK(graph(program(split("{\"as_tensors\": [{\"name\": \"a_unused_0\"}, {\"name\": \"y\"}]}"),
                      "{\"as_tensor\": {\"name\": \"a_unused_0\"}}"))
            .find("%a_unused_0 : [num_users=1] = call_function"
                  "[target=operator.getitem](args = (%split_tensor, 0)") != std::string::npos);
  // A tensor beside a list.
  CHECK(
      graph(program(
          split("{\"as_tensor\": {\"name\": \"a\"}}, {\"as_tensors\": [{\"name\": \"b\"}, {\"name\": \"y\"}]}"))) ==
      "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
      "    %split_tensor : [num_users=2] = call_function[target=torch.ops.aten.split.Tensor](args = (%x, 2), kwargs = "
      "{})\n"
      "    %a : [num_users=0] = call_function[target=operator.getitem](args = (%split_tensor, 0), kwargs = {})\n"
      "    %getitem : [num_users=2] = call_function[target=operator.getitem](args = (%split_tensor, 1), kwargs = {})\n"
      "    %b : [num_users=0] = call_function[target=operator.getitem](args = (%getitem, 0), kwargs = {})\n"
      "    %y : [num_users=1] = call_function[target=operator.getitem](args = (%getitem, 1), kwargs = {})\n"
      "    return (y,)\n");
}

TEST_CASE("what is wrong with a program is said with its place", "[pt2]") {
  CHECK(problems(program(relu("{\"as_tensor\": {\"name\": \"xx\"}}")))
            .find("error: no value is called `xx` here [unknown-node]") != std::string::npos);
  CHECK(problems(program(relu() + ", " + relu())).find("error: `y` is defined twice [duplicate-node]") !=
        std::string::npos);
  CHECK(problems(program(relu("{\"as_tensor\": {\"name\": \"x\"}}", "y.z"), "{\"as_tensor\": {\"name\": \"y.z\"}}"))
            .find("error: `y.z` is no name for a value [illegal-name]") != std::string::npos);
  CHECK(problems(program(relu("{\"as_thing\": 1}")))
            .find("error: arguments of the kind `as_thing` are not known [unknown-argument]") != std::string::npos);
  CHECK(problems(program(relu("{\"as_scalar_type\": 99}")))
            .find("error: 99 is no number of an element type [unknown-argument]") != std::string::npos);
  CHECK(problems(program(relu("{}"))).find("error: an argument has exactly one kind [malformed-program]") !=
        std::string::npos);
  CHECK(problems(program(relu("{\"as_int\": 1.5}")))
            .find("error: an int must be an integer of 64 bits [malformed-program]") != std::string::npos);
  CHECK(problems(program(relu(), "{\"as_tensor\": {\"name\": \"y\"}}", ""))
            .find("error: the signature has fewer outputs than the graph [signature]") != std::string::npos);
  CHECK(problems(program(relu(), "{\"as_tensor\": {\"name\": \"y\"}}",
                         "{\"buffer_mutation\": {\"arg\": {\"name\": \"y\"}, \"buffer_name\": \"k\"}}"))
            .find("error: no input is called `k` [signature]") != std::string::npos);
  CHECK(problems("{\"graph_module\": {}}") ==
        "p.json:1:21: error: the program has no `graph_module.graph` [malformed-program]\n"
        "  1 | {\"graph_module\": {}}\n    |                     ^\n");
}

TEST_CASE("text that is no JSON is refused wherever it is cut", "[pt2]") {
  const std::string whole = program(relu());
  for (std::size_t length = 20; length < whole.size(); ++length) {
    const GraphFile file = read_graph(source_of(whole.substr(0, length), "p.json"));
    INFO(length);
    REQUIRE(has_errors(file.diagnostics));
  }
}

TEST_CASE("arguments and graphs that nest too deep are an error", "[pt2]") {
  std::string deep = "{\"as_int\": 1}";
  for (int i = 0; i < 200; ++i) deep = "{\"as_string_to_argument\": {\"k\": " + deep + "}}";
  CHECK(problems(program(relu(deep))).find("[too-deep]") != std::string::npos);
  std::string graph = relu();
  for (int i = 0; i < 100; ++i)
    graph =
        "{\"target\": \"torch.ops.higher_order.wrap\", \"inputs\": [{\"name\": \"\", \"arg\": {\"as_graph\": "
        "{\"name\": "
        "\"g\", \"graph\": {\"inputs\": [], \"outputs\": [], \"nodes\": [" +
        graph + "]}}}}], \"outputs\": []}";
  CHECK(problems(program(graph)).find("graphs nest deeper than 64 [too-deep]") != std::string::npos);
}

TEST_CASE("damaged archives are refused", "[pt2]") {
  const std::string whole = file_text("pt2/torch214/cond_aten.pt2");
  for (const std::size_t length : {std::size_t{40}, whole.size() / 2, whole.size() - 30}) {
    const GraphFile file = read_graph(source_of(whole.substr(0, length), "cut.pt2"));
    INFO(length);
    CHECK(has_errors(file.diagnostics));
  }
  std::string changed = whole;
  changed[changed.find("graph_module") + 2] ^= 1;
  CHECK(render(read_graph(source_of(changed, "bad.pt2")).diagnostics) ==
        "error: bad.pt2: its member `cond_aten/models/model.json` is damaged [damaged-archive]\n"
        "hint: the file may have been cut, or may still be written\n");
}
