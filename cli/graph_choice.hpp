// The graphs of a file, and those of them that a command is about.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/console.hpp"
#include "fxrules/formats.hpp"

namespace fxrules::cli {

struct ChosenGraphs {
  GraphFiles files;
  std::vector<std::size_t> chosen;  // numbers in files.graphs
};

// `choice`: "all", a number from 1 on, a title, or a part of one graph's title; empty: the first graph, and the
// others stay text. Throws Error when there is no such graph or when one of the chosen has errors; prints what
// else was found.
[[nodiscard]] ChosenGraphs read_chosen(const SourcePtr& source, const std::string& choice,
                                       const std::shared_ptr<const Catalogue>& catalogue, Console& console);

// All graphs of a file, whatever their errors; of an archive its program. Throws Error when there is none.
[[nodiscard]] GraphFiles read_all_graphs(const SourcePtr& source, const std::shared_ptr<const Catalogue>& catalogue);

// "cond_true_0", "graph 2": what a graph is called in messages.
[[nodiscard]] std::string graph_name(const GraphFile& file, std::size_t number);

// The file with the chosen graphs as they are now and all else as it was; of a log the chosen graphs alone.
void write_chosen(const Source& source, const ChosenGraphs& graphs, const Sink& sink);

}  // namespace fxrules::cli
