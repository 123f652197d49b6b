// Where a Python signature has its arguments in another order than the op's schemas.
#pragma once

#include <vector>

#include "fxrules/catalogue.hpp"

namespace fxrules::catalogue {

// Overload::rule_order of `signature` by the schema `reference`; empty where both orders agree.
[[nodiscard]] std::vector<int> rule_order(const Overload& signature, const Overload& reference);

// How many arguments of `signature` the schema has too, by name, role or synonym.
[[nodiscard]] int shared_arguments(const Overload& signature, const Overload& reference);

}  // namespace fxrules::catalogue
