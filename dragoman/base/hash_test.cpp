#include "dragoman/base/hash.h"

#include <gtest/gtest.h>

#include <set>

namespace dragoman {
namespace {

TEST(Hash, DoesNotDependOnHowTheBytesAreDivided) {
  const std::string text = "one sentence in pieces of any size";
  const std::uint64_t whole = Hash().add(text).value();
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    EXPECT_EQ(Hash().add(text.substr(0, cut)).add(text.substr(cut)).value(), whole) << cut;
  }
}

TEST(Hash, EveryFlippedBitChangesIt) {
  std::string text = "twenty bytes of text";
  std::set<std::uint64_t> seen{Hash().add(text).value()};
  for (std::size_t bit = 0; bit < 8 * text.size(); ++bit) {
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ 1 << bit % 8);
    EXPECT_TRUE(seen.insert(Hash().add(text).value()).second) << bit;
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ 1 << bit % 8);
  }
}

TEST(Hash, TrailingZerosChangeIt) {
  std::set<std::uint64_t> seen;
  for (std::size_t zeros = 0; zeros < 20; ++zeros) {
    EXPECT_TRUE(seen.insert(Hash().add(std::string(zeros, '\0')).value()).second) << zeros;
  }
}

TEST(Hash, PrintsSixteenDigits) { EXPECT_EQ(Hash().hex().size(), 16u); }

}  // namespace
}  // namespace dragoman
