#include "dragoman/train/machine_rate.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "dragoman/base/random.h"

namespace dragoman::train {
namespace {

// Random numbers, repeated. Constant operands would not do: with them a GPU takes less power and clocks higher than in
// training.
std::vector<float> operands(std::int64_t count) {
  constexpr std::size_t kDrawn = 65537;  // a prime, so that rows differ
  RandomStream random(1);
  std::vector<float> drawn(std::min<std::size_t>(kDrawn, static_cast<std::size_t>(count)));
  for (float& value : drawn) value = static_cast<float>(random.uniform(-1, 1));
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = drawn[i % drawn.size()];
  return values;
}

}  // namespace

double machine_rate(Backend& on, DType dtype) {
  const std::int64_t size = on.device().kind == Device::Kind::kCpu ? 512 : 4096;
  constexpr int kRounds = 5, kProducts = 5;  // several products per round, so that launching and waiting count little
  constexpr double kLongEnough = 0.1;        // seconds: the rate of a round that takes longer is exact
  // Reserves its own memory, because the memory planned for a step may be smaller.
  const std::int64_t count = size * size;
  const std::unique_ptr<Reservation> memory = on.reserve(3 * static_cast<std::size_t>(count) * size_of(dtype));
  const std::unique_ptr<Reservation> staging = on.reserve(static_cast<std::size_t>(count) * sizeof(float));
  const auto square = [&](std::int64_t which) {
    auto* first = static_cast<char*>(memory->base()) + which * count * static_cast<std::int64_t>(size_of(dtype));
    return Array(first, {size, size}, dtype, on.device());
  };
  const Array A = square(0), B = square(1), C = square(2);
  Array staged(staging->base(), {size, size}, DType::kFloat32, on.device());
  on.copy_in(operands(count).data(), staged);
  for (const Array& factor : {A, B}) on.scaled(staged, 1.0, Sink::overwrite(factor));
  double best = 0;
  for (int round = 0; round < kRounds; ++round) {
    const int products = round < 2 ? 1 : kProducts;
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < products; ++i) on.matmul(A, Transpose::kNo, B, Transpose::kNo, Sink::overwrite(C));
    on.wait();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    // The first round is a warm-up. A round during which the clock did not advance measures nothing.
    if (round == 0 || time.count() <= 0) continue;
    best = std::max(best, products * 2.0 * static_cast<double>(size * size * size) / time.count());
    // On a slow machine, and with sanitizers, a single product takes long enough.
    if (time.count() > kLongEnough) break;
  }
  return best;
}

}  // namespace dragoman::train
