#include "dragoman/eval/word_links.h"

#include <gtest/gtest.h>

#include "dragoman/base/error.h"

namespace dragoman::eval {
namespace {

TEST(AlignmentErrors, AreNoneIfAllSureLinksAndOnlyPossibleOnesWereFound) {
  const GoldLinks gold = read_gold_links("0-0 1-2 2p1", "here");
  EXPECT_EQ(gold.sure, (std::vector<WordLink>{{0, 0}, {1, 2}}));
  EXPECT_EQ(gold.possible, (std::vector<WordLink>{{2, 1}}));
  AlignmentErrors errors;
  errors.add(std::vector<WordLink>{{0, 0}, {1, 2}, {2, 1}}, gold);
  EXPECT_DOUBLE_EQ(errors.rate(), 0);
}

TEST(AlignmentErrors, AreTheShareThatWasMissedOrIsWrong) {
  AlignmentErrors errors;
  errors.add(std::vector<WordLink>{{0, 0}, {1, 1}}, read_gold_links("0-0 1-2", "here"));
  EXPECT_DOUBLE_EQ(errors.rate(), 0.5);  // 1 - (1 + 1) / (2 + 2)
  errors.add({}, read_gold_links("0-0 1-1", "here"));
  EXPECT_DOUBLE_EQ(errors.rate(), 1 - 2.0 / 6);
  EXPECT_DOUBLE_EQ(AlignmentErrors().rate(), 0);
}

TEST(ReadGoldLinks, NamesWhatItCannotRead) {
  EXPECT_TRUE(read_gold_links(" \r", "here").sure.empty());
  for (const char* bad : {"0", "0-", "-1", "a-b", "0-1-2", "0--1", "99999999999999999999-1", "p"}) {
    try {
      read_gold_links(bad, "'gold' line 3");
      ADD_FAILURE() << bad;
    } catch (const UsageError& error) {
      EXPECT_EQ(std::string(error.what()).find("'gold' line 3: '" + std::string(bad) + "'"), 0u) << error.what();
    }
  }
}

}  // namespace
}  // namespace dragoman::eval
