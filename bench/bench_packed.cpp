// Times products with packed weights, in the shapes of the base model's decoder: these make up a step of translation.
// Several copies of the weights are used in turn, so that they come from memory and not from the cache, as in a whole
// model.
//
//   bench_packed [--threads N] [--megabytes N]
#include <fmt/format.h>

#include <string>
#include <vector>

#include "bench/flags.h"
#include "bench/packed_products.h"
#include "dragoman/backend/instructions.h"

namespace dragoman::bench {
namespace {

void run(int threads, std::size_t bytes) {
  const auto on = make_backend(Device{}, {.threads = threads});
  fmt::print("threads {}; {}\n{:>12} {:>6} {:>5} {:>10} {:>9} {:>7}\n", threads, cpu_instructions(), "weights", "form",
             "rows", "us", "GMAC/s", "GB/s");
  for (const WeightForm form : {WeightForm::kFloat32, WeightForm::kInt8}) {
    for (const PackedProduct& product : kPackedProducts) {
      PackedCopies W(*on, product, form, bytes);
      for (const std::int64_t rows : {1, 4, 16, 128}) {
        const double seconds = seconds_of(*on, product, rows, W, 0.02);
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
