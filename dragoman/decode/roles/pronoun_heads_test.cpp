#include "dragoman/decode/roles/pronoun_heads.h"

#include <gtest/gtest.h>

#include "dragoman/decode/inside/forced.h"
#include "dragoman/decode/testing.h"

namespace dragoman::decode {
namespace {

using PronounHeads = ModelDirectoryTest;

TEST_F(PronounHeads, HaveTheWeightsFromThePronounToBothWords) {
  const auto on = make_backend({});
  const model::LoadedModel loaded(*on, directory);
  const text::Tokenizer& tokenizer = loaded.tokenizers.source;
  PronounSentence sentence{.pair = {tokenizer.encode("one two three four"), tokenizer.encode("five six")},
                           .pronoun = 2,
                           .translation = 1,
                           .meant = 0,
                           .other = 3};
  ASSERT_EQ(sentence.pair.source.size(), 4u);
  ASSERT_EQ(sentence.pair.target.size(), 2u);
  sentence.pair.source.push_back(kEos);
  sentence.pair.target.push_back(kEos);
  PronounSentence opposite = sentence;
  std::swap(opposite.meant, opposite.other);

  const std::vector<PronounHead> heads =
      pronoun_heads(*on, *loaded.model, loaded.tokenizers, std::vector{sentence, opposite});
  std::size_t expected = 0;
  for (const nn::AttentionSite& site : loaded.model->sites()) {
    if (site.name != "decoder") expected += static_cast<std::size_t>(site.layers * site.heads);
  }
  ASSERT_EQ(heads.size(), expected);
  const Forced forced = run_forced(*on, *loaded.model, sentence.pair);
  for (const PronounHead& head : heads) {
    const auto weight = [&](std::int64_t key) {
      const int site = head.head.site, query = site == model::transformer::kCrossSite ? 1 : 2;
      return forced.attention[static_cast<std::size_t>(site)].at(head.head.layer, head.head.head, query, key);
    };
    ASSERT_EQ(head.sentences.size(), 2u);
    EXPECT_FLOAT_EQ(static_cast<float>(head.sentences[0].meant), weight(0));
    EXPECT_FLOAT_EQ(static_cast<float>(head.sentences[0].other), weight(3));
    EXPECT_NE(head.sentences[0].right(), head.sentences[1].right());  // it prefers the same word in both
    EXPECT_EQ(head.share(), 0.5);
  }
}

}  // namespace
}  // namespace dragoman::decode
