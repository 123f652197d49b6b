// Two engines that share no matching and no order: on random pairs of graph and rule set they must end in
// the same text by the same applications.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>

#include <fmt/format.h>

#include "engine/rewrite/matcher.hpp"
#include "engine/rewrite/session.hpp"
#include "random_pairs.hpp"
#include "support.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/naive_engine.hpp"

namespace fxrules::testing {
namespace {

constexpr std::size_t kGraphsPerRuleSet = 4;
constexpr std::size_t kMostRewrites = 40;
constexpr std::size_t kTests = static_cast<std::size_t>(program::Test::fail) + 1;

struct Statistics {
  std::size_t pairs = 0, rewriting = 0, rewrites = 0, limited = 0, refusing = 0, unloadable = 0, most = 0;
  std::array<std::uint64_t, kTests> tests{};
};

// One line an application: the rule, its root, what it matched and made.
std::string applications_text(const Graph& graph, const Report& report) {
  std::string out;
  for (const Application& a : report.applications) {
    out += fmt::format("{} at {}:", a.rule, graph.text(a.root));
    std::vector<std::string> matched;
    for (const SymbolId m : a.matched) matched.emplace_back(graph.text(m));
    std::sort(matched.begin(), matched.end());
    out += fmt::format(" {} ->", fmt::join(matched, " "));
    for (const SymbolId m : a.created) out += fmt::format(" {}", graph.text(m));
    if (a.result.valid()) out += fmt::format(" = {}", graph.text(a.result));
    out += "\n";
  }
  return out;
}

// The first line in which two texts differ, with what both have in front of it.
std::string first_difference(const std::string& engine, const std::string& reference) {
  std::size_t at = 0;
  while (at < std::min(engine.size(), reference.size()) && engine[at] == reference[at]) ++at;
  const std::size_t line =
      engine.rfind('\n', at == 0 ? 0 : at - 1) == std::string::npos ? 0 : engine.rfind('\n', at - 1) + 1;
  return fmt::format("{}engine:    {}\nreference: {}\n", engine.substr(0, line),
                     engine.substr(line, engine.find('\n', line) - line),
                     reference.substr(line, reference.find('\n', line) - line));
}

// How often each kind of instruction runs when the phases' programs meet every node of the graph.
void count_tests(const program::RuleSet& rules, Graph& graph, Statistics& statistics) {
  Report ignored;
  const ApplyOptions options;
  rewrite::Session session(rules, graph, options, ignored);
  std::vector<std::uint64_t> counts(kTests);
  for (const program::Phase& phase : rules.phases) {
    rewrite::Matcher matcher(session.binding(), session.machine().heap());
    matcher.use(session.machine());
    matcher.count_into(&counts);
    for (const NodeId n : graph.nodes()) {
      session.begin_matching(phase, n);
      matcher.begin(phase.match, rewrite::Value::of_node(n));
      program::Index pc = phase.match.start;
      while (matcher.next(phase.match, pc) != nullptr) {
      }
    }
  }
  for (std::size_t t = 0; t < kTests; ++t) statistics.tests[t] += counts[t];
}

void check_clean(const Graph& graph, std::string_view whose) {
  const auto problems = verify(graph);
  if (problems.empty()) return;
  INFO(whose << " left:\n" << render(problems));
  CHECK(problems.empty());
}

std::size_t writes_in(const Graph& graph) {
  std::size_t count = 0;
  for (const NodeId n : graph.nodes()) {
    const std::string_view target = graph.target(n);
    count += target.ends_with('_') || target.ends_with(".iadd") || target.ends_with(".setitem") ||
             target.find("_.") != std::string_view::npos;
  }
  return count;
}

// Both engines on one pair; false when they differ.
bool agree(const Loaded& rules, const std::string& rules_text, std::uint64_t seed, Statistics& statistics,
           std::uint32_t calls = 0, std::size_t most_rewrites = kMostRewrites) {
  Graph fast = random_graph(seed, calls);
  Graph slow = fast.clone();
  const std::string before = to_text(fast);
  const std::size_t writes = writes_in(fast);
  ApplyOptions options;
  options.max_rewrites = most_rewrites;
  options.infer = false;

  count_tests(*rules.program, fast, statistics);
  const RuleSet compiled(rules.program);
  const Report fast_report = apply(compiled, fast, options);
  NaiveEngine naive(*rules.ast, *rules.program);
  const Report slow_report = naive.apply(slow, options);
  check_clean(fast, "the engine");
  check_clean(slow, "the reference");

  ++statistics.pairs;
  statistics.rewriting += fast_report.rewrites > 0;
  statistics.rewrites += fast_report.rewrites;
  statistics.most = std::max(statistics.most, fast_report.rewrites);
  statistics.limited += fast_report.rewrites >= most_rewrites;
  statistics.refusing += std::any_of(fast_report.rules.begin(), fast_report.rules.end(),
                                     [](const RuleReport& r) { return r.refused > 0; });

  const std::string fast_text = to_text(fast), slow_text = to_text(slow);
  const std::string fast_done = applications_text(fast, fast_report), slow_done = applications_text(slow, slow_report);
  // A failed run leaves the graph as it was; the reference stops at the first error.
  const bool failed = fast_report.stop == StopReason::failed || slow_report.stop == StopReason::failed;
  // What a removed write leaves dead goes at once or at the end of the sweep; a rule may take it in between. And
  // the caller's look at an input is a use of it until the run ends.
  const bool removed = writes_in(fast) < writes;
  const bool stopped = fast_report.rewrites >= most_rewrites;
  // Stopped at the limit, a later use may still read a write through another name of what was written, or find none.
  const bool same = failed ? stopped || fast_report.stop == slow_report.stop
                    : removed || (stopped && writes + writes_in(fast) > 0)
                        ? stopped || fast_text == slow_text
                        : fast_done == slow_done && fast_text == slow_text;
  if (!same) {
    fmt::print("seed {}\n{}\nbefore\n{}\n{}\nengine\n{}reference\n{}", seed, rules_text, before,
               first_difference(fast_done + fast_text, slow_done + slow_text), fast_text, slow_text);
    fmt::print("{}rewrites {} and {}, stopped as {} and {}\n", render(fast_report.diagnostics), fast_report.rewrites,
               slow_report.rewrites, to_string(fast_report.stop), to_string(slow_report.stop));
    for (const Note& note : fast_report.notes)
      fmt::print("note of {} at {}: {}\n", note.rule, fast.text(note.node), note.text);
  }
  CHECK(same);

  bool stable = true;
  if (!failed && !removed && fast_report.rewrites < most_rewrites) {
    CHECK(fast_report.stop == slow_report.stop);
    const bool all_fixpoints = std::none_of(rules.program->phases.begin(), rules.program->phases.end(),
                                            [](const program::Phase& p) { return p.once; });
    if (all_fixpoints && rules.program->phases.size() == 1) {
      const Report again = apply(compiled, fast, options);
      INFO("a second run:\n" << applications_text(fast, again));
      CHECK(again.rewrites == 0);
      CHECK(to_text(fast) == fast_text);
      stable = again.rewrites == 0;
    }
  }
  return same && stable;
}

std::string_view name_of(program::Test test) {
  static constexpr std::string_view kNames[] = {
      "op",       "select",    "argument", "rest",      "bind_rest", "commutes", "kind",   "literal", "same",
      "list",     "list_min",  "item",     "item_back", "span",      "part",     "helper", "next",    "bind",
      "exchange", "parameter", "guard",    "give",      "done",      "accept",   "fail"};
  static_assert(std::size(kNames) == kTests);
  return kNames[static_cast<std::size_t>(test)];
}

std::size_t wanted_pairs() {
  if (const char* pairs = std::getenv("FXRULES_PAIRS")) return std::strtoul(pairs, nullptr, 10);
  const char* full = std::getenv("FXRULES_FULL");
  return full != nullptr && std::string_view(full) == "1" ? 100'000 : 10'000;
}

}  // namespace

TEST_CASE("the engine agrees with the reference engine on random graphs and rules") {
  const std::size_t wanted = wanted_pairs();
  const char* first = std::getenv("FXRULES_SEED");
  const auto start = std::chrono::steady_clock::now();
  Statistics statistics;
  std::size_t differing = 0;
  for (std::uint64_t seed = first != nullptr ? std::strtoull(first, nullptr, 10) : 1;
       statistics.pairs < wanted && differing < 5; ++seed) {
    const std::string text = random_rules(seed);
    const Loaded rules = load_text(text);
    if (!rules.ok()) {
      ++statistics.unloadable;
      if (std::getenv("FXRULES_SHOW") != nullptr) fmt::print("{}{}\n", text, render(rules.diagnostics));
      continue;
    }
    for (std::size_t g = 0; g < kGraphsPerRuleSet && statistics.pairs < wanted; ++g)
      differing += !agree(rules, text, seed * kGraphsPerRuleSet + g, statistics);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  fmt::print(
      "{} pairs in {:.1f} s: {} rewrote something, {} rewrites, at most {} in one, {} stopped at the limit, {} refused "
      "a match; "
      "{} rule sets did not load\n",
      statistics.pairs, took.count(), statistics.rewriting, statistics.rewrites, statistics.most, statistics.limited,
      statistics.refusing, statistics.unloadable);
  for (std::size_t t = 0; t < kTests; ++t)
    fmt::print("  {:<10}{:>10}\n", name_of(static_cast<program::Test>(t)), statistics.tests[t]);

  CHECK(differing == 0);
  CHECK(statistics.pairs == wanted);
  CHECK(statistics.rewriting * 100 >= statistics.pairs * 80);
  for (std::size_t t = 0; t < kTests; ++t) {
    INFO("instruction " << name_of(static_cast<program::Test>(t)));
    CHECK(statistics.tests[t] > 0);
  }
}

TEST_CASE("and on graphs of some hundred nodes") {
  const std::size_t wanted = wanted_pairs() / 100;
  Statistics statistics;
  std::size_t differing = 0;
  for (std::uint64_t seed = 1; statistics.pairs < wanted && differing < 5; ++seed) {
    const std::string text = random_rules(seed);
    const Loaded rules = load_text(text);
    if (rules.ok())
      differing += !agree(rules, text, seed, statistics, 200 + static_cast<std::uint32_t>(seed % 400), 150);
  }
  fmt::print("{} larger pairs: {} rewrites, at most {} in one, {} stopped at the limit\n", statistics.pairs,
             statistics.rewrites, statistics.most, statistics.limited);
  CHECK(differing == 0);
  CHECK(statistics.most == 150);
}

}  // namespace fxrules::testing
