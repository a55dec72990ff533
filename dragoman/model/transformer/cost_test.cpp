#include "dragoman/model/transformer/config.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "dragoman/model/registry/registry.h"

namespace dragoman::model::transformer {
namespace {

// A step on 25,000 source and 25,000 target tokens, in sentences of 25 tokens.
double flops_per_step(const ModelConfig& config) { return 1000 * config.training_flops(25, 25); }

TEST(MultiplyAdds, OfTheBaseModelAreTheSumOfItsProducts) {
  EXPECT_EQ(preset("base").model.multiply_adds(25, 25), 1'586'124'800);
}

TEST(TrainingFlops, OfAStepOfThePapersModels) {
  EXPECT_NEAR(flops_per_step(preset("base").model), 9.52e12, 0.005e12);
  EXPECT_NEAR(flops_per_step(preset("big").model), 3.22e13, 0.005e13);
}

TEST(MultiplyAdds, OfASmallModelWorkedOutByHand) {
  const TransformerConfig config{
      .N_enc = 1, .N_dec = 2, .d_model = 2, .d_ff = 3, .h = 1, .d_k = 1, .d_v = 2, .V_source = 5, .V_target = 7};
  // Encoder, n = 3: Q, K, V 3*2*4 = 24, O 3*2*2 = 12, scores and sums 3*3*3 = 27, feed-forward 2*3*2*3 = 36.
  const std::int64_t encoder_layer = 24 + 12 + 27 + 36;
  // Decoder, m = 1: self 8 + 4 + 3; cross: Q 2, K and V 3*2*3 = 18, scores and sums 1*3*3 = 9, O 4; feed-forward 12.
  const std::int64_t decoder_layer = 15 + 33 + 12;
  EXPECT_EQ(ModelConfig(config).multiply_adds(3, 1), encoder_layer + 2 * decoder_layer + 1 * 2 * 7);
}

TEST(MultiplyAdds, AdditiveScoresCostAsManyAsProducts) {
  TransformerConfig additive;
  additive.attention_score = nn::AttentionScore::kAdditive;
  EXPECT_EQ(ModelConfig(additive).multiply_adds(25, 30), default_model().multiply_adds(25, 30));
}

TEST(MultiplyAdds, AWindowCostsNoMoreThanTheSentence) {
  TransformerConfig narrow, wide;
  narrow.window = 10;
  wide.window = 1000;
  EXPECT_LT(ModelConfig(narrow).multiply_adds(100, 100), default_model().multiply_adds(100, 100));
  EXPECT_EQ(ModelConfig(wide).multiply_adds(100, 100), default_model().multiply_adds(100, 100));
}

TEST(MultiplyAdds, AWindowIsCentredInTheEncoderAndLooksBackInTheDecoder) {
  TransformerConfig all, window;
  all.h = window.h = 1;
  all.d_model = window.d_model = 2;
  window.window = 10;
  // A key costs 4 multiply-adds per query and layer. Of 100 keys a query sees 11 in the encoder and 10 in the decoder.
  // At either end of the encoder's sentence, the first five queries lack 5 + 4 + 3 + 2 + 1 keys.
  const std::int64_t saved = 6 * 4 * (100 * (100 - 11) + 2 * 15) + 6 * 100 * 4 * (100 - 10);
  EXPECT_EQ(ModelConfig(all).multiply_adds(100, 100) - ModelConfig(window).multiply_adds(100, 100), saved);
}

// The keys that the mask lets the queries see, counted one by one. In the decoder the future of a block counts too.
TEST(MultiplyAdds, OfAWindowCountTheKeysThatTheMaskShows) {
  for (const std::int64_t n : {1, 2, 5, 7, 24, 25}) {
    for (const int r : {1, 2, 3, 4, 5, 8, 24, 49, 60}) {
      for (const Mask::Window kind : {Mask::Window::kSliding, Mask::Window::kBlock}) {
        TransformerConfig all{.N_enc = 1, .N_dec = 1, .d_model = 2, .h = 1}, window = all;
        window.window = r;
        window.window_kind = kind;
        const Mask mask{.r = r, .window = kind};
        std::int64_t encoder = 0;
        for (std::int64_t i = 0; i < n; ++i) encoder += mask.end_key(i, n) - mask.first_key(i);
        const std::int64_t decoder = kind == Mask::Window::kBlock ? encoder : n * std::min<std::int64_t>(r, n);
        EXPECT_EQ(ModelConfig(all).multiply_adds(n, n) - ModelConfig(window).multiply_adds(n, n),
                  4 * (2 * n * n - encoder - decoder))
            << n << " " << r;
      }
    }
  }
}

// The local layers of the Wikipedia summariser (Liu et al. 2018) at d = 512: blocks of 256 in 1,024 and 8,000 tokens.
TEST(MultiplyAdds, OfBlocksOf256) {
  const auto core = [](std::int64_t n, int r) {
    TransformerConfig config{.N_enc = 1, .N_dec = 1};
    TransformerConfig one = config;  // blocks of one token: n pairs
    one.window = 1;
    config.window = r;
    config.window_kind = Mask::Window::kBlock;
    return ModelConfig(config).multiply_adds(n, 0) - ModelConfig(one).multiply_adds(n, 0) + n * 1024;
  };
  EXPECT_EQ(core(1024, 256), 4 * 256 * 256 * 1024);
  EXPECT_EQ(core(8000, 256), (31 * 256 * 256 + 64 * 64) * std::int64_t{1024});
  EXPECT_NEAR(static_cast<double>(core(1024, 256)), 2.68e8, 0.01e8);
  EXPECT_NEAR(static_cast<double>(core(8000, 256)), 2.08e9, 0.01e9);
}

TEST(MultiplyAdds, RefuseLengthsWhoseCostOverflows) {
  EXPECT_THROW(default_model().multiply_adds(std::int64_t{1} << 40, 1), UsageError);
  EXPECT_THROW(default_model().multiply_adds(-1, 1), UsageError);
}

}  // namespace
}  // namespace dragoman::model::transformer
