// Values as Python text that evaluates to them.
#pragma once

#include <string>
#include <string_view>

#include "fxrules/graph.hpp"

namespace fxrules::code {

class PythonValues {
 public:
  explicit PythonValues(const Graph& graph) : graph_(graph) {}

  // `device`: the argument is one, so that a bare text is a device where it may be one.
  void append(std::string& out, SlotId slot, bool device = false) const;

 private:
  void scalar(std::string& out, const Slot& slot, bool device) const;
  void nested(std::string& out, const Slot& root) const;

  const Graph& graph_;
};

// Whether a text is spelled as devices are: `cpu`, `cuda:0`.
[[nodiscard]] bool looks_like_device(std::string_view text);
// `s0`, `2*s0`, `((s72 + 1)//2)`: a text of symbols of sizes alone.
[[nodiscard]] bool looks_like_size(std::string_view text);
// `.a.b` behind what `out` holds from `begin` on; `getattr(…, "0")` around it where a part is no identifier.
void append_path(std::string& out, std::string_view path, std::size_t begin);

}  // namespace fxrules::code
