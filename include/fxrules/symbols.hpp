// Interned strings. A symbol's text never moves; ids are dense and start at 0.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "fxrules/column.hpp"
#include "fxrules/ids.hpp"

namespace fxrules {

class Symbols {
 public:
  Symbols();
  // O(length), amortised.
  SymbolId intern(std::string_view text);
  [[nodiscard]] std::optional<SymbolId> find(std::string_view text) const;
  [[nodiscard]] std::string_view text(SymbolId id) const { return texts_[id.value]; }
  [[nodiscard]] std::size_t size() const { return texts_.size(); }
  [[nodiscard]] std::size_t bytes() const;  // memory held

 private:
  [[nodiscard]] std::size_t probe(std::string_view text, std::uint32_t hash) const;
  void grow();
  std::string_view store(std::string_view text);

  // Hash and symbol stand together: what is not the text looked for is passed without touching its own.
  struct Entry {
    std::uint32_t hash = 0;
    std::uint32_t symbol = 0;  // + 1; 0: free
  };
  Column<std::string_view> texts_;
  Column<Entry> table_;  // open addressing
  std::vector<std::unique_ptr<char[]>> chunks_;
  std::size_t used_ = 0, capacity_ = 0, held_ = 0;
};

}  // namespace fxrules
