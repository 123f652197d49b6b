// One node line: its head and its arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "formats/text_ir/argument_scanner.hpp"

namespace fxrules::text_ir {

struct NodeHead {
  Opcode opcode = Opcode::call_function;
  std::string_view name, type, metadata, users_word, target;
  std::size_t users_at = 0, users_end = 0;  // the number
  std::uint32_t users = 0;
};

class Statement {
 public:
  Statement(std::string_view text, const Graph& graph) : text_(text), scanner_(text, graph) {}

  // Reads the node whose `%` stands at `begin`. It must end at the end of a line at or before `end`;
  // where strings hold line ends, `end` lies lines behind. False: see problem().
  bool node(std::size_t begin, std::size_t end);
  // Reads the value of a return statement.
  bool value(std::size_t begin, std::size_t end);

  [[nodiscard]] const NodeHead& head() const { return head_; }
  [[nodiscard]] std::size_t end() const { return at_; }
  [[nodiscard]] const ArgumentScanner& arguments() const { return scanner_; }
  [[nodiscard]] const Problem& problem() const { return problem_; }

 private:
  bool head(std::size_t begin, std::size_t end);
  bool type_and_users(std::size_t end);
  bool opcode(std::size_t end);
  bool target(std::size_t end);
  bool placeholder(std::size_t end);
  bool default_value(std::size_t begin, std::size_t end);
  bool call(std::size_t end);
  bool unbalanced_call(std::size_t end);
  bool explain_call(std::size_t end);
  bool expect(std::string_view token, std::size_t end, std::string_view what);
  [[nodiscard]] bool ends_line(std::size_t at, std::size_t end) const;
  [[nodiscard]] std::size_t find(std::string_view token, std::size_t from, std::size_t end) const;
  bool fail(std::string_view kind, std::string message, std::size_t begin, std::size_t length, std::string hint = {});

  std::string_view text_;
  std::size_t at_ = 0, arguments_at_ = 0;
  NodeHead head_;
  ArgumentScanner scanner_;
  Problem problem_;
};

}  // namespace fxrules::text_ir
