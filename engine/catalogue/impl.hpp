// What stands behind a Catalogue, shared by the files that implement it.
#pragma once

#include <memory>
#include <vector>

#include "engine/catalogue/index.hpp"
#include "engine/catalogue/overload_store.hpp"
#include "fxrules/catalogue.hpp"

namespace fxrules {

struct Catalogue::Impl {
  std::vector<SourcePtr> sources;  // in the order of SignatureRecord::source
  catalogue::Index index;
  catalogue::OverloadStore store{index, sources};

  void index_source(const SourcePtr& source, std::vector<Diagnostic>& diagnostics);
  [[nodiscard]] const catalogue::OpRecord& op(OpId id) const { return index.ops().at(id.value); }
};

namespace catalogue {

// Everything that is wrong with a user's file, signatures included. Empty when it can be added.
// `index` is what stands already.
[[nodiscard]] std::vector<Diagnostic> check_source(const SourcePtr& source, Index index);

}  // namespace catalogue
}  // namespace fxrules
