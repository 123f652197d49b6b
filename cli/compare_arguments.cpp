#include "cli/compare_arguments.hpp"

#include <fmt/format.h>

namespace fxrules::cli {

using rewrite::Access;
using rewrite::Binding;
using rewrite::CallClass;

std::optional<std::string> ArgumentComparer::compare(NodePair nodes, std::vector<NodePair>& operands) {
  const CallClass& got = got_.call_class(nodes.got);
  const CallClass& expected = expected_.call_class(nodes.expected);
  if (got.schema == nullptr || expected.schema == nullptr) {
    if (literally(nodes, operands)) return std::nullopt;
    return "its arguments differ";
  }
  std::string role;
  if (by_role(nodes, operands, role)) return std::nullopt;
  return fmt::format("its argument `{}` differs", role);
}

// ---------------------------------------------------------------- roles

bool ArgumentComparer::by_role(NodePair nodes, std::vector<NodePair>& operands, std::string& role) {
  const Overload& got = *got_.call_class(nodes.got).schema;
  const Overload& expected = *expected_.call_class(nodes.expected).schema;
  const bool same_schema = &got == &expected || got.id == expected.id;
  std::vector<bool> seen(got.arguments.size(), false);
  for (std::size_t e = 0; e < expected.arguments.size(); ++e) {
    const SchemaArgument& argument = expected.arguments[e];
    role = argument.name;
    const int g = same_schema ? static_cast<int>(e) : got.find(argument.role.empty() ? argument.name : argument.role);
    if (g >= 0) seen[static_cast<std::size_t>(g)] = true;
    if (!role_agrees(nodes, g, static_cast<int>(e), operands)) return false;
  }
  for (std::size_t g = 0; g < seen.size(); ++g) {
    role = got.arguments[g].name;
    if (!seen[g] && !role_agrees(nodes, static_cast<int>(g), -1, operands)) return false;
  }
  return true;
}

// -1: the schema of that side has no such argument.
bool ArgumentComparer::role_agrees(NodePair nodes, int got_argument, int expected_argument,
                                   std::vector<NodePair>& operands) {
  const CallClass& got = got_.call_class(nodes.got);
  const CallClass& expected = expected_.call_class(nodes.expected);
  const auto g = static_cast<std::size_t>(got_argument), e = static_cast<std::size_t>(expected_argument);
  const Given a = got_argument < 0 ? Given{0, 0, false, true} : given(got_.graph(), nodes.got, got.by_argument[g]);
  const Given b = expected_argument < 0 ? Given{0, 0, false, true}
                                        : given(expected_.graph(), nodes.expected, expected.by_argument[e]);
  if (a.absent && b.absent) return true;
  if (a.absent) return at_default(expected_, nodes.expected, e);
  if (b.absent) return at_default(got_, nodes.got, g);
  return values_agree(a, b, expected.schema->arguments[e], operands);
}

ArgumentComparer::Given ArgumentComparer::given(const Graph& graph, NodeId n, const Access& access) {
  switch (access.how) {
    case Access::How::slot:
    case Access::How::run: {
      if (access.count == 0) return {0, 0, true, false};
      const std::uint32_t first = graph.argument(n, access.at).value;
      return {first, access.count, access.how == Access::How::run, false};
    }
    case Access::How::absent:
    case Access::How::constant:
    case Access::How::input:
      break;
  }
  return {0, 0, false, true};
}

namespace {

// In slices torch takes a start of 0 and None for the same.
bool is_start_of_zero(const SchemaArgument& argument, const Slot& slot) {
  return argument.name == "start" && argument.default_text == "None" && slot.kind == ArgKind::integer &&
         slot.integer() == 0;
}

}  // namespace

bool ArgumentComparer::at_default(Binding& binding, NodeId n, std::size_t argument) {
  const CallClass& call = binding.call_class(n);
  const SchemaArgument& schema = call.schema->arguments[argument];
  const Access access = call.by_argument[argument];
  if (access.how == Access::How::run && access.count == 0) return true;
  if (!schema.has_default) return false;
  if (access.how == Access::How::slot &&
      is_start_of_zero(schema, binding.graph()[binding.graph().argument(n, access.at)]))
    return true;
  const rewrite::Value value = binding.argument(n, access);
  return rewrite::same(binding, value, binding.default_of(call, argument), {}) == Truth::yes;
}

// ---------------------------------------------------------------- values

bool ArgumentComparer::literally(NodePair nodes, std::vector<NodePair>& operands) {
  const Graph &g = got_.graph(), &e = expected_.graph();
  const CallForm &got = g.form(nodes.got), &expected = e.form(nodes.expected);
  if (got.positional != expected.positional || got.keywords.size() != expected.keywords.size()) return false;
  for (std::uint32_t i = 0; i < got.positional; ++i) {
    if (!slots_agree({g.argument(nodes.got, i).value, e.argument(nodes.expected, i).value, false}, operands))
      return false;
  }
  for (std::uint32_t k = 0; k < got.keywords.size(); ++k) {
    const auto keyword = e.symbols().find(g.text(got.keywords[k]));
    const SlotId other = keyword ? e.keyword(nodes.expected, *keyword) : SlotId();
    if (!other.valid()) return false;
    if (!slots_agree({g.argument(nodes.got, got.positional + k).value, other.value, false}, operands)) return false;
  }
  return true;
}

// A list argument may be written as x.view(2, 2) or as x.view([2, 2]).
ArgumentComparer::Given ArgumentComparer::items_of(const Graph& graph, const Given& given) const {
  if (given.run || given.count != 1) return given;
  const Slot& slot = graph[SlotId(given.first)];
  if (slot.kind != ArgKind::list && slot.kind != ArgKind::tuple) return given;
  return {slot.child(0).value, slot.count(), true, false};
}

bool ArgumentComparer::values_agree(const Given& got, const Given& expected, const SchemaArgument& argument,
                                    std::vector<NodePair>& operands) {
  const Graph &g = got_.graph(), &e = expected_.graph();
  if (argument.type.list || got.run || expected.run) {
    return items_agree(items_of(g, got), items_of(e, expected), true, operands);
  }
  const Slot &a = g[SlotId(got.first)], &b = e[SlotId(expected.first)];
  if (is_start_of_zero(argument, a) && b.kind == ArgKind::none) return true;
  if (is_start_of_zero(argument, b) && a.kind == ArgKind::none) return true;
  return slots_agree({got.first, expected.first, false}, operands);
}

// One value stands for a list of it.
bool ArgumentComparer::items_agree(Given got, Given expected, bool list_is_tuple, std::vector<NodePair>& operands) {
  const bool spread = got.run != expected.run;
  if (!spread && got.count != expected.count) return false;
  const std::uint32_t count = got.run ? got.count : expected.count;
  if (spread && count == 0) return false;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t a = got.first + (got.run || !spread ? i : 0),
                        b = expected.first + (expected.run || !spread ? i : 0);
    if (!slots_agree({a, b, list_is_tuple}, operands)) return false;
  }
  return true;
}

