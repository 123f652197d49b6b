#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "random_pairs.hpp"

namespace fxrules::testing {
namespace {

// A rule being made. Variables are written as `$3$` until it is known which of them are used.
class RuleMaker {
 public:
  RuleMaker(Dice& dice, bool may_grow) : dice_(dice), may_grow_(may_grow) {}

  std::string make(std::size_t number) {
    const std::uint32_t kind = dice_.below(100);
    std::string rule = kind < 82 ? plain() : kind < 92 ? several_roots() : kept();
    return fmt::format("r{}: {}\n", number, named(std::move(rule)));
  }

 private:
  struct Variable {
    std::string kind;
    unsigned written = 0, used = 0;
    bool node = false;  // surely a node
  };

  std::string fresh(std::string kind, bool node) {
    variables_.push_back({std::move(kind), 1, 0, node});
    return fmt::format("${}$", variables_.size() - 1);
  }

  // ---- patterns
  std::string leaf() {
    const std::uint32_t kind = dice_.below(100);
    if (kind < 12 && !variables_.empty()) {
      const std::uint32_t v = dice_.below(static_cast<std::uint32_t>(variables_.size()));
      if (variables_[v].kind != "rest" && variables_[v].kind != "arguments") {
        ++variables_[v].written;
        return fmt::format("${}$", v);
      }
    }
    if (kind < 45) return fresh("", true);
    if (kind < 60) return fresh("Tensor", true);
    if (kind < 66) return fresh("node", true);
    if (kind < 70) return "_";
    if (kind < 73) return "_: Tensor";
    return fresh("", true);
  }
  std::string operand(unsigned depth) {
    if (dice_.percent(10)) return helper(depth);
    if (depth > 0 && dice_.percent(45)) return call(depth - 1);
    return leaf();
  }
  std::string second(unsigned depth) {
    const std::uint32_t kind = dice_.below(100);
    if (kind < 20) return std::string(dice_.of({"0", "1", "2", "1.5", "1.0"}));
    if (kind < 32) return fresh(std::string(dice_.of({"number", "int", "float"})), false);
    return operand(depth);
  }
  std::string maybe_open() {
    if (!dice_.one_in(3)) return "";
    if (!dice_.one_in(4)) return open_ = true, ", ..";
    return ", " + fresh("arguments", false) + "..";
  }

  std::string call(unsigned depth) {
    ++calls_;
    if (dice_.percent(15)) {
      const std::string name = fresh("", true);
      const std::string pattern = bare_call(depth);
      return fmt::format("{} @ {}", name, pattern);
    }
    return bare_call(depth);
  }

  std::string bare_call(unsigned depth) {
    const std::uint32_t kind = dice_.below(100);
    if (kind < 32) return unary(depth);
    if (kind < 66) return binary(depth);
    if (kind < 72) return reduction(depth);
    if (kind < 80) return view(depth);
    if (kind < 87) return list_call(depth);
    if (kind < 92) return item(depth);
    return odd(depth);
  }

  std::string helper(unsigned depth) {
    const unsigned below = depth > 0 ? depth - 1 : 0;
    switch (dice_.below(8)) {
      case 0:
      case 1:
        return fmt::format("through({})", operand(below));
      case 2:
        return fmt::format("shifted({}, {})", operand(below), dice_.one_in(3) ? "1" : fresh("", false));
      case 3:
        return fmt::format("doubled({})", operand(below));
      case 4:
        return fmt::format("tree({})", operand(below));
      case 5:
        return fmt::format("named({})", operand(below));
      case 6:
        return fmt::format("through(through({}))", operand(below));
      default:
        return fmt::format("either({}, {})", operand(below), operand(0));
    }
  }

  std::string unary(unsigned depth) {
    const std::string op(dice_.of({"neg", "abs", "relu", "exp"}));
    switch (dice_.below(10)) {
      case 0:
        return fmt::format(".{}({})", op, operand(depth));
      case 1:
        return fmt::format("torch.{}({})", op, operand(depth));
      case 2:
        return fmt::format("aten.{}({})", op, operand(depth));
      case 3:
        return fmt::format("{{neg, abs}}({})", operand(depth));
      case 4:
        return fmt::format("Units({})", operand(depth));
      case 5:
        hole_ = true;
        return fmt::format("<f: Units>({})", operand(depth));
      case 6:
        return fmt::format("aten.{}.default({})", op, operand(depth));
      default:
        return fmt::format("{}({}{})", op, operand(depth), maybe_open());
    }
  }

