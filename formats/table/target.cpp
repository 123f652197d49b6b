#include "formats/table/target.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "formats/code/callee.hpp"
#include "formats/text_ir/atoms.hpp"

namespace fxrules::table {
namespace {

// Of `operator`, sorted; `abs` and `pow` are builtins as well.
constexpr std::string_view kOperators[] = {
    "add",      "and_",    "call", "concat",      "contains", "countOf",   "delitem", "eq",      "floordiv", "ge",
    "getitem",  "gt",      "iadd", "iand",        "iconcat",  "ifloordiv", "ilshift", "imatmul", "imod",     "imul",
    "index",    "indexOf", "inv",  "invert",      "ior",      "ipow",      "irshift", "is_",     "is_not",   "isub",
    "itruediv", "ixor",    "le",   "length_hint", "lshift",   "lt",        "matmul",  "mod",     "mul",      "ne",
    "neg",      "not_",    "or_",  "pos",         "rshift",   "setitem",   "sub",     "truediv", "truth",    "xor"};

constexpr std::string_view kNnFunctions[] = {
#include "formats/table/nn_functions.inc"
};

template <std::size_t N>
bool holds(const std::string_view (&sorted)[N], std::string_view name) {
  return std::binary_search(std::begin(sorted), std::end(sorted), name);
}

// `<OPEN name CLOSE` of a text that begins and ends so.
std::string_view between(std::string_view text, std::string_view open, std::string_view close) {
  if (!text.starts_with(open)) return {};
  text.remove_prefix(open.size());
  const std::size_t end = text.find(close);
  return end == std::string_view::npos ? std::string_view() : text.substr(0, end);
}

}  // namespace

Target function_target(std::string_view cell) {
  if (const std::string_view name = between(cell, "<built-in function ", ">"); !name.empty()) {
    if (holds(kOperators, name)) return {fmt::format("operator.{}", name)};
    if (holds(kNnFunctions, name)) return {fmt::format("torch._C._nn.{}", name)};
    for (const std::string_view group : {"special", "linalg", "fft"}) {
      if (name.starts_with(group) && name.substr(group.size()).starts_with('_'))
        return {fmt::format("torch._C._{}.{}", group, name)};
    }
    if (name != "abs" && name != "pow" && code::is_builtin_function(name)) return {fmt::format("builtins.{}", name)};
    return {std::string(cell), false};
  }
  if (const std::string_view name = between(cell, "<built-in method ", " of type object at "); !name.empty())
    return {fmt::format("torch.{}", name)};
  for (const std::string_view open : {"<method '", "<slot wrapper '"}) {
    const std::string_view name = between(cell, open, "' of 'torch._C.TensorBase' objects>");
    if (!name.empty()) return {fmt::format("torch.Tensor.{}", name)};
  }
  if (text_ir::is_identifier(cell)) return {fmt::format("torch.ops.higher_order.{}", cell)};
  if (code::is_dotted_path(cell)) return {fmt::format("torch.ops.{}", cell)};
  return {std::string(cell), false};
}

}  // namespace fxrules::table
