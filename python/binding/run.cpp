#include "python/binding/run.hpp"

#include <nanobind/stl/string.h>

#include "python/binding/functions.hpp"

namespace nb = nanobind;

namespace fxrules::python {

void Run::set_signature(const PlainSignature& plain) {
  const Graph& graph = live_.graph();
  Signature signature;
  std::vector<NodeId> placeholders;
  for (const NodeId n : graph.nodes()) {
    if (graph.opcode(n) == Opcode::placeholder) placeholders.push_back(n);
  }
  std::size_t i = 0;
  for (const nb::handle entry : plain.inputs) {
    const nb::tuple fields = nb::cast<nb::tuple>(entry);
    InputSpec spec{
        placeholders.at(i++), static_cast<InputRole>(nb::cast<int>(fields[0])), {}, nb::cast<bool>(fields[2])};
    if (!fields[1].is_none()) spec.path = graph.symbols().intern(nb::cast<std::string>(fields[1]));
    signature.inputs.push_back(spec);
  }
  for (const nb::handle entry : plain.outputs) {
    const nb::tuple fields = nb::cast<nb::tuple>(entry);
    const auto input = nb::cast<std::int64_t>(fields[1]);
    signature.outputs.push_back({static_cast<OutputRole>(nb::cast<int>(fields[0])),
                                 input < 0 ? NodeId() : placeholders.at(static_cast<std::size_t>(input))});
  }
  live_.graph().set_signature(std::move(signature));
}

void Run::apply(const RuleSet& rules, const ApplyOptions& options) {
  FunctionCalls calls(live_);
  {
    const nb::gil_scoped_release released;
    const Graph before = live_.graph().clone();
    report_ = fxrules::apply(rules, live_.graph(), options);
    if (report_.ok()) changes_ = changes_between(before, live_.graph(), report_);
  }
  calls.rethrow();
}

// ---------------------------------------------------------------- report

nb::str Run::text(SymbolId id) const {
  const std::string_view t = id.valid() ? live_.graph().text(id) : std::string_view();
  return nb::str(t.data(), t.size());
}

nb::list to_python(const std::vector<Diagnostic>& diagnostics) {
  nb::list out;
  for (const Diagnostic& d : diagnostics) {
    nb::dict entry;
    entry["severity"] = d.severity == Severity::error ? "error" : d.severity == Severity::warning ? "warning" : "note";
    entry["kind"] = d.kind;
    entry["message"] = d.message;
    entry["hint"] = d.hint;
    entry["file"] = d.span.source == nullptr ? std::string() : d.span.source->name;
    const LineColumn at = d.span.source == nullptr ? LineColumn() : line_column(d.span.source->text, d.span.begin);
    entry["line"] = at.line;
    entry["column"] = at.column;
    entry["text"] = render(d);
    out.append(entry);
  }
  return out;
}

nb::dict Run::report() const {
  nb::dict out;
  out["stop"] = std::string(to_string(report_.stop));
  out["ok"] = report_.ok();
  out["exit_code"] = report_.exit_code();
  out["nodes_before"] = report_.nodes_before;
  out["nodes_after"] = report_.nodes_after;
  out["rewrites"] = report_.rewrites;
  out["changed"] = !changes_.steps.empty() || !changes_.erased.empty();
  nb::list rules;
  for (const RuleReport& r : report_.rules) {
    nb::dict entry;
    entry["name"] = r.name;
    entry["phase"] = r.phase;
    entry["rewrites"] = r.rewrites;
    entry["guard_false"] = r.guard_false;
    entry["guard_unknown"] = r.guard_unknown;
    entry["refused"] = r.refused;
    entry["kind_failed"] = r.kind_failed;
    entry["literal_failed"] = r.literal_failed;
    entry["repeated_failed"] = r.repeated_failed;
    rules.append(entry);
  }
  out["rules"] = rules;
  const auto names_of = [&](std::span<const SymbolId> names) {
    nb::list list;
    for (const SymbolId name : names) list.append(text(name));
    return list;
  };
  nb::list applications;
  for (const Application& a : report_.applications)
    applications.append(nb::make_tuple(a.rule, text(a.root), names_of(a.matched), names_of(a.created), text(a.result)));
  out["applications"] = applications;
  nb::list notes;
  for (const Note& n : report_.notes) notes.append(nb::make_tuple(n.rule, text(n.node), n.text));
  out["notes"] = notes;
  nb::list mutated;
  for (const MutatedInput& m : report_.mutated_inputs)
    mutated.append(nb::make_tuple(text(m.input), text(m.value),
                                  m.output ? nb::object(nb::int_(*m.output)) : nb::object(nb::none()), m.appended,
                                  m.copied_back));
  out["mutated_inputs"] = mutated;
  nb::list cycle, unknown;
  for (const std::string& name : report_.cycle) cycle.append(name);
  for (const std::string& name : report_.unknown_targets) unknown.append(name);
  out["cycle"] = cycle;
  out["unknown_targets"] = unknown;
  out["diagnostics"] = to_python(report_.diagnostics);
  return out;
}

// ---------------------------------------------------------------- changes

nb::object Run::node(std::uint32_t id) const {
  PyObject* node = live_.node(NodeId(id));
  return node == nullptr ? nb::object(nb::none()) : nb::borrow(node);
}

nb::list Run::steps() const {
  const Graph& graph = live_.graph();
  nb::list out;
  for (const Step& s : changes_.steps) {
    const int kind = (s.created ? 1 : 0) | (s.moved ? 2 : 0) | (s.arguments ? 4 : 0) | (s.renamed ? 8 : 0);
    const std::string_view op = to_string(graph.opcode(s.node));
    out.append(nb::make_tuple(s.node.value, s.after.valid() ? std::int64_t{s.after.value} : -1, kind,
                              nb::str(op.data(), op.size()), text(graph.form(s.node).target),
                              text(graph.name_id(s.node)),
                              s.application == Step::kNone ? -1 : std::int64_t{s.application},
                              s.origin.valid() ? node(s.origin.value) : nb::object(nb::none())));
  }
  return out;
}

nb::list Run::erased() const {
  nb::list out;
  for (const NodeId n : changes_.erased) out.append(node(n.value));
  return out;
}

nb::list Run::changed_metadata() const {
  const Graph& graph = live_.graph();
  nb::list out;
  if (changes_.steps.empty()) return out;
  for (const NodeId n : graph.nodes()) {
    if (live_.metadata_changed(n)) out.append(nb::make_tuple(node(n.value), n.value));
  }
  return out;
}

nb::tuple Run::arguments(std::uint32_t id, const nb::object& make) const {
  const Graph& graph = live_.graph();
  const NodeId n(id);
  const std::uint32_t begin = graph.slots_begin(n);
  std::vector<nb::object> values;  // by slot; children stand before their container
  values.reserve(graph.slots_end(n) - begin);
  const auto child = [&](const Slot& s, std::uint32_t i) -> nb::object& { return values[s.child(i).value - begin]; };
  for (const Slot& s : graph.slots(n)) {
    nb::object value = nb::none();
    switch (s.kind) {
      case ArgKind::none:
        break;
      case ArgKind::boolean:
        value = nb::bool_(s.boolean());
        break;
      case ArgKind::integer:
        value = nb::int_(s.integer());
        break;
      case ArgKind::floating:
        value = nb::float_(s.floating());
        break;
      case ArgKind::string:
        value = text(s.symbol());
        break;
      case ArgKind::ellipsis:
        value = nb::borrow(Py_Ellipsis);
        break;
      case ArgKind::node:
        value = node(s.node().value);
        break;
      case ArgKind::tuple:
      case ArgKind::list: {
        nb::list items;
        for (std::uint32_t i = 0; i < s.count(); ++i) items.append(child(s, i));
        value = s.kind == ArgKind::list ? nb::object(items) : nb::object(nb::tuple(items));
        break;
      }
      case ArgKind::dict: {
        nb::dict items;
        for (std::uint32_t i = 0; i + 1 < s.count(); i += 2) items[child(s, i)] = child(s, i + 1);
        value = items;
        break;
      }
      case ArgKind::slice:
        value = nb::steal(PySlice_New(child(s, 0).ptr(), child(s, 1).ptr(), child(s, 2).ptr()));
        break;
      case ArgKind::range: {
        nb::list parts;
        for (std::uint32_t i = 0; i < s.count(); ++i) parts.append(child(s, i));
        value = nb::module_::import_("builtins").attr("range")(*nb::tuple(parts));
        break;
      }
      default: {
        PyObject* known = live_.object(s.kind, s.symbol());
        const std::string_view kind = to_string(s.kind);
        value = known != nullptr ? nb::borrow(known) : make(nb::str(kind.data(), kind.size()), text(s.symbol()));
      }
    }
    values.push_back(std::move(value));
  }
  const CallForm& form = graph.form(n);
  nb::list args;
  nb::dict kwargs;
  for (std::uint32_t i = 0; i < form.count(); ++i) {
    const nb::object& value = values[graph.argument(n, i).value - begin];
    if (i < form.positional) {
      args.append(value);
    } else {
      kwargs[text(form.keywords[i - form.positional])] = value;
    }
  }
  return nb::make_tuple(nb::tuple(args), kwargs);
}

nb::object Run::target_object(const std::string& target) const {
  const auto symbol = live_.graph().symbols().find(target);
  PyObject* known = symbol ? live_.object(ArgKind::op, *symbol) : nullptr;
  return known == nullptr ? nb::object(nb::none()) : nb::borrow(known);
}

// ---------------------------------------------------------------- metadata

nb::object Run::size(Size size) const {
  if (!size.known) return nb::none();
  if (size.is_static()) return nb::int_(size.value);
  return nb::cast(live_.graph().metas().expressions().text(size));
}

nb::object Run::sizes(const std::optional<std::vector<Size>>& sizes) const {
  if (!sizes) return nb::none();
  nb::list out;
  for (const Size s : *sizes) out.append(size(s));
  return nb::tuple(out);
}

nb::object Run::metadata_of(MetaId id) const {
  if (!id.valid()) return nb::none();
  const ValueMeta& meta = live_.graph().metas()[id];
  switch (meta.kind) {
    case MetaKind::tensor:
      return nb::make_tuple(std::string(to_string(meta.tensor.dtype)), sizes(meta.tensor.shape),
                            sizes(meta.tensor.strides), text(meta.tensor.device));
    case MetaKind::symbolic:
      return size(meta.value);
    case MetaKind::tuple: {
      nb::list parts;  // of a tuple of tuples nothing is said
      for (const MetaId part : meta.parts)
        parts.append(part.valid() && live_.graph().metas()[part].kind != MetaKind::tuple ? metadata_of(part)
                                                                                         : nb::object(nb::none()));
      return parts;
    }
    default:
      return nb::none();
  }
}

nb::object Run::metadata(std::uint32_t id) const { return metadata_of(live_.graph().meta(NodeId(id))); }

nb::object Run::outputs() const {
  const Signature* signature = live_.graph().signature();
  if (signature == nullptr) return nb::none();
  nb::list out;
  for (const OutputSpec& spec : signature->outputs)
    out.append(nb::make_tuple(static_cast<int>(spec.role),
                              spec.input.valid() ? node(spec.input.value) : nb::object(nb::none())));
  return out;
}

}  // namespace fxrules::python
