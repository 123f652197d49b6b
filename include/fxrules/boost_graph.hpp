// Graph as a model of Boost.Graph's concepts, without a copy and without a wrapper: traits and free
// functions only. An edge goes from a value to the node that uses it, one edge a use.
//
//   concept                     asserted below
//   VertexListGraph             vertices, num_vertices
//   IncidenceGraph              out_edges (uses), out_degree, source, target
//   BidirectionalGraph          in_edges (operands), in_degree, degree
//   EdgeListGraph               edges: in program order of the users
//   AdjacencyGraph              adjacent_vertices (users, once a use)
//   ReadablePropertyGraph       vertex_index: the node's id, dense below Graph::id_bound()
//
// Complexity: out_edges and in_edges O(1) to start, O(1) a step amortised; degrees are linear in the degree.
// num_vertices is Graph::id_bound(), of which erased nodes leave some unused: Boost's algorithms size the tables
// that they index by vertex_index with it. Property maps must have that size too. num_edges is O(size).
#pragma once

#include <utility>

#include <boost/graph/graph_concepts.hpp>
#include <boost/graph/graph_traits.hpp>
#include <boost/graph/properties.hpp>
#include <boost/iterator/iterator_facade.hpp>
#include <boost/iterator/transform_iterator.hpp>
#include <boost/property_map/property_map.hpp>

#include "fxrules/graph.hpp"

namespace fxrules {

// One use. Identified by its slot; ends are kept so that source and target need no lookup.
struct UseEdge {
  NodeId value, user;
  SlotId slot;
  friend bool operator==(const UseEdge&, const UseEdge&) = default;
  friend auto operator<=>(const UseEdge&, const UseEdge&) = default;
};

class UseIterator : public boost::iterator_facade<UseIterator, UseEdge, boost::forward_traversal_tag, UseEdge> {
 public:
  UseIterator() = default;
  UseIterator(const Graph& graph, NodeId value, SlotId use) : graph_(&graph), value_(value), use_(use) {}

 private:
  friend class boost::iterator_core_access;
  void increment() { use_ = graph_->next_use(use_); }
  [[nodiscard]] bool equal(const UseIterator& other) const { return use_ == other.use_; }
  [[nodiscard]] UseEdge dereference() const { return {value_, graph_->owner(use_), use_}; }
  const Graph* graph_ = nullptr;
  NodeId value_;
  SlotId use_;
};

class OperandIterator : public boost::iterator_facade<OperandIterator, UseEdge, boost::forward_traversal_tag, UseEdge> {
 public:
  OperandIterator() = default;
  OperandIterator(const Graph& graph, NodeId user, std::uint32_t at, std::uint32_t end)
      : graph_(&graph), user_(user), at_(at), end_(end) {
    skip();
  }

 private:
  friend class boost::iterator_core_access;
  void skip() {
    while (at_ < end_ && (*graph_)[SlotId(at_)].kind != ArgKind::node) ++at_;
  }
  void increment() {
    ++at_;
    skip();
  }
  [[nodiscard]] bool equal(const OperandIterator& other) const { return at_ == other.at_; }
  [[nodiscard]] UseEdge dereference() const { return {(*graph_)[SlotId(at_)].node(), user_, SlotId(at_)}; }
  const Graph* graph_ = nullptr;
  NodeId user_;
  std::uint32_t at_ = 0, end_ = 0;
};

class EdgeIterator : public boost::iterator_facade<EdgeIterator, UseEdge, boost::forward_traversal_tag, UseEdge> {
 public:
  EdgeIterator() = default;
  EdgeIterator(const Graph& graph, NodeId user)
      : graph_(&graph), user_(user), at_(user.valid() ? graph.slots_begin(user) : 0) {
    skip();
  }

 private:
  friend class boost::iterator_core_access;
  void skip() {
    while (user_.valid()) {
      while (at_ < graph_->slots_end(user_) && (*graph_)[SlotId(at_)].kind != ArgKind::node) ++at_;
      if (at_ < graph_->slots_end(user_)) return;
      user_ = graph_->next(user_);
      at_ = user_.valid() ? graph_->slots_begin(user_) : 0;
    }
  }
  void increment() {
    ++at_;
    skip();
  }
  [[nodiscard]] bool equal(const EdgeIterator& other) const { return user_ == other.user_ && at_ == other.at_; }
  [[nodiscard]] UseEdge dereference() const { return {(*graph_)[SlotId(at_)].node(), user_, SlotId(at_)}; }
  const Graph* graph_ = nullptr;
  NodeId user_;
  std::uint32_t at_ = 0;
};

struct UserOf {
  NodeId operator()(const UseEdge& edge) const { return edge.user; }
};

struct NodeIndexMap {
  using key_type = NodeId;
  using value_type = std::uint32_t;
  using reference = std::uint32_t;
  using category = boost::readable_property_map_tag;
  friend std::uint32_t get(const NodeIndexMap&, NodeId n) { return n.value; }
  std::uint32_t operator[](NodeId n) const { return n.value; }
};

}  // namespace fxrules

