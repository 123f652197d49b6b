// Boost's algorithms on our storage, with known answers.
#include "fxrules/boost_graph.hpp"

#include <sstream>

#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/depth_first_search.hpp>
#include <boost/graph/dominator_tree.hpp>
#include <boost/graph/graphviz.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/graph/topological_sort.hpp>

#include "tests/support/catch.hpp"

using namespace fxrules;

namespace {

// x -> a -> c -> out, x -> b -> c, and b twice in c; an erased node leaves a gap in the ids.
struct Diamond {
  Graph g;
  NodeId x = CallBuilder(g).create(Opcode::placeholder, "x", "x");
  NodeId gone = CallBuilder(g).create(Opcode::placeholder, "gone", "gone");
  NodeId a = CallBuilder(g).node(x).create(Opcode::call_function, "torch.a");
  NodeId b = CallBuilder(g).node(x).create(Opcode::call_function, "torch.b");
  NodeId c =
      CallBuilder(g).node(a).open(ArgKind::list).node(b).node(b).close().create(Opcode::call_function, "torch.c");
  NodeId out = CallBuilder(g).node(c).create(Opcode::output, "output", "output");
  Diamond() { g.erase(gone); }

  template <class T>
  auto map(std::vector<T>& values) {
    values.resize(g.id_bound());
    return boost::make_iterator_property_map(values.begin(), get(boost::vertex_index, g));
  }
};

}  // namespace

TEST_CASE("vertices and edges are nodes and uses") {
  const Diamond d;
  CHECK(num_vertices(d.g) == d.g.id_bound());
  CHECK(num_edges(d.g) == 6);
  const auto [v, v_end] = vertices(d.g);
  CHECK(std::distance(v, v_end) == 5);
  CHECK(out_degree(d.x, d.g) == 2);
  CHECK(out_degree(d.b, d.g) == 2);  // parallel edges
  CHECK(in_degree(d.c, d.g) == 3);
  CHECK(degree(d.c, d.g) == 4);
  const auto [e, e_end] = in_edges(d.c, d.g);
  std::vector<NodeId> operands;
  for (auto i = e; i != e_end; ++i) {
    CHECK(target(*i, d.g) == d.c);
    CHECK(d.g[(*i).slot].node() == source(*i, d.g));
    operands.push_back(source(*i, d.g));
  }
  CHECK(operands == std::vector<NodeId>{d.b, d.b, d.a});  // nested arguments stand first
  const auto [u, u_end] = adjacent_vertices(d.x, d.g);
  CHECK(std::vector<NodeId>(u, u_end) == std::vector<NodeId>{d.b, d.a});
  CHECK(get(boost::vertex_index, d.g, d.c) == d.c.value);
}

TEST_CASE("topological_sort gives users before what they use") {
  Diamond d;
  std::vector<boost::default_color_type> colors;
  std::vector<NodeId> sorted;
  boost::topological_sort(d.g, std::back_inserter(sorted), boost::color_map(d.map(colors)));
  CHECK(sorted == std::vector<NodeId>{d.out, d.c, d.b, d.a, d.x});
}

TEST_CASE("the dominator tree of a diamond joins at its top") {
  Diamond d;
  std::vector<NodeId> dominator;
  boost::lengauer_tarjan_dominator_tree(d.g, d.x, d.map(dominator));
  CHECK(dominator[d.a.value] == d.x);
  CHECK(dominator[d.b.value] == d.x);
  CHECK(dominator[d.c.value] == d.x);
  CHECK(dominator[d.out.value] == d.c);
  CHECK_FALSE(dominator[d.x.value].valid());
}

TEST_CASE("a graph without cycles has as many strong components as nodes") {
  Diamond d;
  std::vector<std::size_t> component;
  CHECK(boost::strong_components(d.g, d.map(component), boost::vertex_index_map(get(boost::vertex_index, d.g))) == 5);
}

TEST_CASE("a cycle is one strong component") {
  Diamond d;
  d.g.rebind(d.g.argument(d.a, 0), d.c);  // a -> c -> a
  std::vector<std::size_t> component;
  CHECK(boost::strong_components(d.g, d.map(component), boost::vertex_index_map(get(boost::vertex_index, d.g))) == 4);
  CHECK(component[d.a.value] == component[d.c.value]);
  CHECK(component[d.b.value] != component[d.c.value]);
}

TEST_CASE("breadth-first search reaches what depends on a node") {
  Diamond d;
  std::vector<boost::default_color_type> colors;
  std::vector<std::size_t> distance;
  boost::breadth_first_search(
      d.g, d.a,
      boost::color_map(d.map(colors))
          .visitor(boost::make_bfs_visitor(boost::record_distances(d.map(distance), boost::on_tree_edge()))));
  CHECK(colors[d.c.value] == boost::black_color);
  CHECK(colors[d.out.value] == boost::black_color);
  CHECK(colors[d.b.value] == boost::white_color);
  CHECK(colors[d.x.value] == boost::white_color);
  CHECK(distance[d.out.value] == 2);
}

TEST_CASE("write_graphviz draws it") {
  Graph g;
  const NodeId x = CallBuilder(g).create(Opcode::placeholder, "x", "x");
  const NodeId a = CallBuilder(g).node(x).node(x).create(Opcode::call_function, "torch.a");
  CallBuilder(g).node(a).create(Opcode::output, "output", "output");
  std::ostringstream text;
  const auto label = [&g](std::ostream& out, NodeId n) {
    out << " [label=" << boost::escape_dot_string(std::string(g.name(n))) << "]";
  };
  boost::write_graphviz(text, g, label, boost::default_writer(), boost::default_writer(), get(boost::vertex_index, g));
  CHECK(text.str() == "digraph G {\n0 [label=x];\n1 [label=a];\n2 [label=output];\n0->1 ;\n0->1 ;\n1->2 ;\n}\n");
}