bool ArgumentComparer::slots_agree(SlotPair pair, std::vector<NodePair>& operands) {
  std::vector<SlotPair> open{pair};
  const auto sequence = [](const Slot& s) { return s.kind == ArgKind::list || s.kind == ArgKind::tuple; };
  while (!open.empty()) {
    const SlotPair next = open.back();
    open.pop_back();
    const Slot &a = got_.graph()[SlotId(next.got)], &b = expected_.graph()[SlotId(next.expected)];
    if (a.kind == ArgKind::node && b.kind == ArgKind::node) {
      operands.push_back({a.node(), b.node()});
    } else if (is_container(a.kind) && is_container(b.kind)) {
      const bool alike = a.kind == b.kind || (next.list_is_tuple && sequence(a) && sequence(b));
      if (!alike || a.count() != b.count()) return false;
      for (std::uint32_t i = 0; i < a.count(); ++i)
        open.push_back({a.child(i).value, b.child(i).value, next.list_is_tuple});
    } else if (!literals_agree(a, b)) {
      return false;
    }
  }
  return true;
}

bool ArgumentComparer::literals_agree(const Slot& got, const Slot& expected) const {
  const auto text = [](const Binding& binding, const Slot& s) { return binding.graph().text(s.symbol()); };
  const auto bare = [](const Slot& a, const Slot& b) {  // a dump does not say whether it is a string
    return a.kind == ArgKind::bare && (b.kind == ArgKind::string || b.kind == ArgKind::device);
  };
  if (bare(got, expected) || bare(expected, got)) return text(got_, got) == text(expected_, expected);
  if (got.kind != expected.kind) return false;
  if (is_spelled(got.kind)) return text(got_, got) == text(expected_, expected);
  if (got.kind == ArgKind::none || got.kind == ArgKind::ellipsis) return true;
  return got.b == expected.b && got.c == expected.c;
}

}  // namespace fxrules::cli
