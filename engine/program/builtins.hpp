// The built-in functions of guards and helpers: all generic, none knows an op by name.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace fxrules {

enum class Builtin : std::uint8_t {
  // metadata of a value
  shape,
  dtype,
  rank,
  strides,
  device,
  quantised,
  requires_grad,
  is_dense,
  is_contiguous,
  overlapping,
  results,
  result,
  // what is known
  known,
  is_static,
  broadcasts,
  row_major,
  dense_strides,
  view_strides,
  is_view,
  // lists
  len,
  list,
  tuple,
  reversed,
  first,
  last,
  after,
  drop,
  replace,
  insert_at,
  position,
  copies,
  upto,
  // numbers
  least,
  greatest,
  total,
  product,
  // dtypes and devices
  promote,
  can_cast,
  integral,
  device_type,
  with_type,
  // the graph around the match
  uses,
  occurrences,
  given,
  mutates,
  base,
  may_alias,
  last_use,
  writable,
  is_input,
  is_parameter,
  is_buffer,
  outputs,
  in_place,
  written_back,
  is_writeback,
  mutated,
  dominates,
  post_dominates,
  // names
  origin,
  name,
  op,
  defined,
  // metadata constructor of `meta` rules
  tensor,
};

struct BuiltinInfo {
  Builtin id;
  std::string_view name;
  std::uint8_t min_arguments, max_arguments;  // 255: any number
};

[[nodiscard]] std::span<const BuiltinInfo> builtins();
[[nodiscard]] const BuiltinInfo* find_builtin(std::string_view name);
[[nodiscard]] const BuiltinInfo& info(Builtin id);

}  // namespace fxrules
