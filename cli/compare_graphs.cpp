// Nodes are paired from what is observable: inputs, the output and everything with an effect, in order;
// then what these use, and what that uses, and so on. What is left over is dead and paired as it fits.
#include "cli/compare_graphs.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/compare_arguments.hpp"

namespace fxrules::cli {
namespace {

using rewrite::Binding;
using rewrite::CallClass;

bool writes(Binding& binding, NodeId n) {
  return is_call(binding.graph().opcode(n)) && (binding.call_class(n).unknown || binding.writes(n));
}

bool has_effect(Binding& binding, NodeId n) {
  if (!is_call(binding.graph().opcode(n))) return false;
  const CallClass& call = binding.call_class(n);
  if (call.schema == nullptr || binding.writes(n)) return true;
  return has(call.schema->tags, OpTag::effect) || has(call.schema->tags, OpTag::random);
}

// How many writes to a value's storage stand before a node. Storage is taken generously: whatever may be
// shared is, since both graphs are taken alike.
class WriteOrder {
 public:
  explicit WriteOrder(Binding& binding) : graph_(binding.graph()), parent_(graph_.id_bound()) {
    std::iota(parent_.begin(), parent_.end(), 0U);
    for (const NodeId n : graph_.nodes()) join_operands(binding, n);
    writes_.resize(parent_.size());
    for (const NodeId n : graph_.nodes()) {
      if (!writes(binding, n)) continue;
      for_operands(n, [&](NodeId operand) { add_write(find(operand.value), graph_.order(n)); });
    }
  }

  std::size_t writes_before(NodeId value, NodeId reader) {
    const std::vector<std::uint64_t>& orders = writes_[find(value.value)];
    return static_cast<std::size_t>(std::lower_bound(orders.begin(), orders.end(), graph_.order(reader)) -
                                    orders.begin());
  }

 private:
  template <class Visit>
  void for_operands(NodeId n, Visit visit) {
    for (const Slot& s : graph_.slots(n)) {
      if (s.kind == ArgKind::node) visit(s.node());
    }
  }

  void join_operands(Binding& binding, NodeId n) {
    if (!is_call(graph_.opcode(n))) return;
    const CallClass& call = binding.call_class(n);
    if (!call.aliases && !call.unknown && !call.writes) return;
    for_operands(n, [&](NodeId operand) { parent_[find(operand.value)] = find(n.value); });
  }

  void add_write(std::uint32_t group, std::uint64_t order) {
    if (writes_[group].empty() || writes_[group].back() != order) writes_[group].push_back(order);
  }

  std::uint32_t find(std::uint32_t n) {
    while (parent_[n] != n) n = parent_[n] = parent_[parent_[n]];
    return n;
  }

  const Graph& graph_;
  std::vector<std::uint32_t> parent_;
  std::vector<std::vector<std::uint64_t>> writes_;  // by group, increasing
};

class Comparison {
 public:
  Comparison(Graph& got, Graph& expected, const program::RuleSet& no_rules, const CompareOptions& options,
             std::string prefix)
      : got_(got),
        expected_(expected),
        got_binding_(no_rules, got),
        expected_binding_(no_rules, expected),
        arguments_(got_binding_, expected_binding_),
        options_(options),
        prefix_(std::move(prefix)),
        partner_(got.id_bound()),
        reverse_(expected.id_bound()) {}

  std::optional<std::string> run() {
    pair_inputs();
    pair_effects();
    pair(got_.output(), expected_.output());
    settle();
    signatures();
    pair_dead();
    nothing_left();
    write_order();
    names();
    metadata();
    return std::move(difference_);
  }

 private:
  struct Use {
    NodePair user, value;
  };

  // Which outputs give which inputs new values.
  void signatures() {
    const Signature *got = got_.signature(), *expected = expected_.signature();
    const std::size_t count =
        std::max(got != nullptr ? got->outputs.size() : 0, expected != nullptr ? expected->outputs.size() : 0);
    for (std::size_t i = 0; i < count && !difference_; ++i) {
      const NodeId is = input_of(got, i), should = input_of(expected, i);
      if (is.valid() != should.valid() || (is.valid() && partner_[is.value] != should))
        differ(fmt::format("output {} gives `{}` its new value, expected is `{}`", i, name(is), expected_name(should)));
    }
  }

  static NodeId input_of(const Signature* signature, std::size_t i) {
    if (signature == nullptr || i >= signature->outputs.size()) return {};
    const OutputSpec& spec = signature->outputs[i];
    return is_mutation(spec.role) ? spec.input : NodeId();
  }

