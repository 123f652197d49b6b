// A graph is a `def forward`, the class line above it if nothing else stands between, and the classes nested
// in that one. All else is kept as text.
#include "formats/code/read.hpp"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include <fmt/format.h>

#include "formats/around.hpp"
#include "formats/code/function_reader.hpp"
#include "formats/code/load_args.hpp"
#include "formats/text_ir/atoms.hpp"

namespace fxrules::code {
namespace {

using text_ir::trimmed;

constexpr std::size_t kNowhere = std::string_view::npos;
constexpr std::size_t kDeepest = 100;  // Python's own limit of indentation
constexpr std::string_view kDef = "def forward(";

struct ClassLine {
  std::size_t line = 0, at = 0;  // its beginning, and that of `class`
  std::string_view name;
};

class TextLines {
 public:
  explicit TextLines(std::string_view text) : text_(text) {}
  [[nodiscard]] std::size_t start_of(std::size_t at) const {
    const std::size_t back = at == 0 ? kNowhere : text_.rfind('\n', at - 1);
    return back == kNowhere ? 0 : back + 1;
  }
  [[nodiscard]] std::size_t next(std::size_t at) const { return std::min(text_.find('\n', at), text_.size() - 1) + 1; }
  [[nodiscard]] std::size_t first(std::size_t line) const {
    return std::min(text_.find_first_not_of(" \t\r", line), text_.size());
  }
  [[nodiscard]] bool blank(std::size_t line) const {
    const std::size_t at = first(line);
    return at >= text_.size() || text_[at] == '\n';
  }

  // The next `def forward(` at or behind `from` that begins its line.
  [[nodiscard]] std::optional<std::size_t> next_def(std::size_t from) const {
    for (std::size_t hit = text_.find(kDef, from); hit != kNowhere; hit = text_.find(kDef, hit + 1)) {
      const std::size_t line = std::max(start_of(hit), from);
      if (first(line) == hit) return line;
    }
    return std::nullopt;
  }

  // `class NAME(torch.nn.Module):` on this line, whatever stands in front of it.
  [[nodiscard]] std::optional<ClassLine> class_line(std::size_t line) const {
    const std::string_view body = trimmed(text_.substr(line, next(line) - line));
    std::size_t at = body.starts_with("class ") ? 0 : body.rfind(" class ");
    if (at == kNowhere || !body.ends_with("):")) return std::nullopt;
    if (at > 0) ++at;
    const std::string_view rest = body.substr(at + 6);
    const std::size_t open = rest.find('(');
    if (open == kNowhere || rest.substr(open).find("Module") == kNowhere) return std::nullopt;
    return ClassLine{line, first(line) + at, rest.substr(0, open)};
  }

  // The class line that belongs to the `def` on this line: the line above, but for blank ones.
  [[nodiscard]] std::optional<ClassLine> class_of(std::size_t def, std::size_t from) const {
    std::size_t line = def;
    while (line > from) {
      line = start_of(line - 1);
      if (!blank(line)) break;
    }
    if (line < from || line == def) return std::nullopt;
    auto found = class_line(line);
    if (found && found->at - line >= first(def) - def && found->at == first(line)) return std::nullopt;
    return found;
  }

  // The next line at or behind `line` that holds more than a comment.
  [[nodiscard]] std::size_t statement(std::size_t line) const {
    while (line < text_.size() && (blank(line) || text_[first(line)] == '#')) line = next(line);
    return line;
  }

 private:
  std::string_view text_;
};

class ModuleReader {
 public:
  ModuleReader(const SourcePtr& source, const ReadOptions& options, const Imports& imports)
      : text_(source->text), lines_(text_), reporter_(source, options.max_errors), imports_(imports) {
    file_.graph = Graph(options.tables);
  }

  // Where the graph ends in the text.
  std::size_t read(const std::optional<ClassLine>& class_line, std::size_t def) {
    if (class_line) {
      file_.code.class_name = class_line->name;
      if (lines_.first(class_line->line) == class_line->at)
        file_.code.class_indent = text_.substr(class_line->line, class_line->at - class_line->line);
    }
    std::size_t end = function(file_.graph, file_.code, def);
    if (class_line) end = nested(end);
    file_.diagnostics = reporter_.take();
    return end;
  }
  [[nodiscard]] GraphFile& file() { return file_; }
  [[nodiscard]] bool gave_up() const { return reporter_.full(); }

 private:
  std::size_t function(Graph& graph, CodeStyle& style, std::size_t def) {
    return FunctionReader(reporter_, graph, style, imports_).read(def);
  }

  struct Level {
    Graph* graph;
    CodeStyle* style;
    std::size_t indent;  // of its `def`, and of the classes nested in it
  };

