// Open addressing over symbol ids; the characters live in chunks that never move.
#include "fxrules/symbols.hpp"

#include <algorithm>
#include <cstring>
#include <functional>

namespace fxrules {
namespace {

std::uint32_t hash_of(std::string_view text) {
  const std::size_t h = std::hash<std::string_view>{}(text);
  return static_cast<std::uint32_t>(h ^ (h >> 32));
}

}  // namespace

Symbols::Symbols() { table_.resize(64); }

SymbolId Symbols::intern(std::string_view text) {
  const std::uint32_t hash = hash_of(text);
  std::size_t place = probe(text, hash);
  if (table_[place] != 0) return SymbolId(table_[place] - 1);
  if ((texts_.size() + 1) * 2 > table_.size()) {
    grow();
    place = probe(text, hash);
  }
  texts_.push_back(store(text));
  hashes_.push_back(hash);
  table_[place] = static_cast<std::uint32_t>(texts_.size());
  return SymbolId(table_[place] - 1);
}

std::optional<SymbolId> Symbols::find(std::string_view text) const {
  const std::uint32_t entry = table_[probe(text, hash_of(text))];
  if (entry == 0) return std::nullopt;
  return SymbolId(entry - 1);
}

std::size_t Symbols::bytes() const {
  return held_ + texts_.capacity() * sizeof(std::string_view) + (hashes_.capacity() + table_.capacity()) * 4;
}

std::size_t Symbols::probe(std::string_view text, std::uint32_t hash) const {
  const std::size_t mask = table_.size() - 1;
  std::size_t place = hash & mask;
  while (table_[place] != 0) {
    const std::uint32_t at = table_[place] - 1;
    if (hashes_[at] == hash && texts_[at] == text) break;
    place = (place + 1) & mask;
  }
  return place;
}

void Symbols::grow() {
  Column<std::uint32_t> wider;
  wider.resize(table_.size() * 2);
  table_.swap(wider);
  const std::size_t mask = table_.size() - 1;
  for (std::uint32_t at = 0; at < texts_.size(); ++at) {
    std::size_t place = hashes_[at] & mask;
    while (table_[place] != 0) place = (place + 1) & mask;
    table_[place] = at + 1;
  }
}

std::string_view Symbols::store(std::string_view text) {
  if (used_ + text.size() > capacity_ || chunks_.empty()) {
    capacity_ =
        std::max<std::size_t>(text.size(), chunks_.empty() ? 4096 : std::min<std::size_t>(capacity_ * 2, 4u << 20));
    chunks_.push_back(std::make_unique<char[]>(capacity_));
    held_ += capacity_;
    used_ = 0;
  }
  char* to = chunks_.back().get() + used_;
  if (!text.empty()) std::memcpy(to, text.data(), text.size());
  used_ += text.size();
  return {to, text.size()};
}

}  // namespace fxrules
