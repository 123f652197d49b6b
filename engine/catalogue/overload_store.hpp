// Signatures parsed on first use. Readers may be many threads: a parsed overload is published once
// through an atomic pointer and never moves; parsing itself is serialised.
#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <vector>

#include "engine/catalogue/index.hpp"
#include "fxrules/catalogue.hpp"

namespace fxrules::catalogue {

class OverloadStore {
 public:
  OverloadStore(const Index& index, const std::vector<SourcePtr>& sources) : index_(index), sources_(sources) {}

  // Throws Error, located, for a signature that does not parse.
  const Overload& overload(OverloadId id);
  const std::vector<OverloadId>& overloads(OpId op);

  // After the index has changed: forgets what was parsed. References handed out stay valid.
  void reset();

 private:
  const Overload& parsed(OverloadId id);  // mutex_ held
  void set_rule_order(Overload& overload);

  const Index& index_;
  const std::vector<SourcePtr>& sources_;
  std::mutex mutex_;
  std::deque<Overload> storage_;
  std::deque<std::vector<OverloadId>> lists_;
  std::vector<std::atomic<const Overload*>> overload_at_;
  std::vector<std::atomic<const std::vector<OverloadId>*>> list_at_;
};

}  // namespace fxrules::catalogue
