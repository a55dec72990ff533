// Decoding step by step gives what teacher forcing gives, for each variant of a recurrent model and for hypotheses that
// fork, end and enter late.
#include <gtest/gtest.h>

#include <cmath>

#include "dragoman/model/recurrent/testing.h"

namespace dragoman::model::recurrent {
namespace {

struct Variant {
  const char* name;
  void (*change)(RecurrentConfig& config);
};

void luong(RecurrentConfig& c) { c.context = ContextName::kCurrent, c.cell = CellName::kLstm, c.N_enc = c.N_dec = 2; }

constexpr Variant kVariants[] = {
    {"Additive", [](auto&) {}},
    {"Vanilla", [](auto& c) { c.cell = CellName::kVanilla; }},
    {"Lstm", [](auto& c) { c.cell = CellName::kLstm; }},
    {"ResetBefore", [](auto& c) { c.reset = ResetName::kBefore; }},
    {"Deep", [](auto& c) { c.N_enc = 2, c.N_dec = 3; }},
    {"OneDirection", [](auto& c) { c.bidirectional = false; }},
    {"Dot", [](auto& c) { c.score = ScoreName::kDot; }},
    {"Scaled", [](auto& c) { c.score = ScoreName::kScaled; }},
    {"General", [](auto& c) { c.score = ScoreName::kGeneral; }},
    {"AdditiveNormed", [](auto& c) { c.score = ScoreName::kAdditiveNormed; }},
    {"Concat", [](auto& c) { c.score = ScoreName::kConcat; }},
    {"Align", [](auto& c) { c.score = ScoreName::kAlign, c.value_width = 7; }},
    {"AlignScaled", [](auto& c) { c.score = ScoreName::kAlignScaled; }},
    {"Fixed", [](auto& c) { c.context = ContextName::kFixed; }},
    {"FixedReadsTheState",
     [](auto& c) { c.context = ContextName::kFixed, c.readout = ReadoutName::kState, c.N_dec = 2; }},
    {"Conditional", [](auto& c) { c.context = ContextName::kConditional, c.readout = ReadoutName::kDeep; }},
    {"ConditionalDeep", [](auto& c) { c.context = ContextName::kConditional, c.N_dec = 2; }},
    {"CurrentGeneral", [](auto& c) { luong(c), c.score = ScoreName::kGeneral; }},
    {"CurrentAdditive", [](auto& c) { luong(c); }},
    {"CurrentFed", [](auto& c) { luong(c), c.score = ScoreName::kGeneral, c.input_feeding = true; }},
    {"CurrentFedAdditive", [](auto& c) { luong(c), c.input_feeding = true; }},
    {"Hard", [](auto& c) { c.mode = ModeName::kHard; }},
    {"HardCurrent", [](auto& c) { luong(c), c.score = ScoreName::kGeneral, c.mode = ModeName::kHard; }},
    {"Gumbel", [](auto& c) { c.mode = ModeName::kGumbel, c.score = ScoreName::kAlign; }},
    {"EncoderSelfAttention", [](auto& c) { c.encoder_self_attention = true, c.N_enc = 2, c.cell = CellName::kLstm; }},
    {"BridgeCopy", [](auto& c) { c.bridge = BridgeName::kCopy; }},
    {"BridgeMean", [](auto& c) { c.bridge = BridgeName::kMean, c.N_dec = 2; }},
    {"BridgeZero", [](auto& c) { c.bridge = BridgeName::kZero, c.cell = CellName::kLstm; }},
    {"Untied", [](auto& c) { c.tie = Tie::kNone, c.V_source = 50, c.decoder_start = DecoderStart::kZeroVector; }},
};

class RecurrentVariants : public ::testing::TestWithParam<Variant> {
 protected:
  RecurrentVariants() { small.add_noise(); }
  static RecurrentConfig config() {
    RecurrentConfig changed = small_recurrent();
    GetParam().change(changed);
    return changed;
  }

  SmallRecurrent small{config()};
};
INSTANTIATE_TEST_SUITE_P(Configurations, RecurrentVariants, ::testing::ValuesIn(kVariants),
                         [](const auto& variant) { return variant.param.name; });

TEST_P(RecurrentVariants, CachedStepsGiveTheBitsOfTeacherForcing) { expect_steps_as_teacher_forcing(small); }

TEST_P(RecurrentVariants, BatchMatesAndThreadsChangeNoBit) {
  const SmallRecurrent plain(config()), other(config(), {.threads = 2});
  expect_batch_mates_change_no_bit(plain, other);
}

TEST_P(RecurrentVariants, FutureTokensDoNotChangeThePast) { expect_future_tokens_do_not_change_the_past(small); }

TEST_P(RecurrentVariants, EveryHypothesisScoresAsIfItWereAlone) { expect_scores_as_if_alone(small, 5, 7); }

TEST_P(RecurrentVariants, ProbabilitiesSumToOne) {
  double sum = 0;
  for (const double log_p : alone(small, {5, 6, 2}, {small.model.start_token(), 7})) sum += std::exp(log_p);
  EXPECT_NEAR(sum, 1, 1e-5);
}

}  // namespace
}  // namespace dragoman::model::recurrent
