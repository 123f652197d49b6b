// Out in other forms, with what they lose.
#include "tests/formats/support.hpp"

using namespace fxrules;
using namespace fxrules::testing;

namespace {

std::string as(const GraphFile& file, OutputForm form) {
  std::string out;
  write_as(file, form, [&](std::string_view piece) { out += piece; });
  return out;
}

std::string kinds(const std::vector<Diagnostic>& losses) {
  std::string out;
  for (const Diagnostic& d : losses) out += (out.empty() ? "" : " ") + d.kind;
  return out;
}

const std::string kNested =
    "class M(torch.nn.Module):\n    def forward(self, x: \"f32[4][1]cpu\"):\n        sub = self.sub(x);  x = None\n    "
    "    return "
    "(sub,)\n\n    class sub(torch.nn.Module):\n        def forward(self, y):\n            neg = -y;  y = None\n       "
    "     return neg\n";

}  // namespace

TEST_CASE("readable code becomes text IR and comes back", "[formats]") {
  for (const char* path : {"graphs/908_readable_dynamo_kv_214.txt", "graphs/923_readable_makefx_symbolic_214.txt",
                           "graphs/927_debugdir_fx_graph_readable_214.txt"}) {
    INFO(path);
    const GraphFile file = read(file_text(path));
    const GraphFile text = read(as(file, OutputForm::fx));
    const GraphFile again = read(as(text, OutputForm::readable));
    // Inputs have no metadata in text IR.
    for (const NodeId n : again.graph.nodes()) {
      if (again.graph.opcode(n) == Opcode::placeholder || again.graph.opcode(n) == Opcode::get_attr) continue;
      const NodeId before = file.graph.find(again.graph.name(n));
      REQUIRE(before.valid());
      if (again.graph.meta(n).valid())
        CHECK(again.graph.metas().text(again.graph.meta(n)) == file.graph.metas().text(file.graph.meta(before)));
      CHECK(again.graph.target(n) == file.graph.target(before));
    }
  }
}

TEST_CASE("every form of a graph with a nested one", "[formats]") {
  const GraphFile file = read(kNested);
  CHECK(as(file, OutputForm::readable) == kNested);
  CHECK(kinds(losses(file, OutputForm::readable)).empty());
  CHECK(kinds(losses(file, OutputForm::fx)) == "lost-nested lost-metadata");
  CHECK(kinds(losses(file, OutputForm::code)) == "lost-nested lost-metadata");
  CHECK(
      as(file, OutputForm::code)
          .ends_with(
              "NoneType = type(None)\n\ndef forward(self, x):\n    sub = self.sub(x);  x = None\n    return (sub,)\n"));
  const std::string dot = as(file, OutputForm::dot);
  CHECK(dot.find("0 [label=\"x\\nf32[4][1]cpu\", fillcolor=\"#d5e8d4\"];") != std::string::npos);
  CHECK(dot.find("label=\"sub\";") != std::string::npos);
  const std::string svg = as(file, OutputForm::svg);
  CHECK(svg.starts_with("<svg "));
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(svg.find(">operator.neg</text>") != std::string::npos);
}

TEST_CASE("what text IR leaves open is decided and reported", "[formats]") {
  const auto code = [](const std::string& arguments, const std::string& keywords) {
    const GraphFile file = read(call_with(arguments, keywords));
    const std::string text = as(file, OutputForm::code);
    const std::size_t at = text.find("torch.f(");
    return text.substr(at, text.find('\n', at) - at) + " | " + kinds(losses(file, OutputForm::code));
  };
  CHECK(code("%x, mean", "") == "torch.f(x, 'mean');  x = None | ");
  CHECK(code("%x,", "device: cuda:0") == "torch.f(x, device = device(type='cuda', index=0));  x = None | ");
  CHECK(code("%x, cpu", "") == "torch.f(x, 'cpu');  x = None | ambiguous-text");
  CHECK(code("%x, 2*s0", "") == "torch.f(x, 2*s0);  x = None | ambiguous-text");
  CHECK(code("%x, (1+2j), 2j", "") == "torch.f(x, (1+2j), complex(0.0, 2.0));  x = None | ");
  CHECK(code("%x, it's, ", "") == "torch.f(x, \"it's\", '');  x = None | ");
}

TEST_CASE("functions outside of torch are imported", "[formats]") {
  const GraphFile file = read(
      "graph():\n    %x : [num_users=2] = placeholder[target=x]\n    %math_sqrt : [num_users=1] = "
      "call_function[target=my.pkg.f](args "
      "= (%x,), kwargs = {})\n    %a : [num_users=1] = call_function[target=math.sqrt](args = (%math_sqrt,), kwargs = "
      "{})\n    %b : "
      "[num_users=0] = call_function[target=lambda x: x](args = (%x,), kwargs = {})\n    return a\n");
  const std::string code = as(file, OutputForm::code);
  CHECK(code.find("from my.pkg import f as my_pkg_f\nfrom math import sqrt as math_sqrt_1\n") != std::string::npos);
  CHECK(code.find("a = math_sqrt_1(math_sqrt)") != std::string::npos);
  CHECK(kinds(losses(file, OutputForm::code)) == "lost-target");
  const GraphFile again = read(code);
  CHECK(again.graph.target(again.graph.find("a")) == "math.sqrt");
}
