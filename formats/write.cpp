// A graph goes out in the form in which it came.
#include "formats/code/write.hpp"

#include "formats/pt2/write.hpp"
#include "fxrules/formats.hpp"

namespace fxrules {
namespace {

// The names of the graph's outputs as they are now, in the signature that is printed behind an exported program:
// `    add: USER_OUTPUT` a line each, up to torch 2.6 `name='add'` in one line.
std::string with_output_names(const Graph& graph, std::string after) {
  const NodeId output = graph.output();
  const Slot* value = output.valid() ? &graph[graph.argument(output, 0)] : nullptr;
  if (value == nullptr || !is_container(value->kind)) return after;
  constexpr std::string_view kLines = "# outputs\n", kSpecs = "output_specs=[", kName = "name='";
  const bool lines = after.find(kLines) != std::string::npos;
  std::size_t at = lines ? after.find(kLines) + kLines.size() : after.find(kSpecs);
  for (std::uint32_t i = 0; i < value->count() && at < after.size(); ++i) {
    std::size_t begin = lines ? after.find_first_not_of(' ', at) : after.find(kName, at);
    if (begin == std::string::npos) break;
    if (!lines) begin += kName.size();
    const std::size_t end = after.find(lines ? ": " : "'", begin);
    if (end == std::string::npos || after.find('\n', begin) < end) break;
    const Slot& slot = graph[value->child(i)];
    std::size_t length = end - begin;
    if (slot.kind == ArgKind::node) {
      after.replace(begin, length, graph.name(slot.node()));
      length = graph.name(slot.node()).size();
    }
    at = lines ? after.find('\n', begin + length) : begin + length + 1;
    if (lines && at != std::string::npos) ++at;
  }
  return after;
}

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
  if (file.after.empty()) return;
  if (file.form == GraphForm::exported_program) {
    sink(with_output_names(file.graph, file.after));
  } else {
    sink(file.after);
  }
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
