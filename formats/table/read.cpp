// A table has a header, a ruler of dashes that says where columns begin, and a row a node. Cells are Python's
// repr, and are read as code is.
#include "formats/table/read.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "formats/around.hpp"
#include "formats/code/reporter.hpp"
#include "formats/code/values.hpp"
#include "formats/python_literals.hpp"
#include "formats/table/target.hpp"
#include "formats/text_ir/atoms.hpp"

namespace fxrules::table {
namespace {

using text_ir::trimmed;

constexpr std::size_t kNowhere = std::string_view::npos;
constexpr std::size_t kFailed = code::ValueReader::kFailed;
constexpr std::size_t kColumns = 5;
constexpr std::array<std::string_view, kColumns> kHeader{"opcode", "name", "target", "args", "kwargs"};
constexpr std::array<std::pair<std::string_view, Opcode>, 6> kOpcodes{{{"placeholder", Opcode::placeholder},
                                                                       {"get_attr", Opcode::get_attr},
                                                                       {"call_function", Opcode::call_function},
                                                                       {"call_method", Opcode::call_method},
                                                                       {"call_module", Opcode::call_module},
                                                                       {"output", Opcode::output}}};

struct Cell {
  std::size_t begin = 0, end = 0;
};
using Row = std::array<Cell, kColumns>;

std::size_t line_end(std::string_view text, std::size_t at) { return std::min(text.find('\n', at), text.size()); }

// Where the five columns of a ruler begin, from the start of its line.
std::optional<std::array<std::size_t, kColumns>> ruler(std::string_view line) {
  std::array<std::size_t, kColumns> out{};
  std::size_t count = 0, at = 0;
  while ((at = line.find_first_not_of(' ', at)) != kNowhere) {
    if (line[at] != '-' || count == kColumns) return std::nullopt;
    out[count++] = at;
    at = std::min(line.find_first_not_of('-', at), line.size());
  }
  return count == kColumns ? std::optional(out) : std::nullopt;
}

// A header line; where the text of its graph begins.
bool is_header(std::string_view line) {
  for (const std::string_view word : kHeader) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (!line.starts_with(word)) return false;
    line.remove_prefix(word.size());
  }
  return trimmed(line).empty();
}

class TableReader {
 public:
  TableReader(const SourcePtr& source, const ReadOptions& options)
      : text_(source->text), reporter_(source, options.max_errors) {
    file_.graph = Graph(options.tables);
    file_.form = GraphForm::tabular;
  }

  // From the header line on; where the table ends.
  std::size_t read(std::size_t header) {
    head_ = header;
    code::Scope scope(file_.graph);
    code::ValueReader values(text_, file_.graph, scope);
    std::optional<CallBuilder> builder(std::in_place, file_.graph);
    std::size_t at = std::min(line_end(text_, header) + 1, text_.size());
    const auto columns = ruler(trimmed_right(text_.substr(at, line_end(text_, at) - at)));
    if (columns) at = std::min(line_end(text_, at) + 1, text_.size());
    while (at < text_.size() && !reporter_.full() && !file_.graph.output().valid()) {
      const std::size_t end = line_end(text_, at);
      const auto row = columns ? row_of(at, end, *columns) : row_by_blanks(at, end);
      if (!row) break;
      if (!node(*row, values, *builder)) {
        builder.reset();
        builder.emplace(file_.graph);
      }
      at = std::min(end + 1, text_.size());
    }
    builder.reset();
    finish(values, at);
    return at;
  }
  [[nodiscard]] GraphFile& file() { return file_; }

 private:
  static std::string_view trimmed_right(std::string_view text) {
    return text.substr(0, text.find_last_not_of(" \t\r") + 1);
  }
  [[nodiscard]] std::string_view of(const Cell& cell) const { return text_.substr(cell.begin, cell.end - cell.begin); }

