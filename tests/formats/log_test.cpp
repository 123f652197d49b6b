// Graphs amid log lines, payloads and colours; tables.
#include <fmt/format.h>

#include "tests/formats/support.hpp"

using namespace fxrules;
using namespace fxrules::testing;

namespace {

const std::string kCode =
    "class GraphModule(torch.nn.Module):\n    def forward(self, x: \"f32[4]\"):\n        # File: a.py:1 in f, code: y "
    "= (\n"
    "        neg: \"f32[4]\" = -x;  x = None\n        return (neg,)\n";

std::string prefixed(const std::string& prefix, const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    out += prefix + text.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return out;
}

std::string summary(const GraphFiles& files) {
  INFO(render(files.diagnostics));
  std::string out;
  for (const GraphFile& file : files.graphs) {
    CHECK_FALSE(has_errors(file.diagnostics));
    out += fmt::format("{}|{}|{}\n", file.title, file.origin, file.graph.size());
  }
  return out;
}

}  // namespace

TEST_CASE("a log of torch holds its graphs", "[formats]") {
  const GraphFiles files = read_graphs(source_of(file_text("graphs/925_log_graph_code_aot_214.txt")));
  CHECK(summary(files) ==
        "__compiled_fn_1_f2117475_0d1a_40d3_83d7_230bd40f6480|[0/0] graph_code|21\n"
        "Forward graph 0|[0/0] aot_graphs|33\n");
  // The graph of the log is that of the file, but for comments.
  CHECK(to_text(files.graphs[0].graph) == to_text(read(file_text("graphs/908_readable_dynamo_kv_214.txt")).graph));
}

TEST_CASE("prefixes of every kind are taken off", "[formats]") {
  const std::string head = "TRACED GRAPH\n ===== a graph =====\n  torch/fx/_lazy_graph_module.py " + kCode + "\n";
  for (const std::string prefix : {
           "V1129 14:45:45.869000 1300 torch/_dynamo/output_graph.py:2936] [0/0] [__graph_code] ",
           "[rank1]:V1129 14:45:45.869000 1300 torch/_dynamo/output_graph.py:2936] [1/2_1] [__graph_code] ",
           "I0512 14:45:45.869000 140144363024384 torch/_dynamo/output_graph.py:1] [!0/3/0_1] ",
           "[2023-11-02 12:00:00,000] [0/0] torch._dynamo.output_graph.__graph_code: [DEBUG] ",
           "[0/0] [__graph_code] ",
           "[0/0] ",
           "14:45:45.869000 1300 torch/_dynamo/output_graph.py:2936] [0/0] [__graph_code] ",
           "torch/_dynamo/output_graph.py:2936] [0/0] [__graph_code] ",
           "[rank0]: ",
           "[default0]:[rank0]:V1129 14:45:45.869000 1300 torch/_dynamo/output_graph.py:2936] [0/0] ",
           "(EngineCore_0 pid=4711) V1129 14:45:45.869000 1300 torch/_dynamo/output_graph.py:2936] [0/0] ",
           "3: 2025-01-01T00:00:00.123Z V1129 14:45:45.869000 1300 torch/_dynamo/output_graph.py:2936] [0/0] ",
       }) {
    INFO(prefix);
    const GraphFiles files = read_graphs(source_of(prefixed(prefix, head)));
    REQUIRE(files.graphs.size() == 1);
    CHECK(files.graphs[0].title == "a graph");
    CHECK(to_text(files.graphs[0]) == kCode);
  }
  // Without any prefix, as people cut them off.
  const GraphFiles bare = read_graphs(source_of(head));
  REQUIRE(bare.graphs.size() == 1);
  CHECK(bare.graphs[0].title == "a graph");
}

TEST_CASE("lines of several ranks are told apart", "[formats]") {
  std::string log, other = kCode;
  other.replace(other.find("-x"), 2, "~x");
  const std::string first = prefixed("[rank0]:V1129 14:45:45.869000 1 a.py:1] [0/0] [__aot_graphs] ", kCode);
  const std::string second = prefixed("[rank1]:V1129 14:45:45.869000 2 a.py:1] [0/0] [__aot_graphs] ", other);
  for (std::size_t a = 0, b = 0; a < first.size() && b < second.size();) {
    const std::size_t end_a = first.find('\n', a) + 1, end_b = second.find('\n', b) + 1;
    log += first.substr(a, end_a - a) + second.substr(b, end_b - b);
    a = end_a, b = end_b;
  }
  const GraphFiles files = read_graphs(source_of(log + "a line of the program\n"));
  CHECK(summary(files) == "GraphModule|[rank0] [0/0] aot_graphs|3\nGraphModule|[rank1] [0/0] aot_graphs|3\n");
  CHECK(to_text(files.graphs[0]) == kCode);
  CHECK(to_text(files.graphs[1]) == other);
}

