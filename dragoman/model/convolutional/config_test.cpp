#include "dragoman/model/convolutional/config.h"

#include <gtest/gtest.h>

#include "dragoman/model/convolutional/architecture.h"
#include "dragoman/model/model_config.h"

namespace dragoman::model::convolutional {
namespace {

ConvolutionalConfig preset_config(std::string_view name) {
  for (const Preset& preset : make_presets()) {
    if (preset.name == name) return preset.model.as<ConvolutionalConfig>();
  }
  throw Error("no such preset");
}

TEST(ConvolutionalConfig, CountsParametersAsTheFormulasDo) {
  EXPECT_EQ(parameter_count(preset_config("conv-iwslt")), 11'644'448);
  EXPECT_EQ(parameter_count(preset_config("conv-tiny")), 4'783'648);
  EXPECT_EQ(parameter_count(preset_config("conv-wmt")), 209'569'920);
}

// With a tied output projection, its matrix and its lengths are saved, and the bias stays.
TEST(ConvolutionalConfig, CountsTiedEmbeddingsOnce) {
  ConvolutionalConfig config;
  config.tie = Tie::kDecoder;
  EXPECT_EQ(parameter_count(config), 11'644'448 - 10'000 * 256 - 10'000);
  config.tie = Tie::kThreeWay;
  EXPECT_EQ(parameter_count(config), 11'644'448 - 2 * 10'000 * 256 - 10'000);
}

TEST(ConvolutionalConfig, CountsMultiplyAddsAsTheFormulasDo) {
  constexpr std::int64_t kConvolution = 3 * 256 * 512, kMap = 256 * 256, kAttention = 2 * 15 * 256;
  constexpr std::int64_t kEncoder = 4 * kConvolution + 2 * kMap;
  constexpr std::int64_t kDecoder = 3 * (kConvolution + 2 * kMap + kAttention) + 2 * kMap + 256 * 10'000;
  EXPECT_EQ(multiply_adds(ConvolutionalConfig(), 15, 15).value, 15 * (kEncoder + kDecoder));
  EXPECT_EQ(kEncoder + kDecoder, 5'990'912);
}

TEST(ConvolutionalConfig, ListsGiveOneNumberForAllLayersOrOneForEach) {
  ConvolutionalConfig config;
  config.encoder_channels = {"8x2", "16", "32"};
  config.encoder_dilations = {"1", "3", "9x2"};
  EXPECT_EQ(config.encoder(), (std::vector<LayerSize>{{8, 3, 1}, {8, 3, 3}, {16, 3, 9}, {32, 3, 9}}));
  EXPECT_EQ(config.decoder(), (std::vector<LayerSize>(3, {256, 3, 1})));
}

void expect_refused(void (*change)(ConvolutionalConfig& config), const std::string& sentence) {
  ConvolutionalConfig config;
  change(config);
  try {
    config.validate();
    ADD_FAILURE() << "no error: " << sentence;
  } catch (const UsageError& error) {
    EXPECT_EQ(error.what(), sentence);
  }
}

TEST(ConvolutionalConfig, NamesTheSettingsThatDoNotFit) {
  expect_refused(
      [](auto& c) {
        c.encoder_dilations = {"1", "3", "9"};
      },
      "encoder-dilations is for 3 layers, but encoder-layers is 4; give one number for all layers, or one "
      "for each.");
  expect_refused([](auto& c) { c.decoder_channels = {"256x9"}; },
                 "decoder-channels is for 9 layers, but decoder-layers is 3; give one number for all layers, or one "
                 "for each.");
  expect_refused(
      [](auto& c) {
        c.encoder_kernels = {"3x3", "4"};
      },
      "encoder-kernels has 4; the encoder's taps lie on both sides of a word, so their number must be odd, "
      "such as 5; decoder-kernels may be even.");
  const std::string items =
      "', but its items are numbers from 1 to 16777216, as in 3, or such a number and for how many layers it is, as in "
      "3x9.";
  expect_refused([](auto& c) { c.decoder_dilations = {"0"}; }, "decoder-dilations has '0" + items);
  expect_refused([](auto& c) { c.decoder_kernels = {"3x"}; }, "decoder-kernels has '3x" + items);
  expect_refused([](auto& c) { c.decoder_kernels = {"three"}; }, "decoder-kernels has 'three" + items);
  expect_refused([](auto& c) { c.E = 0; }, "embedding is 0; it must be from 1 to 2097152.");
  expect_refused([](auto& c) { c.N_dec = 0; }, "decoder-layers is 0; it must be from 1 to 1000.");
  expect_refused([](auto& c) { c.max_positions = 0; }, "max-positions is 0; it must be from 1 to 16777216.");
  expect_refused([](auto& c) { c.P_drop = 1; }, "dropout is 1; it must be at least 0 and below 1.");
  expect_refused([](auto& c) { c.tie = Tie::kDecoder, c.E_output = 128; },
                 "tie is decoder, so that the output projection is an embedding of width 256, but output-width is 128; "
                 "make them equal, or set tie to none.");
  expect_refused([](auto& c) { c.encoder_kernels = {"999999"}; },
                 "encoder-kernels has 999999, and encoder-channels 256; their product may be at most 16777216.");
}

TEST(ConvolutionalConfig, EmptyListsAreRefused) {
  ConvolutionalConfig config;
  config.encoder_channels.clear();
  EXPECT_THROW(config.validate(), UsageError);
}

TEST(ConvolutionalConfig, DescribesItself) {
  EXPECT_EQ(describe(ConvolutionalConfig()), "4 + 3 convolutional layers of width 256, kernel 3");
  EXPECT_EQ(describe(preset_config("conv-wmt")), "15 + 15 convolutional layers of width 512 to 2048, kernel 1 to 3");
}

}  // namespace
}  // namespace dragoman::model::convolutional
