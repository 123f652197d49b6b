// Splits the printed arguments of one node into pieces: `(%x, [1, mean], slice(y, None, None))`.
//
// Strings stand unquoted and may hold anything, brackets and separators included, so a bracket is a tuple,
// a list or a dict only if its content has that form and a separator follows it; otherwise it and what it
// holds are text. Each character is looked at once, and brackets nest on explicit stacks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/problem.hpp"
#include "fxrules/graph.hpp"

namespace fxrules::text_ir {

struct Piece {
  enum class What : std::uint8_t { literal, open, close, keyword, unknown, text, python_text };
  What what = What::literal;
  Slot slot;  // literal, node; open: its kind; keyword: its symbol; unknown, text: offset and length
};

class ArgumentScanner {
 public:
  ArgumentScanner(std::string_view text, const Graph& graph) : text_(text), graph_(graph) {}

  void clear();  // forgets pieces and problem

  // A whole group, from its opening bracket at `at` on; its end, or npos with a problem. `end` bounds it.
  std::size_t positional(std::size_t at, std::size_t end);
  std::size_t keywords(std::size_t at, std::size_t end);
  // What stands between the brackets, [begin, end), where texts hold brackets without a partner.
  bool unbalanced_positional(std::size_t begin, std::size_t end);
  bool unbalanced_keywords(std::size_t begin, std::size_t end);
  // The Python repr of one value: nodes by name, strings quoted.
  bool returned(std::size_t begin, std::size_t end);
  // A placeholder's default, the same but without nodes. False: it is a text of its own.
  bool default_value(std::size_t begin, std::size_t end);
  // The whole as one text.
  void text_value(std::size_t begin, std::size_t end);

  [[nodiscard]] const std::vector<Piece>& pieces() const { return pieces_; }
  [[nodiscard]] const Problem& problem() const { return problem_; }
  // Nodes that texts mention as `%name`: where a bracket in a string shifts what belongs together, uses get lost.
  struct Mention {
    NodeId node;
    std::size_t at, length;  // of the text
  };
  [[nodiscard]] const std::vector<Mention>& mentions() const { return mentions_; }
  // Brackets without partner that were taken as text.
  [[nodiscard]] const std::vector<std::size_t>& text_brackets() const { return taken_as_text_; }

 private:
  enum class State : std::uint8_t { item, text, ended };
  enum class Root : std::uint8_t { none, group, bounded, single };

  struct Frame {
    ArgKind kind = ArgKind::tuple;
    Root root = Root::none;
    char close = ')';
    bool python = false;
    bool comma = false;     // `(x,)`
    bool key_next = false;  // of a dict
    std::uint32_t items = 0;
    std::size_t begin = 0;
    std::size_t pieces = 0;  // how many there were before
    struct Before {          // of a named tuple: what was there before it
      std::size_t fields, nodes;
    };
    std::optional<Before> named;
  };

  bool run();
  void item();
  void text();
  void ended();

  void open(ArgKind kind, char close, std::size_t length, bool python);
  void close(std::size_t at);
  [[nodiscard]] static bool is_complete(const Frame& frame);
  void back_to_text(std::size_t from);
  void key();
  bool node_item();
  bool python_item();
  [[nodiscard]] std::size_t end_of_name(std::size_t at) const;
  bool named_tuple();
  bool field();
  void name_tuple(const Frame& frame);
  void finish_text(std::size_t end);
  void note_mentions(std::size_t begin, std::string_view value);
  Piece piece_of(std::size_t begin, std::size_t length, bool python);
  Piece python_piece(std::size_t begin, std::string_view value);
  Piece name_or_symbol(std::size_t begin, std::string_view name);
  void resolve_texts(std::size_t from);
  void add_unknown(std::size_t at, std::size_t length);
  [[nodiscard]] bool names_a_node(std::string_view value) const;
  [[nodiscard]] NodeId find(std::string_view name) const;
  void add(const Slot& slot) { pieces_.push_back({Piece::What::literal, slot}); }
  void start_text(std::size_t begin, std::size_t from, bool resumed = false);

  [[nodiscard]] bool closes(const Frame& frame, std::size_t at) const;
  [[nodiscard]] bool ends_item(std::size_t at) const;
  [[nodiscard]] bool continues_entry(const Frame& frame, std::size_t at) const;
  [[nodiscard]] bool has_partner(std::size_t at) const;
  // Moves over one special character inside a text; false when the text ends there or the scan failed.
  bool step_text();
  bool skip_quoted();
  bool lone_bracket(std::size_t at);
  [[nodiscard]] bool looks_structural(std::size_t at) const;

  void prepare(std::size_t begin, std::size_t end);
  void find_partners(std::size_t begin, std::size_t end);
  bool bounded(ArgKind kind, std::size_t begin, std::size_t end);
  bool single(std::size_t begin, std::size_t end, bool nodes);
  void fail_at_end();
  void fail_mismatch(std::size_t at, char expected, std::size_t opener);
  void fail(Problem problem);

  std::string_view text_;
  const Graph& graph_;
  std::size_t at_ = 0, end_ = 0;
  State state_ = State::item;
  std::size_t text_begin_ = 0, root_begin_ = 0;
  bool failed_ = false, nodes_ = true, has_lone_ = false;
  bool resumed_ = false;  // the text began as a container
  bool unresolved_ = false;
  std::vector<Frame> frames_;
  struct TextBracket {
    char close;
    std::size_t at;
  };
  std::vector<TextBracket> text_brackets_;  // open inside the text under way
  std::vector<std::size_t> lone_;           // brackets without partner, in order
  std::vector<std::size_t> taken_as_text_;
  std::vector<std::string_view> fields_;  // of the named tuples that are open
  std::size_t nodes_seen_ = 0;            // by name, in Python's repr
  std::vector<Mention> mentions_;
  std::vector<Piece> pieces_;
  Problem problem_;
};

}  // namespace fxrules::text_ir
