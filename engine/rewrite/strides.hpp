// Strides of views, from sizes and strides alone.
#pragma once

#include <optional>
#include <vector>

#include "fxrules/symbolic.hpp"

namespace fxrules::rewrite {

struct ViewStrides {
  Truth exists = Truth::unknown;  // no: only a copy has these sizes
  std::vector<Size> strides;      // where it exists
};
// A view with sizes `wanted` of a tensor of this shape and these strides, as `view` and `reshape` decide it. O(rank).
[[nodiscard]] ViewStrides strides_of_view(Expressions& expressions, const std::vector<Size>& shape,
                                          const std::vector<Size>& strides, const std::vector<Size>& wanted);
// Equal where a dimension has more than one element: nobody reads the others' strides.
[[nodiscard]] Truth same_strides(Expressions& expressions, const std::vector<Size>& shape, const std::vector<Size>& a,
                                 const std::vector<Size>& b);

}  // namespace fxrules::rewrite
