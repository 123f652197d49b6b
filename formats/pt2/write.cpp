#include "formats/pt2/write.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "formats/pt2/archive.hpp"
#include "formats/pt2/graph_writer.hpp"
#include "formats/pt2/json.hpp"

namespace fxrules::pt2 {
namespace {

class ProgramWriter {
 public:
  ProgramWriter(const GraphFile& file, Out& out)
      : file_(file),
        program_(file.exported->program),
        graph_(file.graph),
        writing_{program_, file.exported->catalogue.get(), file, &out},
        writer_(writing_, program_.top, program_.original, graph_) {}

  std::vector<Diagnostic> write() {
    struct Stretch {
      Range range;
      void (ProgramWriter::*write)(Range);
    };
    std::vector<Stretch> parts{{program_.whole_graph, &ProgramWriter::graph},
                               {program_.input_specs_list, &ProgramWriter::input_specs},
                               {program_.output_specs_list, &ProgramWriter::output_specs},
                               {program_.module_calls, &ProgramWriter::module_calls}};
    for (const Range verifier : program_.functional_verifiers) parts.push_back({verifier, &ProgramWriter::verifier});
    std::erase_if(parts, [](const Stretch& s) { return !s.range.valid(); });
    std::sort(parts.begin(), parts.end(),
              [](const Stretch& a, const Stretch& b) { return a.range.begin < b.range.begin; });
    std::uint32_t at = 0;
    for (const Stretch& part : parts) {
      writing_.out->copy(at, part.range.begin);
      (this->*part.write)(part.range);
      at = part.range.end;
    }
    writing_.out->copy(at, static_cast<std::uint32_t>(program_.source->text.size()));
    writing_.out->flush();
    return std::move(writing_.problems);
  }

 private:
  void graph(Range range) { writer_.write(range); }

  void verifier(Range range) {
    if (!program_.allow_in_place) return writing_.out->copy(range);
    writing_.out->text(in_quotes("TRAINING"));
  }

  // Entries whose values are what they were stay; others are spelled anew, entries of placeholders that are gone go.
  void input_specs(Range range) {
    const Signature *before = program_.original.signature(), *now = graph_.signature();
    if (before == nullptr || now == nullptr) return writing_.out->copy(range);
    if (is_archive(file_) && file_.exported->member.empty()) weights(*now);
    std::vector<GraphWriter::Item> items;
    std::size_t at = 0;
    for (const InputSpec& spec : now->inputs) {
      if (program_.made_up) {
        items.push_back({std::nullopt, new_input(spec)});
        continue;
      }
      while (at < before->inputs.size() && before->inputs[at].node != spec.node) ++at;
      if (at == before->inputs.size()) return lost("an input");
      const bool same = graph_.name_id(spec.node) == program_.original.name_id(spec.node);
      items.push_back(same ? GraphWriter::Item{at, {}} : GraphWriter::Item{std::nullopt, renamed_input(at, spec)});
    }
    writer_.list(range, program_.input_specs, items);
  }

  std::string renamed_input(std::size_t at, const InputSpec& spec) {
    return with_name(program_.input_specs[at], program_.original.name(spec.node), graph_.name(spec.node));
  }

  // A new archive holds no weights: what is no input of the caller is missing.
  void weights(const Signature& signature) {
    for (const InputSpec& spec : signature.inputs) {
      if (spec.role == InputRole::user || spec.role == InputRole::literal || spec.role == InputRole::token) continue;
      writing_.report(
          Severity::error, "unsayable",
          fmt::format("the input `{}` is a tensor of the module, and its value is not there", graph_.name(spec.node)),
          "an archive with weights can be rewritten, not made");
    }
  }

  std::string new_input(const InputSpec& spec) {
    const auto of_module = [&](std::string_view tag, std::string_view more = {}) {
      return fmt::format(R"({{"{0}": {{"arg": {{"name": {1}}}, "{0}_name": {2}{3}}}}})", tag,
                         in_quotes(graph_.name(spec.node)), in_quotes(graph_.text(spec.path)), more);
    };
    switch (spec.role) {
      case InputRole::user:
        return fmt::format(R"({{"user_input": {{"arg": {}}}}})", writer_.named_value(spec.node));
      case InputRole::parameter:
        return of_module("parameter");
      case InputRole::buffer:
        return of_module("buffer", spec.persistent ? R"(, "persistent": true)" : R"(, "persistent": false)");
      case InputRole::constant:
        return of_module("tensor_constant");
      default:
        writing_.report(Severity::error, "unsayable",
                        fmt::format("the input `{}` is of a kind that is only rewritten", graph_.name(spec.node)));
        return {};
    }
  }

  // The text of an entry with the name of its value exchanged. Names of parameters and buffers stand behind it.
  std::string with_name(Range range, std::string_view old, std::string_view now) {
    std::string text(writing_.text(range));
    const std::string name = in_quotes(old);
    const std::size_t at = text.find(": " + name);
    if (at != std::string::npos) text.replace(at + 2, name.size(), in_quotes(now));
    return text;
  }

  void output_specs(Range range) {
    const Signature *before = program_.original.signature(), *now = graph_.signature();
    if (before == nullptr || now == nullptr) return writing_.out->copy(range);
    if (now->outputs.size() != graph_.output_count()) return lost("an output");
    std::vector<GraphWriter::Item> items;
    for (std::size_t i = 0; i < now->outputs.size(); ++i) {
      const OutputSpec& spec = now->outputs[i];
      const bool same = i < before->outputs.size() && before->outputs[i].role == spec.role &&
                        same_target(before->outputs[i].input, spec.input) &&
                        writer_.same_argument(program_.original.output_value(i), graph_.output_value(i));
      items.push_back(same ? GraphWriter::Item{i, {}} : GraphWriter::Item{std::nullopt, output_text(spec, i)});
    }
    writer_.list(range, program_.output_specs, items);
  }

