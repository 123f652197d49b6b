#include "dsl/literals.hpp"

#include <charconv>
#include <cstdlib>
#include <limits>

#include "fxrules/dtype.hpp"

namespace fxrules::dsl {
namespace {

using program::Literal;

std::optional<std::int64_t> to_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> to_floating(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range)
    return std::strtod(std::string(text).c_str(), nullptr);  // inf, or 0, as Python has it
  return error == std::errc{} ? std::optional(value) : std::nullopt;
}

Literal spelled(ArgKind kind, std::string text) {
  Literal l;
  l.kind = kind;
  l.text = std::move(text);
  return l;
}

Literal floating(double value) {
  Literal l;
  l.kind = ArgKind::floating;
  l.floating = value;
  return l;
}

Literal integer(std::int64_t value) {
  Literal l;
  l.kind = ArgKind::integer;
  l.integer = value;
  return l;
}

// As Python prints it: `2j`, but `(1+2j)`.
std::string complex_text(std::string_view text) {
  const bool sum = text.find_first_of("+-", 1) != std::string_view::npos && text.front() != '(';
  std::string out;
  for (const char c : text) {
    if (c != ' ') out += c;
  }
  return sum ? "(" + out + ")" : out;
}

std::optional<Literal> constant(std::string_view text) {
  if (text.starts_with("torch.") && parse_dtype(text))
    return spelled(ArgKind::dtype, std::string(to_string(*parse_dtype(text))));
  for (const std::string_view layout : {"torch.strided", "torch.sparse_coo", "torch.sparse_csr", "torch.sparse_csc",
                                        "torch.sparse_bsr", "torch.sparse_bsc", "torch.jagged", "torch._mkldnn"}) {
    if (text == layout) return spelled(ArgKind::layout, std::string(text));
  }
  for (const std::string_view format :
       {"torch.contiguous_format", "torch.preserve_format", "torch.channels_last", "torch.channels_last_3d"}) {
    if (text == format) return spelled(ArgKind::memory_format, std::string(text));
  }
  if (text == "inf" || text == "math.inf" || text == "torch.inf")
    return floating(std::numeric_limits<double>::infinity());
  if (text == "nan" || text == "math.nan" || text == "torch.nan")
    return floating(std::numeric_limits<double>::quiet_NaN());
  return std::nullopt;
}

// torch.device("cuda"), torch.device("cuda", 1), torch.device("cuda:1")
std::optional<Literal> device_call(const Ast& ast, const Term& term) {
  const Callee& callee = ast.callees[term.callee];
  if (callee.text != "torch.device" || term.count == 0 || term.count > 2) return std::nullopt;
  std::string text;
  for (std::uint32_t i = 0; i < term.count; ++i) {
    const Term& argument = ast[ast.children[term.first + i]];
    if (argument.kind != TermKind::argument || argument.count != 1) return std::nullopt;
    const Term& value = ast[ast.children[argument.first]];
    if (i == 0 && value.kind == TermKind::string) {
      text = string_value(value.text);
    } else if (i == 1 && value.kind == TermKind::integer) {
      text += ":" + std::string(value.text);
    } else {
      return std::nullopt;
    }
  }
  return spelled(ArgKind::device, std::move(text));
}

}  // namespace

std::optional<Literal> literal_of(const Ast& ast, TermId id) {
  const Term& term = ast[id];
  switch (term.kind) {
    case TermKind::none:
      return Literal{};
    case TermKind::boolean: {
      Literal l = integer(term.text == "True" ? 1 : 0);
      l.kind = ArgKind::boolean;
      return l;
    }
    case TermKind::integer:
      if (const auto value = to_integer(term.text)) return integer(*value);
      return spelled(ArgKind::opaque, std::string(term.text));
    case TermKind::floating: {
      if (const auto value = to_floating(term.text)) return floating(*value);
      return constant(term.text);
    }
    case TermKind::complex:
      return spelled(ArgKind::complex, complex_text(term.text));
    case TermKind::string:
      return spelled(ArgKind::string, string_value(term.text));
    case TermKind::ellipsis: {
      Literal l;
      l.kind = ArgKind::ellipsis;
      return l;
    }
    case TermKind::unknown: {
      Literal l;
      l.unknown = true;
      return l;
    }
    case TermKind::constant:
    case TermKind::name:
      return constant(term.text);
    case TermKind::call:
      return device_call(ast, term);
    case TermKind::unary: {
      if (term.text != "-") return std::nullopt;
      auto inner = literal_of(ast, ast.children[term.first]);
      if (!inner || inner->unknown) return std::nullopt;
      if (inner->kind == ArgKind::integer) {
        inner->integer = -inner->integer;
        return inner;
      }
      if (inner->kind == ArgKind::floating) {
        inner->floating = -inner->floating;
        return inner;
      }
      if (inner->kind == ArgKind::opaque && inner->text == "9223372036854775808")
        return integer(std::numeric_limits<std::int64_t>::min());
      return std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

std::optional<Literal> literal_of_option(std::string_view type, std::string_view text) {
  if (type == "str") {
    if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front())
      return spelled(ArgKind::string, string_value(text));
    return spelled(ArgKind::string, std::string(text));
  }
  if (type == "bool") {
    const bool yes = text == "True" || text == "true" || text == "1";
    if (!yes && text != "False" && text != "false" && text != "0") return std::nullopt;
    Literal l = integer(yes ? 1 : 0);
    l.kind = ArgKind::boolean;
    return l;
  }
  if (type == "int") {
    const auto value = to_integer(text);
    return value ? std::optional(integer(*value)) : std::nullopt;
  }
  if (type == "float") {
    const auto value = to_floating(text);
    return value ? std::optional(floating(*value)) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace fxrules::dsl
