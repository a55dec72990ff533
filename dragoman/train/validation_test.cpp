#include "dragoman/train/validation.h"

#include <gtest/gtest.h>

#include "dragoman/data/testing.h"
#include "dragoman/decode/engine/dispatcher.h"
#include "dragoman/exchange/alone.h"
#include "dragoman/model/testing.h"
#include "dragoman/text/model_file.h"

namespace dragoman::train {
namespace {

class ValidationTest : public data::CorpusTest {
 protected:
  // On five pairs, given by their numbers of source and target words.
  Validator validator(const ValidationLimits& limits) const {
    return {
        corpus("valid", {3, 0, 9, 4, 1}, {2, 1, 1, 5, 4}), {data::word_tokenizer(), data::word_tokenizer()}, limits};
  }
  static model::TransformerConfig config() {
    model::TransformerConfig config = model::small_config();
    config.V_source = config.V_target = static_cast<int>(data::word_tokenizer().size());
    return config;
  }

  exchange::Alone alone;
};

TEST_F(ValidationTest, EmptyAndLongPairsAreLeftOutAndCounted) {
  const Validator some = validator({.batch_tokens = 10, .decode_sentences = 2, .bleu_sentences = 9, .max_length = 6});
  EXPECT_EQ(some.pairs(), 3);
  EXPECT_EQ(some.left_out(), 2);
  EXPECT_NE(
      data::error_message_of<UsageError>([&] { validator({.max_length = 1}); }).find("has no pair of at most 1 tokens"),
      std::string::npos);
}

TEST_F(ValidationTest, DoesNotDependOnHowItIsCutIntoBatches) {
  model::SmallModel small(config());
  small.add_noise();
  const Validation one_by_one =
      validator({.batch_tokens = 1, .decode_sentences = 1, .bleu_sentences = 9, .max_length = 40})
          .run(*small.on, small.model, alone);
  const Validation together =
      validator({.batch_tokens = 1000, .decode_sentences = 9, .bleu_sentences = 9, .max_length = 40})
          .run(*small.on, small.model, alone);
  EXPECT_NEAR(one_by_one.scores["nll"], together.scores["nll"], 1e-6);
  EXPECT_EQ(one_by_one.scores["bleu"], together.scores["bleu"]);
  ASSERT_EQ(one_by_one.samples.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(one_by_one.samples[i].translation, together.samples[i].translation);
  EXPECT_EQ(one_by_one.samples[0].source, data::words(3));
  EXPECT_EQ(one_by_one.samples[0].reference, data::words(2));
}

TEST_F(ValidationTest, TranslationsBeginWithTheFirstTokenOfTheVocabulary) {
  model::SmallModel small(config());
  small.add_noise();
  const text::Tokenizer plain = data::word_tokenizer();
  const auto coded = text::Tokenizer::from_bytes(text::with_first_piece(plain.bytes(), plain.piece(9)), "coded");
  const Validator validator(corpus("valid", {5}, {5}), {plain, coded},
                            {.batch_tokens = 50, .decode_sentences = 9, .bleu_sentences = 9, .max_length = 40});
  data::Sentence source = plain.encode(data::words(5));
  source.push_back(kEos);
  const auto translate = [&](const decode::GreedySettings& settings) {
    return decode::greedy(*small.on, small.model, std::span(&source, 1), settings).front().tokens;
  };
  const data::Sentence expected = translate({.first = 9});
  EXPECT_EQ(expected.front(), 9);
  EXPECT_NE(coded.decode(expected), coded.decode(translate({})));
  EXPECT_EQ(validator.run(*small.on, small.model, alone).samples.at(0).translation, coded.decode(expected));
}

TEST_F(ValidationTest, BleuUsesTheGivenTokenization) {
  model::SmallModel small(config());
  small.add_noise();
  const auto bleu = [&](eval::Tokenization words) {
    const ValidationLimits limits{
        .batch_tokens = 50, .decode_sentences = 9, .bleu_sentences = 9, .bleu_words = words, .max_length = 40};
    return validator(limits).run(*small.on, small.model, alone).scores["bleu"];
  };
  EXPECT_NE(bleu(eval::Tokenization::kChar), bleu(eval::Tokenization::k13a));
}

TEST_F(ValidationTest, WithoutSentencesToTranslateThereIsNoBleu) {
  model::SmallModel small(config());
  const Validation validation =
      validator({.batch_tokens = 50, .decode_sentences = 1, .bleu_sentences = 0, .max_length = 40})
          .run(*small.on, small.model, alone);
  EXPECT_FALSE(validation.scores.has("bleu"));
  EXPECT_TRUE(validation.samples.empty());
  EXPECT_GT(validation.scores["nll"], 0);
}

}  // namespace
}  // namespace dragoman::train
