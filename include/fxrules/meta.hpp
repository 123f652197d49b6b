// Value metadata: what is known of a node's value without running the model. Interned: equal metadata is
// one id. What is left out is unknown, never assumed.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fxrules/dtype.hpp"
#include "fxrules/ids.hpp"
#include "fxrules/symbolic.hpp"
#include "fxrules/symbols.hpp"

namespace fxrules {

struct TensorMeta {
  Dtype dtype = Dtype::unknown;
  std::optional<std::vector<Size>> shape;
  std::optional<std::vector<Size>> strides;  // in elements; the same rank as the shape
  SymbolId device;                           // "cuda:0"; none: unknown
  SymbolId layout;                           // "torch.strided"; none: unknown
  std::optional<bool> requires_grad;
  std::optional<bool> quantised;
  friend bool operator==(const TensorMeta&, const TensorMeta&) = default;
};

enum class MetaKind : std::uint8_t { tensor, symbolic, tuple, other };

struct ValueMeta {
  MetaKind kind = MetaKind::tensor;
  TensorMeta tensor;          // tensor
  Size value;                 // symbolic: Sym(s0), Sym(8)
  std::vector<MetaId> parts;  // tuple; none where a part is unknown
  std::string other;          // other: verbatim
  friend bool operator==(const ValueMeta&, const ValueMeta&) = default;
};

class Metas {
 public:
  explicit Metas(Symbols& symbols) : symbols_(&symbols), expressions_(symbols) {}
  MetaId intern(const ValueMeta& meta);
  MetaId tensor(const TensorMeta& meta);
  [[nodiscard]] const ValueMeta& operator[](MetaId id) const { return metas_[id.value]; }
  // The tensor metadata, or null when unknown or no tensor.
  [[nodiscard]] const TensorMeta* tensor_of(MetaId id) const;
  [[nodiscard]] Expressions& expressions() { return expressions_; }
  [[nodiscard]] const Expressions& expressions() const { return expressions_; }
  [[nodiscard]] std::size_t size() const { return metas_.size(); }

  // "f32[4, s0][s0, 1]cpu", "Sym(s0)": the text of annotations, as torch prints them; an unknown size is
  // `?`, a tuple `(f32[2][1]cpu, ?)`. `parse` takes what `text` and torch print and what rule files write:
  //   f32[4,8] strides=(8,1) device=cpu layout=torch.strided requires_grad=True quantised=False
  // with any name of a dtype (`b8[3]`, `bool[3]`, `torch.bool[3]`). A wrapper that torch prints around it
  // (`DTensor(f32[4], …)`) is kept verbatim as `other`. nullopt for other text. O(length).
  [[nodiscard]] std::string text(MetaId id, bool strides = true, bool device = true) const;
  [[nodiscard]] std::optional<MetaId> parse(std::string_view text);

 private:
  [[nodiscard]] std::string sizes_text(const std::vector<Size>& sizes) const;
  [[nodiscard]] std::string tensor_text(const TensorMeta& meta, bool strides, bool device) const;

  Symbols* symbols_;
  Expressions expressions_;
  std::deque<ValueMeta> metas_;  // a reference stays valid while more are interned
  std::unordered_multimap<std::size_t, std::uint32_t> index_;
};

// Strides of a contiguous tensor of this shape as torch works them out, in which a size counts at least
// 1: a stride is unknown from the first unknown size leftwards.
[[nodiscard]] std::vector<Size> row_major(Expressions& expressions, const std::vector<Size>& shape);

}  // namespace fxrules
