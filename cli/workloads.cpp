#include "cli/workloads.hpp"

#include <charconv>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "cli/console.hpp"

namespace fxrules::cli {
namespace {

// What ten million nodes and more would take is memory, not insight.
constexpr std::size_t kLeast = 16, kMost = 20'000'000;

class Maker {
 public:
  NodeId input(std::string_view name) { return CallBuilder(graph_).create(Opcode::placeholder, name, name); }
  template <class... Arguments>
  NodeId function(std::string_view target, Arguments... arguments) {
    return call(Opcode::call_function, target, arguments...);
  }
  template <class... Arguments>
  NodeId method(std::string_view target, Arguments... arguments) {
    return call(Opcode::call_method, target, arguments...);
  }
  Graph finish(std::initializer_list<NodeId> results) {
    CallBuilder call(graph_);
    call.open(ArgKind::tuple);
    for (const NodeId n : results) call.node(n);
    call.close();
    call.create(Opcode::output, "output");
    return std::move(graph_);
  }
  [[nodiscard]] std::size_t size() const { return graph_.size(); }

 private:
  template <class... Arguments>
  NodeId call(Opcode opcode, std::string_view target, Arguments... arguments) {
    CallBuilder call(graph_);
    (add(call, arguments), ...);
    return call.create(opcode, target);
  }
  static void add(CallBuilder& call, NodeId node) { call.node(node); }
  static void add(CallBuilder& call, int value) { call.integer(value); }
  static void add(CallBuilder& call, const std::vector<NodeId>& nodes) {
    call.open(ArgKind::list);
    for (const NodeId n : nodes) call.node(n);
    call.close();
  }

  Graph graph_;
};

NodeId removable_pair(Maker& make, NodeId x, std::size_t which) {
  switch (which % 4) {
    case 0:
      return make.function("torch.relu", make.function("torch.relu", x));
    case 1:
      return make.function("torch.add", make.function("torch.tanh", x), 0);
    case 2:
      return make.function("torch.mul", make.function("torch.tanh", x), 1);
    default:
      return make.function("torch.transpose", make.function("torch.transpose", x, 0, 1), 0, 1);
  }
}

Graph w1(std::size_t nodes) {
  Maker make;
  NodeId x = make.input("x"), buffer = make.input("buffer");
  const NodeId weight = make.input("weight"), bias = make.input("bias"), index = make.input("index"),
               second = make.input("second");
  for (std::size_t block = 0; make.size() + 11 <= nodes; ++block) {
    const NodeId r =
        make.function("torch.relu", make.function("torch.add", make.function("torch.mm", x, weight), bias));
    const NodeId written = make.method("add_", buffer, r);
    const NodeId put = make.function("torch.index_put", written, std::vector{index}, r);
    buffer = make.function("torch.ops.aten.copy.default", written, put);
    x = removable_pair(make, make.function("torch.mul", r, buffer), block);
    make.method("copy_", second, x);
  }
  while (make.size() + 1 < nodes) x = make.function("torch.tanh", x);
  return make.finish({x, buffer});
}

Graph chain(std::size_t nodes) {
  Maker make;
  NodeId x = make.input("x");
  while (make.size() + 1 < nodes) x = make.function("torch.relu", x);
  return make.finish({x});
}

}  // namespace

Graph generate(const std::string& spelled) {
  const std::size_t colon = spelled.find(':');
  const std::string name = spelled.substr(0, colon);
  std::size_t nodes = 0;
  if (colon != std::string::npos) {
    const char* const end = spelled.data() + spelled.size();
    const auto [stop, error] = std::from_chars(spelled.data() + colon + 1, end, nodes);
    if (error != std::errc() || stop != end) nodes = 0;
  }
  if ((name != "w1" && name != "chain") || nodes < kLeast || nodes > kMost)
    throw UsageError(fmt::format("--generate {}: this is no graph to generate", spelled),
                     fmt::format("write w1:N or chain:N with {} to {} nodes", kLeast, kMost));
  return name == "w1" ? w1(nodes) : chain(nodes);
}

}  // namespace fxrules::cli
