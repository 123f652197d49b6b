// What the parser says: one line a grammar rule, and the grammar raises it where that rule fails. A hint
// stands behind the line break.
#pragma once

#include "dsl/grammar.hpp"

namespace fxrules::dsl::grammar {

template <class Rule>
inline constexpr const char* error_message = nullptr;

// clang-format off

// ---- values and operators
template <> inline constexpr auto error_message<misplaced_word>   = "a reserved word stands where a value should";
template <> inline constexpr auto error_message<prefixed_value>   = "expected a value after the operator";
template <> inline constexpr auto error_message<right_operand>    = "expected a value after the operator";
template <> inline constexpr auto error_message<foreign_arrow>    = "`->` is not an arrow of this language\nwrite `=>`";
template <> inline constexpr auto error_message<foreign_operator> = "this operator is not part of the language\nlogic is written `and`, `or`, `not`; there are no powers and no bit operations";
template <> inline constexpr auto error_message<unchained>        = "comparisons cannot be chained\nwrite `a < b and b < c`, or put one of them in parentheses";
template <> inline constexpr auto error_message<chain_length>     = "this expression has more than 1000 operators in a row\nsplit it into helpers with `def`";
template <> inline constexpr auto error_message<nesting>          = "brackets are nested more than 200 deep\nsplit the expression into helpers with `def`";
template <> inline constexpr auto error_message<bindable>         = "only a plain name can stand before `@`\nwrite `u @ pattern`; `root` is the matched root already";
template <> inline constexpr auto error_message<bound_value>      = "expected a pattern after `@`";
template <> inline constexpr auto error_message<any_call>         = "expected `(` after `*`, which stands for any op\nwrite `*(..)`";
template <> inline constexpr auto error_message<tilde_call>       = "expected `(` after `~`\n`add~(x, y)` tries both orders of the first two arguments";
template <> inline constexpr auto error_message<callable_set>     = "a set that is called may hold ops only";
template <> inline constexpr auto error_message<field_name>       = "expected `start`, `stop` or `step` after `.`\nthe fields of a slice are `s.start`, `s.stop`, `s.step`; a method is called as `.to(x, y)`";
template <> inline constexpr auto error_message<three_dots>       = "`...` is not part of the language\nwrite `..` for remaining arguments and `Ellipsis` for the literal";

// ---- literals
template <> inline constexpr auto error_message<number_end>       = "a number runs into a name\nput a blank or an operator between them";
template <> inline constexpr auto error_message<number_size>      = "this integer does not fit into 64 bits";
template <char Q> inline constexpr auto error_message<string_end<Q>> = "this string is not closed on its line";
template <char Q> inline constexpr auto error_message<text_end<Q>>   = "this text is not closed on its line";
template <> inline constexpr auto error_message<hex_digits_2>     = "expected two hexadecimal digits after `\\x`";
template <> inline constexpr auto error_message<hex_digits_4>     = "expected four hexadecimal digits after `\\u`";
template <> inline constexpr auto error_message<hex_digits_8>     = "expected eight hexadecimal digits after `\\U`";
template <> inline constexpr auto error_message<plain_escape>     = "expected a character after `\\`";
template <> inline constexpr auto error_message<string_encoding>  = "this string is not UTF-8\nsave the file as UTF-8, or write the bytes as `\\x` escapes";
template <> inline constexpr auto error_message<text_value>       = "expected a value after `{`\na brace that is text is written `{{`";
template <> inline constexpr auto error_message<text_hole_close>  = "expected `}` after the value\na brace that is text is written `{{`";
template <> inline constexpr auto error_message<lone_brace>       = "a single `}` in a text\na brace that is text is written `}}`";

// ---- brackets
template <> inline constexpr auto error_message<call_close>       = "expected `,` or `)` in the arguments";
template <> inline constexpr auto error_message<list_close>       = "expected `,` or `]` in the list";
template <> inline constexpr auto error_message<tuple_close>      = "expected `,` or `)`";
template <> inline constexpr auto error_message<index_value>      = "expected an index after `[`";
template <> inline constexpr auto error_message<index_close>      = "expected `]` after the index";
template <> inline constexpr auto error_message<set_close>        = "expected `,` or `}` in the set\na set holds op names, strings and numbers";
template <> inline constexpr auto error_message<keyword_name>     = "only a name can stand before `=`\na keyword argument is written `name = value`, a comparison `==`";
template <> inline constexpr auto error_message<keyword_value>    = "expected a value after `=`";

// ---- rules
template <> inline constexpr auto error_message<labelled_rule>    = "a label without a rule\nindent the rule below its label: what starts in column 1 is a new item";
template <> inline constexpr auto error_message<pattern_root>     = "expected a rule or a declaration\na rule is written `pattern => result`";
template <> inline constexpr auto error_message<root_value>       = "expected a pattern after `=`";
template <> inline constexpr auto error_message<roots_close>      = "expected `,` or `}` after the pattern\nseveral roots are written `{ s = split(x, n), a = s[0] } => …`";
template <> inline constexpr auto error_message<first_arrow>      = "expected `=>` after the pattern\na rule is written `pattern => result`; lines that continue an item are indented";
template <> inline constexpr auto error_message<result_value>     = "expected a result after `=>`";
template <> inline constexpr auto error_message<required_name>    = "expected a name";
template <> inline constexpr auto error_message<binding_equals>   = "expected `=` after the name";
template <> inline constexpr auto error_message<binding_value>    = "expected a value after `=`";
template <> inline constexpr auto error_message<binding_as>       = "expected a text in quotes after `as`";
template <> inline constexpr auto error_message<block_close>      = "expected `,` or `}` after the value\na result block is written `{ name = value, … }`";
template <> inline constexpr auto error_message<keep_first>       = "expected `name = value` in `keep`\n`keep(dim = 0)` replaces an argument, `keep(meta.device = d)` metadata";
template <> inline constexpr auto error_message<keep_equals>      = "expected `=` after the name\n`keep(dim = 0)` replaces an argument, `keep(meta.device = d)` metadata";
template <> inline constexpr auto error_message<keep_close>       = "expected `,` or `)` in `keep`";
template <> inline constexpr auto error_message<condition>        = "expected a condition after `if`";
template <> inline constexpr auto error_message<condition_end>    = "`=` does not compare\nwrite `==`";
template <> inline constexpr auto error_message<as_text>          = "expected a text in quotes after `as`";
template <> inline constexpr auto error_message<rule_end>         = "expected the end of the rule\nafter a result come `if` or `otherwise`, the next `=>`, `as`; the next rule starts in column 1";

// ---- declarations
template <> inline constexpr auto error_message<declared>         = "expected a name";
template <> inline constexpr auto error_message<declared_equals>  = "expected `=` after the name";
template <> inline constexpr auto error_message<file_name>        = "expected a file name in quotes";
template <> inline constexpr auto error_message<type_colon>       = "expected `:` and a type after the parameter's name\nwrite `param target: str = \"xla\"`";
template <> inline constexpr auto error_message<type_required>    = "expected a type\nthe types of parameters are str, bool, int, float and set";
template <> inline constexpr auto error_message<param_value>      = "expected a value after `=`";
template <> inline constexpr auto error_message<set_members>      = "expected `{` after `=`\na set is written `set Views = { view, reshape }`";
template <> inline constexpr auto error_message<equation_name>    = "expected a name";
template <> inline constexpr auto error_message<equation_call>    = "expected `(` after the helper's name";
template <> inline constexpr auto error_message<equation_equals>  = "expected `=` after the left side";
template <> inline constexpr auto error_message<equation_value>   = "expected a value after `=`";
template <> inline constexpr auto error_message<pattern_equals>   = "expected `=` after the left side";
template <> inline constexpr auto error_message<pattern_body>     = "expected a pattern after `=`";
template <> inline constexpr auto error_message<op_head>          = "expected an op";
template <> inline constexpr auto error_message<called_op>        = "expected an op with its arguments";
template <> inline constexpr auto error_message<inverse_comma>    = "expected `,` and the name of the new value after the view\nwrite `inverse select(b, d, i), v => select_scatter(b, v, d, i)`";
template <> inline constexpr auto error_message<inverse_value>    = "expected a name for the view's new value";
template <> inline constexpr auto error_message<declaration_end>  = "expected the end of the declaration\nthe next item starts in column 1";

// ---- tests
template <> inline constexpr auto error_message<test_name>        = "expected the test's name in quotes";
template <> inline constexpr auto error_message<test_open>        = "expected `{` after the test's name";
template <> inline constexpr auto error_message<test_close>       = "expected `before`, `after`, `unchanged`, `check` or `}` in the test";
template <> inline constexpr auto error_message<required_body>    = "expected `{` and a graph";
template <> inline constexpr auto error_message<graph_close>      = "expected `name = op(…)`, `return` or `}` in the graph";
template <> inline constexpr auto error_message<node_call>        = "expected a value after `=`\nan input is written `x = placeholder : f32[4]`, a node `y = add(x, 1)`";
template <> inline constexpr auto error_message<metadata_value>   = "expected metadata after `:`\nwrite `f32[4, 8] strides=(8,1) device=cpu`";
template <> inline constexpr auto error_message<return_value>     = "expected a value to return";
template <> inline constexpr auto error_message<because>          = "expected a reason in quotes after `because`";
template <> inline constexpr auto error_message<check_value>      = "expected `f(…) == value` after `check`";

// clang-format on

struct errors {
  template <class Rule>
  static constexpr const char* message = error_message<Rule>;
};

template <class Rule>
using control = tao::pegtl::must_if<errors, tao::pegtl::normal, false>::control<Rule>;

}  // namespace fxrules::dsl::grammar
