// Programs of torch.export: archives in memory and bare program JSON. (Archives in files: read_archive.)
#pragma once

#include "fxrules/formats.hpp"

namespace fxrules::pt2 {

[[nodiscard]] GraphFile read(const SourcePtr& source, GraphForm form, const ReadOptions& options);

}  // namespace fxrules::pt2
