#include "engine/catalogue/facts.hpp"

#include <array>
#include <utility>

#include "engine/catalogue/line_head.hpp"

namespace fxrules::catalogue {
namespace {

constexpr std::array<std::pair<std::string_view, OpTag>, 11> tag_names{{
    {"pointwise", OpTag::pointwise},
    {"core", OpTag::core},
    {"view", OpTag::view},
    {"inplace_view", OpTag::inplace_view},
    {"random", OpTag::random},
    {"effect", OpTag::effect},
    {"data_dependent", OpTag::data_dependent},
    {"commutative", OpTag::commutative},
    {"may_alias", OpTag::may_alias},
    {"method", OpTag::method},
    {"function", OpTag::function},
}};

std::optional<OpTag> tag_of(std::string_view word) {
  for (const auto& [name, tag] : tag_names) {
    if (name == word) return tag;
  }
  return std::nullopt;
}

}  // namespace

Facts parse_facts(std::string_view text) {
  Facts facts;
  for (std::string_view word = next_word(text); !word.empty(); word = next_word(text)) {
    if (const auto tag = tag_of(word)) {
      facts.tags = facts.tags | *tag;
    } else if (word.starts_with("role=")) {
      facts.role = word.substr(5);
    } else if (word.starts_with("functional=")) {
      facts.functional = word.substr(11);
    } else if (facts.unknown.empty()) {
      facts.unknown = word;
    }
  }
  return facts;
}

}  // namespace fxrules::catalogue
