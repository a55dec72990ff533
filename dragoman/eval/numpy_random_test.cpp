#include "dragoman/eval/numpy_random.h"

#include <gtest/gtest.h>

#include <vector>

namespace dragoman::eval {
namespace {

// NumPy 2.4 prints these numbers for numpy.random.default_rng(12345).
TEST(NumpyRandom, EqualsNumPysDefaultGenerator) {
  NumpyRandom random(12345);
  EXPECT_EQ(random.next_64(), 0x3A32B18DB2FFC19Du);
  EXPECT_EQ(random.next_64(), 0x51171315C9E4C4DEu);
  EXPECT_EQ(random.next_64(), 0xCC2024823444EFD9u);
}

TEST(NumpyRandom, ChoosesAsNumPyDoes) {
  NumpyRandom random(12345);
  std::vector<std::uint32_t> chosen;
  for (int i = 0; i < 8; ++i) chosen.push_back(random.below(10));
  EXPECT_EQ(chosen, (std::vector<std::uint32_t>{6, 2, 7, 3, 2, 7, 6, 6}));
}

TEST(NumpyRandom, FlipsCoinsAsNumPyDoes) {
  NumpyBits bits(12345);
  std::vector<bool> flipped;
  for (int i = 0; i < 40; ++i) flipped.push_back(bits.next());
  const std::vector<bool> expected{1, 0, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1,
                                   1, 1, 1, 1, 0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 0, 0, 1};
  EXPECT_EQ(flipped, expected);
}

TEST(NumpyRandom, StaysBelowTheEnd) {
  NumpyRandom random(0);
  for (std::uint32_t end = 1; end < 2000; ++end) EXPECT_LT(random.below(end), end);
}

}  // namespace
}  // namespace dragoman::eval
