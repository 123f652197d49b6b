// Targets in tables stand as str() of the function, which tells the module only sometimes.
#pragma once

#include <string>
#include <string_view>

namespace fxrules::table {

struct Target {
  std::string qualified;  // "operator.mul"; where the module is lost, the text as it stands
  bool known = true;
};
// `<built-in function mul>`, `aten.add.Tensor`, `cond`: the cell of a call_function.
[[nodiscard]] Target function_target(std::string_view cell);

}  // namespace fxrules::table
