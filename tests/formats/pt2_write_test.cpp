// Programs of torch.export after a change: what changed is spelled in the file's dialect, all else keeps its bytes.
// That torch loads the results is tested in tests/numeric.
#include "fxrules/catalogue.hpp"
#include "tests/formats/support.hpp"

using namespace fxrules;
using namespace fxrules::testing;

namespace {

GraphFile read_pt2(const std::string& file) {
  ReadOptions options;
  options.catalogue = Catalogue::load(FXRULES_SHARE_DIR);
  GraphFile out = read_archive(FXRULES_SOURCE_DIR "/tests/data/pt2/" + file, options);
  INFO(render(out.diagnostics));
  REQUIRE_FALSE(has_errors(out.diagnostics));
  return out;
}

NodeId node(const Graph& graph, const std::string& name) {
  const NodeId n = graph.find(name);
  INFO(name);
  REQUIRE(n.valid());
  return n;
}

// The archive that is written, read again.
struct Written {
  std::string bytes;
  GraphFile file;
  std::string json;
};
Written written(const GraphFile& file) {
  INFO(render(check_exported(file)));
  REQUIRE_FALSE(has_errors(check_exported(file)));
  Written out;
  out.bytes = to_text(file);
  ReadOptions options;
  options.catalogue = Catalogue::load(FXRULES_SHARE_DIR);
  out.file = read_graph(source_of(out.bytes, "out.pt2"), options);
  INFO(render(out.file.diagnostics));
  REQUIRE_FALSE(has_errors(out.file.diagnostics));
  REQUIRE(verify(out.file.graph).empty());
  const std::size_t from = out.bytes.find("{\"graph_module\"");
  out.json = out.bytes.substr(from, out.bytes.find("\"torch_version\"", from) - from);
  return out;
}

std::string json_of(const std::string& file) {
  const std::string bytes = file_text("pt2/" + file);
  const std::size_t from = bytes.find("{\"graph_module\"");
  return bytes.substr(from, bytes.find("\"torch_version\"", from) - from);
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string replaced(std::string text, const std::string& old, const std::string& now) {
  for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old, at + now.size()))
    text.replace(at, old.size(), now);
  return text;
}

void rename(GraphFile& file, const std::string& old, const std::string& now) {
  file.graph.rename(node(file.graph, old), file.graph.symbols().intern(now));
}

std::string problem(const GraphFile& file) {
  const std::vector<Diagnostic> found = check_exported(file);
  REQUIRE_FALSE(found.empty());
  return found[0].message;
}

const std::vector<std::string> kFiles{"torch214/kv_aten.pt2",    "torch214/kv_train.pt2", "torch214/cond_aten.pt2",
                                      "torch214/cond_train.pt2", "torch26/kv_aten.pt2",   "torch26/kv_train.pt2",
                                      "torch26/cond_aten.pt2",   "torch26/cond_train.pt2"};

}  // namespace

TEST_CASE("a program that nothing changed is written as it was", "[pt2]") {
  for (const std::string& file : kFiles) {
    INFO(file);
    const GraphFile read = read_pt2(file);
    CHECK(check_exported(read).empty());
    CHECK(written(read).json == json_of(file));
  }
  const std::string text = file_text("pt2/torch214/kv_aten.json");  // one field a line
  CHECK(to_text(read_graph(source_of(text, "kv.json"))) == text);
}

