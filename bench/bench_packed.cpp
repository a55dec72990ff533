// Times products with packed weights, in the shapes of the base model's decoder: these make up a step of translation.
// Several copies of the weights are used in turn, so that they come from memory and not from the cache, as in a whole
// model.
//
//   bench_packed [--threads N] [--megabytes N]
#include <fmt/format.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/flags.h"
#include "bench/timing.h"
#include "dragoman/backend/backend.h"
#include "dragoman/backend/instructions.h"
#include "dragoman/base/random.h"

namespace dragoman::bench {
namespace {

struct Product {
  std::int64_t in, out;
  bool is_vocabulary;  // best_words instead of linear
};
const std::vector<Product> kProducts{
    {512, 1536, false}, {512, 512, false}, {512, 2048, false}, {2048, 512, false}, {512, 37000, true}};
constexpr std::int64_t kBest = 8;

Array random_array(const Backend& on, const Shape& shape) {
  RandomStream random(1);
  Array x = on.empty(shape, DType::kFloat32);
  for (std::int64_t i = 0; i < x.count(); ++i) x.data<float>()[i] = static_cast<float>(random.uniform(-1, 1));
  return x;
}

// Packed copies of one random matrix: as many as fit into `bytes`, at least one. next() returns them in turn.
class Copies {
 public:
  Copies(const Backend& on, const Product& product, WeightForm form, std::size_t bytes) {
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
  const PackedMatrix& next() { return matrices_[turn_++ % matrices_.size()]; }

 private:
  std::unique_ptr<Reservation> memory_;
  std::vector<PackedMatrix> matrices_;
  std::size_t turn_ = 0;
};

double seconds_of(const Backend& on, const Product& product, std::int64_t rows, Copies& W) {
  const ArenaScope scratch(on.arena());
  const Array x = random_array(on, {rows, product.in});
  Array y = on.empty({rows, product.is_vocabulary ? 1 : product.out}, DType::kFloat32);
  const BestWords best{on.empty({rows, kBest}, DType::kInt32), on.empty({rows, kBest}, DType::kFloat32),
                       on.empty({rows}, DType::kFloat32)};
  const std::function<void()> work = [&] {
    product.is_vocabulary ? on.best_words(x, W.next(), {}, best) : on.linear(x, W.next(), {}, {}, y);
  };
  const double once = std::max(1e-7, time_of([&] { work(), work(); }) / 2);
  const int repeats = std::max(1, static_cast<int>(0.02 / once));
  std::vector<double> times(7);
  for (double& time : times) {
    time = time_of([&] {
             for (int i = 0; i < repeats; ++i) work();
           }) /
           repeats;
  }
  return median(times);
}

void run(int threads, std::size_t bytes) {
  const auto on = make_backend(Device{}, {.threads = threads});
  fmt::print("threads {}; {}\n{:>12} {:>6} {:>5} {:>10} {:>9} {:>7}\n", threads, cpu_instructions(), "weights", "form",
             "rows", "us", "GMAC/s", "GB/s");
  for (const WeightForm form : {WeightForm::kFloat32, WeightForm::kInt8}) {
    for (const Product& product : kProducts) {
      Copies W(*on, product, form, bytes);
      for (const std::int64_t rows : {1, 4, 16, 128}) {
        const double seconds = seconds_of(*on, product, rows, W);
        const auto elements = static_cast<double>(product.in * product.out);
        fmt::print("{:>5} x {:>5} {:>6} {:>5} {:>10.1f} {:>9.1f} {:>7.1f}\n", product.in, product.out,
                   form == WeightForm::kInt8 ? "int8" : "fp32", rows, seconds * 1e6,
                   1e-9 * elements * static_cast<double>(rows) / seconds,
                   1e-9 * elements * (form == WeightForm::kInt8 ? 1 : 4) / seconds);
      }
    }
  }
}

}  // namespace
}  // namespace dragoman::bench

int main(int argc, char** argv) {
  int threads = 0, megabytes = 192;
  dragoman::bench::read_flags(argc, argv, "Times products with packed weights.",
                              {{"--threads", &threads, "number of threads; 0 measures with 1 and with 2"},
                               {"--megabytes", &megabytes, "total size of all copies of a matrix"}});
  for (const int count : threads > 0 ? std::vector<int>{threads} : std::vector<int>{1, 2}) {
    dragoman::bench::run(count, static_cast<std::size_t>(megabytes) << 20);
  }
  return 0;
}
