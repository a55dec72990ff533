#include "dragoman/model/transformer/stack.h"

#include <gtest/gtest.h>

#include "dragoman/model/testing.h"
#include "dragoman/ops/arithmetic.h"
#include "dragoman/params/parameter_block.h"

namespace dragoman::model::transformer {
namespace {

using ops::operator+;

// An encoder or a decoder alone, with its own memory and random weights, in double precision.
template <class Part>
struct Standalone {
  explicit Standalone(const TransformerConfig& config)
      : part(config), block(*on, DType::kFloat64, part, params::Purpose::kInference) {
    block.initialise(1);
    std::uint64_t seed = 10;
    for (const params::NamedTensor& tensor : block.tensors()) {
      on->scaled(input(tensor.shape, seed++), 0.3, Sink::accumulate(tensor.values));
    }
  }
  Array input(const Shape& shape, std::uint64_t seed) const {
    return make_array(*on, shape, DType::kFloat64, random_values(shape.count(), seed));
  }

  std::unique_ptr<Backend> on = make_backend(Device{}, {.threads = 1});
  Part part;  // the Encoder or the Decoder
  params::ParameterBlock block;
};

TransformerConfig config(Norm norm) {
  TransformerConfig config = small_config();
  config.norm = norm;
  config.N_enc = config.N_dec = 3;
  return config;
}

class Stacks : public ::testing::TestWithParam<Norm> {};
INSTANTIATE_TEST_SUITE_P(Norms, Stacks, ::testing::Values(Norm::kPost, Norm::kPre),
                         [](const auto& norm) { return std::string(to_string(norm.param)); });

// Section 3.1: LayerNorm(x + Sublayer(x)); or x + Sublayer(LayerNorm(x)), with one more LayerNorm at the end.
template <class Sublayer>
Tensor around(Norm norm, const Tensor& x, const StackNorm& of_sublayer, const Segments& segments, const nn::Pass& pass,
              const Sublayer& sublayer) {
  const auto ln = [&](const Tensor& y) { return of_sublayer(y, segments, pass); };
  return norm == Norm::kPost ? ln(x + sublayer(x)) : x + sublayer(ln(x));
}

TEST_P(Stacks, TheEncoderAppliesItsSublayersInOrder) {
  const Standalone<Encoder> standalone(config(GetParam()));
  Backend& on = *standalone.on;
  nn::Pass pass{.on = on};
  const Segments segments = make_segments(on, {4, 2});
  const Reach reach{segments, segments, {}};
  const Tensor embedded(on, standalone.input({6, 20}, 3));
  Tensor x = embedded;
  for (const Layer& layer : standalone.part.stack.layers) {
    x = around(GetParam(), x, layer.norms[0], segments, pass,
               [&](const Tensor& y) { return layer.self(y, reach, pass); });
    x = around(GetParam(), x, layer.norms[1], segments, pass,
               [&](const Tensor& y) { return layer.ffn(y, segments, pass); });
  }
  if (GetParam() == Norm::kPre) x = standalone.part.stack.ln(x, segments, pass);
  expect_near(values_of(on, standalone.part(embedded, segments, pass).y.array()), values_of(on, x.array()), 1e-12);
}

TEST_P(Stacks, TheDecoderAttendsToTheMemoryBeforeTheFeedForward) {
  const Standalone<Decoder> standalone(config(GetParam()));
  Backend& on = *standalone.on;
  nn::Pass pass{.on = on};
  const Segments segments = make_segments(on, {3, 5}), source = make_segments(on, {4, 2});
  const Reach past{segments, segments, {.kind = Mask::Kind::kCausal}}, all{segments, source, {}};
  const Tensor embedded(on, standalone.input({8, 20}, 3)), memory(on, standalone.input({6, 20}, 4));
  const ProjectedMemory projected = standalone.part.project(memory, source);
  Tensor x = embedded;
  for (std::size_t l = 0; l < 3; ++l) {
    const Layer& layer = standalone.part.stack.layers[l];
    x = around(GetParam(), x, layer.norms[0], segments, pass,
               [&](const Tensor& y) { return layer.self(y, past, pass); });
    x = around(GetParam(), x, layer.norms[1], segments, pass,
               [&](const Tensor& y) { return (*layer.cross)(y, projected.K[l], projected.V[l], all, pass); });
    x = around(GetParam(), x, layer.norms[2], segments, pass,
               [&](const Tensor& y) { return layer.ffn(y, segments, pass); });
  }
  if (GetParam() == Norm::kPre) x = standalone.part.stack.ln(x, segments, pass);
  expect_near(values_of(on, standalone.part(embedded, segments, projected, pass).y.array()), values_of(on, x.array()),
              1e-12);
}

TEST(Memory, IsProjectedByTheWeightsOfEachLayer) {
  const Standalone<Decoder> standalone(config(Norm::kPost));
  Backend& on = *standalone.on;
  const Tensor memory(on, standalone.input({6, 20}, 4));
  const ProjectedMemory projected = standalone.part.project(memory, make_segments(on, {6}));
  for (const params::NamedTensor& tensor : standalone.block.tensors()) {
    const bool keys = tensor.name.ends_with("cross.W_K");
    if (!keys && !tensor.name.ends_with("cross.W_V")) continue;
    const auto layer = static_cast<std::size_t>(tensor.name[0] - '0');
    Array expected = on.empty({6, 20}, DType::kFloat64);
    on.matmul(memory.array(), Transpose::kNo, tensor.values, Transpose::kNo, Sink::overwrite(expected));
    expect_near(values_of(on, (keys ? projected.K : projected.V)[layer].array()), values_of(on, expected), 1e-12);
  }
}

}  // namespace
}  // namespace dragoman::model::transformer
