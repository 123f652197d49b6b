#include "tests/cases/runner/case_graph.hpp"

#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

#include "cli/test_graph.hpp"
#include "dsl/ast.hpp"
#include "fxrules/formats.hpp"

namespace fxrules::cases {
namespace {

bool is_text_ir(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \n");
  return first != std::string::npos && (text.compare(first, 6, "graph(") == 0 || text[first] == '%');
}

CaseGraph read_text_ir(const std::string& name, const std::string& text) {
  GraphFile file = read_graph(std::make_shared<Source>(Source{name, text}));
  if (has_errors(file.diagnostics)) throw std::runtime_error(render(file.diagnostics));
  return {std::move(file.graph), true, {}};
}

// Indented: in column 1 the parser would see the start of another item.
std::string indented(const std::string& text) {
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);) out += "  " + line + "\n";
  return out;
}

CaseGraph read_notation(const CaseFile& file, const Section& section,
                        const std::shared_ptr<const Catalogue>& catalogue) {
  const auto inputs = file.sections.find("inputs");
  std::string text = "test \"case\" {\n before {\n";
  if (inputs != file.sections.end()) text += indented(inputs->second.text);
  text += indented(section.text) + " }\n}\n";
  const dsl::ParseResult parsed = dsl::parse(std::make_shared<Source>(Source{file.path, std::move(text)}));
  if (has_errors(parsed.diagnostics)) throw std::runtime_error(render(parsed.diagnostics));
  const dsl::Test& test = parsed.ast.tests.front();
  cli::TestGraphResult built = cli::build_test_graph(parsed.ast, test, test.before, catalogue);
  if (has_errors(built.diagnostics)) throw std::runtime_error(render(built.diagnostics));
  return {std::move(built.graph), false, std::move(built.exact)};
}

}  // namespace

CaseGraph read_section(const CaseFile& file, const std::string& name,
                       const std::shared_ptr<const Catalogue>& catalogue) {
  const Section& section = file.sections.at(name);
  if (is_text_ir(section.text)) return read_text_ir(fmt::format("{} ({})", file.path, name), section.text);
  return read_notation(file, section, catalogue);
}

CaseGraph read_output(const std::string& path, const std::shared_ptr<const Catalogue>& catalogue) {
  ReadOptions options;
  options.catalogue = catalogue;
  GraphFile file = read_graph(std::make_shared<Source>(Source{path, read_text(path)}), options);
  if (has_errors(file.diagnostics)) throw std::runtime_error(render(file.diagnostics));
  return {std::move(file.graph), true, {}};
}

std::string to_program(const Graph& graph, const std::shared_ptr<const Catalogue>& catalogue) {
  GraphFile file;
  file.graph = graph.clone();
  Metas& metas = file.graph.metas();
  for (const NodeId n : file.graph.nodes()) {
    const TensorMeta* known = metas.tensor_of(file.graph.meta(n));
    if (known == nullptr || !known->shape) continue;
    TensorMeta meta = *known;
    if (!meta.device.valid()) meta.device = file.graph.symbols().intern("cpu");
    if (!meta.strides) meta.strides = row_major(metas.expressions(), *meta.shape);
    file.graph.set_meta(n, metas.tensor(meta));
  }
  return to_text(as_exported(std::move(file), false, catalogue));
}

namespace {

std::string to_readable(const Graph& graph) {
  GraphFile file;
  file.graph = graph.clone();
  std::string text;
  write_as(file, OutputForm::readable, [&text](std::string_view piece) { text += piece; });
  return text;
}

}  // namespace

std::string to_input(const Graph& graph) {
  if (!graph.subgraphs().empty()) return to_readable(graph);
  TextIrStyle style;
  style.metadata = true;
  std::string text = style.header + "\n";
  for (const NodeId n : graph.nodes()) {
    std::string line = format_node(graph, n, style);
    const std::size_t users = line.find(" : [");
    if (graph.opcode(n) == Opcode::placeholder && graph.meta(n).valid() && users != std::string::npos) {
      line.insert(users + 3, fmt::format("Tensor \"{}\"", graph.metas().text(graph.meta(n))));
    }
    text += style.indent + line + "\n";
  }
  return text;
}

}  // namespace fxrules::cases
