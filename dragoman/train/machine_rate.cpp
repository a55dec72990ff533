#include "dragoman/train/machine_rate.h"

#include <algorithm>
#include <chrono>

namespace dragoman::train {

double machine_rate(Backend& on) {
  constexpr std::int64_t kSize = 512;
  constexpr int kRepeats = 10;
  const ArenaScope scratch(on.arena());
  Array A = on.empty({kSize, kSize}, DType::kFloat32), B = on.empty_like(A), C = on.empty_like(A);
  Array one = on.empty({1}, DType::kFloat64);
  on.fill(A, 1.0);
  on.fill(B, 1.0);
  double best = 0;
  for (int i = 0; i < kRepeats; ++i) {
    const auto start = std::chrono::steady_clock::now();
    on.matmul(A, Transpose::kNo, B, Transpose::kNo, Sink::overwrite(C));
    double waited_for = 0;  // reading a result waits for the device
    on.sum(C.row_range(0, 1), 1.0, one);
    on.copy_out(one, &waited_for);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    best = std::max(best, 2.0 * kSize * kSize * kSize / time.count());
  }
  return best;
}

}  // namespace dragoman::train
