#include "dragoman/decode/inside/next_words.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dragoman/autograd/record.h"
#include "dragoman/decode/inside/forced.h"
#include "dragoman/decode/testing.h"
#include "dragoman/model/testing.h"

namespace dragoman::decode {
namespace {

const data::SentencePair kPair{{5, 9, 120, 7, kEos}, {8, 30, 6, kEos}};

NextWordsChoice choice_of(std::int64_t count, double temperature = 1) {
  return {.count = count, .temperature = temperature, .layers = true};
}

Forced forced_words(const model::SmallModel& small, const NextWordsChoice& choice) {
  return run_forced(*small.on, small.model, kPair, {.projections = {}, .switched_off = {}, .next_words = choice});
}

// Gives all parameters of `to` the values that they have in `from`.
void copy_parameters(const model::SmallModel& from, model::SmallModel& to) {
  for (const params::NamedTensor& tensor : to.block.tensors()) {
    to.on->scaled(from.parameter(tensor.name), 1.0, Sink::overwrite(tensor.values));
  }
  to.block.refresh();
}

void expect_equal(const NextWords& one, const NextWords& other) {
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].log_p, other[i].log_p);
    EXPECT_EQ(one[i].rank, other[i].rank);
    ASSERT_EQ(one[i].likeliest.size(), other[i].likeliest.size());
    for (std::size_t w = 0; w < one[i].likeliest.size(); ++w) {
      EXPECT_EQ(one[i].likeliest[w].word, other[i].likeliest[w].word);
      EXPECT_EQ(one[i].likeliest[w].log_p, other[i].likeliest[w].log_p);
    }
  }
}

TEST(NextWords, AreThoseOfTheModelInDescendingOrder) {
  const model::SmallModel small(untied_config());
  const auto V = static_cast<std::size_t>(small.model.target_vocabulary());
  const Forced forced = forced_words(small, choice_of(static_cast<std::int64_t>(V)));
  ASSERT_EQ(forced.next_words.size(), kPair.target.size());
  for (std::size_t i = 0; i < kPair.target.size(); ++i) {
    const NextWord& next = forced.next_words[i];
    ASSERT_EQ(next.likeliest.size(), V);
    double sum = 0;
    for (std::size_t w = 0; w < V; ++w) {
      sum += std::exp(next.likeliest[w].log_p);
      EXPECT_LE(next.likeliest[w].log_p, next.likeliest[w > 0 ? w - 1 : 0].log_p);
    }
    EXPECT_NEAR(sum, 1, 1e-5);
    EXPECT_EQ(next.likeliest[next.rank].word, kPair.target[i]);
    EXPECT_EQ(next.likeliest[next.rank].log_p, next.log_p);
  }
}

// The lens of the last layer is the model's own distribution, bit for bit, with the norm after the addition or before.
TEST(NextWords, OfTheLastLayerAreThoseOfTheModel) {
  for (const auto norm : {model::transformer::Norm::kPost, model::transformer::Norm::kPre}) {
    model::TransformerConfig config = untied_config();
    config.norm = norm;
    model::SmallModel small(config);
    small.add_noise();
    const Forced forced = forced_words(small, choice_of(10));
    ASSERT_EQ(std::ssize(forced.layer_words), config.N_dec);
    expect_equal(forced.layer_words.back(), forced.next_words);
    EXPECT_NE(forced.layer_words.front()[0].log_p, forced.next_words[0].log_p);
  }
}

// What layer 1 of a model would say if it were the last is what the model of one layer with the same weights says.
TEST(NextWords, OfALayerAreThoseOfAModelThatEndsThere) {
  for (const auto norm : {model::transformer::Norm::kPost, model::transformer::Norm::kPre}) {
    model::TransformerConfig config = untied_config();
    config.norm = norm;
    model::SmallModel small(config);
    small.add_noise();
    model::TransformerConfig shallow_config = config;
    shallow_config.N_dec = 1;
    model::SmallModel shallow(shallow_config);
    copy_parameters(small, shallow);
    const Forced deep_words = forced_words(small, choice_of(10)), shallow_words = forced_words(shallow, choice_of(10));
    for (std::size_t i = 0; i < kPair.target.size(); ++i) {
      EXPECT_NEAR(deep_words.layer_words[0][i].log_p, shallow_words.next_words[i].log_p, 1e-5);
    }
  }
}

TEST(NextWords, ATemperatureFlattensOrSharpensThem) {
  const model::SmallModel small(untied_config());
  const auto V = small.model.target_vocabulary();
  const Forced plain = forced_words(small, choice_of(V)), warm = forced_words(small, choice_of(V, 2));
  for (std::size_t i = 0; i < kPair.target.size(); ++i) {
    double sum = 0;
    for (const auto& [word, log_p] : plain.next_words[i].likeliest) sum += std::exp(log_p / 2);
    for (std::size_t w = 0; w < 5; ++w) {
      EXPECT_EQ(warm.next_words[i].likeliest[w].word, plain.next_words[i].likeliest[w].word);
      EXPECT_NEAR(warm.next_words[i].likeliest[w].log_p, plain.next_words[i].likeliest[w].log_p / 2 - std::log(sum),
                  1e-9);
    }
  }
}

}  // namespace
}  // namespace dragoman::decode
