// Any graph as a program of torch.export: an empty program is made up and read, and the graph written into it, so
// that there is one writer. What no program can say is told by `check_exported`.
#include <cctype>
#include <set>

#include <fmt/format.h>

#include "formats/pt2/json.hpp"
#include "formats/pt2/origin.hpp"
#include "formats/pt2/read_program.hpp"
#include "fxrules/formats.hpp"
#include "fxrules/nested.hpp"

namespace fxrules {
namespace pt2 {
namespace {

// Names in expressions that are no functions: `s0` and `u1` of `Max(s0, 2*u1)`.
void add_symbols(std::string_view text, std::set<std::string, std::less<>>& symbols) {
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t at = 0; at < text.size();) {
    if (!is_word(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    const bool call = end < text.size() && text[end] == '(';
    if (!call && std::isdigit(static_cast<unsigned char>(text[at])) == 0) symbols.emplace(text.substr(at, end - at));
    at = end;
  }
}

std::string range_constraints(const Graph& graph) {
  std::set<std::string, std::less<>> symbols;
  std::set<std::uint32_t> seen;
  const auto look_at = [&](Size size) {
    if (size.known && size.expr.valid() && seen.insert(size.expr.value).second)
      add_symbols(graph.metas().expressions().text(size), symbols);
  };
  for (const NodeId n : graph.nodes()) {
    if (!graph.meta(n).valid()) continue;
    if (const TensorMeta* meta = graph.metas().tensor_of(graph.meta(n)); meta != nullptr) {
      for (const auto* sizes : {&meta->shape, &meta->strides}) {
        if (*sizes) {
          for (const Size size : **sizes) look_at(size);
        }
      }
    } else if (graph.metas()[graph.meta(n)].kind == MetaKind::symbolic) {
      look_at(graph.metas()[graph.meta(n)].value);
    }
  }
  std::string text;
  for (const std::string& symbol : symbols)  // what torch calls s… is a size of an input
    text += fmt::format("{}{}: {{\"min_val\": {}, \"max_val\": null}}", text.empty() ? "" : ", ", in_quotes(symbol),
                        symbol.starts_with('s') ? "0" : "null");
  return text;
}

// A pytree of leaves, as torch's serializer writes it.
std::string leaves(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    text += fmt::format("{}{{\"type\": null, \"context\": null, \"children_spec\": []}}", i == 0 ? "" : ", ");
  return text;
}

std::string tuple_of(const std::string& children) {
  return fmt::format("{{\"type\": \"builtins.tuple\", \"context\": \"null\", \"children_spec\": [{}]}}", children);
}

std::string empty_program(const Graph& graph) {
  std::string names;
  std::size_t inputs = 0, outputs = 0;
  for (const InputSpec& spec : graph.signature()->inputs) {
    if (spec.role != InputRole::user) continue;
    names += (inputs++ == 0 ? "" : ", ") + in_quotes(graph.name(spec.node));
  }
  for (const OutputSpec& spec : graph.signature()->outputs) outputs += is_mutation(spec.role) ? 0 : 1;
  const std::string keywords = R"({"type": "builtins.dict", "context": "[]", "children_spec": []})";
  const std::string takes = "[1, " + tuple_of(tuple_of(leaves(inputs)) + ", " + keywords) + "]";
  const std::string gives = "[1, " + tuple_of(leaves(outputs)) + "]";
  return R"({"graph_module": {"graph": {"inputs": [], "outputs": [], "nodes": [], "tensor_values": {}, )"
         R"("sym_int_values": {}, "sym_bool_values": {}, "is_single_tensor_return": false, "custom_obj_values": {}, )"
         R"("sym_float_values": {}}, "signature": {"input_specs": [], "output_specs": []}, "module_call_graph": )"
         R"([{"fqn": "", "signature": {"inputs": [], "outputs": [], "in_spec": )" +
         in_quotes(takes) + ", \"out_spec\": " + in_quotes(gives) + ", \"forward_arg_names\": [" + names +
         R"(]}}], "metadata": {}, "treespec_namedtuple_fields": {}}, "opset_version": {"aten": 10}, )"
         R"("range_constraints": {)" +
         range_constraints(graph) +
         R"(}, "schema_version": {"major": 8, "minor": 20}, "verifiers": ["ATEN"], "torch_version": "2.13.0", )"
         R"("guards_code": []})";
}

// One value, or None, becomes a tuple: outputs of a program are a flat list.
void flatten_output(Graph& graph) {
  const NodeId output = graph.output();
  if (!output.valid()) return;
  const Slot& value = graph[graph.argument(output, 0)];
  if (value.kind == ArgKind::tuple) return;
  const CallForm form = graph.form(output);
  CallBuilder builder(graph);
  builder.open(ArgKind::tuple);
  if (value.kind == ArgKind::list) {
    for (std::uint32_t i = 0; i < value.count(); ++i) builder.copy(value.child(i));
  } else if (value.kind != ArgKind::none) {
    builder.copy(graph.argument(output, 0));
  }
  builder.close();
  builder.reassign(output, form.opcode, form.target);
}

void sign(Graph& graph) {
  Signature signature;
  for (const NodeId n : graph.nodes()) {
    if (graph.opcode(n) == Opcode::placeholder) signature.inputs.push_back({n, InputRole::user, {}, true});
  }
  signature.outputs.resize(graph.output_count());
  graph.set_signature(std::move(signature));
}

// Some call in it or in a nested graph writes to an operand.
bool writes(const Graph& top, const Catalogue& catalogue) {
  for (const auto& each : with_nested(top)) {
    const Graph& graph = *each.graph;
    std::vector<bool> looked(graph.form_count());
    for (const NodeId n : graph.nodes()) {
      if (looked[graph.form_id(n).value]) continue;
      looked[graph.form_id(n).value] = true;
      const auto spelling = catalogue.resolve(graph.opcode(n), graph.target(n));
      if (!spelling) continue;
      for (const OverloadId id : catalogue.candidates(*spelling, graph.target(n))) {
        if (catalogue.overload(id).writes()) return true;
      }
    }
  }
  return false;
}

}  // namespace
}  // namespace pt2

GraphFile as_exported(GraphFile file, bool archive, std::shared_ptr<const Catalogue> catalogue) {
  const GraphForm form = archive ? GraphForm::pt2_archive : GraphForm::program_json;
  if (file.exported != nullptr) {  // an archive stays one of its release
    if (!archive || !is_archive(file)) file.form = form;
    return file;
  }
  pt2::flatten_output(file.graph);
  if (file.graph.signature() == nullptr) pt2::sign(file.graph);
  const auto source = std::make_shared<Source>(file.place.source != nullptr ? file.place.source->name : file.title,
                                               pt2::empty_program(file.graph));
  auto origin = std::make_shared<pt2::Origin>();
  ReadOptions options;
  options.tables = file.graph.tables();
  options.catalogue = std::move(catalogue);
  GraphFile empty;
  pt2::read_program(pt2::with_room(source), options, *origin, empty);
  if (has_errors(empty.diagnostics)) throw Error(std::move(empty.diagnostics));
  origin->program.made_up = true;
  origin->program.place = file.place;
  if (origin->catalogue != nullptr) origin->program.allow_in_place = pt2::writes(file.graph, *origin->catalogue);
  file.exported = std::move(origin);
  file.form = form;
  return file;
}

void allow_in_place(GraphFile& file) {
  if (file.exported == nullptr || !file.exported->program.functional || file.exported->catalogue == nullptr) return;
  file.exported->program.allow_in_place = pt2::writes(file.graph, *file.exported->catalogue);
}

}  // namespace fxrules
