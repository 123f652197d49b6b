// FX gives an input whose name differs from its parameter a line of its own, `l_x_ = L_x_`, where its node
// stands; other inputs stand in front, in order. Those lines are looked for before anything is made.
#include "formats/code/function_reader.hpp"

#include <fmt/format.h>

#include "formats/code/write.hpp"
#include "formats/text_ir/atoms.hpp"

namespace fxrules::code {
namespace {

using text_ir::is_identifier;
using text_ir::is_letter;
using text_ir::is_name;
using text_ir::trimmed;

constexpr std::size_t kNowhere = std::string_view::npos;
constexpr std::size_t kFailed = StatementReader::kFailed;
constexpr std::size_t kMostCandidates = 2000;  // for nearest names

std::string_view shown(std::string_view name) { return name.substr(0, 100); }

bool starts_word(std::string_view text, std::string_view word) {
  return text.starts_with(word) && (text.size() == word.size() || !is_name(text[word.size()]));
}

// Statements of Python that no graph has.
bool is_control(std::string_view text) {
  for (const std::string_view word : {"if", "for", "while", "with", "try", "del", "assert", "raise", "def", "import",
                                      "from", "class", "global", "else", "elif", "except", "finally", "yield"}) {
    if (starts_word(text, word)) return true;
  }
  return false;
}

}  // namespace

FunctionReader::FunctionReader(Reporter& reporter, Graph& graph, CodeStyle& style, const Imports& imports)
    : reporter_(reporter),
      text_(reporter.text()),
      graph_(graph),
      style_(style),
      scope_(graph),
      statements_(text_, graph, scope_, imports, style) {}

std::size_t FunctionReader::first_of(std::size_t line) const {
  while (line < text_.size() && (text_[line] == ' ' || text_[line] == '\t' || text_[line] == '\r')) ++line;
  return line;
}

std::size_t FunctionReader::read(std::size_t line) {
  def_ = first_of(line);
  style_.def_indent = text_.substr(line, def_ - line);
  style_.body_indent = style_.def_indent + "    ";
  const std::size_t stop = line_end(line);
  style_.line_end = stop > 0 && text_[stop - 1] == '\r' ? "\r\n" : "\n";
  end_ = next_line(line);
  if (!signature(def_)) return end_;
  head();
  find_aliases();
  make_parameters(0);
  body();
  finish();
  return end_;
}

// ---------------------------------------------------------------- signature

bool FunctionReader::signature(std::size_t def) {
  ValueReader& values = statements_.values();
  std::size_t at = text_.find('(', def) + 1;
  const std::size_t open = at - 1;
  const auto fail = [&](std::string_view kind, std::string message, std::size_t begin, std::size_t end) {
    reporter_.add(Severity::error, std::string(kind), std::move(message), begin, end);
    end_ = std::max(end_, next_line(begin));
    return false;
  };
  while (true) {
    at = values.skip_blank(at);
    if (at >= text_.size()) return fail("truncated-line", "the text ends inside the parameters", open, open + 1);
    if (text_[at] == ')') break;
    const std::size_t end = parameter(at);
    if (end == kFailed) return false;
    at = values.skip_blank(end);
    if (at < text_.size() && text_[at] == ',') {
      ++at;
    } else if (at >= text_.size() || (text_[at] != ')' && text_.substr(end, at - end).find('\n') != kNowhere)) {
      reporter_.add(
          {"truncated-line", "the line ends inside the parameters", "", end, end, "this bracket is not closed", open});
      return false;
    } else if (text_[at] != ')') {
      return fail("malformed-line", "expected `,` or `)` behind a parameter", at, at + 1);
    }
  }
  std::size_t stop = line_end(at);
  while (stop > at && (text_[stop - 1] == ' ' || text_[stop - 1] == '\r')) --stop;
  const std::string_view behind = text_.substr(at + 1, stop - at - 1);
  if (!behind.ends_with(':')) return fail("truncated-line", "expected `:` behind the parameters", stop, stop);
  if (behind.starts_with(" -> ")) {
    style_.returns = graph_.symbols().intern(type_of_annotation(trimmed(behind.substr(4, behind.size() - 5))));
  }
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (!by_name_.emplace(parameters_[i].name, i).second) {
      return fail("duplicate-node", fmt::format("two parameters are called `{}`", shown(parameters_[i].name)),
                  parameters_[i].at, parameters_[i].at + parameters_[i].name.size());
    }
  }
  at_ = end_ = signature_end_ = next_line(at);
  style_.def_line = text_.substr(def, stop - def);
  return true;
}

