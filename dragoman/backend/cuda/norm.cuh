// What the forward and the backward kernels of layer norm share: how rows are divided, and the dropout of a row.
#pragma once

#include <algorithm>

#include "dragoman/backend/cuda/kernel.cuh"

namespace dragoman::cuda {

namespace {

// Rows are read in groups of eight channels (Eight in kernel.cuh). A row that consists of whole, aligned groups
// (in_eights) and has at most kWarpWidth channels is handled by one warp and stays in its registers: lane i owns the
// groups i, i + 32, i + 64 ... Any other row is handled by one block, which reads the row again in each pass.
constexpr std::int64_t kWarpWidth = 1024;

// The number of threads of a block that handles one row.
int threads_for(std::int64_t d) {
  return static_cast<int>(std::clamp<std::int64_t>(divide_up(d, 8 * kWarp), 1, 8)) * kWarp;
}

// The dropout of one row. The row's sentence and position are read once.
class RowDropout {
 public:
  __device__ RowDropout(const DropoutMask& mask, std::int64_t r) : mask_(mask) {
    if (!mask.on()) return;
    position_ = mask.position[r];
    sentence_ = mask.sentence[r];
  }

  // The random draw for a group of eight channels, if dropout is on.
  __device__ Philox4 words(std::int64_t group) const {
    return mask_.on() ? dropout_words(mask_, sentence_, position_, group) : Philox4{};
  }
  __device__ void apply(const Philox4& words, Eight<float>& x) const {
    if (!mask_.on()) return;
#pragma unroll
    for (int i = 0; i < 8; ++i) x.at[i] *= mask_.factor(words, i);
  }

 private:
  const DropoutMask& mask_;
  std::int32_t position_ = 0, sentence_ = 0;
};

}  // namespace

}  // namespace dragoman::cuda
