// The common line costs one pass: prefix, `%`, head, arguments, node. All else is off the fast path.
#include "formats/text_ir/graph_reader.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "formats/text_ir/atoms.hpp"
#include "formats/text_ir/users.hpp"

namespace fxrules::text_ir {
namespace {

constexpr std::size_t kNowhere = std::string_view::npos;
constexpr std::size_t kMostNotes = 20;
constexpr std::size_t kMostUserNotes = 3;
constexpr std::size_t kMostCandidates = 2000;  // for nearest names: enough to help, never slow

// Names in messages, cut where a hostile text makes them long.
std::string_view shown(std::string_view name) { return name.substr(0, 100); }

std::string plural(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

bool is_return(std::string_view body) { return body.starts_with("return") && (body.size() == 6 || body[6] == ' '); }

// A line that is meant to be a node line, however damaged.
bool resembles_node(std::string_view body) {
  for (const std::string_view token : {"[num_users=", "[#users=", "[target=", "](args = "}) {
    if (body.find(token) != kNowhere) return true;
  }
  return false;
}

}  // namespace

GraphReader::GraphReader(const SourcePtr& source, const ReadOptions& options)
    : source_(source), text_(source->text), max_errors_(options.max_errors) {
  if (options.tables != nullptr) file_.graph = Graph(options.tables);
}

std::size_t GraphReader::read(const Header& header) {
  start(header);
  std::size_t at = end_;
  while (at < text_.size() && !returned_ && errors_ < max_errors_) {
    const Line next = line_at(text_, at);
    if (!line(next)) break;
    at = std::max(next.next, end_);
  }
  finish();
  return end_;
}

void GraphReader::start(const Header& header) {
  file_.style.header = header.text;
  file_.style.prefix = header.prefix;
  end_ = header.line.next;
  if (!header.text.empty()) {
    file_.style.line_end = text_.substr(header.line.end, end_ - header.line.end).ends_with("\r\n") ? "\r\n" : "\n";
    file_.style.final_newline = end_ > header.line.end;
  }
  if (!header.parameters.empty()) {
    report(Severity::error, "old-header",
           "parameters in the header are written by torch 1.7 and older, whose graphs are not read", header.at,
           header.line.end);
    returned_ = true;  // nothing else of the graph would make sense
  }
  statement_.emplace(text_, file_.graph);
  builder_.emplace(file_.graph);
}

// ---------------------------------------------------------------- lines

// False when the line is no part of this graph and ends it.
bool GraphReader::line(const Line& line) {
  const std::string_view body = text_.substr(line.begin, line.end - line.begin);
  const std::string& prefix = file_.style.prefix;
  const bool has_prefix = body.starts_with(prefix);
  std::size_t at = line.begin + (has_prefix ? prefix.size() : 0);
  const std::size_t body_at = at;
  while (at < line.end && (text_[at] == ' ' || text_[at] == '\t')) ++at;
  if (at < line.end && has_prefix) {
    if (text_[at] == '%') {
      learn_style(line, body_at, at - body_at);
      node(line, at);
      return true;
    }
    if (text_[at] == 'r' && is_return(text_.substr(at, line.end - at))) {
      learn_style(line, body_at, at - body_at);
      return return_line(line, at);
    }
  }
  return other_line(line, has_prefix ? body_at : kNowhere);
}

void GraphReader::learn_style(const Line& line, std::size_t body, std::size_t indent) {
  if (!indent_known_) file_.style.indent = text_.substr(body, indent);
  if (!indent_known_ && file_.style.header.empty())
    file_.style.line_end = text_.substr(line.end, line.next - line.end).ends_with("\r\n") ? "\r\n" : "\n";
  indent_known_ = true;
}

bool GraphReader::other_line(const Line& line, std::size_t body) {
  const std::string_view text = text_.substr(line.begin, line.end - line.begin);
  if (header_of_line(text_, line)) return false;
  if (!after_error_) {
    const std::size_t at = find_node(text_, line.begin, line.end);
    if (at != kNowhere) {
      if (prefixed_.count++ == 0) prefixed_ = {line.begin, at, 1};
      learn_style(line, line.begin, 0);
      node(line, at);
      return true;
    }
    const std::string& indent = file_.style.indent;
    const bool indented = indent_known_ && !indent.empty() && body != kNowhere &&
                          text_.substr(body, line.end - body).starts_with(indent) && text_[body + indent.size()] != ' ';
    if (body != kNowhere && (indented || resembles_node(text))) {
      const std::size_t first = line.begin + text.find_first_not_of(" \t");
      report(Severity::error, "malformed-line", "this line does not start with `%name : ` or `return`", first,
             line.end);
      end_ = line.next;
      return true;
    }
  }
  if (after_error_) return true;
  if (pending_.count++ == 0) pending_.begin = line.begin;
  pending_.end = line.end;
  return true;
}

// Strings may hold line ends: what does not start a statement goes on with the one before.
bool GraphReader::starts_statement(const Line& line) const {
  std::string_view body = text_.substr(line.begin, line.end - line.begin);
  const TextIrStyle& style = file_.style;
  if (body.starts_with(style.prefix)) {
    body.remove_prefix(style.prefix.size());
    if (body.starts_with(style.indent) && is_return(body.substr(style.indent.size()))) return true;
    body.remove_prefix(std::min(body.find_first_not_of(" \t"), body.size()));
    std::size_t name = 1;
    while (name < body.size() && is_name(body[name])) ++name;
    if (body.starts_with('%') && name > 1 && body.substr(name, 3) == " : ") return true;
  }
  if (prefixed_.count > 0 && find_node(text_, line.begin, line.end) != kNowhere) return true;
  return body.find("graph(") != kNowhere && header_of_line(text_, line).has_value();
}

std::size_t GraphReader::continuation_end(std::size_t from) const {
  std::size_t end = from;
  for (std::size_t at = from; at < text_.size();) {
    const Line next = line_at(text_, at);
    if (starts_statement(next)) break;
    at = next.next;
    end = next.end;
  }
  return end;
}

// ---------------------------------------------------------------- nodes

void GraphReader::node(const Line& line, std::size_t at) {
  if (pending_.count > 0) {
    if (skipped_.count == 0) skipped_.begin = pending_.begin;
    skipped_.end = pending_.end;
    skipped_.count += pending_.count;
    pending_ = {};
  }
  after_error_ = false;
  if (parse(line, at)) {
    define(at);
  } else {
    report(statement_->problem());
    broken_.insert(statement_->head().name);
    after_error_ = true;
  }
}

bool GraphReader::parse(const Line& line, std::size_t at) {
  end_ = line.next;
  if (statement_->node(at, line.end)) return true;
  const std::size_t more = continuation_end(line.next);
  if (more > line.end && line.next < more && statement_->node(at, more)) {
    end_ = line_at(text_, statement_->end()).next;
    return true;
  }
  (void)statement_->node(at, line.end);
  return false;
}

void GraphReader::define(std::size_t at) {
  const NodeHead& head = statement_->head();
  Graph& graph = file_.graph;
  const SymbolId name = graph.symbols().intern(head.name);
  if (const NodeId earlier = graph.find(name); earlier.valid()) {
    report({"duplicate-node", fmt::format("`%{}` is defined twice", shown(head.name)), "", at,
            at + 1 + head.name.size(), "the first one", place_of(earlier)});
    return;
  }
  build_arguments();
  const NodeId node = builder_->create(head.opcode, graph.symbols().intern(head.target), name);
  if (!head.metadata.empty()) {
    file_.style.metadata = true;
    const MetaId meta = meta_of(head.metadata);
    graph.set_meta(node, meta);
    if (!meta.valid()) graph.set_type(node, graph.symbols().intern(head.type));
  } else if (!head.type.empty()) {
    graph.set_type(node, graph.symbols().intern(head.type));
  }
  if (!style_known_) file_.style.users = head.users_word;
  style_known_ = true;
  defined_.push_back({head.users, static_cast<std::uint32_t>(head.users_at)});
}

// None where the text would not be printed again as it is.
MetaId GraphReader::meta_of(std::string_view text) {
  const auto [at, fresh] = metas_.try_emplace(text);
  if (!fresh) return at->second;
  const auto meta = file_.graph.metas().parse(text);
  if (meta && file_.graph.metas().text(*meta) == text) at->second = *meta;
  return at->second;
}

void GraphReader::build_arguments() {
  for (const Piece& piece : statement_->arguments().pieces()) {
    switch (piece.what) {
      case Piece::What::literal:
        if (piece.slot.kind == ArgKind::node) {
          builder_->node(piece.slot.node());
        } else {
          builder_->literal(piece.slot);
        }
        break;
      case Piece::What::open:
        builder_->open(piece.slot);
        break;
      case Piece::What::close:
        builder_->close();
        break;
      case Piece::What::keyword:
        builder_->keyword(piece.slot.symbol());
        break;
      case Piece::What::text:
      case Piece::What::python_text:
        break;  // resolved by the scanner
      case Piece::What::unknown:
        unknown_.push_back({piece.slot.b, piece.slot.c});
        ++errors_;
        builder_->none();
        break;
    }
  }
  constexpr std::size_t kMostMentions = 100000;
  for (const ArgumentScanner::Mention& m : statement_->arguments().mentions()) {
    if (mentions_.size() < kMostMentions) mentions_.push_back(m);
  }
  std::size_t notes = 0;
  for (const std::size_t at : statement_->arguments().text_brackets()) {
    if (++notes > kMostNotes) break;
    report(Severity::note, "text-bracket",
           fmt::format("`{}` has no partner and is taken as part of a string", text_[at]), at, at + 1);
  }
}

bool GraphReader::return_line(const Line& line, std::size_t at) {
  end_ = line.next;
  const std::size_t value = std::min(at + 7, line.end);
  file_.style.final_newline = line.next > line.end && text_[line.next - 1] == '\n';
  returned_ = true;
  if (!statement_->value(value, line.end)) {
    report(statement_->problem());
    return true;
  }
  Graph& graph = file_.graph;
  build_arguments();
  const bool taken = graph.find("output").valid();
  const SymbolId name = taken ? graph.unique_name("output") : graph.symbols().intern("output");
  const NodeId output = builder_->create(Opcode::output, graph.symbols().intern("output"), name);
  const std::string_view header = file_.style.header;
  const std::size_t arrow = header.find(") -> ");
  if (arrow != kNowhere)
    graph.set_type(output, graph.symbols().intern(trimmed(header.substr(arrow + 5, header.size() - arrow - 6))));
  defined_.push_back({});
  return true;
}

// ---------------------------------------------------------------- the end of the graph

// Where a node's line begins, at its `%`.
std::size_t GraphReader::place_of(NodeId node) const {
  const std::size_t users = defined_[node.value].users_at;
  const std::size_t line = text_.substr(0, users).rfind('\n');
  return text_.find('%', line == kNowhere ? 0 : line + 1);
}

void GraphReader::finish() {
  builder_.reset();
  statement_.reset();
  if (!returned_) file_.style.final_newline = end_ > 0 && text_[end_ - 1] == '\n';
  report_unknown();
  report_skipped();
  if (errors_ >= max_errors_) {
    report(Severity::error, "too-many-errors", fmt::format("reading stops after {}", plural(errors_, "error")), end_,
           end_);
  } else if (!returned_) {
    report(Severity::warning, "no-return", "the graph ends without a `return` line", end_, end_,
           "the text may have been cut");
  }
  if (errors_ == 0 && returned_) check_users();  // users of a part of a graph are not all there
}

void GraphReader::report_unknown() {
  std::vector<std::string_view> candidates;
  for (const Unknown& u : unknown_) {
    --errors_;  // counted when it was found
    const std::string_view name = text_.substr(u.at, u.length);
    if (broken_.contains(name)) continue;  // its own line is reported
    const NodeId later = is_identifier(name) ? file_.graph.find(name) : NodeId();
    if (name.empty()) {
      report(Severity::error, "malformed-arguments", "a value is missing", u.at, u.at);
    } else if (later.valid()) {
      report({"use-before-definition", fmt::format("`{}` is used before it is defined", shown(name)), "", u.at,
              u.at + u.length, "defined here", place_of(later)});
    } else if (!is_identifier(name)) {
      report(Severity::error, "malformed-arguments", "this value mentions nodes in a form that is not read", u.at,
             u.at + u.length);
    } else {
      if (candidates.empty()) {
        for (NodeId n = file_.graph.last(); n.valid() && candidates.size() < kMostCandidates; n = file_.graph.prev(n))
          candidates.push_back(file_.graph.name(n));
      }
      std::string hint;
      for (const std::string& near : nearest_names(shown(name), candidates))
        hint += (hint.empty() ? "did you mean `" : " or `") + near + "`";
      report(Severity::error, "unknown-node", fmt::format("no node is called `{}`", shown(name)), u.at, u.at + u.length,
             hint.empty() ? "" : hint + "?");
    }
  }
  std::stable_sort(file_.diagnostics.begin(), file_.diagnostics.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return a.span.begin < b.span.begin; });
}

void GraphReader::report_skipped() {
  if (skipped_.count > 0)
    report(Severity::note, "skipped-lines", fmt::format("{} between nodes skipped", plural(skipped_.count, "line")),
           skipped_.begin, skipped_.begin);
  if (prefixed_.count > 0)
    report(Severity::note, "line-prefix",
           fmt::format("text in front of the node dropped on {}", plural(prefixed_.count, "line")), prefixed_.begin,
           prefixed_.end);
}

// Users are counted anew when a graph is written; what the text says must not differ in silence. A tool that
// counts otherwise than torch is wrong everywhere: that is one note.
void GraphReader::check_users() {
  const Graph& graph = file_.graph;
  const std::vector<std::uint32_t> counts = count_users(graph);
  std::vector<NodeId> shown_ones;
  std::size_t wrong = 0;
  for (const NodeId n : graph.nodes()) {
    if (graph.opcode(n) == Opcode::output || counts[n.value] == defined_[n.value].users) continue;
    if (report_lost_use(n, counts[n.value])) continue;
    if (++wrong <= kMostUserNotes) shown_ones.push_back(n);
  }
  const std::string hint = "user counts are worked out anew when the graph is written";
  const std::size_t others = wrong - shown_ones.size();
  if (others > 0) shown_ones.resize(1);
  for (const NodeId n : shown_ones) {
    const Defined& d = defined_[n.value];
    std::string message =
        fmt::format("`%{}` has {}, not {}", shown(graph.name(n)), plural(counts[n.value], "user"), d.users);
    if (others > 0) message = fmt::format("{} are wrong: {}, and so on", plural(wrong, "user count"), message);
    report(Severity::note, "user-count", std::move(message), d.users_at, text_.find(']', d.users_at), hint);
  }
}

// A user is missing, and a text that was taken as a string mentions the node: it held the use.
bool GraphReader::report_lost_use(NodeId node, std::uint32_t count) {
  if (count >= defined_[node.value].users || errors_ >= max_errors_) return false;
  const auto found = std::find_if(mentions_.begin(), mentions_.end(), [&](const auto& m) { return m.node == node; });
  if (found == mentions_.end()) return false;
  report(Severity::error, "ambiguous-text",
         fmt::format("this text cannot be told apart: `%{}` should have {} and has {}, so one stands in it",
                     shown(file_.graph.name(node)), plural(defined_[node.value].users, "user"), count),
         found->at, found->at + found->length, "strings stand unquoted, and one of them holds a bracket");
  return true;
}

// ---------------------------------------------------------------- reports

Span GraphReader::span(std::size_t begin, std::size_t end) const {
  return {source_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

void GraphReader::report(Severity severity, std::string kind, std::string message, std::size_t begin, std::size_t end,
                         std::string hint) {
  if (severity == Severity::error) ++errors_;
  file_.diagnostics.push_back({severity, std::move(kind), std::move(message), span(begin, end), std::move(hint)});
}

void GraphReader::report(const Problem& problem) {
  report(Severity::error, problem.kind, problem.message, problem.begin, problem.end, problem.hint);
  if (problem.related.empty()) return;
  file_.diagnostics.back().related.push_back(
      {Severity::note, problem.kind, problem.related, span(problem.related_at, problem.related_at + 1), {}});
}

}  // namespace fxrules::text_ir
