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
  if (table_[place].symbol != 0) return SymbolId(table_[place].symbol - 1);
  if ((texts_.size() + 1) * 2 > table_.size()) {
    grow();
    place = probe(text, hash);
  }
  texts_.push_back(store(text));
  table_[place] = {hash, static_cast<std::uint32_t>(texts_.size())};
  return SymbolId(table_[place].symbol - 1);
}

std::optional<SymbolId> Symbols::find(std::string_view text) const {
  const Entry entry = table_[probe(text, hash_of(text))];
  if (entry.symbol == 0) return std::nullopt;
  return SymbolId(entry.symbol - 1);
}

std::size_t Symbols::bytes() const {
  return held_ + texts_.capacity() * sizeof(std::string_view) + table_.capacity() * sizeof(Entry);
}

std::size_t Symbols::probe(std::string_view text, std::uint32_t hash) const {
  const std::size_t mask = table_.size() - 1;
  std::size_t place = hash & mask;
  while (table_[place].symbol != 0) {
    if (table_[place].hash == hash && texts_[table_[place].symbol - 1] == text) break;
    place = (place + 1) & mask;
  }
  return place;
}

void Symbols::grow() {
  Column<Entry> wider;
  wider.resize(table_.size() * 2);
  const std::size_t mask = wider.size() - 1;
  for (std::size_t i = 0; i < table_.size(); ++i) {
    if (table_[i].symbol == 0) continue;
    std::size_t place = table_[i].hash & mask;
    while (wider[place].symbol != 0) place = (place + 1) & mask;
    wider[place] = table_[i];
  }
  table_.swap(wider);
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
