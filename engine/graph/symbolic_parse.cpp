// Operator precedence parsing with two stacks instead of recursion. Precedence is Python's:
// `**` binds tighter than a minus on its left, `* / // %` tighter than `+ -`.
#include "engine/graph/symbolic_parse.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

namespace fxrules {
namespace {

constexpr std::size_t kMaxDepth = 200;
// Longer texts are compared as texts: the cost of a normal form may grow with the square of its length.
constexpr std::size_t kMaxNormalised = 4096;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

class Parser {
 public:
  Parser(Forms& forms, std::string_view text) : forms_(forms), text_(text), normalise_(text.size() <= kMaxNormalised) {}

  std::optional<PolyId> run() {
    while (skip_blanks(), at_ < text_.size()) {
      if (!(operand_next_ ? operand() : after_operand())) return std::nullopt;
    }
    if (operand_next_) return std::nullopt;
    while (!operators_.empty()) {
      if (operators_.back().symbol == '(') return std::nullopt;
      reduce();
    }
    const Forms::Result value = values_.back();
    return value ? *value : forms_.opaque(text_);
  }

 private:
  // `(` also stands for a call's parenthesis; `^` is a power, `_` a negation, `#` a floor division.
  struct Operator {
    char symbol;
    int precedence;
    std::string_view name = {};  // of the call
    std::size_t first = 0;       // its first operand on the value stack
  };

  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  [[nodiscard]] bool next_is(std::string_view token) const { return text_.substr(at_).starts_with(token); }

  bool operand() {
    const char c = text_[at_];
    if (c == '-' || c == '+') return ++at_, push({c == '-' ? '_' : 'p', 3});
    if (c == '(') return ++at_, open({});
    if (is_digit(c)) return number();
    if (is_letter(c)) return name();
    if (c == ')') return close_empty_call();
    return false;
  }

  bool number() {
    std::size_t end = at_;
    while (end < text_.size() && is_digit(text_[end])) ++end;
    if (end < text_.size() && (is_letter(text_[end]) || text_[end] == '.')) return false;
    std::int64_t value = 0;
    const auto [last, error] = std::from_chars(text_.data() + at_, text_.data() + end, value);
    at_ = end;
    if (error == std::errc() && normalise_) return value_is(forms_.constant(value));
    return value_is(std::nullopt);
  }

  bool name() {
    std::size_t end = at_;
    while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
    const std::string_view name = text_.substr(at_, end - at_);
    at_ = end;
    if (next_is("(")) return ++at_, open(name);
    static constexpr std::string_view kNoSymbols[] = {"None", "True", "False", "inf", "nan", "Ellipsis"};
    if (std::find(std::begin(kNoSymbols), std::end(kNoSymbols), name) != std::end(kNoSymbols)) return false;
    if (!normalise_) return value_is(std::nullopt);
    return value_is(forms_.symbol(name));
  }

  bool open(std::string_view name) {
    if (++depth_ > kMaxDepth) return false;
    operators_.push_back({'(', 0, name, values_.size()});
    operand_next_ = true;
    return true;
  }

  bool close_empty_call() {
    if (operators_.empty() || operators_.back().symbol != '(' || operators_.back().name.empty()) return false;
    if (operators_.back().first != values_.size()) return false;  // `f(a, )`
    ++at_;
    return close();
  }

  bool after_operand() {
    if (next_is("**")) return at_ += 2, binary('^', 4);
    if (next_is("//")) return at_ += 2, binary('#', 2);
    const char c = text_[at_++];
    switch (c) {
      case '+':
      case '-':
        return binary(c, 1);
      case '*':
      case '/':
      case '%':
        return binary(c, 2);
      case ',':
        return comma();
      case ')':
        return close();
      default:
        return false;
    }
  }

  bool binary(char symbol, int precedence) {
    const bool right = symbol == '^';
    while (!operators_.empty() && operators_.back().symbol != '(' &&
           (right ? operators_.back().precedence > precedence : operators_.back().precedence >= precedence))
      reduce();
    return push({symbol, precedence});
  }

  bool push(Operator op) {
    if (operators_.size() > kMaxNormalised + kMaxDepth) return false;  // a run of signs
    operators_.push_back(op);
    operand_next_ = true;
    return true;
  }

  // Reduces to the innermost open parenthesis; false when there is none.
  bool reduce_group() {
    while (!operators_.empty() && operators_.back().symbol != '(') reduce();
    return !operators_.empty();
  }

  bool comma() {
    if (!reduce_group() || operators_.back().name.empty()) return false;
    operand_next_ = true;
    return true;
  }

  bool close() {  // the parenthesis is behind us
    if (!reduce_group()) return false;
    const Operator group = operators_.back();
    operators_.pop_back();
    --depth_;
    operand_next_ = false;
    if (!group.name.empty()) call(group);
    return true;
  }

  bool value_is(Forms::Result value) {
    values_.push_back(value);
    operand_next_ = false;
    return true;
  }

  void reduce() {
    const char symbol = operators_.back().symbol;
    operators_.pop_back();
    const Forms::Result b = values_.back();
    if (symbol == 'p') return;
    if (symbol == '_') {
      values_.back() = b ? forms_.multiply(forms_.constant(-1), *b) : std::nullopt;
      return;
    }
    values_.pop_back();
    const Forms::Result a = values_.back();
    values_.back() = a && b ? apply(symbol, *a, *b) : std::nullopt;
  }

  Forms::Result apply(char symbol, PolyId a, PolyId b) {
    switch (symbol) {
      case '+':
        return forms_.add(a, b);
      case '-':
        return forms_.subtract(a, b);
      case '*':
        return forms_.multiply(a, b);
      case '#':
        return forms_.floor_divide(a, b);
      case '%':
        return forms_.modulo(a, b);
      case '/':
        return forms_.divide(a, b);
      default:
        return forms_.power(a, b);
    }
  }

  void call(const Operator& group) {
    std::vector<PolyId> operands;
    bool known = true;
    for (std::size_t i = group.first; i < values_.size(); ++i) {
      known = known && values_[i];
      if (known) operands.push_back(*values_[i]);
    }
    values_.resize(group.first);
    values_.push_back(known ? apply_call(group.name, std::move(operands)) : std::nullopt);
  }

  Forms::Result apply_call(std::string_view name, std::vector<PolyId> operands) {
    if ((name == "Min" || name == "Max") && !operands.empty()) {
      Forms::Result out = operands[0];
      for (std::size_t i = 1; i < operands.size() && out; ++i)
        out = name == "Min" ? forms_.minimum(*out, operands[i]) : forms_.maximum(*out, operands[i]);
      return out;
    }
    if (operands.size() == 2) {
      if (name == "FloorDiv" || name == "CleanDiv") return forms_.floor_divide(operands[0], operands[1]);
      if (name == "Mod" || name == "PythonMod") return forms_.modulo(operands[0], operands[1]);
      if (name == "PowByNatural") return forms_.power(operands[0], operands[1]);
    }
    return forms_.call(name, std::move(operands));
  }

  Forms& forms_;
  std::string_view text_;
  bool normalise_;
  std::size_t at_ = 0, depth_ = 0;
  bool operand_next_ = true;
  std::vector<Operator> operators_;
  std::vector<Forms::Result> values_;
};

}  // namespace

std::optional<PolyId> parse_expression(Forms& forms, std::string_view text) { return Parser(forms, text).run(); }

}  // namespace fxrules
