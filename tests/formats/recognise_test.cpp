// Forms are told apart without being asked for, and what is not read is refused by name.
#include "tests/formats/support.hpp"

using namespace fxrules;
using namespace fxrules::testing;

TEST_CASE("forms are recognised", "[formats]") {
  const auto zip = [](const std::string& names) { return std::string("PK\x03\x04", 4) + names; };
  const std::vector<std::pair<std::string, GraphForm>> cases{
      {"graph():\n    return x\n", GraphForm::text_ir},
      {"lowered graph():\n    %x : [num_users=1] = placeholder[target=x]\n", GraphForm::text_ir},
      {"%x : [#users=1] = placeholder[target=x]\n", GraphForm::text_ir},
      {"While executing %add : [num_users=1] = call_function[target=operator.add](args = (), kwargs = {})",
       GraphForm::text_ir},
      {"\n\n\ndef forward(self, x):\n    return x\n", GraphForm::code},
      {"class <lambda>(torch.nn.Module):\n    def forward(self, arg0_1):\n", GraphForm::code},
      {"opcode         name    target    args    kwargs\n------\n", GraphForm::tabular},
      {"ExportedProgram:\n    class GraphModule(torch.nn.Module):\n", GraphForm::exported_program},
      {"{\"graph_module\": {\"graph\": {}}}", GraphForm::program_json},
      {"{\"config\": {}}", GraphForm::payload_json},
      {zip("model/archive_format model/models/model.json"), GraphForm::pt2_archive},
      {zip("serialized_exported_program.json"), GraphForm::legacy_export_archive},
      {zip("model/data/aotinductor/model/x.so"), GraphForm::aotinductor_archive},
      {zip("m/data.pkl m/code/x.py m/constants.pkl"), GraphForm::torchscript_archive},
      {zip("archive/data.pkl"), GraphForm::torch_save},
      {zip("readme.txt"), GraphForm::archive},
      {std::string("\x80\x04\x95", 3), GraphForm::pickle},
      {"graph(%x : Tensor):\n  %2 : int = prim::Constant[value=1]()\n  return (%2)\n", GraphForm::torchscript},
      {"op0: ExternKernelSchedulerNode(FallbackKernel)\n", GraphForm::inductor_ir},
      {"class op1_loop_body:\n    var_ranges = {}\n    def body(self, ops):\n", GraphForm::inductor_ir},
      {"async_compile = AsyncCompile()\n", GraphForm::inductor_code},
      {"module {\n  func.func @main() {\n", GraphForm::mlir},
      {"V0729 10:00:00.000000 1234 torch/_dynamo/guards.py:1] [0/0] nothing here\n", GraphForm::log},
      {"V0729 10:00:00.000000 1234 torch/_logging/x.py:1] {\"dynamo_start\": 1}\n\t[]\n", GraphForm::trace_log},
      {"", GraphForm::empty},
      {" \n\t\n", GraphForm::empty},
      {"hello\n", GraphForm::unknown},
      {"PK", GraphForm::unknown},
  };
  for (const auto& [text, form] : cases) {
    INFO(text);
    CHECK(describe(recognise(text)) == describe(form));
  }
}

TEST_CASE("what is not read is refused with a sentence", "[formats]") {
  const auto refusal = [](const std::string& text) {
    const GraphFiles files = read_graphs(source_of(text, "in.txt"));
    CHECK(files.graphs.empty());
    CHECK_FALSE(files.ok());
    return render(files.diagnostics);
  };
  CHECK(refusal("graph(%x : Tensor):\n  return (%x)\n") ==
        "error: in.txt: this is TorchScript IR, which holds no FX graph [no-graph]\n"
        "hint: capture the model with torch.export or torch.fx and print `gm.graph`\n");
  CHECK(refusal(std::string("\x80\x02}q", 4)) ==
        "error: in.txt: this is a pickle, which holds no FX graph [no-graph]\n"
        "hint: weights and objects are no graph: give the text of `print(gm.graph)`\n");
  CHECK(refusal("") ==
        "error: in.txt: this is an empty file, which holds no FX graph [no-graph]\nhint: give the text of "
        "`print(gm.graph)`\n");
  CHECK(refusal(std::string("\xFF\xFEg\0r\0", 6)) ==
        "error: in.txt: this is text in UTF-16, which is not read [no-graph]\nhint: save it as UTF-8\n");
  CHECK(refusal("hello\n") ==
        "error: in.txt: no graph found, in none of the known forms [no-graph]\nhint: give the text of "
        "`print(gm.graph)`\n");
  CHECK(
      refusal("class Net(torch.nn.Module):\n    def __init__(self): pass\n") ==
      "error: in.txt: this looks like Python code of a graph module (`gm.code`, `print_readable()`) and holds no `def "
      "forward(` [no-graph]\n"
      "hint: capture the model with torch.export or torch.fx and print `gm.graph`\n");
  CHECK(refusal("x> class G(torch.nn.Module):\nx>     def forward(self):\n") ==
        "in.txt:2:8: error: no graph is read here, since `def forward(` does not begin its line [no-graph]\n"
        "  2 | x>     def forward(self):\n"
        "    |        ^~~~~~~~~~~\n"
        "hint: take off what stands in front of each line\n");
  const GraphFile file = read_graph(source_of("hello"));
  CHECK(file.form == GraphForm::unknown);
  CHECK(has_errors(file.diagnostics));
}
