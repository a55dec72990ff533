#include "dragoman/decode/roles/cooccurrence.h"

#include <gtest/gtest.h>

namespace dragoman::decode {
namespace {

// Sentences of three words in every order; each word is translated by its capital letters, in reverse order.
std::vector<WordPair> reversed_sentences() {
  const std::vector<std::string> words{"ab", "cd", "ef", "gh", "ij"}, capitals{"AB", "CD", "EF", "GH", "IJ"};
  std::vector<WordPair> pairs;
  for (std::size_t a = 0; a < 5; ++a) {
    for (std::size_t b = 0; b < 5; ++b) {
      for (std::size_t c = 0; c < 5; ++c) {
        if (a != b && b != c && a != c)
          pairs.push_back({{words[a], words[b], words[c]}, {capitals[c], capitals[b], capitals[a]}});
      }
    }
  }
  return pairs;
}

TEST(ClearLinks, FindWordsThatOccurTogetherWhateverTheirOrder) {
  for (const auto& links : clear_links(reversed_sentences())) {
    EXPECT_EQ(links, (std::vector<eval::WordLink>{{2, 0}, {1, 1}, {0, 2}}));
  }
}

TEST(ClearLinks, AreNotMadeForRareOrRepeatedWords) {
  std::vector<WordPair> pairs = reversed_sentences();
  pairs.push_back({{"rare", "ab"}, {"AB", "RARE"}});
  pairs.push_back({{"ab", "cd", "ab"}, {"AB", "CD", "AB"}});
  const auto links = clear_links(pairs);
  EXPECT_EQ(links[links.size() - 2], (std::vector<eval::WordLink>{{1, 0}}));
  EXPECT_EQ(links.back(), (std::vector<eval::WordLink>{{1, 1}}));
}

TEST(ClearLinks, AreNoneWithoutWords) {
  EXPECT_TRUE(clear_links({}).empty());
  EXPECT_TRUE(clear_links(std::vector<WordPair>{{{}, {"A"}}, {{"a"}, {}}})[0].empty());
}

}  // namespace
}  // namespace dragoman::decode
