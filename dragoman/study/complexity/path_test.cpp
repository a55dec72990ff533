#include "dragoman/study/complexity/path.h"

#include <gtest/gtest.h>

#include "dragoman/base/fields.h"
#include "dragoman/study/complexity/testing.h"

namespace dragoman::study {
namespace {

TEST(Path, OneLayerOfSelfAttentionConnectsEverything) {
  for (const std::int64_t n : {2, 50, 1024}) {
    EXPECT_EQ(path_length(LayerKind::kSelf, {}, n), 1);
    EXPECT_EQ(path_length(LayerKind::kProjections, {.causal = true}, n), 1);
  }
}

TEST(Path, ARecurrentLayerTakesAStepForEachPosition) {
  for (const std::int64_t n : {2, 50, 1024}) {
    EXPECT_EQ(path_length(LayerKind::kRecurrent, {}, n), n);
    EXPECT_EQ(path_length(LayerKind::kLstm, {}, n), n);
  }
}

TEST(Path, AConvolutionMovesByHalfItsTaps) {
  EXPECT_EQ(path_length(LayerKind::kConvolution, {.k = 3}, 50), 49);
  EXPECT_EQ(path_length(LayerKind::kConvolution, {.k = 5}, 50), 25);
  EXPECT_EQ(path_length(LayerKind::kSeparable, {.k = 5}, 1024), 512);
  EXPECT_EQ(path_length(LayerKind::kConvolution, {.k = 3, .causal = true}, 50), 25);
}

TEST(Path, DilatedConvolutionsTakeTheLogarithm) {
  const std::int64_t lengths[][2] = {{3, 1}, {4, 2}, {16, 3}, {27, 3}, {28, 4}, {50, 4}, {128, 5}, {512, 6}, {1024, 7}};
  for (const auto& [n, layers] : lengths) EXPECT_EQ(path_length(LayerKind::kDilated, {.k = 3}, n), layers) << n;
}

TEST(Path, RestrictedSelfAttentionMovesByHalfItsWindow) {
  EXPECT_EQ(path_length(LayerKind::kRestricted, {.r = 11}, 50), 10);
  EXPECT_EQ(path_length(LayerKind::kRestricted, {.r = 11}, 1024), 205);
  EXPECT_EQ(path_length(LayerKind::kRestricted, {.r = 11, .causal = true}, 50), 5);
  EXPECT_EQ(path_length(LayerKind::kRestricted, {.r = 11, .causal = true}, 1024), 103);
}

TEST(Path, SearchAgreesWithTheFormulaAtEveryLength) {
  for (const LayerKind kind : all_kinds()) {
    for (const LayerSizes& sizes : {LayerSizes{.k = 3, .r = 5}, LayerSizes{.k = 5, .r = 9, .causal = true}}) {
      for (std::int64_t n = 2; n <= 200; ++n) {
        ASSERT_EQ(path_length(kind, sizes, n), expected_path(kind, sizes, n)) << to_string(kind) << ", n = " << n;
      }
    }
  }
}

TEST(PathGradient, IsExactlyZeroOneLayerShortAndNotAtTheLength) {
  for (const LayerKind kind : all_kinds()) {
    for (const LayerSizes& sizes : {LayerSizes{.k = 3, .r = 11}, LayerSizes{.k = 5, .r = 11, .causal = true}}) {
      for (const std::int64_t n : {2, 16, 50, 64}) {
        SCOPED_TRACE(join(to_string(kind), ", n = ", n));
        const std::int64_t length = path_length(kind, sizes, n);
        EXPECT_EQ(path_gradient(kind, sizes, n, length - 1), 0.0);
        EXPECT_GT(path_gradient(kind, sizes, n, length), 0.0);
      }
    }
  }
}

TEST(Path, LengthsThatHaveNoPathAreRefused) {
  EXPECT_THROW(path_length(LayerKind::kSelf, {}, 1), UsageError);
  EXPECT_THROW(path_gradient(LayerKind::kSelf, {}, 65, 1), UsageError);
}

}  // namespace
}  // namespace dragoman::study
