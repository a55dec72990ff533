#include <gtest/gtest.h>

#include "dragoman/backend/cuda/testing.h"
#include "dragoman/backend/norm.h"

namespace dragoman::cuda {
namespace {

using CudaWeightNorm = CudaTest;
INSTANTIATE_TEST_SUITE_P(Elements, CudaWeightNorm, kElements, element_name);

// What varies between calls.
struct Call {
  std::int64_t in, out;
  bool views = false;        // whether the matrices are views of wider ones
  bool exact_g = false;      // whether g is float32 even if the elements are bfloat16
  bool exact_sinks = false;  // the same for dv and dg, as for the gradients of parameters
  Sink::Write dv = Sink::Write::kOverwrite, dg = Sink::Write::kOverwrite;
};

// Forward and backward.
std::vector<Array> run(const Backend& on, DType dtype, const Call& call) {
  const auto vector = [&](bool exact, std::uint64_t seed) {
    return make_array(on, {call.out}, exact ? accumulation_dtype(dtype) : dtype, random_values(call.out, seed));
  };
  const auto matrix = [&](bool exact, std::uint64_t seed) {
    const Shape wide{call.in, call.out + (call.views ? 5 : 0)};
    const Array all =
        make_array(on, wide, exact ? accumulation_dtype(dtype) : dtype, random_values(wide.count(), seed));
    return all.columns(call.views ? 3 : 0, call.out);
  };
  const Array v = matrix(false, 1), g = vector(call.exact_g, 2), dW = matrix(false, 3);
  Array W = matrix(false, 4), lengths = on.empty({call.out}, accumulation_dtype(dtype));
  on.weight_norm(v, g, W, lengths);
  const Array dv = matrix(call.exact_sinks, 5), dg = vector(call.exact_sinks, 6);
  on.weight_norm_backward(dW, v, g, lengths, {dv, call.dv}, {dg, call.dg});
  return {W, lengths, dv, dg};
}

constexpr Sink::Write kWrites[] = {Sink::Write::kNone, Sink::Write::kOverwrite, Sink::Write::kAccumulate};

TEST_P(CudaWeightNorm, AgreesWithTheCpu) {
  // A single column has a kernel of its own; other tiles have 16 columns.
  for (const std::int64_t out : {1, 2, 15, 16, 17, 100, 512}) {
    for (const std::int64_t in : {1, 5, 31, 33, 513, 1500}) {
      for (const bool views : {false, true}) {
        SCOPED_TRACE(join("in ", in, ", out ", out, views ? ", views" : ""));
        // The gradient of a single row is 0 but for rounding errors, so it is compared as part of a sum.
        const auto dv = in == 1 ? Sink::Write::kAccumulate : Sink::Write::kOverwrite;
        expect_as_on_cpu([&](const Backend& on, DType dtype) {
          return run(on, dtype, {.in = in, .out = out, .views = views, .dv = dv});
        });
      }
    }
  }
}

TEST_P(CudaWeightNorm, ObeysItsSinks) {
  for (const std::int64_t out : {1, 17}) {
    for (const auto dv : kWrites) {
      for (const auto dg : kWrites) {
        expect_as_on_cpu(
            [&](const Backend& on, DType dtype) { return run(on, dtype, {.in = 70, .out = out, .dv = dv, .dg = dg}); });
      }
    }
  }
}

TEST_P(CudaWeightNorm, GainsAndGradientsMayBeFloat32) {
  for (const std::int64_t out : {1, 17}) {
    for (const bool exact_g : {false, true}) {
      for (const auto write : kWrites) {
        expect_as_on_cpu([&](const Backend& on, DType dtype) {
          return run(on, dtype,
                     {.in = 70, .out = out, .exact_g = exact_g, .exact_sinks = true, .dv = write, .dg = write});
        });
      }
    }
  }
}

TEST_P(CudaWeightNorm, HasTheSameBitsEveryTimeAndGivesItsScratchMemoryBack) {
  for (const std::int64_t out : {1, 300}) {
    const auto once = [&] {
      Doubles all;
      for (const Array& output : run(*gpu, dtype(), {.in = 900, .out = out})) {
        const Doubles next = values_of(*gpu, output);
        all.insert(all.end(), next.begin(), next.end());
      }
      const std::size_t used = gpu->arena().used();
      gpu->arena().pop_to(0);
      return std::pair(all, used);
    };
    EXPECT_EQ(once(), once());
  }
}

}  // namespace
}  // namespace dragoman::cuda
