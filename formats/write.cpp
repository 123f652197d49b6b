// A graph goes out in the form in which it came.
#include "formats/code/write.hpp"

#include "fxrules/formats.hpp"

namespace fxrules {

void write_graph(const GraphFile& file, const Sink& sink) {
  if (file.exported != nullptr)
    throw Error({{Severity::error, "unwritten-form", "programs of torch.export are not written yet", {}, {}}});
  if (!file.before.empty()) sink(file.before);
  if (file.form == GraphForm::code || file.form == GraphForm::exported_program) {
    code::write(file.graph, file.code, sink);
  } else {
    write_text_ir(file.graph, file.style, sink);
  }
  if (!file.after.empty()) sink(file.after);
}

std::string to_text(const GraphFile& file) {
  std::string out;
  write_graph(file, [&](std::string_view chunk) { out += chunk; });
  return out;
}

}  // namespace fxrules
