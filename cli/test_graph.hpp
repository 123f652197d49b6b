// Makes a graph from a `test` block's notation:
//
//   x = placeholder : f32[4,8]                 a graph input, perhaps with metadata
//   c = buffer                                 an input too
//   w = get_attr("path")                       a stored tensor
//   y = add(x, 1)                              any op: torch function, else method, else operator, else aten overload
//   y = torch.add(x, 1)    y = .add(x, 1)    y = x.add(1)    y = aten.add.Tensor(x, 1)     exactly that form
//   y = call_module("path", x)
//   f = r[0]    g = b[2:5, None]               what Python's brackets mean
//   graph body { … }                           a nested graph; its name is then a value, for cond(p, body, …)
//   return y            return y, f            return writeback(x, y), f
#pragma once

#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "dsl/ast.hpp"
#include "fxrules/catalogue.hpp"
#include "fxrules/graph.hpp"

namespace fxrules::cli {

struct TestGraphResult {
  Graph graph;
  // Nodes whose form was spelled out, by name; those of nested graphs as `body/name`.
  std::unordered_set<std::string> exact;
  std::vector<Diagnostic> diagnostics;
};

// `index` is one of test.graphs; graphs nested in it come along. Errors are collected; a graph with errors
// must not be used. O(size).
[[nodiscard]] TestGraphResult build_test_graph(const dsl::Ast& ast, const dsl::Test& test, std::uint32_t index,
                                               std::shared_ptr<const Catalogue> catalogue,
                                               std::shared_ptr<Tables> tables = std::make_shared<Tables>());

}  // namespace fxrules::cli
