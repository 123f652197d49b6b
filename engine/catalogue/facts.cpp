#include "engine/catalogue/facts.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/catalogue/line_head.hpp"

namespace fxrules::catalogue {
namespace {

constexpr std::array<std::pair<std::string_view, OpTag>, 14> tag_names{{
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
    {"strided", OpTag::strided},
    {"rebinds", OpTag::rebinds},
    {"other_values", OpTag::other_values},
}};

std::optional<OpTag> tag_of(std::string_view word) {
  for (const auto& [name, tag] : tag_names) {
    if (name == word) return tag;
  }
  return std::nullopt;
}

constexpr std::array<std::pair<std::string_view, GraphCall::Kind>, 5> kinds{{
    {"once", GraphCall::Kind::once},
    {"branch", GraphCall::Kind::branch},
    {"loop", GraphCall::Kind::loop},
    {"scan", GraphCall::Kind::scan},
    {"each", GraphCall::Kind::each},
}};

std::vector<std::string_view> names_of(std::string_view list) {
  std::vector<std::string_view> names;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    names.push_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return names;
}

// graphs=…, operands=… and calls=…
bool take_graph_call(std::string_view word, std::optional<GraphCall>& call) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view key = word.substr(0, equals), value = word.substr(equals + 1);
  GraphCall said = call.value_or(GraphCall());
  if (key == "graphs") {
    said.graphs = names_of(value);
  } else if (key == "operands") {
    said.operands = names_of(value);
  } else if (const auto kind =
                 std::find_if(kinds.begin(), kinds.end(), [&](const auto& k) { return k.first == value; });
             key == "calls" && kind != kinds.end()) {
    said.kind = kind->second;
  } else {
    return false;
  }
  call = std::move(said);
  return true;
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
    } else if (take_graph_call(word, facts.graph_call)) {
      continue;
    } else if (facts.unknown.empty()) {
      facts.unknown = word;
    }
  }
  return facts;
}

}  // namespace fxrules::catalogue
