#include "engine/program/builtins.hpp"

#include <unordered_map>

namespace fxrules {
namespace {

constexpr std::uint8_t kAny = 255;

constexpr BuiltinInfo kBuiltins[] = {
    {Builtin::shape, "shape", 1, 1},
    {Builtin::dtype, "dtype", 1, 1},
    {Builtin::rank, "rank", 1, 1},
    {Builtin::strides, "strides", 1, 1},
    {Builtin::device, "device", 1, 1},
    {Builtin::quantised, "quantised", 1, 1},
    {Builtin::requires_grad, "requires_grad", 1, 1},
    {Builtin::is_dense, "is_dense", 1, 1},
    {Builtin::is_contiguous, "is_contiguous", 1, 1},
    {Builtin::overlapping, "overlapping", 1, 1},
    {Builtin::results, "results", 1, 1},
    {Builtin::result, "result", 2, 2},
    {Builtin::known, "known", 1, 1},
    {Builtin::is_static, "static", 1, 1},
    {Builtin::broadcasts, "broadcasts", 2, 2},
    {Builtin::row_major, "row_major", 1, 1},
    {Builtin::dense_strides, "dense_strides", 2, kAny},
    {Builtin::view_strides, "view_strides", 3, 3},
    {Builtin::is_view, "is_view", 1, 1},
    {Builtin::len, "len", 1, 1},
    {Builtin::list, "list", 1, 1},
    {Builtin::tuple, "tuple", 1, 1},
    {Builtin::reversed, "reversed", 1, 1},
    {Builtin::first, "first", 2, 2},
    {Builtin::last, "last", 2, 2},
    {Builtin::after, "after", 2, 2},
    {Builtin::drop, "drop", 2, 2},
    {Builtin::replace, "replace", 3, 3},
    {Builtin::insert_at, "insert_at", 3, 3},
    {Builtin::position, "position", 2, 2},
    {Builtin::copies, "copies", 2, 2},
    {Builtin::upto, "upto", 1, 1},
    {Builtin::least, "least", 1, kAny},
    {Builtin::greatest, "greatest", 1, kAny},
    {Builtin::total, "total", 1, 1},
    {Builtin::product, "product", 1, 1},
    {Builtin::promote, "promote", 1, kAny},
    {Builtin::can_cast, "can_cast", 2, 2},
    {Builtin::integral, "integral", 1, 1},
    {Builtin::device_type, "device_type", 1, 1},
    {Builtin::with_type, "with_type", 2, 2},
    {Builtin::uses, "uses", 1, 1},
    {Builtin::occurrences, "occurrences", 2, 2},
    {Builtin::given, "given", 2, 2},
    {Builtin::mutates, "mutates", 1, 1},
    {Builtin::base, "base", 1, 1},
    {Builtin::may_alias, "may_alias", 2, 2},
    {Builtin::last_use, "last_use", 2, 2},
    {Builtin::writable, "writable", 1, 1},
    {Builtin::is_input, "is_input", 1, 1},
    {Builtin::is_parameter, "is_parameter", 1, 1},
    {Builtin::is_buffer, "is_buffer", 1, 1},
    {Builtin::outputs, "outputs", 1, 1},
    {Builtin::in_place, "in_place", 2, 2},
    {Builtin::written_back, "written_back", 1, 1},
    {Builtin::is_writeback, "is_writeback", 1, 1},
    {Builtin::mutated, "mutated", 1, 1},
    {Builtin::dominates, "dominates", 2, 2},
    {Builtin::post_dominates, "post_dominates", 2, 2},
    {Builtin::origin, "origin", 1, 1},
    {Builtin::name, "name", 1, 1},
    {Builtin::op, "op", 1, 1},
    {Builtin::defined, "defined", 1, 1},
    {Builtin::tensor, "Tensor", 2, 4},
};

}  // namespace

std::span<const BuiltinInfo> builtins() { return kBuiltins; }

const BuiltinInfo* find_builtin(std::string_view name) {
  static const std::unordered_map<std::string_view, const BuiltinInfo*> kIndex = [] {
    std::unordered_map<std::string_view, const BuiltinInfo*> index;
    for (const BuiltinInfo& b : kBuiltins) index.emplace(b.name, &b);
    return index;
  }();
  const auto found = kIndex.find(name);
  return found == kIndex.end() ? nullptr : found->second;
}

const BuiltinInfo& info(Builtin id) { return kBuiltins[static_cast<std::size_t>(id)]; }

}  // namespace fxrules
