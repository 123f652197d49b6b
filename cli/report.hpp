// What a run did, for people and for programs.
//
// JSON, one object; keys are stable, new ones may join:
//   stop             "converged", "limit", "default_limit", "cycle" or "failed"
//   exit_code        of the run, which --check may raise to 1
//   nodes_before, nodes_after
//   rewrites         [{rule, phase, file, line, count}], rules that rewrote something, in order
//   near_misses      [{rule, guard_false, guard_unknown, refused, kind, literal, repeated}], rules that matched, or
//                    found all their ops, and did not apply
//   notes            [{rule, node, text}]
//   unknown_targets  ["my.op"], targets that the op catalogue does not know
//   cycle            ["rule"], rules that undo each other
//   changed_names    {"old": "new"}: the value that was called old is now called new
//   applications     [{rule, root, matched, created, result}], every rewrite, in order
//   diagnostics      [{severity, kind, message, file, line, column, hint}]
// A run on several graphs, nested ones included: {exit_code, graphs: [{graph: NAME, report: {…}}]}.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fxrules/apply.hpp"
#include "fxrules/graph.hpp"

namespace fxrules::cli {

using TextSink = std::function<void(std::string_view)>;

// A table of at most a screen, ending in a newline.
[[nodiscard]] std::string report_text(const Report& report, const Graph& graph);
// In pieces: there may be millions of applications.
void report_json(const Report& report, const Graph& graph, int exit_code, const TextSink& sink);

// A string of JSON, quotes included.
[[nodiscard]] std::string json_string(std::string_view text);

// Values that were replaced by a value of another name, with their last name, in order of replacement.
[[nodiscard]] std::vector<std::pair<std::string_view, std::string_view>> changed_names(const Report& report,
                                                                                       const Graph& graph);
// "device.rules:9", empty without a place.
[[nodiscard]] std::string place_of(const Span& span);

}  // namespace fxrules::cli
