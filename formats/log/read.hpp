// Logs of TORCH_LOGS and TORCH_TRACE: lines of several writers amid each other.
#pragma once

#include <functional>

#include "fxrules/formats.hpp"

namespace fxrules::log {

// Reads the graphs of one text without prefixes.
using ReadText = std::function<void(const SourcePtr& text, GraphFiles& out)>;

// The graphs of a log in the order in which they begin. Each is a text of its own: what stands around them in
// the log is no part of what is written.
void read_all(const SourcePtr& source, const ReadText& read_text, GraphFiles& out);

}  // namespace fxrules::log
