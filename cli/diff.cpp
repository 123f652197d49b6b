// Patience diff: lines that occur once in both texts, and in the same order, are matched; what lies between
// two of them is a smaller problem of the same kind. Gaps without such a line are compared pair by pair
// while that is cheap, and are otherwise taken as replaced whole: a diff must never cost more than the run.
#include "cli/diff.hpp"

#include <algorithm>
#include <unordered_map>

namespace fxrules::cli {
namespace {

using Index = std::uint32_t;

constexpr std::uint32_t kMaxDepth = 50;         // each level looks at every line once
constexpr std::size_t kMaxTable = 1'000'000;    // cells of one pairwise comparison
constexpr std::size_t kMaxTables = 50'000'000;  // cells of all of them

struct Box {
  Index a_begin, a_end, b_begin, b_end;
  std::uint32_t depth;
  [[nodiscard]] bool empty() const { return a_begin == a_end || b_begin == b_end; }
};

struct Anchor {
  Index a, b;
};

class Matching {
 public:
  Matching(const std::vector<std::string_view>& before, const std::vector<std::string_view>& after);
  std::vector<Index> run();

 private:
  struct Count {
    Index in_a = 0, in_b = 0, b_line = 0;
  };

  void trim(Box& box);
  void solve(Box box);
  std::vector<Anchor> unique_lines(const Box& box);
  void split(const Box& box, const std::vector<Anchor>& anchors);
  void compare_pairs(const Box& box);

  std::vector<Index> a_, b_;   // lines as numbers
  std::vector<Count> counts_;  // by number
  std::vector<Index> matched_;
  std::vector<Box> open_;
  std::size_t cells_ = 0;
};

Matching::Matching(const std::vector<std::string_view>& before, const std::vector<std::string_view>& after) {
  std::unordered_map<std::string_view, Index> numbers;
  numbers.reserve(before.size() + after.size() / 8);
  const auto number = [&](std::string_view line) {
    return numbers.try_emplace(line, static_cast<Index>(numbers.size())).first->second;
  };
  a_.reserve(before.size());
  b_.reserve(after.size());
  for (const std::string_view line : before) a_.push_back(number(line));
  for (const std::string_view line : after) b_.push_back(number(line));
  counts_.resize(numbers.size());
  matched_.assign(before.size(), kNoLine);
}

std::vector<Index> Matching::run() {
  open_.push_back({0, static_cast<Index>(a_.size()), 0, static_cast<Index>(b_.size()), 0});
  while (!open_.empty()) {
    const Box box = open_.back();
    open_.pop_back();
    solve(box);
  }
  return std::move(matched_);
}

void Matching::trim(Box& box) {
  while (!box.empty() && a_[box.a_begin] == b_[box.b_begin]) matched_[box.a_begin++] = box.b_begin++;
  while (!box.empty() && a_[box.a_end - 1] == b_[box.b_end - 1]) matched_[--box.a_end] = --box.b_end;
}

void Matching::solve(Box box) {
  trim(box);
  if (box.empty()) return;
  const std::vector<Anchor> anchors = box.depth < kMaxDepth ? unique_lines(box) : std::vector<Anchor>{};
  if (anchors.empty()) {
    compare_pairs(box);
  } else {
    split(box, anchors);
  }
}

// The longest run of anchors that increases on both sides, by patience sorting. `anchors` increase in a.
std::vector<Anchor> longest_increasing(const std::vector<Anchor>& anchors) {
  std::vector<Index> piles;  // top anchor of each
  std::vector<Index> below(anchors.size(), kNoLine);
  for (Index i = 0; i < anchors.size(); ++i) {
    const auto pile = std::lower_bound(piles.begin(), piles.end(), anchors[i].b,
                                       [&](Index top, Index b) { return anchors[top].b < b; });
    if (pile != piles.begin()) below[i] = *(pile - 1);
    if (pile == piles.end()) {
      piles.push_back(i);
    } else {
      *pile = i;
    }
  }
  std::vector<Anchor> longest;
  for (Index i = piles.empty() ? kNoLine : piles.back(); i != kNoLine; i = below[i]) longest.push_back(anchors[i]);
  std::reverse(longest.begin(), longest.end());
  return longest;
}

std::vector<Anchor> Matching::unique_lines(const Box& box) {
  for (Index i = box.a_begin; i < box.a_end; ++i) ++counts_[a_[i]].in_a;
  for (Index i = box.b_begin; i < box.b_end; ++i) {
    Count& count = counts_[b_[i]];
    ++count.in_b;
    count.b_line = i;
  }
  std::vector<Anchor> anchors;
  for (Index i = box.a_begin; i < box.a_end; ++i) {
    const Count& count = counts_[a_[i]];
    if (count.in_a == 1 && count.in_b == 1) anchors.push_back({i, count.b_line});
  }
  for (Index i = box.a_begin; i < box.a_end; ++i) counts_[a_[i]] = {};
  for (Index i = box.b_begin; i < box.b_end; ++i) counts_[b_[i]] = {};
  return longest_increasing(anchors);
}

void Matching::split(const Box& box, const std::vector<Anchor>& anchors) {
  Index a = box.a_begin, b = box.b_begin;
  for (const Anchor& anchor : anchors) {
    matched_[anchor.a] = anchor.b;
    open_.push_back({a, anchor.a, b, anchor.b, box.depth + 1});
    a = anchor.a + 1;
    b = anchor.b + 1;
  }
  open_.push_back({a, box.a_end, b, box.b_end, box.depth + 1});
}

// The longest common subsequence by the usual table.
void Matching::compare_pairs(const Box& box) {
  const std::size_t height = box.a_end - box.a_begin, width = box.b_end - box.b_begin;
  if (height * width > kMaxTable || cells_ + height * width > kMaxTables) return;
  cells_ += height * width;
  std::vector<Index> length((height + 1) * (width + 1), 0);
  const auto at = [&](std::size_t i, std::size_t j) -> Index& { return length[i * (width + 1) + j]; };
  for (std::size_t i = height; i-- > 0;) {
    for (std::size_t j = width; j-- > 0;) {
      at(i, j) =
          a_[box.a_begin + i] == b_[box.b_begin + j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
    }
  }
  for (std::size_t i = 0, j = 0; i < height && j < width;) {
    if (a_[box.a_begin + i] == b_[box.b_begin + j]) {
      matched_[box.a_begin + i++] = static_cast<Index>(box.b_begin + j++);
    } else {
      ++(at(i + 1, j) >= at(i, j + 1) ? i : j);
    }
  }
}

}  // namespace

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  lines.reserve(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1);
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::size_t length = end == std::string_view::npos ? text.size() : end + 1;
    lines.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

std::vector<std::uint32_t> match_lines(const std::vector<std::string_view>& before,
                                       const std::vector<std::string_view>& after) {
  return Matching(before, after).run();
}

}  // namespace fxrules::cli