  [[nodiscard]] Cell cell(std::size_t begin, std::size_t end) const {
    while (begin < end && text_[begin] == ' ') ++begin;
    while (end > begin && (text_[end - 1] == ' ' || text_[end - 1] == '\r')) --end;
    return {begin, end};
  }

  // A row by the columns of the ruler. A blank or foreign line ends the table.
  std::optional<Row> row_of(std::size_t begin, std::size_t end, const std::array<std::size_t, kColumns>& columns) {
    if (trimmed(text_.substr(begin, end - begin)).empty()) return std::nullopt;
    Row row;
    for (std::size_t i = 0; i < kColumns; ++i) {
      const std::size_t from = std::min(begin + columns[i], end);
      row[i] = cell(from, i + 1 < kColumns ? std::min(begin + columns[i + 1], end) : end);
    }
    return opcode_of(row) ? std::optional(row) : foreign(begin, end);
  }

  // Without a ruler columns part at two blanks and more; those inside of strings are no columns.
  std::optional<Row> row_by_blanks(std::size_t begin, std::size_t end) {
    Row row;
    std::size_t at = begin;
    for (std::size_t i = 0; i < kColumns; ++i) {
      std::size_t stop = i + 1 < kColumns ? std::min(text_.find("  ", at), end) : end;
      if (i == 3) {  // args: up to the last run of blanks in front of the kwargs
        const std::size_t brace = text_.substr(0, end).rfind("  {");
        if (brace != kNowhere && brace >= at) stop = brace;
      }
      row[i] = cell(at, stop);
      at = std::min(text_.find_first_not_of(' ', stop), end);
    }
    return opcode_of(row) ? std::optional(row) : foreign(begin, end);
  }

