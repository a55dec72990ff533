#include "dragoman/model/recurrent/recurrent.h"

#include <cmath>

#include "dragoman/model/recurrent/sizes.h"
#include "dragoman/nn/embed.h"

namespace dragoman::model::recurrent {
namespace {

const RecurrentConfig& validated(const RecurrentConfig& config) {
  config.validate();
  return config;
}

EmbeddingSizes embedding_sizes(const RecurrentConfig& config) {
  const params::Initial initial = config.init == InitName::kUniform
                                      ? nn::initial_weights(nn::RecurrentInit::kUniform, 1, 1)
                                      : params::Initial::normal(1.0 / std::sqrt(static_cast<double>(config.E)));
  return {config.V_source, config.V_target, config.E, config.tie, initial};
}

}  // namespace

RecurrentModel::RecurrentModel(const RecurrentConfig& config)
    : config_(validated(config)),
      embeddings_(embedding_sizes(config)),
      b_output_(bias(config, config.V_target)),
      encoder_(config),
      decoder_(config) {}

// Unlike in the Transformer, embeddings are neither scaled nor joined with positions.
Encoded RecurrentModel::encode(const Tokens& source, nn::Pass& pass) const {
  const Tensor embedded = nn::embed(pass.on, source, embeddings_.source(), {}, 1.0, pass.dropout(config_.P_embedding));
  return encoder_(embedded, source.segments, pass);
}

Tensor RecurrentModel::decode(const Tokens& target, const Encoded& encoded, nn::Pass& pass) const {
  const Tensor embedded = nn::embed(pass.on, target, embeddings_.target(), {}, 1.0, pass.dropout(config_.P_embedding));
  return decoder_(embedded, target.segments, encoded, pass);
}

void RecurrentModel::store_memory(const Encoded& encoded, const Array& rows, const StateArrays& state) const {
  decoder_.store_memory(encoded, rows, state);
}

Tensor RecurrentModel::step(const StepRows& rows, const StateArrays& state, nn::Pass& pass) const {
  return decoder_.step(nn::embed(pass.on, rows.tokens(), embeddings_.target(), {}, 1.0), rows, state, pass);
}

nn::AttentionSites RecurrentModel::sites() const {
  if (!config_.attends()) return {};
  return {decoder_.attention.described("cross")};
}

BlockStacks RecurrentModel::blocks() const {
  using enum BlockKind;
  const Blocks input{{.kind = kEmbedding}}, recurrent{{.kind = kRecurrent}};
  const Blocks encoder{{.kind = config_.bidirectional ? kBidirectional : kRecurrent}};
  const Block attention{.kind = kAttention, .site = "cross", .reads = "encoder"};
  Blocks first = recurrent;
  std::vector<BlockLayers> layers;
  switch (config_.context) {
    case ContextName::kFixed: first.front().reads = "encoder"; break;
    case ContextName::kPrevious: first.insert(first.begin(), attention); break;
    case ContextName::kConditional: first = {recurrent.front(), attention, recurrent.front()}; break;
    case ContextName::kCurrent: break;
  }
  if (config_.context == ContextName::kCurrent) {
    // A site's layers are counted inside the layers of a stack, so the last one holds the attention.
    if (config_.N_dec > 1) layers.push_back({recurrent, config_.N_dec - 1});
    layers.push_back({{recurrent.front(), attention}, 1});
  } else {
    layers.push_back({first, 1});
    if (config_.N_dec > 1) layers.push_back({recurrent, config_.N_dec - 1});
  }
  const Blocks top{{.kind = kReadout}, {.kind = kLinear}, {.kind = kSoftmax}};
  return {{"encoder", nn::Side::kSource, input, {{encoder, config_.N_enc}}, {}},
          {"decoder", nn::Side::kTarget, input, layers, top}};
}

void RecurrentModel::parameters(params::ParameterVisitor& visit) {
  visit.inside("embed", embeddings_);
  visit.inside("enc", encoder_);
  visit.inside("dec", decoder_);
  visit("output.b", b_output_);
}

std::unique_ptr<Seq2Seq> make_model(const RecurrentConfig& config) { return std::make_unique<RecurrentModel>(config); }

}  // namespace dragoman::model::recurrent
