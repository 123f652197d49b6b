// Actions of the signature grammar: each type fills `type`, each argument or result takes it from there.
#include "engine/catalogue/signature.hpp"

#include <array>
#include <charconv>
#include <utility>

#include "engine/catalogue/signature_grammar.hpp"

namespace fxrules::catalogue {
namespace {

// The type and the annotation that were read last.
struct TypeInProgress {
  SchemaType type;
  std::string_view alias;
  std::string_view when;
  bool writes = false;
};

struct Builder {
  Overload& overload;
  TypeInProgress current;
  SchemaArgument argument;
  std::string_view return_name;
  bool keyword_only = false;
};

TypeKind kind_of(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, TypeKind>, 18> kinds{{
      {"Tensor", TypeKind::tensor},
      {"Scalar", TypeKind::number},
      {"int", TypeKind::integer},
      {"SymInt", TypeKind::integer},
      {"float", TypeKind::floating},
      {"SymFloat", TypeKind::floating},
      {"bool", TypeKind::boolean},
      {"SymBool", TypeKind::boolean},
      {"str", TypeKind::string},
      {"ScalarType", TypeKind::dtype},
      {"Device", TypeKind::device},
      {"Layout", TypeKind::layout},
      {"MemoryFormat", TypeKind::memory_format},
      {"Generator", TypeKind::generator},
      {"Dimname", TypeKind::dimname},
      {"number", TypeKind::number},
      {"complex", TypeKind::number},
      {"DeviceIndex", TypeKind::integer},
  }};
  for (const auto& [text, kind] : kinds) {
    if (text == name) return kind;
  }
  return TypeKind::any;
}

template <typename Input>
std::string_view text_of(const Input& input) {
  return {input.begin(), input.size()};
}

template <typename Rule>
struct action : tao::pegtl::nothing<Rule> {};

template <>
struct action<grammar::base_type> {
  template <typename Input>
  static void apply(const Input& input, Builder& builder) {
    builder.current = {};
    builder.current.type.kind = kind_of(text_of(input));
  }
};

template <>
struct action<grammar::alias_set> {
  template <typename Input>
  static void apply(const Input& input, Builder& builder) {
    const std::string_view sets = text_of(input);  // "b|a": fresh, or one of set a
    builder.current.alias = sets.substr(sets.rfind('|') + 1);
  }
};

template <>
struct action<grammar::writes_mark> {
  static void apply0(Builder& builder) { builder.current.writes = true; }
};

template <>
struct action<grammar::condition> {
  template <typename Input>
  static void apply(const Input& input, Builder& builder) {
    builder.current.when = text_of(input);
  }
};

template <>
struct action<grammar::optional_mark> {
  static void apply0(Builder& builder) { builder.current.type.optional = true; }
};

template <>
struct action<grammar::list_length> {
  template <typename Input>
  static void apply(const Input& input, Builder& builder) {
    std::from_chars(input.begin(), input.end(), builder.current.type.fixed_length);
  }
};

template <>
struct action<grammar::list_mark> {
  static void apply0(Builder& builder) {
    SchemaType& type = builder.current.type;
    if (type.list) type = {TypeKind::any};  // lists of lists have no kind of their own
    type.list = true;
    type.optional_elements = std::exchange(type.optional, false);
  }
};

template <>
struct action<grammar::variadic_mark> {
  static void apply0(Builder& builder) { builder.argument.variadic = true; }
};

template <>
struct action<grammar::argument_name> {
  template <typename Input>
  static void apply(const Input& input, Builder& builder) {
    builder.argument.name = text_of(input);
  }
};

template <>
struct action<grammar::role_name> {
  template <typename Input>
  static void apply(const Input& input, Builder& builder) {
    builder.argument.role = text_of(input);
  }
};

template <>
struct action<grammar::default_value> {
  template <typename Input>
  static void apply(const Input& input, Builder& builder) {
    builder.argument.has_default = true;
    builder.argument.default_text = text_of(input);
  }
};

template <>
struct action<grammar::keyword_marker> {
  static void apply0(Builder& builder) { builder.keyword_only = true; }
};

template <>
struct action<grammar::argument> {
  static void apply0(Builder& builder) {
    SchemaArgument argument = std::exchange(builder.argument, {});
    const TypeInProgress& current = builder.current;
    argument.type = current.type;
    argument.alias = current.alias;
    argument.writes = current.writes;
    (current.writes ? argument.writes_when : argument.alias_when) = current.when;
    argument.keyword_only = builder.keyword_only;
    builder.keyword_only |= argument.variadic;
    builder.overload.arguments.push_back(argument);
  }
};

template <>
struct action<grammar::return_name> {
  template <typename Input>
  static void apply(const Input& input, Builder& builder) {
    builder.return_name = text_of(input);
  }
};

template <>
struct action<grammar::one_return> {
  static void apply0(Builder& builder) {
    const TypeInProgress& current = builder.current;
    builder.overload.returns.push_back(
        {std::exchange(builder.return_name, {}), current.type, current.alias, current.writes});
  }
};

}  // namespace

std::optional<SignatureError> parse_signature(std::string_view text, Overload& overload) {
  namespace pegtl = tao::pegtl;
  pegtl::memory_input<> input(text.data(), text.data() + text.size(), "");
  Builder builder{overload, {}, {}, {}, false};
  try {
    pegtl::parse<grammar::signature, action, grammar::control>(input, builder);
  } catch (const pegtl::parse_error& error) {
    return SignatureError{error.positions().front().byte, std::string(error.message())};
  }
  return std::nullopt;
}

}  // namespace fxrules::catalogue
