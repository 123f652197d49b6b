// The least that any engine must do: read every node and every argument once, in list order. Ratios to it
// say more than nanoseconds, which belong to one machine.
#pragma once

#include "bench/workloads.hpp"
#include "fxrules/graph.hpp"

namespace fxrules::bench {

// Over our own store. Returns a checksum.
[[nodiscard]] std::uint64_t walk(const Graph& graph);

// Over the leanest store that could still be rewritten: nodes of 24 bytes, arguments of 16.
class LeanStore {
 public:
  explicit LeanStore(const Plan& plan);
  [[nodiscard]] std::uint64_t walk() const;

 private:
  struct Node {
    std::uint32_t op, first_argument, first_use, next, prev;
    std::uint16_t arguments, flags;
  };
  struct Argument {
    std::uint32_t value, owner, next_use, prev_use;
  };
  Column<Node> nodes_;
  Column<Argument> arguments_;
};

}  // namespace fxrules::bench
