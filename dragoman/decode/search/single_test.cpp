#include "dragoman/decode/engine/dispatcher.h"

#include <gtest/gtest.h>

#include "dragoman/decode/testing.h"
#include "dragoman/model/testing.h"

namespace dragoman::decode {
namespace {

using data::Sentence;
using model::ScriptedModel;
using model::SmallModel;

// The logits of eight words: those listed, and 0 for the rest. Word 2 is EOS.
Doubles likely(std::initializer_list<std::pair<int, double>> words) {
  Doubles logits(8, 0);
  for (const auto& [word, logit] : words) logits[static_cast<std::size_t>(word)] = logit;
  return logits;
}

class GreedyTest : public ::testing::Test {
 protected:
  std::vector<Hypothesis> translate(const ScriptedModel::Logits& logits, const std::vector<Sentence>& sources,
                                    int max_extra = 50) {
    const ScriptedModel scripted(*on, 8, logits);
    return greedy(*on, scripted, sources, {.max_extra = max_extra});
  }

  std::unique_ptr<Backend> on = make_backend(Device{}, {.threads = 1});
};

TEST_F(GreedyTest, TakesTheLikeliestWordUntilTheEnd) {
  const auto translations = translate(
      [](int, int position) {
        return position == 0 ? likely({{5, 3}}) : position == 1 ? likely({{4, 1}, {6, 2}}) : likely({{2, 9}});
      },
      {{7, 2}});
  ASSERT_EQ(translations.size(), 1u);
  EXPECT_EQ(translations[0].tokens, (Sentence{5, 6}));
  EXPECT_TRUE(translations[0].finished);
}

TEST_F(GreedyTest, SentencesEndEachAtTheirOwnTime) {
  // The translation of sentence b has b words.
  const auto translations = translate(
      [](int b, int position) {
        return position < b ? likely({{4 + b, 5}}) : likely({{2, 5}});
      },
      {{7, 2}, {7, 2}, {7, 2}, {7, 2}});
  EXPECT_EQ(translations[0].tokens, (Sentence{}));
  EXPECT_EQ(translations[1].tokens, (Sentence{5}));
  EXPECT_EQ(translations[2].tokens, (Sentence{6, 6}));
  EXPECT_EQ(translations[3].tokens, (Sentence{7, 7, 7}));
}

TEST_F(GreedyTest, TheLimitIsEachSentencesOwn) {
  const auto translations = translate([](int, int) { return likely({{5, 1}}); }, {{7, 2}, {7, 7, 7, 2}, {2}}, 2);
  EXPECT_EQ(translations[0].tokens.size(), 3u);
  EXPECT_EQ(translations[1].tokens.size(), 5u);
  EXPECT_EQ(translations[2].tokens.size(), 2u);
  for (const Hypothesis& translation : translations) EXPECT_FALSE(translation.finished);
}

TEST_F(GreedyTest, ALimitOfZeroGivesAnEmptyTranslation) {
  const auto translations = translate([](int, int) { return likely({{5, 1}}); }, {{2}, {7, 2}}, 0);
  EXPECT_EQ(translations[0].tokens, (Sentence{}));
  EXPECT_FALSE(translations[0].finished);
  EXPECT_EQ(translations[1].tokens, (Sentence{5}));
}

TEST_F(GreedyTest, TheEndCountsTowardsTheLimit) {
  const auto ends_third = [](int, int position) { return position < 2 ? likely({{5, 1}}) : likely({{2, 1}}); };
  EXPECT_TRUE(translate(ends_third, {{7, 2}}, 2)[0].finished);
  EXPECT_FALSE(translate(ends_third, {{7, 2}}, 1)[0].finished);
}

TEST_F(GreedyTest, TiesGoToTheLowestId) {
  const auto tied = [](int, int position) { return position == 0 ? likely({{5, 1}, {7, 1}}) : likely({{2, 1}}); };
  EXPECT_EQ(translate(tied, {{7, 2}})[0].tokens, (Sentence{5}));
  const auto all_equal = translate([](int, int) { return likely({}); }, {{7, 2}});
  EXPECT_EQ(all_equal[0].tokens, (Sentence{}));  // the end has the lowest id of those that may be generated
  EXPECT_TRUE(all_equal[0].finished);
}

TEST_F(GreedyTest, ReservedIdsAreNeverGenerated) {
  const auto reserved = [](int, int position) {
    return position == 0 ? likely({{kPad, 9}, {kBos, 8}, {6, 1}}) : likely({{kPad, 9}, {2, 1}});
  };
  EXPECT_EQ(translate(reserved, {{7, 2}})[0].tokens, (Sentence{6}));
}

TEST_F(GreedyTest, NoSourcesGiveNoTranslations) {
  EXPECT_TRUE(translate([](int, int) { return likely({}); }, {}).empty());
}

TEST_F(GreedyTest, LogProbabilitiesAreSummedOverTheSentenceAndItsEnd) {
  const auto halves = [](int, int position) {
    Doubles logits(8, -1e9);
    logits[position < 2 ? 5 : 2] = logits[7] = 0;  // two words of probability one half
    return logits;
  };
  EXPECT_NEAR(translate(halves, {{7, 2}})[0].log_probability, 3 * std::log(0.5), 1e-9);
}

TEST(GreedyTranslation, DoesNotDependOnOtherSentencesOrThreads) {
  const SmallModel one(untied_config()), three(untied_config(), {.threads = 3});
  const std::vector<Sentence> sources = model::random_sentences(25, 15, 200, 4);
  std::vector<Hypothesis> alone;
  for (const Sentence& source : sources)
    alone.push_back(greedy(*one.on, one.model, std::span(&source, 1), {.max_extra = 20}).front());
  std::vector<std::size_t> order(sources.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i * 7 % order.size();
  for (const SmallModel* small : {&one, &three}) {
    for (const std::size_t count : {3u, 25u}) {
      std::vector<Sentence> batch;
      for (std::size_t i = 0; i < count; ++i) batch.push_back(sources[order[i]]);
      const std::vector<Hypothesis> together = greedy(*small->on, small->model, batch, {.max_extra = 20});
      for (std::size_t i = 0; i < count; ++i) {
        EXPECT_EQ(together[i].tokens, alone[order[i]].tokens);
        EXPECT_EQ(together[i].log_probability, alone[order[i]].log_probability);
        EXPECT_EQ(together[i].finished, alone[order[i]].finished);
      }
    }
  }
}

TEST(GreedyTranslation, LeavesTheArenaAsItWas) {
  const SmallModel small(untied_config());
  const std::size_t used = small.on->arena().used(), host = small.on->host_arena().used();
  greedy(*small.on, small.model, model::random_sentences(3, 5, 200, 4));
  EXPECT_EQ(small.on->arena().used(), used);
  EXPECT_EQ(small.on->host_arena().used(), host);
}

TEST(GreedyTranslation, DoublePrecisionAgreesWithSingle) {
  const SmallModel singles(untied_config()), doubles(untied_config(), {.dtype = DType::kFloat64});
  const std::vector<Sentence> sources{{5, 6, 7, 2}};
  const Hypothesis a = greedy(*singles.on, singles.model, sources, {.max_extra = 5}).front(),
                   b = greedy(*doubles.on, doubles.model, sources, {.max_extra = 5}).front();
  EXPECT_EQ(a.tokens, b.tokens);
  EXPECT_NEAR(a.log_probability, b.log_probability, 1e-4);
}

}  // namespace
}  // namespace dragoman::decode
