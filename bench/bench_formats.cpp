// Reading and writing graph files, as a multiple of reading and copying the same bytes: a ratio says more than
// nanoseconds, which belong to one machine.
//   bench_formats [NODES...]     default: 10000 100000 1000000
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "bench/measure.hpp"
#include "fxrules/formats.hpp"

namespace fxrules::bench {
namespace {

// What an AOT graph looks like: calls with annotations, deletions, comments, operators and methods.
std::string code_of(std::size_t nodes) {
  std::string out =
      "class <lambda>(torch.nn.Module):\n    def forward(self, arg0_1: \"f32[8, 16][16, 1]cpu\", arg1_1: \"f32[8, "
      "16][16, "
      "1]cpu\"):\n";
  std::string last = "arg0_1", before = "arg1_1";
  for (std::size_t i = 0; i < nodes; ++i) {
    if (i % 8 == 0)
      out += fmt::format("\n        # File: model/layer.py:{} in forward, code: y = f(x) + (y\n", i % 900);
    std::string name;
    switch (i % 4) {
      case 0:
        name = fmt::format("add_{}", i);
        out += fmt::format(
            "        {}: \"f32[8, 16][16, 1]cpu\" = torch.ops.aten.add.Tensor({}, {}, alpha = 2);  {} = None\n", name,
            last, before, before);
        break;
      case 1:
        name = fmt::format("view_{}", i);
        out +=
            fmt::format("        {}: \"f32[16, 8][8, 1]cpu\" = torch.ops.aten.view.default({}, [16, 8])\n", name, last);
        break;
      case 2:
        name = fmt::format("mul_{}", i);
        out += fmt::format("        {}: \"f32[16, 8][8, 1]cpu\" = {} * 0.125;  {} = None\n", name, last, last);
        break;
      default:
        name = fmt::format("to_{}", i);
        out +=
            fmt::format("        {}: \"f16[16, 8][8, 1]cpu\" = {}.to(torch.float16);  {} = None\n", name, last, last);
    }
    if (i % 4 < 2) before = last;  // the value that is not freed and used once more
    last = name;
  }
  return out + fmt::format("        return ({}, {})\n", last, before);
}

struct Times {
  double copy = 0, read = 0, write = 0;
};

// Medians of the rounds.
Times measure(const std::string& path, int rounds) {
  std::vector<double> copies, reads, writes;
  for (int i = 0; i < rounds; ++i) {
    std::string text;
    copies.push_back(timed([&] {
      std::ifstream in(path, std::ios::binary);
      in.seekg(0, std::ios::end);
      text.resize(static_cast<std::size_t>(in.tellg()));
      in.seekg(0);
      in.read(text.data(), static_cast<std::streamsize>(text.size()));
      const std::string copy = text;
      keep(static_cast<std::uint64_t>(copy.back()));
    }));
    const auto source = std::make_shared<Source>(Source{"bench", std::move(text)});
    GraphFile file;
    reads.push_back(timed([&] { file = read_graph(source); }));
    if (has_errors(file.diagnostics)) {
      fmt::print(stderr, "{}", render(file.diagnostics));
      std::exit(1);
    }
    std::size_t bytes = 0;
    writes.push_back(timed([&] { write_graph(file, [&](std::string_view piece) { bytes += piece.size(); }); }));
    keep(bytes);
  }
  return {median(copies), median(reads), median(writes)};
}

void run(std::string_view form, std::size_t nodes, const std::string& text) {
  const std::string path = fmt::format("bench_formats.{}.tmp", ::getpid());
  std::ofstream(path, std::ios::binary) << text;
  const Times t = measure(path, nodes > 2'000'000 ? 3 : 5);
  std::remove(path.c_str());
  const auto per_node = [&](double seconds) { return seconds * 1e9 / static_cast<double>(nodes); };
  fmt::print("{:<8} {:>9} nodes {:>6.0f} MB   read {:>6.0f} ns/node {:>6.1f}x   write {:>6.0f} ns/node {:>6.1f}x\n",
             form, nodes, static_cast<double>(text.size()) / 1e6, per_node(t.read), t.read / t.copy, per_node(t.write),
             t.write / t.copy);
  std::fflush(stdout);
}

}  // namespace
}  // namespace fxrules::bench

int main(int argc, char** argv) {
  using namespace fxrules;
  std::vector<std::size_t> sizes;
  for (int i = 1; i < argc; ++i) sizes.push_back(std::strtoull(argv[i], nullptr, 10));
  if (sizes.empty()) sizes = {10'000, 100'000, 1'000'000};
  fmt::print("{}\n", bench::environment());
  for (const std::size_t nodes : sizes) {
    const std::string code = bench::code_of(nodes);
    bench::run("code", nodes, code);
    const GraphFile file = read_graph(std::make_shared<Source>(Source{"bench", code}));
    bench::run("text IR", nodes, to_text(file.graph));
  }
  return 0;
}