std::size_t FunctionReader::parameter(std::size_t at) {
  Parameter p;
  const std::size_t begin = at;
  while (at < text_.size() && text_[at] == '*') ++at;
  p.stars = text_.substr(begin, at - begin);
  p.at = at;
  std::size_t end = statements_.values().end_of_name(at);
  p.name = text_.substr(at, end - at);
  if (!is_identifier(p.name) || p.stars.size() > 2) {
    reporter_.add(Severity::error, "malformed-line", "expected the name of a parameter", at, at + 1);
    return kFailed;
  }
  p.annotation = statements_.annotation(end, ",)=\n");
  if (p.annotation.end == kFailed) {
    reporter_.add(statements_.problem());
    return kFailed;
  }
  end = p.annotation.end;
  std::size_t next = end;
  while (next < text_.size() && text_[next] == ' ') ++next;
  if (next < text_.size() && text_[next] == '=') {
    p.default_at = statements_.values().skip_blank(next + 1);
    end = end_of_default(p.default_at);
  }
  p.default_end = end;
  if (!(parameters_.empty() && p.name == "self" && !self_seen_)) {
    parameters_.push_back(p);
  } else {
    self_seen_ = true;
  }
  return end;
}

// A default ends at a comma or parenthesis that no bracket encloses.
std::size_t FunctionReader::end_of_default(std::size_t at) const {
  const ValueReader& values = const_cast<FunctionReader*>(this)->statements_.values();
  std::size_t depth = 0;
  while (at < text_.size() && text_[at] != '\n') {
    const char c = text_[at];
    if (c == '\'' || c == '"') {
      const std::size_t end = values.end_of_string(at);
      if (end == kFailed) return line_end(at);
      at = end;
      continue;
    }
    if (depth == 0 && (c == ',' || c == ')')) break;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if ((c == ')' || c == ']' || c == '}') && depth > 0) --depth;
    ++at;
  }
  return at;
}

// ---------------------------------------------------------------- how inputs are unpacked

// The line of the next statement at or behind this line.
std::size_t FunctionReader::first_statement(std::size_t line) const {
  while (line < text_.size()) {
    const std::size_t at = first_of(line);
    if (!blank_at(at) && text_[at] != '#') break;
    line = next_line(line);
  }
  return line;
}

void FunctionReader::head() {
  while (true) {
    const std::size_t line = first_statement(at_);
    if (line >= text_.size()) return;
    const std::size_t begin = first_of(line), end = line_end(line);
    if (begin - line <= style_.def_indent.size()) return;
    const std::string_view text = text_.substr(begin, end - begin);
    if (text.starts_with("args_iter = iter(") && parameters_.size() == 1) {
      if (!boxed(line)) return;
    } else if (!unpacked(begin, end) && !annotations_line(begin, end)) {
      return;
    } else {
      at_ = end_ = signature_end_ = next_line(line);
    }
  }
}

// `args_iter = iter(args_list)`, then `x = next(args_iter)` for each input, then `args_list.clear()`.
bool FunctionReader::boxed(std::size_t line) {
  parameters_.clear();
  by_name_.clear();
  style_.inputs = CodeStyle::Inputs::boxed;
  line = next_line(line);
  while (line < text_.size()) {
    const std::size_t begin = first_of(line);
    std::size_t end = statements_.values().end_of_name(begin);
    Parameter p;
    p.at = begin;
    p.name = text_.substr(begin, end - begin);
    const bool last = text_.substr(begin).starts_with("args_list.clear()");
    if (!last && !text_.substr(end).starts_with(" = next(args_iter)")) break;
    line = next_line(line);
    at_ = end_ = signature_end_ = line;
    if (last) return true;
    by_name_.emplace(p.name, parameters_.size());
    parameters_.push_back(p);
  }
  reporter_.add(Severity::error, "malformed-line", "expected `NAME = next(args_iter)` or `args_list.clear()`",
                std::min(line, text_.size()), line_end(line));
  return false;
}

// `x: "f32[3]"; y: "f32[]";`
bool FunctionReader::annotations_line(std::size_t begin, std::size_t end) {
  std::size_t at = begin;
  std::vector<Parameter> found;
  while (at < end) {
    Parameter p;
    p.at = at;
    const std::size_t name_end = statements_.values().end_of_name(at);
    p.name = text_.substr(at, name_end - at);
    if (!is_identifier(p.name) || name_end >= end || text_[name_end] != ':') return false;
    p.annotation = statements_.annotation(name_end, ";\n");
    if (p.annotation.end == kFailed || p.annotation.end == name_end) return false;
    at = p.annotation.end;
    found.push_back(p);
    if (at < end && text_[at] == ';') {
      ++at;
    } else if (!trimmed(text_.substr(at, end - at)).empty() || found.size() > 1) {
      return false;
    }
    at = std::min(first_of(at), end);
  }
  if (found.empty()) return false;
  if (style_.inputs != CodeStyle::Inputs::pytree) {
    parameters_.clear();
    by_name_.clear();
  }
  style_.inputs = CodeStyle::Inputs::pytree;
  for (const Parameter& p : found) {
    if (by_name_.emplace(p.name, parameters_.size()).second) parameters_.push_back(p);
  }
  return true;
}

