// Hostile text: long lines, deep nesting, many of everything. What matters is that each case ends soon;
// the limits are far above what linear work needs, and far below what quadratic work would take.
#include <chrono>
#include <cstdlib>
#include <random>

#include "tests/formats/support.hpp"

using namespace fxrules;
using namespace fxrules::testing;

namespace {

constexpr std::size_t kMany = 1000000;

std::string repeated(std::string_view part, std::size_t count) {
  std::string out;
  out.reserve(part.size() * count);
  for (std::size_t i = 0; i < count; ++i) out += part;
  return out;
}

GraphFile read_soon(const std::string& text) {
  const auto start = std::chrono::steady_clock::now();
  GraphFile file = read_graph(source_of(text));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  INFO(text.substr(0, 200));
  CHECK(took.count() < 20);
  CHECK(file.diagnostics.size() < 200);
  CHECK(render(file.diagnostics).size() < 100000);
  return file;
}

}  // namespace

TEST_CASE("a million nested brackets are read and written", "[formats][hostile]") {
  const std::string text = call_with(repeated("[", kMany) + "%x" + repeated("]", kMany) + ", 1");
  const GraphFile file = read_soon(text);
  CHECK_FALSE(has_errors(file.diagnostics));
  CHECK((to_text(file) == text));
  CHECK(verify(file.graph).empty());
  const std::string tuples = call_with(repeated("(", kMany) + "%x" + repeated(",)", kMany) + ", {" +
                                       repeated("a: {", kMany) + repeated("}", kMany) + "}");
  CHECK((to_text(read_soon(tuples)) == tuples));
  const std::string value = "graph():\n    return " + repeated("(", kMany) + "None" + repeated(",)", kMany);
  CHECK((to_text(read_soon(value)) == value));
  const std::string slices = call_with("%x, " + repeated("slice(", kMany) + "x" + repeated(", 1, 2)", kMany));
  CHECK((to_text(read_soon(slices)) == slices));
}

TEST_CASE("brackets that are text at every level are read in one pass", "[formats][hostile]") {
  for (const std::string& text : {call_with("%x, " + repeated("(", kMany) + "a" + repeated(")", kMany)),
                                  call_with("%x, " + repeated("{", kMany) + repeated("}", kMany)),
                                  call_with("%x, " + repeated("(a)(", kMany) + repeated(")", kMany)),
                                  call_with("%x, " + repeated("slice(", kMany) + repeated(")", kMany))})
    CHECK((to_text(read_soon(text)) == text));
}

TEST_CASE("brackets without end are one error", "[formats][hostile]") {
  for (const std::string_view part : {"(",  "[",     "{", "(a, ", "[1, ", "{a: ", "slice(", ")",  "]", "({[",
                                      "a(", "%x, (", "'", "\"",   ", ",   ",",    ": ",     "{a", "%", "%x : "}) {
    const std::string many = repeated(part, kMany / 4);
    CHECK(read_soon(call_with(many + "%x")).graph.id_bound() <= 4);
    CHECK(read_soon(call_with("%x, " + many)).graph.id_bound() <= 4);
    CHECK(read_soon("graph():\n    %x : [num_users=1] = placeholder[target=x]\n    return " + many).graph.id_bound() <=
          2);
    CHECK(read_soon("graph():\n    %x : [num_users=1] = placeholder[target=x](default=" + many + "\n    return x")
              .graph.id_bound() <= 2);
    CHECK(read_soon("graph():\n    %" + many).graph.id_bound() <= 1);
    CHECK(read_soon("graph():\n    %x : " + many).graph.id_bound() <= 1);
  }
}

TEST_CASE("many broken lines stop the reading", "[formats][hostile]") {
  for (const std::string_view line :
       {"    %x : [num_users=1] = placeholder[target=\n", "    %x\n", "%\n", "    junk\n", "junk\n", "\n", "graph():\n",
        "graph(\n", "    %x : [num_users=1] = call_function[target=f](args = (\n",
        "    %x : [num_users=1] = call_function[target=f](args = (a\n  b,), kwargs = {\n",
        "> %x : [num_users=1] = call_function[target=f](args = (a\nb,), kwargs = {})\n", "graph(%x):\n",
        "lowered graph():\n    return a\n", "[num_users=\n", "x graph():\n", "def forward(self\n"}) {
    const std::string many = repeated(line, kMany / 4);
    read_soon(many);
    read_soon("graph():\n" + many);
    read_soon("graph():\n    %a : [num_users=0] = placeholder[target=a]\n" + many + "    return None\n");
    const GraphFiles all = read_graphs(source_of(repeated(line, 20000)));
    CHECK(all.diagnostics.size() < 100000);
  }
}

