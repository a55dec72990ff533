#include "dragoman/model/convolutional/convolutional.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dragoman/model/convolutional/testing.h"
#include "dragoman/nn/layer_testing.h"
#include "dragoman/ops/arithmetic.h"
#include "dragoman/ops/smoothed_cross_entropy.h"

namespace dragoman::model::convolutional {
namespace {

constexpr double kRounded = 5e-7;  // of worked numbers with six digits

// A decoder of one layer with one channel, three taps and embeddings of width 1.
ConvolutionalConfig scalar_config() {
  ConvolutionalConfig config;
  config.E = config.N_enc = config.N_dec = 1;
  config.encoder_channels = config.decoder_channels = {"1"};
  config.P_drop = 0;
  return config;
}

// Sets the weights of a weight-normalised layer: v = W, and g the lengths of its columns.
template <class Layer>
void set_weights(nn::Bound<Layer>& bound, const std::string& name, const Doubles& W, const Doubles& b) {
  Doubles lengths(b.size(), 0.0);
  for (std::size_t i = 0; i < W.size(); ++i) lengths[i % b.size()] += W[i] * W[i];
  for (double& length : lengths) length = std::sqrt(length);
  bound.set(name + ".W.v", W);
  bound.set(name + ".W.g", lengths);
  bound.set(name + ".b", b);
}

const Doubles kTapWeights{.5, .1, -.2, .4, .3, -.6}, kTapBiases{.1, -.1};

TEST(ConvolutionalEncoder, WorkedExample) {
  const Workbench bench;
  nn::Bound<Encoder> encoder(*bench.on, scalar_config());
  set_weights(encoder, "0.conv", kTapWeights, kTapBiases);
  nn::Pass pass{.on = *bench.on};
  const Tensor x = bench.tensor({3, 1}, {1, 2, -1});
  const ResidualConvolution& block = encoder.layer.blocks.front();
  const Tensor y = block.add_residual(block.convolve(x, bench.segments({3}), pass), x);
  expect_near(bench.values(y), {.809302, 1.357491, -.315918}, kRounded);
}

TEST(ConvolutionalEncoder, ValuesAreKeysPlusEmbeddingsTimesTheRootOfTheLength) {
  const Workbench bench;
  nn::Bound<Encoder> encoder(*bench.on, scalar_config());
  set_weights(encoder, "in", {1}, {0});
  set_weights(encoder, "0.conv", {1, 1, 1, 1, 1, 1}, {0, 0});
  set_weights(encoder, "out", {.5}, {.25});
  nn::Pass pass{.on = *bench.on};
  const Doubles x{1, -.5, .75};
  const Encoded encoded = encoder.layer(bench.tensor({3, 1}, x), bench.segments({2, 1}), pass);
  const Doubles z = bench.values(encoded.states), values = bench.values(encoded.values);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(values[i], (z[i] + x[i]) * std::sqrt(.5) * std::sqrt(i < 2 ? 2 : 1), 1e-12);
  }
}

TEST(ConvolutionalDecoder, WorkedExample) {
  const Workbench bench;
  nn::Bound<Decoder> decoder(*bench.on, scalar_config());
  set_weights(decoder, "0.conv", kTapWeights, kTapBiases);
  set_weights(decoder, "0.query", {.8}, {.1});
  set_weights(decoder, "0.context", {-.5}, {.2});
  nn::Pass pass{.on = *bench.on};
  const Segments target = bench.segments({3}), source = bench.segments({2});
  const Tensor x = bench.tensor({3, 1}, {1, 2, -1}), embedded = bench.tensor({3, 1}, {.3, -.2, .7});
  const Tensor z = bench.tensor({2, 1}, {.4, -.6}), source_embedded = bench.tensor({2, 1}, {1, -.5});
  const Tensor sum = ops::add(z, source_embedded);
  expect_near(bench.values(ops::scale(sum, kRootHalf)), {.989949, -.777817}, kRounded);
  const nn::Memory memory{z, ops::scale_by_root_length(sum, source, kRootHalf), source};

  const Decoder::Layer& layer = decoder.layer.layers.front();
  Tensor context;
  const Tensor y = layer.run(
      x, embedded, [&](const Tensor& in) { return layer.block.convolve(in, target, pass); },
      [&](const Tensor& q) { return context = layer.attention(q, memory, target, pass); });
  expect_near(bench.values(context), {.371344, .156903, .468049}, kRounded);
  expect_near(bench.values(y), {.780633, 1.547250, -.764228}, kRounded);

  const Tensor without = layer.block.add_residual(layer.block.convolve(x, target, pass), x);
  expect_near(bench.values(without), {.800957, 1.516408, -.763830}, kRounded);
}

// Sees the weights of the decoder's layers.
struct WeightsSeen final : nn::Observer {
  explicit WeightsSeen(const Backend& on_) : on(on_) {}
  void see(int site, int layer, const Array& weights, const Reach&) override {
    EXPECT_EQ(site, 0);
    EXPECT_EQ(layer, static_cast<int>(layers.size()));
    layers.push_back(values_of(on, weights));
  }
  const Backend& on;
  std::vector<Doubles> layers;
};

TEST(ConvolutionalModel, ShowsTheAttentionOfEveryDecoderLayer) {
  SmallConvolutional small(small_convolutional());
  small.add_noise();
  WeightsSeen seen(*small.on);
  decoder_rows(small, {{5, 6, 2}}, {{1, 20}}, 0, Output::kStates, &seen);
  ASSERT_EQ(seen.layers.size(), 2u);
  for (const Doubles& weights : seen.layers) {
    ASSERT_EQ(weights.size(), 6u);
    EXPECT_NEAR(weights[0] + weights[1] + weights[2], 1, 1e-6);
  }
  const nn::AttentionSites sites = small.model.sites();
  ASSERT_EQ(sites.size(), 1u);
  EXPECT_EQ(sites[0].layers, 2);
  EXPECT_EQ(sites[0].heads, 1);
  EXPECT_EQ(mistake_in(small.model.blocks(), sites), "");
}

TEST(ConvolutionalModel, AnUndilatedEncoderSeesOnlyItsNeighbours) {
  SmallConvolutional small(small_convolutional());
  small.add_noise();
  // Two layers with three taps reach two tokens in either direction.
  const Sentence a{5, 6, 7, 8, 9, 2}, b{5, 6, 7, 8, 10, 2};
  const Doubles states_a = encoder_states(small, {a}, 0), states_b = encoder_states(small, {b}, 0);
  const std::size_t E = states_a.size() / 6;
  for (std::size_t token = 0; token < 6; ++token) {
    const bool same =
        std::equal(states_a.begin() + token * E, states_a.begin() + (token + 1) * E, states_b.begin() + token * E);
    EXPECT_EQ(same, token < 2) << token;
  }
}

// The gradients of a batch, with and without slow-encoder.
std::vector<Doubles> gradients(bool slow_encoder, std::vector<std::string>& names) {
  ConvolutionalConfig config = small_convolutional();
  config.slow_encoder = slow_encoder;
  SmallConvolutional small(config, {.dtype = DType::kFloat64});
  small.block.begin_update();
  {
    const Recording recording(*small.on);
    nn::Pass pass{.on = *small.on, .training = true};
    const Sentences sources{{5, 6, 7, 2}, {8, 2}}, inputs{{1, 20, 21}, {1, 22}};
    const Tokens source = data::make_tokens(*small.on, sources, {.V = 37});
    const Tokens target = data::make_tokens(*small.on, inputs, {.V = 37});
    const Tensor states = small.model.decode(target, small.model.encode(source, pass), pass);
    const OutputProjection output = small.model.output();
    const Array words = make_array(*small.on, {5}, DType::kInt32, {20, 21, 2, 22, 2});
    backward(ops::smoothed_cross_entropy(states, output.E, output.b, words, {}).loss);
  }
  small.block.finish_update();
  names.clear();
  std::vector<Doubles> all;
  for (const params::NamedTensor& tensor : small.block.tensors_in(small.block.gradients())) {
    names.push_back(tensor.name);
    all.push_back(values_of(*small.on, tensor.values));
  }
  return all;
}

TEST(ConvolutionalModel, ASlowEncoderHasGradientsDividedByTwiceTheDecodersLayers) {
  std::vector<std::string> names;
  const std::vector<Doubles> plain = gradients(false, names), slow = gradients(true, names);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].starts_with("embed.E_source") || names[i].starts_with("embed.P_source")) continue;
    const double factor = names[i].starts_with("enc.") ? 0.25 : 1;
    expect_near(slow[i], map(plain[i], [&](double d) { return factor * d; }), 1e-12);
  }
}

TEST(ConvolutionalModel, LengthsStartAsThoseOfTheDirections) {
  const SmallConvolutional small(small_convolutional(), {.dtype = DType::kFloat64});
  const Doubles v = values_of(*small.on, small.parameter("dec.0.conv.W.v")),
                g = values_of(*small.on, small.parameter("dec.0.conv.W.g"));
  ASSERT_EQ(g.size(), 18u);
  for (std::size_t c = 0; c < g.size(); ++c) {
    double squares = 0;
    for (std::size_t r = 0; r < v.size() / g.size(); ++r) squares += v[r * g.size() + c] * v[r * g.size() + c];
    EXPECT_NEAR(g[c], std::sqrt(squares), 1e-12);
  }
  const Doubles rows = values_of(*small.on, small.parameter("output.E.v")),
                lengths = values_of(*small.on, small.parameter("output.E.g"));
  ASSERT_EQ(lengths.size(), 37u);
  double squares = 0;
  for (std::size_t c = 0; c < 11; ++c) squares += rows[5 * 11 + c] * rows[5 * 11 + c];
  EXPECT_NEAR(lengths[5], std::sqrt(squares), 1e-12);
}

}  // namespace
}  // namespace dragoman::model::convolutional