// `x, b, = fx_pytree.tree_flatten_spec(([x, b], {}), self._in_spec)`
bool FunctionReader::unpacked(std::size_t begin, std::size_t end) {
  const std::string_view line = trimmed(text_.substr(begin, end - begin));
  const std::size_t equals = line.find(", = ");
  if (equals == kNowhere) return false;
  const std::string_view call = line.substr(equals + 4);
  const bool leaves = call.starts_with("pytree.tree_leaves(");
  if (!leaves && !call.starts_with("fx_pytree.tree_flatten_spec(") && !call.starts_with("self._in_shuffle_graph("))
    return false;
  if (leaves) {
    leaves_ = fmt::format("{}, ", line.substr(0, equals));
    statements_.set_leaves(leaves_);
    style_.flatten = fmt::format("{}{}{}", line, style_.line_end, style_.body_indent);
    return true;
  }
  std::vector<Parameter> order;
  std::size_t at = begin;
  std::string_view names = line.substr(0, equals);
  while (!names.empty()) {
    const std::size_t comma = std::min(names.find(','), names.size());
    Parameter p;
    p.at = at;
    std::string_view name = trimmed(names.substr(0, comma));
    at += comma + 2;
    const std::size_t bare = std::min(name.find(" = "), name.size());  // a default stands here as well
    p.name = name.substr(0, bare);
    names.remove_prefix(std::min(comma + 1, names.size()));
    const auto known = style_.inputs == CodeStyle::Inputs::pytree ? by_name_.find(p.name) : by_name_.end();
    if (known != by_name_.end()) p.annotation = parameters_[known->second].annotation;
    order.push_back(p);
  }
  style_.inputs = CodeStyle::Inputs::pytree;
  style_.flatten += call;
  parameters_ = std::move(order);
  by_name_.clear();
  for (std::size_t i = 0; i < parameters_.size(); ++i) by_name_.emplace(parameters_[i].name, i);
  return true;
}

// ---------------------------------------------------------------- inputs

// Lines `name = PARAMETER`, which stand amid reads of attributes in front of everything else.
void FunctionReader::find_aliases() {
  if (parameters_.empty()) return;
  std::size_t line = at_;
  while (line < text_.size()) {
    const std::size_t begin = first_of(line), end = line_end(line);
    if (!blank_at(begin) && text_[begin] != '#') {
      const std::size_t name_end = statements_.values().end_of_name(begin);
      const std::string_view rest = text_.substr(name_end, end - name_end);
      const std::size_t equals = rest.find("= ");
      if (equals == kNowhere) return;
      const std::string_view value = trimmed(rest.substr(equals + 2));
      if (rest.starts_with(" = ") && is_identifier(value)) {
        const auto found = by_name_.find(value);
        if (found == by_name_.end()) return;
        Parameter& p = parameters_[found->second];
        if (p.alias.empty()) p.alias = text_.substr(begin, name_end - begin);
      } else if (!value.starts_with("self.") && !value.starts_with("getattr(")) {
        return;
      }
    }
    line = next_line(line);
  }
}

// Makes the nodes of the inputs in front of number `end`, and of those behind that have no line of their own.
void FunctionReader::make_parameters(std::size_t end) {
  while (made_ < parameters_.size() && (made_ < end || parameters_[made_].alias.empty())) {
    Parameter& p = parameters_[made_++];
    const std::string target = fmt::format("{}{}", p.stars, p.name);
    const std::string_view name = p.alias.empty() ? p.name : p.alias;
    const std::size_t value_end = statements_.placeholder(target, name, p.annotation, p.default_at);
    if (value_end == kFailed) {
      Problem problem = statements_.problem();
      if (problem.end == 0) problem.begin = p.at, problem.end = p.at + p.name.size();
      reporter_.add(problem);
      broken_.insert(name);
      continue;
    }
    p.made = true;
    if (!p.alias.empty()) scope_.bind_parameter(p.name, statements_.last());
    if (p.default_at != kNowhere && !trimmed(text_.substr(value_end, p.default_end - value_end)).empty())
      reporter_.add(Severity::error, "malformed-line", "text behind the default of a parameter", value_end,
                    p.default_end);
  }
}

