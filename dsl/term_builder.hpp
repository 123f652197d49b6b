// Builds terms while the grammar matches: finished operands wait on one stack, operators on another
// (precedence climbing without recursion), and every open bracket remembers where on both it began.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "dsl/ast.hpp"

namespace fxrules::dsl {

inline constexpr std::size_t kMaxNesting = 200;       // open brackets
inline constexpr std::uint16_t kMaxTermDepth = 1000;  // operators and postfixes in a row

class TermBuilder {
 public:
  explicit TermBuilder(Ast& ast) : ast_(ast) {}

  // ---- questions of the grammar
  [[nodiscard]] bool is_shallow() const { return frames_.size() - 1 <= kMaxNesting; }
  [[nodiscard]] bool is_short() const { return !too_deep_; }
  [[nodiscard]] bool is_binder() const;    // a plain name on the left side, so that `:` names its kind
  [[nodiscard]] bool is_bindable() const;  // a plain name
  [[nodiscard]] bool is_keyword() const;   // a name, perhaps dotted
  [[nodiscard]] bool is_call() const { return top().kind == TermKind::call; }
  [[nodiscard]] bool is_op_set() const;     // the set on top holds ops only
  [[nodiscard]] bool is_unchained() const;  // no comparison waits for its right side
  [[nodiscard]] bool fits_64_bits() const;  // the number on top
  [[nodiscard]] bool is_utf8() const;       // the string on top

  // ---- operands
  void path(Range range);
  void plain_path();  // the path on top is neither called, bound nor annotated
  void method(Range range) { member_op(range); }
  void any(Range range);
  void member_op(Range range);
  void number(Range range);
  void negative_member(Range range);
  void string(Range range);
  void text_piece(Range range);
  void rest(Range range);
  void spread(Range range);
  void absent() { operands_.push_back(kNoTerm); }
  void colon(Range range);
  void slice();
  void kind(Range range) { kind_ = range; }
  void annotate();
  void tilde() { commutative_ = true; }

  // ---- operators
  void prefix(Range range);
  void infix(Range range);
  void end_expression();

  // ---- brackets
  void open_call(Range range);
  void close_call(Range range);
  void open(Range range);  // every other bracket
  void open_text(Range range) { open_string(range), open(range); }
  void close_list(Range range) { close(TermKind::list, range); }
  void close_tuple(Range range);
  void close_index(Range range);
  void field(Range range);
  void close_set(Range range) { close(TermKind::set, range); }
  void call_set();  // the set on top is called
  void close_hole(Range) { frames_.pop_back(); }
  void close_text(Range range) { close(TermKind::text, range); }
  void close_bind();
  void comma() { frames_.back().commas = true; }
  void keyword();
  void argument();

  // ---- for items and errors
  [[nodiscard]] TermId take();
  [[nodiscard]] TermId make_tuple(const std::vector<TermId>& elements);  // not empty
  [[nodiscard]] Range top_range() const { return top().range; }
  [[nodiscard]] Range range_of(TermId id) const { return ast_[id].range; }
  [[nodiscard]] std::uint32_t offset_of(const char* at) const {
    return static_cast<std::uint32_t>(at - ast_.source->text.data());
  }
  [[nodiscard]] std::string_view slice_of(Range range) const {
    return std::string_view(ast_.source->text).substr(range.begin, range.end - range.begin);
  }
  // Where the innermost open bracket stands; the whole file when none is open.
  [[nodiscard]] std::uint32_t innermost_open() const { return frames_.back().range.begin; }
  void open_string(Range range) { string_begin_ = range.begin; }
  [[nodiscard]] std::uint32_t string_begin() const { return string_begin_; }
  void set_pattern(bool pattern) { pattern_ = pattern; }
  // Forgets what an unfinished item left behind.
  void reset_terms();

 protected:
  Ast& ast_;

 private:
  struct Frame {
    Range range;                 // the bracket
    std::uint32_t operands = 0;  // stack heights when it opened
    std::uint32_t operators = 0;
    bool commas = false;
    bool commutative = false;
    Range keyword;  // of the argument being read
    Range colons;   // first and last colon of the slice being read
  };
  struct Operator {
    std::string_view text;
    Range range;
    std::uint8_t precedence = 0;
    bool unary = false;
  };

  [[nodiscard]] const Term& top() const { return ast_.terms[operands_.back()]; }
  [[nodiscard]] Term& top() { return ast_.terms[operands_.back()]; }
  [[nodiscard]] bool plain_name() const;
  TermId push(TermKind kind, Range range, std::string_view text);
  // Makes the operands above `base` the children of `term`.
  void adopt(TermId term, std::size_t base);
  void close(TermKind kind, Range range);
  void wrap(TermKind kind, Range range, std::size_t children, std::string_view text);
  std::uint32_t add_callee(CalleeKind kind, Range range);
  void split_holes(Callee& callee) const;
  void reduce(std::uint8_t precedence);
  void reduce_unary(const Operator& op);
  void reduce_binary(const Operator& op);
  [[nodiscard]] bool folds_to_complex(const Operator& op) const;

  std::vector<TermId> operands_;
  std::vector<Operator> operators_;
  std::vector<Frame> frames_{1};
  std::vector<std::uint16_t> depths_;  // of each term; no more than kMaxTermDepth + 1
  Range kind_;
  std::uint32_t string_begin_ = 0;
  bool pattern_ = false;
  bool commutative_ = false;
  bool too_deep_ = false;
};

}  // namespace fxrules::dsl
