// One entry for libFuzzer a reader: a graph that is read without errors holds its invariants, and what is
// written of it is read again as the same text. FUZZ_FORM chooses the reader by the text in front.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "fxrules/formats.hpp"

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

std::string text_of(const std::uint8_t* data, std::size_t size) {
  return std::string(FUZZ_FRONT) + std::string(reinterpret_cast<const char*>(data), size);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fxrules;
  const GraphFiles files = read_graphs(std::make_shared<Source>(Source{"fuzz", text_of(data, size)}));
  check(!render(files.diagnostics).empty() || files.diagnostics.empty());
  for (const GraphFile& file : files.graphs) {
    if (has_errors(file.diagnostics)) continue;
    check(verify(file.graph).empty());
    const std::string once = to_text(file);
    const GraphFiles again = read_graphs(std::make_shared<Source>(Source{"again", once}));
    if (!again.ok() || again.graphs.size() != 1) continue;  // what stands around it may hold a graph, too
    check(to_text(again.graphs[0]) == once);
    for (const OutputForm form : {OutputForm::readable, OutputForm::fx, OutputForm::dot, OutputForm::svg})
      write_as(file, form, [](std::string_view) {});
  }
  return 0;
}