// ---------------------------------------------------------------- body

void FunctionReader::body() {
  lead_begin_ = at_;
  bool first = true;
  while (at_ < text_.size() && !reporter_.full()) {
    const std::size_t line = at_, at = first_of(line);
    if (blank_at(at) || text_[at] == '#') {
      at_ = next_line(line);
      continue;
    }
    const std::string_view rest = text_.substr(at, 200);
    if (rest.starts_with("\"\"\"")) {
      const std::size_t close = text_.find("\"\"\"", at + 3);
      if (close == kNowhere) {
        reporter_.add(Severity::error, "truncated-line", "this block of metadata is not closed", at, at + 3);
        at_ = end_ = text_.size();
        return;
      }
      at_ = next_line(close);
      continue;
    }
    if (first && at - line > style_.def_indent.size()) {
      style_.body_indent = text_.substr(line, at - line);
      first = false;
    }
    if (at - line <= style_.def_indent.size() || first) return;
    if (at - line != style_.body_indent.size()) {
      reporter_.add(Severity::error, "malformed-line",
                    fmt::format("this line is indented {} than the statements around it",
                                at - line > style_.body_indent.size() ? "deeper" : "less"),
                    at, line_end(at));
      at_ = end_ = next_line(line);
      lead_begin_ = at_;
      continue;
    }
    if (!statement(line, at)) return;
  }
}

// False behind the last statement.
bool FunctionReader::statement(std::size_t line, std::size_t at) {
  const std::string_view rest = text_.substr(at, 64);
  if (rest[0] == 'r' && starts_word(rest, "return")) {
    const std::uint32_t above = lead_;
    take_lead(line);
    const std::size_t next = statements_.read_return(at);
    returned_ = true;
    return_at_ = at;
    if (next == kFailed) {
      reporter_.add(statements_.problem());
      at_ = end_ = next_line(line);
      return false;
    }
    style_.end_lead = lead_ == above ? 0 : lead_;
    style_.final_newline = next > 0 && text_[next - 1] == '\n';
    at_ = end_ = next;
    after_return();
    return false;
  }
  if (rest[0] == '_' && rest.starts_with("_rf")) {  // profiling around the nodes
    if (skipped_++ == 0) skipped_at_ = at;
    take_lead(line);
    at_ = end_ = lead_begin_ = next_line(line);
    return true;
  }
  if (starts_word(rest, "pass") && blank_at(first_of(at + 4))) {
    at_ = end_ = lead_begin_ = next_line(line);
    return true;
  }
  take_lead(line);
  const std::size_t name_end = statements_.values().end_of_name(at);
  const std::string_view name = text_.substr(at, name_end - at);
  std::size_t next = 0;
  if (made_ < parameters_.size() && alias_line(name, name_end, next)) {
    at_ = end_ = lead_begin_ = next;
    return true;
  }
  if (is_control(rest)) {
    reporter_.add(Severity::error, "malformed-line",
                  fmt::format("`{}` is no statement of a graph", rest.substr(0, rest.find_first_of(" (:"))), at,
                  line_end(at), "graphs hold calls, operators and attributes alone; give the code that FX generated");
    skip_broken(line);
    return true;
  }
  const NodeId before = graph_.last();
  next = statements_.read(at);
  if (next == kFailed) {
    reporter_.add(statements_.problem());
    broken_.insert(name);
    skip_broken(line);
    return true;
  }
  if (graph_.last() != before) {
    const std::uint32_t node = graph_.last().value;
    style_.lead_of.resize(node + 1, 0);
    style_.lead_of[node] = lead_;
  }
  at_ = end_ = lead_begin_ = next;
  return true;
}

// Lines behind a broken one that are indented deeper belong to it.
void FunctionReader::skip_broken(std::size_t line) {
  at_ = next_line(line);
  while (at_ < text_.size()) {
    const std::size_t at = first_of(at_);
    if (blank_at(at) || at - at_ <= style_.body_indent.size()) break;
    at_ = next_line(at_);
  }
  end_ = lead_begin_ = at_;
}

// `l_x_ = L_x_`
bool FunctionReader::alias_line(std::string_view name, std::size_t at, std::size_t& next) {
  const std::string_view rest = text_.substr(at, line_end(at) - at);
  if (!rest.starts_with(" = ")) return false;
  const auto found = by_name_.find(trimmed(rest.substr(3)));
  if (found == by_name_.end() || parameters_[found->second].alias != name || found->second < made_) return false;
  const std::size_t mark = graph_.id_bound();
  make_parameters(found->second + 1);
  style_.lead_of.resize(graph_.id_bound(), 0);
  for (std::size_t n = mark; n < graph_.id_bound(); ++n) style_.lead_of[n] = lead_;
  next = next_line(at);
  return true;
}

