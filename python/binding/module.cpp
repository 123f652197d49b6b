// The extension module `fxrules._core`. Everything that users see is in the Python files around it.
#include <map>
#include <memory>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "fxrules/explain.hpp"
#include "fxrules/rule_set.hpp"
#include "python/binding/functions.hpp"
#include "python/binding/run.hpp"
#include "python/binding/syntax.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace fxrules::python {
namespace {

// A rule set with what it was loaded from.
struct Loaded {
  RuleSet rules;
};

// (rule set or None, diagnostics). `files`: (name, text or None); `ops`: (name, text) of catalogue files.
nb::tuple load(const nb::list& files, const std::vector<std::string>& search, const nb::dict& params,
               const nb::list& ops, const nb::dict& functions, const std::string& data) {
  LoadOptions options;
  options.functions = functions_of(functions);
  for (const std::string& folder : search) options.search.emplace_back(folder);
  for (const auto [name, value] : params)
    options.params.emplace(nb::cast<std::string>(name), nb::cast<std::string>(value));
  std::vector<RuleFile> named;
  for (const nb::handle entry : files) {
    const nb::tuple fields = nb::cast<nb::tuple>(entry);
    RuleFile file{nb::cast<std::string>(fields[0])};
    if (!fields[1].is_none())
      file.source = std::make_shared<Source>(Source{file.path, nb::cast<std::string>(fields[1])});
    named.push_back(std::move(file));
  }
  std::vector<SourcePtr> more;
  for (const nb::handle entry : ops) {
    const nb::tuple fields = nb::cast<nb::tuple>(entry);
    more.push_back(
        std::make_shared<Source>(Source{nb::cast<std::string>(fields[0]), nb::cast<std::string>(fields[1])}));
  }
  LoadResult result;
  {
    const nb::gil_scoped_release released;
    options.catalogue = Catalogue::load(data);
    std::vector<Diagnostic> problems;
    for (const SourcePtr& source : more) {
      std::vector<Diagnostic> found = options.catalogue->add(source);
      problems.insert(problems.end(), found.begin(), found.end());
    }
    result = load_rules(named, options);
    result.diagnostics.insert(result.diagnostics.begin(), problems.begin(), problems.end());
  }
  nb::object rules = nb::none();
  if (!has_errors(result.diagnostics)) rules = nb::cast(Loaded{std::move(result.rules)});
  return nb::make_tuple(rules, to_python(result.diagnostics));
}

nb::list rules_of(const Loaded& loaded) {
  nb::list out;
  for (const RuleInfo& r : loaded.rules.rules()) {
    nb::dict entry;
    entry["name"] = r.name;
    entry["phase"] = r.phase;
    entry["text"] = r.text;
    entry["file"] = r.span.source == nullptr ? std::string() : r.span.source->name;
    entry["line"] = r.span.source == nullptr ? 0u : line_column(r.span.source->text, r.span.begin).line;
    entry["begin"] = r.span.begin;
    out.append(entry);
  }
  return out;
}

MutatedInputs mode_of(const std::string& text) {
  if (text == "return") return MutatedInputs::as_output;
  if (text == "copy_back") return MutatedInputs::copy_back;
  if (text == "drop") return MutatedInputs::drop;
  throw nb::value_error(("no mode for written inputs: " + text + "; there are return, copy_back and drop").c_str());
}

std::unique_ptr<Run> run(const Loaded& loaded, nb::object fx_graph, const nb::dict& hooks,
                         const std::optional<std::uint64_t>& max_rewrites, const std::vector<std::string>& only,
                         const std::vector<std::string>& disable, const std::string& mutated_inputs,
                         const std::string& mutated_attributes, bool dce, bool near_misses,
                         const nb::object& signature) {
  Hooks h;
  h.tensor = hooks["tensor"], h.symbolic_ints = hooks["symbolic_ints"];
  h.dtype = hooks["dtype"], h.device = hooks["device"], h.layout = hooks["layout"];
  h.memory_format = hooks["memory_format"], h.op = hooks["op"];
  h.target_text = hooks["target_text"], h.size_text = hooks["size_text"], h.other_text = hooks["other_text"];
  h.type_text = hooks["type_text"];
  ApplyOptions options;
  if (max_rewrites) options.max_rewrites = *max_rewrites;
  options.only = only;
  options.disable = disable;
  options.mutated_inputs = mode_of(mutated_inputs);
  options.mutated_attributes = mode_of(mutated_attributes);
  options.dce = dce;
  options.near_misses = near_misses;
  options.restore_on_failure = false;  // the live graph has not been touched
  auto out = std::make_unique<Run>(std::move(fx_graph), std::move(h));
  if (!signature.is_none()) {
    const nb::tuple parts = nb::cast<nb::tuple>(signature);
    out->set_signature({nb::cast<nb::list>(parts[0]), nb::cast<nb::list>(parts[1])});
  }
  out->apply(loaded.rules, options);
  return out;
}

}  // namespace
}  // namespace fxrules::python

NB_MODULE(_core, m) {
  using namespace fxrules::python;
  nb::set_leak_warnings(false);  // rule sets that are kept loaded live as long as the interpreter
  nb::class_<Loaded>(m, "Loaded")
      .def("rules", &rules_of)
      .def("run", &run, "fx_graph"_a, "hooks"_a, nb::kw_only(), "max_rewrites"_a.none(), "only"_a, "disable"_a,
           "mutated_inputs"_a, "mutated_attributes"_a, "dce"_a, "near_misses"_a, "signature"_a.none());
  nb::class_<Run>(m, "Run")
      .def("report", &Run::report)
      .def("steps", &Run::steps)
      .def("erased", &Run::erased)
      .def("changed_metadata", &Run::changed_metadata)
      .def("arguments", &Run::arguments, "id"_a, "make"_a)
      .def("metadata", &Run::metadata, "id"_a)
      .def("target_object", &Run::target_object, "text"_a)
      .def("node", &Run::node, "id"_a)
      .def("bind", &Run::bind, "id"_a, "node"_a)
      .def("outputs", &Run::outputs);
  m.def("load", &load, "files"_a, "search"_a, "params"_a, "ops"_a, "functions"_a, "data"_a);
  m.def("syntax", &syntax, "text"_a, "name"_a);
}
