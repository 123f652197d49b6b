#include "formats/text_ir/header.hpp"

#include <algorithm>

#include "formats/text_ir/atoms.hpp"

namespace fxrules::text_ir {
namespace {

constexpr std::size_t kNowhere = std::string_view::npos;

bool is_blank(std::string_view text) { return trimmed(text).empty(); }

// A prefix that is no indentation must stand on the next line too, in front of a node.
bool prefix_goes_on(std::string_view text, std::string_view prefix, std::size_t next) {
  if (is_blank(prefix)) return true;
  const Line line = line_at(text, next);
  std::string_view body = text.substr(line.begin, line.end - line.begin);
  if (!body.starts_with(prefix)) return false;
  body = trimmed(body.substr(prefix.size()));
  return body.starts_with('%') || body.starts_with("return");
}

}  // namespace

Line line_at(std::string_view text, std::size_t begin) {
  const std::size_t stop = std::min(text.find('\n', begin), text.size());
  std::size_t end = stop;
  while (end > begin && (text[end - 1] == ' ' || text[end - 1] == '\t' || text[end - 1] == '\r')) --end;
  return {begin, end, std::min(stop + 1, text.size())};
}

std::optional<Header> header_of_line(std::string_view text, const Line& line) {
  const std::string_view body = text.substr(line.begin, line.end - line.begin);
  if (!body.ends_with(':')) return std::nullopt;
  std::size_t at = body.find("graph(");
  if (at == kNowhere) return std::nullopt;
  const std::size_t open = at + 6;
  const std::size_t arrow = body.find(") -> ", open);
  const std::size_t close = arrow != kNowhere ? arrow : body.size() - 2;
  if (close < open || body[close] != ')') return std::nullopt;
  constexpr std::string_view kLowered = "lowered ";
  if (body.substr(0, at).ends_with(kLowered)) at -= kLowered.size();
  Header header{line, line.begin + at, body.substr(0, at), body.substr(at), body.substr(open, close - open), {}};
  if (arrow != kNowhere) header.return_type = trimmed(body.substr(arrow + 5, body.size() - arrow - 6));
  if (!prefix_goes_on(text, header.prefix, line.next)) return std::nullopt;
  return header;
}

std::optional<Header> find_header(std::string_view text, std::size_t from) {
  for (std::size_t hit = text.find("graph(", from); hit != kNowhere; hit = text.find("graph(", from)) {
    // The search starts at a line start, so the one before the hit is not farther back than that.
    const std::size_t back = text.substr(from, hit - from).rfind('\n');
    const Line line = line_at(text, back == kNowhere ? from : from + back + 1);
    if (const auto header = header_of_line(text, line)) return header;
    from = line.next;
  }
  return std::nullopt;
}

std::size_t find_node(std::string_view text, std::size_t begin, std::size_t end) {
  const std::string_view body = text.substr(0, end);
  const std::size_t marker =
      std::min({body.find("[num_users=", begin), body.find("[#users=", begin), body.find("[uses=", begin)});
  if (marker == kNowhere) return kNowhere;
  for (std::size_t at = body.find('%', begin); at < marker; at = body.find('%', at + 1)) {
    std::size_t name = at + 1;
    while (name < marker && is_name(body[name])) ++name;
    if (name > at + 1 && body.substr(name, 3) == " : ") return at;
  }
  return kNowhere;
}

std::optional<Header> find_headless(std::string_view text, std::size_t from) {
  for (std::size_t hit = text.find("users=", from); hit != kNowhere; hit = text.find("users=", from)) {
    const std::size_t back = text.substr(from, hit - from).rfind('\n');
    const Line line = line_at(text, back == kNowhere ? from : from + back + 1);
    if (find_node(text, line.begin, line.end) != kNowhere) {
      Header header;
      header.line = {line.begin, line.begin, line.begin};
      header.at = line.begin;
      return header;
    }
    from = line.next;
  }
  return std::nullopt;
}

}  // namespace fxrules::text_ir
