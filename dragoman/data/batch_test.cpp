#include "dragoman/data/batch.h"

#include <gtest/gtest.h>

#include "dragoman/backend/testing.h"
#include "dragoman/base/error.h"

namespace dragoman::data {
namespace {

class BatchTest : public ::testing::Test {
 protected:
  Batch make(const std::vector<SentencePair>& pairs, const BatchOptions& options = {.V_source = 10, .V_target = 8}) {
    return make_batch(*on, pairs, options);
  }
  std::string error_message(const std::vector<SentencePair>& pairs) {
    try {
      make(pairs);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  }
  Doubles values(const Array& x) const { return values_of(*on, x.reshaped({1, x.count()})); }

  std::unique_ptr<Backend> on = make_backend(Device{}, {.threads = 1});
};

TEST_F(BatchTest, TheDecoderReadsTheTargetShiftedRightByOne) {
  const Batch batch = make({{{9, 2}, {5, 6, 2}}, {{8, 8, 2}, {7, 2}}});
  EXPECT_EQ(values(batch.source.ids), (Doubles{9, 2, 8, 8, 2}));
  EXPECT_EQ(values(batch.target.ids), (Doubles{kBos, 5, 6, kBos, 7}));
  EXPECT_EQ(values(batch.targets), (Doubles{5, 6, 2, 7, 2}));
  EXPECT_EQ(batch.target_tokens, 5);
}

TEST(TakeBatch, StaysWithinTheLimitOnBothSidesButTakesAtLeastOne) {
  const std::vector<SentencePair> pairs{{{9, 2}, {5, 2}}, {{9, 2}, {5, 2}}, {{2}, {5, 6, 7, 2}}, {{9, 9, 2}, {2}}};
  std::span<const SentencePair> left = pairs;
  std::vector<std::size_t> sizes;
  while (!left.empty()) sizes.push_back(take_batch(left, 4).size());
  EXPECT_EQ(sizes, (std::vector<std::size_t>{2, 1, 1}));
  left = pairs;
  EXPECT_EQ(take_batch(left, 1).size(), 1u);
  EXPECT_EQ(left.size(), 3u);
}

TEST_F(BatchTest, TheStartTokenIsTheModelsChoice) {
  const Batch batch = make({{{9, 2}, {5, 2}}}, {.V_source = 10, .V_target = 8, .start_token = kEos});
  EXPECT_EQ(values(batch.target.ids), (Doubles{kEos, 5}));
}

TEST_F(BatchTest, BothSidesNumberTheirSentencesAlike) {
  const Batch batch =
      make({{{9, 2}, {2}}, {{9}, {5, 2}}}, {.V_source = 10, .V_target = 8, .start_token = kBos, .first_sentence = 3});
  EXPECT_EQ(values(batch.source.segments.sentence), (Doubles{3, 3, 4}));
  EXPECT_EQ(values(batch.target.segments.sentence), (Doubles{3, 4, 4}));
}

TEST_F(BatchTest, ASentenceWithoutTokensIsNamed) {
  EXPECT_EQ(error_message({{{9}, {2}}, {{9}, {}}}), "sentence 2 of the batch has no target tokens.");
  EXPECT_EQ(error_message({{{9}, {2}}, {{}, {2}}}), "sentence 2 of the batch has no tokens.");
}

TEST_F(BatchTest, AnIdOutsideItsVocabularyIsNamed) {
  EXPECT_EQ(error_message({{{9}, {8, 2}}}), "the batch has the target id 8, but the vocabulary's tokens are 1 to 7.");
  EXPECT_EQ(error_message({{{9}, {5, 8}}}), "the batch has the target id 8, but the vocabulary's tokens are 1 to 7.");
  EXPECT_EQ(error_message({{{10}, {2}}}),
            "sentence 1 of the batch has the token id 10, but the vocabulary's tokens are 1 to 9.");
}

TEST_F(BatchTest, ABatchMadeOnTheHostIsTheSameOnTheDevice) {
  const std::vector<SentencePair> pairs{{{9, 8, 2}, {5, 2}}, {{8, 2}, {7, 5, 2}}};
  const HostBatch host = make_host_batch(pairs, {.V_source = 10, .V_target = 8});
  EXPECT_EQ(host.sentences(), 2);
  const Batch batch = to_device(*on, host);
  const auto expect_same = [&](const Array& x, const std::vector<std::int32_t>& expected) {
    EXPECT_EQ(values(x), Doubles(expected.begin(), expected.end()));
  };
  expect_same(batch.source.ids, host.source.ids);
  expect_same(batch.source.index.rows, host.source.index.rows);
  expect_same(batch.target.segments.position, host.target.position);
  expect_same(batch.targets, host.targets);
  EXPECT_EQ(batch.target.segments.longest, 3);
}

TEST_F(BatchTest, ThePaddingIdIsRefusedAsATarget) {
  EXPECT_EQ(error_message({{{9}, {kPad, 2}}}),
            "the batch has the target id 0, but the vocabulary's tokens are 1 to 7.");
}

}  // namespace
}  // namespace dragoman::data
