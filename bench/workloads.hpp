// The graphs and rules that speed is measured on: five seeded workloads of any size, the same for every
// engine that is compared, and the numbers that show that equal work was done.
//
//   w1      in-place blocks of ten nodes; 20 % of the nodes root a match, five rules
//   w2down  p^k q^k: each rewrite enables one at the user; everything dies
//   w2up    neg(mul(... mul(x, c1) ..., ck)): each rewrite enables one at the producer and makes two nodes
//   w3a     many rules with roots of their own, ten of which fire
//   w3b     many rules that differ in the leaf of a pattern of four ops, ten of which fire
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fxrules::bench {

// Ops by number; the numbers enter the structural hash.
enum Op : std::uint32_t {
  placeholder,
  output,
  mm,
  add,
  relu,
  tanh,
  mul,
  transpose,
  index_put,
  copy,
  add_,
  copy_,
  p,
  q,
  neg,
  a,
  b,
  root,
  mix,
  z0,             // ten of them
  op0 = z0 + 10,  // a thousand
  op_count = op0 + 1000
};
[[nodiscard]] std::string op_name(std::uint32_t op);

// A graph as a straight-line list. An argument is an earlier node, or kLiteral with a small integer.
struct Plan {
  static constexpr std::uint32_t kLiteral = 0x80000000u;
  std::vector<std::uint32_t> ops, arguments;
  std::vector<std::uint32_t> offsets{0};  // of node i's arguments: [offsets[i], offsets[i + 1])

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(ops.size()); }
  std::uint32_t push(std::uint32_t op, std::initializer_list<std::uint32_t> arguments);
};

struct Workload {
  std::string_view name;
  Plan (*plan)(std::uint32_t nodes);
  std::string (*rules)(std::uint32_t count);
  bool many_rules = false;  // `count` matters
};
[[nodiscard]] const std::vector<Workload>& workloads();

// What every engine ends with on 10,000, 100,000 and 1,000,000 nodes; null for other sizes.
struct Expected {
  std::string_view workload;
  std::uint32_t nodes, rewrites, final_nodes;
  std::uint64_t hash;
};
[[nodiscard]] const Expected* expected(std::string_view workload, std::uint32_t nodes);

// An order-free hash of a graph's structure. Nodes are fed in a topological order: begin, each argument in
// turn, end.
class StructureHash {
 public:
  [[nodiscard]] std::uint64_t begin(std::uint32_t op);
  [[nodiscard]] static std::uint64_t with_node(std::uint64_t h, std::uint64_t producer);
  [[nodiscard]] static std::uint64_t with_literal(std::uint64_t h, std::uint32_t value);
  std::uint64_t end(std::uint64_t h);
  [[nodiscard]] std::uint64_t value() const { return sum_; }
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  std::uint64_t sum_ = 0, count_ = 0, placeholders_ = 0;
};

}  // namespace fxrules::bench
