// One run of a rule set on a live graph: what happened, and what has to be done to the live nodes.
#pragma once

#include <nanobind/nanobind.h>

#include "fxrules/apply.hpp"
#include "python/binding/changes.hpp"
#include "python/binding/live_graph.hpp"

namespace fxrules::python {

// Roles and inputs as plain numbers: [(role, path or None, persistent)] by placeholder, and
// [(role, index of the placeholder or -1)] by output.
struct PlainSignature {
  nanobind::list inputs, outputs;
};

class Run {
 public:
  Run(nanobind::object fx_graph, Hooks hooks) : live_(std::move(fx_graph), std::move(hooks)) {}
  void set_signature(const PlainSignature& signature);
  // Lets go of the GIL while the engine works. The live graph is not touched.
  void apply(const RuleSet& rules, const ApplyOptions& options);

  [[nodiscard]] nanobind::dict report() const;
  // [(id, after id or -1, kind, op, target, name, application or -1, origin node or None)], kind being a
  // set of bits: 1 created, 2 moved, 4 arguments, 8 renamed.
  [[nodiscard]] nanobind::list steps() const;
  [[nodiscard]] nanobind::list erased() const;  // live nodes, users first
  // Nodes that stay and whose metadata the engine changed: [(node, id)].
  [[nodiscard]] nanobind::list changed_metadata() const;
  // (args, kwargs) of a node of the result, over live nodes; `make(kind, text)` gives what no object stood for.
  [[nodiscard]] nanobind::tuple arguments(std::uint32_t id, const nanobind::object& make) const;
  // What the engine knows of a value: (dtype, shape, strides, device), a list of them, a size or None.
  [[nodiscard]] nanobind::object metadata(std::uint32_t id) const;
  // The object that a target stood for in the old graph, or None.
  [[nodiscard]] nanobind::object target_object(const std::string& text) const;
  [[nodiscard]] nanobind::object node(std::uint32_t id) const;
  void bind(std::uint32_t id, nanobind::object node) { live_.bind(NodeId(id), std::move(node)); }
  // [(role, the placeholder's node or None)] by output; None without a signature.
  [[nodiscard]] nanobind::object outputs() const;

 private:
  [[nodiscard]] nanobind::str text(SymbolId id) const;
  [[nodiscard]] nanobind::object metadata_of(MetaId id) const;
  [[nodiscard]] nanobind::object sizes(const std::optional<std::vector<Size>>& sizes) const;
  [[nodiscard]] nanobind::object size(Size size) const;

  LiveGraph live_;
  Report report_;
  Changes changes_;
};

[[nodiscard]] nanobind::list to_python(const std::vector<Diagnostic>& diagnostics);

}  // namespace fxrules::python
