#include "dragoman/backend/matmul.h"

#include <cmath>
#include <string>
#include <vector>

#include "dragoman/backend/cuda/context.h"
#include "dragoman/backend/cuda/products.h"
#include "dragoman/backend/cuda/testing.h"

namespace dragoman::cuda {
namespace {

using CudaMatmul = CudaTest;
INSTANTIATE_TEST_SUITE_P(Elements, CudaMatmul, kElements, element_name);

// Few elements and long sums: for such shapes cuBLASLt shares a sum among blocks. Each element may be rounded once,
// when it is written. If the parts were rounded to bfloat16 before they are added, the error would be larger.
TEST_P(CudaMatmul, PartsOfALongSumAreAddedInFloat32) {
  struct Sizes {
    std::int64_t m, n, k;
  };
  for (const Sizes& s : {Sizes{16, 64, 16384}, Sizes{64, 64, 16384}, Sizes{8, 256, 8192}, Sizes{256, 256, 4096}}) {
    for (const bool transposed : {false, true}) {
      SCOPED_TRACE(join("[", s.m, ", ", s.n, "] over ", s.k, transposed ? ", A transposed" : ""));
      const auto product_on = [&](const Backend& on, DType dtype) {
        const Shape a = transposed ? Shape{s.k, s.m} : Shape{s.m, s.k};
        const Array A = make_array(on, a, dtype, random_values(s.m * s.k, 1));
        const Array B = make_array(on, {s.k, s.n}, dtype, random_values(s.k * s.n, 2));
        Array C = on.empty({s.m, s.n}, dtype);
        on.matmul(A, transposed ? Transpose::kYes : Transpose::kNo, B, Transpose::kNo, Sink::overwrite(C));
        return values_of(on, C);
      };
      const Doubles expected = product_on(*cpu, DType::kFloat32), actual = product_on(*gpu, dtype());
      const double half_unit = rounded() ? 1.0 / 256 : 0;  // half a unit in the last place of bfloat16, relative
      const double sum_error = 2e-5 * std::sqrt(static_cast<double>(s.k));
      for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_NEAR(actual[i], expected[i], half_unit * std::abs(expected[i]) + sum_error) << "element " << i;
      }
      cpu->arena().pop_to(0);
      gpu->arena().pop_to(0);
    }
  }
}

// Calls report_slow_product directly, because cuBLASLt 13 has an algorithm for every shape that was tried.
TEST_P(CudaMatmul, ASlowProductIsReportedOnce) {
  std::vector<std::string> reported;
  const auto on =
      make_backend(kDevice, {.memory = kBytes, .gradient_memory = kBytes, .report = [&](const std::string& sentence) {
                               reported.push_back(sentence);
                             }});
  const Array A = on->empty({7, 9}, dtype()), B = on->empty({9, 5}, dtype()), C = on->empty({7, 5}, dtype());
  Products& products = dynamic_cast<const Context&>(*on).products();
  products.report_slow_product({.A = A, .B = B, .C = C});
  products.report_slow_product({.A = B, .B = A, .C = C});
  ASSERT_EQ(reported.size(), 1u);
  EXPECT_NE(reported[0].find("[7, 9] and [9, 5]"), std::string::npos) << reported[0];
}

}  // namespace
}  // namespace dragoman::cuda