TEST_CASE("a renamed value is renamed everywhere and nowhere else", "[pt2]") {
  for (const std::string file : {"torch214/kv_aten.pt2", "torch26/kv_aten.pt2"}) {
    GraphFile read = read_pt2(file);
    rename(read, "add_27", "sum_of_them");     // mutation output, tensor_values
    rename(read, "getitem_3", "second_half");  // an output of a node with two
    rename(read, "mul_40", "twice");           // a symbolic int
    const std::string was =
        replaced(replaced(replaced(json_of(file), "\"add_27\"", "\"sum_of_them\""), "\"getitem_3\"", "\"second_half\""),
                 "\"mul_40\"", "\"twice\"");
    // Metadata strings mention old names: torch keeps them for people.
    CHECK(replaced(written(read).json, "\"name\": \"twice\"", "\"name\": \"twice\"").size() == was.size());
    CHECK(to_text(written(read).file.graph) == to_text(read.graph));
    CHECK_FALSE(holds(written(read).json, "{\"name\": \"add_27\"}"));
    CHECK_FALSE(holds(written(read).json, "\"add_27\": {"));
  }
}

TEST_CASE("a renamed input follows into its entry of the signature, and a mutated one too", "[pt2]") {
  GraphFile read = read_pt2("torch214/kv_aten.pt2");
  rename(read, "x", "tokens");
  rename(read, "b_k", "b_cache");
  const Written out = written(read);
  CHECK(holds(out.json, "{\"user_input\": {\"arg\": {\"as_tensor\": {\"name\": \"tokens\"}}}}"));
  CHECK(holds(out.json, "\"user_input_name\": \"tokens\""));
  CHECK(holds(out.json,
              "{\"buffer\": {\"arg\": {\"name\": \"b_cache\"}, \"buffer_name\": \"k\", \"persistent\": true}}"));
  CHECK(holds(out.json, "{\"buffer_mutation\": {\"arg\": {\"name\": \"index_put\"}, \"buffer_name\": \"k\"}}"));
  REQUIRE(out.file.graph.signature() != nullptr);
  CHECK(out.file.graph.signature()->mutation_of(node(out.file.graph, "tokens")) == 1);
}

TEST_CASE("outputs that nothing uses any more are called so and stay", "[pt2]") {
  for (const auto& [file, producer] : std::vector<std::pair<std::string, std::string>>{
           {"torch214/kv_train.pt2", "max_1"}, {"torch26/kv_train.pt2", "max_dim"}}) {
    GraphFile read = read_pt2(file);
    read.graph.erase(node(read.graph, "getitem_1"));
    const Written out = written(read);
    CHECK(holds(out.json, "[{\"as_tensor\": {\"name\": \"getitem\"}}, {\"as_tensor\": {\"name\": \"" + producer +
                              "_unused_1\"}}]"));
    CHECK(holds(out.json, "\"" + producer + "_unused_1\": {\"dtype\": 5"));
    CHECK_FALSE(holds(out.json, "\"getitem_1\": {"));
    CHECK(to_text(out.file.graph) == to_text(read.graph));
  }
}

TEST_CASE("a second getitem of one output is the first one", "[pt2]") {
  GraphFile read = read_pt2("torch214/kv_aten.pt2");
  Graph& g = read.graph;
  const NodeId max = node(g, "max_1"), softmax = node(g, "softmax");
  const NodeId again = CallBuilder(g).node(max).integer(0).create(
      Opcode::call_function, g.symbols().intern("operator.getitem"), g.symbols().intern("again"), softmax);
  const NodeId other = CallBuilder(g).node(max).integer(1).create(
      Opcode::call_function, g.symbols().intern("operator.getitem"), g.symbols().intern("places"), softmax);
  g.replace_uses(node(g, "getitem_3"), again);
  g.replace_uses(node(g, "fill"), other);
  const Written out = written(read);
  const std::string text = to_text(out.file.graph);
  CHECK(holds(text, "return (index_put, add_27, softmax, getitem, getitem, mul_40, places, add_49)"));
  CHECK(holds(text, "%places : [num_users=1] = call_function[target=operator.getitem](args = (%max_1, 1)"));
  CHECK(holds(out.json, "\"places\": {\"dtype\": 5"));
}

