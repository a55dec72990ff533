#include "dragoman/model/convolutional/convolutional.h"

#include <cmath>

#include "dragoman/nn/embed.h"

namespace dragoman::model::convolutional {
namespace {

const params::Initial kInitialEmbedding = params::Initial::normal(0.1);

const ConvolutionalConfig& validated(const ConvolutionalConfig& config) {
  config.validate();
  return config;
}

// An output projection of its own is weight-normalised, so Embeddings must not make one.
EmbeddingSizes embedding_sizes(const ConvolutionalConfig& config) {
  const Tie tie = config.tie == Tie::kNone ? Tie::kDecoder : config.tie;
  return {config.V_source, config.V_target, config.E, tie, kInitialEmbedding};
}

params::Parameter position_table(const ConvolutionalConfig& config) {
  if (config.positions == PositionsName::kNone) return {};
  return params::Parameter({config.max_positions, config.E}, kInitialEmbedding).used_as(params::Use::kExact);
}

}  // namespace

ConvolutionalModel::ConvolutionalModel(const ConvolutionalConfig& config)
    : config_(validated(config)),
      embeddings_(embedding_sizes(config)),
      P_source_(position_table(config)),
      P_target_(position_table(config)),
      b_output_({config.V_target}, params::Initial::constant(0)),
      encoder_(config),
      decoder_(config) {
  if (config.tie != Tie::kNone) return;
  const double deviation = std::sqrt((1.0 - config.P_drop) / config.output_width());
  E_output_ = params::NormedParameter({config.V_target, config.output_width()}, params::Initial::normal(deviation),
                                      params::Use::kVocabulary);
}

// Unlike in the Transformer, embeddings are not scaled.
Encoded ConvolutionalModel::encode(const Tokens& source, nn::Pass& pass) const {
  const Tensor embedded =
      nn::embed(pass.on, source, embeddings_.source(), P_source_.tensor(), 1.0, pass.dropout(config_.P_drop));
  return encoder_(embedded, source.segments, pass);
}

Tensor ConvolutionalModel::decode(const Tokens& target, const Encoded& encoded, nn::Pass& pass) const {
  const Tensor embedded =
      nn::embed(pass.on, target, embeddings_.target(), P_target_.tensor(), 1.0, pass.dropout(config_.P_drop));
  return decoder_(embedded, target.segments, encoded, pass);
}

OutputProjection ConvolutionalModel::output() const {
  if (!E_output_) return embeddings_.projection(b_output_);
  return {E_output_.weights(), b_output_.tensor(), E_output_.packed()};
}

void ConvolutionalModel::store_memory(const Encoded& encoded, const Array& rows, const StateArrays& state) const {
  decoder_.store_memory(encoded, rows, state);
}

Tensor ConvolutionalModel::step(const StepRows& rows, const StateArrays& state, nn::Pass& pass) const {
  const Tensor embedded = nn::embed(pass.on, rows.tokens(), embeddings_.target(), P_target_.tensor(), 1.0);
  return decoder_.step(embedded, rows, state, pass);
}

std::vector<float> ConvolutionalModel::position_encodings(Backend& on, std::int64_t positions) const {
  return P_source_ ? first_rows(on, P_source_, positions) : std::vector<float>();
}

std::int64_t ConvolutionalModel::max_positions() const {
  return P_source_ ? config_.max_positions : Seq2Seq::max_positions();
}

nn::AttentionSites ConvolutionalModel::sites() const {
  nn::AttentionSite cross = decoder_.layers.front().attention.described("cross");
  cross.layers = config_.N_dec;
  cross.formula = "(s W_Q + b + e) · h / √2";  // e: the embedded word before, h: the key z
  return {cross};
}

BlockStacks ConvolutionalModel::blocks() const {
  using enum BlockKind;
  Blocks input{{.kind = kEmbedding}};
  if (P_source_) input.push_back({.kind = kPositions});
  const Blocks encoder{{.kind = kConvolution}, {.kind = kAdd}};
  const Blocks decoder{
      {.kind = kConvolution}, {.kind = kAttention, .site = "cross", .reads = "encoder"}, {.kind = kAdd}};
  return {{"encoder", nn::Side::kSource, input, {{encoder, config_.N_enc}}, {{.kind = kLinear}}},
          {"decoder", nn::Side::kTarget, input, {{decoder, config_.N_dec}}, {{.kind = kLinear}, {.kind = kSoftmax}}}};
}

void ConvolutionalModel::parameters(params::ParameterVisitor& visit) {
  visit.inside("embed", embeddings_);
  visit("embed.P_source", P_source_);
  visit("embed.P_target", P_target_);
  visit.inside("enc", encoder_);
  visit.inside("dec", decoder_);
  visit("output.E", E_output_);
  visit("output.b", b_output_);
}

std::unique_ptr<Seq2Seq> make_model(const ConvolutionalConfig& config) {
  return std::make_unique<ConvolutionalModel>(config);
}

}  // namespace dragoman::model::convolutional
