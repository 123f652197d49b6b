#include "formats/code/callee.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "formats/text_ir/atoms.hpp"

namespace fxrules::code {
namespace {

using text_ir::is_digit;
using text_ir::is_identifier;
using text_ir::is_letter;
using text_ir::is_name;
using text_ir::trimmed;

constexpr std::size_t kNowhere = std::string_view::npos;

// Sorted.
constexpr std::string_view kFunctions[] = {
    "abs",      "all",   "any",        "ascii",      "bin",     "bool",    "bytearray", "bytes",
    "callable", "chr",   "complex",    "delattr",    "dict",    "dir",     "divmod",    "enumerate",
    "filter",   "float", "format",     "frozenset",  "getattr", "hasattr", "hash",      "hex",
    "id",       "int",   "isinstance", "issubclass", "iter",    "len",     "list",      "map",
    "max",      "min",   "next",       "object",     "oct",     "ord",     "pow",       "print",
    "range",    "repr",  "reversed",   "round",      "set",     "setattr", "slice",     "sorted",
    "str",      "sum",   "super",      "tuple",      "type",    "vars",    "zip"};

// Prefixes whose dots are known, because what follows them is one name.
struct Prefix {
  std::string_view mangled, qualified;
};
constexpr Prefix kPrefixes[] = {
    {"_operator_", "operator."}, {"math_", "math."}, {"torch_Tensor_", "torch.Tensor."}, {"builtins_", "builtins."}};

std::string_view word(std::string_view& text) {
  text = trimmed(text);
  const std::size_t end = std::min(text.find_first_of(" \t,"), text.size());
  const std::string_view out = text.substr(0, end);
  text.remove_prefix(end);
  text = trimmed(text);
  return out;
}

}  // namespace

// ---------------------------------------------------------------- imports

void Imports::read(std::string_view text) {
  for (std::size_t at = text.find("import "); at != kNowhere; at = text.find("import ", at)) {
    const std::size_t back = text.rfind('\n', at);
    const std::size_t begin = back == kNowhere ? 0 : back + 1;
    const std::size_t end = std::min(text.find('\n', at), text.size());
    line(trimmed(text.substr(begin, end - begin)));
    at = end;
  }
}

void Imports::line(std::string_view line) {
  std::string module;
  if (line.starts_with("from ")) {
    line.remove_prefix(5);
    module = word(line);
    if (!is_dotted_path(module)) return;
  }
  if (word(line) != "import") return;
  while (!line.empty()) {
    const std::string_view name = word(line);
    if (!is_dotted_path(name)) return;
    std::string_view local = name;
    if (line.starts_with("as ")) {
      line.remove_prefix(3);
      local = word(line);
    } else if (module.empty()) {
      local = name.substr(0, name.find('.'));
    }
    if (!is_identifier(local)) return;
    const std::string_view bound =
        module.empty() && local.size() < name.size() && name.starts_with(local) ? local : name;
    names_[local] = module.empty() ? std::string(bound) : fmt::format("{}.{}", module, name);
    if (!line.starts_with(',')) return;
    line.remove_prefix(1);
  }
}

std::optional<std::string_view> Imports::find(std::string_view local) const {
  const auto found = names_.find(local);
  if (found == names_.end()) return std::nullopt;
  return found->second;
}

// ---------------------------------------------------------------- reading

bool is_builtin_function(std::string_view name) {
  return std::binary_search(std::begin(kFunctions), std::end(kFunctions), name);
}

bool is_dotted_path(std::string_view text) {
  while (true) {
    const std::size_t dot = std::min(text.find('.'), text.size());
    if (!is_identifier(text.substr(0, dot))) return false;
    if (dot == text.size()) return true;
    text.remove_prefix(dot + 1);
  }
}

std::string target_of_identifier(std::string_view identifier, const Imports& imports) {
  if (const auto bound = imports.find(identifier)) {
    constexpr std::string_view kOperator = "_operator.";
    return bound->starts_with(kOperator) ? std::string(bound->substr(1)) : std::string(*bound);
  }
  if (is_builtin_function(identifier)) return fmt::format("builtins.{}", identifier);
  for (const Prefix& p : kPrefixes) {
    if (identifier.starts_with(p.mangled) && identifier.size() > p.mangled.size())
      return fmt::format("{}{}", p.qualified, identifier.substr(p.mangled.size()));
  }
  return std::string(identifier);
}

std::string target_of_path(std::string_view path, const Imports& imports) {
  const std::size_t dot = path.find('.');
  const auto bound = imports.find(path.substr(0, dot));
  std::string target = bound ? fmt::format("{}{}", *bound, path.substr(dot)) : std::string(path);
  return target.starts_with("_operator.") ? target.substr(1) : target;
}

// ---------------------------------------------------------------- writing

namespace {

bool keeps_its_name(std::string_view target) {
  if (!target.starts_with("torch.")) return false;
  for (const std::string_view other : {"torch._dynamo.", "torch._inductor.", "torch.Tensor."}) {
    if (target.starts_with(other)) return false;
  }
  return is_dotted_path(target);
}

}  // namespace

std::string callee_of(std::string_view target) {
  if (keeps_its_name(target) || is_identifier(target)) return std::string(target);
  constexpr std::string_view kBuiltins = "builtins.";
  if (target.starts_with(kBuiltins) && is_builtin_function(target.substr(kBuiltins.size())))
    return std::string(target.substr(kBuiltins.size()));
  std::string out;
  if (target.starts_with("operator.")) out += '_';
  bool illegal = false;  // a run of illegal characters is one `_`
  for (const char c : target) {
    if (is_name(c)) {
      out += c;
    } else if (!illegal) {
      out += '_';
    }
    illegal = !is_name(c);
  }
  if (out.empty() || is_digit(out[0])) out.insert(out.begin(), '_');
  return out;
}

bool needs_import(std::string_view target) {
  return !keeps_its_name(target) && !(target.starts_with("builtins.") && is_builtin_function(target.substr(9)));
}

std::string type_of_annotation(std::string_view annotation) {
  std::string out;
  for (std::size_t at = 0; at < annotation.size();) {
    if (!is_letter(annotation[at])) {
      out += annotation[at++];
      continue;
    }
    std::size_t end = at;
    while (end < annotation.size() && (is_name(annotation[end]) || annotation[end] == '.')) ++end;
    const std::string_view name = annotation.substr(at, end - at);
    constexpr std::string_view kTyping = "typing_";
    out += name.starts_with(kTyping) ? fmt::format("typing.{}", name.substr(kTyping.size())) : std::string(name);
    at = end;
  }
  return out;
}

std::string annotation_of_type(std::string_view type) {
  std::string out;
  for (std::size_t at = 0; at < type.size();) {
    if (!is_letter(type[at])) {
      if (!(type[at] == ' ' && at > 0 && type[at - 1] == ',')) out += type[at];
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < type.size() && (is_name(type[end]) || type[end] == '.')) ++end;
    const std::string_view name = type.substr(at, end - at);
    out += name.find('.') == kNowhere ? std::string(name) : callee_of(name);
    at = end;
  }
  return out;
}

}  // namespace fxrules::code