TEST_CASE("changed arguments are spelled as torch spells them, the others stay", "[pt2]") {
  for (const std::string file : {"torch214/kv_aten.pt2", "torch26/kv_aten.pt2"}) {
    const bool kinds = file.starts_with("torch214");
    GraphFile read = read_pt2(file);
    Graph& g = read.graph;
    const auto argument = [&](const std::string& name, std::uint32_t i) { return g.argument(node(g, name), i); };
    g.set_literal(argument("softmax", 1), Slot::of_integer(2));
    g.set_literal(argument("fill", 1), Slot::of_floating(std::numeric_limits<double>::infinity()));
    g.rebind(argument("matmul", 0), node(g, "x"));
    const SlotId size = g[argument("view", 1)].child(0);
    const std::string kind = kinds ? ", \"kind\": 1" : "";
    Written out = written(read);
    CHECK(holds(out.json, "{\"name\": \"dim\", \"arg\": {\"as_int\": 2}" + kind + "}"));
    CHECK(holds(out.json, "{\"name\": \"value\", \"arg\": {\"as_float\": " +
                              std::string(kinds ? "\"Infinity\"" : "Infinity") + "}" + kind + "}"));
    CHECK(to_text(out.file.graph) == to_text(g));
    // A list of ints and symbols becomes one of ints.
    g.set_literal(size, Slot::of_integer(3));
    out = written(read);
    CHECK(holds(out.json, "{\"name\": \"size\", \"arg\": {\"as_ints\": [3, 8]}" + kind + "}"));
    // Tensor?[] with and without None.
    const SlotId indices = argument("index_put", 1);
    g.rebind(g[indices].child(1), node(g, "c_c"));
    out = written(read);
    CHECK(holds(out.json,
                "{\"name\": \"indices\", \"arg\": {\"as_optional_tensors\": [{\"as_none\": true}, {\"as_tensor\": "
                "{\"name\": \"c_c\"}}]}" +
                    kind + "}"));
  }
}

TEST_CASE("a new node has its neighbours' keys and its predecessor's metadata", "[pt2]") {
  for (const std::string file : {"torch214/kv_aten.pt2", "torch26/kv_aten.pt2"}) {
    const bool kinds = file.starts_with("torch214");
    GraphFile read = read_pt2(file);
    Graph& g = read.graph;
    const NodeId old = node(g, "add_27");
    CallBuilder builder(g);
    builder.node(node(g, "x")).integer(-1).keyword("alpha").integer(2);
    const NodeId made = builder.create(Opcode::call_function, g.symbols().intern("torch.ops.aten.sub.Scalar"),
                                       g.symbols().intern("made"), old);
    g.set_meta(made, g.meta(old));
    g.replace_uses(old, made);
    const SymbolId name = g.name_id(old);
    g.erase(old);
    read.made_for[g.name_id(made).value] = name;
    read.stands_for[name.value] = g.name_id(made);
    const Written out = written(read);
    const std::size_t at = out.json.find("{\"target\": \"torch.ops.aten.sub.Scalar\"");
    REQUIRE(at != std::string::npos);
    const std::string text = out.json.substr(at, 2500);
    const std::string one = kinds ? ", \"kind\": 1" : "", two = kinds ? ", \"kind\": 2" : "";
    CHECK(holds(
        text, "\"inputs\": [{\"name\": \"self\", \"arg\": {\"as_tensor\": {\"name\": \"x\"}}" + one +
                  "}, {\"name\": \"other\", \"arg\": {\"as_int\": -1}" + one +
                  "}, {\"name\": \"alpha\", \"arg\": {\"as_int\": 2}" + two +
                  "}], \"outputs\": [{\"as_tensor\": {\"name\": \"made\"}}], \"metadata\": {\"stack_trace\": \"File"));
    CHECK(holds(text, "\"is_hop_single_tensor_return\": null, \"name\": \"made\"}") == kinds);
    CHECK(holds(out.json, "{\"user_input_mutation\": {\"arg\": {\"name\": \"made\"}, \"user_input_name\": \"x\"}}"));
    CHECK(holds(out.json, "\"made\": {\"dtype\": 7"));
    CHECK_FALSE(holds(out.json, "\"add_27\": {\"dtype\""));
    CHECK(to_text(out.file.graph) == to_text(g));
  }
}