  void differ(std::string text) {
    if (!difference_) difference_ = std::move(text);
  }
  [[nodiscard]] std::string_view name(NodeId n) const { return n.valid() ? got_.name(n) : std::string_view("nothing"); }
  [[nodiscard]] std::string_view expected_name(NodeId n) const {
    return n.valid() ? expected_.name(n) : std::string_view("nothing");
  }

  void pair_inputs() { pair_lists(placeholders(got_), placeholders(expected_), "inputs"); }
  void pair_effects() { pair_lists(effects(got_binding_), effects(expected_binding_), "nodes with an effect"); }

  static std::vector<NodeId> placeholders(const Graph& graph) {
    std::vector<NodeId> found;
    for (const NodeId n : graph.nodes()) {
      if (graph.opcode(n) == Opcode::placeholder) found.push_back(n);
    }
    return found;
  }
  static std::vector<NodeId> effects(Binding& binding) {
    std::vector<NodeId> found;
    for (const NodeId n : binding.graph().nodes()) {
      if (has_effect(binding, n)) found.push_back(n);
    }
    return found;
  }

  void pair_lists(const std::vector<NodeId>& got, const std::vector<NodeId>& expected, std::string_view what) {
    if (got.size() != expected.size()) {
      return differ(fmt::format("there are {} {}, expected are {}", got.size(), what, expected.size()));
    }
    for (std::size_t i = 0; i < got.size(); ++i) pair(got[i], expected[i]);
  }

  void pair(NodeId got, NodeId expected) {
    if (!got.valid() && !expected.valid()) return;
    if (!got.valid() || !expected.valid()) return differ("one of the graphs has no output");
    if (partner_[got.value] == expected && reverse_[expected.value] == got) return;
    if (partner_[got.value].valid() || reverse_[expected.value].valid()) {
      return differ(fmt::format("`{}` stands where `{}` is expected", name(got), expected_name(expected)));
    }
    partner_[got.value] = expected;
    reverse_[expected.value] = got;
    open_.push_back({got, expected});
  }

  void settle() {
    std::vector<NodePair> operands;
    while (!open_.empty() && !difference_) {
      const NodePair next = open_.back();
      open_.pop_back();
      operands.clear();
      if (auto difference = compare(next, operands)) return differ(std::move(*difference));
      for (const NodePair& operand : operands) {
        uses_.push_back({next, operand});
        pair(operand.got, operand.expected);
      }
    }
  }

  // Op and literal arguments; node arguments go to `operands`.
  std::optional<std::string> compare(NodePair nodes, std::vector<NodePair>& operands) {
    if (!same_op(nodes)) {
      return fmt::format("`{}` is {} {}, expected is {} {} (`{}`)", name(nodes.got), to_string(got_.opcode(nodes.got)),
                         got_.target(nodes.got), to_string(expected_.opcode(nodes.expected)),
                         expected_.target(nodes.expected), expected_name(nodes.expected));
    }
    if (got_.opcode(nodes.got) == Opcode::placeholder) return std::nullopt;
    if (auto difference = arguments_.compare(nodes, operands))
      return fmt::format("`{}`: {}", name(nodes.got), *difference);
    return std::nullopt;
  }

  bool same_op(NodePair nodes) {
    const Opcode opcode = got_.opcode(nodes.got), other = expected_.opcode(nodes.expected);
    if (opcode == other && (opcode == Opcode::placeholder || opcode == Opcode::output)) return true;
    if (opcode == other && got_.target(nodes.got) == expected_.target(nodes.expected)) return true;
    if (!is_call(opcode) || !is_call(other) || options_.all_exact ||
        is_in(options_.exact, expected_name(nodes.expected)))
      return false;
    const OpId op = got_binding_.call_class(nodes.got).op;
    return op.valid() && op == expected_binding_.call_class(nodes.expected).op;
  }

  [[nodiscard]] bool is_in(const std::unordered_set<std::string>& names, std::string_view name) const {
    return names.count(prefix_ + std::string(name)) > 0;
  }

  // From the last on, so that users come before what they use.
  void pair_dead() {
    for (NodeId e = expected_.last(); e.valid() && !difference_; e = expected_.prev(e)) {
      if (reverse_[e.value].valid()) continue;
      const NodeId g = find_dead(e);
      if (!g.valid()) return differ(fmt::format("nothing corresponds to `{}`", expected_name(e)));
      pair(g, e);
      settle();
    }
  }

