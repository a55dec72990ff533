#include "dragoman/backend/elementwise.h"

#include <gtest/gtest.h>

#include "dragoman/backend/cuda/testing.h"

namespace dragoman::cuda {
namespace {

using CudaElementwise = CudaTest;
INSTANTIATE_TEST_SUITE_P(Elements, CudaElementwise, kElements, element_name);

constexpr Sink::Write kWrites[] = {Sink::Write::kOverwrite, Sink::Write::kAccumulate};
const std::vector<Shape> kShapes = {{0, 3}, {1, 1}, {5, 3}, {70, 17}, {3, 513}, {100, 512}, {33, 1000}, {2, 3, 64}};

// Makes random arrays on one backend and with one element type. A view consists of the columns from `first` on of a
// wider array: with 8, all rows start at multiples of 16 bytes; with 3, they do not.
struct Maker {
  const Backend& on;
  DType dtype;

  Array array(const Shape& shape, std::uint64_t seed) const {
    return make_array(on, shape, dtype, random_values(shape.count(), seed));
  }
  Array view(const Shape& shape, std::uint64_t seed, std::int64_t first) const {
    return array({shape.rows(), shape.cols() + first + 8 - shape.cols() % 8}, seed).columns(first, shape.cols());
  }
};

// Three ways to make a random array of a shape: contiguous, a view with aligned rows, and a view without.
using Make = std::function<Array(const Shape&, std::uint64_t)>;
std::vector<Make> makes(const Maker& maker) {
  return {
      [maker](const Shape& shape, std::uint64_t seed) { return maker.array(shape, seed); },
      [maker](const Shape& shape, std::uint64_t seed) { return maker.view(shape, seed, 8); },
      [maker](const Shape& shape, std::uint64_t seed) { return maker.view(shape, seed, 3); },
  };
}

TEST_P(CudaElementwise, FillWritesItsColumnsAndNoOthersInEveryElementType) {
  for (const DType type : {DType::kFloat32, DType::kFloat64, DType::kBFloat16}) {
    for (const std::int64_t first : {0, 8, 3}) {
      expect_as_on_cpu([&](const Backend& on, DType dtype) {
        const Maker maker{on, dtype == DType::kFloat64 ? dtype : type};
        const Array wide = maker.array({37, 616}, 1);
        Array some = wide.columns(first, 600);
        on.fill(some, -1.5);
        return std::vector<Array>{wide};
      });
    }
  }
}

TEST_P(CudaElementwise, ScaledConvertsBetweenAllElementTypes) {
  for (const DType type : {DType::kFloat32, DType::kFloat64, DType::kBFloat16}) {
    const double slack = type == DType::kBFloat16 && !rounded() ? 1000 : 1;  // the result has only 8 bits
    for (const Shape& shape : kShapes) {
      for (const auto write : kWrites) {
        const auto call = [&](const Backend& on, DType dtype) {
          const Maker from{on, dtype}, to{on, dtype == DType::kFloat64 ? dtype : type};
          std::vector<Array> all;
          for (std::size_t i = 0; i < makes(from).size(); ++i) {
            const Array x = makes(from)[i](shape, 1), y = makes(to)[i](shape, 2), back = makes(from)[i](shape, 3);
            on.scaled(x, -0.3, {y, write});
            on.scaled(y, 2, {back, write});
            all.insert(all.end(), {y, back});
          }
          return all;
        };
        expect_as_on_cpu(call, slack);
      }
    }
  }
}

TEST_P(CudaElementwise, SumsAndReluAgreeWithTheCpu) {
  for (const Shape& shape : kShapes) {
    for (const std::size_t which : {0, 1, 2}) {
      for (const auto write : kWrites) {
        expect_as_on_cpu([&](const Backend& on, DType dtype) {
          const Make make = makes({on, dtype})[which];
          const Array a = make(shape, 1), b = make(shape, 2), bias = Maker{on, dtype}.array({shape.cols()}, 3);
          Array sum = make(shape, 4), with_bias = make(shape, 5), y = make(shape, 6), dx = make(shape, 7);
          on.add(a, b, sum);
          on.add_bias(a, bias, with_bias);
          on.relu(a, y);
          on.relu_backward(b, y, {dx, write});
          return std::vector<Array>{sum, with_bias, y, dx};
        });
      }
    }
  }
}

// With bfloat16 values the gradients of parameters are float32.
TEST_P(CudaElementwise, GradientsMayBeFloat32) {
  for (const Shape& shape : kShapes) {
    for (const auto write : kWrites) {
      expect_as_on_cpu([&](const Backend& on, DType dtype) {
        const Maker values{on, dtype}, gradients{on, accumulation_dtype(dtype)};
        const Array a = values.array(shape, 1), b = values.array(shape, 2);
        const Array product = gradients.array(shape, 3), d_relu = gradients.array(shape, 4),
                    d_tanh = gradients.array(shape, 5), d_sigmoid = gradients.array(shape, 6);
        on.multiply(a, b, {product, write});
        on.relu_backward(b, a, {d_relu, write});
        on.tanh_backward(b, a, {d_tanh, write});
        on.sigmoid_backward(b, a, {d_sigmoid, write});
        return std::vector<Array>{product, d_relu, d_tanh, d_sigmoid};
      });
    }
  }
}

TEST_P(CudaElementwise, ProductsAndActivationsAgreeWithTheCpu) {
  for (const Shape& shape : kShapes) {
    for (const std::size_t which : {0, 1, 2}) {
      for (const auto write : kWrites) {
        expect_as_on_cpu([&](const Backend& on, DType dtype) {
          const Make make = makes({on, dtype})[which];
          const Array a = make(shape, 1), b = make(shape, 2), product = make(shape, 3);
          Array tanh_a = make(shape, 4), d_tanh = make(shape, 5), sigmoid_a = make(shape, 6),
                d_sigmoid = make(shape, 7);
          on.multiply(a, b, {product, write});
          on.tanh(a, tanh_a);
          on.sigmoid(a, sigmoid_a);
          // With inputs that are the same in every element type, because 1 - y^2 amplifies the rounding of y.
          on.tanh_backward(b, a, {d_tanh, write});
          on.sigmoid_backward(b, a, {d_sigmoid, write});
          return std::vector<Array>{product, tanh_a, d_tanh, sigmoid_a, d_sigmoid};
        });
      }
    }
  }
}

TEST_P(CudaElementwise, GatedActivationsAgreeWithTheCpu) {
  for (const SelfGate gate : {SelfGate::kSilu, SelfGate::kGelu, SelfGate::kGeluTanh, SelfGate::kGeluSigmoid}) {
    for (const Shape& shape : kShapes) {
      for (const auto write : kWrites) {
        expect_as_on_cpu([&](const Backend& on, DType dtype) {
          const Maker values{on, dtype}, gradients{on, accumulation_dtype(dtype)};
          const Array x = values.array(shape, 1), dy = values.array(shape, 2), dx = gradients.array(shape, 3);
          Array y = values.array(shape, 4);
          on.gated(x, gate, y);
          on.gated_backward(dy, x, gate, {dx, write});
          return std::vector<Array>{y, dx};
        });
      }
    }
  }
}

TEST_P(CudaElementwise, TakenAndPlacedRowsAgreeWithTheCpu) {
  const std::vector<double> taken{6, 0, 6, 3, 6}, starts{0, 1, 1, 1, 2, 2, 2, 5}, takers{1, 3, 0, 2, 4};
  for (const std::int64_t d : {1, 8, 37, 512}) {
    for (const std::size_t which : {0, 1, 2}) {
      for (const auto write : kWrites) {
        expect_as_on_cpu([&](const Backend& on, DType dtype) {
          const Make make = makes({on, dtype})[which];
          const RowIndex index{7, false, make_array(on, {5}, DType::kInt32, taken),
                               make_array(on, {8}, DType::kInt32, starts), make_array(on, {5}, DType::kInt32, takers)};
          const Array y = make({5, d}, 2), dx = make({7, d}, 4), placed = make({7, d}, 5);
          on.take_rows(make({7, d}, 1), index, {y, write});
          on.take_rows_backward(make({5, d}, 3), index, {dx, write});
          on.place_rows(make({3, d}, 6), make_array(on, {3}, DType::kInt32, {5, 0, 2}), placed);
          return std::vector<Array>{y, dx, placed};
        });
      }
    }
  }
}

TEST_P(CudaElementwise, ABiasMayBeInFloat32) {
  expect_as_on_cpu([&](const Backend& on, DType dtype) {
    const Array x = Maker{on, dtype}.array({9, 40}, 1), b = Maker{on, accumulation_dtype(dtype)}.array({40}, 2);
    Array y = on.empty_like(x);
    on.add_bias(x, b, y);
    return std::vector<Array>{y};
  });
}

TEST_P(CudaElementwise, RowsAreSummedInFloat32) {
  for (const Shape& shape : {Shape{0, 7}, {1, 8}, {33, 512}, {300, 517}, {1000, 2048}, {5000, 24}, {7000, 512}}) {
    for (const std::size_t which : {0, 1, 2}) {
      for (const auto write : kWrites) {
        expect_as_on_cpu([&](const Backend& on, DType dtype) {
          const Array x = makes({on, dtype})[which](shape, 1);
          const Array exact = Maker{on, accumulation_dtype(dtype)}.array({shape.cols()}, 2),
                      rounded = Maker{on, dtype}.array({shape.cols()}, 3);
          on.sum_rows(x, {exact, write});
          on.sum_rows(x, {rounded, write});
          return std::vector<Array>{exact, rounded};
        });
      }
    }
  }
}

TEST_P(CudaElementwise, DropoutDropsWhatTheCpuDrops) {
  for (const std::int64_t d : {1, 8, 17, 33, 64, 512, 1000}) {
    for (const std::size_t which : {0, 1, 2}) {
      for (const double P_drop : {0.0, 0.3}) {
        for (const auto write : kWrites) {
          expect_as_on_cpu([&](const Backend& on, DType dtype) {
            const Segments segments = make_segments(on, {1, 40, 0, 1, 3}, 5);
            const Make make = makes({on, dtype})[which];
            const Array y = make({segments.R, d}, 2);
            on.dropout(make({segments.R, d}, 1), segments, Dropout::with(P_drop, 1, 2, 3), {y, write});
            return std::vector<Array>{y};
          });
        }
      }
    }
  }
}

TEST_P(CudaElementwise, TransposeAgreesWithTheCpu) {
  for (const Shape& shape : {Shape{0, 3}, {1, 1}, {1, 200}, {31, 33}, {64, 96}, {513, 70}}) {
    for (const std::size_t which : {0, 2}) {
      for (const auto write : kWrites) {
        expect_as_on_cpu([&](const Backend& on, DType dtype) {
          const Make make = makes({on, dtype})[which];
          const Array y = make({shape.cols(), shape.rows()}, 2);
          on.transpose(make(shape, 1), {y, write});
          return std::vector<Array>{y};
        });
        // The gradient of a parameter has the wider type.
        expect_as_on_cpu([&](const Backend& on, DType dtype) {
          const Make make = makes({on, dtype})[which], make_wider = makes({on, accumulation_dtype(dtype)})[which];
          const Array y = make_wider({shape.cols(), shape.rows()}, 2);
          on.transpose(make(shape, 1), {y, write});
          return std::vector<Array>{y};
        });
      }
    }
  }
}

TEST_P(CudaElementwise, TotalsAreSummedInDouble) {
  for (const Shape& shape : {Shape{0, 3}, {1, 1}, {5, 3}, {70, 17}, {1, 100003}, {3000, 512}, {3000, 511}}) {
    for (const std::size_t which : {0, 1, 2}) {
      const auto call = [&](const Backend& on, DType dtype) {
        const Array x = makes({on, dtype})[which](shape, 1);
        const Array overwritten = make_array(on, {1}, DType::kFloat64, {7}),
                    added = make_array(on, {1}, DType::kFloat64, {7});
        Array squares = make_array(on, {1}, DType::kFloat64, {7});
        on.sum(x, 0.25, Sink::overwrite(overwritten));
        on.sum(x, 0.25, Sink::accumulate(added));
        on.sum_of_squares(x, squares);
        return std::vector<Array>{overwritten, added, squares};
      };
      const std::vector<Array> expected = call(*cpu, DType::kFloat64), actual = call(*gpu, dtype());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        expect_near(values_of(*gpu, actual[i]), values_of(*cpu, expected[i]), 1e-11);
      }
      cpu->arena().pop_to(0);
      gpu->arena().pop_to(0);
    }
  }
}

TEST_P(CudaElementwise, SumsHaveTheSameBitsEveryTime) {
  const Array x = make_array(*gpu, {7000, 517}, dtype(), random_values(7000 * 517, 1));
  const auto sums = [&] {
    const Array rows = gpu->empty({517}, DType::kFloat32);
    Array total = gpu->empty({1}, DType::kFloat64);
    gpu->sum_rows(x, Sink::overwrite(rows));
    gpu->sum_of_squares(x, total);
    Doubles all = values_of(*gpu, rows);
    all.push_back(values_of(*gpu, total)[0]);
    return all;
  };
  EXPECT_EQ(sums(), sums());
}

TEST_P(CudaElementwise, SumsGiveTheirScratchMemoryBack) {
  const Array x = make_array(*gpu, {100, 64}, dtype(), random_values(6400, 1)), rows = gpu->empty({64}, dtype());
  Array total = gpu->empty({1}, DType::kFloat64);
  const std::size_t used = gpu->arena().used();
  gpu->sum_rows(x, Sink::overwrite(rows));
  gpu->sum_of_squares(x, total);
  EXPECT_EQ(gpu->arena().used(), used);
}

}  // namespace
}  // namespace dragoman::cuda