TEST_CASE("what is in a branch is written there", "[pt2]") {
  for (const std::string file : {"torch214/cond_aten.pt2", "torch26/cond_aten.pt2"}) {
    GraphFile read = read_pt2(file);
    Graph& branch = *read.graph.subgraphs()[1].graph;
    branch.replace_uses(node(branch, "cos"), node(branch, "x"));
    branch.erase(node(branch, "cos"));
    const Written out = written(read);
    CHECK_FALSE(holds(out.json, "torch.ops.aten.cos"));
    CHECK(holds(out.json, "torch.ops.aten.sin"));
    CHECK(to_text(*out.file.graph.subgraphs()[1].graph) == to_text(branch));
    // The call around it changes too.
    read.graph.rename(node(read.graph, "gt"), read.graph.symbols().intern("positive"));
    read.graph.rename(node(read.graph, "getitem"), read.graph.symbols().intern("chosen"));
    const Written both = written(read);
    CHECK(to_text(both.file.graph) == to_text(read.graph));
    CHECK(to_text(*both.file.graph.subgraphs()[1].graph) == to_text(branch));
  }
}

TEST_CASE("nodes that come and go leave no commas behind", "[pt2]") {
  for (const std::string& file : kFiles) {
    GraphFile read = read_pt2(file);
    Graph& g = read.graph;
    // All that can go goes, last ones first.
    for (NodeId n = g.last(); n.valid();) {
      const NodeId before = g.prev(n);
      const Opcode opcode = g.opcode(n);
      if (!g.has_uses(n) && opcode == Opcode::call_function && !holds(std::string(g.target(n)), "_")) g.erase(n);
      n = before;
    }
    CHECK(to_text(written(read).file.graph) == to_text(g));
  }
}

TEST_CASE("members are copied and laid out for mapping", "[pt2]") {
  const GraphFile read = read_pt2("torch214/kv_aten.pt2");
  const std::string out = to_text(read), in = file_text("pt2/torch214/kv_aten.pt2");
  const auto payload = [](const std::string& bytes, const std::string& name) {
    const std::size_t at = bytes.find(name) - 30;  // the local header
    const auto number = [&](std::size_t place) {
      return static_cast<unsigned char>(bytes[place]) + 256u * static_cast<unsigned char>(bytes[place + 1]);
    };
    return at + 30 + number(at + 26) + number(at + 28);
  };
  for (const std::string name :
       {"kv_aten/data/weights/weight_0", "kv_aten/data/weights/weight_2", "kv_aten/models/model.json"}) {
    CHECK(payload(out, name) % 64 == 0);
    CHECK(out.substr(payload(out, name), 256) == in.substr(payload(in, name), 256));
  }
}

