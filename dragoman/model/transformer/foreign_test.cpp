#include "dragoman/model/transformer/foreign.h"

#include <gtest/gtest.h>

#include <set>

#include "dragoman/data/testing.h"
#include "dragoman/model/foreign/testing.h"
#include "dragoman/model/testing.h"

namespace dragoman::model::transformer {
namespace {

using data::error_message_of;
using foreign::Origin;
using foreign::Parameter;
using foreign::parameter_tensor;
using foreign::Place;

std::vector<float> read_parameter(const foreign::Tensors& tensors, const foreign::Parameter& parameter,
                                  const char* where) {
  return foreign::floats_of(parameter_tensor(tensors, parameter, where));
}

// The names that a model with these settings saves.
std::multiset<std::string> names_in_model(const TransformerConfig& config) {
  const SmallModelOf<Transformer, TransformerConfig> small(config);
  std::multiset<std::string> names;
  for (const params::NamedTensor& tensor : small.block.saved()) names.insert(tensor.name);
  return names;
}

Parameter parameter_named(const TransformerConfig& config, Origin origin, const std::string& name) {
  for (const Parameter& parameter : foreign_parameters(config, origin)) {
    if (parameter.name == name) return parameter;
  }
  return {};
}

TEST(ForeignParameters, AreThoseOfTheModel) {
  for (const Tie tie : {Tie::kThreeWay, Tie::kDecoder, Tie::kNone}) {
    for (const Norm norm : {Norm::kPost, Norm::kPre}) {
      for (const bool bias : {false, true}) {
        TransformerConfig config = small_config();
        config.N_dec = 3;
        config.tie = tie;
        config.norm = norm;
        config.attention_bias = config.output_bias = bias;
        config.positions = bias ? Positions::kLearned : Positions::kSinusoid;
        for (const Origin origin : {Origin::kTransformers, Origin::kCTranslate2, Origin::kFairseq}) {
          std::multiset<std::string> names;
          for (const Parameter& parameter : foreign_parameters(config, origin)) names.insert(parameter.name);
          EXPECT_EQ(names, names_in_model(config));
        }
      }
    }
  }
}

TEST(ForeignParameters, HaveTheNamesOfTheirOrigin) {
  TransformerConfig config = small_config();
  config.norm = Norm::kPre;
  config.attention_bias = config.output_bias = true;
  const auto place = [&](Origin origin, const std::string& name) {
    return parameter_named(config, origin, name).places.front();
  };
  EXPECT_EQ(place(Origin::kTransformers, "enc.1.self.W_K").tensor, "model.encoder.layers.1.self_attn.k_proj.weight");
  EXPECT_EQ(place(Origin::kTransformers, "dec.0.ln2.beta").tensor,
            "model.decoder.layers.0.encoder_attn_layer_norm.bias");
  EXPECT_EQ(place(Origin::kTransformers, "dec.ln.gamma").tensor, "model.decoder.layer_norm.weight");
  EXPECT_EQ(place(Origin::kTransformers, "output.b").tensor, "final_logits_bias");
  EXPECT_EQ(place(Origin::kFairseq, "dec.1.ffn.b_2").tensor, "decoder.layers.1.fc2.bias");
  EXPECT_EQ(parameter_named(config, Origin::kFairseq, "dec.0.cross.W_V").places.back(),
            (Place{"decoder.layers.0.encoder_attn.in_proj_weight", 2, 3}));
  EXPECT_EQ(parameter_named(config, Origin::kFairseq, "dec.0.ln3.beta").places.back().tensor,
            "decoder.layers.0.layer_norms.2.bias");
  EXPECT_EQ(place(Origin::kCTranslate2, "dec.0.cross.b_V"), (Place{"decoder/layer_0/attention/linear_1/bias", 1, 2}));
  EXPECT_EQ(place(Origin::kCTranslate2, "enc.0.self.W_V"),
            (Place{"encoder/layer_0/self_attention/linear_0/weight", 2, 3}));
  EXPECT_EQ(place(Origin::kCTranslate2, "dec.1.ln3.gamma").tensor, "decoder/layer_1/ffn/layer_norm/gamma");
}

// No two parameters have the same place, so the list can be used in both directions.
TEST(ForeignParameters, HaveDifferentPlaces) {
  TransformerConfig config = small_config();
  config.tie = Tie::kNone;
  for (const Origin origin : {Origin::kTransformers, Origin::kCTranslate2, Origin::kFairseq}) {
    std::set<std::pair<std::string, int>> places;
    for (const Parameter& parameter : foreign_parameters(config, origin)) {
      const Place& place = parameter.places.front();
      EXPECT_TRUE(places.emplace(place.tensor, place.part).second) << place.tensor;
    }
  }
}

TEST(ForeignParameters, AreReadTransposedAndInParts) {
  using foreign::bytes_of;
  // Q, K and V of two rows each, [6, 1].
  const auto bytes = foreign::memory_bytes(bytes_of(std::vector<float>{1, 2, 3, 4, 5, 6}), "x");
  foreign::Tensors tensors;
  tensors["all"] = foreign::dense_tensor(foreign::Element::kF32, {6, 1}, bytes, 0, "x");
  tensors["matrix"] = foreign::dense_tensor(foreign::Element::kF32, {2, 3}, bytes, 0, "x");
  EXPECT_EQ(read_parameter(tensors, {"K", {{"all", 1, 3}}, true}, "x"), (std::vector<float>{3, 4}));
  EXPECT_EQ(read_parameter(tensors, {"W", {{.tensor = "gone"}, {.tensor = "matrix"}}, true}, "x"),
            (std::vector<float>{1, 4, 2, 5, 3, 6}));
  EXPECT_NE(error_message_of([&] {
              read_parameter(tensors, {"W", {{.tensor = "gone"}}}, "x");
            }).find("\"gone\""),
            std::string::npos);
  EXPECT_THROW(read_parameter(tensors, {"W", {{"all", 0, 4}}}, "x"), Error);
}

TEST(ForeignParameters, DividePartsOfIntegersByTheirOwnScales) {
  using foreign::bytes_of;
  const foreign::SavedVariable weight{"w", 1, {4, 1}, bytes_of(std::vector<std::int8_t>{1, 2, 3, 4})};
  const foreign::SavedVariable scale{"w_scale", 0, {4}, bytes_of(std::vector<float>{1, 2, 10, 100})};
  const foreign::CTranslate2File file =
      foreign::read_ctranslate2(foreign::memory_bytes(foreign::ctranslate2_of(6, {weight, scale}), "x"));
  EXPECT_EQ(read_parameter(file.variables, {"V", {{"w", 1, 2}}, true}, "x"), (std::vector<float>{0.3f, 0.04f}));
}

TEST(ForeignConfig, HasTheSettingsOfTheNetwork) {
  foreign::Network network{.width = 64,
                           .encoder_layers = 3,
                           .decoder_layers = 2,
                           .encoder_heads = 4,
                           .decoder_heads = 4,
                           .encoder_inner = 128,
                           .decoder_inner = 96,
                           .source_vocabulary = 50,
                           .target_vocabulary = 50,
                           .activation = foreign::Network::Activation::kSilu,
                           .positions = foreign::Network::Positions::kHalf,
                           .scaled_embeddings = false};
  const TransformerConfig config = config_of(network);
  EXPECT_EQ(config.N_enc, 3);
  EXPECT_EQ(config.N_dec, 2);
  EXPECT_EQ(config.d_model, 64);
  EXPECT_EQ(config.encoder_sizes().d_ff, 128);
  EXPECT_EQ(config.decoder_sizes().d_ff, 96);
  EXPECT_EQ(config.decoder_sizes().h, 4);
  EXPECT_EQ(config.V_target, 50);
  EXPECT_EQ(config.activation, nn::HiddenActivation::kSilu);
  EXPECT_EQ(config.positions, Positions::kSinusoidHalf);
  EXPECT_EQ(config.scale, EmbeddingScale::kNone);
  EXPECT_EQ(config.norm, Norm::kPost);
  EXPECT_EQ(config.ln_eps, 1e-5f);
  EXPECT_TRUE(config.attention_bias);
  EXPECT_EQ(config.decoder_start, DecoderStart::kEos);
  network.positions = foreign::Network::Positions::kTable;
  network.table_rows = 512;
  EXPECT_EQ(config_of(network).positions, Positions::kLearned);
  EXPECT_EQ(config_of(network).max_positions, 512);
  network.positions = foreign::Network::Positions::kT2T;
  network.first_position = 2;
  EXPECT_EQ(config_of(network).positions, Positions::kSinusoidT2T);
  EXPECT_EQ(config_of(network).first_position, 2);
}

}  // namespace
}  // namespace dragoman::model::transformer
