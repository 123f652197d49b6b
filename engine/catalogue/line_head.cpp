// By hand rather than by grammar: this runs over every line at every start of the program, the grammar
// over the few signatures that a run asks for.
#include "engine/catalogue/line_head.hpp"

namespace fxrules::catalogue {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// Cuts " | facts" off `text`, looking from `from` on.
std::string_view cut_facts(std::string_view& text, std::size_t from) {
  const auto bar = text.find(" | ", from);
  if (bar == std::string_view::npos) return {};
  const std::string_view facts = trim(text.substr(bar + 3));
  text = trim(text.substr(0, bar));
  return facts;
}

// The end of the op's name. A loop: names are short and this runs over every line.
std::size_t name_length(std::string_view text) {
  std::size_t k = 0;
  while (k < text.size() && text[k] != '(' && !is_blank(text[k])) ++k;
  return k;
}

// `text` follows "op = ".
void parse_spellings(std::string_view text, LineHead& head) {
  const std::size_t stop = name_length(text);
  if (stop < text.size() && text[stop] == '(') {
    head.kind = LineKind::python;
    head.target = text.substr(0, stop);
    head.body = text.substr(stop);
  } else {
    head.kind = LineKind::spellings;
    head.facts = cut_facts(text, 0);
    head.names = text;
  }
}

void parse_schema(std::string_view text, std::string_view name, LineHead& head) {
  const OverloadName parts = split_overload(name);
  head.kind = LineKind::schema;
  head.op = parts.op;
  head.overload = parts.overload.empty() ? "default" : parts.overload;
  head.body = text.substr(name.size());
}

bool is_op_name(std::string_view name) {
  const auto colons = name.find("::");
  return colons != std::string_view::npos && colons > 0 && colons + 2 < name.size();
}

}  // namespace

SignatureBody split_body(std::string_view body) {
  // A `|` inside an argument list (a default, a condition) stands before the "->".
  const auto arrow = body.rfind("->");
  const std::string_view facts = cut_facts(body, arrow == std::string_view::npos ? 0 : arrow);
  return {body, facts};
}

std::string_view next_word(std::string_view& text) {
  text = trim(text);
  std::size_t length = 0;
  while (length < text.size() && !is_blank(text[length])) ++length;
  const std::string_view word = text.substr(0, length);
  text.remove_prefix(word.size());
  return word;
}

OverloadName split_overload(std::string_view name) {
  const auto dot = name.find('.');
  if (dot == std::string_view::npos) return {name, {}};
  return {name.substr(0, dot), name.substr(dot + 1)};
}

LineHead parse_line_head(std::string_view line, std::optional<LineError>& error) {
  LineHead head;
  std::string_view text = trim(line);
  if (text.empty() || text.front() == '#') return head;
  const std::string_view name = text.substr(0, name_length(text));
  if (!is_op_name(name)) {
    error = LineError{name.empty() ? text : name, "a line begins with an op as `name_space::op`"};
    return head;
  }
  std::string_view rest = text.substr(name.size());
  if (!rest.empty() && rest.front() == '(') {
    parse_schema(text, name, head);
    return head;
  }
  head.op = name;
  rest = trim(rest);
  if (!rest.empty() && rest.front() == '=') {
    parse_spellings(trim(rest.substr(1)), head);
    if (head.kind == LineKind::spellings && head.names.empty()) error = LineError{rest, "no spelling follows `=`"};
    return head;
  }
  head.kind = LineKind::facts;
  head.facts = cut_facts(text, 0);
  head.names = text;
  if (head.facts.empty() && !rest.empty()) {
    error = LineError{rest, "expected `(` and a signature, `=` and spellings, or ` | ` and facts"};
  }
  return head;
}

}  // namespace fxrules::catalogue
