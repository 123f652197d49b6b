// Text to tree. Each item is parsed by itself into the same tree; one that fails is taken back and its
// error noted, so that several errors of a file are reported in one run.
#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "dsl/actions.hpp"
#include "dsl/ast.hpp"
#include "dsl/items.hpp"
#include "dsl/messages.hpp"

namespace fxrules::dsl {
namespace {

constexpr std::size_t kMaxErrors = 100;

bool is_word(char c) { return tao::pegtl::ascii::identifier_other::test(c); }

// The token at an offset: a word, or one character of any length.
std::uint32_t token_end(std::string_view text, std::uint32_t begin) {
  std::uint32_t end = begin;
  while (end < text.size() && is_word(text[end])) ++end;
  if (end > begin || begin == text.size()) return end;
  ++end;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u) ++end;
  return end;
}

template <class... Rules>
bool raised_by(std::string_view message) {
  return ((message == grammar::error_message<Rules>) || ...);
}

bool misses_closing_bracket(std::string_view message) {
  using namespace grammar;  // NOLINT
  return raised_by<call_close, list_close, tuple_close, index_close, set_close, graph_close>(message);
}

bool misses_quote(std::string_view message) {
  using namespace grammar;  // NOLINT
  return raised_by<string_end<'"'>, text_end<'"'>>(message);
}

bool is_about_literal(std::string_view message) {
  return raised_by<grammar::number_size, grammar::string_encoding>(message);
}

bool is_reserved(std::string_view token) {
  namespace pegtl = tao::pegtl;
  pegtl::memory_input<pegtl::tracking_mode::lazy> in(token.data(), token.size(), "");
  return pegtl::parse<pegtl::seq<grammar::reserved_word, pegtl::eof>>(in);
}

// What the token itself explains better than the rule that failed on it; empty: nothing.
std::string hint_about(std::string_view token, std::string_view message) {
  if (token.empty()) return {};
  const auto first = static_cast<unsigned char>(token.front());
  if (first >= 0x80) return fmt::format("`{}` can stand only in strings, texts and comments", token);
  const bool line_end = first == '\r' || first == '\n';
  if ((first < 0x20 && !line_end) || first == 0x7F) return "a control character can stand only in comments";
  const bool about_name = message.starts_with("expected a name") || message.starts_with("a reserved word");
  if (about_name && is_reserved(token)) return fmt::format("`{}` is a word of the language", token);
  return {};
}

class Parser {
 public:
  explicit Parser(SourcePtr source) : text_(source->text) {
    result_.ast.source = std::move(source);
    reserve();
    builder_.emplace(result_.ast);
  }

  ParseResult run() {
    if (text_.size() >= std::numeric_limits<std::uint32_t>::max()) {
      report("this file is larger than 4 GiB", {}, {});
      return std::move(result_);
    }
    const Items items = split_items(text_);
    for (const Range& stray : items.strays)
      if (!full())
        report("this line is indented, but there is no item that it could continue", "an item starts in column 1",
               stray);
    for (const Range& item : items.ranges)
      if (!full()) parse_item(item);
    return std::move(result_);
  }

 private:
  // A term takes four bytes of text or more, as a rule; moving them while they grow costs as much as parsing.
  void reserve() {
    const std::size_t terms = std::min<std::size_t>(text_.size() / 4, 1'000'000);
    result_.ast.terms.reserve(terms);
    result_.ast.children.reserve(terms);
    result_.ast.callees.reserve(terms / 8);
  }

  void parse_item(Range item) {
    builder_->begin_item(item);
    tao::pegtl::memory_input<tao::pegtl::tracking_mode::lazy> in(text_.data() + item.begin, text_.data() + item.end,
                                                                 "");
    try {
      tao::pegtl::parse<grammar::item, grammar::action, grammar::control>(in, *builder_);
    } catch (const tao::pegtl::parse_error& error) {
      report(error, item);
      builder_->abandon_item();
    }
  }

  void report(const tao::pegtl::parse_error& error, Range item) {
    std::string_view message = error.message();
    const auto at = item.begin + static_cast<std::uint32_t>(error.positions().front().byte);
    Range place{at, token_end(text_, at)};
    if (misses_quote(message))
      place.begin = builder_->string_begin();
    else if (is_about_literal(message))
      place = builder_->top_range();
    else if (at >= item.end)
      place.begin = place.end = builder_->token_end();
    const bool unclosed = misses_closing_bracket(message);
    std::string hint = hint_about(text_.substr(place.begin, place.end - place.begin), message);
    const std::size_t line_break = message.find('\n');
    if (hint.empty() && line_break != std::string_view::npos) hint = message.substr(line_break + 1);
    report(std::string(message.substr(0, line_break)), std::move(hint), place);
    if (unclosed) point_at_opening();
  }

  void report(std::string message, std::string hint, Range place) {
    result_.diagnostics.push_back(
        {Severity::error, "syntax", std::move(message), result_.ast.span(place), std::move(hint), {}});
  }

  void point_at_opening() {
    const std::uint32_t begin = builder_->innermost_open();
    Diagnostic opened{Severity::note, "", "opened here", result_.ast.span({begin, begin + 1}), "", {}};
    result_.diagnostics.back().related.push_back(std::move(opened));
  }

  [[nodiscard]] bool full() const { return result_.diagnostics.size() >= kMaxErrors; }

  std::string_view text_;
  ParseResult result_;
  std::optional<Builder> builder_;  // refers to the tree in result_
};

}  // namespace

ParseResult parse(SourcePtr source) { return Parser(std::move(source)).run(); }

}  // namespace fxrules::dsl
