#include "dragoman/text/cut_sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "dragoman/array/tokens.h"
#include "dragoman/base/error.h"
#include "dragoman/text/testing.h"

namespace dragoman::text {
namespace {

using Ids = std::vector<std::int32_t>;

// So small that no merge is ever left out.
constexpr double kTinyAmount = 1e-18;

// Words of the toy text, mixed with other characters.
std::string random_text(RandomStream& random) {
  const std::vector<std::string> parts{
      "the",          "cat",  "mats",         " ",   " ", "s", "\xC3\x9F", "\xE2\x98\x83",
      "\xE2\x96\x81", "that", "\xEF\xBC\xA1", "hat", "'"};
  std::string text;
  for (std::uint32_t n = random.below(12); n > 0; --n) {
    text += parts[random.below(static_cast<std::uint32_t>(parts.size()))];
  }
  return text;
}

ModelFile model_of(TokenizerKind kind, std::vector<Piece> pieces) {
  ModelFile model{.kind = kind, .byte_fallback = false, .pieces = {}};
  for (const char* special : {"<pad>", "<s>", "</s>"}) model.pieces.push_back({special, 0, PieceKind::kControl});
  model.pieces.push_back({"<unk>", 0, PieceKind::kUnknown});
  for (Piece& piece : pieces) model.pieces.push_back(std::move(piece));
  return model;
}

// The share of draws that gave each cut of `text`.
std::map<Ids, double> shares(const ModelFile& model, const std::string& text, double amount) {
  const CutSampler cuts(model);
  constexpr int kDraws = 20'000;
  RandomStream random(1);
  std::map<Ids, double> share;
  for (int i = 0; i < kDraws; ++i) share[cuts.sample(text, amount, random)] += 1.0 / kDraws;
  return share;
}

TEST(Sample, WithoutLeftOutMergesEqualsEncode) {
  for (const bool byte_fallback : {false, true}) {
    for (const Normalisation normalisation : {Normalisation::kIdentity, Normalisation::kNmtNfkc}) {
      const TokenizerSettings settings{.normalisation = normalisation, .byte_fallback = byte_fallback};
      const Tokenizer tokenizer = toy_tokenizer(settings, 330);
      RandomStream random(1);
      for (int i = 0; i < 300; ++i) {
        const std::string text = random_text(random);
        EXPECT_EQ(tokenizer.sample(text, kTinyAmount, random), tokenizer.encode(text)) << text;
      }
    }
  }
}

TEST(Sample, WithAmountZeroEqualsEncode) {
  for (const TokenizerKind kind : {TokenizerKind::kBpe, TokenizerKind::kUnigram, TokenizerKind::kChar}) {
    const Tokenizer tokenizer = toy_tokenizer({.kind = kind});
    RandomStream random(1);
    for (int i = 0; i < 100; ++i) {
      const std::string text = random_text(random);
      EXPECT_EQ(tokenizer.sample(text, 0, random), tokenizer.encode(text)) << text;
    }
  }
}

TEST(Sample, CutsTheSameTextInManyWays) {
  for (const TokenizerKind kind : {TokenizerKind::kBpe, TokenizerKind::kUnigram}) {
    const Tokenizer tokenizer = toy_tokenizer({.kind = kind});
    RandomStream random(1);
    std::set<Ids> seen;
    for (int i = 0; i < 100; ++i) {
      const Ids ids = tokenizer.sample("the cat sat on the mat", 0.8, random);
      EXPECT_EQ(tokenizer.decode(ids), "the cat sat on the mat");
      seen.insert(ids);
    }
    EXPECT_GE(seen.size(), 10u);
  }
}

TEST(Sample, IsAFunctionOfItsArguments) {
  for (const TokenizerKind kind : {TokenizerKind::kBpe, TokenizerKind::kUnigram}) {
    const Tokenizer tokenizer = toy_tokenizer({.kind = kind});
    RandomStream one(9), other(9);
    for (int i = 0; i < 20; ++i) {
      EXPECT_EQ(tokenizer.sample("that cat", 0.5, one), tokenizer.sample("that cat", 0.5, other));
    }
  }
}

TEST(Sample, WithEveryMergeLeftOutGivesCharacters) {
  const Tokenizer tokenizer = toy_tokenizer({});
  RandomStream random(1);
  EXPECT_EQ(tokenizer.sample("the cat", 1, random).size(), 8u);  // a space comes before the first word
}

TEST(Sample, RefusesAmountsOutsideZeroToOne) {
  const Tokenizer tokenizer = toy_tokenizer({});
  RandomStream random(1);
  for (const double amount : {-0.1, 1.1, std::nan("")}) EXPECT_THROW(tokenizer.sample("a", amount, random), UsageError);
}

// Of the merges ab and bc, the better one that is not left out is made. After it nothing is left to merge.
TEST(Merges, AreLeftOutAsOftenAsTheAmountSays) {
  const ModelFile model = model_of(TokenizerKind::kBpe, {{"a", -9}, {"b", -9}, {"c", -9}, {"ab", 0}, {"bc", -1}});
  const std::map<Ids, double> share = shares(model, "abc", 0.5);
  EXPECT_EQ(share.size(), 3u);
  EXPECT_NEAR(share.at({7, 6}), 0.5, 0.02);      // ab c
  EXPECT_NEAR(share.at({4, 8}), 0.25, 0.02);     // a bc
  EXPECT_NEAR(share.at({4, 5, 6}), 0.25, 0.02);  // none
}

// In abab one of the two merges is made with probability 1 - 1/4. The other is then made in the next step with 1/2.
TEST(Merges, LeftOutInOneStepMayBeTakenInTheNext) {
  const ModelFile model = model_of(TokenizerKind::kBpe, {{"a", -9}, {"b", -9}, {"ab", 0}});
  EXPECT_NEAR(shares(model, "abab", 0.5).at({6, 6}), 0.375, 0.02);
}

// Each of the two words is cut as if it were alone.
TEST(Merges, OfOneWordDoNotAffectAnother) {
  const ModelFile model = model_of(TokenizerKind::kBpe, {{"a", -9},
                                                         {std::string(kSpace), -9},
                                                         {"\xE2\x96\x81"
                                                          "a",
                                                          0}});
  EXPECT_NEAR(shares(model,
                     "\xE2\x96\x81"
                     "a\xE2\x96\x81"
                     "a",
                     0.5)
                  .at({6, 6}),
              0.25, 0.02);
}

// The probabilities of ab and a + b are 0.2 and 0.5 * 0.3.
TEST(Draws, FollowTheProbabilitiesOfThePieces) {
  const auto logarithm = [](double p) { return static_cast<float>(std::log(p)); };
  const ModelFile model =
      model_of(TokenizerKind::kUnigram, {{"a", logarithm(0.5)}, {"b", logarithm(0.3)}, {"ab", logarithm(0.2)}});
  EXPECT_NEAR(shares(model, "ab", 0.5).at({6}), 0.2 / 0.35, 0.015);
  EXPECT_NEAR(shares(model, "ab", 1).at({6}), 0.5, 0.015);
  // Unknown characters can be cut in one way only.
  EXPECT_NEAR(shares(model, "abxx", 0.5).at({6, kUnk}), 0.2 / 0.35, 0.015);
}

TEST(Draws, OfALongTextDoNotUnderflow) {
  const ModelFile model = model_of(TokenizerKind::kUnigram, {{"a", -50}, {"aa", -50}});
  RandomStream random(1);
  const std::size_t tokens = CutSampler(model).sample(std::string(10'000, 'a'), 0.1, random).size();
  EXPECT_GE(tokens, 5'000u);
  EXPECT_LT(tokens, 5'100u);
}

TEST(CutSampler, LeavesUserDefinedPiecesWhole) {
  for (const TokenizerKind kind : {TokenizerKind::kBpe, TokenizerKind::kUnigram}) {
    const ModelFile model =
        model_of(kind, {{"a", -2}, {"b", -2}, {"ab", -1}, {"<2de>", 0, PieceKind::kUserDefined}, {"<", -1}});
    RandomStream random(1);
    EXPECT_EQ(CutSampler(model).sample("a<2de>b<2de>", 1, random), (Ids{4, 7, 5, 7}));
  }
}

}  // namespace
}  // namespace dragoman::text
