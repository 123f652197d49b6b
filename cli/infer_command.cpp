// fxrules infer: what is known of each value of a graph.
#include <ostream>

#include <fmt/format.h>

#include "cli/graph_file.hpp"
#include "cli/inputs.hpp"
#include "cli/rule_files.hpp"
#include "cli/run.hpp"
#include "fxrules/infer.hpp"

namespace fxrules::cli {

int infer_command(const Options& options, Console& console) {
  std::vector<RuleFile> files = rule_files(options.rules, console.in);
  // A file of no rules has the shipped shape functions in its scope.
  if (files.empty()) files.push_back({"", std::make_shared<Source>(Source{"", ""})});
  const SourcePtr source = read_graph_source(options.graph, console);
  const std::shared_ptr<Catalogue> catalogue = load_catalogue();
  const std::optional<RuleSet> rules = load_rule_set(files, load_options(options, catalogue), console);
  GraphFile file = read_graph_file(source, catalogue, console);
  if (!rules) return kFailure;
  take_inputs(options, *rules, file.graph);
  infer_metadata(*rules, file.graph);
  for (const NodeId n : file.graph.nodes()) {
    if (file.graph.opcode(n) == Opcode::output) continue;
    console.out << fmt::format("{} = {}\n", file.graph.name(n), file.graph.metas().text(file.graph.meta(n)));
  }
  return kSuccess;
}

}  // namespace fxrules::cli