  std::string binary(unsigned depth) {
    const std::string op(dice_.of({"add", "mul", "sub", "add"}));
    const std::string left = operand(depth), right = second(depth);
    switch (dice_.below(12)) {
      case 0:
        return fmt::format("{{add, sub}}({}, {}{})", left, right, maybe_open());
      case 1:
        return fmt::format("{}~({}, {})", op, left, right);
      case 2:
        if (op != "mul")
          return fmt::format("{}({}, {}, alpha = {})", op, left, right, dice_.one_in(2) ? "2" : fresh("", false));
        return fmt::format("mul({}, other = {})", left, right);
      case 3:
        return fmt::format("operator.{}({}, {})", op, left, right);
      case 4:
        return fmt::format("Sums({}, {})", left, right);
      case 5:
        return fmt::format("aten.{}.Tensor({}, {})", op, left, right);
      case 6:
        return fmt::format("{}(other = {}, self = {})", op, right, left);
      default:
        return fmt::format("{}({}, {}{})", op, left, right, maybe_open());
    }
  }

  std::string reduction(unsigned depth) {
    switch (dice_.below(4)) {
      case 0:
        return fmt::format("sum({}, [{}])", operand(depth), dice_.one_in(2) ? "0" : fresh("int", false));
      case 1:
        return fmt::format("sum({}, {}, ..)", operand(depth), fresh("", false));
      case 2:
        return fmt::format("sum({}, _, keepdim = True)", operand(depth));
      default:
        return fmt::format("sum({}, dim = [_])", operand(depth));
    }
  }

  std::string view(unsigned depth) {
    switch (dice_.below(5)) {
      case 0:
        return fmt::format("reshape({}, [4, {}])", operand(depth), dice_.one_in(2) ? "-1" : "4");
      case 1:
        return fmt::format("reshape({}, [{}, _])", operand(depth), fresh("int", false));
      case 2:
        return fmt::format("{{reshape, view}}({}, {})", operand(depth), fresh("", false));
      case 3:
        return fmt::format("permute({}, [_, 1])", operand(depth));
      default:
        return fmt::format("transpose({}, 0, 1)", operand(depth));
    }
  }

  std::string list_call(unsigned depth) {
    switch (dice_.below(5)) {
      case 0:
        return fmt::format("cat([{}])", operand(depth));
      case 1:
        return fmt::format("cat([{}, {}], ..)", operand(depth), leaf());
      case 2:
        return fmt::format("cat([{}, {}..])", operand(depth), fresh("rest", false));
      case 3:
        return fmt::format("cat([{}.., {}], ..)", fresh("rest", false), operand(depth));
      default:
        return fmt::format("cat(({}, _), ..)", operand(depth));
    }
  }

  std::string item(unsigned depth) {
    switch (dice_.below(4)) {
      case 0:
        return fmt::format("split({}, 2, ..)[{}]", operand(depth), dice_.below(2));
      case 1:
        return fmt::format("getitem({}, 0:2)", operand(depth));
      case 2:
        return fmt::format("getitem({}, {}:{}:_)", operand(depth), fresh("", false), fresh("", false));
      default:
        return fmt::format("getitem({}, (_: slice, 0))", operand(depth));
    }
  }

  std::string odd(unsigned depth) {
    switch (dice_.below(7)) {
      case 0:
        return fmt::format("clone({})", operand(depth));
      case 1:
        return fmt::format("to({}, torch.float32)", operand(depth));
      case 2:
        return fmt::format("to({}, dtype = {})", operand(depth), fresh("dtype", false));
      case 3:
        return fmt::format("mine.blackbox({}{})", operand(depth), dice_.one_in(2) ? ", scale = 1" : "");
      case 4:
        hole_ = true;
        return fmt::format("aten.<f>.default({})", operand(depth));
      case 5:
        return fmt::format("*({}, ..)", operand(depth));
      default:
        return fmt::format("relu_({})", operand(depth));
    }
  }

  // ---- replacements
  std::string use(std::size_t v) {
    ++variables_[v].used;
    return fmt::format("${}$", v);
  }
  std::string some_node() {
    std::vector<std::size_t> nodes;
    for (std::size_t v = 0; v < variables_.size(); ++v) {
      if (variables_[v].node) nodes.push_back(v);
    }
    if (nodes.empty()) return {};
    return use(nodes[dice_.below(static_cast<std::uint32_t>(nodes.size()))]);
  }
  std::string some_value() {
    if (dice_.one_in(3)) return std::string(dice_.of({"0", "1", "2", "1.5"}));
    for (std::size_t v = 0; v < variables_.size(); ++v) {
      if (variables_[v].kind == "number" || variables_[v].kind == "int" || variables_[v].kind == "float") return use(v);
    }
    return some_node();
  }

