// A torch.fx.Graph as the engine's graph, built by one walk over the live nodes. Nodes are numbered in
// program order, so that node i of the walk is NodeId i; metadata is read when the engine asks for it.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <nanobind/nanobind.h>

#include "fxrules/graph.hpp"
#include "python/binding/hooks.hpp"
#include "python/binding/names.hpp"

namespace fxrules::python {

// Node* -> NodeId, open addressing: one look-up for each argument of the graph.
class NodeTable {
 public:
  void reserve(std::size_t nodes);
  void add(PyObject* node, std::uint32_t id);
  [[nodiscard]] NodeId find(PyObject* node) const;

 private:
  [[nodiscard]] std::size_t probe(PyObject* node) const;
  struct Entry {
    PyObject* node = nullptr;
    std::uint32_t id = 0;
  };
  std::vector<Entry> table_;
  std::size_t size_ = 0;
};

class LiveGraph final : public MetaSource {
 public:
  // `fx_graph` must outlive this and stay as it is until the changes are made. O(nodes + arguments).
  LiveGraph(nanobind::object fx_graph, Hooks hooks);

  [[nodiscard]] Graph& graph() { return graph_; }
  [[nodiscard]] const Graph& graph() const { return graph_; }
  [[nodiscard]] std::size_t node_count() const { return nodes_.size(); }
  // The fx.Node that a node was built from, or that `bind` said; null for others.
  [[nodiscard]] PyObject* node(NodeId n) const { return n.value < nodes_.size() ? nodes_[n.value] : nullptr; }
  void bind(NodeId n, nanobind::object node);
  // The object that a spelled argument stood for in this graph; null where rules wrote it.
  [[nodiscard]] PyObject* object(ArgKind kind, SymbolId text) const;

  // MetaSource. Takes the GIL.
  MetaId read(NodeId n) override;
  // The engine gave a node of the walk other metadata than its own.
  [[nodiscard]] bool metadata_changed(NodeId n) const;
  // Metadata of a value: a tensor, a symbolic or plain number, a tuple or list of them. With the GIL.
  MetaId meta_of(PyObject* value);

 private:
  void add(PyObject* node);
  MetaId read_now(NodeId n);
  void argument(CallBuilder& call, PyObject* value);
  bool scalar(CallBuilder& call, PyObject* value);
  void spelled(CallBuilder& call, ArgKind kind, PyObject* value, std::string_view text);
  [[nodiscard]] bool has_value(PyObject* meta) const;
  [[nodiscard]] SymbolId target(Opcode opcode, PyObject* target);
  [[nodiscard]] ValueMeta tensor(PyObject* value);
  [[nodiscard]] std::vector<Size> sizes(PyObject* tuple);
  [[nodiscard]] Size size(PyObject* value);
  [[nodiscard]] SymbolId device_of(PyObject* value);

  nanobind::object fx_graph_;
  Hooks hooks_;
  Graph graph_;
  NodeTable table_;
  std::size_t walked_ = 0;        // how many nodes the walk found
  std::vector<PyObject*> nodes_;  // of the walk: borrowed from the fx.Graph; others from made_
  std::vector<nanobind::object> made_;
  std::vector<MetaId> read_;  // by node of the walk: what `read` gave
  std::unordered_map<PyObject*, SymbolId> targets_, devices_, types_;
  std::unordered_map<std::uint64_t, nanobind::object> objects_;  // by kind and symbol
  std::unordered_map<PyObject*, std::string> texts_;             // of objects that are arguments, by identity
  std::vector<nanobind::object> held_;                           // keeps the keys of the maps above
  struct Open {
    PyObject* container;
    Py_ssize_t next;
  };
  std::vector<Open> open_;
  std::unordered_map<PyObject*, Dtype> dtypes_;
};

}  // namespace fxrules::python
