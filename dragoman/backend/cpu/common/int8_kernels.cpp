#include "dragoman/backend/cpu/common/int8_kernels.h"

#include <algorithm>

namespace dragoman::cpu {

namespace {

void multiply_portable(std::int64_t groups, std::int64_t height, const std::int8_t* rows, const std::int32_t*,
                       const std::int8_t* columns, std::int32_t* sums) {
  std::fill_n(sums, height * kInt8Cols, 0);
  for (std::int64_t g = 0; g < groups; ++g) {
    for (std::int64_t i = 0; i < height; ++i, rows += kInt8Group) {
      for (std::int64_t c = 0; c < kInt8Cols; ++c) {
        const std::int8_t* column = columns + c * kInt8Group;
        std::int32_t sum = 0;
        for (std::int64_t k = 0; k < kInt8Group; ++k) sum += rows[k] * column[k];
        sums[i * kInt8Cols + c] += sum;
      }
    }
    columns += kInt8Group * kInt8Cols;
  }
}

constexpr Int8Kernel kPortable{"portable", [] { return true; }, multiply_portable};

}  // namespace

std::span<const Int8Kernel> int8_kernels() {
#if defined(DRAGOMAN_INT8_NEON)
  static const Int8Kernel kernels[] = {kInt8I8mm, kInt8Dotprod, kPortable};
#elif defined(DRAGOMAN_INT8_AVX)
  static const Int8Kernel kernels[] = {kInt8Avx512Vnni, kInt8AvxVnni, kInt8Avx2, kPortable};
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
