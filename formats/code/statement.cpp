// The common statement costs one pass; what is unusual about it shows at one character.
#include "formats/code/statement.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "formats/text_ir/atoms.hpp"

namespace fxrules::code {
namespace {

using text_ir::is_digit;
using text_ir::is_identifier;
using text_ir::is_letter;
using text_ir::trimmed;

constexpr std::size_t kNowhere = std::string_view::npos;

std::string_view shown(std::string_view name) { return name.substr(0, 100); }

bool is_closing(char c) { return c == ')' || c == ']' || c == '}'; }

}  // namespace

std::size_t StatementReader::fail(std::string_view kind, std::string message, std::size_t begin, std::size_t end,
                                  std::string hint) {
  problem_ = {std::string(kind), std::move(message), std::move(hint), begin, std::max(begin, end)};
  return kFailed;
}

std::size_t StatementReader::fail_values() {
  problem_ = values_.problem();
  return kFailed;
}

std::size_t StatementReader::fail_duplicate() {
  return fail("duplicate-node", fmt::format("`{}` is defined twice", shown(name_)), name_at_, name_at_ + name_.size(),
              "names of nodes are unique: FX numbers them");
}

// What was collected belongs to no node.
void StatementReader::forget() {
  builder_.reset();
  builder_.emplace(graph_);
}

bool StatementReader::at_line_end(std::size_t at) const {
  return at >= text_.size() || text_[at] == '\n' || text_[at] == '\r' || text_[at] == '#';
}

// ---------------------------------------------------------------- annotations

// Where an annotation without quotes ends: at one of the stops that no bracket encloses.
std::size_t StatementReader::end_of_annotation(std::size_t at, std::string_view stops) const {
  std::size_t depth = 0;
  for (; at < text_.size() && text_[at] != '\n'; ++at) {
    const char c = text_[at];
    if (depth == 0 && stops.find(c) != kNowhere) break;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (is_closing(c) && depth > 0) --depth;
  }
  return at;
}

Annotation StatementReader::annotation(std::size_t at, std::string_view stops) {
  Annotation out;
  out.end = at;
  std::size_t p = skip(at);
  if (p >= text_.size() || text_[p] != ':' || (p + 1 < text_.size() && text_[p + 1] == '=')) return out;
  p = skip(p + 1);
  const bool quoted = p < text_.size() && (text_[p] == '"' || text_[p] == '\'');
  const std::size_t end = quoted ? values_.end_of_string(p) : end_of_annotation(p, stops);
  if (end == kFailed || trimmed(text_.substr(p, end - p)).empty()) {
    const std::size_t stop = std::min(text_.find('\n', p), text_.size());
    out.end = end == kFailed ? fail("truncated-line", "the line ends inside an annotation", stop, stop)
                             : fail("malformed-line", "expected an annotation behind `:`", p, p + 1);
    return out;
  }
  const std::string_view text = trimmed(quoted ? text_.substr(p + 1, end - p - 2) : text_.substr(p, end - p));
  out.end = end;
  const bool meta = quoted || text.starts_with("Sym(") || text.find('[') != kNowhere;
  if (meta) out.meta = meta_of(text);
  if (out.meta.valid()) {
    style_.metadata = true;
    style_.quoted = quoted;
  } else if (quoted) {
    out.type = graph_.symbols().intern(fmt::format("Tensor \"{}\"", text));
    style_.metadata = true;
  } else {
    out.type = graph_.symbols().intern(type_of_annotation(text));
  }
  return out;
}

// None where the text would not be printed again as it is.
MetaId StatementReader::meta_of(std::string_view text) {
  const auto [at, fresh] = metas_.try_emplace(text);
  if (!fresh) return at->second;
  const auto meta = graph_.metas().parse(text);
  if (meta && graph_.metas().text(*meta) == text) {
    at->second = *meta;
    const TensorMeta* tensor = graph_.metas().tensor_of(*meta);
    if (tensor != nullptr && tensor->shape) {
      style_.strides = tensor->strides.has_value();
      style_.devices = tensor->device.valid();
    }
  }
  return at->second;
}

// ---------------------------------------------------------------- statements

std::size_t StatementReader::read(std::size_t at) {
  name_at_ = at;
  const std::size_t end = values_.end_of_name(at);
  name_ = text_.substr(at, end - at);
  annotation_ = {};
  annotation_.end = end;
  const char c = end < text_.size() ? text_[end] : '\n';
  std::size_t p = kFailed;
  if (name_.empty() || is_digit(name_[0])) {
    fail("malformed-line", "a statement starts with the name of its node", at, at + 1);
  } else if (c == '[') {
    p = in_place(at, end, nullptr);
  } else {
    p = skip(end);
    const std::string_view rest = text_.substr(p, 4);
    if (const Operator* op = rest.starts_with("==") ? nullptr : in_place_at(rest)) {
      p = in_place(at, end, op);
    } else {
      if (rest.starts_with(':')) annotation_ = annotation(end, "=");
      p = annotation_.end == kFailed ? kFailed : skip(annotation_.end);
      if (p != kFailed) p = right_side(p);
    }
  }
  if (p == kFailed) forget();
  return p;
}

// From the `=` on.
std::size_t StatementReader::right_side(std::size_t at) {
  if (at >= text_.size() || text_[at] != '=') {
    if (at_line_end(at)) return fail("truncated-line", "the line ends behind a name", at, at);
    const bool call = text_[at] == '.' || text_[at] == '(';
    return fail("malformed-line", fmt::format("expected ` = ` behind `{}`", shown(name_)), at, at + 1,
                call ? "each node has a name: `add_ = x.add_(y)`" : "");
  }
  at = skip(at + 1);
  if (at_line_end(at)) return fail("truncated-line", "the line ends behind `=`", at, at);
  const NodeId defined = graph_.find(name_);
  if (defined.valid()) {
    const std::size_t end = free_chain(name_at_);
    if (end != kFailed) return line_tail(end);
    return fail_duplicate();
  }
  const char c = text_[at];
  if (is_letter(c)) {
    const std::size_t end = values_.end_of_name(at);
    const char next = end < text_.size() ? text_[end] : '\n';
    const std::string_view word = text_.substr(at, end - at);
    if (word == "self" || (word == "getattr" && text_.substr(end).starts_with("(self")) ||
        (word == "getattr" && text_.substr(end).starts_with("(getattr(")))
      at = module_path(at);
    else if (next == '(')
      at = called_name(at, end);
    else if (next == '.')
      at = path(at, end);
    else
      at = operand(at);
  } else if (unary_at(c) != nullptr) {
    at = unary(at);
  } else {
    at = operand(at);
  }
  return at == kFailed ? kFailed : finish(at);
}

std::size_t StatementReader::unary(std::size_t at) {
  const std::size_t inner = at + 1;
  if (text_[at] == '-' && inner < text_.size() && (is_digit(text_[inner]) || is_letter(text_[inner]))) {
    // `-5 - x` begins with a number, `-5` alone is a negation.
    std::size_t end = inner;
    while (end < text_.size() && text_[end] != ' ' && text_[end] != ';' && text_[end] != '\n') ++end;
    const bool number = is_digit(text_[inner]) || text_.substr(inner, end - inner) == "inf";
    if (number && text_.substr(end).starts_with(" ") && binary_at(text_.substr(end + 1)) != nullptr) return operand(at);
  }
  target(Opcode::call_function, operator_target(unary_at(text_[at])->function));
  at = values_.value(*builder_, inner);
  return at == kFailed ? fail_values() : at;
}

std::size_t StatementReader::operand(std::size_t at) {
  const std::size_t begin = at;
  at = values_.value(*builder_, at);
  if (at == kFailed) return fail_values();
  const std::size_t end = behind_operand(at);
  if (end != kFailed || !problem_.kind.empty()) return end;
  const std::string_view value = text_.substr(begin, at - begin);
  if (scope_.find(value).valid()) {
    return fail("malformed-line", fmt::format("`{}` would be a second name of `{}`", shown(name_), shown(value)),
                name_at_, at, "only an input has a second name, and it is given before the other statements");
  }
  return fail("malformed-line", "this statement is no call, operator or attribute", begin, at);
}

// The operator, index or method behind a first value; kFailed without a problem where there is none.
std::size_t StatementReader::behind_operand(std::size_t at) {
  problem_ = {};
  if (at < text_.size() && text_[at] == '[') {
    target(Opcode::call_function, operator_target("getitem"));
    at = values_.index(*builder_, at + 1);
    return at == kFailed ? fail_values() : at;
  }
  if (at < text_.size() && text_[at] == '.') return method(at);
  const std::size_t p = skip(at);
  const Operator* op = p < text_.size() ? binary_at(text_.substr(p, 2)) : nullptr;
  if (op == nullptr) return kFailed;
  target(Opcode::call_function, operator_target(op->function));
  at = values_.value(*builder_, skip(p + op->token.size()));
  return at == kFailed ? fail_values() : at;
}

// `.name(args)` behind a value that stands in the builder.
std::size_t StatementReader::method(std::size_t dot) {
  const std::size_t end = values_.end_of_name(dot + 1);
  if (end == dot + 1) return fail("malformed-line", "expected a name behind `.`", dot, dot + 1);
  const SymbolId name = graph_.symbols().intern(text_.substr(dot + 1, end - dot - 1));
  if (end < text_.size() && text_[end] == '(') {
    target(Opcode::call_method, name);
    const std::size_t close = values_.arguments(*builder_, end + 1);
    return close == kFailed ? fail_values() : close;
  }
  target(Opcode::call_function, operator_target("getattr"));
  builder_->spelled(ArgKind::string, graph_.text(name));
  return end;
}

bool StatementReader::node_operand(std::size_t at, std::string_view name) {
  const NodeId node = scope_.find(name);
  if (!node.valid()) return false;
  if (scope_.is_freed(node)) {
    fail("freed-name", fmt::format("`{}` was set to None before this use", shown(name)), at, at + name.size());
  } else {
    builder_->node(node);
  }
  return true;
}

// `f(args)` of a name without dots.
std::size_t StatementReader::called_name(std::size_t at, std::size_t end) {
  const std::string_view name = text_.substr(at, end - at);
  if (!is_builtin_function(name) && scope_.find(name).valid()) {
    return fail("malformed-line", fmt::format("`{}` is a value, and values are not called", shown(name)), at, end);
  }
  auto [found, fresh] = callees_.try_emplace(name);
  if (fresh) found->second = graph_.symbols().intern(target_of_identifier(name, imports_));
  target(Opcode::call_function, found->second);
  const std::size_t close = values_.arguments(*builder_, end + 1);
  return close == kFailed ? fail_values() : close;
}

// A dotted path: a method or attribute of a value, or a function of a module.
std::size_t StatementReader::path(std::size_t at, std::size_t end) {
  const std::string_view root = text_.substr(at, end - at);
  problem_ = {};
  if (node_operand(at, root)) {
    if (!problem_.kind.empty()) return kFailed;
    return method(end);
  }
  std::size_t last = end;
  while (last < text_.size() && text_[last] == '.') {
    const std::size_t next = values_.end_of_name(last + 1);
    if (next == last + 1) return fail("malformed-line", "expected a name behind `.`", last, last + 1);
    last = next;
  }
  const std::string_view path = text_.substr(at, last - at);
  if (last >= text_.size() || text_[last] != '(') return operand(at);
  const bool torch = root == "torch";
  if (!torch && !imports_.find(root)) {
    values_.unknown().push_back({at, root.size()});
    builder_->none();
  }
  SymbolId symbol;
  if (torch) {
    symbol = graph_.symbols().intern(path);
  } else {
    auto [found, fresh] = callees_.try_emplace(path);
    if (fresh) found->second = graph_.symbols().intern(target_of_path(path, imports_));
    symbol = found->second;
  }
  target(Opcode::call_function, symbol);
  const std::size_t close = values_.arguments(*builder_, last + 1);
  return close == kFailed ? fail_values() : close;
}

// `self.a.b` and `getattr(self.layers, "0").conv`: a path of attributes of the module, called or not.
std::size_t StatementReader::module_path(std::size_t at) {
  const std::size_t begin = at;
  std::size_t depth = 0;
  constexpr std::string_view kGetattr = "getattr(";
  while (text_.substr(at).starts_with(kGetattr)) {
    at += kGetattr.size();
    ++depth;
  }
  std::string target_path;
  if (values_.end_of_name(at) != at + 4 || text_.substr(at, 4) != "self")
    return called_name(begin, begin + kGetattr.size() - 1);
  at += 4;
  bool called = false;
  while (at < text_.size()) {
    if (text_[at] == '.') {
      const std::size_t end = values_.end_of_name(at + 1);
      if (end == at + 1) return fail("malformed-line", "expected a name behind `.`", at, at + 1);
      if (!target_path.empty()) target_path += '.';
      target_path += text_.substr(at + 1, end - at - 1);
      at = end;
    } else if (depth > 0 && text_.substr(at).starts_with(", ")) {
      at += 2;
      const bool quoted = at < text_.size() && (text_[at] == '"' || text_[at] == '\'');
      const std::size_t end = quoted ? values_.end_of_string(at) : kFailed;
      if (end == kFailed || end >= text_.size() || text_[end] != ')')
        return fail("malformed-line", "expected a quoted name and `)`", at, at + 1);
      if (!target_path.empty()) target_path += '.';
      target_path += text_.substr(at + 1, end - at - 2);
      at = end + 1;
      --depth;
    } else {
      called = text_[at] == '(' && depth == 0;
      break;
    }
  }
  if (depth > 0) {
    problem_ = {"unbalanced-bracket",
                "expected `, ` and the name of an attribute",
                "",
                at,
                at + 1,
                "this bracket is not closed",
                begin + 7};
    return kFailed;
  }
  if (target_path.empty())
    return fail("malformed-line", "the module itself is no value", begin, at, "attributes are read as `self.weight`");
  target(called ? Opcode::call_module : Opcode::get_attr, graph_.symbols().intern(target_path));
  if (!called) return at;
  const std::size_t close = values_.arguments(*builder_, at + 1);
  return close == kFailed ? fail_values() : close;
}

// ---------------------------------------------------------------- in place

// The value that a statement writes to.
bool StatementReader::written_operand(std::size_t at, std::string_view name) {
  problem_ = {};
  if (!node_operand(at, name)) {
    values_.unknown().push_back({at, name.size()});
    builder_->none();
  }
  return problem_.kind.empty();
}

// `x += y;  iadd = x`; without operator `x[i] = y;  setitem = x`.
std::size_t StatementReader::in_place(std::size_t at, std::size_t end, const Operator* op) {
  const std::string_view first = text_.substr(at, end - at);
  if (!written_operand(at, first)) return kFailed;
  target(Opcode::call_function, operator_target(op == nullptr ? "setitem" : op->function));
  std::size_t p = op == nullptr ? set_index(end) : skip(end) + op->token.size();
  if (p == kFailed) return kFailed;
  p = values_.value(*builder_, skip(p));
  return p == kFailed ? fail_values() : behind_in_place(p, first);
}

// `[i] =`
std::size_t StatementReader::set_index(std::size_t open) {
  std::size_t p = values_.index(*builder_, open + 1);
  if (p == kFailed) return fail_values();
  p = skip(p);
  if (p < text_.size() && text_[p] == '=') return p + 1;
  return fail(at_line_end(p) ? "truncated-line" : "malformed-line", "expected ` = ` behind the index", p,
              at_line_end(p) ? p : p + 1);
}

std::size_t StatementReader::behind_in_place(std::size_t at, std::string_view first) {
  const std::size_t p = skip(at);
  if (p >= text_.size() || text_[p] != ';')
    return fail(at_line_end(p) ? "truncated-line" : "malformed-line",
                fmt::format("expected `;  NAME = {}`, which names the node", shown(first)), p,
                at_line_end(p) ? p : p + 1);
  name_at_ = skip(p + 1);
  const std::size_t end = values_.end_of_name(name_at_);
  name_ = text_.substr(name_at_, end - name_at_);
  annotation_ = annotation(end, "=");
  if (annotation_.end == kFailed) return kFailed;
  std::size_t q = skip(annotation_.end);
  const bool assigned = q < text_.size() && text_[q] == '=' && is_identifier(name_);
  if (assigned) q = skip(q + 1);
  const std::size_t last = values_.end_of_name(q);
  if (!assigned || text_.substr(q, last - q) != first)
    return fail("malformed-line", fmt::format("expected `NAME = {}`, which names the node", shown(first)), name_at_,
                std::max(last, name_at_ + 1));
  return finish(last);
}

// ---------------------------------------------------------------- the node

std::size_t StatementReader::finish(std::size_t at) {
  // The line must be right before there is a node.
  const SymbolId name = graph_.symbols().intern(name_);
  if (graph_.find(name).valid()) return fail_duplicate();
  std::size_t p = skip(at);
  if (!at_line_end(p) && text_[p] != ';') {
    return fail(is_closing(text_[p]) ? "unbalanced-bracket" : "malformed-line",
                is_closing(text_[p]) ? fmt::format("`{}` has no partner", text_[p])
                                     : std::string("text behind the end of the statement"),
                p, p + 1);
  }
  last_ = builder_->create(opcode_, target_, name);
  graph_.set_meta(last_, annotation_.meta);
  if (annotation_.type.valid()) graph_.set_type(last_, annotation_.type);
  if (p < text_.size() && text_[p] == ';') p = deletions(p);
  return p == kFailed ? kFailed : line_tail(p);
}

// `;  x = y = None`
std::size_t StatementReader::deletions(std::size_t at) {
  const std::size_t begin = skip(at + 1);
  if (at_line_end(begin)) return begin;
  const std::size_t end = free_chain(begin);
  if (end == kFailed)
    return fail("malformed-line", "expected names that are set to None behind `;`", begin, begin + 1,
                "values are freed as `;  x = y = None`");
  return end;
}

// `x = y = None`, all of them nodes; kFailed: something else, and `problem_` is not touched.
std::size_t StatementReader::free_chain(std::size_t at) {
  const std::size_t begin = at;
  std::size_t count = 0;
  while (true) {
    const std::size_t end = values_.end_of_name(at);
    const std::string_view name = text_.substr(at, end - at);
    if (name == "None" && count > 0) {
      at = end;
      break;
    }
    const std::size_t p = skip(end);
    if (!is_identifier(name) || p >= text_.size() || text_[p] != '=') return kFailed;
    ++count;
    at = skip(p + 1);
  }
  for (std::size_t p = begin; count > 0; --count) {
    const std::size_t end = values_.end_of_name(p);
    const std::string_view name = text_.substr(p, end - p);
    const NodeId node = scope_.find(name);
    if (node.valid()) {
      scope_.free(node);
    } else {
      values_.unknown().push_back({p, name.size()});
    }
    p = skip(skip(end) + 1);
  }
  return at;
}

// The start of the next line.
std::size_t StatementReader::line_tail(std::size_t at) {
  at = skip(at);
  if (at < text_.size() && text_[at] == '#') at = std::min(text_.find('\n', at), text_.size());
  if (at < text_.size() && text_[at] == '\r') ++at;
  if (at >= text_.size()) return at;
  if (text_[at] == '\n') return at + 1;
  return fail("malformed-line", "text behind the end of the statement", at, at + 1);
}

SymbolId StatementReader::operator_target(std::string_view function) {
  auto [found, fresh] = operators_.try_emplace(function);
  if (fresh) {
    const std::string_view module = function == "getattr" ? "builtins" : "operator";
    found->second = graph_.symbols().intern(fmt::format("{}.{}", module, function));
  }
  return found->second;
}

// ---------------------------------------------------------------- both ends of the graph

std::size_t StatementReader::placeholder(std::string_view target, std::string_view name, const Annotation& annotation,
                                         std::size_t default_at) {
  std::size_t end = 0;
  if (default_at != kNowhere) {
    end = values_.value(*builder_, default_at);
    if (end == kFailed) {
      forget();
      return fail_values();
    }
  }
  const SymbolId symbol = graph_.symbols().intern(name);
  if (graph_.find(symbol).valid()) {
    forget();
    return fail("duplicate-node", fmt::format("two inputs are called `{}`", shown(name)), 0, 0);
  }
  last_ = builder_->create(Opcode::placeholder, graph_.symbols().intern(target), symbol);
  graph_.set_meta(last_, annotation.meta);
  if (annotation.type.valid()) graph_.set_type(last_, annotation.type);
  return end;
}

std::size_t StatementReader::read_return(std::size_t at) {
  constexpr std::string_view kReturn = "return", kUnflatten = "pytree.tree_unflatten(",
                             kShuffle = "self._out_shuffle_graph(";
  at = skip(at + kReturn.size());
  const std::size_t begin = at;
  if (text_.substr(at).starts_with(kUnflatten)) {
    at += kUnflatten.size();
    if (text_.substr(at).starts_with(kShuffle) && text_.substr(at + kShuffle.size()).starts_with(leaves_)) {
      at += kShuffle.size() + leaves_.size();
      style_.return_items = true;
    }
  }
  style_.return_head = text_.substr(begin, at - begin);
  std::size_t end = at;
  if (style_.return_items) {
    builder_->open(ArgKind::tuple);
    end = values_.elements(*builder_, at);
    if (end != kFailed) builder_->close();
  } else if (at_line_end(at)) {
    builder_->none();
  } else {
    end = values_.value(*builder_, at);
  }
  if (end == kFailed) {
    forget();
    return fail_values();
  }
  if (style_.return_items) --end;
  std::size_t tail = end;
  if (!style_.return_head.empty()) {
    while (tail < text_.size() && text_[tail] != '\n') ++tail;
    while (tail > end && (text_[tail - 1] == ' ' || text_[tail - 1] == '\r')) --tail;
    const std::string_view rest = text_.substr(end, tail - end);
    if (rest != ", self._out_spec)" && rest != "), self._out_spec)") {
      forget();
      return fail("malformed-line", "expected `, self._out_spec)` behind the returned value", end, tail);
    }
    style_.return_tail = rest;
  }
  const std::size_t next = line_tail(tail);
  if (next == kFailed) {
    forget();
    return kFailed;
  }
  const bool taken = graph_.find("output").valid();
  const SymbolId name = taken ? graph_.unique_name("output") : graph_.symbols().intern("output");
  last_ = builder_->create(Opcode::output, graph_.symbols().intern("output"), name);
  return next;
}

}  // namespace fxrules::code
