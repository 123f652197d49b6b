// What the builder does when a grammar rule has matched: one line a rule.
#pragma once

#include <functional>

#include "dsl/builder.hpp"
#include "dsl/grammar.hpp"

namespace fxrules::dsl::grammar {

// Calls a member function of the builder, with the range of what matched if it wants it.
template <auto Member>
struct range_to {
  template <class Input>
  static void apply(const Input& in, Builder& builder) {
    const std::uint32_t begin = builder.offset_of(in.begin());
    std::invoke(Member, builder, Range{begin, begin + static_cast<std::uint32_t>(in.size())});
  }
};
template <auto Member>
struct tell {
  static void apply0(Builder& builder) { std::invoke(Member, builder); }
};

template <class Rule>
struct action {};
template <>
struct action<ws> : range_to<&Builder::white_space> {};

// clang-format off

// ---- operands
template <> struct action<path>               : range_to<&Builder::path> {};
template <> struct action<plain_path>         : tell<&Builder::plain_path> {};
template <> struct action<method>             : range_to<&Builder::method> {};
template <> struct action<any>                : range_to<&Builder::any> {};
template <> struct action<number>             : range_to<&Builder::number> {};
template <> struct action<string_open>        : range_to<&Builder::open_string> {};
template <> struct action<string_body>        : range_to<&Builder::string> {};
template <> struct action<rest>               : range_to<&Builder::rest> {};
template <> struct action<spread>             : range_to<&Builder::spread> {};
template <> struct action<absent>             : tell<&Builder::absent> {};
template <> struct action<colon>              : range_to<&Builder::colon> {};
template <> struct action<slice_tail>         : tell<&Builder::slice> {};
template <> struct action<kind_name>          : range_to<&Builder::kind> {};
template <> struct action<annotation>         : tell<&Builder::annotate> {};
template <> struct action<tilde>              : tell<&Builder::tilde> {};
template <> struct action<member_path>        : range_to<&Builder::member_op> {};
template <> struct action<negative_member>    : range_to<&Builder::negative_member> {};

// ---- operators
template <> struct action<prefix>             : range_to<&Builder::prefix> {};
template <> struct action<infix>              : range_to<&Builder::infix> {};
template <> struct action<operators>          : tell<&Builder::end_expression> {};

// ---- brackets
template <> struct action<call_open>          : range_to<&Builder::open_call> {};
template <> struct action<call_close>         : range_to<&Builder::close_call> {};
template <> struct action<list_open>          : range_to<&Builder::open> {};
template <> struct action<list_close>         : range_to<&Builder::close_list> {};
template <> struct action<tuple_open>         : range_to<&Builder::open> {};
template <> struct action<tuple_close>        : range_to<&Builder::close_tuple> {};
template <> struct action<index_open>         : range_to<&Builder::open> {};
template <> struct action<index_close>        : range_to<&Builder::close_index> {};
template <> struct action<field_name>         : range_to<&Builder::field> {};
template <> struct action<set_open>           : range_to<&Builder::open> {};
template <> struct action<set_close>          : range_to<&Builder::close_set> {};
template <> struct action<callable_set>       : tell<&Builder::call_set> {};
template <> struct action<text_open>          : range_to<&Builder::open_text> {};
template <> struct action<text_body>          : range_to<&Builder::close_text> {};
template <char Q> struct action<text_piece<Q>> : range_to<&Builder::text_piece> {};
template <> struct action<text_hole_open>     : range_to<&Builder::open> {};
template <> struct action<text_hole_close>    : range_to<&Builder::close_hole> {};
template <> struct action<bind_at>            : range_to<&Builder::open> {};
template <> struct action<bind>               : tell<&Builder::close_bind> {};
template <> struct action<comma>              : tell<&Builder::comma> {};
template <> struct action<keyword_name>       : tell<&Builder::keyword> {};
template <> struct action<argument>           : tell<&Builder::argument> {};

// ---- right sides
template <> struct action<arrow>              : range_to<&Builder::arrow> {};
template <> struct action<message>            : tell<&Builder::message> {};
template <> struct action<error_result>       : range_to<&Builder::error_result> {};
template <> struct action<note_result>        : range_to<&Builder::note_result> {};
template <> struct action<keep_result>        : range_to<&Builder::keep_result> {};
template <> struct action<block_result>       : range_to<&Builder::block_result> {};
template <> struct action<term_result>        : range_to<&Builder::term_result> {};
template <> struct action<required_name>      : range_to<&Builder::name> {};
template <> struct action<keep_name>          : range_to<&Builder::name> {};
template <> struct action<binding_value>      : tell<&Builder::binding_value> {};
template <> struct action<binding_as>         : tell<&Builder::binding_as> {};
template <> struct action<condition>          : tell<&Builder::condition> {};
template <> struct action<otherwise>          : tell<&Builder::otherwise> {};
template <> struct action<alternative>        : range_to<&Builder::end_alternative> {};
template <> struct action<as_text>            : tell<&Builder::as_text> {};

// ---- items
template <> struct action<declared>           : range_to<&Builder::name> {};
template <> struct action<label>              : range_to<&Builder::label> {};
template <> struct action<pattern_root>       : tell<&Builder::pattern_root> {};
template <> struct action<root_binding>       : range_to<&Builder::root_binding> {};
template <> struct action<rule_head>          : range_to<&Builder::end_head> {};
template <> struct action<rule>               : tell<&Builder::rule> {};
template <> struct action<import_file>        : tell<&Builder::import_file> {};
template <> struct action<catalogue>          : tell<&Builder::catalogue> {};
template <> struct action<type_name>          : range_to<&Builder::type> {};
template <> struct action<param>              : tell<&Builder::param> {};
template <> struct action<set>                : tell<&Builder::set> {};
template <> struct action<phase_word>         : range_to<&Builder::phase_word> {};
template <> struct action<phase>              : tell<&Builder::phase> {};
template <> struct action<equation_name>      : range_to<&Builder::equation_name> {};
template <> struct action<right_side>         : tell<&Builder::right_side> {};
template <> struct action<error_body>         : tell<&Builder::error_body> {};
template <> struct action<equation_value>     : tell<&Builder::body> {};
template <> struct action<pattern_body>       : tell<&Builder::body> {};
template <> struct action<def>                : tell<&Builder::def> {};
template <> struct action<pattern>            : tell<&Builder::pattern> {};
template <> struct action<called_op>          : tell<&Builder::op_head> {};
template <> struct action<meta>               : tell<&Builder::meta> {};
template <> struct action<inverse_value>      : range_to<&Builder::inverse_value> {};
template <> struct action<inverse>            : tell<&Builder::inverse> {};

// ---- tests
template <> struct action<test_name>          : tell<&Builder::test_name> {};
template <> struct action<statement_name>     : range_to<&Builder::statement_name> {};
template <> struct action<placeholder>        : tell<&Builder::placeholder> {};
template <> struct action<buffer>             : tell<&Builder::buffer> {};
template <> struct action<node_value>         : tell<&Builder::node_value> {};
template <> struct action<metadata>           : range_to<&Builder::metadata> {};
template <> struct action<node>               : range_to<&Builder::statement> {};
template <> struct action<return_word>        : tell<&Builder::begin_return> {};
template <> struct action<return_value>       : tell<&Builder::return_value> {};
template <> struct action<return_comma>       : tell<&Builder::return_comma> {};
template <> struct action<returns>            : range_to<&Builder::returns> {};
template <> struct action<graph_name>         : range_to<&Builder::name> {};
template <> struct action<graph_open>         : range_to<&Builder::open_graph> {};
template <> struct action<graph_close>        : range_to<&Builder::close_graph> {};
template <> struct action<before>             : tell<&Builder::before> {};
template <> struct action<after>              : tell<&Builder::after> {};
template <> struct action<unchanged>          : tell<&Builder::unchanged> {};
template <> struct action<because>            : tell<&Builder::because> {};
template <> struct action<check>              : range_to<&Builder::check> {};
template <> struct action<test>               : tell<&Builder::test> {};

// clang-format on

}  // namespace fxrules::dsl::grammar
