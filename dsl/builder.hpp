// Collects the parts of one item (a rule, a declaration, a test) and hands the finished item to the tree.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "dsl/ast.hpp"
#include "dsl/term_builder.hpp"

namespace fxrules::dsl {

// Bytes of one word of test metadata at the start of `text`, which is not empty: up to a blank, a comma or `}`
// outside of brackets; 0 when there is none or a bracket stays open.
[[nodiscard]] std::size_t metadata_length(std::string_view text);

class Builder : public TermBuilder {
 public:
  explicit Builder(Ast& ast) : TermBuilder(ast) { ast.phases.emplace_back(); }

  void begin_item(Range range);
  // Takes back everything that the item in work has added.
  void abandon_item();

  // Every token is followed by white space, perhaps none; so this tells where the last token ends.
  void white_space(Range range);
  [[nodiscard]] std::uint32_t token_end() const { return token_end_; }

  void name(Range range) { name_ = range; }

  // ---- right sides
  void arrow(Range range);
  void message() { message_ = take(); }
  void error_result(Range range) { result(ResultKind::error, message_, range); }
  void note_result(Range range) { result(ResultKind::note, message_, range); }
  void term_result(Range range) { result(ResultKind::term, take(), range); }
  void block_result(Range range) { result(ResultKind::block, kNoTerm, range); }
  void keep_result(Range range) { result(ResultKind::keep, kNoTerm, range); }
  void binding_value();
  void binding_as() { alternative_.result.bindings.back().as = take(); }
  void condition() { guard_ = take(); }
  void otherwise() { alternative_.otherwise = true; }
  void end_alternative(Range range);
  void as_text() { as_ = take(); }

  // ---- items
  void label(Range range);
  void pattern_root();
  void root_binding(Range range);
  void end_head(Range range);
  void rule();
  void import_file() { add_import(false); }
  void catalogue() { add_import(true); }
  void type(Range range) { type_ = range; }
  void param();
  void set();
  void phase_word(Range range);
  void phase();
  void equation_name(Range range);
  void right_side() { set_pattern(false); }  // of def and meta; that of `pattern` is a pattern
  void error_body() { is_error_ = true, body_ = message_; }
  void body() { body_ = take(); }
  void def() { ast_.defs.push_back(equation()); }
  void pattern() { ast_.patterns.push_back(equation()); }
  void op_head() { op_head_ = take(); }
  void meta();
  void inverse_value(Range range) { inverse_value_ = range; }
  void inverse();

  // ---- tests
  void test_name() { test_name_ = take(), set_pattern(false); }
  void statement_name(Range range);
  void placeholder() { statement_.kind = StatementKind::placeholder; }
  void buffer() { statement_.kind = StatementKind::buffer; }
  void node_value() { statement_.value = take(); }
  void metadata(Range range);
  void statement(Range range);
  void begin_return();
  void return_value() { returned_.push_back(take()); }
  void return_comma() { statement_.tuple = true; }
  void returns(Range range);
  void open_graph(Range range);
  void close_graph(Range range);
  void before();
  void after();
  void unchanged() { test_.unchanged = true; }
  void because();
  void check(Range range);
  void test();

 private:
  [[nodiscard]] std::string_view unquoted(TermId string) const;
  [[nodiscard]] Range trimmed(Range range) const;  // without white space at its end
  [[nodiscard]] Range item_range() const { return trimmed(item_); }
  void result(ResultKind kind, TermId term, Range range);
  void add_import(bool catalogue);
  Equation equation();

  struct Sizes {
    std::size_t terms, children, callees;
  };

  Range item_;
  std::uint32_t token_end_ = 0;
  std::uint32_t space_end_ = 0;
  Sizes sizes_{};
  Range name_, type_;
  TermId message_ = kNoTerm, guard_ = kNoTerm, as_ = kNoTerm, body_ = kNoTerm, op_head_ = kNoTerm;
  bool is_error_ = false;
  Range equation_name_, inverse_value_;
  Rule rule_;
  Alternative alternative_;
  std::vector<Alternative> alternatives_;
  Phase phase_;
  TermId test_name_ = kNoTerm;
  Test test_;
  Statement statement_;
  std::vector<TermId> returned_;
  std::vector<std::uint32_t> graphs_;  // open ones, innermost last
  std::uint32_t last_graph_ = 0;
};

}  // namespace fxrules::dsl
