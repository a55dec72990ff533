// A sentence for which the model's scores are not finite numbers fails, and no other does.
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <vector>

#include "dragoman/decode/engine/dispatcher.h"
#include "dragoman/decode/testing.h"

namespace dragoman::decode {
namespace {

using data::Sentence;
using model::SmallModel;
using Results = std::map<std::uint64_t, Result>;

constexpr std::int32_t kBadWord = 199;

// A model whose scores are NaN for every sentence with kBadWord.
struct DamagedModel : SmallModel {
  explicit DamagedModel(const model::SmallOptions& options) : SmallModel(untied_config(), options) {
    const Array row = parameter("embed.E_source").row_range(kBadWord, 1);
    on->scaled(row, std::numeric_limits<double>::quiet_NaN(), Sink::overwrite(row));
    block.refresh();
  }
};

Results run(Dispatcher& engine, const std::vector<Sentence>& sources) {
  for (std::size_t i = 0; i < sources.size(); ++i) engine.add({.source = sources[i], .prefix = {}, .number = i});
  Results results;
  while (!engine.idle()) {
    for (Result& result : engine.step()) results[result.number] = std::move(result);
  }
  return results;
}

class FailedSentence : public ::testing::TestWithParam<Device> {
 protected:
  // Translates sentences with and without kBadWord in turns, in batches that they share.
  void expect_alone(const std::vector<const model::Seq2Seq*>& models, Backend& on, const SearchSettings& settings,
                    Place place) const {
    Dispatcher engine(on, models, settings, {.sentences = 4, .source_tokens = 60}, place);
    const Results expected = run(engine, good), actual = run(engine, mixed);
    ASSERT_EQ(actual.size(), mixed.size());
    for (std::size_t i = 0; i < good.size(); ++i) {
      SCOPED_TRACE(testing::Message() << "sentence " << i);
      const Result &bad_one = actual.at(2 * i), &good_one = actual.at(2 * i + 1), &wanted = expected.at(i);
      EXPECT_TRUE(bad_one.failed);
      EXPECT_TRUE(bad_one.hypotheses.empty());
      ASSERT_FALSE(good_one.failed);
      ASSERT_EQ(good_one.hypotheses.size(), wanted.hypotheses.size());
      EXPECT_EQ(good_one.hypotheses[0].tokens, wanted.hypotheses[0].tokens);
      // On a GPU the algorithms of products depend on the size of the batch.
      const double tolerance = GetParam().kind == Device::Kind::kCpu ? 0 : 1e-4;
      EXPECT_NEAR(good_one.hypotheses[0].score, wanted.hypotheses[0].score, tolerance);
    }
  }

  static std::vector<Sentence> with_bad_ones(const std::vector<Sentence>& sentences) {
    std::vector<Sentence> mixed;
    for (const Sentence& sentence : sentences) {
      mixed.push_back(sentence);
      mixed.back().insert(mixed.back().begin() + std::ssize(sentence) / 2, kBadWord);
      mixed.push_back(sentence);
    }
    return mixed;
  }

  const DamagedModel damaged{{.threads = 2, .device = GetParam()}};
  const std::vector<Sentence> good = model::random_sentences(12, 9, kBadWord, 4), mixed = with_bad_ones(good);
};

TEST_P(FailedSentence, FailsAloneInASearchOnTheDevice) {
  for (const Method method : {Method::kBeam, Method::kGreedy}) {
    expect_alone({&damaged.model}, *damaged.on, {.method = method, .max_extra = 8}, Place::kDevice);
  }
}

TEST_P(FailedSentence, FailsAloneInASearchOnTheHost) {
  for (const Method method : {Method::kBeam, Method::kGreedy}) {
    expect_alone({&damaged.model}, *damaged.on, {.method = method, .max_extra = 8}, Place::kHost);
  }
}

TEST_P(FailedSentence, FailsAloneIfOnlyOneOfTwoModelsHasNoScores) {
  const SmallModel sound(untied_config(), {.threads = 2, .seed = 2, .device = GetParam()});
  sound.on->wait();  // it has a stream of its own
  expect_alone({&sound.model, &damaged.model}, *damaged.on, {.max_extra = 8}, Place::kHost);
}

INSTANTIATE_TEST_SUITE_P(OnCpu, FailedSentence, ::testing::Values(Device{}));
INSTANTIATE_TEST_SUITE_P(OnCuda, FailedSentence,
                         ::testing::ValuesIn(std::vector<Device>(cuda_devices() > 0 ? 1 : 0,
                                                                 Device{Device::Kind::kCuda, 0})));
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FailedSentence);

}  // namespace
}  // namespace dragoman::decode
