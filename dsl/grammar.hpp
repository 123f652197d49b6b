// The rule language, one grammar rule a line. What is built while matching is in actions.hpp, what is said
// where a rule with a message fails is in messages.hpp.
//
// The file is cut into items before this grammar sees it (items.hpp): each item is parsed by itself, so
// white space, line ends included, means nothing here, and `eof` is the end of the item. Every token eats
// the white space that follows it. A rule whose action builds something is only tried where it cannot be
// undone: the first token decides, and look-ahead never goes past a few tokens.
#pragma once

#include <functional>

#include <tao/pegtl.hpp>
#include <tao/pegtl/contrib/analyze_traits.hpp>

#include "dsl/builder.hpp"

namespace fxrules::dsl::grammar {

using namespace tao::pegtl;  // NOLINT: a grammar is written in PEGTL's words

// Asks the builder, consumes nothing.
template <auto Question>
struct ask {
  using rule_t = ask;
  using subs_t = empty_list;
  template <apply_mode A, rewind_mode M, template <class...> class Action, template <class...> class Control,
            class Input>
  [[nodiscard]] static bool match(Input&, const Builder& builder) {
    return std::invoke(Question, builder);
  }
};

// One word of metadata, as `f32[4, s0 + 1]` or `(8, 1)`: up to a blank, a comma or `}` outside of brackets.
// The text is not parsed here.
struct metadata_text {
  using rule_t = metadata_text;
  using subs_t = empty_list;
  template <apply_mode A, rewind_mode M, template <class...> class Action, template <class...> class Control,
            class Input>
  [[nodiscard]] static bool match(Input& in, const Builder&) {
    const std::size_t length = metadata_length({in.current(), in.size(0)});
    in.bump(length);
    return length != 0;
  }
};

// clang-format off

// ---- words
struct comment            : seq< one< '#' >, star< not_one< '\n' > > > {};
struct ws                 : star< sor< one< ' ', '\n', '\t', '\r', '\f' >, comment > > {};
template< char... C >
struct word               : seq< string< C... >, not_at< identifier_other > > {};
struct if_word            : word< 'i', 'f' > {};
struct as_word            : word< 'a', 's' > {};
struct in_word            : word< 'i', 'n' > {};
struct not_word           : word< 'n', 'o', 't' > {};
struct otherwise_word     : word< 'o', 't', 'h', 'e', 'r', 'w', 'i', 's', 'e' > {};
// Words that are no values, and words that are values but cannot be given a meaning.
struct structure_word     : seq< at< one< 'a', 'i', 'n', 'o' > >, sor< if_word, as_word, in_word, not_word, word< 'o', 'r' >, word< 'a', 'n', 'd' >, otherwise_word > > {};
struct value_word         : sor< word< 'T', 'r', 'u', 'e' >, word< 'F', 'a', 'l', 's', 'e' >, word< 'N', 'o', 'n', 'e' >,
                                 word< 'E', 'l', 'l', 'i', 'p', 's', 'i', 's' >, word< 'r', 'o', 'o', 't' >,
                                 word< 'u', 'n', 'k', 'n', 'o', 'w', 'n' > > {};
struct reserved_word      : sor< structure_word, value_word > {};
struct misplaced_word     : not_at< structure_word > {};
struct quote              : one< '"', '\'' > {};
struct declared_name      : seq< not_at< reserved_word >, identifier > {};

// ---- literals
struct exponent           : seq< one< 'e', 'E' >, opt< one< '+', '-' > >, plus< digit > > {};
struct fraction           : seq< one< '.' >, not_at< one< '.' > >, star< digit > > {};
struct number             : seq< plus< digit >, opt< fraction >, opt< exponent >, opt< one< 'j' > > > {};
struct number_end         : not_at< identifier_other > {};
struct number_size        : ask< &Builder::fits_64_bits > {};
struct number_literal     : seq< number, number_end, number_size, ws > {};

struct hex_digits_2       : rep< 2, xdigit > {};
struct hex_digits_4       : rep< 4, xdigit > {};
struct hex_digits_8       : rep< 8, xdigit > {};
struct plain_escape       : not_one< '\r', '\n' > {};
struct escape             : seq< one< '\\' >, sor< seq< one< 'x' >, hex_digits_2 >, seq< one< 'u' >, hex_digits_4 >,
                                                   seq< one< 'U' >, hex_digits_8 >, plain_escape > > {};
struct string_open        : quote {};
template< char Q >
struct string_end         : one< Q > {};
template< char Q >
struct string_of          : seq< at< one< Q > >, string_open, star< sor< not_one< Q, '\\', '\r', '\n' >, escape > >, string_end< Q > > {};
struct string_body        : sor< string_of< '"' >, string_of< '\'' > > {};
struct string_encoding    : ask< &Builder::is_utf8 > {};
struct string_literal     : seq< string_body, string_encoding, ws > {};

// ---- op and variable names: x, torch.float32, aten.<f>_.<o>
struct hole               : seq< one< '<' >, identifier, opt< one< ':' >, star< blank >, identifier >, one< '>' > > {};
struct stem               : seq< sor< identifier, hole >, star< sor< plus< identifier_other >, hole > > > {};
struct path_text          : seq< not_at< structure_word >, stem, star< one< '.' >, stem > > {};
struct path               : seq< path_text > {};
struct method_text        : seq< one< '.' >, stem > {};
struct method             : seq< method_text > {};

// ---- brackets; each says that it opened, so that the builder knows how deep it is
struct expression;
struct element;
struct nesting            : ask< &Builder::is_shallow > {};
struct comma              : seq< one< ',' >, ws > {};
struct equals             : seq< one< '=' >, not_at< one< '=', '>' > >, ws > {};
struct elements           : opt< list_tail< element, comma > > {};

struct keyword_name       : ask< &Builder::is_keyword > {};
struct keyword_equals     : seq< at< equals >, keyword_name, equals > {};
struct keyword_value      : seq< element > {};
struct argument           : seq< element, opt< keyword_equals, keyword_value > > {};
struct arguments          : opt< list_tail< argument, comma > > {};
struct call_open          : one< '(' > {};
struct call_close         : one< ')' > {};
struct call               : seq< call_open, nesting, ws, arguments, call_close, ws > {};
struct tilde_call         : at< one< '(' > > {};
struct tilde              : seq< one< '~' >, ws, tilde_call > {};
struct call_suffix        : seq< opt< tilde >, call > {};

struct list_open          : one< '[' > {};
struct list_close         : one< ']' > {};
struct list_literal       : seq< list_open, nesting, ws, elements, list_close, ws > {};
struct tuple_open         : one< '(' > {};
struct tuple_close        : one< ')' > {};
struct tuple_literal      : seq< tuple_open, nesting, ws, elements, tuple_close, ws > {};
struct index_open         : one< '[' > {};
struct index_value        : list_tail< element, comma > {};
struct index_close        : one< ']' > {};
struct index              : seq< index_open, nesting, ws, index_value, index_close, ws > {};
struct field_name         : seq< sor< word< 's', 't', 'a', 'r', 't' >, word< 's', 't', 'o', 'p' >, word< 's', 't', 'e', 'p' > > > {};
struct field              : seq< one< '.' >, not_at< one< '.' > >, field_name, ws > {};

struct member_path        : sor< path_text, method_text > {};
struct negative_member    : seq< one< '-' >, number_literal > {};
struct member             : sor< string_literal, number_literal, negative_member, seq< member_path, ws > > {};
struct set_open           : one< '{' > {};
struct set_close          : one< '}' > {};
struct set_literal        : seq< set_open, nesting, ws, opt< list_tail< member, comma > >, set_close, ws > {};
struct callable_set       : ask< &Builder::is_op_set > {};
struct set_value          : seq< set_literal, opt< at< one< '(', '~' > >, callable_set, call_suffix > > {};

// ---- values
struct kind_name          : seq< identifier, opt< one< '[' >, identifier, one< ']' > > > {};
struct binder             : ask< &Builder::is_binder > {};
struct annotation         : seq< binder, one< ':' >, not_at< one< ':' > >, ws, kind_name, ws, not_at< one< ':' > > > {};
struct bindable           : ask< &Builder::is_bindable > {};
struct bind_at            : one< '@' > {};
struct bound_value;
struct bind               : seq< bind_at, bindable, nesting, ws, bound_value > {};
struct plain_path         : success {};
struct path_value         : seq< path, ws, sor< call_suffix, bind, annotation, plain_path > > {};
struct plain_method       : success {};
struct method_value       : seq< method, ws, sor< call_suffix, plain_method > > {};
struct any                : one< '*' > {};
struct any_call           : at< one< '(', '~' > > {};
struct any_value          : seq< any, ws, any_call, call_suffix > {};
struct primary            : sor< path_value, number_literal, list_literal, tuple_literal, string_literal, set_value, any_value, method_value, seq< at< structure_word >, misplaced_word > > {};
struct postfixed          : seq< primary, star< sor< index, field > > > {};
struct bound_value        : seq< postfixed > {};

// ---- operators; the builder knows how tightly they bind
struct foreign_arrow      : not_at< string< '-', '>' > > {};
struct foreign_operator   : not_at< sor< one< '&', '|' >, string< '*', '*' >, seq< one< '!' >, not_at< one< '=' > > > > > {};
struct prefix             : sor< one< '-' >, not_word > {};
struct prefixed_value     : seq< postfixed > {};
struct operand            : sor< seq< plus< prefix, ws >, prefixed_value >, postfixed > {};
struct comparison_word    : sor< in_word, seq< not_word, ws, in_word > > {};
struct comparison         : sor< string< '=', '=' >, string< '!', '=' >, string< '<', '=' >, string< '>', '=' >, one< '<', '>' >, comparison_word > {};
struct unchained          : ask< &Builder::is_unchained > {};
struct arithmetic         : sor< one< '+', '-', '%', '*' >, string< '/', '/' >, one< '/' > > {};
struct logic              : sor< word< 'o', 'r' >, word< 'a', 'n', 'd' > > {};
struct infix              : sor< arithmetic, logic, seq< at< comparison >, unchained, comparison > > {};
struct infix_start        : one< '=', '!', '<', '>', '+', '-', '*', '/', '%', '&', '|', 'a', 'i', 'n', 'o' > {};
struct right_operand      : seq< operand > {};
struct chain_length       : ask< &Builder::is_short > {};
struct operators          : seq< operand, star< at< infix_start >, foreign_arrow, foreign_operator, infix, ws, right_operand > > {};
struct expression         : seq< operators, chain_length > {};

// ---- what may stand between commas: x, rest.., .., a:b:c
struct three_dots         : not_at< string< '.', '.', '.' > > {};
struct rest               : string< '.', '.' > {};
struct spread             : string< '.', '.' > {};
struct absent             : success {};
struct colon              : seq< one< ':' >, ws > {};
struct bound              : sor< expression, absent > {};
struct slice_tail         : seq< colon, bound, sor< seq< colon, bound >, absent > > {};
struct slice              : seq< at< one< ':' > >, absent, slice_tail > {};
struct dots               : seq< at< string< '.', '.' > >, three_dots, rest, ws > {};
struct value_element      : seq< expression, opt< sor< seq< at< string< '.', '.' > >, three_dots, spread, ws >, slice_tail > > > {};
struct element            : sor< dots, slice, value_element > {};

// ---- texts: "{origin(d)}_modified"
struct text_value         : seq< expression > {};
struct text_hole_open     : one< '{' > {};
struct text_hole_close    : one< '}' > {};
struct text_hole          : seq< text_hole_open, nesting, ws, text_value, text_hole_close > {};
struct lone_brace         : not_at< one< '}' > > {};
template< char Q >
struct text_piece         : plus< sor< not_one< Q, '\\', '{', '}', '\r', '\n' >, escape, string< '{', '{' >, string< '}', '}' > > > {};
struct text_open          : quote {};
template< char Q >
struct text_end           : one< Q > {};
template< char Q >
struct text_of            : seq< at< one< Q > >, text_open, nesting, star< sor< text_piece< Q >, text_hole > >, lone_brace, text_end< Q > > {};
struct text_body          : sor< text_of< '"' >, text_of< '\'' > > {};
struct text               : seq< text_body, string_encoding, ws > {};

// ---- right sides
struct arrow              : seq< string< '=', '>' >, ws > {};
struct message            : seq< text > {};
struct error_result       : seq< word< 'e', 'r', 'r', 'o', 'r' >, ws, at< quote >, message > {};
struct note_result        : seq< word< 'n', 'o', 't', 'e' >, ws, at< quote >, message > {};
struct binding_name       : seq< not_at< structure_word >, identifier > {};
struct binding_equals     : seq< equals > {};
struct binding_value      : seq< expression > {};
struct binding_as         : seq< text > {};
struct required_name      : seq< binding_name > {};
struct block_binding      : seq< required_name, ws, binding_equals, binding_value, opt< as_word, ws, binding_as > > {};
struct binding_start      : seq< one< '{' >, ws, identifier, ws, equals > {};
struct block_close        : one< '}' > {};
struct block_result       : seq< at< binding_start >, one< '{' >, ws, list_tail< seq< at< identifier_first >, block_binding >, comma >, block_close, ws > {};
struct keep_name          : list< identifier, one< '.' > > {};
struct keep_equals        : seq< equals > {};
struct keep_binding       : seq< keep_name, ws, keep_equals, binding_value > {};
struct keep_first         : at< identifier_first > {};
struct keep_close         : one< ')' > {};
struct keep_result        : seq< word< 'k', 'e', 'e', 'p' >, ws, one< '(' >, ws, keep_first, list_tail< seq< at< identifier_first >, keep_binding >, comma >, keep_close, ws > {};
struct result_value       : seq< expression > {};
struct term_result        : seq< result_value > {};
struct result             : sor< error_result, note_result, keep_result, block_result, term_result > {};
struct condition          : seq< expression > {};
struct condition_end      : not_at< equals > {};
struct guard              : seq< if_word, ws, condition, condition_end > {};
struct otherwise          : seq< otherwise_word, ws > {};
struct alternative        : seq< arrow, result, opt< sor< guard, otherwise > > > {};
struct first_arrow        : at< string< '=', '>' > > {};
struct alternatives       : seq< first_arrow, plus< alternative > > {};
struct as_text            : seq< text > {};
struct as_clause          : seq< as_word, ws, as_text > {};

// ---- rules
struct label              : seq< identifier, star< blank >, one< ':' >, not_at< one< ':' > >, ws > {};
struct labelled_rule      : not_at< eof > {};
struct root_value         : seq< expression > {};
struct root_binding       : seq< required_name, ws, binding_equals, root_value > {};
struct roots_close        : one< '}' > {};
struct roots              : seq< at< binding_start >, one< '{' >, ws, list_tail< seq< at< identifier_first >, root_binding >, comma >, roots_close, ws > {};
struct pattern_root       : seq< expression > {};
struct rule_head          : sor< roots, pattern_root > {};
struct rule_end           : eof {};
struct rule               : seq< opt< label, labelled_rule >, rule_head, alternatives, opt< as_clause >, rule_end > {};

// ---- declarations; the word counts only before a name, a string or an op
struct declaration_follow : sor< identifier_first, one< '"', '\'', '.', '<', '{', '*' > > {};
template< char... C >
struct declaration        : seq< string< C... >, plus< one< ' ', '\t' > >, at< declaration_follow >, not_at< as_word > > {};
struct declaration_end    : eof {};
struct declared           : seq< declared_name > {};
struct declared_equals    : seq< equals > {};
struct file_name          : seq< string_literal > {};
struct import_file        : seq< declaration< 'i', 'm', 'p', 'o', 'r', 't' >, file_name, declaration_end > {};
struct catalogue          : seq< declaration< 'c', 'a', 't', 'a', 'l', 'o', 'g', 'u', 'e' >, file_name, declaration_end > {};
struct type_colon         : seq< one< ':' >, ws > {};
struct type_name          : seq< identifier > {};
struct type_required      : seq< type_name, ws > {};
struct param_value        : seq< expression > {};
struct param              : seq< declaration< 'p', 'a', 'r', 'a', 'm' >, declared, ws, type_colon, type_required, declared_equals, param_value, declaration_end > {};
struct set_members        : seq< set_literal > {};
struct set                : seq< declaration< 's', 'e', 't' >, declared, ws, declared_equals, set_members, declaration_end > {};
struct phase_word         : seq< not_at< as_word >, identifier > {};
struct phase              : seq< declaration< 'p', 'h', 'a', 's', 'e' >, declared, ws, star< phase_word, ws >, opt< as_clause >, declaration_end > {};
struct equation_name      : seq< declared_name > {};
struct equation_call      : at< one< '(' > > {};
struct equation_head      : seq< equation_name, ws, equation_call, call > {};
struct equation_equals    : seq< equals > {};
struct right_side         : success {};
struct error_body         : seq< word< 'e', 'r', 'r', 'o', 'r' >, ws, at< quote >, message > {};
struct equation_value     : seq< expression > {};
struct equation_body      : sor< error_body, equation_value > {};
struct def                : seq< declaration< 'd', 'e', 'f' >, equation_head, equation_equals, right_side, equation_body, opt< guard >, declaration_end > {};
struct pattern_equals     : seq< equals > {};
struct pattern_body       : seq< expression > {};
struct pattern            : seq< declaration< 'p', 'a', 't', 't', 'e', 'r', 'n' >, equation_head, pattern_equals, pattern_body, opt< guard >, declaration_end > {};
struct op_head            : seq< postfixed > {};
struct called_op          : ask< &Builder::is_call > {};
struct meta               : seq< declaration< 'm', 'e', 't', 'a' >, op_head, called_op, equation_equals, right_side, equation_body, opt< guard >, declaration_end > {};
struct inverse_comma      : seq< comma > {};
struct inverse_value      : seq< declared_name > {};
struct inverse            : seq< declaration< 'i', 'n', 'v', 'e', 'r', 's', 'e' >, op_head, called_op, inverse_comma, inverse_value, ws, alternatives, declaration_end > {};

// ---- tests
struct metadata_key       : sor< string< 's', 't', 'r', 'i', 'd', 'e', 's' >, string< 'd', 'e', 'v', 'i', 'c', 'e' >, string< 'l', 'a', 'y', 'o', 'u', 't' >,
                                 string< 'r', 'e', 'q', 'u', 'i', 'r', 'e', 's', '_', 'g', 'r', 'a', 'd' >, string< 'q', 'u', 'a', 'n', 't', 'i', 's', 'e', 'd' > > {};
struct metadata_pair      : seq< metadata_key, one< '=' >, metadata_text > {};
struct metadata_value     : seq< metadata_text, star< plus< one< ' ', '\t' > >, metadata_pair > > {};
struct metadata           : seq< one< ':' >, ws, metadata_value, ws > {};
struct statements;
struct statement_name     : seq< identifier > {};
struct statement_start    : seq< at< identifier, ws, equals >, statement_name, ws, equals > {};
struct input_end          : not_at< one< '(', '.', '[' > > {};
struct placeholder        : seq< word< 'p', 'l', 'a', 'c', 'e', 'h', 'o', 'l', 'd', 'e', 'r' >, ws, input_end > {};
struct buffer             : seq< word< 'b', 'u', 'f', 'f', 'e', 'r' >, ws, input_end > {};
struct node_value         : seq< expression > {};
struct node_call          : seq< node_value > {};
struct node               : seq< statement_start, sor< placeholder, buffer, node_call >, opt< metadata > > {};
struct return_word        : seq< word< 'r', 'e', 't', 'u', 'r', 'n' >, ws, not_at< equals > > {};
struct return_value       : seq< expression > {};
struct return_comma       : seq< comma > {};
struct returns            : seq< return_word, return_value, star< return_comma, return_value >, opt< metadata > > {};
struct graph_name         : seq< identifier > {};
struct graph_word         : seq< word< 'g', 'r', 'a', 'p', 'h' >, ws, at< identifier, ws, one< '{' > > > {};
struct graph_open         : one< '{' > {};
struct graph_close        : one< '}' > {};
struct body               : seq< graph_open, nesting, ws, statements, graph_close, ws > {};
struct nested_graph       : seq< graph_word, graph_name, ws, body > {};
struct statements         : star< sor< nested_graph, returns, node > > {};
struct before_word        : word< 'b', 'e', 'f', 'o', 'r', 'e' > {};
struct after_word         : word< 'a', 'f', 't', 'e', 'r' > {};
struct required_body      : at< one< '{' > > {};
struct before             : seq< before_word, ws, required_body, body > {};
struct after              : seq< after_word, ws, required_body, body > {};
struct because            : seq< string_literal > {};
struct unchanged          : seq< word< 'u', 'n', 'c', 'h', 'a', 'n', 'g', 'e', 'd' >, ws, opt< word< 'b', 'e', 'c', 'a', 'u', 's', 'e' >, ws, because > > {};
struct check_value        : seq< expression > {};
struct check              : seq< word< 'c', 'h', 'e', 'c', 'k' >, ws, check_value > {};
struct test_name          : seq< string_literal > {};
struct test_open          : seq< one< '{' >, ws > {};
struct test_close         : seq< one< '}' >, ws > {};
struct test               : seq< declaration< 't', 'e', 's', 't' >, test_name, test_open, star< sor< before, after, unchanged, check > >, test_close, declaration_end > {};

// ---- the whole item
struct item               : sor< def, meta, inverse, pattern, set, phase, param, import_file, catalogue, test, rule > {};

// clang-format on

}  // namespace fxrules::dsl::grammar

namespace tao::pegtl {
template <class Name, auto Question>
struct analyze_traits<Name, fxrules::dsl::grammar::ask<Question>> : analyze_opt_traits<> {};
template <class Name>
struct analyze_traits<Name, fxrules::dsl::grammar::metadata_text> : analyze_any_traits<> {};
}  // namespace tao::pegtl
