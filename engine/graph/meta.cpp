// Interning of metadata, and its text.
#include "fxrules/meta.hpp"

#include <functional>

namespace fxrules {
namespace {

struct Hasher {
  std::size_t value = 0;
  void add(std::size_t x) { value = (value ^ x) * 0x9E3779B97F4A7C15ull + (value >> 29); }
  void add(const Size& s) {
    add(static_cast<std::size_t>(s.value));
    add(s.expr.value);
    add(s.known ? 1 : 0);
  }
  void add(const std::optional<std::vector<Size>>& sizes) {
    add(sizes ? sizes->size() + 1 : 0);
    if (!sizes) return;
    for (const Size& s : *sizes) add(s);
  }
  void add(const std::optional<bool>& flag) { add(flag ? (*flag ? 2u : 1u) : 0u); }
};

std::size_t hash_of(const ValueMeta& meta) {
  Hasher h;
  h.add(static_cast<std::size_t>(meta.kind));
  h.add(static_cast<std::size_t>(meta.tensor.dtype));
  h.add(meta.tensor.shape);
  h.add(meta.tensor.strides);
  h.add(meta.tensor.device.value);
  h.add(meta.tensor.layout.value);
  h.add(meta.tensor.requires_grad);
  h.add(meta.tensor.quantised);
  h.add(meta.value);
  for (const MetaId part : meta.parts) h.add(part.value);
  h.add(std::hash<std::string>{}(meta.other));
  return h.value;
}

}  // namespace

MetaId Metas::intern(const ValueMeta& meta) {
  const std::size_t hash = hash_of(meta);
  const auto [begin, end] = index_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    if (metas_[it->second] == meta) return MetaId(it->second);
  }
  const auto id = static_cast<std::uint32_t>(metas_.size());
  metas_.push_back(meta);
  index_.emplace(hash, id);
  return MetaId(id);
}

MetaId Metas::tensor(const TensorMeta& meta) {
  ValueMeta value;
  value.tensor = meta;
  return intern(value);
}

const TensorMeta* Metas::tensor_of(MetaId id) const {
  if (!id.valid() || metas_[id.value].kind != MetaKind::tensor) return nullptr;
  return &metas_[id.value].tensor;
}

std::string Metas::sizes_text(const std::vector<Size>& sizes) const {
  std::string out = "[";
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (i > 0) out += ", ";
    out += expressions_.text(sizes[i]);
  }
  return out + "]";
}

std::string Metas::tensor_text(const TensorMeta& meta, bool strides, bool device) const {
  std::string out(meta.dtype == Dtype::unknown ? "?" : short_name(meta.dtype));
  if (!meta.shape) return out;
  out += sizes_text(*meta.shape);
  if (strides && meta.strides) out += sizes_text(*meta.strides);
  if (device && meta.device.valid()) out += symbols_->text(meta.device);
  return out;
}

// Tuples hold ids of metadata that was interned before them, so nesting ends; it is printed with a stack.
std::string Metas::text(MetaId id, bool strides, bool device) const {
  if (!id.valid()) return "?";
  struct Frame {
    const ValueMeta* tuple;
    std::size_t next;
  };
  std::string out;
  std::vector<Frame> frames;
  const auto begin = [&](MetaId part) {
    if (!part.valid()) {
      out += "?";
      return;
    }
    const ValueMeta& meta = metas_[part.value];
    switch (meta.kind) {
      case MetaKind::tensor:
        out += tensor_text(meta.tensor, strides, device);
        break;
      case MetaKind::symbolic:
        out += "Sym(" + expressions_.text(meta.value) + ")";
        break;
      case MetaKind::other:
        out += meta.other;
        break;
      case MetaKind::tuple:
        out += "(";
        frames.push_back({&meta, 0});
        break;
    }
  };
  begin(id);
  while (!frames.empty()) {
    Frame& frame = frames.back();
    if (frame.next == frame.tuple->parts.size()) {
      out += frame.next == 1 ? ",)" : ")";
      frames.pop_back();
      continue;
    }
    if (frame.next > 0) out += ", ";
    begin(frame.tuple->parts[frame.next++]);
  }
  return out;
}

std::vector<Size> row_major(Expressions& expressions, const std::vector<Size>& shape) {
  std::vector<Size> strides(shape.size(), Size::of(1));
  for (std::size_t i = shape.size(); i-- > 1;) {
    // A backed symbol is at least 2 for torch, which writes it alone; what is computed from symbols gets a Max.
    const std::string text = expressions.text(shape[i]);
    const bool backed = shape[i].known && text.size() > 1 && text[0] == 's' &&
                        text.find_first_not_of("0123456789", 1) == std::string::npos;
    const Size size = backed ? shape[i] : expressions.maximum(Size::of(1), shape[i]);
    strides[i - 1] = expressions.multiply(strides[i], size);
  }
  return strides;
}

}  // namespace fxrules
