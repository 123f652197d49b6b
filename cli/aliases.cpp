#include "cli/aliases.hpp"

#include <charconv>

#include <fmt/format.h>

#include "fxrules/catalogue.hpp"

namespace fxrules::cli {
namespace {

constexpr std::string_view kRemark = "# alias:";
constexpr const char* kForm = "as in `y=x`, `y=x[1:, 0]` (y is a view of x), or `x,y` (they share storage somehow)";

struct Piece {  // of a source
  SourcePtr source;
  std::size_t begin = 0, end = 0;
  [[nodiscard]] std::string_view text() const { return std::string_view(source->text).substr(begin, end - begin); }
  [[nodiscard]] Piece part(std::size_t from, std::size_t to) const { return {source, begin + from, begin + to}; }
  [[nodiscard]] Piece trimmed() const {
    Piece p = *this;
    const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
    while (p.begin < p.end && blank(source->text[p.begin])) ++p.begin;
    while (p.end > p.begin && blank(source->text[p.end - 1])) --p.end;
    return p;
  }
};

// Remarks that stand in front of everything else in the file.
std::vector<Piece> remarks_of(const SourcePtr& source) {
  std::vector<Piece> out;
  const std::string_view text = source->text;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    if (!line.empty() && line[0] != '#') break;
    if (line.starts_with(kRemark)) out.push_back({source, begin + kRemark.size(), end});
    begin = end + 1;
  }
  return out;
}

class Aliases {
 public:
  explicit Aliases(GraphFile& file) : graph_(file.graph), shared_(file.shared_inputs) {}

  void take(Piece said) {
    said = said.trimmed();
    const std::string_view text = said.text();
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos) {
      const std::size_t bracket = std::min(text.find('['), text.size());
      const NodeId view = input(said.part(0, equals).trimmed());
      const NodeId base = input(said.part(equals + 1, bracket).trimmed());
      if (!view.valid() || !base.valid()) return;
      if (view == base) return report(said, "an input is no view of itself", kForm);
      if (bracket == text.size()) return graph_.replace_uses(view, base);
      if (text.back() != ']') return report(said, "expected `]` at the end", kForm);
      return subscript(view, base, said.part(bracket + 1, text.size() - 1));
    }
    std::vector<Piece> names;
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      names.push_back(said.part(begin, end).trimmed());
      begin = end + 1;
    }
    if (names.size() < 2) return report(said, "expected two inputs", kForm);
    const NodeId first = input(names[0]);
    for (std::size_t i = 1; i < names.size(); ++i) {
      const NodeId other = input(names[i]);
      if (first.valid() && other.valid()) shared_.emplace_back(graph_.name(first), graph_.name(other));
    }
  }

  std::vector<std::pair<std::string, std::string>> finish() {
    if (!problems_.empty()) throw Error(std::move(problems_));
    return std::move(shared_);
  }

 private:
  NodeId input(const Piece& name) {
    const NodeId n = graph_.find(name.text());
    if (n.valid() && (graph_.opcode(n) == Opcode::placeholder || graph_.opcode(n) == Opcode::get_attr)) return n;
    std::vector<std::string_view> names;
    for (const NodeId other : graph_.nodes()) {
      if (graph_.opcode(other) == Opcode::placeholder) names.push_back(graph_.name(other));
    }
    const std::vector<std::string> near = nearest_names(name.text(), names, 1);
    report(name, fmt::format("the graph has no input `{}`", name.text()),
           near.empty() ? kForm : fmt::format("did you mean `{}`?", near[0]));
    return {};
  }

  // Behind the inputs stands the view, which is the input from there on.
  void subscript(NodeId view, NodeId base, const Piece& items) {
    std::vector<Piece> pieces;
    const std::string_view text = items.text();
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      pieces.push_back(items.part(begin, end).trimmed());
      begin = end + 1;
    }
    if (pieces.size() > 1 && pieces.back().text().empty()) pieces.pop_back();
    NodeId place = graph_.first();
    while (place.valid() && (graph_.opcode(place) == Opcode::placeholder || graph_.opcode(place) == Opcode::get_attr))
      place = graph_.next(place);
    std::vector<SlotId> uses;
    for (SlotId s = graph_.first_use(view); s.valid(); s = graph_.next_use(s)) uses.push_back(s);
    NodeId made;
    if (uses.empty()) return;
    {
      CallBuilder builder(graph_);
      builder.node(base);
      if (pieces.size() > 1) builder.open(ArgKind::tuple);
      for (const Piece& piece : pieces) item(builder, piece);
      if (pieces.size() > 1) builder.close();
      if (!problems_.empty()) return;
      made = builder.create(Opcode::call_function, "operator.getitem", {}, place);
    }
    graph_.set_meta(made, graph_.meta(view));
    for (const SlotId s : uses) graph_.rebind(s, made);
  }

  void item(CallBuilder& builder, const Piece& piece) {
    const std::string_view text = piece.text();
    if (text == "None") {
      builder.none();
    } else if (text == "...") {
      builder.ellipsis();
    } else if (text.find(':') == std::string_view::npos) {
      number(builder, piece);
    } else {
      builder.open(ArgKind::slice);
      std::size_t parts = 0;
      for (std::size_t begin = 0; begin <= text.size() && parts < 3; ++parts) {
        const std::size_t end = std::min(text.find(':', begin), text.size());
        bound(builder, piece.part(begin, end).trimmed());
        begin = end + 1;
      }
      for (; parts < 3; ++parts) builder.none();
      builder.close();
    }
  }

  void bound(CallBuilder& builder, const Piece& piece) {
    if (piece.text().empty()) {
      builder.none();
    } else {
      number(builder, piece);
    }
  }

  void number(CallBuilder& builder, const Piece& piece) {
    std::int64_t value = 0;
    const char* end = piece.source->text.data() + piece.end;
    const auto [stop, error] = std::from_chars(piece.source->text.data() + piece.begin, end, value);
    if (error != std::errc() || stop != end || piece.begin == piece.end)
      report(piece, "expected a number, a slice, `None` or `...`", kForm);
    builder.integer(value);
  }

  void report(const Piece& at, std::string message, std::string hint) {
    Diagnostic d;
    d.kind = "bad-alias";
    d.message = std::move(message);
    d.hint = std::move(hint);
    d.span = {at.source, static_cast<std::uint32_t>(at.begin),
              static_cast<std::uint32_t>(std::max(at.end, at.begin + 1))};
    problems_.push_back(std::move(d));
  }

  Graph& graph_;
  std::vector<std::pair<std::string, std::string>> shared_;
  std::vector<Diagnostic> problems_;
};

}  // namespace

std::vector<std::pair<std::string, std::string>> take_aliases(const Options& options, const SourcePtr& source,
                                                              GraphFile& file) {
  Aliases aliases(file);
  for (const Piece& remark : remarks_of(source)) aliases.take(remark);
  for (const std::string& text : options.aliases) {
    const SourcePtr said = std::make_shared<Source>(Source{"--alias", text});
    aliases.take({said, 0, text.size()});
  }
  return aliases.finish();
}

}  // namespace fxrules::cli
