#include "dragoman/backend/packed.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "dragoman/backend/instructions.h"
#include "dragoman/backend/packed_testing.h"
#include "dragoman/backend/quantise.h"
#include "dragoman/base/random.h"

namespace dragoman {
namespace {

using PackedKernel = PackedTest;
INSTANTIATE_TEST_SUITE_P(Devices, PackedKernel, ::testing::ValuesIn(packed_cases()), kernel_case_name);

struct Sizes {
  std::int64_t in, out;
};
// Sizes around the edges of panels, of ranges of k, and of the pieces that threads work on.
const std::vector<Sizes> kSizes = {{1, 1}, {7, 5}, {16, 12}, {17, 49}, {515, 33}, {1030, 100}, {3, 500}, {0, 4}};
const std::vector<std::int64_t> kRows = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 61, 130, 300};

TEST_P(PackedKernel, FloatProductsHaveTheBitsOfPlainOnes) {
  for (const Sizes& s : kSizes) {
    const Array W = random_view({s.in, s.out}, 1), b = random({s.out}, 2);
    const PackedMatrix packed = pack(W, WeightForm::kFloat32);
    for (const std::int64_t R : kRows) {
      const Array x = random_view({R, s.in}, 3);
      for (const bool relu : {false, true}) {
        const Activation activation{.relu = relu, .dropout = {}, .segments = {}};
        Array expected = zeros({R, s.out}), y = zeros({R, s.out});
        on->linear(x, W, relu ? b : Array(), activation, expected);
        on->linear(x, packed, relu ? b : Array(), activation, y);
        EXPECT_EQ(values(y), values(expected)) << R << " rows of [" << s.in << ", " << s.out << "]";
      }
    }
  }
}

TEST_P(PackedKernel, ARowHasTheSameBitsInAnyBatchAndWithAnyThreads) {
  const std::int64_t R = 150, in = 600, out = 130;
  const Doubles x = random_values(R * in, 1), w = random_values(in * out, 2);
  for (const WeightForm form : forms()) {
    Doubles expected;
    for (const int threads : {1, 2, 3}) {
      on = GetParam().backend(threads);
      const Array X = array({R, in}, x);
      const PackedMatrix W = pack(array({in, out}, w), form);
      Array all = zeros({R, out});
      on->linear(X, W, {}, {}, all);
      if (expected.empty()) expected = values(all);
      EXPECT_EQ(values(all), expected);
      for (const auto& [first, count] : std::vector<std::pair<int, int>>{{0, 1}, {7, 2}, {3, 5}, {100, 50}, {149, 1}}) {
        Array some = zeros({count, out});
        on->linear(X.row_range(first, count), W, {}, {}, some);
        EXPECT_EQ(values(some), values(all.row_range(first, count)));
      }
    }
  }
}

TEST_P(PackedKernel, PackingInPartsGivesTheSameMatrix) {
  const std::int64_t in = 37, out = 100;
  const Array W = random({in, out}, 1), x = random({5, in}, 2);
  for (const WeightForm form : forms()) {
    for (const bool transposed : {false, true}) {
      const PackedMatrix whole = pack(W, form), parts = reserve(form, in, out);
      for (const auto& [first, count] : std::vector<std::pair<int, int>>{{0, 5}, {5, 30}, {35, 1}, {36, 64}}) {
        const Array columns = W.columns(first, count);
        on->pack(transposed ? transpose_of(columns) : columns, transposed ? Transpose::kYes : Transpose::kNo, {}, first,
                 parts);
      }
      Array expected = zeros({5, out}), y = zeros({5, out});
      on->linear(x, whole, {}, {}, expected);
      on->linear(x, parts, {}, {}, y);
      EXPECT_EQ(values(y), values(expected));
    }
  }
}

// The product with weights and rows rounded as backend/quantise.h defines it, and exact sums. A rounded row or column
// is a list: its scale first, then its integers.
Doubles int8_product(const Doubles& x, const Doubles& W, const Doubles& b, std::int64_t R, const Sizes& s) {
  const auto rounded = [](const Doubles& values, std::int64_t first, std::int64_t step, std::int64_t count) {
    LargestMagnitude largest;
    for (std::int64_t i = 0; i < count; ++i) largest.add(static_cast<float>(values[first + i * step]));
    const Quantiser quantiser = Quantiser::for_largest(largest.value());
    Doubles list{static_cast<double>(quantiser.scale)};
    for (std::int64_t i = 0; i < count; ++i) list.push_back(quantiser(static_cast<float>(values[first + i * step])));
    return list;
  };
  Doubles y;
  for (std::int64_t r = 0; r < R; ++r) {
    const Doubles row = rounded(x, r * s.in, 1, s.in);
    for (std::int64_t c = 0; c < s.out; ++c) {
      const Doubles column = rounded(W, c, s.out, s.in);
      double sum = 0;
      for (std::int64_t k = 1; k <= s.in; ++k) sum += row[k] * column[k];
      y.push_back(sum * row[0] * column[0] + b[c]);
    }
  }
  return y;
}

TEST_P(PackedKernel, Int8ProductsAreThoseOfTheRoundedNumbers) {
  for (const Sizes& s : kSizes) {
    const Array W = array({s.in, s.out}, unrounded_values(s.in * s.out, 1)), b = random({s.out}, 2);
    const PackedMatrix packed = pack(W, WeightForm::kInt8);
    for (const std::int64_t R : {1, 2, 3, 8, 13}) {
      const Array x = array({R, s.in}, unrounded_values(R * s.in, 3));
      Array y = zeros({R, s.out});
      on->linear(x, packed, b, {}, y);
      Doubles expected = int8_product(values(x), values(W), values(b), R, s);
      expect_near(values(y), expected, 1e-6);
      on->linear(x, packed, b, {.relu = true, .dropout = {}, .segments = {}}, y);
      for (double& e : expected) e = std::max(e, 0.0);
      expect_near(values(y), expected, 1e-6);
    }
  }
}

// A product with the identity shows the integers of each row.
// The kernels differ in their instructions alone, so a translation has the same bytes with each of them.
TEST(Int8Product, HasTheSameBitsWithEveryKernelOfTheSameVectors) {
  std::map<std::string, std::vector<float>> expected;  // by vectors
  for (const InstructionSet& set : instruction_sets()) {
    if (!set.usable()) continue;
    const auto on = make_backend(Device{}, {.threads = 2, .instructions = set.name});
    const std::int64_t R = 70, in = 600, out = 77;
    RandomStream random(1);
    const auto random_array = [&](const Shape& shape) {
      Array x = on->empty(shape, DType::kFloat32);
      for (std::int64_t i = 0; i < x.count(); ++i) x.data<float>()[i] = static_cast<float>(random.uniform(-1, 1));
      return x;
    };
    const Array x = random_array({R, in}), W = random_array({in, out}), b = random_array({out});
    const auto bytes = static_cast<std::int64_t>(on->packed_bytes(WeightForm::kInt8, in, out));
    const PackedMatrix packed = on->packed_in(on->empty({bytes}, DType::kInt8).raw(), WeightForm::kInt8, in, out);
    on->pack(W, Transpose::kNo, {}, 0, packed);
    Array y = on->empty({R, out}, DType::kFloat32);
    on->linear(x, packed, b, {}, y);
    const std::vector<float> result(y.data<float>(), y.data<float>() + y.count());
    EXPECT_EQ(expected.try_emplace(set.vectors, result).first->second, result) << set.name;
  }
}

TEST_P(PackedKernel, EachNumberOfARowIsRoundedAsIfAlone) {
  for (const std::int64_t K : {1, 8, 13, 70}) {
    std::vector<std::int8_t> identity(static_cast<std::size_t>(K * K), 0);
    for (std::int64_t k = 0; k < K; ++k) identity[k * K + k] = 1;
    Array W = on->empty({K, K}, DType::kInt8);
    on->copy_in(identity.data(), W);
    const PackedMatrix packed = reserve(WeightForm::kInt8, K, K);
    on->pack(W, Transpose::kNo, array({K}, Doubles(static_cast<std::size_t>(K), 1.0)), 0, packed);
    for (const std::int64_t R : {1, 2, 7, 8, 9, 19}) {
      const Array x = array({R, K}, unrounded_values(R * K, 1));
      Array y = zeros({R, K});
      on->linear(x, packed, {}, {}, y);
      Doubles expected;
      for (std::int64_t r = 0; r < R; ++r) {
        LargestMagnitude largest;
        const Doubles row = values(x.row_range(r, 1));
        for (const double value : row) largest.add(static_cast<float>(value));
        const Quantiser quantiser = Quantiser::for_largest(largest.value());
        for (const double value : row) {
          expected.push_back(static_cast<float>(quantiser(static_cast<float>(value))) * quantiser.scale);
        }
      }
      EXPECT_EQ(values(y), expected) << R << " rows of " << K;
    }
  }
}

TEST_P(PackedKernel, Int8ProductsAreNearThoseOfTheNumbersThemselves) {
  const std::int64_t R = 20, in = 512, out = 96;
  const Array W = random({in, out}, 1), x = random({R, in}, 2);
  Array exact = zeros({R, out}), y = zeros({R, out});
  on->linear(x, W, {}, {}, exact);
  on->linear(x, pack(W, WeightForm::kInt8), {}, {}, y);
  // Each factor has an error of at most half a step of about 3.5 / 127, evenly distributed. So the error of a sum has a
  // standard deviation of about sqrt(2 in / 12) steps.
  const Doubles a = values(y), e = values(exact);
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += (a[i] - e[i]) * (a[i] - e[i]);
  EXPECT_LT(std::sqrt(squares / static_cast<double>(a.size())), 0.35);
}

TEST_P(PackedKernel, WeightsRoundedBeforePackingGiveTheSameProducts) {
  const std::int64_t in = 19, out = 30;
  const Doubles w = random_values(in * out, 1);
  const Array W = array({in, out}, w), x = random({4, in}, 2);
  std::vector<std::int8_t> integers(w.size());
  Doubles scales;
  for (std::int64_t c = 0; c < out; ++c) {
    LargestMagnitude largest;
    for (std::int64_t k = 0; k < in; ++k) largest.add(static_cast<float>(w[k * out + c]));
    const Quantiser quantiser = Quantiser::for_largest(largest.value());
    scales.push_back(quantiser.scale);
    for (std::int64_t k = 0; k < in; ++k) integers[k * out + c] = quantiser(static_cast<float>(w[k * out + c]));
  }
  Array rounded = on->empty({in, out}, DType::kInt8);
  on->copy_in(integers.data(), rounded);
  Array expected = zeros({4, out}), y = zeros({4, out});
  on->linear(x, pack(W, WeightForm::kInt8), {}, {}, expected);
  const PackedMatrix packed = reserve(WeightForm::kInt8, in, out);
  on->pack(rounded, Transpose::kNo, array({out}, scales), 0, packed);
  on->linear(x, packed, {}, {}, y);
  EXPECT_EQ(values(y), values(expected));

  const PackedMatrix as_float = reserve(WeightForm::kFloat32, in, out);
  on->pack(rounded, Transpose::kNo, array({out}, scales), 0, as_float);
  Doubles dequantised;
  for (std::size_t i = 0; i < w.size(); ++i) dequantised.push_back(integers[i] * scales[i % out]);
  on->linear(x, array({in, out}, dequantised), {}, {}, expected);
  on->linear(x, as_float, {}, {}, y);
  expect_near(values(y), values(expected), tolerance());
}

TEST_P(PackedKernel, ARowThatIsNotFiniteDoesNotAffectOthers) {
  const Array W = random({9, 14}, 1);
  for (const WeightForm form : forms()) {
    const PackedMatrix packed = pack(W, form);
    for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
      Doubles x = random_values(3 * 9, 2);
      Array clean = zeros({3, 14}), y = zeros({3, 14});
      on->linear(array({3, 9}, x), packed, {}, {}, clean);
      x[9 + 4] = bad;
      on->linear(array({3, 9}, x), packed, {}, {}, y);
      for (const double value : values(y.row_range(1, 1))) EXPECT_FALSE(std::isfinite(value));
      EXPECT_EQ(values(y.row_range(0, 1)), values(clean.row_range(0, 1)));
      EXPECT_EQ(values(y.row_range(2, 1)), values(clean.row_range(2, 1)));
    }
  }
}

