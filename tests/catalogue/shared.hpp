// The shipped catalogue, loaded once, and short words to ask it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fxrules/catalogue.hpp"
#include "tests/support/catch.hpp"

namespace fxrules::test {

inline const Catalogue& shipped() {
  static const std::shared_ptr<Catalogue> catalogue = Catalogue::load(FXRULES_SHARE_DIR);
  return *catalogue;
}

inline std::string full_name(const Catalogue& catalogue, OpId op) {
  return std::string(catalogue.op_namespace(op)) + "::" + std::string(catalogue.op_name(op));
}

// "aten::add" for what `find_op` finds, "" for nothing.
inline std::string found(std::string_view name) {
  const auto op = shipped().find_op(name);
  return op ? full_name(shipped(), *op) : "";
}

inline const Overload& overload(std::string_view op, std::string_view name = "default") {
  return shipped().overload(shipped().find_overload(shipped().find_op(op).value(), name).value());
}

// The only Python signature of a target.
inline const Overload& signature(Opcode opcode, std::string_view target) {
  const Spelling spelling = shipped().resolve(opcode, target).value();
  const auto ids = shipped().candidates(spelling, target);
  REQUIRE(ids.size() == 1);
  return shipped().overload(ids.front());
}

inline std::vector<std::string> candidate_names(Opcode opcode, std::string_view target) {
  std::vector<std::string> names;
  const Spelling spelling = shipped().resolve(opcode, target).value();
  for (const OverloadId id : shipped().candidates(spelling, target)) {
    const Overload& candidate = shipped().overload(id);
    names.emplace_back(candidate.python ? candidate.python_target : candidate.name);
  }
  return names;
}

}  // namespace fxrules::test
