#include "dragoman/study/complexity/sequence.h"

#include <gtest/gtest.h>

#include "dragoman/base/fields.h"
#include "dragoman/ops/arithmetic.h"
#include "dragoman/study/complexity/testing.h"

namespace dragoman::study {
namespace {

const LayerSizes kSizes{.d = 8, .d_k = 4, .r = 5};

TEST(Sequence, RecurrentLayersTakeAStepForEachPositionAndTheOthersOne) {
  const auto on = make_backend(Device{}, {.threads = 1});
  for (const LayerKind kind : all_kinds()) {
    Layer layer(*on, DType::kFloat32, kind, kSizes);
    for (const std::int64_t n : {1, 2, 7, 64}) {
      const std::int64_t steps = sequence_of(*on, DType::kFloat32, layer, n).steps;
      EXPECT_EQ(steps, is_recurrent(kind) ? n : 1) << to_string(kind) << ", n = " << n;
      EXPECT_EQ(steps, expected_steps(kind, n));
    }
  }
}

TEST(Sequence, OnlyTheChainsOfRecurrentLayersGrowWithTheSentence) {
  const auto on = make_backend(Device{}, {.threads = 1});
  for (const LayerKind kind : all_kinds()) {
    Layer layer(*on, DType::kFloat32, kind, kSizes);
    const auto chain = [&](std::int64_t n) { return sequence_of(*on, DType::kFloat32, layer, n).chain; };
    // A step is a product and a cell.
    EXPECT_EQ(chain(12) - chain(7), is_recurrent(kind) ? 2 * 5 : 0) << to_string(kind);
  }
  Layer core(*on, DType::kFloat32, LayerKind::kSelf, kSizes),
      whole(*on, DType::kFloat32, LayerKind::kProjections, kSizes);
  EXPECT_EQ(sequence_of(*on, DType::kFloat32, core, 7).chain, 1);
  EXPECT_EQ(sequence_of(*on, DType::kFloat32, whole, 7).chain, 3);  // projections, attention, W_O
}

// The rows of one tensor are computed in parts that do not read each other.
TEST(Sequence, IndependentPartsAreNoSequence) {
  const auto on = make_backend(Device{}, {.threads = 1});
  Array x = on->empty({4, 2}, DType::kFloat32);
  on->fill(x, 1.0);
  Recording recording(*on);
  const Tensor input = leaf(*on, x);
  const Tensor whole = nn::loop_rows(input, 4, 2, DType::kFloat32);
  for (int r = 0; r < 4; ++r) ops::store_part(ops::rows(input, r, 1), row_range(whole, r, 1));
  EXPECT_EQ(sequence_of(recording).steps, 1);
}

}  // namespace
}  // namespace dragoman::study
