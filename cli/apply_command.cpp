// fxrules apply: rules and graphs in, graphs, diffs and reports out.
#include "cli/apply_file.hpp"
#include "cli/apply_several.hpp"
#include "cli/graph_file.hpp"
#include "cli/labels.hpp"
#include "cli/rule_files.hpp"
#include "cli/run.hpp"
#include "cli/watch.hpp"

namespace fxrules::cli {
namespace {

int apply_once(const Options& options, Console& console) {
  const std::vector<RuleFile> files = rule_files(options.rules, console.in);
  const bool several = !options.more_graphs.empty();
  const SourcePtr source = several ? nullptr : read_graph_source(options.graph, console);
  const std::shared_ptr<Catalogue> catalogue = load_catalogue();
  const std::optional<RuleSet> rules = load_rule_set(files, load_options(options, catalogue), console);
  ChosenGraphs graphs;
  if (!several)
    graphs = read_chosen(source, options.choice, catalogue, console);  // its errors too, when rules have some
  if (!rules) return kFailure;
  check_labels(options.only, "--only", *rules);
  check_labels(options.disable, "--disable", *rules);
  check_phase(options.until, *rules);
  if (several) return apply_to_several(options, *rules, catalogue, console);
  return apply_to_file(options, *rules, source, catalogue, std::move(graphs), console);
}

}  // namespace

int apply_command(const Options& options, Console& console) {
  return options.watch ? watch_apply(options, console, apply_once) : apply_once(options, console);
}

}  // namespace fxrules::cli
