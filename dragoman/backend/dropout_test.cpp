#include "dragoman/backend/dropout.h"

#include <gtest/gtest.h>

#include "dragoman/backend/testing.h"

namespace dragoman {
namespace {

using DropoutKernel = KernelTest;
INSTANTIATE_TEST_SUITE_P(Devices, DropoutKernel, ::testing::ValuesIn(kernel_cases()), kernel_case_name);

TEST_P(DropoutKernel, FollowsItsDefinition) {
  for (const double P_drop : {0.0, 0.1, 0.5, 0.999}) {
    const Dropout dropout = Dropout::with(P_drop, 7, 123456, 3);
    for (const std::int64_t d : {1, 3, 17, 33, 64, 65, 513}) {
      const Segments segments = make_segments(*on, {3, 1, 2}, 40);  // the sentences are numbered from 40
      const Array x = random_view({segments.R, d}, 1);
      const Doubles x_values = values(x), sentence = values(segments.sentence), position = values(segments.position);
      Doubles expected;
      for (std::int64_t i = 0; i < segments.R * d; ++i) {
        const int s = static_cast<int>(sentence[i / d]), p = static_cast<int>(position[i / d]);
        expected.push_back(x_values[i] * dropout_factor(dropout, s, p, i % d));
      }
      expect_in_every_sink({segments.R, d}, expected, [&](Sink y) { on->dropout(x, segments, dropout, y); });
    }
  }
}

TEST_P(DropoutKernel, KeepsTheMeanAndTheStatedFraction) {
  const Segments segments = make_segments(*on, std::vector<int>(64, 8));
  const Array ones = array({512, 512}, Doubles(512 * 512, 1.0)), y = zeros({512, 512});
  const Dropout dropout = Dropout::with(0.1, 1, 2, 3);
  on->dropout(ones, segments, dropout, Sink::overwrite(y));
  double kept = 0, sum = 0;
  for (const double v : values(y)) {
    kept += v != 0;
    sum += v;
  }
  EXPECT_NEAR(kept / (512 * 512), 0.9, 0.003);
  EXPECT_NEAR(sum / (512 * 512), 1.0, 0.003);
}

TEST_P(DropoutKernel, EverySentencePositionUpdateAndSiteHasItsOwnMask) {
  const auto mask = [&](int sentence, int length, std::uint32_t update, std::uint32_t site) {
    const Segments segments = make_segments(*on, {length}, sentence);
    const Array y = zeros({length, 64});
    on->dropout(array({length, 64}, Doubles(64 * length, 1.0)), segments, Dropout::with(0.5, 1, update, site),
                Sink::overwrite(y));
    return values(y.row_range(length - 1, 1));
  };
  const Doubles first = mask(0, 1, 1, 1);
  EXPECT_EQ(first, mask(0, 1, 1, 1));
  EXPECT_NE(first, mask(1, 1, 1, 1));
  EXPECT_NE(first, mask(0, 2, 1, 1));
  EXPECT_NE(first, mask(0, 1, 2, 1));
  EXPECT_NE(first, mask(0, 1, 1, 2));
}

TEST_P(DropoutKernel, BackwardDropsWhatForwardDropped) {
  const Segments segments = make_segments(*on, {5, 1, 9});
  const Dropout dropout = Dropout::with(0.3, 4, 5, 6);
  const Array ones = array({15, 300}, Doubles(15 * 300, 1.0)), y = zeros({15, 300}), dx = zeros({15, 300});
  on->dropout(ones, segments, dropout, Sink::overwrite(y));
  on->dropout(ones, segments, dropout, Sink::accumulate(dx));
  EXPECT_EQ(values(y), values(dx));
}

}  // namespace
}  // namespace dragoman
