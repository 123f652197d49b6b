#include "formats/pt2/srepr.hpp"

#include <vector>

namespace fxrules::pt2 {
namespace {

constexpr std::size_t kDeepest = 200;

// How tight a printed expression binds.
enum class Binds { sum, product, power, atom };

struct Printed {
  std::string text;
  Binds binds = Binds::atom;
};

struct Call {
  std::string_view name;
  std::vector<Printed> arguments;
};

std::string in_parentheses(const Printed& p, Binds needed) { return p.binds < needed ? "(" + p.text + ")" : p.text; }

Printed sum(const std::vector<Printed>& terms) {
  std::string text;
  for (const Printed& term : terms) {
    if (text.empty()) {
      text = term.text;
    } else if (term.text.front() == '-') {
      text += " - " + term.text.substr(1);
    } else {
      text += " + " + term.text;
    }
  }
  return {text, Binds::sum};
}

Printed product(const std::vector<Printed>& factors) {
  std::string text;
  std::size_t first = 0;
  if (factors.size() > 1 && factors[0].text == "-1") text = "-", first = 1;
  for (std::size_t i = first; i < factors.size(); ++i) {
    if (i > first) text += '*';
    const bool negative = i > first && factors[i].text.front() == '-';
    text += negative ? "(" + factors[i].text + ")" : in_parentheses(factors[i], Binds::product);
  }
  return {text, Binds::product};
}

Printed finished(const Call& call) {
  const std::vector<Printed>& a = call.arguments;
  if ((call.name == "Symbol" || call.name == "Integer" || call.name == "Float") && !a.empty()) return a[0];
  if (call.name == "Add" && !a.empty()) return sum(a);
  if (call.name == "Mul" && !a.empty()) return product(a);
  if (call.name == "Pow" && a.size() == 2)
    return {in_parentheses(a[0], Binds::atom) + "**" + in_parentheses(a[1], Binds::atom), Binds::power};
  if (call.name == "Rational" && a.size() == 2) return {a[0].text + "/" + a[1].text, Binds::product};
  std::string text(call.name);
  text += '(';
  for (std::size_t i = 0; i < a.size(); ++i) text += (i > 0 ? ", " : "") + a[i].text;
  return {text + ")", Binds::atom};
}

bool is_word(char c) {
  return c == '_' || c == '.' || c == '-' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

}  // namespace

std::optional<std::string> printed(std::string_view text) {
  if (!text.ends_with(')') || text.find('(') == std::string_view::npos) return std::string(text);
  std::vector<Call> open;
  std::size_t at = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == ' ' || c == ',') {
      ++at;
      continue;
    }
    if (c == ')') {
      if (open.empty()) return std::string(text);
      const Printed result = finished(open.back());
      open.pop_back();
      ++at;
      if (open.empty()) {
        if (at == text.size()) return result.text;
        return std::string(text);  // `f(x) + 1` is not srepr
      }
      open.back().arguments.push_back(result);
      continue;
    }
    if (c == '\'') {
      const std::size_t close = text.find('\'', at + 1);
      if (close == std::string_view::npos) return std::nullopt;
      if (open.empty()) return std::string(text);
      open.back().arguments.push_back({std::string(text.substr(at + 1, close - at - 1)), Binds::atom});
      at = close + 1;
      continue;
    }
    const std::size_t from = at;
    while (at < text.size() && is_word(text[at])) ++at;
    if (at == from) return std::string(text);  // an operator: the text is printed already
    const std::string_view word = text.substr(from, at - from);
    if (at < text.size() && text[at] == '(') {
      if (open.size() == kDeepest) return std::nullopt;
      open.push_back({word, {}});
      ++at;
    } else if (at < text.size() && text[at] == '=') {  // an assumption: positive=True
      ++at;
      while (at < text.size() && is_word(text[at])) ++at;
    } else if (open.empty()) {
      return std::string(text);
    } else {
      open.back().arguments.push_back({std::string(word), Binds::atom});
    }
  }
  return std::nullopt;
}

}  // namespace fxrules::pt2
