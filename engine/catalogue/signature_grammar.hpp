// The grammar of torch's schema notation, from "(" to the end of the returns, with what this project adds:
//
//   (Tensor(a! when inplace=True) input, bool training:train=True, Tensor[] *tensors, *, float p=0.5) -> Tensor(a!)
//
// `when NAME=VALUE` (also `!=`, and `V1|V2`) conditions an alias annotation, `name:role` gives the name
// that the op's schemas use, `*name` takes the remaining positional arguments. Nothing nests, so parsing
// needs no stack.
#pragma once

#include <tao/pegtl.hpp>

namespace fxrules::catalogue::grammar {

using namespace tao::pegtl;  // NOLINT: the grammar reads as a grammar

struct gap : star<blank> {};
struct comma : seq<gap, one<','>, gap> {};

struct quoted_text : seq<one<'"'>, until<one<'"'>, sor<seq<one<'\\'>, any>, any>>> {};
struct list_text : seq<one<'['>, star<not_one<'[', ']'>>, one<']'>> {};
struct bare_text : plus<not_one<',', ')', '(', '[', ']', '"', ' '>> {};
struct default_value : sor<quoted_text, list_text, bare_text> {};

struct condition_value : plus<sor<alnum, one<'_', '.', '-', '|'>>> {};
struct condition : seq<identifier, sor<string<'!', '='>, one<'='>>, condition_value> {};

struct alias_set : list<identifier, one<'|'>> {};
struct writes_mark : one<'!'> {};
struct alias_after : seq<gap, string<'-', '>'>, gap, sor<one<'*'>, identifier>> {};
struct alias_when : seq<plus<blank>, string<'w', 'h', 'e', 'n'>, plus<blank>, must<condition>> {};
struct close_alias : one<')'> {};
struct alias : seq<one<'('>, alias_set, opt<writes_mark>, opt<alias_after>, opt<alias_when>, must<close_alias>> {};

// `Dict(Tensor, Tensor)` is a type of its own, not an annotated one.
struct base_type : sor<seq<string<'D', 'i', 'c', 't', '('>, until<one<')'>>>, list<identifier, one<'.'>>> {};
struct optional_mark : one<'?'> {};
struct list_length : plus<digit> {};
struct list_mark : seq<one<'['>, opt<list_length>, one<']'>> {};
// `Tensor(a!)[]` and, in ops that Python registers, `Tensor[](a!)`.
struct type : seq<base_type, opt<alias>, star<sor<optional_mark, list_mark>>, opt<alias>> {};

struct variadic_mark : one<'*'> {};
struct argument_name : identifier {};
struct role_name : identifier {};
struct role : seq<one<':'>, must<role_name>> {};
struct argument_default : seq<one<'='>, must<default_value>> {};
struct ellipsis : string<'.', '.', '.'> {};
struct keyword_marker : seq<one<'*'>, at<gap, one<','>>> {};
struct argument : seq<type, plus<blank>, opt<variadic_mark>, must<argument_name>, opt<role>, opt<argument_default>> {};
struct named_argument : must<argument> {};
struct parameter : sor<ellipsis, keyword_marker, named_argument> {};
struct close_arguments : one<')'> {};
struct arguments : sor<one<')'>, seq<list<parameter, comma>, must<close_arguments>>> {};

struct return_name : identifier {};
struct one_return : seq<type, opt<plus<blank>, return_name>> {};
struct close_returns : one<')'> {};
struct return_tuple : seq<one<'('>, gap, sor<one<')'>, seq<list<one_return, comma>, must<close_returns>>>> {};
struct returns : sor<return_tuple, one_return> {};

struct open : one<'('> {};
struct arrow : string<'-', '>'> {};
struct end : eof {};
struct signature : seq<must<open>, gap, arguments, gap, must<arrow>, gap, must<returns>, gap, must<end>> {};

// All messages of this grammar. A rule with a message raises it wherever it fails, so such a rule stands
// where nothing else can.
template <typename Rule>
inline constexpr const char* message = nullptr;
template <>
inline constexpr auto message<condition> = "expected a condition as `inplace=True`";
template <>
inline constexpr auto message<close_alias> = "expected `)` after the alias annotation";
template <>
inline constexpr auto message<role_name> = "expected the role's name after `:`";
template <>
inline constexpr auto message<argument_name> = "expected the argument's name after its type";
template <>
inline constexpr auto message<default_value> = "expected a default after `=`";
template <>
inline constexpr auto message<argument> = "expected an argument as `Tensor self`";
template <>
inline constexpr auto message<close_arguments> = "expected `,` or `)` after the argument";
template <>
inline constexpr auto message<close_returns> = "expected `,` or `)` after the result";
template <>
inline constexpr auto message<open> = "expected `(`";
template <>
inline constexpr auto message<arrow> = "expected `->` and the results";
template <>
inline constexpr auto message<returns> = "expected a result type, or `()` for none";
template <>
inline constexpr auto message<end> = "expected the end of the line or ` | ` and facts";

struct messages {
  template <typename Rule>
  static constexpr const char* message = grammar::message<Rule>;
};
template <typename Rule>
using control = must_if<messages>::control<Rule>;

}  // namespace fxrules::catalogue::grammar
