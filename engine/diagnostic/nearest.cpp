// Edit distance that counts a swap of neighbours as one step (optimal string alignment), cut off as soon
// as it cannot stay within the bound, since a misspelt op is compared with thousands.
#include <algorithm>
#include <utility>

#include "fxrules/diagnostic.hpp"

namespace fxrules {
namespace {

constexpr std::size_t kMaxNameLength = 256;  // what is longer is no misspelt name

std::size_t distance_bound(std::size_t length) { return std::clamp<std::size_t>(length / 3, 1, 4); }

// The distance of `a` and `b`, or `bound + 1` when it is larger than `bound`.
std::size_t bounded_distance(std::string_view a, std::string_view b, std::size_t bound) {
  const std::size_t length_difference = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (length_difference > bound) return bound + 1;
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    if (*std::min_element(row.begin(), row.end()) > bound) return bound + 1;
  }
  return std::min(row[b.size()], bound + 1);
}

}  // namespace

std::vector<std::string> nearest_names(std::string_view name, const std::vector<std::string_view>& candidates,
                                       std::size_t limit) {
  if (name.empty() || name.size() > kMaxNameLength) return {};
  const std::size_t bound = distance_bound(name.size());
  std::vector<std::pair<std::size_t, std::string_view>> near;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = bounded_distance(name, candidate, bound);
    if (distance > 0 && distance <= bound) near.emplace_back(distance, candidate);
  }
  std::sort(near.begin(), near.end());
  near.erase(std::unique(near.begin(), near.end()), near.end());
  near.resize(std::min(near.size(), limit));
  std::vector<std::string> names;
  names.reserve(near.size());
  for (const auto& [distance, candidate] : near) names.emplace_back(candidate);
  return names;
}

}  // namespace fxrules
