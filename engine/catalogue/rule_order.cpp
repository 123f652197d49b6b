#include "engine/catalogue/rule_order.hpp"

#include <algorithm>

namespace fxrules::catalogue {
namespace {

std::vector<int> order_by(const Overload& signature, const Overload& reference) {
  std::vector<int> order;
  for (const SchemaArgument& argument : reference.arguments) {
    if (argument.keyword_only) break;
    order.push_back(signature.find(argument.name));
  }
  while (!order.empty() && order.back() < 0) order.pop_back();
  return order;
}

}  // namespace

std::vector<int> rule_order(const Overload& signature, const Overload& reference) {
  std::vector<int> order = order_by(signature, reference);
  const bool same = [&] {
    for (std::size_t k = 0; k < order.size(); ++k) {
      if (order[k] != static_cast<int>(k)) return false;
    }
    return true;
  }();
  if (same) order.clear();
  return order;
}

int shared_arguments(const Overload& signature, const Overload& reference) {
  const auto shared = [&](const SchemaArgument& argument) { return signature.find(argument.name) >= 0; };
  return static_cast<int>(std::count_if(reference.arguments.begin(), reference.arguments.end(), shared));
}

}  // namespace fxrules::catalogue
