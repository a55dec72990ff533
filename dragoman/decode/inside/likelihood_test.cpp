#include "dragoman/decode/inside/likelihood.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dragoman/decode/engine/dispatcher.h"
#include "dragoman/model/testing.h"

namespace dragoman::decode {
namespace {

using data::SentencePair;
using model::SmallModel;

TEST(Likelihood, IsTheSumOverTheTokensAndTheEnd) {
  const std::unique_ptr<Backend> on = make_backend(Device{}, {.threads = 1});
  const model::ScriptedModel scripted(*on, 6, [](int, int position) {
    return position == 0 ? Doubles{-1e9, -1e9, 0, 0, 0, 0} : Doubles{-1e9, -1e9, 0, 0, -1e9, -1e9};
  });
  const model::Seq2Seq* const models[] = {&scripted};
  const std::vector<SentencePair> pairs{{{4, 2}, {5, 3, 2}}, {{4, 2}, {2}}};
  const std::vector<double> nll = negative_log_likelihoods(*on, models, pairs);
  EXPECT_NEAR(nll[0], std::log(4.0) + 2 * std::log(2.0), 1e-12);
  EXPECT_NEAR(nll[1], std::log(4.0), 1e-12);
}

TEST(Likelihood, HasTheBitsOfTheSearchThatFoundTheWords) {
  SmallModel small;
  small.add_noise();
  const std::vector<data::Sentence> sources = model::random_sentences(20, 12, 37, 6);
  const auto found = search(*small.on, small.model, sources, {.beam = 3, .max_extra = 20});
  std::vector<SentencePair> pairs;
  std::vector<double> wanted;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const Hypothesis& best = found[i].front();
    data::Sentence target = best.tokens;
    if (best.finished) target.push_back(kEos);
    pairs.push_back({sources[i], target});
    wanted.push_back(-best.log_probability);
  }
  const model::Seq2Seq* const models[] = {&small.model};
  EXPECT_EQ(negative_log_likelihoods(*small.on, models, pairs), wanted);
}

TEST(Likelihood, DoesNotDependOnBatchMatesButOnTheModelsThatVote) {
  SmallModel small, other(model::small_config(), {.seed = 2});
  small.add_noise();
  const std::vector<SentencePair> pairs = model::random_pairs(9, 10, 37, 8);
  const model::Seq2Seq* const one[] = {&small.model};
  const model::Seq2Seq* const two[] = {&small.model, &other.model};
  const std::vector<double> together = negative_log_likelihoods(*small.on, one, pairs);
  const std::vector<double> voted = negative_log_likelihoods(*small.on, two, pairs);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    EXPECT_EQ(negative_log_likelihoods(*small.on, one, std::span(pairs).subspan(i, 1))[0], together[i]);
    EXPECT_NE(voted[i], together[i]);
  }
  EXPECT_TRUE(negative_log_likelihoods(*small.on, one, {}).empty());
}

}  // namespace
}  // namespace dragoman::decode
