#include "engine/catalogue/overload_store.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/catalogue/place.hpp"
#include "engine/catalogue/rule_order.hpp"
#include "engine/catalogue/signature.hpp"

namespace fxrules::catalogue {
namespace {

bool aliases_an_argument(const Overload& overload, const SchemaReturn& result) {
  return !result.alias.empty() && !result.writes &&
         std::any_of(overload.arguments.begin(), overload.arguments.end(), [&](const SchemaArgument& argument) {
           return argument.alias == result.alias && !argument.writes && argument.alias_when.empty();
         });
}

// The annotation `Tensor(a) -> Tensor(a)` says that results may share storage; unless something says
// `may_alias`, they always do.
OpTag view_tag(const Overload& overload) {
  if (has(overload.tags, OpTag::may_alias)) return OpTag::none;
  const auto aliases = [&](const SchemaReturn& result) { return aliases_an_argument(overload, result); };
  const bool view = std::any_of(overload.returns.begin(), overload.returns.end(), aliases);
  return view ? OpTag::view : OpTag::none;
}

bool has_out(const Overload& overload) {
  return std::any_of(overload.arguments.begin(), overload.arguments.end(),
                     [](const SchemaArgument& argument) { return argument.writes && argument.keyword_only; });
}

std::string_view namespace_of(std::string_view full_name) { return full_name.substr(0, full_name.find("::")); }

[[noreturn]] void fail(const SourcePtr& source, std::string_view at, std::string message) {
  throw Error({diagnostic_at(source, at, "catalogue-syntax", std::move(message))});
}

}  // namespace

void OverloadStore::reset() {
  overload_at_ = std::vector<std::atomic<const Overload*>>(index_.signatures().size());
  list_at_ = std::vector<std::atomic<const std::vector<OverloadId>*>>(index_.ops().size());
}

const Overload& OverloadStore::overload(OverloadId id) {
  if (const Overload* known = overload_at_.at(id.value).load(std::memory_order_acquire)) return *known;
  const std::scoped_lock lock(mutex_);
  return parsed(id);
}

const Overload& OverloadStore::parsed(OverloadId id) {
  if (const Overload* known = overload_at_[id.value].load(std::memory_order_relaxed)) return *known;
  const SignatureRecord& record = index_.signatures()[id.value];
  const OpRecord& op = index_.ops()[record.op.value];
  const SourcePtr& source = sources_[record.source];
  const SignatureBody body = split_body(record.body);
  const Facts facts = parse_facts(body.facts);
  if (!facts.unknown.empty()) fail(source, facts.unknown, fmt::format("unknown fact `{}`", facts.unknown));
  Overload overload;
  overload.op = record.op;
  overload.id = id;
  overload.python = record.python;
  (record.python ? overload.python_target : overload.name) = record.name;
  if (const auto error = parse_signature(body.signature, overload)) {
    fail(source, body.signature.substr(error->offset, 1), error->message);
  }
  overload.tags = facts.tags | record.tags | op.tags | index_.namespace_tags(namespace_of(op.full_name));
  overload.tags = overload.tags | view_tag(overload);
  if (record.python) set_rule_order(overload);
  storage_.push_back(std::move(overload));
  overload_at_[id.value].store(&storage_.back(), std::memory_order_release);
  return storage_.back();
}

void OverloadStore::set_rule_order(Overload& overload) {
  const Overload* reference = nullptr;
  int most = 0;
  for (OverloadId id = index_.ops()[overload.op.value].first; id; id = index_.signatures()[id.value].next) {
    if (index_.signatures()[id.value].python) continue;
    const Overload& schema = parsed(id);
    const int shared = has_out(schema) ? 0 : shared_arguments(overload, schema);
    if (shared > most) {
      most = shared;
      reference = &schema;
    }
  }
  if (reference != nullptr) overload.rule_order = rule_order(overload, *reference);
}

const std::vector<OverloadId>& OverloadStore::overloads(OpId op) {
  if (const auto* known = list_at_.at(op.value).load(std::memory_order_acquire)) return *known;
  const std::scoped_lock lock(mutex_);
  if (const auto* known = list_at_[op.value].load(std::memory_order_relaxed)) return *known;
  std::vector<OverloadId> schemas;
  std::vector<OverloadId> python;
  for (OverloadId id = index_.ops()[op.value].first; id; id = index_.signatures()[id.value].next) {
    const SignatureRecord& record = index_.signatures()[id.value];
    if (!record.replaced) (record.python ? python : schemas).push_back(id);
  }
  schemas.insert(schemas.end(), python.begin(), python.end());
  lists_.push_back(std::move(schemas));
  list_at_[op.value].store(&lists_.back(), std::memory_order_release);
  return lists_.back();
}

}  // namespace fxrules::catalogue
