// What text IR cannot say is found, and nothing else: whatever is not reported reads back as it was.
#include "fxrules/formats.hpp"
#include "tests/formats/support.hpp"
#include "tests/support/catch.hpp"

using namespace fxrules;

namespace {

// A call that takes x and this string, in a list where asked.
Graph with_string(const std::string& text, bool in_list, bool keyword = false) {
  Graph g;
  const NodeId x = CallBuilder(g).create(Opcode::placeholder, "x", "x");
  NodeId y;
  {
    CallBuilder b(g);
    b.node(x);
    if (keyword) b.keyword("mode");
    if (in_list) b.open(ArgKind::list);
    b.spelled(ArgKind::string, text);
    if (in_list) b.close();
    y = b.create(Opcode::call_function, "my.f", "y");
  }
  CallBuilder(g).node(y).create(Opcode::output, "output", "output");
  return g;
}

bool reads_back(const Graph& g) {
  const GraphFile file = read_graph(std::make_shared<Source>(Source{"g.txt", to_text(g)}));
  if (has_errors(file.diagnostics) || file.graph.size() != g.size()) return false;
  const NodeId before = g.find("y"), after = file.graph.find("y");
  if (!after.valid() || g.slots(before).size() != file.graph.slots(after).size()) return false;
  for (std::size_t i = 0; i < g.slots(before).size(); ++i) {
    const Slot &a = g.slots(before)[i], &b = file.graph.slots(after)[i];
    if (is_container(a.kind) || a.kind == ArgKind::node
            ? a.kind != b.kind
            : b.kind != ArgKind::bare || g.text(a.symbol()) != file.graph.text(b.symbol()))
      return false;
  }
  return true;
}

}  // namespace

TEST_CASE("what is reported is exactly what reads back as something else", "[formats]") {
  const char* const texts[] = {"",
                               "mean",
                               "1",
                               "1.5",
                               "-1",
                               "1e5",
                               "007",
                               "None",
                               "True",
                               "Ellipsis",
                               "inf",
                               "nan",
                               "(1+2j)",
                               "%x",
                               "%nobody",
                               "a %x b",
                               "a, b",
                               "a, %b)",
                               "a)",
                               "(a",
                               "[1, 2]",
                               "(1, 2)",
                               "(a)",
                               "{a: 1}",
                               "a: b",
                               "cuda:0",
                               "ij,jk->ik",
                               "a b",
                               " a",
                               "a ",
                               "torch.float32",
                               "torch.strided",
                               "aten.add.Tensor",
                               "<class 'int'>",
                               "slice(1, 2, None)",
                               "slice",
                               "range(1, 2)",
                               "it's",
                               "a\nb",
                               "a\n    return x",
                               "\n",
                               "a\n    %z : [num_users=0] = placeholder[target=z]",
                               "]",
                               "}",
                               "), kwargs = {})",
                               "\xc3\xa4",
                               "s0",
                               "2*s0",
                               "a,",
                               ",",
                               ", ",
                               "'",
                               "\"a\"",
                               "a\tb",
                               "\r"};
  std::size_t said = 0;
  for (const char* text : texts) {
    for (const bool in_list : {false, true}) {
      for (const bool keyword : {false, true}) {
        const Graph g = with_string(text, in_list, keyword);
        INFO("text `" << text << "`" << (in_list ? " in a list" : "") << (keyword ? " by keyword" : "") << "\n"
                      << to_text(g));
        const std::vector<Unsayable> found = unsayable_in_text_ir(g);
        CHECK(found.empty() == reads_back(g));
        for (const Unsayable& u : found) CHECK(g.name(u.node) == "y");
        said += found.empty();
      }
    }
  }
  CHECK(said > 40);
}

TEST_CASE("a graph that was read can be written", "[formats]") {
  const std::string text =
      "graph():\n"
      "    %x : torch.Tensor [num_users=3] = placeholder[target=L_x_](default=a b)\n"
      "    %w : [num_users=0] = get_attr[target=layers.0.weight]\n"
      "    %s0 : [num_users=1] = call_method[target=size](args = (%x, 0), kwargs = {})\n"
      "    %y : [num_users=1] = call_function[target=my.f](args = (%x, mean, [1, a b], {k: v, l: (1,)}, cuda:0, "
      "slice(s0, None, 2*s1)), kwargs = {eq: ij,jk->ik, none: })\n"
      "    %m : [num_users=1] = call_module[target=layers.0](args = (%y,), kwargs = {})\n"
      "    return (m, 'a, b', None, x)\n";
  const GraphFile file = read_graph(std::make_shared<Source>(Source{"g.txt", text}));
  INFO(render(file.diagnostics));
  REQUIRE_FALSE(has_errors(file.diagnostics));
  CHECK(unsayable_in_text_ir(file.graph).empty());
}