  // A line that is meant to be a row is an error, any other the end of the table.
  std::optional<Row> foreign(std::size_t begin, std::size_t end) {
    const std::string_view text = text_.substr(begin, end - begin);
    if (text.starts_with(' ') || text.starts_with("call_") || text.find("  {") != kNowhere)
      reporter_.add(Severity::error, "malformed-line", "this row does not begin with an opcode", begin, end,
                    "opcodes are placeholder, get_attr, call_function, call_method, call_module and output");
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Opcode> opcode_of(const Row& row) const {
    for (const auto& [name, opcode] : kOpcodes) {
      if (of(row[0]) == name) return opcode;
    }
    return std::nullopt;
  }

  bool node(const Row& row, code::ValueReader& values, CallBuilder& builder) {
    Graph& graph = file_.graph;
    const Opcode opcode = *opcode_of(row);
    std::string_view name = of(row[1]);
    if (!text_ir::is_identifier(name)) return fail("malformed-line", "this is no name of a node", row[1]);
    if (graph.find(name).valid()) return fail("duplicate-node", fmt::format("`{}` is defined twice", name), row[1]);
    if (!arguments(row[3], values, builder) || !keywords(row[4], values, builder)) return false;
    std::string target(of(row[2]));
    if (opcode == Opcode::call_function) {
      Target found = function_target(of(row[2]));
      if (!found.known && unknown_++ == 0) unknown_at_ = row[2];
      target = std::move(found.qualified);
    }
    builder.create(opcode, graph.symbols().intern(target), graph.symbols().intern(name));
    return true;
  }

  bool arguments(const Cell& cell, code::ValueReader& values, CallBuilder& builder) {
    if (!of(cell).starts_with('(')) return fail("malformed-arguments", "expected a tuple of arguments", cell);
    const std::size_t end = values.elements(builder, cell.begin + 1);
    if (end == kFailed) return reporter_.add(values.problem()), false;
    return end == cell.end || fail("malformed-arguments", "text behind the arguments", {end, cell.end});
  }

  // `{'alpha': 2}`
  bool keywords(const Cell& cell, code::ValueReader& values, CallBuilder& builder) {
    std::size_t at = cell.begin;
    if (!of(cell).starts_with('{')) return fail("malformed-arguments", "expected a dict of keyword arguments", cell);
    for (++at; at < cell.end && text_[at] != '}';) {
      const bool quoted = text_[at] == '\'' || text_[at] == '"';
      const std::size_t end = quoted ? values.end_of_string(at) : kFailed;
      const auto key = end == kFailed ? std::nullopt : parse_string_literal(text_.substr(at, end - at));
      if (!key || !text_.substr(end).starts_with(": "))
        return fail("malformed-arguments", "expected the name of a keyword argument and `: `", {at, at + 1});
      builder.keyword(*key);
      at = values.value(builder, end + 2);
      if (at == kFailed) return reporter_.add(values.problem()), false;
      if (text_.substr(at).starts_with(", ")) {
        at += 2;
      } else if (at >= cell.end || text_[at] != '}') {
        return fail("malformed-arguments", "expected `, ` or `}` behind a keyword argument", {at, at + 1});
      }
    }
    return at + 1 == cell.end ||
           fail("truncated-line", "the row ends inside the keyword arguments", {cell.end, cell.end});
  }

  bool fail(std::string kind, std::string message, const Cell& at) {
    reporter_.add(Severity::error, std::move(kind), std::move(message), at.begin, at.end);
    return false;
  }

  void finish(code::ValueReader& values, std::size_t end) {
    for (const code::ValueReader::Unknown& u : values.unknown()) {
      if (reporter_.full()) break;
      const std::string_view name = text_.substr(u.at, u.length);
      const bool later = file_.graph.find(name).valid();
      reporter_.add(Severity::error, later ? "use-before-definition" : "unknown-node",
                    later ? fmt::format("`{}` is used before it is defined", name.substr(0, 100))
                          : fmt::format("no node is called `{}`", name.substr(0, 100)),
                    u.at, u.at + u.length);
    }
    if (unknown_ > 0)
      reporter_.add(Severity::warning, "lost-target",
                    fmt::format("a table does not say the module of {} function{}: {} as text", unknown_,
                                unknown_ == 1 ? "" : "s", unknown_ == 1 ? "it stands" : "they stand"),
                    unknown_at_.begin, unknown_at_.end, "the code or the text IR of the graph says it");
    if (file_.graph.size() == 0)
      reporter_.add(Severity::error, "no-graph", "the table has a head and no rows", head_, line_end(text_, head_),
                    "the text may have been cut");
    else if (!file_.graph.output().valid())
      reporter_.add(Severity::warning, "no-return", "the table ends without an `output` row", end, end,
                    "the text may have been cut");
    file_.diagnostics = reporter_.take();
  }

  std::string_view text_;
  code::Reporter reporter_;
  GraphFile file_;
  std::size_t head_ = 0, unknown_ = 0;
  Cell unknown_at_;
};

}  // namespace

void read_all(const SourcePtr& source, const ReadOptions& options, std::size_t most, GraphFiles& out) {
  const std::string_view text = source->text;
  std::size_t at = 0;
  for (std::size_t line = 0; line < text.size();) {
    const std::size_t end = line_end(text, line);
    if (!is_header(text.substr(line, end - line))) {
      line = std::min(end + 1, text.size());
      continue;
    }
    if (out.graphs.size() == most) {
      report_several(out);
      break;
    }
    if (!may_hold_more(out, source)) break;
    TableReader reader(source, options);
    const std::size_t stop = reader.read(line);
    GraphFile& file = reader.file();
    file.before = text.substr(at, line - at);
    file.title = title_of(file.before);
    file.place = {source, static_cast<std::uint32_t>(line), static_cast<std::uint32_t>(stop)};
    report_kept(out, source, at, line);
    out.graphs.push_back(std::move(file));
    at = line = stop;
  }
  if (out.graphs.empty()) return;
  out.graphs.back().after = text.substr(at);
  report_kept(out, source, at, text.size());
}

}  // namespace fxrules::table
