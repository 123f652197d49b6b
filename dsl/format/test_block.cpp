#include "dsl/format/test_block.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "dsl/format/columns.hpp"
#include "dsl/format/rows.hpp"

namespace fxrules::dsl::layout {
namespace {

constexpr std::uint32_t kInner = 2, kGraphHead = 9;  // `before { `
constexpr std::uint32_t kBetween = 3;
constexpr std::uint32_t kWidest = 118;
constexpr std::array<std::string_view, 5> kMetadata{"strides", "device", "layout", "requires_grad", "quantised"};

bool is(const Token& t, std::string_view text) { return t.kind != TokenKind::string && t.text == text; }

// A line of a graph: what stands in front of its statements, and those.
struct GraphLine {
  std::uint32_t indent = 0;
  std::vector<std::string> cells;
  bool graph = false;
};

// A cell of a statement. Behind `:` metadata stands as it stood: commas and equals signs in it have no blanks.
std::string cell_of(const Line& line, std::size_t begin, std::size_t metadata, std::size_t end) {
  std::string out = spaced(line, begin, std::min(metadata, end));
  for (std::size_t i = metadata; i < end; ++i) {
    if (i > begin && line.tokens[i].blank) out += ' ';
    out += line.tokens[i].text;
  }
  return out;
}

class Block {
 public:
  explicit Block(std::span<const Line> lines) {
    for (const Line& line : lines) {
      if (!line.empty()) add(line);
    }
  }

  [[nodiscard]] std::string text() const {
    const std::string aligned = written(columns());
    std::size_t widest = 0;
    for (std::size_t at = 0; at < aligned.size();) {
      const std::size_t end = aligned.find('\n', at);
      widest = std::max<std::size_t>(widest, width_of(std::string_view(aligned).substr(at, end - at)));
      at = end + 1;
    }
    return widest <= kWidest ? aligned : written({});
  }

 private:
  // Where the statements of a line begin, as in `x = …`, `return …`, `graph body {`.
  [[nodiscard]] bool begins_statement(const Line& line, std::size_t i) const {
    const Token& t = line.tokens[i];
    if (t.depth != depth_of_graph_ || t.kind != TokenKind::word) return false;
    const bool behind_return = i > 0 && (is(line.tokens[i - 1], "return") || is(line.tokens[i - 1], ","));
    if (is(t, "return") || is(t, "graph")) return !behind_return;
    if (i + 1 >= line.tokens.size() || !is(line.tokens[i + 1], "=")) return false;
    return line.tokens[i + 1].blank || !metadata_ ||
           std::find(kMetadata.begin(), kMetadata.end(), t.text) == kMetadata.end();
  }

  void add(const Line& line) {
    GraphLine out;
    std::size_t begin = 0;
    const Token& first = line.tokens[0];
    const std::size_t count = line.tokens.size();
    if (first.depth == 0) {
      out.indent = 0;
      depth_of_graph_ = 0;
    } else if (first.depth == 1 || depth_of_graph_ == 0) {
      out.indent = kInner;
    } else {
      out.indent = kInner + kGraphHead + 2 * (first.depth - 2);
      out.graph = true;
    }
    const bool opens =
        first.depth == 1 && count > 1 && (is(first, "before") || is(first, "after")) && is(line.tokens[1], "{");
    if (opens) {
      out.graph = true;
      out.cells.push_back(is(first, "before") ? "before {" : "after  {");
      begin = 2;
      depth_of_graph_ = 2;
      metadata_ = false;
    }
    if (!out.graph) {
      out.cells.push_back(spaced(line, 0, count));
      if (first.depth == 1) depth_of_graph_ = 0;
      lines_.push_back(std::move(out));
      return;
    }
    if (!opens) out.cells.emplace_back();
    add_statements(line, begin, out);
    lines_.push_back(std::move(out));
  }

  void add_statements(const Line& line, std::size_t begin, GraphLine& out) {
    const std::size_t count = line.tokens.size();
    std::size_t from = begin, metadata = metadata_ ? begin : count;
    for (std::size_t i = begin; i < count; ++i) {
      if (begins_statement(line, i)) {
        if (i > from) out.cells.push_back(cell_of(line, from, metadata, i));
        from = i;
        metadata = count;
        metadata_ = false;
      } else if (!metadata_ && line.tokens[i].depth == depth_of_graph_ && is(line.tokens[i], ":")) {
        metadata_ = true;
        metadata = i;
      }
      follow_graphs(line, i);
    }
    if (from < count) out.cells.push_back(cell_of(line, from, metadata, count));
  }

  // Graphs nest: statements stand at the depth behind the innermost `{` of a graph.
  void follow_graphs(const Line& line, std::size_t i) {
    const Token& t = line.tokens[i];
    if (i >= 2 && is(t, "{") && is(line.tokens[i - 2], "graph")) depth_of_graph_ = t.depth + 1;
    if (is(t, "}") && t.depth + 1 == depth_of_graph_) depth_of_graph_ = std::max(2U, t.depth);
  }

  // Columns of the statements behind the first one, by number.
  [[nodiscard]] std::vector<std::uint32_t> columns() const {
    std::vector<std::uint32_t> columns;
    for (std::size_t c = 2;; ++c) {
      std::uint32_t column = 0;
      bool any = false;
      for (const GraphLine& line : lines_) {
        if (!line.graph || line.cells.size() <= c) continue;
        any = true;
        const std::string before = written(line, columns, c);
        column = std::max(column, width_of(before) + kBetween);
      }
      if (!any) return columns;
      columns.push_back(column);
    }
  }

  [[nodiscard]] static std::string written(const GraphLine& line, const std::vector<std::uint32_t>& columns,
                                           std::size_t cells) {
    std::string out(line.indent, ' ');
    if (!line.graph) return out + line.cells[0];
    out += line.cells[0];
    for (std::size_t c = 1; c < std::min(cells, line.cells.size()); ++c) {
      const bool closes = line.cells[c] == "}" || line.cells[c] == "} }";
      if (c == 1) {
        if (!line.cells[0].empty()) out += ' ';
      } else if (closes || line.cells[c - 1].ends_with("{")) {
        out += ' ';
      } else {
        const std::uint32_t width = width_of(out);
        const std::uint32_t column = c - 2 < columns.size() ? columns[c - 2] : width + kBetween;
        out.append(column - width, ' ');
      }
      out += line.cells[c];
    }
    return out;
  }

  [[nodiscard]] std::string written(const std::vector<std::uint32_t>& columns) const {
    std::string out;
    for (const GraphLine& line : lines_) out += written(line, columns, SIZE_MAX) + '\n';
    return out;
  }

  std::vector<GraphLine> lines_;
  std::uint32_t depth_of_graph_ = 0;  // of statements; 0: outside of graphs
  bool metadata_ = false;             // behind the `:` of a statement
};

}  // namespace

bool is_test(const Line& line) {
  return line.starts_item() && line.tokens.size() > 1 && is(line.tokens[0], "test") &&
         line.tokens[1].kind == TokenKind::string;
}

std::string test_block(std::span<const Line> lines) { return Block(lines).text(); }

}  // namespace fxrules::dsl::layout
