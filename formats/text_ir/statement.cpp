#include "formats/text_ir/statement.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "formats/text_ir/atoms.hpp"

namespace fxrules::text_ir {
namespace {

constexpr std::size_t kNowhere = std::string_view::npos;
constexpr std::string_view kArguments = "](args = (";
constexpr std::string_view kKeywords = "), kwargs = {";

struct OpcodeName {
  std::string_view name;
  Opcode opcode;
};
// Most frequent first.
constexpr OpcodeName kOpcodes[] = {{"call_function", Opcode::call_function},
                                   {"call_method", Opcode::call_method},
                                   {"placeholder", Opcode::placeholder},
                                   {"get_attr", Opcode::get_attr},
                                   {"call_module", Opcode::call_module}};

}  // namespace

bool Statement::fail(std::string_view kind, std::string message, std::size_t begin, std::size_t length,
                     std::string hint) {
  problem_ = {std::string(kind), std::move(message), std::move(hint), begin, begin + length};
  return false;
}

bool Statement::expect(std::string_view token, std::size_t end, std::string_view what) {
  if (text_.substr(0, end).substr(at_).starts_with(token)) {
    at_ += token.size();
    return true;
  }
  const bool cut = token.starts_with(text_.substr(at_, end - at_));
  return fail(cut ? "truncated-line" : "malformed-line", fmt::format("expected `{}` {}", token, what), at_,
              at_ < end ? 1 : 0);
}

std::size_t Statement::find(std::string_view token, std::size_t from, std::size_t end) const {
  return text_.substr(0, end).find(token, from);
}

bool Statement::ends_line(std::size_t at, std::size_t end) const {
  while (at < end && (text_[at] == ' ' || text_[at] == '\t' || text_[at] == '\r')) ++at;
  return at == end || text_[at] == '\n';
}

bool Statement::node(std::size_t begin, std::size_t end) {
  scanner_.clear();
  if (!problem_.kind.empty()) problem_ = {};
  return head(begin, end) && target(end);
}

bool Statement::value(std::size_t begin, std::size_t end) {
  scanner_.clear();
  at_ = end;
  if (scanner_.returned(begin, end)) return true;
  problem_ = scanner_.problem();
  return false;
}

// ---------------------------------------------------------------- head

bool Statement::head(std::size_t begin, std::size_t end) {
  at_ = begin + 1;
  while (at_ < end && is_name(text_[at_])) ++at_;
  head_ = {};
  head_.name = text_.substr(begin + 1, at_ - begin - 1);
  if (head_.name.empty()) return fail("malformed-line", "expected a name behind `%`", begin, 1);
  return expect(" : ", end, "behind the node's name") && type_and_users(end) && opcode(end);
}

bool Statement::type_and_users(std::size_t end) {
  std::size_t marker = at_;
  if (at_ >= end || text_[at_] != '[' ||
      !(text_.substr(at_).starts_with("[num_users=") || text_.substr(at_).starts_with("[#users="))) {
    marker = std::min({find("[num_users=", at_, end), find("[#users=", at_, end), find("[uses=", at_, end)});
    if (marker == kNowhere) {
      return fail(at_ + 16 > end ? "truncated-line" : "malformed-line",
                  "expected `[num_users=N] = ` behind the node's name and type", at_, at_ < end ? 1 : 0);
    }
    head_.type = text_.substr(at_, marker - at_);
    if (head_.type.starts_with("Tensor \"") && head_.type.size() > 9 && head_.type.ends_with('"')) {
      head_.metadata = head_.type.substr(8, head_.type.size() - 9);
    } else if (head_.type.ends_with(' ')) {
      head_.type.remove_suffix(1);
    }
  }
  const std::size_t equals = find("=", marker, end);
  head_.users_word = text_.substr(marker + 1, equals - marker - 1);
  head_.users_at = equals + 1;
  const auto [last, error] = std::from_chars(text_.data() + head_.users_at, text_.data() + end, head_.users);
  at_ = head_.users_end = static_cast<std::size_t>(last - text_.data());
  if (error != std::errc())
    return fail("malformed-line", "expected the number of users", head_.users_at, at_ < end ? 1 : 0);
  return expect("] = ", end, "behind the number of users");
}

bool Statement::opcode(std::size_t end) {
  const std::string_view rest = text_.substr(at_, end - at_);
  const auto known = std::find_if(std::begin(kOpcodes), std::end(kOpcodes),
                                  [&](const OpcodeName& o) { return rest.starts_with(o.name); });
  std::size_t length = known != std::end(kOpcodes) ? known->name.size() : 0;
  while (length < rest.size() && is_name(rest[length])) ++length;
  const std::string_view word = rest.substr(0, length);
  if (known == std::end(kOpcodes) || length != known->name.size()) {
    if (length == rest.size()) return fail("truncated-line", "the line ends inside the opcode", end, 0);
    std::vector<std::string_view> names;
    for (const OpcodeName& o : kOpcodes) names.push_back(o.name);
    const auto nearest = nearest_names(word, names, 1);
    return fail("unknown-opcode", fmt::format("`{}` is no opcode", word.substr(0, 60)), at_,
                std::max<std::size_t>(length, 1),
                nearest.empty() ? "opcodes are placeholder, get_attr, call_function, call_method and call_module"
                                : fmt::format("did you mean `{}`?", nearest[0]));
  }
  head_.opcode = known->opcode;
  at_ += length;
  if (!expect("[target=", end, "behind the opcode")) return false;
  return (at_ < end && text_[at_] == ']') ? fail("malformed-line", "the node has no target", at_, 1) : true;
}

// ---------------------------------------------------------------- target and arguments

bool Statement::target(std::size_t end) {
  const std::size_t begin = at_;
  if (head_.opcode == Opcode::placeholder) return placeholder(end);
  if (head_.opcode == Opcode::get_attr) {
    for (at_ = find("]", at_, end); at_ != kNowhere; at_ = find("]", at_ + 1, end)) {
      if (!ends_line(at_ + 1, end)) continue;
      head_.target = text_.substr(begin, at_++ - begin);
      return true;
    }
    return fail("truncated-line", "expected `]` behind the target", end, 0);
  }
  const std::size_t close = find(kArguments, at_, end);
  if (close == kNowhere) return fail("truncated-line", "expected `](args = (` behind the target", end, 0);
  head_.target = text_.substr(begin, close - begin);
  arguments_at_ = close + kArguments.size() - 1;
  return call(end) || unbalanced_call(end) || explain_call(end);
}

bool Statement::placeholder(std::size_t end) {
  const std::size_t begin = at_, close = find("]", at_, end);
  if (close == kNowhere) return fail("truncated-line", "expected `]` behind the target", end, 0);
  head_.target = text_.substr(begin, close - begin);
  at_ = close + 1;
  if (ends_line(at_, end)) return true;
  if (!expect("(default=", end, "or the end of the line")) return false;
  const std::size_t value = at_;
  for (std::size_t last = find(")", at_, end); last != kNowhere; last = find(")", last + 1, end)) {
    if (!ends_line(last + 1, end)) continue;
    at_ = last + 1;
    return default_value(value, last);
  }
  return fail("truncated-line", "expected `)` behind the default", end, 0);
}

// The default is printed by str(): a string of its own stands unquoted, so what is no literal is text.
bool Statement::default_value(std::size_t begin, std::size_t end) {
  const auto is_unknown = [](const Piece& p) { return p.what == Piece::What::unknown; };
  if (scanner_.default_value(begin, end) &&
      std::none_of(scanner_.pieces().begin(), scanner_.pieces().end(), is_unknown))
    return true;
  scanner_.clear();
  scanner_.text_value(begin, end);
  return true;
}

bool Statement::call(std::size_t end) {
  at_ = scanner_.positional(arguments_at_, end);
  if (at_ == kNowhere) {
    problem_ = scanner_.problem();
    return false;
  }
  if (at_ < end && text_[at_] == ')') return fail("unbalanced-bracket", "`)` has no partner", at_, 1);
  if (!expect(", kwargs = ", end, "behind the arguments") || !expect("{", end, "behind `kwargs = `")) return false;
  at_ = scanner_.keywords(at_ - 1, end);
  if (at_ == kNowhere) {
    problem_ = scanner_.problem();
    return false;
  }
  if (!expect(")", end, "behind the keyword arguments")) return false;
  return ends_line(at_, end) || fail("malformed-line", "text behind the end of the call", at_, 1);
}

// What is wrong is easier said where the parenthesis of the arguments never closes.
bool Statement::explain_call(std::size_t end) {
  const std::size_t keywords = find(", kwargs = {", arguments_at_, end);
  if (keywords == kNowhere || find(kKeywords, arguments_at_, end) != kNowhere) return false;
  problem_ = {"unbalanced-bracket",
              "`(` of the arguments is not closed",
              "",
              arguments_at_,
              arguments_at_ + 1,
              "`)` is missing here",
              keywords};
  return false;
}

// Strings may hold brackets without a partner; the call's own are then the first and the last ones.
bool Statement::unbalanced_call(std::size_t end) {
  const std::string_view text = text_.substr(0, end);
  std::size_t last = text.rfind("})");
  while (last != kNowhere && last > arguments_at_ && !ends_line(last + 2, end)) last = text.rfind("})", last - 1);
  if (last == kNowhere || last <= arguments_at_) return false;
  const std::size_t keywords = text.substr(0, last).rfind(kKeywords);
  if (keywords == kNowhere || keywords <= arguments_at_) return false;
  const std::size_t begin = keywords + kKeywords.size();
  scanner_.clear();
  if (!scanner_.unbalanced_positional(arguments_at_ + 1, keywords) || !scanner_.unbalanced_keywords(begin, last))
    return false;
  at_ = last + 2;
  return true;
}

}  // namespace fxrules::text_ir
