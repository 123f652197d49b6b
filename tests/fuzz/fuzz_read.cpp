// The entry of a reader, which the text FUZZ_FRONT in front of every input chooses: a graph that is read without errors
// holds its invariants, and what is written of it is read again as the same text.
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
    if (file.exported != nullptr) {  // what cannot be written says so
      if (has_errors(check_exported(file)) || is_archive(file)) continue;
    }
    // A table is written as text IR, which may go on in the text that stood behind the table.
    const std::string once = file.form == GraphForm::tabular ? to_text(file.graph) : to_text(file);
    const GraphFiles again = read_graphs(std::make_shared<Source>(Source{"again", once}));
    if (!again.ok() || again.graphs.size() != 1) continue;  // what stands around it may hold a graph, too
    check(to_text(again.graphs[0]) == once);
    for (const OutputForm form : {OutputForm::readable, OutputForm::fx, OutputForm::dot, OutputForm::svg})
      write_as(file, form, [](std::string_view) {});
  }
  return 0;
}