  NodeId find_dead(NodeId expected) {
    std::vector<NodePair> operands;
    for (NodeId g = got_.last(); g.valid(); g = got_.prev(g)) {
      operands.clear();
      if (partner_[g.value].valid() || compare({g, expected}, operands)) continue;
      const bool fits = std::all_of(operands.begin(), operands.end(), [&](const NodePair& pair) {
        return partner_[pair.got.value] == pair.expected ||
               (!partner_[pair.got.value].valid() && !reverse_[pair.expected.value].valid());
      });
      if (fits) return g;
    }
    return {};
  }

  void nothing_left() {
    for (const NodeId n : got_.nodes()) {
      if (!partner_[n.value].valid()) return differ(fmt::format("`{}` is not expected", name(n)));
    }
  }

  void write_order() {
    if (difference_) return;
    WriteOrder got(got_binding_), expected(expected_binding_);
    for (const Use& use : uses_) {
      if (got.writes_before(use.value.got, use.user.got) ==
          expected.writes_before(use.value.expected, use.user.expected))
        continue;
      return differ(fmt::format("`{}` stands on another side of a write to `{}` than expected", name(use.user.got),
                                name(use.value.got)));
    }
  }

  void names() {
    if (difference_) return;
    for (const NodeId n : got_.nodes()) {
      const std::string_view wanted = expected_name(partner_[n.value]);
      if (name(n) != wanted && (options_.all_named || is_in(options_.named, name(n)))) {
        return differ(fmt::format("`{}` should be called `{}`", name(n), wanted));
      }
    }
  }

  void metadata() {
    if (difference_) return;
    for (const NodeId n : got_.nodes()) {
      const MetaId wanted = expected_.meta(partner_[n.value]);
      if (wanted.valid() && !holds(got_.meta(n), wanted)) {
        const std::string actual = got_.meta(n).valid() ? got_.metas().text(got_.meta(n)) : "unknown";
        return differ(
            fmt::format("`{}` has metadata {}, expected is {}", name(n), actual, expected_.metas().text(wanted)));
      }
    }
  }

  // Everything that the expected metadata states. Both graphs may have tables of their own.
  [[nodiscard]] bool holds(MetaId got, MetaId wanted) const {
    if (!got.valid()) return false;
    const TensorMeta *a = got_.metas().tensor_of(got), *b = expected_.metas().tensor_of(wanted);
    if (a == nullptr || b == nullptr) return got_.metas().text(got) == expected_.metas().text(wanted);
    const std::string all = got_.metas().text(got), stated = expected_.metas().text(wanted);
    if (all == stated) return true;
    if (b->device.valid() && (!a->device.valid() || got_.text(a->device) != expected_.text(b->device))) return false;
    const bool strides = b->strides.has_value();
    return got_.metas().text(got, strides, false) == expected_.metas().text(wanted, strides, false);
  }

  Graph& got_;
  Graph& expected_;
  Binding got_binding_, expected_binding_;
  ArgumentComparer arguments_;
  const CompareOptions& options_;
  std::string prefix_;
  std::vector<NodeId> partner_, reverse_;
  std::vector<NodePair> open_;
  std::vector<Use> uses_;
  std::optional<std::string> difference_;
};

struct GraphPair {
  Graph* got;
  Graph* expected;
  std::string prefix;
};

std::optional<std::string> pair_nested(const GraphPair& pair, std::vector<GraphPair>& open) {
  if (pair.got->subgraphs().size() != pair.expected->subgraphs().size()) {
    return fmt::format("there are {} nested graphs, expected are {}", pair.got->subgraphs().size(),
                       pair.expected->subgraphs().size());
  }
  for (const Subgraph& nested : pair.expected->subgraphs()) {
    const std::string path(pair.expected->text(nested.path));
    const auto symbol = pair.got->symbols().find(path);
    Graph* const got = symbol ? pair.got->find_subgraph(*symbol) : nullptr;
    if (got == nullptr) return fmt::format("there is no nested graph `{}`", path);
    open.push_back({got, nested.graph.get(), pair.prefix + path + "."});
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> find_difference(Graph& got, Graph& expected, const CompareOptions& options) {
  program::RuleSet no_rules;
  no_rules.catalogue = options.catalogue;
  std::vector<GraphPair> open{{&got, &expected, ""}};
  while (!open.empty()) {
    const GraphPair pair = std::move(open.back());
    open.pop_back();
    if (auto difference = Comparison(*pair.got, *pair.expected, no_rules, options, pair.prefix).run()) {
      if (pair.prefix.empty()) return difference;
      return fmt::format("in {}: {}", pair.prefix.substr(0, pair.prefix.size() - 1), *difference);
    }
    if (auto difference = pair_nested(pair, open)) return difference;
  }
  return std::nullopt;
}

}  // namespace fxrules::cli
