// From names to numbers. Keys point into text that outlives the table; open addressing in one block,
// because loading the catalogue is mostly filling such tables.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace fxrules::catalogue {

class NameTable {
 public:
  // Room for `count` names without growing.
  explicit NameTable(std::size_t count = 0) { rehash(capacity_for(count)); }

  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view name) const {
    const Cell& cell = cells_[place_of(name, hash_of(name))];
    return cell.used() ? std::optional(cell.value) : std::nullopt;
  }

  // The value of `name`, which becomes `fresh` when the name is new.
  std::uint32_t& at_or_insert(std::string_view name, std::uint32_t fresh) {
    if (2 * (size_ + 1) > cells_.size()) rehash(2 * cells_.size());
    const std::uint32_t hash = hash_of(name);
    Cell& cell = cells_[place_of(name, hash)];
    if (!cell.used()) {
      cell = {name, hash, fresh};
      ++size_;
    }
    return cell.value;
  }

 private:
  // The hash stands beside the name, so that a wrong cell is passed without a look at far-away text.
  struct Cell {
    std::string_view name;
    std::uint32_t hash = 0;
    std::uint32_t value = 0;
    [[nodiscard]] bool used() const { return name.data() != nullptr; }
  };

  static std::uint32_t hash_of(std::string_view name) {
    return static_cast<std::uint32_t>(std::hash<std::string_view>{}(name));
  }

  static std::size_t capacity_for(std::size_t count) {
    std::size_t capacity = 16;
    while (capacity < 2 * (count + 1)) capacity *= 2;
    return capacity;
  }

  [[nodiscard]] std::size_t place_of(std::string_view name, std::uint32_t hash) const {
    const std::size_t mask = cells_.size() - 1;
    std::size_t place = hash & mask;
    while (cells_[place].used() && (cells_[place].hash != hash || cells_[place].name != name)) {
      place = (place + 1) & mask;
    }
    return place;
  }

  void rehash(std::size_t capacity) {
    std::vector<Cell> old(capacity);
    old.swap(cells_);
    for (const Cell& cell : old) {
      if (cell.used()) cells_[place_of(cell.name, cell.hash)] = cell;
    }
  }

  std::vector<Cell> cells_;
  std::size_t size_ = 0;
};

}  // namespace fxrules::catalogue
