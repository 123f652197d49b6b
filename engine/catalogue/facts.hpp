// What follows " | ": tags of overloads (`pointwise may_alias`), and facts about an op as a whole
// (`role=getitem`, `functional=aten::normal_functional`, `graphs=f operands=xs calls=each`).
#pragma once

#include <optional>
#include <string_view>

#include "fxrules/catalogue.hpp"

namespace fxrules::catalogue {

struct Facts {
  OpTag tags = OpTag::none;
  std::string_view role;
  std::string_view functional;
  std::optional<GraphCall> graph_call;
  std::string_view unknown;  // the first word that is none of these
};

[[nodiscard]] Facts parse_facts(std::string_view text);

}  // namespace fxrules::catalogue
