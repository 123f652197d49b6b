// Reads the values of generated code into a CallBuilder: names, literals, containers and the few calls that
// stand for literals. Brackets nest on an explicit stack; inside them line ends and comments are blanks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "formats/code/scope.hpp"
#include "formats/problem.hpp"
#include "fxrules/graph.hpp"

namespace fxrules::code {

class ValueReader {
 public:
  static constexpr std::size_t kFailed = static_cast<std::size_t>(-1);

  ValueReader(std::string_view text, Graph& graph, const Scope& scope) : text_(text), graph_(graph), scope_(scope) {}

  // One value at `at`; where it ends, or kFailed.
  std::size_t value(CallBuilder& builder, std::size_t at);
  // Arguments and keyword arguments up to the `)` that closes the `(` in front of `at`; behind that.
  std::size_t arguments(CallBuilder& builder, std::size_t at);
  // The same without keyword arguments, into the container that is open in the builder.
  std::size_t elements(CallBuilder& builder, std::size_t at);
  // One value and the `]` that closes the `[` in front of `at`; behind that.
  std::size_t index(CallBuilder& builder, std::size_t at);
  [[nodiscard]] const Problem& problem() const { return problem_; }

  // Names that are no nodes, by place; the value stands as None.
  struct Unknown {
    std::size_t at, length;
  };
  std::vector<Unknown>& unknown() { return unknown_; }

  [[nodiscard]] std::size_t end_of_name(std::size_t at) const;
  // Behind blanks, line ends and comments.
  [[nodiscard]] std::size_t skip_blank(std::size_t at) const;
  // Behind the closing quote of the literal at `at`; kFailed: the line ends first.
  [[nodiscard]] std::size_t end_of_string(std::size_t at) const;
  // Behind the bracket that closes the one at `at`, at most `limit` characters on; kFailed: none.
  [[nodiscard]] std::size_t end_of_group(std::size_t at, std::size_t limit) const;

 private:
  struct Frame {
    ArgKind kind = ArgKind::none;  // none: no container of the graph
    char close = ')';
    bool keywords = false;  // of a call
    bool comma = false;
    bool value_next = false;  // behind a key or a keyword
    bool named = false;       // a named tuple
    std::uint32_t items = 0;
    std::size_t begin = 0;
  };

  std::size_t run(CallBuilder& builder, std::size_t at, Frame root);
  bool item(CallBuilder& builder);
  bool after_item(CallBuilder& builder);
  bool close(CallBuilder& builder);
  bool open(CallBuilder& builder, ArgKind kind, char close, std::size_t length);
  bool word(CallBuilder& builder);
  bool dotted(CallBuilder& builder, std::size_t end);
  bool called(CallBuilder& builder, std::string_view path);
  bool device(CallBuilder& builder, std::size_t begin);
  bool complex(CallBuilder& builder, std::size_t begin);
  bool name(CallBuilder& builder, std::string_view name);
  bool number(CallBuilder& builder);
  bool string(CallBuilder& builder);
  bool angle(CallBuilder& builder);
  bool parenthesis(CallBuilder& builder);
  bool expression(CallBuilder& builder, std::size_t begin);
  [[nodiscard]] bool goes_on(std::size_t at) const;
  [[nodiscard]] bool is_keyword(std::size_t end) const;
  [[nodiscard]] bool mentions_nodes(std::string_view value) const;
  [[nodiscard]] std::size_t line_end(std::size_t at) const;
  void opaque(CallBuilder& builder, std::size_t end);

  bool fail(std::string_view kind, std::string message, std::size_t begin, std::size_t end, std::string hint = {});
  bool fail_unexpected(std::string_view expected);

  std::string_view text_;
  Graph& graph_;
  const Scope& scope_;
  std::size_t at_ = 0;
  std::vector<Frame> frames_;
  std::vector<std::string_view> keywords_;  // of the call
  std::vector<Unknown> unknown_;
  bool allow_keywords_ = false;
  Problem problem_;
};

}  // namespace fxrules::code
