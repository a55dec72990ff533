// Decoding step by step gives what teacher forcing gives, for each variant of a Universal Transformer and for
// hypotheses that fork, end and enter late.
#include <gtest/gtest.h>

#include "dragoman/model/universal/testing.h"

namespace dragoman::model::universal {
namespace {

struct Variant {
  const char* name;
  void (*change)(UniversalConfig& config);
};

constexpr auto kPreNorm = transformer::Norm::kPre;

// Tokens that halt in different steps, because the halting unit has noise added to it.
void act(UniversalConfig& c) { c.halting = HaltingName::kAct, c.T = 4; }

constexpr Variant kVariants[] = {
    {"PostNorm", [](auto&) {}},
    {"PreNorm", [](auto& c) { c.norm = kPreNorm; }},
    {"Learned", [](auto& c) { c.signal = SignalName::kLearned; }},
    {"LearnedPreNorm", [](auto& c) { c.signal = SignalName::kLearned, c.norm = kPreNorm; }},
    {"OneStep", [](auto& c) { c.T = 1; }},
    {"Act", [](auto& c) { act(c); }},
    {"ActPreNorm", [](auto& c) { act(c), c.norm = kPreNorm; }},
    {"ActLearned", [](auto& c) { act(c), c.signal = SignalName::kLearned; }},
    {"ActLearnedPreNorm", [](auto& c) { act(c), c.signal = SignalName::kLearned, c.norm = kPreNorm; }},
    {"ActCopy", [](auto& c) { act(c), c.halted = HaltedName::kCopy; }},
    {"ActCopyPreNorm", [](auto& c) { act(c), c.halted = HaltedName::kCopy, c.norm = kPreNorm; }},
    {"ActInterpolate", [](auto& c) { act(c), c.act_output = OutputName::kInterpolate; }},
    {"Window", [](auto& c) { c.window = 3; }},
    {"Untied", [](auto& c) { c.tie = Tie::kNone, c.V_source = 50, c.decoder_start = DecoderStart::kZeroVector; }},
};

class UniversalVariants : public ::testing::TestWithParam<Variant> {
 protected:
  UniversalVariants() : small(config()) { small.add_noise(); }
  static UniversalConfig config() {
    UniversalConfig config = small_universal();
    GetParam().change(config);
    return config;
  }

  SmallUniversal small;
};
INSTANTIATE_TEST_SUITE_P(Variants, UniversalVariants, ::testing::ValuesIn(kVariants),
                         [](const auto& variant) { return variant.param.name; });

TEST_P(UniversalVariants, StepByStepGivesTheBitsOfTeacherForcing) {
  const Sentences sources{{5, 6, 7, 8, 2}, {9, 2}};
  const std::int32_t start = small.model.start_token();
  const Sentences inputs{{start, 20, 21, 22, 23, 24}, {start, 30, 31, 32}};
  const std::int64_t V = small.model.target_vocabulary();
  for (std::size_t b = 0; b < 2; ++b) {
    const Doubles forced = decoder_rows(small, sources, inputs, b, Output::kLogProbabilities);
    Steps steps(small, {sources[b]}, 6);
    for (std::size_t t = 0; t < inputs[b].size(); ++t) {
      EXPECT_EQ(steps.step({inputs[b][t]}).front(), Doubles(forced.begin() + t * V, forced.begin() + (t + 1) * V))
          << "sentence " << b << ", step " << t;
    }
  }
}

TEST_P(UniversalVariants, BatchMatesAndThreadsChangeNoBit) {
  SmallUniversal other(config(), {.threads = 2});
  other.add_noise();
  const Sentences sources{{5, 6, 7, 8, 2}, {9, 2}, {11, 12, 13, 2}}, inputs{{1, 20, 21}, {1, 30, 31, 32, 33}, {1, 20}};
  for (std::size_t b = 0; b < 3; ++b) {
    const Doubles single = decoder_rows(small, {sources[b]}, {inputs[b]}, 0, Output::kStates);
    EXPECT_EQ(decoder_rows(other, sources, inputs, b, Output::kStates), single);
    EXPECT_EQ(encoder_states(other, sources, b), encoder_states(small, {sources[b]}, 0));
  }
}

TEST_P(UniversalVariants, FutureTokensDoNotChangeThePast) {
  const Sentences sources{{5, 6, 7, 2}};
  const Doubles a = decoder_rows(small, sources, {{1, 20, 21, 22}}, 0, Output::kStates),
                b = decoder_rows(small, sources, {{1, 20, 21, 23}}, 0, Output::kStates);
  const std::size_t d = a.size() / 4;
  EXPECT_EQ(Doubles(a.begin(), a.begin() + 3 * d), Doubles(b.begin(), b.begin() + 3 * d));
  EXPECT_NE(a, b);
}

TEST_P(UniversalVariants, EveryHypothesisScoresAsIfItWereAlone) { expect_scores_as_if_alone(small, 5, 7); }

}  // namespace
}  // namespace dragoman::model::universal
