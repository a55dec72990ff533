// Decoding step by step gives what teacher forcing gives, for each variant of a convolutional model and for hypotheses
// that fork, end and enter late.
#include <gtest/gtest.h>

#include "dragoman/model/convolutional/testing.h"

namespace dragoman::model::convolutional {
namespace {

struct Variant {
  const char* name;
  void (*change)(ConvolutionalConfig& config);
};

constexpr Variant kVariants[] = {
    {"KernelThree", [](auto&) {}},
    {"KernelOne", [](auto& c) { c.encoder_kernels = c.decoder_kernels = {"1"}; }},
    {"KernelsThreeAndOne",
     [](auto& c) {
       c.N_dec = 3, c.decoder_kernels = {"3", "1x2"};
     }},
    {"EvenKernelInTheDecoder", [](auto& c) { c.decoder_kernels = {"2"}, c.encoder_kernels = {"5"}; }},
    {"Dilations",
     [](auto& c) {
       c.N_dec = 3, c.encoder_dilations = {"1", "3"}, c.decoder_dilations = {"1", "2", "4"};
     }},
    {"ChannelsThatChange",
     [](auto& c) {
       c.encoder_channels = {"9", "7"}, c.decoder_channels = {"5", "13"};
     }},
    {"WithoutPositions", [](auto& c) { c.positions = PositionsName::kNone; }},
    {"Tied", [](auto& c) { c.tie = Tie::kThreeWay, c.E_output = 0; }},
    {"TwoVocabularies", [](auto& c) { c.V_source = 50, c.decoder_start = DecoderStart::kZeroVector; }},
};

class ConvolutionalVariants : public ::testing::TestWithParam<Variant> {
 protected:
  ConvolutionalVariants() { small.add_noise(); }
  static ConvolutionalConfig config() {
    ConvolutionalConfig changed = small_convolutional();
    GetParam().change(changed);
    return changed;
  }

  SmallConvolutional small{config()};
};
INSTANTIATE_TEST_SUITE_P(Configurations, ConvolutionalVariants, ::testing::ValuesIn(kVariants),
                         [](const auto& variant) { return variant.param.name; });

TEST_P(ConvolutionalVariants, CachedStepsGiveTheBitsOfTeacherForcing) { expect_steps_as_teacher_forcing(small); }

TEST_P(ConvolutionalVariants, BatchMatesAndThreadsChangeNoBit) {
  const SmallConvolutional alone_on_one(config()), other(config(), {.threads = 2});
  expect_batch_mates_change_no_bit(alone_on_one, other);
}

TEST_P(ConvolutionalVariants, FutureTokensDoNotChangeThePast) { expect_future_tokens_do_not_change_the_past(small); }

TEST_P(ConvolutionalVariants, EveryHypothesisScoresAsIfItWereAlone) { expect_scores_as_if_alone(small, 6, 7); }

}  // namespace
}  // namespace dragoman::model::convolutional
