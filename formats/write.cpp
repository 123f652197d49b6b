// A graph goes out in the form in which it came.
#include "formats/code/write.hpp"

#include "formats/pt2/write.hpp"
#include "fxrules/formats.hpp"

namespace fxrules {

namespace {

void throw_errors(const GraphFile& file) {
  std::vector<Diagnostic> problems = check_exported(file);
  if (has_errors(problems)) throw Error(std::move(problems));
}

}  // namespace

bool is_archive(const GraphFile& file) {
  return file.exported != nullptr &&
         (file.form == GraphForm::pt2_archive || file.form == GraphForm::legacy_export_archive);
}

std::vector<Diagnostic> check_exported(const GraphFile& file) {
  return file.exported != nullptr ? pt2::check(file) : std::vector<Diagnostic>();
}

void write_graph(const GraphFile& file, const Sink& sink) {
  if (is_archive(file))
    throw Error({{Severity::error, "unwritten-form", "an archive is written where it can be completed", {}, {}}});
  if (file.exported != nullptr) {
    throw_errors(file);
    return pt2::write_program(file, sink);
  }
  if (!file.before.empty()) sink(file.before);
  if (file.form == GraphForm::code || file.form == GraphForm::exported_program) {
    code::write(file.graph, file.code, sink);
  } else {
    write_text_ir(file.graph, file.style, sink);
  }
  if (!file.after.empty()) sink(file.after);
}

void write_graph(const GraphFile& file, const Sink& sink, const Patch& patch) {
  if (!is_archive(file)) return write_graph(file, sink);
  throw_errors(file);
  pt2::write_archive(file, sink, patch);
}

std::string to_text(const GraphFile& file) {
  std::string out;
  write_graph(
      file, [&](std::string_view chunk) { out += chunk; },
      [&](std::uint64_t at, std::string_view bytes) { out.replace(at, bytes.size(), bytes); });
  return out;
}

}  // namespace fxrules
