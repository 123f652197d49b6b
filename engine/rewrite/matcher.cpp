#include "engine/rewrite/matcher.hpp"

namespace fxrules::rewrite {

using program::Index;
using program::Instruction;
using program::ListShape;
using program::Test;

void Matcher::begin(const program::MatchProgram& match, Value root) {
  if (registers_.size() < match.registers) registers_.resize(match.registers);
  registers_[0] = root;
}

// Arguments that the pattern does not mention must be at their defaults. Without a schema every argument
// has to be mentioned.
bool Matcher::rest_holds(NodeId n, Index spec) {
  looks_at(n);
  CallClass& call = binding_->call_class(n);
  if (call.schema == nullptr) {
    std::size_t mentioned = 0;
    for (const Index key : binding_->rules().rests[spec].mentioned)
      mentioned += call.by_key[key].how != Access::How::absent;
    return mentioned == binding_->graph().argument_count(n);
  }
  const CallClass::Rest& rest = binding_->rest(call, spec);
  if (rest.never) return false;
  for (const auto& [access, constant] : rest.at_default) {
    if (same(*binding_, binding_->argument(n, access), binding_->constant(constant), *heap_) != Truth::yes)
      return false;
  }
  return true;
}

bool Matcher::commutes(NodeId n, bool asked) {
  looks_at(n);
  CallClass& call = binding_->call_class(n);
  if (call.schema == nullptr) return asked;
  if (!asked && !has(call.schema->tags, OpTag::commutative)) return false;
  if (call.by_argument.size() < 2) return false;
  for (std::size_t a = 2; a < call.by_argument.size(); ++a) {
    const Access& access = call.by_argument[a];
    if (access.how != Access::How::slot && access.how != Access::How::run) continue;
    if (!call.schema->arguments[a].has_default) return false;
    const Value value = binding_->argument(n, access);
    const Value expected = binding_->default_of(call, a);
    if (same(*binding_, value, expected, *heap_) != Truth::yes) return false;
  }
  return true;
}

const program::Accept* Matcher::next(const program::MatchProgram& match, Index& pc) {
  Value* const r = registers_.data();
  const Instruction* const code = match.code.data();
  for (;;) {
    const Instruction& i = code[pc];
    if (counts_ != nullptr) ++(*counts_)[pc];
    bool holds = false;
    switch (i.test) {
      case Test::op:
        holds = r[i.a].tag == Tag::node && binding_->accepts(r[i.a].node(), i.b);
        if (holds && i.c != 0) {
          const std::size_t holes = program::hole_count(binding_->rules().op_patterns[i.b]);
          for (std::size_t h = 0; h < holes; ++h) {
            // The payload is the node whose form the hole keeps.
            r[i.c + h] = Value::make(Tag::string, binding_->hole(r[i.a].node(), i.b, h).value, r[i.a].a);
          }
        }
        break;
      case Test::select: {
        const Index target = r[i.a].tag == Tag::node ? binding_->edge(r[i.a].node(), match, i.b) : program::kNone;
        pc = target == program::kNone ? i.fail : target;
        continue;
      }
      case Test::argument: {
        looks_at(r[i.c].node());
        const Access& access = binding_->call_class(r[i.c].node()).by_key[i.b];
        holds = access.how != Access::How::absent;
        if (holds) r[i.a] = binding_->argument(r[i.c].node(), access);
        break;
      }
      case Test::rest:
        holds = rest_holds(r[i.a].node(), i.b);
        break;
      case Test::bind_rest:
        looks_at(r[i.c].node());
        r[i.a] = Value::make(Tag::rest, r[i.c].a, i.b);
        holds = true;
        break;
      case Test::commutes:
        holds = commutes(r[i.a].node(), i.b != 0);
        break;
      case Test::kind:
        holds = has_kind(*binding_, r[i.a],
                         {static_cast<program::KindName>(i.b), static_cast<program::Element>(i.c)}) == Truth::yes;
        break;
      case Test::literal:
        holds = r[i.a].tag != Tag::node && same(*binding_, r[i.a], binding_->literal(i.b), *heap_) == Truth::yes;
        break;
      case Test::same:
        holds = (r[i.a].tag == Tag::node && r[i.b].tag == Tag::node)
                    ? r[i.a].a == r[i.b].a
                    : same(*binding_, r[i.a], r[i.b], *heap_) == Truth::yes;
        break;
      case Test::list:
      case Test::list_min: {
        const Value& v = r[i.a];
        const auto shape = static_cast<ListShape>(i.c);
        const bool fits =
            shape == ListShape::any ? v.is_sequence() : v.tag == (shape == ListShape::list ? Tag::list : Tag::tuple);
        holds = fits && (i.test == Test::list ? v.range.count == i.b : v.range.count >= i.b);
        break;
      }
      case Test::item:
        r[i.a] = binding_->item(r[i.c], i.b, *heap_);
        holds = true;
        break;
      case Test::item_back:
        r[i.a] = binding_->item(r[i.c], r[i.c].range.count - 1 - i.b, *heap_);
        holds = true;
        break;
      case Test::span:
        r[i.a] = r[i.c].without(i.b >> 16, i.b & 0xFFFF);
        holds = true;
        break;
      case Test::part:
        r[i.a] = binding_->item(r[i.c], i.b, *heap_);
        holds = true;
        break;
      case Test::accept: {
        const program::Accept* accept = &match.accepts[i.b];
        pc = i.fail;
        return accept;
      }
      case Test::fail:
        if (pc == 0) return nullptr;
        holds = false;
        break;
    }
    pc = holds ? pc + 1 : i.fail;
  }
}

}  // namespace fxrules::rewrite
