// The invariants of a graph, checked from the records alone and independently of the code that keeps them.
#include <algorithm>

#include <fmt/format.h>

#include "fxrules/graph.hpp"

namespace fxrules {
namespace {

// Python's identifiers; a digit in front, which a text may have, does no harm here.
bool is_name(std::string_view name) {
  const auto fits = [](char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return !name.empty() && std::all_of(name.begin(), name.end(), fits);
}

class Verifier {
 public:
  Verifier(const Graph& graph, std::vector<Diagnostic>& out) : graph_(graph), out_(out) {}

  void report(std::string kind, std::string message) {
    constexpr std::size_t kEnough = 100;
    if (out_.size() < kEnough) out_.push_back({Severity::error, std::move(kind), std::move(message), {}, {}});
  }

  // Whether the list can be walked.
  bool order_and_names() {
    std::size_t count = 0;
    NodeId previous;
    for (const NodeId n : graph_.nodes()) {
      ++count;
      if (graph_.prev(n) != previous)
        report("node-list", fmt::format("`{}` does not follow the node before it", graph_.name(n)));
      if (previous.valid() && !graph_.precedes(previous, n))
        report("order-label", fmt::format("the order label of `{}` is not behind that of `{}`", graph_.name(n),
                                          graph_.name(previous)));
      if (graph_.find(graph_.name_id(n)) != n)
        report("duplicate-name", fmt::format("two nodes are called `{}`", graph_.name(n)));
      if (!is_name(graph_.name(n))) report("illegal-name", fmt::format("`{}` is no name for a node", graph_.name(n)));
      previous = n;
      if (count > graph_.size()) break;
    }
    const bool whole = count == graph_.size() && previous == graph_.last();
    if (!whole) report("node-list", "the node list and the node count disagree");
    return whole;
  }

  // Every node argument is linked exactly once into the use list of a live node that stands earlier.
  void uses() {
    std::size_t held = 0, linked = 0;
    for (const NodeId n : graph_.nodes()) {
      for (std::uint32_t s = graph_.slots_begin(n); s < graph_.slots_end(n); ++s) held += slot(n, SlotId(s));
      SlotId before;
      std::size_t count = 0;
      for (SlotId s = graph_.first_use(n); s.valid(); s = graph_.next_use(s)) {
        ++linked;
        if (graph_[s].kind != ArgKind::node || graph_[s].node() != n || SlotId(graph_[s].c) != before)
          return report("use-list", fmt::format("the use list of `{}` is broken", graph_.name(n)));
        before = s;
        ++count;
      }
      if (count != graph_.use_count(n))
        report("use-count",
               fmt::format("`{}` has {} uses and says that it has {}", graph_.name(n), count, graph_.use_count(n)));
    }
    if (held != linked) report("use-list", fmt::format("{} node arguments, but {} linked uses", held, linked));
  }

  void nested_graphs() {
    std::vector<SymbolId> paths;
    for (const Subgraph& s : graph_.subgraphs()) paths.push_back(s.path);
    std::sort(paths.begin(), paths.end());
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if (!paths[i].valid() || graph_.text(paths[i]).empty()) report("nested-graph", "a nested graph has no path");
      if (i > 0 && paths[i] == paths[i - 1])
        report("nested-graph", fmt::format("two nested graphs are called `{}`", graph_.text(paths[i])));
    }
  }

  // One input spec a placeholder, in their order, and one output spec a value of the output node.
  void signature() {
    const Signature* signature = graph_.signature();
    if (signature == nullptr) return;
    std::vector<NodeId> placeholders;
    for (const NodeId n : graph_.nodes()) {
      if (graph_.opcode(n) == Opcode::placeholder) placeholders.push_back(n);
    }
    const auto same = [](const InputSpec& spec, NodeId n) { return spec.node == n; };
    if (!std::equal(signature->inputs.begin(), signature->inputs.end(), placeholders.begin(), placeholders.end(), same))
      report("signature", "the inputs of the signature are not the placeholders");
    if (signature->outputs.size() != graph_.output_count())
      report("signature", fmt::format("the signature has {} outputs and the output node {}", signature->outputs.size(),
                                      graph_.output_count()));
    for (const OutputSpec& spec : signature->outputs) {
      if (is_mutation(spec.role) && (!spec.input.valid() || !graph_.alive(spec.input)))
        report("signature", "an output of the signature is the new value of an input that is not there");
    }
  }

  std::size_t slot(NodeId owner, SlotId id) {
    const Slot& s = graph_[id];
    if (s.owner != owner.value)
      report("slot-owner", fmt::format("an argument of `{}` says that it belongs to another node", graph_.name(owner)));
    if (is_container(s.kind)) {
      if (s.a < graph_.slots_begin(owner) || std::uint64_t{s.a} + s.b > id.value)
        report("container",
               fmt::format("a {} of `{}` reaches outside its node", to_string(s.kind), graph_.name(owner)));
      if ((s.kind == ArgKind::dict && s.b % 2 != 0) || (s.kind == ArgKind::slice && s.b != 3))
        report("container", fmt::format("a {} of `{}` has {} parts", to_string(s.kind), graph_.name(owner), s.b));
    }
    if (s.kind != ArgKind::node) return 0;
    if (!graph_.alive(s.node())) {
      report("dangling-use", fmt::format("`{}` uses a node that was erased", graph_.name(owner)));
      return 0;
    }
    if (!graph_.precedes(s.node(), owner))
      report("use-before-definition",
             fmt::format("`{}` uses `{}`, which is defined later", graph_.name(owner), graph_.name(s.node())));
    return 1;
  }

  void opcodes() {
    const SymbolId self = graph_.symbols().intern("self");
    for (const NodeId n : graph_.nodes()) {
      const CallForm& form = graph_.form(n);
      switch (form.opcode) {
        case Opcode::output:
          if (n != graph_.last())
            report("output", fmt::format("the output node `{}` is not the last one", graph_.name(n)));
          if (form.positional != 1)
            report("output", fmt::format("the output node `{}` has {} values", graph_.name(n), form.positional));
          break;
        case Opcode::placeholder:
        case Opcode::get_attr:
          for (const Slot& s : graph_.slots(n)) {
            if (s.kind == ArgKind::node)
              report("operand", fmt::format("`{}` is a {} and takes no node", graph_.name(n), to_string(form.opcode)));
          }
          break;
        case Opcode::call_method:
          if (form.positional == 0)
            report("missing-self",
                   fmt::format("`{}` calls the method `{}` without its self as first positional argument{}",
                               graph_.name(n), graph_.target(n),
                               graph_.keyword(n, self).valid() ? "; `self` is given by keyword" : ""));
          break;
        default:
          break;
      }
      if (graph_.target(n).empty() && form.opcode != Opcode::output)
        report("target", fmt::format("`{}` has no target", graph_.name(n)));
    }
  }

 private:
  const Graph& graph_;
  std::vector<Diagnostic>& out_;
};

}  // namespace

std::vector<Diagnostic> verify(const Graph& graph) {
  std::vector<Diagnostic> out;
  std::vector<const Graph*> todo{&graph};
  while (!todo.empty()) {
    const Graph* g = todo.back();
    todo.pop_back();
    Verifier verifier(*g, out);
    if (verifier.order_and_names()) {
      verifier.uses();
      verifier.opcodes();
    }
    verifier.nested_graphs();
    verifier.signature();
    for (const Subgraph& s : g->subgraphs()) todo.push_back(s.graph.get());
  }
  return out;
}

}  // namespace fxrules