TEST_CASE("what a program cannot hold is an error with a reason", "[pt2]") {
  const auto with = [](const std::string& file, auto change) {
    GraphFile read = read_pt2(file);
    change(read.graph);
    return problem(read);
  };
  const auto in_place_of_add = [](Graph& g, Opcode opcode, const std::string& target, bool meta) {
    const NodeId old = node(g, "add_27");
    const NodeId made = CallBuilder(g)
                            .node(node(g, "x"))
                            .integer(1)
                            .create(opcode, g.symbols().intern(target), g.symbols().intern("made"), old);
    if (meta) g.set_meta(made, g.meta(old));
    g.replace_uses(old, made);
    g.erase(old);
  };
  CHECK(with("torch214/kv_aten.pt2", [&](Graph& g) { in_place_of_add(g, Opcode::call_method, "add", true); }) ==
        "`made` cannot be written: a program of torch.export holds no call_method");
  CHECK(with("torch214/kv_aten.pt2", [&](Graph& g) {
          in_place_of_add(g, Opcode::call_function, "torch.ops.aten.add.Tensor", false);
        }) == "`output` cannot be written: what kind of value `made` is is not known");
  CHECK(with("torch214/kv_aten.pt2",
             [&](Graph& g) { in_place_of_add(g, Opcode::call_function, "torch.ops.aten.add_.Tensor", true); }) ==
        "`made` cannot be written: `torch.ops.aten.add_.Tensor` writes to an operand, and the program is functional");
  CHECK(with("torch214/kv_aten.pt2", [&](Graph& g) {
          in_place_of_add(g, Opcode::call_function, "torch.ops.my.op.default", true);
        }) == "`made` cannot be written: the argument 1 of `torch.ops.my.op.default` has no name that is known");
  CHECK(with("torch214/kv_aten.pt2", [&](Graph& g) { g.rebind(g.argument(node(g, "sum_1"), 0), node(g, "max_1")); }) ==
        "`sum_1` cannot be written: `max_1` stands for several values");
  GraphFile broken = read_pt2("torch214/kv_aten.pt2");
  in_place_of_add(broken.graph, Opcode::call_method, "add", true);
  std::size_t pieces = 0;
  CHECK_THROWS_AS(write_graph(
                      broken, [&](std::string_view) { ++pieces; }, [&](std::uint64_t, std::string_view) { ++pieces; }),
                  Error);
  CHECK(pieces == 0);
}

TEST_CASE("strides are proven for pointwise ops, noted for other ones and never made up for views", "[pt2]") {
  const auto with = [](const std::string& target) {
    GraphFile read = read_pt2("torch214/kv_aten.pt2");
    Graph& g = read.graph;
    const NodeId old = node(g, "add_27");
    const NodeId made = CallBuilder(g)
                            .node(node(g, "x"))
                            .create(Opcode::call_function, g.symbols().intern(target), g.symbols().intern("made"), old);
    TensorMeta meta = *g.metas().tensor_of(g.meta(old));
    meta.strides.reset();
    g.set_meta(made, g.metas().tensor(meta));
    g.replace_uses(old, made);
    const std::vector<Diagnostic> found = check_exported(read);
    return found.empty() ? "" : found[0].kind + ": " + found[0].message;
  };
  CHECK(with("torch.ops.aten.relu.default").empty());
  CHECK(with("torch.ops.aten.sort.default")
            .starts_with("unsayable: `made` cannot be written: nothing takes its result 0"));
  CHECK(with("torch.ops.aten.tril.default") ==
        "assumed-strides: the strides of `made` are not known; it is described as contiguous");
  CHECK(with("torch.ops.aten.alias.default") == "unsayable: `made` cannot be written: its strides are not known");
}

TEST_CASE("sizes that rules worked out are spelled for torch to parse", "[pt2]") {
  GraphFile read = read_pt2("torch214/kv_aten.pt2");
  Graph& g = read.graph;
  Expressions& e = g.metas().expressions();
  const NodeId n = node(g, "add_27");
  TensorMeta meta = *g.metas().tensor_of(g.meta(n));
  (*meta.shape)[1] = e.add((*meta.shape)[1], Size::of(5));
  g.set_meta(n, g.metas().tensor(meta));
  const std::string json = written(read).json;
  CHECK(holds(json,
              "\"add_27\": {\"dtype\": 7, \"sizes\": [{\"as_int\": 1}, {\"as_expr\": {\"expr_str\": \"s11 + 5\", "
              "\"hint\": null}}, "));
  CHECK(holds(json,
              "\"strides\": [{\"as_expr\": {\"expr_str\": \"Mul(Integer(8), Symbol('s11', positive=True, "
              "integer=True))\", \"hint\": {\"as_int\": 24}}}"));
}