  std::string built(int calls) {
    if (calls <= 0) return some_node();
    if (hole_ && dice_.one_in(2)) return fmt::format("<f>({})", built(calls - 1));
    for (std::size_t v = 0; v < variables_.size(); ++v) {
      if (variables_[v].kind == "rest" && dice_.one_in(2)) return fmt::format("cat([{}, {}..])", some_node(), use(v));
    }
    for (std::size_t v = 0; v < variables_.size(); ++v) {
      if (variables_[v].kind == "arguments" && dice_.one_in(2))
        return fmt::format("add({}, {}..)", built(calls - 1), use(v));
    }
    if (open_ && dice_.one_in(3))
      return fmt::format("{}({}, ..)", dice_.of({"neg", "mul", "sum", ".add"}), built(calls - 1));
    switch (dice_.below(10)) {
      case 8:
        return fmt::format("reshape({}, [4, 4])", built(calls - 1));
      case 9:
        return fmt::format("transpose({}, 0, 1)", built(calls - 1));
      case 0:
        return fmt::format("neg({})", built(calls - 1));
      case 1:
        return fmt::format("exp({})", built(calls - 1));
      case 2:
        return fmt::format("twice({})", built(calls - 2));
      case 3:
        return fmt::format("aten.mul.Tensor({}, {})", built(calls - 1), some_node());
      case 4:
        return fmt::format("sum({}, [0], keepdim = True)", built(calls - 1));
      case 5:
        return fmt::format(".abs({})", built(calls - 1));
      default:
        return fmt::format("{}({}, {})", dice_.of({"add", "mul", "sub"}), built(calls - 1), some_value());
    }
  }

  std::string guard() {
    const auto about = [&](const char* text) {
      const std::string x = some_node();
      return fmt::format(fmt::runtime(text), x);
    };
    switch (dice_.below(14)) {
      case 0:
      case 1:
        return "uses(root) == 1";
      case 2:
        return about("uses({}) == 1");
      case 3:
        return about("uses({}) > 1");
      case 4:
        return about("not is_input({})");
      case 5:
        return about("shape({}) == shape(root)");
      case 6:
        return about("rank({0}) == 2 and uses({0}) < 4");
      case 7:
        return about("op({0}) == \"neg\" or op({0}) == \"add\"");
      case 8:
        return about("known(dtype({}))");
      case 9:
        return about("last_use({}, root)");
      case 10:
        return "outputs(root) == 0";
      case 11:
        return about("not mutates({})");
      case 12:
        return about("not may_alias({}, root)");
      default:
        return "given(root, \"alpha\")";
    }
  }

  std::string result() {
    const int most = may_grow_ && dice_.one_in(4) ? calls_ + 1 : calls_ - 1;
    const int calls = most <= 0 ? 0 : static_cast<int>(dice_.below(static_cast<std::uint32_t>(most + 1)));
    if (dice_.one_in(12)) return fmt::format("{{ v = {}, root = abs(v) }}", built(calls - 1));
    return built(calls);
  }

  std::string plain() {
    std::string rule = dice_.percent(8) ? helper(1) : call(dice_.one_in(2) ? 0 : 1 + dice_.below(2));
    if (std::none_of(variables_.begin(), variables_.end(), [](const Variable& v) { return v.node; }))
      return rule + " => note \"seen\"";
    if (dice_.one_in(20)) return rule + fmt::format(" => note \"seen {{{}}}\"", some_node());
    const bool guarded = dice_.percent(40), more = guarded && dice_.one_in(2);
    rule += "\n  => " + result();
    if (guarded) rule += " if " + guard();
    if (more) rule += "\n  => " + result() + (dice_.one_in(2) ? " otherwise" : " if " + guard());
    if (dice_.one_in(8)) rule += fmt::format("\n  as \"{{origin({})}}_new\"", some_node());
    return rule;
  }

