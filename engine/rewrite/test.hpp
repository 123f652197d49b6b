// One test of a match program on the registers that it names. Which test comes next is not its business.
#pragma once

#include <vector>

#include "engine/rewrite/binding.hpp"

namespace fxrules::rewrite {

class Tester {
 public:
  Tester(Binding& binding, std::vector<Value>& heap) : binding_(&binding), heap_(&heap) {}

  // Tests that look at values or fetch them; those that steer are the caller's.
  bool holds(const program::Instruction& i, Value* r);
  [[nodiscard]] bool commutes(NodeId n, bool asked);
  [[nodiscard]] bool equal(const Value& a, const Value& b) {
    if (a.tag == Tag::node && b.tag == Tag::node) return a.a == b.a;
    return a.tag != Tag::unbound && b.tag != Tag::unbound && same(*binding_, a, b, *heap_) == Truth::yes;
  }
  [[nodiscard]] Value item(const Value& sequence, std::uint32_t i) { return binding_->item(sequence, i, *heap_); }
  [[nodiscard]] Binding& binding() { return *binding_; }

  // Whether arguments of any node but this one were looked at.
  struct Watch {
    NodeId home;
    bool strayed = false;
  };
  [[nodiscard]] Watch& watched() { return watch_; }
  void looks_at(NodeId n) { watch_.strayed |= n != watch_.home; }

 private:
  bool rest_holds(NodeId n, program::Index spec);

  Binding* binding_;
  std::vector<Value>* heap_;
  Watch watch_;
};

inline bool Tester::holds(const program::Instruction& i, Value* r) {
  using program::ListShape;
  using program::Test;
  switch (i.test) {
    case Test::op: {
      if (r[i.a].tag != Tag::node || !binding_->accepts(r[i.a].node(), i.b)) return false;
      if (i.c == 0) return true;
      const std::size_t holes = program::hole_count(binding_->rules().op_patterns[i.b]);
      for (std::size_t h = 0; h < holes; ++h) {
        // The payload is the node whose form the hole keeps.
        r[i.c + h] = Value::make(Tag::string, binding_->hole(r[i.a].node(), i.b, h).value, r[i.a].a);
      }
      return true;
    }
    case Test::argument: {
      looks_at(r[i.c].node());
      const Access& access = binding_->call_class(r[i.c].node()).by_key[i.b];
      if (access.how == Access::How::absent) return false;
      r[i.a] = binding_->argument(r[i.c].node(), access);
      return true;
    }
    case Test::rest:
      return rest_holds(r[i.a].node(), i.b);
    case Test::bind_rest:
      looks_at(r[i.c].node());
      r[i.a] = Value::make(Tag::rest, r[i.c].a, i.b);
      return true;
    case Test::commutes:
      return commutes(r[i.a].node(), i.b != 0);
    case Test::kind:
      return has_kind(*binding_, r[i.a], {static_cast<program::KindName>(i.b), static_cast<program::Element>(i.c)}) ==
             Truth::yes;
    case Test::literal:
      return r[i.a].tag != Tag::node && same(*binding_, r[i.a], binding_->literal(i.b), *heap_) == Truth::yes;
    case Test::same:
      return equal(r[i.a], r[i.b]);
    case Test::list:
    case Test::list_min: {
      const Value& v = r[i.a];
      const auto shape = static_cast<ListShape>(i.c);
      const bool fits =
          shape == ListShape::any ? v.is_sequence() : v.tag == (shape == ListShape::list ? Tag::list : Tag::tuple);
      return fits && (i.test == Test::list ? v.range.count == i.b : v.range.count >= i.b);
    }
    case Test::item:
    case Test::part:
      r[i.a] = item(r[i.c], i.b);
      return true;
    case Test::item_back:
      r[i.a] = item(r[i.c], r[i.c].range.count - 1 - i.b);
      return true;
    case Test::span:
      r[i.a] = r[i.c].without(i.b >> 16, i.b & 0xFFFF);
      return true;
    default:
      return false;
  }
}

}  // namespace fxrules::rewrite
