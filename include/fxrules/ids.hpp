// Strong 32-bit ids: an index into one arena each, so that a node cannot be passed where a symbol is
// meant. A default-constructed id is `none`.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace fxrules {

template <class Tag>
struct Id {
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  std::uint32_t value = kNone;

  constexpr Id() = default;
  constexpr explicit Id(std::uint32_t v) : value(v) {}
  [[nodiscard]] constexpr bool valid() const { return value != kNone; }
  constexpr explicit operator bool() const { return valid(); }
  friend constexpr auto operator<=>(Id, Id) = default;
};

using NodeId = Id<struct NodeIdTag>;          // a node of one Graph
using SlotId = Id<struct SlotIdTag>;          // one argument of a node, nested ones included
using SymbolId = Id<struct SymbolIdTag>;      // an interned string
using FormId = Id<struct FormIdTag>;          // an interned call form: opcode, target, argument counts, keywords
using MetaId = Id<struct MetaIdTag>;          // an interned value metadata
using ExprId = Id<struct ExprIdTag>;          // an interned symbolic expression
using OpId = Id<struct OpIdTag>;              // an op of a Catalogue
using OverloadId = Id<struct OverloadIdTag>;  // one schema of an op

}  // namespace fxrules

template <class Tag>
struct std::hash<fxrules::Id<Tag>> {
  std::size_t operator()(fxrules::Id<Tag> id) const noexcept { return id.value; }
};
