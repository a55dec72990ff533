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
  PronounSentence sentence{.source = tokenizer.encode("one two three four"), .pronoun = 2, .meant = 0, .other = 3};
  ASSERT_EQ(sentence.source.size(), 4u);
  sentence.source.push_back(kEos);
  PronounSentence opposite = sentence;
  std::swap(opposite.meant, opposite.other);

  const std::vector<PronounHead> heads =
      pronoun_heads(*on, *loaded.model, loaded.tokenizers, std::vector{sentence, opposite});
  const nn::AttentionSite encoder = loaded.model->sites().front();
  ASSERT_EQ(std::ssize(heads), encoder.layers * encoder.heads);
  const Forced forced = run_forced(*on, *loaded.model, {sentence.source, {4, 5, kEos}});
  for (const PronounHead& head : heads) {
    const auto weight = [&](std::int64_t key) {
      return forced.attention[0].at(head.head.layer, head.head.head, 2, key);
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
