#include "engine/rewrite/test.hpp"

namespace fxrules::rewrite {

using program::Index;

// Arguments that the pattern does not mention must be at their defaults. Without a schema every argument
// has to be mentioned.
bool Tester::rest_holds(NodeId n, Index spec) {
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

bool Tester::commutes(NodeId n, bool asked) {
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

}  // namespace fxrules::rewrite
