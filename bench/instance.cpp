#include "bench/instance.hpp"

#include <cstdlib>
#include <unordered_map>

#include <fmt/format.h>

namespace fxrules::bench {
namespace {

constexpr std::string_view kSource = "source";

std::string own_ops() {
  std::string text = fmt::format("aten::{}() -> Tensor | function effect\n", kSource);
  for (std::uint32_t op = p; op < op_count; ++op) {
    if (op == neg) continue;
    const std::string name = op_name(op);
    const std::string_view arguments = op == mix ? "Tensor self, Tensor other" : "Tensor self";
    text += fmt::format("aten::{0}({1}) -> Tensor | function\naten::{0} = torch.{0}\n", name, arguments);
  }
  return text;
}

[[noreturn]] void give_up(const std::vector<Diagnostic>& diagnostics) {
  fmt::print(stderr, "{}", render(diagnostics));
  std::exit(1);
}

struct Target {
  Opcode opcode = Opcode::call_function;
  SymbolId symbol;
  SymbolId base;  // of the names that FX gives
};

Target target_of(Graph& graph, std::uint32_t op, Dialect dialect) {
  const std::string name = op_name(op);
  Opcode opcode = Opcode::call_function;
  std::string target;
  if (dialect == Dialect::torch && op != copy) {
    const bool method = name.ends_with('_');
    if (method) opcode = Opcode::call_method;
    target = method ? name : "torch." + name;
  } else {
    const bool tensor = op == add || op == mul || op == add_;
    target = fmt::format("torch.ops.aten.{}.{}", name, tensor ? "Tensor" : op == transpose ? "int" : "default");
  }
  return {opcode, graph.symbols().intern(target), graph.symbols().intern(Graph::base_name(opcode, target))};
}

void push_argument(CallBuilder& builder, std::uint32_t argument, const std::vector<NodeId>& nodes) {
  if ((argument & Plan::kLiteral) != 0) {
    builder.integer(argument & ~Plan::kLiteral);
  } else {
    builder.node(nodes[argument]);
  }
}

NodeId build_call(Graph& graph, const Plan& plan, std::uint32_t i, const Target& target,
                  const std::vector<NodeId>& nodes) {
  const SymbolId name = graph.unique_name(graph.text(target.base));
  CallBuilder builder(graph);
  const std::uint32_t begin = plan.offsets[i], end = plan.offsets[i + 1];
  for (std::uint32_t k = begin; k < end; ++k) {
    const bool listed = plan.ops[i] == index_put && k == begin + 1;  // index_put(s, [index], v)
    if (listed) builder.open(ArgKind::list);
    push_argument(builder, plan.arguments[k], nodes);
    if (listed) builder.close();
  }
  return builder.create(target.opcode, target.symbol, name);
}

NodeId build_output(Graph& graph, const Plan& plan, std::uint32_t i, const std::vector<NodeId>& nodes) {
  CallBuilder builder(graph);
  const std::uint32_t begin = plan.offsets[i], end = plan.offsets[i + 1];
  if (end - begin > 1) builder.open(ArgKind::tuple);
  for (std::uint32_t k = begin; k < end; ++k) push_argument(builder, plan.arguments[k], nodes);
  if (end - begin > 1) builder.close();
  return builder.create(Opcode::output, "output", "output");
}

NodeId build_input(Graph& graph, bool as_call) {
  CallBuilder builder(graph);
  if (as_call) return builder.create(Opcode::call_function, fmt::format("torch.ops.aten.{}.default", kSource));
  const std::string name = fmt::format("arg_{}", graph.size());
  return builder.create(Opcode::placeholder, name, name);
}

// The number of a node's op, worked out once a call form.
class OpNumbers {
 public:
  explicit OpNumbers(const Graph& graph) : graph_(graph), by_form_(graph.form_count(), op_count) {
    for (std::uint32_t op = 0; op < op_count; ++op) numbers_[op_name(op)] = op;
    numbers_[std::string(kSource)] = placeholder;
  }
  std::uint32_t of(NodeId n) {
    std::uint32_t& known = by_form_[graph_.form_id(n).value];
    if (known == op_count) known = work_out(n);
    return known;
  }

 private:
  [[nodiscard]] std::uint32_t work_out(NodeId n) const {
    if (graph_.opcode(n) == Opcode::placeholder) return placeholder;
    if (graph_.opcode(n) == Opcode::output) return output;
    std::string_view target = graph_.target(n);
    if (target.starts_with("torch.ops.aten.")) target = target.substr(0, target.rfind('.'));
    return numbers_.at(std::string(target.substr(target.rfind('.') + 1)));
  }
  const Graph& graph_;
  std::vector<std::uint32_t> by_form_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

// Containers do not count: their items stand for themselves. Workloads nest one level.
template <class Visit>
void each_scalar(const Graph& graph, NodeId n, Visit visit) {
  for (std::uint32_t i = 0; i < graph.argument_count(n); ++i) {
    const Slot& slot = graph[graph.argument(n, i)];
    if (!is_container(slot.kind)) {
      visit(slot);
      continue;
    }
    for (std::uint32_t k = 0; k < slot.count(); ++k) visit(graph[slot.child(k)]);
  }
}

}  // namespace

std::shared_ptr<Catalogue> catalogue_with_ops() {
  std::shared_ptr<Catalogue> catalogue = Catalogue::load(data_directory());
  const auto source = std::make_shared<const Source>(Source{"bench.ops", own_ops()});
  if (const auto found = catalogue->add(source); !found.empty()) give_up(found);
  return catalogue;
}

RuleSet load(const std::string& rules, const std::shared_ptr<Catalogue>& catalogue) {
  LoadOptions options;
  options.catalogue = catalogue;
  options.search = {data_directory() / "rules"};
  const RuleFile file{"bench.rules", std::make_shared<const Source>(Source{"bench.rules", rules})};
  LoadResult result = load_rules({file}, options);
  if (!result.rules.valid()) give_up(result.diagnostics);
  return std::move(result.rules);
}

Graph build(const Plan& plan, Dialect dialect, bool inputs_are_calls) {
  Graph graph;
  graph.reserve(plan.size() + plan.size() / 32, plan.arguments.size() + plan.arguments.size() / 8);
  std::vector<Target> targets(op_count);
  std::vector<NodeId> nodes;
  nodes.reserve(plan.size());
  for (std::uint32_t i = 0; i < plan.size(); ++i) {
    const std::uint32_t op = plan.ops[i];
    if (op == placeholder) {
      nodes.push_back(build_input(graph, inputs_are_calls));
    } else if (op == output) {
      nodes.push_back(build_output(graph, plan, i, nodes));
    } else {
      if (!targets[op].symbol.valid()) targets[op] = target_of(graph, op, dialect);
      nodes.push_back(build_call(graph, plan, i, targets[op], nodes));
    }
  }
  return graph;
}

Structure structure_of(const Graph& graph) {
  StructureHash hash;
  OpNumbers numbers(graph);
  std::vector<std::uint64_t> of_node(graph.id_bound());
  for (const NodeId n : graph.nodes()) {
    std::uint64_t h = hash.begin(numbers.of(n));
    each_scalar(graph, n, [&](const Slot& slot) {
      h = slot.kind == ArgKind::node ? StructureHash::with_node(h, of_node[slot.node().value])
                                     : StructureHash::with_literal(h, static_cast<std::uint32_t>(slot.integer()));
    });
    of_node[n.value] = hash.end(h);
  }
  return {hash.value(), hash.count()};
}

}  // namespace fxrules::bench
