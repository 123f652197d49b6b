#include "formats/pt2/argument_order.hpp"

#include <algorithm>

namespace fxrules::pt2 {
namespace {

constexpr std::int64_t kPositional = 1, kKeyword = 2;

int place(const Overload* schema, std::string_view name) {
  const int at = schema != nullptr ? schema->find(name) : -1;
  return at < 0 ? INT32_MAX : at;
}

// As torch decides where the file does not say: what has a default is given by name.
bool is_keyword(const NamedArgument& a, const Overload* schema, bool higher_order) {
  if (a.kind == kPositional || a.name.empty()) return false;
  if (a.kind == kKeyword || higher_order) return true;
  const int at = place(schema, a.name);
  if (at == INT32_MAX) return false;
  const SchemaArgument& argument = schema->arguments[static_cast<std::size_t>(at)];
  return argument.has_default || argument.keyword_only;
}

}  // namespace

bool is_higher_order(std::string_view target) {
  return target.find("torch.ops.higher_order") != std::string_view::npos;
}

const Overload* schema_of(const Catalogue* catalogue, std::string_view target) {
  if (catalogue == nullptr || is_higher_order(target)) return nullptr;
  const auto spelling = catalogue->resolve(Opcode::call_function, target);
  if (!spelling || !spelling->overload.valid()) return nullptr;
  return &catalogue->overload(spelling->overload);
}

bool has_several(const Overload* schema) {
  return schema != nullptr &&
         (schema->returns.size() > 1 || (schema->returns.size() == 1 && schema->returns[0].type.list));
}

void order_arguments(std::vector<NamedArgument>& arguments, const Overload* schema, bool higher_order) {
  for (NamedArgument& a : arguments) a.keyword = is_keyword(a, schema, higher_order);
  const auto earlier = [&](const NamedArgument& a, const NamedArgument& b) {
    if (a.keyword != b.keyword) return b.keyword;
    return schema != nullptr && place(schema, a.name) < place(schema, b.name);
  };
  if (!std::is_sorted(arguments.begin(), arguments.end(), earlier))
    std::stable_sort(arguments.begin(), arguments.end(), earlier);
}

}  // namespace fxrules::pt2
