#include "bench/packed_products.h"

#include <algorithm>
#include <functional>

#include "bench/timing.h"
#include "dragoman/base/random.h"

namespace dragoman::bench {
namespace {

constexpr std::int64_t kBest = 8;

Array random_array(const Backend& on, const Shape& shape) {
  RandomStream random(1);
  Array x = on.empty(shape, DType::kFloat32);
  for (std::int64_t i = 0; i < x.count(); ++i) x.data<float>()[i] = static_cast<float>(random.uniform(-1, 1));
  return x;
}

}  // namespace

PackedCopies::PackedCopies(const Backend& on, const PackedProduct& product, WeightForm form, std::size_t bytes) {
  const std::size_t each = on.packed_bytes(form, product.in, product.out),
                    count = std::max<std::size_t>(1, bytes / each);
  memory_ = on.reserve(each * count);
  const ArenaScope scratch(on.arena());
  const Array W = random_array(on, {product.in, product.out});
  for (std::size_t i = 0; i < count; ++i) {
    matrices_.push_back(on.packed_in(static_cast<char*>(memory_->base()) + i * each, form, product.in, product.out));
    on.pack(W, Transpose::kNo, {}, 0, matrices_.back());
  }
}

double seconds_of(const Backend& on, const PackedProduct& product, std::int64_t rows, PackedCopies& W, double run) {
  const ArenaScope scratch(on.arena());
  const Array x = random_array(on, {rows, product.in});
  Array y = on.empty({rows, product.is_vocabulary ? 1 : product.out}, DType::kFloat32);
  const BestWords best{on.empty({rows, kBest}, DType::kInt32), on.empty({rows, kBest}, DType::kFloat32),
                       on.empty({rows}, DType::kFloat32)};
  const std::function<void()> work = [&] {
    product.is_vocabulary ? on.best_words(x, W.next(), {}, best) : on.linear(x, W.next(), {}, {}, y);
  };
  const double once = std::max(1e-7, time_of([&] { work(), work(); }) / 2);
  const int repeats = std::max(1, static_cast<int>(run / once));
  std::vector<double> times(7);
  for (double& time : times) {
    time = time_of([&] {
             for (int i = 0; i < repeats; ++i) work();
           }) /
           repeats;
  }
  return median(times);
}

}  // namespace dragoman::bench