  // Roots hang together by a node: the engine looks for further ones among its users.
  std::string several_roots() {
    const std::string x = fresh("node", true);
    switch (dice_.below(5)) {
      case 0: {
        use(0);
        return fmt::format("{{ s = split({}, 2, ..), a = s[0], b = s[1] }} => {{ a = neg({}), b = exp({}) }}", x, x, x);
      }
      case 1: {
        const std::string op(dice_.of({"neg", "exp", "abs", "relu"}));
        ++variables_[0].written;
        return fmt::format("{{ a = {}({}), b = {}({}) }} => {{ b = a }}", op, x, op, x);
      }
      case 2: {
        const std::string y = fresh("", true);
        use(0), use(1);
        return fmt::format(
            "{{ a = add({}, {}), b = sub({}, {}) }} => {{ a = neg({}), b = mul({}, {}) }} if uses(a) <= 2", x, y, x, y,
            x, x, y);
      }
      case 3: {
        const std::string n = fresh("number", false), op(dice_.of({"neg", "exp", "abs"}));
        use(0);
        const std::string rule = fmt::format("{{ a = {}({}), b = add(a, {}) }} => {{ b = {} }}", op, x, n, x);
        return dice_.one_in(2) ? rule + fmt::format(" if {} != 0", use(1)) : rule;
      }
      default: {
        const std::string y = fresh("", true);
        use(0);
        use(1);
        return fmt::format(
            "{{ a = mul({}, 2), b = neg(mul({}, {})) }} => {{ a = {} }} if uses(b) >= 1 and not is_input({})", x, x, y,
            x, y);
      }
    }
  }

  std::string kept() {
    switch (dice_.below(4)) {
      case 0:
        return "sum(_, d, keepdim = True) => keep(keepdim = False) if len(d) == 1";
      case 1:
        return "{add, sub}(_, _, alpha = 2) => keep(alpha = 1)";
      case 2:
        return "*(.., device = d: device) => keep(device = with_type(d, \"xla\")) if device_type(d) != \"xla\"";
      default:
        return "cat([_, _, ..], ..) => keep(dim = 1) if not given(root, \"dim\")";
    }
  }

  // Unused variables become wildcards, used ones letters with their kind where they first stand.
  std::string named(std::string rule) const {
    for (std::size_t v = 0; v < variables_.size(); ++v) {
      const Variable& variable = variables_[v];
      const std::string mark = fmt::format("${}$", v);
      const bool list = variable.kind == "rest" || variable.kind == "arguments";
      const bool kind = !variable.kind.empty() && !list;
      const bool silent = variable.used == 0 && variable.written < 2;
      std::string name(1, static_cast<char>('p' + v % 10));
      if (v >= 10) name += std::to_string(v / 10);
      if (silent) name = list ? "" : "_";
      bool first = true;
      for (std::size_t at = rule.find(mark); at != std::string::npos; at = rule.find(mark)) {
        std::string text = name;
        if (silent && rule.compare(at + mark.size(), 3, " @ ") == 0) {  // `_ @ call` says nothing
          rule.erase(at, mark.size() + 3);
          continue;
        }
        const bool bind = rule.compare(at + mark.size(), 3, " @ ") == 0;
        if (first && kind && !bind) text += ": " + variable.kind;
        rule.replace(at, mark.size(), text);
        first = false;
      }
    }
    return rule;
  }

  Dice& dice_;
  bool may_grow_;
  std::vector<Variable> variables_;
  int calls_ = 0;
  bool hole_ = false, open_ = false;
};

}  // namespace

std::string random_rules(std::uint64_t seed) {
  Dice dice(seed ^ 0x5DEECE66Dull);
  std::string text = "set Units = { neg, abs, relu, exp }\nset Sums = { add, .sub }\n\ndef twice(v) = add(v, v)\n\n";
  text += R"(pattern through(p)     = p
pattern through(p)     = Units(through(p))
pattern shifted(p, c)  = add(p, c: number)
pattern shifted(p, -c) = sub(p, c: number) if c != 0
pattern shifted(p, 0)  = p
pattern doubled(p)     = mul(p, p)
pattern doubled(p)     = add(p, p)
pattern tree(p)        = add(tree(p), tree(_))
pattern tree(p)        = p
pattern named(p)       = {neg, relu}(p) if rank(p) == 2
pattern named(p)       = sum(p, ..)
pattern either(p, q)   = mul(through(p), q)
pattern either(p, q)   = through(add(q, shifted(p, _)))

)";
  const std::uint32_t phases = 1 + (dice.one_in(2) ? dice.below(3) : 0);
  std::size_t number = 0;
  for (std::uint32_t p = 0; p < phases; ++p) {
    text += fmt::format("phase p{}{}{}\n", p, dice.one_in(4) ? " once" : "", dice.one_in(4) ? " reverse" : "");
    const std::uint32_t rules = 4 + dice.below(9);
    for (std::uint32_t r = 0; r < rules; ++r) text += RuleMaker(dice, dice.one_in(5)).make(number++);
    text += "\n";
  }
  return text;
}

}  // namespace fxrules::testing
