#include "formats/pt2/enums.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace fxrules::pt2 {
namespace {

struct NumberedDtype {
  std::int64_t number;
  Dtype dtype;
};
constexpr NumberedDtype kDtypes[] = {
    {1, Dtype::uint8},
    {2, Dtype::int8},
    {3, Dtype::int16},
    {4, Dtype::int32},
    {5, Dtype::int64},
    {6, Dtype::float16},
    {7, Dtype::float32},
    {8, Dtype::float64},
    {9, Dtype::complex32},
    {10, Dtype::complex64},
    {11, Dtype::complex128},
    {12, Dtype::boolean},
    {13, Dtype::bfloat16},
    {28, Dtype::uint16},
    {29, Dtype::float8_e4m3fn},
    {30, Dtype::float8_e5m2},
    {31, Dtype::float8_e4m3fnuz},
    {32, Dtype::float8_e5m2fnuz},
    {33, Dtype::float8_e8m0fnu},
    {34, Dtype::uint32},
    {35, Dtype::uint64},
};

// Place: the number. Unknown is 0.
constexpr std::array<std::string_view, 8> kLayouts{"",
                                                   "torch.sparse_coo",
                                                   "torch.sparse_csr",
                                                   "torch.sparse_csc",
                                                   "torch.sparse_bsr",
                                                   "torch.sparse_bsc",
                                                   "torch._mkldnn",
                                                   "torch.strided"};
constexpr std::array<std::string_view, 5> kMemoryFormats{"", "torch.contiguous_format", "torch.channels_last",
                                                         "torch.channels_last_3d", "torch.preserve_format"};

template <std::size_t N>
std::string_view name_at(const std::array<std::string_view, N>& names, std::int64_t number) {
  return number > 0 && number < static_cast<std::int64_t>(N) ? names[static_cast<std::size_t>(number)] : "";
}

template <std::size_t N>
std::optional<std::int64_t> number_in(const std::array<std::string_view, N>& names, std::string_view name) {
  const auto at = std::find(names.begin() + 1, names.end(), name);
  if (at == names.end()) return std::nullopt;
  return at - names.begin();
}

}  // namespace

std::optional<Dtype> dtype_of(std::int64_t number) {
  for (const NumberedDtype& d : kDtypes) {
    if (d.number == number) return d.dtype;
  }
  return std::nullopt;
}

std::optional<std::int64_t> number_of(Dtype dtype) {
  for (const NumberedDtype& d : kDtypes) {
    if (d.dtype == dtype) return d.number;
  }
  return std::nullopt;
}

std::string_view layout_of(std::int64_t number) { return name_at(kLayouts, number); }
std::optional<std::int64_t> layout_number(std::string_view layout) { return number_in(kLayouts, layout); }
std::string_view memory_format_of(std::int64_t number) { return name_at(kMemoryFormats, number); }
std::optional<std::int64_t> memory_format_number(std::string_view format) { return number_in(kMemoryFormats, format); }

}  // namespace fxrules::pt2