// Blank lines and comments in front of a statement, kept where they say something.
void FunctionReader::take_lead(std::size_t end) {
  if (end <= lead_begin_) return;
  style_.leads.emplace_back(text_.substr(lead_begin_, end - lead_begin_));
  lead_ = static_cast<std::uint32_t>(style_.leads.size());
}

void FunctionReader::after_return() {
  const std::size_t line = first_statement(at_);
  const std::size_t at = first_of(line);
  if (line >= text_.size() || at - line < style_.body_indent.size() || starts_word(text_.substr(at, 8), "class"))
    return;
  reporter_.add(Severity::error, "malformed-line", "a statement behind `return`", at, line_end(at));
}

// ---------------------------------------------------------------- the end

void FunctionReader::finish() {
  make_parameters(parameters_.size());
  report_unknown();
  if (skipped_ > 0) {
    reporter_.add(Severity::note, "skipped-lines",
                  fmt::format("{} line{} of a profiler dropped", skipped_, skipped_ == 1 ? "" : "s"), skipped_at_,
                  skipped_at_);
  }
  if (reporter_.full()) {
    reporter_.add(Severity::error, "too-many-errors", fmt::format("reading stops after {} errors", reporter_.errors()),
                  end_, end_);
    return;
  }
  if (!returned_) {
    reporter_.add(Severity::warning, "no-return", "the graph ends without a `return` line", end_, end_,
                  "the text may have been cut");
  }
  if (reporter_.errors() > 0) return;
  if (style_.returns.valid() && graph_.output().valid()) graph_.set_type(graph_.output(), style_.returns);
  learn_freed();
  const auto keep = [](CodeStyle::Kept& kept, std::string printed, std::string_view verbatim) {
    if (printed == verbatim) return;
    kept.printed = std::move(printed);
    kept.verbatim = verbatim;
  };
  const auto without_end = [](std::string_view text) {
    while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
    return text;
  };
  keep(style_.signature, signature_text(graph_, style_), without_end(text_.substr(def_, signature_end_ - def_)));
  if (returned_)
    keep(style_.result, return_text(graph_, style_), without_end(text_.substr(return_at_, end_ - return_at_)));
}

// Which values the code sets to None.
void FunctionReader::learn_freed() {
  bool any = false, missing = false, unused_kept = false;
  const NodeId output = graph_.output();
  for (const NodeId n : graph_.nodes()) {
    const bool freed = scope_.is_freed(n);
    any |= freed;
    if (freed || graph_.opcode(n) == Opcode::output) continue;
    const bool call = graph_.opcode(n) != Opcode::placeholder;
    if (!graph_.has_uses(n)) unused_kept |= call;
    if (graph_.has_uses(n) && !output.valid()) missing = true;
    bool returned = false;
    std::size_t looked = 0;
    for (SlotId s = graph_.first_use(n); s.valid() && ++looked <= 64 && !missing; s = graph_.next_use(s))
      returned |= graph_.owner(s) == output;
    if (graph_.has_uses(n) && !returned && looked <= 64) missing = true;
  }
  if (!any && (missing || unused_kept)) style_.freed = CodeStyle::Freed::nothing;
  if (any && unused_kept) style_.freed = CodeStyle::Freed::used;
}

void FunctionReader::report_unknown() {
  std::vector<std::string_view> candidates;
  for (const ValueReader::Unknown& u : statements_.values().unknown()) {
    if (reporter_.full()) return;
    const std::string_view name = text_.substr(u.at, u.length);
    if (broken_.contains(name)) continue;  // its own line is reported
    const NodeId later = graph_.find(name);
    if (later.valid()) {
      reporter_.add(Severity::error, "use-before-definition",
                    fmt::format("`{}` is used before it is defined", shown(name)), u.at, u.at + u.length);
      continue;
    }
    if (candidates.empty()) {
      for (NodeId n = graph_.last(); n.valid() && candidates.size() < kMostCandidates; n = graph_.prev(n))
        candidates.push_back(graph_.name(n));
    }
    std::string hint;
    for (const std::string& near : nearest_names(shown(name), candidates))
      hint += (hint.empty() ? "did you mean `" : " or `") + near + "`";
    reporter_.add(Severity::error, "unknown-node", fmt::format("no node is called `{}`", shown(name)), u.at,
                  u.at + u.length, hint.empty() ? "" : hint + "?");
  }
}

}  // namespace fxrules::code
