// Which arguments of a node are positional, and in which order FX has them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "fxrules/catalogue.hpp"

namespace fxrules::pt2 {

struct NamedArgument {
  std::string_view name;
  std::int64_t kind = 0;  // 1 positional, 2 keyword, 0: the file does not say
  std::size_t index = 0;  // in the file
  bool keyword = false;   // worked out
};

[[nodiscard]] bool is_higher_order(std::string_view target);
// The schema of a target that names one; null where the catalogue does not know it, or is null.
[[nodiscard]] const Overload* schema_of(const Catalogue* catalogue, std::string_view target);
// A call gives a tuple or a list of values.
[[nodiscard]] bool has_several(const Overload* schema);
// Decides `keyword` and puts positional arguments first, each group in the order of the schema.
void order_arguments(std::vector<NamedArgument>& arguments, const Overload* schema, bool higher_order);

}  // namespace fxrules::pt2
