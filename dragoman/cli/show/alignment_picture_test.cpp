#include "dragoman/cli/show/alignment_picture.h"

#include <gtest/gtest.h>

#include <vector>

namespace dragoman::cli {
namespace {

TEST(AlignmentPicture, IsDarkerWhereAttentionIsHigher) {
  const decode::AttentionMap words{.targets = 2, .sources = 2, .weights = {0.9f, 0.1f, 0.05f, 0.5f}};
  const std::vector<std::string> sources{"the",
                                         "Stra\xC3\x9F"
                                         "e"},
      targets{"la", "rue"};
  EXPECT_EQ(alignment_picture(words, sources, targets),
            "     the  Stra\xC3\x9F"
            "e\n"
            "la   ██   ░░\n"
            "rue  ·    ▓▓\n");
}

TEST(AlignmentPicture, TheEndOfTheSentenceIsLeftOutIfItHasNoWord) {
  const decode::AttentionMap words{.targets = 2, .sources = 2, .weights = {1, 0, 0, 1}};
  const std::vector<std::string> only{"a"};
  EXPECT_EQ(alignment_picture(words, only, only), "   a\na  ██\n");
}

}  // namespace
}  // namespace dragoman::cli
