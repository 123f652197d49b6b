#include "engine/program/program.hpp"

#include <algorithm>
#include <bit>

namespace fxrules::program {
namespace {

struct KindSpelling {
  std::string_view text;
  Kind kind;
};
constexpr KindSpelling kKinds[] = {
    {"Tensor", {KindName::tensor, Element::any}},
    {"Tensor[bool]", {KindName::tensor, Element::boolean}},
    {"Tensor[int]", {KindName::tensor, Element::integer}},
    {"node", {KindName::node, Element::any}},
    {"number", {KindName::number, Element::any}},
    {"int", {KindName::integer, Element::any}},
    {"float", {KindName::floating, Element::any}},
    {"bool", {KindName::boolean, Element::any}},
    {"str", {KindName::string, Element::any}},
    {"none", {KindName::none, Element::any}},
    {"ellipsis", {KindName::ellipsis, Element::any}},
    {"slice", {KindName::slice, Element::any}},
    {"tuple", {KindName::tuple, Element::any}},
    {"list", {KindName::list, Element::any}},
    {"dict", {KindName::dict, Element::any}},
    {"dtype", {KindName::dtype, Element::any}},
    {"device", {KindName::device, Element::any}},
};

}  // namespace

// Bitwise on floats: 0.0 is not -0.0, and nan is nan.
bool operator==(const Literal& a, const Literal& b) {
  return a.kind == b.kind && a.integer == b.integer &&
         std::bit_cast<std::uint64_t>(a.floating) == std::bit_cast<std::uint64_t>(b.floating) && a.text == b.text &&
         a.unknown == b.unknown;
}

bool operator==(const OpPattern& a, const OpPattern& b) {
  return a.kind == b.kind && a.op == b.op && a.opcode == b.opcode && a.target == b.target && a.pieces == b.pieces &&
         a.members == b.members;
}

bool disjoint(const OpPattern& a, const OpPattern& b) {
  if (a.kind == OpPatternKind::op && b.kind == OpPatternKind::op) return a.op != b.op;
  if (a.kind == OpPatternKind::exact && b.kind == OpPatternKind::exact)
    return a.opcode != b.opcode || a.target != b.target;
  return false;
}

std::size_t hole_count(const OpPattern& pattern) {
  return static_cast<std::size_t>(
      std::count_if(pattern.pieces.begin(), pattern.pieces.end(), [](const NamePiece& p) { return p.hole; }));
}

std::optional<Kind> parse_kind(std::string_view text) {
  for (const KindSpelling& k : kKinds) {
    if (k.text == text) return k.kind;
  }
  return std::nullopt;
}

std::string to_string(Kind kind) {
  for (const KindSpelling& k : kKinds) {
    if (k.kind == kind) return std::string(k.text);
  }
  return "any";
}

std::vector<std::string_view> kind_names() {
  std::vector<std::string_view> names;
  for (const KindSpelling& k : kKinds) names.push_back(k.text);
  return names;
}

}  // namespace fxrules::program
