// What registers, guards and helpers compute with: 16 bytes, trivially copyable. Lists and other
// containers are ranges, either of the graph's own slots (never copied) or of the machine's heap.
#pragma once

#include <cstdint>

#include "fxrules/catalogue.hpp"
#include "fxrules/graph.hpp"

namespace fxrules::rewrite {

enum class Tag : std::uint8_t {
  unknown,  // a: Unknown (why), payload: node or 0
  failure,  // `error "…"` in a helper; a: symbol of the text
  none,
  boolean,
  integer,
  floating,
  ellipsis,
  string,    // a: symbol
  dtype,     // a: symbol, payload: Dtype
  device,    // a: symbol
  symbolic,  // a: symbol or none, payload: ExprId
  spelled,   // a: symbol, payload: ArgKind (layout, memory format, complex, op, opaque)
  node,      // a: NodeId
  fresh,     // a: index of a node that exists only if the result uses it
  list,
  tuple,
  dict,
  slice,
  range,    // a: first, payload.pair: count, Where
  rest,     // arguments that a pattern does not mention; a: NodeId, payload: rest spec
  op,       // a: template, for defined(<f>)
  set,      // a: set
  meta,     // a: MetaId, what Tensor(…) makes
  unbound,  // a variable of a helper pattern that nothing has bound yet; never seen by rules
};

enum class Unknown : std::uint32_t { metadata, size, kind, no_equation, arithmetic, stated, operand, not_computed };

// How a string or device was spelled, kept so that it is written back the same way.
// A list that a call spells as one int, where its schema has a list of them, remembers that.
enum Spelled : std::uint8_t { kAsObject = 0, kAsString = 1, kAsBare = 2, kAsOneInt = 3 };

// A reversed heap list grows at its front: `[x, f(rest)..]` over a long list is linear.
enum class Where : std::uint32_t { graph, heap, heap_reversed, constants };

struct Pair {
  std::uint32_t count;
  Where where;
};

struct Value {
  Tag tag = Tag::unknown;
  std::uint8_t spelled = kAsObject;
  TypeKind role = TypeKind::any;  // what the schema says of the place it came from; of the items for a list
  bool splice = false;            // to be spliced into the list or call that takes it
  std::uint32_t a = 0;
  union {
    std::int64_t i = 0;
    double d;
    Pair range;
  };

  [[nodiscard]] NodeId node() const { return NodeId(a); }
  [[nodiscard]] SymbolId symbol() const { return SymbolId(a); }
  [[nodiscard]] bool is(Tag t) const { return tag == t; }
  [[nodiscard]] bool unusable() const { return tag == Tag::unknown || tag == Tag::failure; }
  [[nodiscard]] bool is_sequence() const { return tag == Tag::list || tag == Tag::tuple; }
  [[nodiscard]] bool is_one_int() const { return tag == Tag::list && spelled == kAsOneInt; }
  [[nodiscard]] bool is_container() const { return tag >= Tag::list && tag <= Tag::range; }

  static Value make(Tag tag, std::uint32_t a = 0, std::int64_t i = 0) {
    Value v;
    v.tag = tag;
    v.a = a;
    v.i = i;
    return v;
  }
  static Value unknown(Unknown why, std::int64_t about = 0) {
    return make(Tag::unknown, static_cast<std::uint32_t>(why), about);
  }
  static Value integer(std::int64_t i) { return make(Tag::integer, 0, i); }
  static Value boolean(bool b) { return make(Tag::boolean, 0, b ? 1 : 0); }
  static Value truth(Truth t, Unknown why = Unknown::size) {
    return t == Truth::unknown ? unknown(why) : boolean(t == Truth::yes);
  }
  static Value floating(double d) {
    Value v;
    v.tag = Tag::floating;
    v.d = d;
    return v;
  }
  static Value of_node(NodeId n) { return make(Tag::node, n.value); }
  static Value of_string(SymbolId s) { return make(Tag::string, s.value); }
  // Without the first `front` and the last `back` items; both must exist.
  [[nodiscard]] Value without(std::uint32_t front, std::uint32_t back) const {
    Value v = *this;
    v.a += range.where == Where::heap_reversed ? back : front;
    v.range.count -= front + back;
    v.tag = Tag::list;
    v.spelled = kAsObject;
    return v;
  }
  static Value sequence(Tag tag, std::uint32_t first, std::uint32_t count, Where where) {
    Value v = make(tag, first);
    v.range = {count, where};
    return v;
  }
};
static_assert(sizeof(Value) == 16);

}  // namespace fxrules::rewrite
