#include "dragoman/serve/api/cost.h"

#include <gtest/gtest.h>

#include "dragoman/decode/testing.h"
#include "dragoman/serve/api/refusal.h"

namespace dragoman::serve {
namespace {

class CostTest : public decode::ModelDirectoryTest {
 protected:
  // The bytes that a sentence with this number of tokens may take.
  std::int64_t bytes_of(const decode::RequestOptions& options, std::int64_t tokens = 10,
                        const CostLimits& limits = {}) const {
    Cost cost(service, options, decode::Numbers::kLists, limits);
    cost.add(tokens, 10 * tokens);
    return cost.bytes();
  }
  // The message if the sentence is refused, else empty.
  std::string refusal_of(const decode::RequestOptions& options, std::int64_t tokens = 10,
                         const CostLimits& limits = {}) const {
    try {
      bytes_of(options, tokens, limits);
    } catch (const Refusal& refusal) {
      EXPECT_EQ(refusal.status, 413);
      return refusal.what();
    }
    return "";
  }
  static decode::RequestOptions with(const decode::SearchSettings& search) { return {.search = search}; }

  decode::Service service{directory, {.threads = 1}, 100};
};

TEST_F(CostTest, RequestsWithTheSettingsOfTheServerAreAllowed) {
  EXPECT_EQ(refusal_of({}, 1024), "");
  EXPECT_EQ(refusal_of({}, 20000), "");  // it is translated in pieces
  decode::RequestOptions links;
  links.links = true;
  EXPECT_EQ(refusal_of(links, 1024), "");
}

TEST_F(CostTest, TheAllowedLengthCountsEvenForAShortText) {
  EXPECT_NE(refusal_of(with({.beam = 1, .max_extra = 6000})).find("max_extra"), std::string::npos);
  EXPECT_NE(refusal_of(with({.beam = 1, .max_extra = 29176, .min_length = 29100})), "");
  EXPECT_EQ(refusal_of(with({.beam = 1, .max_extra = 2000})), "");
  EXPECT_NE(refusal_of(with({.beam = 32, .max_extra = 2000})).find("beam"), std::string::npos);
  EXPECT_NE(refusal_of(with({.method = decode::Method::kSample, .n_best = 32, .max_extra = 2000})).find("n_best"),
            std::string::npos);
}

TEST_F(CostTest, ATraceCostsTheBytesOfItsWeights) {
  decode::RequestOptions options = with({.beam = 4, .max_extra = 90});
  const std::int64_t plain = bytes_of(options);
  options.links = true;
  const std::int64_t links = bytes_of(options);
  options.trace = true;
  const std::int64_t traced = bytes_of(options);
  EXPECT_LT(plain, links);
  EXPECT_LT(2 * links, traced);
  // Two layers of two heads: 4 rows x 4 heads x (100 x 11 cross + 100 x 101 / 2 self) weights of 4 bytes.
  EXPECT_GT(traced, 4 * 4 * (1100 + 5050) * 4);
  options.trace_layers = {0};
  EXPECT_LT(bytes_of(options), traced);
  options.search->max_extra = 1990;
  options.search->min_length = 2000;
  EXPECT_NE(refusal_of(options).find("layers"), std::string::npos);
}

TEST_F(CostTest, AResultThatIsLongerThanUsualIsCountedWhenItIsKnown) {
  decode::RequestOptions options = with({.beam = 1, .max_extra = 900});
  options.trace = true;
  Cost cost(service, options, decode::Numbers::kLists, {.bytes = 30 << 20});
  cost.add(20, 100);
  const std::int64_t usual = cost.bytes();
  cost.add_result(20, 30);
  EXPECT_EQ(cost.bytes(), usual);
  cost.add_result(20, 500);
  EXPECT_GT(cost.bytes(), usual);
  EXPECT_THROW(cost.add_result(20, 900), Refusal);
  options.search->min_length = 900;
  EXPECT_NE(refusal_of(options, 20, {.bytes = 30 << 20}), "");
}

TEST_F(CostTest, SentencesAddUp) {
  const CostLimits limits{.tokens = 100, .output_tokens = 10000, .bytes = 1 << 20};
  const decode::RequestOptions options = with({.beam = 4, .max_extra = 400});
  Cost cost(service, options, decode::Numbers::kLists, limits);
  for (int i = 0; i < 6; ++i) cost.add(5, 20);
  EXPECT_THROW(cost.add(5, 20), Refusal);  // 7 x 4 x 405 tokens
  EXPECT_NE(refusal_of({}, 101, limits).find("divide"), std::string::npos);
}

}  // namespace
}  // namespace dragoman::serve
