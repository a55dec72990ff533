#include "dragoman/backend/norm.h"

#include <gtest/gtest.h>

#include "dragoman/backend/cuda/testing.h"

namespace dragoman::cuda {
namespace {

using CudaNorm = CudaTest;
INSTANTIATE_TEST_SUITE_P(Elements, CudaNorm, kElements, element_name);

constexpr double kEps = 1e-6;
constexpr Sink::Write kWrites[] = {Sink::Write::kOverwrite, Sink::Write::kAccumulate};
// Widths that fill the registers of a warp completely and in part, odd widths, and widths beyond 1024, which is the
// most that a warp can hold in registers (kWarpWidth in norm.cuh).
constexpr std::int64_t kWidths[] = {8, 17, 64, 256, 264, 512, 513, 520, 768, 1000, 1024, 1032, 1500, 2048};

// Makes the arrays of one call. If `first` is 0, they are contiguous. Otherwise they are views of wider arrays that
// begin with column `first`: with 8, all rows start at multiples of 16 bytes; with 3, they do not.
struct Maker {
  const Backend& on;
  DType dtype;
  std::int64_t first = 0;

  Array rows(std::int64_t R, std::int64_t d, std::uint64_t seed) const {
    const Shape wide{R, first == 0 ? d : d + first + 8 - d % 8};
    return make_array(on, wide, dtype, random_values(wide.count(), seed)).columns(first, d);
  }
  // A vector of d random numbers. Its type is that of layer-norm parameters: float32 even if elements are bfloat16.
  Array vector(std::int64_t d, std::uint64_t seed) const {
    return make_array(on, {d}, accumulation_dtype(dtype), random_values(d, seed));
  }
};

std::vector<Array> forward(const Maker& make, const Segments& segments, const Dropout& dropout, std::int64_t d) {
  const std::int64_t R = segments.R;
  const Array x = make.rows(R, d, 1), a = make.rows(R, d, 2), gamma = make.vector(d, 3), beta = make.vector(d, 4);
  Array s = make.rows(R, d, 5), y = make.rows(R, d, 6), mean = make.on.empty_rows(x), rstd = make.on.empty_rows(x);
  make.on.add_norm(x, a, segments, dropout, gamma, beta, kEps, s, y, mean, rstd);
  Array plain_y = make.rows(R, d, 7), plain_mean = make.on.empty_rows(x), plain_rstd = make.on.empty_rows(x);
  make.on.layer_norm(x, gamma, beta, kEps, plain_y, plain_mean, plain_rstd);
  return {s, y, mean, rstd, plain_y, plain_mean, plain_rstd};
}

// Which optional inputs a backward pass gets, and how it writes its gradients.
struct BackwardCase {
  bool ds = true, dy = true;  // whether these inputs are present
  Sink::Write dx = Sink::Write::kOverwrite, da = Sink::Write::kOverwrite, parameters = Sink::Write::kOverwrite;
};

std::vector<Array> backward(const Maker& make, const Segments& segments, const Dropout& dropout, std::int64_t d,
                            const BackwardCase& wanted) {
  const std::int64_t R = segments.R;
  const Array s = make.rows(R, d, 1), gamma = make.vector(d, 2), beta = make.vector(d, 3);
  const Array ds = wanted.ds ? make.rows(R, d, 4) : Array(), dy = wanted.dy ? make.rows(R, d, 5) : Array();
  Array y = make.rows(R, d, 6), mean = make.on.empty_rows(s), rstd = make.on.empty_rows(s);
  make.on.layer_norm(s, gamma, beta, kEps, y, mean, rstd);
  const Array dx = make.rows(R, d, 7), da = make.rows(R, d, 8), dgamma = make.vector(d, 9), dbeta = make.vector(d, 10);
  make.on.add_norm_backward(ds, dy, s, segments, dropout, gamma, mean, rstd, {dx, wanted.dx}, {da, wanted.da},
                            {dgamma, wanted.parameters}, {dbeta, wanted.parameters});
  return {dx, da, dgamma, dbeta};
}

TEST_P(CudaNorm, ForwardAgreesWithTheCpu) {
  for (const std::int64_t d : kWidths) {
    for (const std::int64_t first : {0, 8, 3}) {
      for (const double P_drop : {0.0, 0.3}) {
        SCOPED_TRACE(join("d ", d, ", first ", first, ", P_drop ", P_drop));
        expect_as_on_cpu([&](const Backend& on, DType dtype) {
          const Segments segments = make_segments(on, {1, 13, 0, 1, 3}, 5);
          return forward({on, dtype, first}, segments, Dropout::with(P_drop, 1, 2, 3), d);
        });
      }
    }
  }
}

TEST_P(CudaNorm, BackwardAgreesWithTheCpu) {
  for (const std::int64_t d : kWidths) {
    for (const std::int64_t first : {0, 8, 3}) {
      for (const double P_drop : {0.0, 0.3}) {
        for (const auto write : kWrites) {
          SCOPED_TRACE(join("d ", d, ", first ", first, ", P_drop ", P_drop));
          expect_as_on_cpu([&](const Backend& on, DType dtype) {
            const Segments segments = make_segments(on, {1, 40, 0, 1, 3}, 5);
            return backward({on, dtype, first}, segments, Dropout::with(P_drop, 1, 2, 3), d,
                            {.dx = write, .da = write, .parameters = write});
          });
        }
      }
    }
  }
}

TEST_P(CudaNorm, AbsentInputsAndUnwantedGradientsAreSkipped) {
  const auto kNone = Sink::Write::kNone;
  const std::vector<BackwardCase> all = {
      {.ds = false}, {.dy = false},         {.ds = false, .dy = false}, {.dx = kNone},
      {.da = kNone}, {.parameters = kNone}, {.ds = false, .da = kNone}, {.dx = kNone, .da = kNone}};
  for (const std::int64_t d : {17, 512, 1024}) {
    for (const BackwardCase& wanted : all) {
      expect_as_on_cpu([&](const Backend& on, DType dtype) {
        const Segments segments = make_segments(on, {1, 40, 3});
        return backward({on, dtype}, segments, Dropout::with(0.3, 1, 2, 3), d, wanted);
      });
    }
  }
}

TEST_P(CudaNorm, WithoutRowsTheGradientIsZero) {
  for (const std::int64_t d : {17, 512}) {
    for (const auto write : kWrites) {
      expect_as_on_cpu([&](const Backend& on, DType dtype) {
        return backward({on, dtype}, make_segments(on, {}), {}, d, {.parameters = write});
      });
    }
  }
}

TEST_P(CudaNorm, ManyRowsAgreeWithTheCpu) {
  for (const std::int64_t d : {33, 512, 1024, 1040}) {
    expect_as_on_cpu([&](const Backend& on, DType dtype) {
      const Segments segments = make_segments(on, std::vector<int>(350, 7));
      const Dropout dropout = Dropout::with(0.1, 1, 2, 3);
      std::vector<Array> outputs = forward({on, dtype}, segments, dropout, d);
      for (const Array& more : backward({on, dtype}, segments, dropout, d, {})) outputs.push_back(more);
      return outputs;
    });
  }
}

TEST_P(CudaNorm, GradientsOfParametersMayBeInTheElementType) {
  expect_as_on_cpu([&](const Backend& on, DType dtype) {
    const Maker make{on, dtype};
    const std::int64_t d = 72, R = 9;
    const Array s = make.rows(R, d, 1), dy = make.rows(R, d, 2), gamma = make.vector(d, 3);
    Array y = on.empty_like(s), mean = on.empty_rows(s), rstd = on.empty_rows(s);
    on.layer_norm(s, gamma, gamma, kEps, y, mean, rstd);
    const Array dgamma = make.rows(1, d, 4), dbeta = make.rows(1, d, 5);
    on.layer_norm_backward(dy, s, gamma, mean, rstd, {}, Sink::overwrite(dgamma), Sink::accumulate(dbeta));
    on.layer_norm_backward(dy, s, gamma, mean, rstd, {}, {}, Sink::accumulate(dbeta));
    return std::vector<Array>{dgamma, dbeta};
  });
}

TEST_P(CudaNorm, AConstantRowGivesBetaExactly) {
  for (const std::int64_t d : {3, 8, 17, 512, 1000, 2048}) {
    const auto count = static_cast<std::size_t>(d);
    const Array x = make_array(*gpu, {2, d}, dtype(), Doubles(2 * count, 12345.678));
    const Array gamma = make_array(*gpu, {d}, DType::kFloat32, random_values(d, 1)),
                beta = make_array(*gpu, {d}, DType::kFloat32, random_values(d, 2));
    Array y = gpu->empty_like(x), mean = gpu->empty_rows(x), rstd = gpu->empty_rows(x);
    gpu->layer_norm(x, gamma, beta, kEps, y, mean, rstd);
    EXPECT_EQ(values_of(*gpu, y.row_range(1, 1)), values_of(*gpu, beta));
  }
}

TEST_P(CudaNorm, BackwardHasTheSameBitsEveryTimeAndGivesItsScratchMemoryBack) {
  for (const std::int64_t d : {33, 512, 1040}) {
    const auto run = [&] {
      const Segments segments = make_segments(*gpu, std::vector<int>(350, 7));
      Doubles all;
      for (const Array& output : backward({*gpu, dtype()}, segments, Dropout::with(0.1, 1, 2, 3), d, {})) {
        const Doubles next = values_of(*gpu, output);
        all.insert(all.end(), next.begin(), next.end());
      }
      const std::size_t used = gpu->arena().used();
      gpu->arena().pop_to(0);
      return std::pair(all, used);
    };
    EXPECT_EQ(run(), run());
  }
}

}  // namespace
}  // namespace dragoman::cuda