  std::size_t nested(std::size_t end) {
    std::vector<Level> levels{{&file_.graph, &file_.code, file_.code.def_indent.size()}};
    while (!reporter_.full()) {
      const std::size_t line = lines_.statement(end);
      const auto found = line < text_.size() ? lines_.class_line(line) : std::nullopt;
      if (!found || found->at != lines_.first(line)) break;
      const std::size_t indent = found->at - line;
      while (!levels.empty() && levels.back().indent > indent) levels.pop_back();
      if (levels.empty()) break;
      if (levels.back().indent != indent) {
        reporter_.add(Severity::error, "malformed-line", "this class is indented like none of the graphs around it",
                      found->at, found->at + 5);
        break;
      }
      const std::size_t def = lines_.statement(lines_.next(line));
      if (def >= text_.size() || !text_.substr(lines_.first(def)).starts_with(kDef)) {
        reporter_.add(Severity::error, "malformed-line", "expected `def forward(` behind this line", found->at,
                      found->at + 5);
        break;
      }
      if (levels.size() >= kDeepest) {
        reporter_.add(Severity::error, "too-deep", fmt::format("graphs nest deeper than {} levels", kDeepest),
                      found->at, found->at + 5);
        break;
      }
      const Level around = levels.back();
      Graph& graph = around.graph->add_subgraph(path_of(*around.graph, *found));
      CodeStyle& style = around.style->nested.emplace_back();
      style.class_name = found->name;
      style.class_indent = text_.substr(line, indent);
      style.gap = text_.substr(end, line - end);
      end = function(graph, style, def);
      levels.push_back({&graph, &style, style.def_indent.size()});
    }
    return end;
  }

  // The attribute that holds a nested graph: the name of its class, but in torch 2.1 and older.
  SymbolId path_of(const Graph& graph, const ClassLine& found) {
    Symbols& symbols = graph.symbols();
    const SymbolId name = symbols.intern(found.name);
    const bool lost = found.name == "<lambda>" || found.name == "GraphModule";
    if (!lost) {
      if (graph.find_subgraph(name) == nullptr) return name;
      reporter_.add(Severity::error, "duplicate-graph", fmt::format("two nested graphs are called `{}`", found.name),
                    found.at + 6, found.at + 6 + found.name.size());
    }
    constexpr std::string_view kHigherOrder = "torch.ops.higher_order.";
    for (const NodeId n : graph.nodes()) {
      if (!lost || graph.opcode(n) != Opcode::get_attr || !graph.has_uses(n)) continue;
      const SymbolId path = graph.form(n).target;
      if (!graph.target(graph.owner(graph.first_use(n))).starts_with(kHigherOrder)) continue;
      if (graph.find_subgraph(path) != nullptr) continue;
      reporter_.add(Severity::warning, "nested-name",
                    fmt::format("this form of torch 2.1 and older does not name nested graphs: `{}` is taken for it "
                                "by its place",
                                symbols.text(path)),
                    found.at, found.at + 6 + found.name.size());
      return path;
    }
    for (std::size_t number = graph.subgraphs().size();; ++number) {
      const SymbolId path = symbols.intern(fmt::format("{}_{}", found.name, number));
      if (graph.find_subgraph(path) != nullptr) continue;
      if (lost)
        reporter_.add(Severity::warning, "nested-name", "no attribute of the graph around is known to hold this graph",
                      found.at, found.at + 6 + found.name.size());
      return path;
    }
  }

  std::string_view text_;
  TextLines lines_;
  Reporter reporter_;
  const Imports& imports_;
  GraphFile file_;
};

}  // namespace

void read_all(const SourcePtr& source, const ReadOptions& options, std::size_t most, GraphForm form, GraphFiles& out) {
  const std::string_view text = source->text;
  const TextLines lines(text);
  ReadOptions shared = options;
  if (shared.tables == nullptr) shared.tables = std::make_shared<Tables>();
  Imports imports;
  std::size_t at = 0;
  auto def = lines.next_def(0);
  imports.read(text.substr(0, def.value_or(text.size())));
  while (def && out.graphs.size() < most) {
    if (!may_hold_more(out, source)) break;
    const auto class_line = lines.class_of(*def, at);
    const bool own_line = class_line && lines.first(class_line->line) == class_line->at;
    const std::size_t begin = !class_line ? *def : own_line ? class_line->line : class_line->at;
    ModuleReader reader(source, shared, imports);
    const std::size_t end = reader.read(class_line, *def);
    GraphFile& file = reader.file();
    file.form = form;
    file.before = text.substr(at, begin - at);
    file.title = title_of(text.substr(at, (class_line ? class_line->line : begin) - at));
    if (file.title.empty() && class_line) file.title = class_line->name;
    file.place = {source, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
    report_kept(out, source, at, begin);
    def = lines.next_def(end);
    file.shared_inputs = read_load_args(text.substr(end, def.value_or(text.size()) - end), file.graph);
    out.graphs.push_back(std::move(file));
    at = end;
    if (reader.gave_up()) break;
  }
  if (out.graphs.empty()) return;
  out.graphs.back().after = text.substr(at);
  if (def && out.graphs.size() == most) {
    report_several(out);
  } else {
    report_kept(out, source, at, text.size());
  }
}

}  // namespace fxrules::code
