#include "dragoman/train/machine_rate.h"

#include <algorithm>
#include <chrono>

namespace dragoman::train {

double machine_rate(Backend& on, DType dtype) {
  const std::int64_t size = on.device().kind == Device::Kind::kCpu ? 512 : 4096;
  constexpr int kRepeats = 10;
  // Memory of its own: that of a step may have been planned smaller.
  const std::size_t bytes = static_cast<std::size_t>(size * size) * size_of(dtype);
  const std::unique_ptr<Reservation> memory = on.reserve(3 * bytes);
  const auto square = [&](int which) {
    return Array(static_cast<char*>(memory->base()) + which * bytes, {size, size}, dtype, on.device());
  };
  const ArenaScope scratch(on.arena());
  Array A = square(0), B = square(1), C = square(2);
  Array one = on.empty({1}, DType::kFloat64);
  on.fill(A, 1.0);
  on.fill(B, 1.0);
  double best = 0;
  for (int i = 0; i < kRepeats; ++i) {
    const auto start = std::chrono::steady_clock::now();
    on.matmul(A, Transpose::kNo, B, Transpose::kNo, Sink::overwrite(C));
    double waited_for = 0;  // reading a result waits for the device
    on.sum(C.row_range(0, 1), 1.0, Sink::overwrite(one));
    on.copy_out(one, &waited_for);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    if (time.count() <= 0) continue;  // a clock that stands still tells nothing
    best = std::max(best, 2.0 * static_cast<double>(size * size * size) / time.count());
  }
  return best;
}

}  // namespace dragoman::train
