#include "dragoman/backend/cpu/common/int8_kernels.h"

#include <algorithm>

namespace dragoman::cpu {

namespace {

void multiply_portable(const Int8Panel& panel, const std::int8_t* columns, std::int32_t* products) {
  std::fill_n(products, panel.height * kInt8.cols, 0);
  for (std::int64_t k = 0; k < panel.depth; k += kInt8.group) {
    for (std::int64_t i = 0; i < panel.height; ++i) {
      const std::int8_t* row = panel.rows + kInt8.in_rows(panel.depth, panel.height, i, k);
      for (std::int64_t c = 0; c < kInt8.cols; ++c) {
        const std::int8_t* column = columns + kInt8.in_columns(k, c);
        std::int32_t sum = 0;
        for (std::int64_t j = 0; j < kInt8.group; ++j) sum += row[j] * column[j];
        products[i * kInt8.cols + c] += sum;
      }
    }
  }
}

constexpr Int8Kernel kPortable{"portable", [] { return unless(true); }, multiply_portable};

}  // namespace

std::span<const Int8Kernel> int8_kernels() {
#if defined(DRAGOMAN_INT8_NEON)
  static const Int8Kernel kernels[] = {kInt8I8mm, kInt8Dotprod, kPortable};
#elif defined(DRAGOMAN_INT8_AVX)
  static const Int8Kernel kernels[] = {kInt8Amx, kInt8Avx512Vnni, kInt8AvxVnni, kInt8Avx2, kPortable};
#else
  static const Int8Kernel kernels[] = {kPortable};
#endif
  return kernels;
}

const Int8Kernel* int8_kernel(std::string_view name) {
  const std::span<const Int8Kernel> all = int8_kernels();
  const auto found =
      std::ranges::find(all, name, [](const Int8Kernel& kernel) { return std::string_view(kernel.name); });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace dragoman::cpu