namespace boost {

template <>
struct graph_traits<fxrules::Graph> {
  using vertex_descriptor = fxrules::NodeId;
  using edge_descriptor = fxrules::UseEdge;
  using directed_category = bidirectional_tag;
  using edge_parallel_category = allow_parallel_edge_tag;
  struct traversal_category : virtual vertex_list_graph_tag,
                              virtual bidirectional_graph_tag,
                              virtual adjacency_graph_tag,
                              virtual edge_list_graph_tag {};
  using vertices_size_type = std::size_t;
  using edges_size_type = std::size_t;
  using degree_size_type = std::size_t;
  using vertex_iterator = fxrules::Graph::NodeRange::iterator;
  using out_edge_iterator = fxrules::UseIterator;
  using in_edge_iterator = fxrules::OperandIterator;
  using adjacency_iterator =
      transform_iterator<fxrules::UserOf, fxrules::UseIterator, fxrules::NodeId, fxrules::NodeId>;
  using edge_iterator = fxrules::EdgeIterator;
  static vertex_descriptor null_vertex() { return {}; }
};
template <>
struct graph_traits<const fxrules::Graph> : graph_traits<fxrules::Graph> {};

template <>
struct property_map<fxrules::Graph, vertex_index_t> {
  using type = fxrules::NodeIndexMap;
  using const_type = fxrules::NodeIndexMap;
};

}  // namespace boost

namespace fxrules {

inline std::pair<Graph::NodeRange::iterator, Graph::NodeRange::iterator> vertices(const Graph& g) {
  return {g.nodes().begin(), g.nodes().end()};
}
inline std::size_t num_vertices(const Graph& g) { return g.id_bound(); }
inline NodeId source(const UseEdge& edge, const Graph&) { return edge.value; }
inline NodeId target(const UseEdge& edge, const Graph&) { return edge.user; }
inline std::pair<UseIterator, UseIterator> out_edges(NodeId n, const Graph& g) {
  return {UseIterator(g, n, g.first_use(n)), UseIterator(g, n, SlotId())};
}
inline std::pair<OperandIterator, OperandIterator> in_edges(NodeId n, const Graph& g) {
  const std::uint32_t end = g.slots_end(n);
  return {OperandIterator(g, n, g.slots_begin(n), end), OperandIterator(g, n, end, end)};
}
inline std::size_t out_degree(NodeId n, const Graph& g) {
  const auto [begin, end] = out_edges(n, g);
  return static_cast<std::size_t>(std::distance(begin, end));
}
inline std::size_t in_degree(NodeId n, const Graph& g) {
  const auto [begin, end] = in_edges(n, g);
  return static_cast<std::size_t>(std::distance(begin, end));
}
inline std::pair<EdgeIterator, EdgeIterator> edges(const Graph& g) {
  return {EdgeIterator(g, g.first()), EdgeIterator(g, NodeId())};
}
inline std::size_t num_edges(const Graph& g) {
  const auto [begin, end] = edges(g);
  return static_cast<std::size_t>(std::distance(begin, end));
}
inline std::size_t degree(NodeId n, const Graph& g) { return in_degree(n, g) + out_degree(n, g); }
inline auto adjacent_vertices(NodeId n, const Graph& g) {
  using Iterator = boost::graph_traits<Graph>::adjacency_iterator;
  const auto [begin, end] = out_edges(n, g);
  return std::pair{Iterator(begin, UserOf{}), Iterator(end, UserOf{})};
}
inline NodeIndexMap get(boost::vertex_index_t, const Graph&) { return {}; }
inline std::uint32_t get(boost::vertex_index_t, const Graph&, NodeId n) { return n.value; }

BOOST_CONCEPT_ASSERT((boost::VertexListGraphConcept<Graph>));
BOOST_CONCEPT_ASSERT((boost::IncidenceGraphConcept<Graph>));
BOOST_CONCEPT_ASSERT((boost::BidirectionalGraphConcept<Graph>));
BOOST_CONCEPT_ASSERT((boost::EdgeListGraphConcept<Graph>));
BOOST_CONCEPT_ASSERT((boost::AdjacencyGraphConcept<Graph>));
BOOST_CONCEPT_ASSERT((boost::ReadablePropertyGraphConcept<Graph, NodeId, boost::vertex_index_t>));

}  // namespace fxrules
