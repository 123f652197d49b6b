// Arguments of two calls of the same op, by schema role.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/rewrite/binding.hpp"
#include "fxrules/graph.hpp"

namespace fxrules::cli {

// A node of each graph that stand for the same value.
struct NodePair {
  NodeId got, expected;
};

class ArgumentComparer {
 public:
  ArgumentComparer(rewrite::Binding& got, rewrite::Binding& expected) : got_(got), expected_(expected) {}

  // What differs, or nothing. Node arguments are not looked at but appended to `operands`, as pairs that
  // must correspond.
  std::optional<std::string> compare(NodePair nodes, std::vector<NodePair>& operands);

 private:
  // Consecutive slots of one graph; none: the argument is not given.
  struct Given {
    std::uint32_t first = 0, count = 0;
    bool run = false;  // the items of a list rather than one value
    bool absent = false;
  };
  struct SlotPair {
    std::uint32_t got, expected;
    bool list_is_tuple;
  };

  static Given given(const Graph& graph, NodeId n, const rewrite::Access& access);
  static bool at_default(rewrite::Binding& binding, NodeId n, std::size_t argument);
  bool by_role(NodePair nodes, std::vector<NodePair>& operands, std::string& role);
  bool role_agrees(NodePair nodes, int got_argument, int expected_argument, std::vector<NodePair>& operands);
  bool literally(NodePair nodes, std::vector<NodePair>& operands);
  bool values_agree(const Given& got, const Given& expected, const SchemaArgument& argument,
                    std::vector<NodePair>& operands);
  bool items_agree(Given got, Given expected, bool list_is_tuple, std::vector<NodePair>& operands);
  bool slots_agree(SlotPair pair, std::vector<NodePair>& operands);
  bool literals_agree(const Slot& got, const Slot& expected) const;
  Given items_of(const Graph& graph, const Given& given) const;

  rewrite::Binding& got_;
  rewrite::Binding& expected_;
};

}  // namespace fxrules::cli
