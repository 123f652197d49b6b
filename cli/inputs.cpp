#include "cli/inputs.hpp"

#include <sstream>

#include <fmt/format.h>

#include "cli/files.hpp"
#include "fxrules/infer.hpp"

namespace fxrules::cli {
namespace {

struct Range {
  std::size_t begin = 0, end = 0;
  [[nodiscard]] bool empty() const { return begin == end; }
};

Range trimmed(std::string_view text, Range r) {
  while (!r.empty() && (text[r.begin] == ' ' || text[r.begin] == '\t')) ++r.begin;
  while (!r.empty() && (text[r.end - 1] == ' ' || text[r.end - 1] == '\t' || text[r.end - 1] == '\r')) --r.end;
  return r;
}

std::string_view text_of(std::string_view text, Range r) { return text.substr(r.begin, r.end - r.begin); }

// The end of the word at `at`: a blank outside of brackets.
std::size_t word_end(std::string_view text, std::size_t at, std::size_t end) {
  int depth = 0;
  for (; at < end; ++at) {
    if (text[at] == '(' || text[at] == '[') ++depth;
    if (text[at] == ')' || text[at] == ']') --depth;
    if (text[at] == ' ' && depth <= 0) break;
  }
  return at;
}

class Inputs {
 public:
  explicit Inputs(Graph& graph) : graph_(graph) {}

  // One `name=type`, in the range of a text.
  void line(const SourcePtr& source, Range r) {
    const std::string_view text = source->text;
    r = trimmed(text, r);
    if (r.empty() || text[r.begin] == '#') return;
    const std::size_t equals = text.find('=', r.begin);
    if (equals >= r.end) return report(source, r, "bad-input", "expected `name=type`", kForm);
    const Range name = trimmed(text, {r.begin, equals}), type = trimmed(text, {equals + 1, r.end});
    if (name.empty()) return report(source, r, "bad-input", "expected a name before `=`", kForm);
    const NodeId n = graph_.find(text_of(text, name));
    if (!n.valid() || graph_.opcode(n) == Opcode::output) return unknown_name(source, name);
    const std::string_view said = text_of(text, type);
    if (said == "?") return;  // what `fxrules infer` prints where nothing is known
    if (said == "int") return graph_.set_meta(n, some_integer());
    const auto meta = graph_.metas().parse(said);
    if (!meta) return report(source, wrong_part(text, type), "bad-type", "this is no type of a value", kForm);
    graph_.set_meta(n, *meta);
  }

  void file(const SourcePtr& source) {
    const std::string_view text = source->text;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      line(source, {begin, end});
      begin = end + 1;
    }
  }

  void finish() {
    if (!problems_.empty()) throw Error(std::move(problems_));
  }

 private:
  static constexpr const char* kForm = "as in `x=f32[4,8] strides=(8,1) device=cpu`, or `n=int`";

  MetaId some_integer() {
    ValueMeta meta;
    meta.kind = MetaKind::symbolic;
    meta.value = Size::unknown();
    return graph_.metas().intern(meta);
  }

  // The first word with which it stops being a type.
  Range wrong_part(std::string_view text, Range type) {
    for (std::size_t begin = type.begin; begin < type.end;) {
      const std::size_t end = word_end(text, begin, type.end);
      if (end > begin && !graph_.metas().parse(text_of(text, {type.begin, end}))) return {begin, end};
      begin = end + 1;
    }
    return type;
  }

  void unknown_name(const SourcePtr& source, Range name) {
    const std::string_view text = text_of(source->text, name);
    std::vector<std::string_view> names;
    for (const NodeId n : graph_.nodes()) {
      if (graph_.opcode(n) != Opcode::output) names.push_back(graph_.name(n));
    }
    const std::vector<std::string> near = nearest_names(text, names, 1);
    report(source, name, "unknown-input", fmt::format("the graph has no value `{}`", text),
           near.empty() ? "" : fmt::format("did you mean `{}`?", near[0]));
  }

  void report(const SourcePtr& source, Range at, const char* kind, std::string message, std::string hint) {
    Diagnostic d;
    d.kind = kind;
    d.message = std::move(message);
    d.hint = std::move(hint);
    d.span = {source, static_cast<std::uint32_t>(at.begin), static_cast<std::uint32_t>(std::max(at.end, at.begin + 1))};
    problems_.push_back(std::move(d));
  }

  Graph& graph_;
  std::vector<Diagnostic> problems_;
};

}  // namespace

void take_inputs(const Options& options, const RuleSet& rules, Graph& graph) {
  if (options.inputs.empty() && options.inputs_file.empty()) return;
  Inputs inputs(graph);
  std::istringstream none;  // `-` is refused where the command line is read
  if (!options.inputs_file.empty()) inputs.file(read_source(options.inputs_file, none));
  for (const std::string& text : options.inputs) {  // these have the last word
    inputs.line(std::make_shared<Source>(Source{"--input", text}), {0, text.size()});
  }
  inputs.finish();
  infer_metadata(rules, graph);
}

}  // namespace fxrules::cli
