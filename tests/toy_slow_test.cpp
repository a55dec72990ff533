// Trains a whole model from scratch: it must learn to copy and to reverse strings that it has never seen.
#include <gtest/gtest.h>

#include "dragoman/demo/toy.h"

namespace dragoman::demo {
namespace {

// A random stream that training does not use: it draws its strings from streams 1 to settings.steps.
constexpr std::uint64_t kFresh = 1'000'000;

double share_right(const ToySettings& settings) {
  ToyModel toy(settings);
  toy.train([](int, const train::Losses&) {});
  return toy.exact_match(toy_pairs(settings, 1000, kFresh));
}

// Shorter strings than those of the demo, to save time; reversing is tested with the demo's own settings.
TEST(Toy, CopiesNinetyNineOfAHundredFreshStrings) {
  EXPECT_GE(share_right({.task = ToyTask::kCopy, .longest = 12, .steps = 450}), 0.99);
}

TEST(Toy, ReversesNinetyFiveOfAHundredFreshStrings) { EXPECT_GE(share_right({.task = ToyTask::kReverse}), 0.95); }

}  // namespace
}  // namespace dragoman::demo