  // A mutated input is called by its name, which may have changed.
  [[nodiscard]] bool same_target(NodeId before, NodeId now) const {
    return before == now && (!now.valid() || program_.original.name_id(before) == graph_.name_id(now));
  }

  std::string output_text(const OutputSpec& spec, std::size_t i) {
    const Slot& slot = graph_[graph_.output_value(i)];
    const std::string argument = writer_.argument_text(graph_.output_value(i), {});
    const std::string name = slot.kind == ArgKind::node
                                 ? fmt::format("{{\"name\": {}}}", in_quotes(writer_.value_name(slot.node())))
                                 : "null";
    const auto entry = [&](std::string_view tag, std::string_view arg, std::string_view key = {},
                           std::string_view target = {}) {
      if (key.empty()) return fmt::format("{{\"{}\": {{\"arg\": {}}}}}", tag, arg);
      return fmt::format("{{\"{}\": {{\"arg\": {}, \"{}\": {}}}}}", tag, arg, key, in_quotes(target));
    };
    const InputSpec* input = spec.input.valid() ? graph_.signature()->find(spec.input) : nullptr;
    const std::string_view path = input != nullptr && input->path.valid() ? graph_.text(input->path) : "";
    const std::string_view own = spec.input.valid() ? graph_.name(spec.input) : "";
    switch (spec.role) {
      case OutputRole::user:
        return entry("user_output", argument);
      case OutputRole::loss:
        return entry("loss_output", name);
      case OutputRole::token:
        return entry("token", name);
      case OutputRole::buffer_mutation:
        return entry("buffer_mutation", name, "buffer_name", path);
      case OutputRole::parameter_mutation:
        return entry("parameter_mutation", name, "parameter_name", path);
      case OutputRole::input_mutation:
        return entry("user_input_mutation", name, "user_input_name", own);
      case OutputRole::parameter_gradient:
        return entry("gradient_to_parameter", name, "parameter_name", path);
      case OutputRole::input_gradient:
        return entry("gradient_to_user_input", name, "user_input_name", own);
    }
    return {};
  }

  // Calling conventions that are kept name values; those may have another name now.
  void module_calls(Range range) {
    std::uint32_t at = range.begin;
    for (const ModuleName& name : program_.module_names) {
      const SymbolId now = name_now(name.name);
      if (now == name.name) continue;
      if (!now.valid()) {
        writing_.report(Severity::error, "unsayable",
                        fmt::format("the module `{}` keeps its calling convention, which names `{}`, and that is gone",
                                    graph_.text(name.module), graph_.text(name.name)),
                        "export it without preserve_module_call_signature, or disable the rule that removes it");
        continue;
      }
      writing_.out->copy(at, name.token.begin);
      writing_.out->text(in_quotes(graph_.text(now)));
      at = name.token.end;
    }
    writing_.out->copy(at, range.end);
  }

  // The name of what stands for the value now; none where nothing does.
  SymbolId name_now(SymbolId name) {
    const NodeId was = program_.original.find(name);
    if (!was.valid()) return name;  // no value of the graph: a constant input
    if (graph_.alive(was)) return graph_.symbols().intern(writer_.value_name(was));
    for (std::size_t steps = 0; steps < 1000; ++steps) {
      const auto next = file_.stands_for.find(name.value);
      if (next == file_.stands_for.end()) return {};
      name = next->second;
      if (const NodeId n = graph_.find(name); n.valid()) return graph_.symbols().intern(writer_.value_name(n));
    }
    return {};
  }

  void lost(std::string_view what) {
    writing_.report(Severity::error, "unsayable", fmt::format("{} of the graph is not in its signature", what));
  }

  const GraphFile& file_;
  const Program& program_;
  const Graph& graph_;
  Writing writing_;
  GraphWriter writer_;
};

}  // namespace

std::vector<Diagnostic> check(const GraphFile& file) {
  Out out(file.exported->program.source->text, nullptr);
  return ProgramWriter(file, out).write();
}

void write_program(const GraphFile& file, const Sink& sink) {
  Out out(file.exported->program.source->text, &sink);
  (void)ProgramWriter(file, out).write();
}

void write_archive(const GraphFile& file, const Sink& sink, const Patch& patch) {
  const Origin& origin = *file.exported;
  if (origin.member.empty()) return write_new_archive([&](const Sink& out) { write_program(file, out); }, sink, patch);
  const std::string name = origin.path.empty() ? origin.bytes->name : origin.path;
  try {
    const auto archive = origin.path.empty() ? std::make_unique<Archive>(std::string_view(origin.bytes->text))
                                             : std::make_unique<Archive>(origin.path);
    const auto at = std::find(archive->names().begin(), archive->names().end(), origin.member);
    if (at == archive->names().end())
      throw ArchiveError(fmt::format("its member `{}` is not there any more", origin.member));
    archive->copy(
        static_cast<std::size_t>(at - archive->names().begin()),
        [&](const Sink& content) { write_program(file, content); }, file.form == GraphForm::pt2_archive, sink, patch);
  } catch (const ArchiveError& error) {
    throw Error({{Severity::error, "damaged-archive", fmt::format("{}: {}", name, error.what()), {}, {}}});
  }
}

}  // namespace fxrules::pt2