TEST_CASE("errors in a log are shown where they stand", "[formats]") {
  std::string broken = kCode;
  broken.replace(broken.find("-x"), 2, "-z");
  const std::string prefix = "V1129 14:45:45.869000 1300 a.py:1] [0/0] [__graph_code] ";
  const GraphFiles files = read_graphs(source_of(prefixed(prefix, broken)));
  REQUIRE(files.graphs.size() == 1);
  CHECK(
      render(files.graphs[0].diagnostics).starts_with("graph.txt:4:82: error: no node is called `z` [unknown-node]\n"));
}

TEST_CASE("payloads of TORCH_TRACE are graphs", "[formats]") {
  const std::string prefix = "V1129 14:45:45.869000 1300 torch/_logging/structured.py:1] ";
  const std::string log =
      prefix + "{\"dynamo_start\": {\"stack\": []}, \"frame_id\": 0}\n" + prefix +
      "{\"dynamo_output_graph\": {\"sizes\": {\"x\": [4]}}, \"frame_id\": 0, \"frame_compile_id\": 1, \"has_payload\": "
      "\"5e\"}\n" +
      prefixed("\t", kCode) + prefix + "{\"chromium_event\": {}, \"has_payload\": \"1\"}\n\t{\"name\": 1}\n" + prefix +
      "{\"artifact\": {\"name\": \"before_post_grad_graph\", \"encoding\": \"string\"}, \"rank\": 0}\n" +
      prefixed("\t", kCode) + "\n";
  const GraphFiles files = read_graphs(source_of(log));
  CHECK(summary(files) == "dynamo_output_graph|[0/1]|3\nbefore_post_grad_graph||3\n");
  CHECK(to_text(files.graphs[0]) == kCode);
}

TEST_CASE("colours are taken off", "[formats]") {
  std::string text = kCode;
  text.replace(text.find("f32[4]\" ="), 6, "\x1b[31mf32\x1b[0m\x1b[34m[4]\x1b[0m");
  text.replace(text.find("x = None"), 8, "\x1b[2mx = None\x1b[0m");
  CHECK(to_text(read(text)) == kCode);
}

TEST_CASE("tables are read with what they lose", "[formats]") {
  const GraphFile file = read_graph(source_of(file_text("graphs/911_tabular_dynamo_misc_214.txt")));
  CHECK(file.form == GraphForm::tabular);
  REQUIRE(file.diagnostics.size() == 1);
  CHECK(file.diagnostics[0].kind == "lost-target");
  CHECK(verify(file.graph).empty());
  // All but the functions whose module the table does not say.
  std::string table = to_text(file.graph),
              text = to_text(read(file_text("graphs/912_textir_dynamo_misc_214.txt")).graph);
  for (const auto& [lost, full] : std::vector<std::pair<std::string, std::string>>{
           {"<function interpolate at 0x7fb2ebbd8300>", "torch.nn.functional.interpolate"},
           {"<function einsum at 0x7fb2eb88ab90>", "torch.functional.einsum"},
           {"<function _enter_autocast at 0x7fb2ec972820>", "torch.amp.autocast_mode._enter_autocast"},
           {"<function _exit_autocast at 0x7fb2ec972cf0>", "torch.amp.autocast_mode._exit_autocast"},
       })
    table.replace(table.find(lost), lost.size(), full);
  for (const std::string type : {" torch.SymInt", " torch.Tensor"}) {
    for (std::size_t at = text.find(type + " ["); at != std::string::npos; at = text.find(type + " ["))
      text.erase(at, type.size());
  }
  CHECK(table == text);
  const auto rows = [](const std::string& more) {
    return "opcode         name    target                   args    kwargs\n-------------  ------  "
           "-----------------------  "
           "------  --------\nplaceholder    x       x                        ()      {}\n" +
           more;
  };
  const auto problem = [&](const std::string& more) { return render(read_graph(source_of(rows(more))).diagnostics); };
  CHECK(problem("call_function  a       <built-in function neg>  (z,)    {}\noutput         output  output             "
                "      (a,)    {}\n")
            .starts_with("graph.txt:4:50: error: no node is called `z`"));
  CHECK(problem("call_function  a       <built-in function neg>  (x,     {}\n").starts_with("graph.txt:4:"));
  const std::string head = "opcode         name    target    args    kwargs";
  for (const std::string cut :
       {"", "\n", "\r\n", "\n-------------  ------  --------  ------  --------\n", "\n\ntext\n"}) {
    INFO(cut);
    const GraphFiles files = read_graphs(source_of(head + cut));
    REQUIRE(files.graphs.size() == 1);
    CHECK(render(files.graphs[0].diagnostics)
              .starts_with("graph.txt:1:1: error: the table has a head and no rows [no-graph]\n"));
  }
  CHECK(problem("call_funktion  a       <built-in function neg>  (x,)    {}\n")
            .starts_with("graph.txt:4:1: error: this row does not begin with an opcode"));
}