TEST_P(PackedKernel, EmbeddingLooksUpPackedRows) {
  const std::int64_t V = 50, d = 21;
  const Array E = random({V, d}, 1), P = random({4, d}, 2);
  const Segments segments = make_segments(*on, {4, 1});
  const Array ids = integers({49, 0, 13, 2, 13});
  const PackedMatrix packed = pack(E, WeightForm::kFloat32, Transpose::kYes);
  for (const Array& positions : {P, Array()}) {
    Array expected = zeros({5, d}), y = zeros({5, d});
    on->embed(ids, segments, E, positions, 3.5, {}, expected);
    on->embed(ids, segments, packed, positions, 3.5, y);
    EXPECT_EQ(values(y), values(expected));
  }
  Array rounded = zeros({5, d}), exact = zeros({5, d});
  on->embed(ids, segments, E, P, 1, {}, exact);
  on->embed(ids, segments, pack(E, WeightForm::kInt8, Transpose::kYes), P, 1, rounded);
  const Doubles a = values(rounded), e = values(exact);
  // Rounding is off by at most half a step, and the largest element is below 4.
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], e[i], 4.0 / 127 / 2);
  Array y = zeros({1, d});
  EXPECT_THROW(on->embed(integers({50}), segments, packed, {}, 1, y), ShapeError);
}

TEST_P(PackedKernel, RefusesWhatDoesNotFit) {
  const PackedMatrix W = reserve(WeightForm::kFloat32, 8, 4);
  Array y = zeros({3, 4});
  EXPECT_THROW(on->linear(zeros({3, 9}), W, {}, {}, y), ShapeError);
  EXPECT_THROW(on->linear(zeros({2, 8}), W, {}, {}, y), ShapeError);
  EXPECT_THROW(on->linear(zeros({3, 8}), W, zeros({5}), {}, y), ShapeError);
  EXPECT_THROW(on->pack(zeros({8, 2}), Transpose::kNo, {}, 3, W), ShapeError);
  EXPECT_THROW(on->pack(zeros({7, 2}), Transpose::kNo, {}, 0, W), ShapeError);
  EXPECT_THROW(on->pack(zeros({8, 2}), Transpose::kNo, zeros({2}), 0, W), ShapeError);
}

}  // namespace
}  // namespace dragoman
