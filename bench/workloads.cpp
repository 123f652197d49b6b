#include "bench/workloads.hpp"

#include <initializer_list>

#include <fmt/format.h>

namespace fxrules::bench {
namespace {

std::uint64_t scramble(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

// splitmix64: the same numbers on every machine and in every language that the graphs are made in.
class Random {
 public:
  std::uint32_t below(std::uint32_t n) {
    return static_cast<std::uint32_t>(scramble(state_ += 0x9E3779B97F4A7C15ull) % n);
  }

 private:
  std::uint64_t state_ = 1;
};

constexpr std::uint32_t literal(std::uint32_t value) { return Plan::kLiteral | value; }

// What makes v of t: two nodes, the second of which some rule of w1 removes.
std::uint32_t removable_pair(Plan& plan, std::uint32_t t, std::uint32_t which) {
  switch (which) {
    case 0:
      return plan.push(relu, {plan.push(relu, {t})});
    case 1:
      return plan.push(add, {plan.push(tanh, {t}), literal(0)});
    case 2:
      return plan.push(mul, {plan.push(tanh, {t}), literal(1)});
    default:
      return plan.push(transpose, {plan.push(transpose, {t, literal(0), literal(1)}), literal(0), literal(1)});
  }
}

Plan w1(std::uint32_t nodes) {
  Plan plan;
  Random random;
  const std::uint32_t x = plan.push(placeholder, {});
  std::uint32_t buffer = plan.push(placeholder, {});
  const std::uint32_t weight = plan.push(placeholder, {}), bias = plan.push(placeholder, {});
  const std::uint32_t index = plan.push(placeholder, {}), second = plan.push(placeholder, {});
  std::uint32_t current = x;
  while (plan.size() + 11 <= nodes) {
    const std::uint32_t m = plan.push(mm, {current, weight});
    const std::uint32_t sum = plan.push(add, {m, bias});
    const std::uint32_t r = plan.push(relu, {sum});
    const std::uint32_t written = plan.push(add_, {buffer, r});
    const std::uint32_t put = plan.push(index_put, {written, index, r});
    buffer = plan.push(copy, {written, put});
    const std::uint32_t t = plan.push(mul, {r, buffer});
    current = removable_pair(plan, t, random.below(4));
    plan.push(copy_, {second, current});
  }
  while (plan.size() + 1 < nodes) current = plan.push(tanh, {current});
  plan.push(output, {current, buffer});
  return plan;
}

std::string w1_rules(std::uint32_t) {
  return "copy(d, u @ index_put(d, ..)) => u\n"
         "relu(u @ relu(_)) => u\n"
         "add(x, 0) => x\n"
         "mul(x, 1) => x\n"
         "transpose(transpose(x, a, b), a, b) => x\n";
}

Plan w2down(std::uint32_t nodes) {
  Plan plan;
  std::uint32_t x = plan.push(placeholder, {});
  const std::uint32_t half = (nodes - 2) / 2;
  for (std::uint32_t i = 0; i < half; ++i) x = plan.push(p, {x});
  for (std::uint32_t i = 0; i < half; ++i) x = plan.push(q, {x});
  plan.push(output, {x});
  return plan;
}

std::string w2down_rules(std::uint32_t) { return "q(p(x)) => x\n"; }

Plan w2up(std::uint32_t nodes) {
  Plan plan;
  Random random;
  std::uint32_t x = plan.push(placeholder, {});
  while (plan.size() + 2 < nodes) x = plan.push(mul, {x, literal(2 + random.below(6))});
  x = plan.push(neg, {x});
  plan.push(output, {x});
  return plan;
}

std::string w2up_rules(std::uint32_t) { return "neg(mul(x, c: int)) => mul(neg(x), c)\n"; }

Plan w3a(std::uint32_t nodes) {
  Plan plan;
  Random random;
  std::uint32_t x = plan.push(placeholder, {}), last = 0;
  while (plan.size() + 6 <= nodes) {
    for (int k = 0; k < 3; ++k) {
      std::uint32_t op = 0;
      do op = op0 + 10 + random.below(990);
      while (op == last);
      last = op;
      x = plan.push(op, {x});
    }
    const std::uint32_t twice = op0 + random.below(10);
    x = plan.push(twice, {plan.push(twice, {x})});
  }
  plan.push(output, {x});
  return plan;
}

std::string w3a_rules(std::uint32_t count) {
  std::string text;
  for (std::uint32_t i = 0; i < count; ++i) text += fmt::format("op{0}(u @ op{0}(_)) => u\n", i);
  return text;
}

Plan w3b(std::uint32_t nodes) {
  Plan plan;
  Random random;
  std::uint32_t x = plan.push(placeholder, {});
  while (plan.size() + 6 <= nodes) {
    const bool fires = random.below(2) != 0;
    const std::uint32_t leaf = plan.push((fires ? op0 : z0) + random.below(10), {x});
    const std::uint32_t top = plan.push(root, {plan.push(a, {plan.push(b, {leaf})})});
    x = plan.push(mix, {x, top});
  }
  plan.push(output, {x});
  return plan;
}

std::string w3b_rules(std::uint32_t count) {
  std::string text;
  for (std::uint32_t i = 0; i < count; ++i) text += fmt::format("top(a(b(u @ op{}(_)))) => u\n", i);
  return text;
}

constexpr Expected kExpected[] = {
    {"w1", 10'000, 1'998, 7'747, 0xb751cce3d285feaf},
    {"w1", 100'000, 19'998, 77'458, 0xaa4742ae86293516},
    {"w1", 1'000'000, 199'998, 774'779, 0xa2a79b92badea2fb},
    {"w2down", 10'000, 4'999, 2, 0xb4f9aa93dd6b7068},
    {"w2down", 100'000, 49'999, 2, 0xb4f9aa93dd6b7068},
    {"w2down", 1'000'000, 499'999, 2, 0xb4f9aa93dd6b7068},
    {"w2up", 10'000, 9'997, 10'000, 0xa778e9bebf1c6d8b},
    {"w2up", 100'000, 99'997, 100'000, 0xfe0bdcbb004334b9},
    {"w2up", 1'000'000, 999'997, 1'000'000, 0xb660f5481bf65ebd},
    {"w3a", 10'000, 1'999, 7'998, 0xfc27ae2cbfb76a8d},
    {"w3a", 100'000, 19'999, 79'998, 0x57a58a149803a1dc},
    {"w3a", 1'000'000, 199'999, 799'998, 0x9397cda3432cdceb},
    {"w3b", 10'000, 1'015, 6'952, 0x0ff25178b14c18d1},
    {"w3b", 100'000, 10'108, 69'673, 0x3f97382e0507b6d7},
    {"w3b", 1'000'000, 100'132, 699'601, 0xcdcd0398ffb2b093},
};

}  // namespace

std::string op_name(std::uint32_t op) {
  static constexpr std::string_view kNames[] = {"placeholder", "output",    "mm",   "add",  "relu",  "tanh", "mul",
                                                "transpose",   "index_put", "copy", "add_", "copy_", "p",    "q",
                                                "neg",         "a",         "b",    "top",  "mix"};  // `root` is a word
                                                                                                     // of the language
  if (op < z0) return std::string(kNames[op]);
  if (op < op0) return fmt::format("z{}", op - z0);
  return fmt::format("op{}", op - op0);
}

std::uint32_t Plan::push(std::uint32_t op, std::initializer_list<std::uint32_t> given) {
  ops.push_back(op);
  arguments.insert(arguments.end(), given.begin(), given.end());
  offsets.push_back(static_cast<std::uint32_t>(arguments.size()));
  return size() - 1;
}

const std::vector<Workload>& workloads() {
  static const std::vector<Workload> all{{"w1", w1, w1_rules},
                                         {"w2down", w2down, w2down_rules},
                                         {"w2up", w2up, w2up_rules},
                                         {"w3a", w3a, w3a_rules, true},
                                         {"w3b", w3b, w3b_rules, true}};
  return all;
}

const Expected* expected(std::string_view workload, std::uint32_t nodes) {
  for (const Expected& e : kExpected) {
    if (e.workload == workload && e.nodes == nodes) return &e;
  }
  return nullptr;
}

std::uint64_t StructureHash::begin(std::uint32_t op) {
  std::uint64_t h = scramble(op + 1);
  if (op == placeholder) h = scramble(h ^ ++placeholders_);
  return h;
}

std::uint64_t StructureHash::with_node(std::uint64_t h, std::uint64_t producer) { return scramble(h * 3 + producer); }

std::uint64_t StructureHash::with_literal(std::uint64_t h, std::uint32_t value) {
  return scramble(h * 5 + scramble(0xABCDull + value));
}

std::uint64_t StructureHash::end(std::uint64_t h) {
  sum_ += scramble(h);
  ++count_;
  return h;
}

}  // namespace fxrules::bench