TEST_CASE("a file of nothing but headers is refused", "[formats][hostile]") {
  const GraphFiles files = read_graphs(source_of(repeated("graph():\n", 60000)));
  CHECK(files.graphs.size() == 50000);
  CHECK_FALSE(files.ok());
  CHECK(render(files.diagnostics.front()) ==
        "error: graph.txt: more than 50000 graphs in a file are not read [too-large]\n");
}

TEST_CASE("one line of many megabytes", "[formats][hostile]") {
  const std::string list = call_with("[" + repeated("%x, 1.5, mean, ", kMany) + "None],");
  CHECK((to_text(read_soon(list)) == list));
  const std::string string = call_with("%x, " + repeated("a b", 4 * kMany));
  CHECK((to_text(read_soon(string)) == string));
  const std::string unbalanced = call_with("%x, " + repeated(":-( ", kMany));
  CHECK((to_text(read_soon(unbalanced)) == unbalanced));
  const std::string lines = call_with("%x, " + repeated("text\n", kMany));
  CHECK((to_text(read_soon(lines)) == lines));
  read_soon(repeated("graph(", 2 * kMany));
  read_soon(repeated("graph():", 2 * kMany) + "\n");
  read_soon("graph():\n    %" + repeated("x", 10 * kMany) + " : [num_users=1] = placeholder[target=x]\n    return y\n");
  read_soon("graph():\n    %x : [num_users=1] = placeholder[target=x]\n    return " + repeated("y", 10 * kMany) + "\n");
  read_soon("graph():\n    %x : Tensor \"f32[" + repeated("(", kMany) +
            "\"[num_users=1] = call_method[target=x](args = (1,), kwargs = {})\n    return x\n");
}

TEST_CASE("a long chain is read in linear time", "[formats][hostile]") {
  const auto chain = [](std::size_t nodes) {
    std::string text = "graph():\n    %n0 : [num_users=1] = placeholder[target=x]\n";
    for (std::size_t i = 1; i <= nodes; ++i)
      text += "    %n" + std::to_string(i) + " : [num_users=1] = call_function[target=torch.add](args = (%n" +
              std::to_string(i - 1) + ", 1.5), kwargs = {alpha: 2})\n";
    return text + "    return (n" + std::to_string(nodes) + ",)\n";
  };
  const std::string text = chain(200000);
  const GraphFile file = read_soon(text);
  CHECK(file.diagnostics.empty());
  CHECK(file.graph.size() == 200002);
  CHECK((to_text(file) == text));
}

// Bytes of real dumps changed, dropped and repeated at random: whatever comes out, the reader says what is
// wrong or gives a graph that holds its invariants and that comes back as text it reads again.
TEST_CASE("damaged dumps never break the reader", "[formats][hostile]") {
  std::mt19937 random(11);
  const bool full = std::getenv("FXRULES_FULL") != nullptr;
  std::size_t whole = 0;
  for (const char* path : {"graphs/903_textir_zoo_args_214.txt", "graphs/912_textir_dynamo_misc_214.txt",
                           "graphs/934_textir_export_while_cond_214.txt", "graphs/907_textir_dynamo_kv_214.txt"}) {
    const std::string text = file_text(path);
    for (int round = 0; round < (full ? 20000 : 400); ++round) {
      std::string damaged = text;
      for (unsigned n = 1 + random() % 3; n > 0; --n) {
        static constexpr std::string_view kBytes = "()[]{},: %'\"=\nx0.-sr\\";
        const std::size_t at = random() % damaged.size();
        switch (random() % 4) {
          case 0:
            damaged[at] = kBytes[random() % kBytes.size()];
            break;
          case 1:
            damaged.erase(at, 1 + random() % 20);
            break;
          case 2:
            damaged.insert(at, 1, kBytes[random() % kBytes.size()]);
            break;
          default:
            damaged.insert(at, damaged.substr(random() % damaged.size(), random() % 40));
            break;
        }
      }
      if (random() % 8 == 0) damaged.resize(random() % damaged.size());
      const GraphFile file = read_graph(source_of(damaged));
      if (has_errors(file.diagnostics)) continue;
      ++whole;
      for (const Diagnostic& d : verify(file.graph)) {
        if (d.kind != "missing-self" && d.kind != "target") FAIL(render(d) << damaged);
      }
      const std::string written = to_text(file);
      const GraphFile again = read_graph(source_of(written));
      if (has_errors(again.diagnostics) || to_text(again) != written) FAIL(render(again.diagnostics) << written);
    }
  }
  CHECK(whole > 100);
}
