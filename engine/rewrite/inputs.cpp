#include "engine/rewrite/inputs.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "engine/rewrite/effects.hpp"
#include "engine/rewrite/role_calls.hpp"

namespace fxrules::rewrite {

Inputs::Inputs(Binding& binding, Rewriter& rewriter)
    : binding_(&binding), rewriter_(&rewriter), graph_(&binding.graph()) {
  const NodeId output = graph_->output();
  if (!output.valid() || !graph_writes()) return;
  inputs_ = written_inputs();
  if (inputs_.empty()) return;
  const CallForm form = graph_->form(output);
  CallBuilder builder(*graph_);
  builder.copy(graph_->argument(output, 0));
  builder.open(ArgKind::tuple);
  for (const NodeId n : inputs_) builder.node(n);
  builder.close();
  builder.reassign(output, form.opcode, form.target);
  for (const NodeId n : inputs_) rewriter_->storage().returned(n);
}

bool Inputs::graph_writes() const {
  for (std::uint32_t f = 0; f < graph_->form_count(); ++f) {
    if (binding_->may_write(FormId(f))) return true;
  }
  return false;
}

// Placeholders and the first get_attr of each path whose storage something writes.
std::vector<NodeId> Inputs::written_inputs() {
  std::vector<NodeId> inputs;
  std::unordered_set<std::uint32_t> paths;
  Storage& storage = rewriter_->storage();
  for (const NodeId n : storage.inputs()) {
    if (graph_->opcode(n) == Opcode::get_attr && !paths.insert(graph_->form(n).target.value).second) continue;
    // The signature's own entry says what the caller finds in an input that has one.
    if (!binding_->entry_of(n).valid() && storage.write_between(n, n, NodeId()).valid()) inputs.push_back(n);
  }
  return inputs;
}

std::unordered_map<std::uint32_t, NodeId> Inputs::changed() const {
  std::unordered_map<std::uint32_t, NodeId> values;
  const NodeId output = graph_->output();
  if (inputs_.empty() || !output.valid()) return values;
  const Slot after = (*graph_)[graph_->argument(output, 1)];
  for (std::uint32_t i = 0; i < after.count(); ++i) {
    const NodeId value = (*graph_)[after.child(i)].node();
    if (value != inputs_[i]) values.emplace(inputs_[i].value, value);
  }
  return values;
}

void Inputs::settle(const Versions& versions, const ApplyOptions& options, Report& report) {
  const NodeId output = graph_->output();
  if (inputs_.empty() || !output.valid()) return;
  std::vector<New> values;
  const std::unordered_map<std::uint32_t, NodeId> now = changed();
  for (const NodeId input : inputs_) {
    const auto value = now.find(input.value);
    if (value == now.end()) continue;
    const bool attribute = graph_->opcode(input) == Opcode::get_attr;
    values.push_back({input, value->second, attribute ? options.mutated_attributes : options.mutated_inputs});
    if (values.back().where != MutatedInputs::copy_back || !versions.reshaped(input)) continue;
    report.diagnostics.push_back(
        {Severity::error,
         "mutated-input",
         fmt::format("`{}` gets another shape in place, and a copy back cannot give it one", graph_->name(input)),
         {},
         "--mutated-inputs=return gives the caller the new value as an output"});
  }
  return_values(values, report);
  copy_back(values, report);
  std::sort(report.mutated_inputs.begin(), report.mutated_inputs.end(),
            [&](const MutatedInput& a, const MutatedInput& b) {
              return graph_->precedes(graph_->find(a.input), graph_->find(b.input));
            });
  inputs_.clear();
}

// The output node gets its own argument again, and the new values that it does not return yet. A bare output
// becomes a tuple, None the tuple of the new values.
void Inputs::return_values(const std::vector<New>& values, Report& report) {
  const NodeId output = graph_->output();
  const Slot returned = (*graph_)[graph_->argument(output, 0)];
  const bool sequence = returned.kind == ArgKind::tuple || returned.kind == ArgKind::list;
  std::unordered_map<std::uint32_t, std::vector<std::size_t>> places;  // of values among the outputs, last first
  const auto place = [&](const Slot& slot, std::size_t at) {
    if (slot.kind == ArgKind::node) places[slot.a].push_back(at);
  };
  std::size_t count = returned.kind == ArgKind::none ? 0 : 1;
  if (sequence) {
    count = returned.count();
    for (std::uint32_t i = returned.count(); i-- > 0;) place((*graph_)[returned.child(i)], i);
  } else if (returned.kind == ArgKind::dict) {  // key, value, key, value, …
    count = returned.count() / 2;
    for (std::uint32_t i = returned.count() / 2; i-- > 0;) place((*graph_)[returned.child(2 * i + 1)], i);
  } else {
    place(returned, 0);
  }
  std::vector<NodeId> appended;
  for (const New& v : values) {
    if (v.where != MutatedInputs::as_output) continue;
    MutatedInput entry{graph_->name_id(v.input), graph_->name_id(v.value), std::nullopt, false, false};
    std::vector<std::size_t>& free = places[v.value.value];
    if (!free.empty()) {
      entry.output = free.back();
      free.pop_back();
    } else {
      entry.output = count++;
      entry.appended = true;
      appended.push_back(v.value);
    }
    report.mutated_inputs.push_back(entry);
  }
  if (!appended.empty() && returned.kind == ArgKind::dict) {
    const auto lost = std::find_if(report.mutated_inputs.begin(), report.mutated_inputs.end(),
                                   [](const MutatedInput& m) { return m.appended; });
    report.diagnostics.push_back({Severity::error,
                                  "mutated-input",
                                  fmt::format("`{}` is written and not returned, and the output is a dict, which "
                                              "takes no further values",
                                              graph_->text(lost->input)),
                                  {},
                                  "--mutated-inputs=copy_back writes it back instead"});
    appended.clear();
  }
  const CallForm form = graph_->form(output);
  CallBuilder builder(*graph_);
  if (appended.empty()) {
    builder.copy(graph_->argument(output, 0));
  } else {
    builder.open(sequence ? returned.kind : ArgKind::tuple);
    if (sequence) {
      for (std::uint32_t i = 0; i < returned.count(); ++i) builder.copy(returned.child(i));
    } else if (returned.kind != ArgKind::none) {
      builder.copy(graph_->argument(output, 0));
    }
    for (const NodeId n : appended) builder.node(n);
    builder.close();
  }
  builder.reassign(output, form.opcode, form.target);
}

// All at the end, behind the last read of every old value. A new value that shares storage with an input that
// is copied back too is copied first.
void Inputs::copy_back(const std::vector<New>& values, Report& report) {
  std::vector<New> back;
  for (const New& v : values) {
    if (v.where == MutatedInputs::copy_back) back.push_back(v);
  }
  if (back.empty()) return;
  rewriter_->forget_storage();
  Storage& storage = rewriter_->storage();
  const Catalogue& catalogue = binding_->catalogue();
  const bool overloads = spells_overloads(*graph_, catalogue);
  for (New& v : back) {
    const bool read_later =
        storage.holds_input(v.value) && std::any_of(back.begin(), back.end(), [&](const New& other) {
          return other.input != v.input && storage.together(v.value, other.input);
        });
    if (read_later) v.value = call_of_role(*graph_, catalogue, "clone", {v.value}, overloads, graph_->output());
  }
  for (const New& v : back) {
    const NodeId copy = call_of_role(*graph_, catalogue, "write", {v.input, v.value}, overloads, graph_->output());
    graph_->set_meta(copy, graph_->meta(v.input));
    report.mutated_inputs.push_back({graph_->name_id(v.input), graph_->name_id(v.value), std::nullopt, false, true});
  }
}

}  // namespace fxrules::rewrite
