#include "cli/diff.hpp"

#include <algorithm>
#include <chrono>
#include <random>

#include <fmt/format.h>

#include "cli/unified.hpp"
#include "tests/support/catch.hpp"

using namespace fxrules::cli;

namespace {

using Lines = std::vector<std::string_view>;

// Kept, removed and added lines of a diff with unlimited context must give both texts back.
std::pair<std::string, std::string> both_sides(const std::string& diff) {
  std::string before, after;
  for (std::string_view line : split_lines(diff)) {
    if (line.rfind("@@", 0) == 0 || line.rfind("\\", 0) == 0) continue;
    if (line[0] != '+') before += line.substr(1);
    if (line[0] != '-') after += line.substr(1);
  }
  return {before, after};
}

std::string random_text(std::mt19937& random, std::size_t lines, unsigned words) {
  std::string text;
  for (std::size_t i = 0; i < lines; ++i) text += fmt::format("w{}\n", random() % words);
  return text;
}

// Removes, adds and repeats lines here and there.
std::string edited(std::mt19937& random, const std::string& text) {
  std::string out;
  for (const std::string_view line : split_lines(text)) {
    const auto dice = random() % 20;
    if (dice == 0) continue;
    if (dice == 1) out += "new\n";
    out += line;
    if (dice == 2) out += line;
  }
  return out;
}

bool increases(const std::vector<std::uint32_t>& matched) {
  std::uint32_t last = kNoLine;
  for (const std::uint32_t line : matched) {
    if (line == kNoLine) continue;
    if (last != kNoLine && line <= last) return false;
    last = line;
  }
  return true;
}

}  // namespace

TEST_CASE("lines keep their ends, only the last may lack one") {
  CHECK(split_lines("a\n\nb") == Lines{"a\n", "\n", "b"});
  CHECK(split_lines("a\n") == Lines{"a\n"});
  CHECK(split_lines("").empty());
}

TEST_CASE("equal lines are matched in order") {
  CHECK(match_lines({"a", "b", "c"}, {"a", "x", "c"}) == std::vector<std::uint32_t>{0, kNoLine, 2});
  CHECK(match_lines({"a", "b"}, {"b", "a"}).size() == 2);
  CHECK(match_lines({}, {"a"}).empty());
  CHECK(match_lines({"a"}, {}) == std::vector<std::uint32_t>{kNoLine});
}

TEST_CASE("lines that occur often are matched as many as can be") {
  const auto matched = match_lines({"x", "x", "a", "x"}, {"x", "b", "x"});
  CHECK(std::count(matched.begin(), matched.end(), kNoLine) == 2);
}

TEST_CASE("a unified diff shows changes with three lines around them") {
  const std::string before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n", after = "1\n2\n3\n4\nfive\n6\n7\n8\n9\n";
  CHECK(unified_diff(before, after) == "--- before\n+++ after\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST_CASE("changes far from each other are hunks of their own") {
  std::string before, after;
  for (int i = 0; i < 20; ++i) {
    before += fmt::format("{}\n", i);
    if (i != 2) after += fmt::format("{}\n", i);
    if (i == 17) after += "more\n";
  }
  CHECK(unified_diff(before, after) ==
        "--- before\n+++ after\n@@ -1,6 +1,5 @@\n 0\n 1\n-2\n 3\n 4\n 5\n@@ -16,5 +15,6 @@\n 15\n 16\n 17\n+more\n "
        "18\n 19\n");
}

TEST_CASE("a text that becomes empty, and one that comes from nothing") {
  CHECK(unified_diff("a\n", "") == "--- before\n+++ after\n@@ -1 +0,0 @@\n-a\n");
  CHECK(unified_diff("", "a\n") == "--- before\n+++ after\n@@ -0,0 +1 @@\n+a\n");
  CHECK(unified_diff("a\n", "a\n").empty());
  CHECK(unified_diff("", "").empty());
}

TEST_CASE("a missing line end is a change, marked as diff marks it") {
  CHECK(unified_diff("a\nb", "a\nb\n") ==
        "--- before\n+++ after\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n");
}

TEST_CASE("colours are for terminals") {
  DiffStyle style;
  style.color = true;
  CHECK(unified_diff("a\n", "b\n", style) ==
        "\x1b[1m--- before\x1b[0m\n\x1b[1m+++ after\x1b[0m\n\x1b[36m@@ -1 +1 "
        "@@\x1b[0m\n\x1b[31m-a\x1b[0m\n\x1b[32m+b\x1b[0m\n");
}

TEST_CASE("random texts come back from their diff, and matches are equal lines in order") {
  std::mt19937 random(7);
  DiffStyle whole;
  whole.context = 1'000'000;
  whole.headers = false;
  for (int round = 0; round < 500; ++round) {
    const std::string before = random_text(random, random() % 60, 1 + random() % 40), after = edited(random, before);
    const Lines a = split_lines(before), b = split_lines(after);
    const auto matched = match_lines(a, b);
    REQUIRE(increases(matched));
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (matched[i] != kNoLine) REQUIRE(a[i] == b[matched[i]]);
    }
    if (before == after) continue;
    REQUIRE(both_sides(unified_diff(before, after, whole)) == std::pair(before, after));
  }
}

TEST_CASE("a million lines with few changes, and with every fifth changed, take a moment") {
  std::string before, few, many;
  for (int i = 0; i < 1'000'000; ++i) {
    const std::string line = fmt::format("    %add_{} : [num_users=1] = call_function[target=torch.add]\n", i);
    before += line;
    few += i % 100'000 == 50 ? "changed\n" : line;
    many += i % 5 == 0 ? fmt::format("    %mul_{}\n", i) : line;
  }
  const auto start = std::chrono::steady_clock::now();
  const auto lines_with = [&](const std::string& after, std::string_view sign) {
    const std::string diff = unified_diff(before, after);
    std::size_t count = 0;
    for (const std::string_view line : split_lines(diff)) count += line.rfind(sign, 0) == 0 ? 1 : 0;
    return count;
  };
  CHECK(lines_with(few, "-") == 11);
  CHECK(lines_with(many, "+") == 200'001);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(60));
}

TEST_CASE("texts made to defeat the anchors end too") {
  std::string before, after;
  for (int i = 0; i < 30'000; ++i) {
    before += fmt::format("{}\n", i % 2);
    after += fmt::format("{}\n", i % 3 % 2);
  }
  DiffStyle whole;
  whole.context = 1'000'000;
  whole.headers = false;
  CHECK(both_sides(unified_diff(before, after, whole)) == std::pair(before, after));
}
