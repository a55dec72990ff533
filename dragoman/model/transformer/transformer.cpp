#include "dragoman/model/transformer/transformer.h"

#include <cmath>

#include "dragoman/base/strings.h"
#include "dragoman/nn/embed.h"

namespace dragoman::model::transformer {

namespace {

constexpr std::int64_t kTargetSpaces = 32;  // rows of the unused table that the 2017 code had

// Drawn from a normal distribution of variance 1 / d_model, so that an embedding times sqrt(d_model) has variance 1.
EmbeddingSizes embedding_sizes(const TransformerConfig& config) {
  params::Initial initial = params::Initial::normal(1.0 / std::sqrt(static_cast<double>(config.d_model)));
  initial.zero_first_row = config.init == Init::kFairseq;
  return {config.V_source, config.V_target, config.d_model, config.tie, initial};
}

params::Parameter position_table(const TransformerConfig& config) {
  return params::Parameter({config.max_positions, config.d_model},
                           params::Initial::normal(1.0 / std::sqrt(static_cast<double>(config.d_model))))
      .used_as(params::Use::kExact);
}

nn::Sinusoids layout_of(const TransformerConfig& config) {
  return config.positions == Positions::kSinusoidT2T ? nn::Sinusoids::kT2T : nn::Sinusoids::kPaper;
}

const TransformerConfig& validated(const TransformerConfig& config) {
  config.validate();
  return config;
}

}  // namespace

Transformer::Transformer(const TransformerConfig& config)
    : config_(validated(config)),
      embeddings_(embedding_sizes(config)),
      encoder_(config),
      decoder_(config),
      sinusoids_(layout_of(config), config.d_model) {
  if (config.positions == Positions::kLearned) P_source_ = P_target_ = position_table(config);
  if (config.output_bias) b_output_ = params::Parameter({config.V_target}, params::Initial::constant(0));
  if (config.target_space_table) {
    target_space_ = params::Parameter({kTargetSpaces, config.d_model}, params::Initial()).used_as(params::Use::kExact);
  }
}

Tensor Transformer::positions(Backend& on, const params::Parameter& learned, std::int64_t longest) const {
  switch (config_.positions) {
    case Positions::kNone: return {};
    case Positions::kLearned: return learned.tensor();
    default: return sinusoids_.rows(on, longest, accumulation_dtype(embeddings_.output().dtype()));
  }
}

std::vector<float> Transformer::position_encodings(Backend& on, std::int64_t positions) const {
  std::vector<float> encodings;
  if (config_.positions == Positions::kNone) return encodings;
  if (config_.positions == Positions::kLearned) return first_rows(on, P_source_, positions);
  for (std::int64_t position = 0; position < positions; ++position) {
    for (std::int64_t channel = 0; channel < config_.d_model; ++channel) {
      encodings.push_back(static_cast<float>(nn::sinusoid(layout_of(config_), position, channel, config_.d_model)));
    }
  }
  return encodings;
}

// Section 3.4: "In the embedding layers, we multiply those weights by sqrt(d_model)." Section 5.4: dropout applies "to
// the sums of the embeddings and the positional encodings in both the encoder and decoder stacks."
Tensor Transformer::embed(Backend& on, const Tokens& tokens, const params::Parameter& E, const Tensor& P,
                          const Dropout& dropout) const {
  return nn::embed(on, tokens, E, P, std::sqrt(config_.d_model), dropout);
}

Encoded Transformer::encode(const Tokens& source, nn::Pass& pass) const {
  const Tensor P = positions(pass.on, P_source_, source.segments.longest);
  const Tensor embedded = embed(pass.on, source, embeddings_.source(), P, pass.dropout(config_.P_drop));
  return {encoder_(embedded, source.segments, pass), source.segments};
}

Tensor Transformer::decode(const Tokens& target, const Encoded& encoded, nn::Pass& pass) const {
  const Tensor P = positions(pass.on, P_target_, target.segments.longest);
  const Tensor embedded = embed(pass.on, target, embeddings_.target(), P, pass.dropout(config_.P_drop));
  return decoder_(embedded, target.segments, decoder_.project(encoded.states, encoded.segments), pass);
}

OutputProjection Transformer::output() const { return embeddings_.projection(b_output_); }

void Transformer::store_memory(const Encoded& encoded, const Array& rows, const StateArrays& state) const {
  decoder_.store_memory(encoded.states, rows, state);
}

Tensor Transformer::step(const StepRows& rows, const StateArrays& state, nn::Pass& pass) const {
  const Tensor P = positions(pass.on, P_target_, rows.positions);
  return decoder_.step(embed(pass.on, rows.tokens(), embeddings_.target(), P, {}), rows, state, pass);
}

std::int64_t Transformer::max_positions() const {
  return config_.positions == Positions::kLearned ? config_.max_positions : Seq2Seq::max_positions();
}

nn::AttentionSites Transformer::sites() const {
  const int r = config_.window, centred_window = r > 0 ? 2 * (r / 2) + 1 : 0;
  const auto site = [&](const char* name, nn::Side queries, nn::Side keys, int layers, int window) {
    return nn::AttentionSite{.name = name,
                             .queries = queries,
                             .keys = keys,
                             .layers = layers,
                             .heads = config_.h,
                             .d_k = config_.key_width(),
                             .window = window};
  };
  using enum nn::Side;
  nn::AttentionSites sites(3);
  sites[kEncoderSite] = site("encoder", kSource, kSource, config_.N_enc, centred_window);
  sites[kDecoderSite] = site("decoder", kTarget, kTarget, config_.N_dec, r);
  sites[kCrossSite] = site("cross", kTarget, kSource, config_.N_dec, 0);
  return sites;
}

// Figure 1 of the paper. With pre-norm each LayerNorm is before its sub-layer, and one more is on top of each stack.
BlockStacks Transformer::blocks() const {
  using enum BlockKind;
  const bool is_pre = config_.norm == Norm::kPre;
  const auto add_sub_layer = [&](Blocks& layer, const Block& block) {
    if (is_pre) layer.push_back({.kind = kNorm});
    layer.push_back(block);
    layer.push_back({.kind = is_pre ? kAdd : kAddNorm});
  };
  Blocks encoder, decoder, input{{.kind = kEmbedding}};
  if (config_.positions != Positions::kNone) input.push_back({.kind = kPositions});
  add_sub_layer(encoder, {.kind = kAttention, .site = "encoder"});
  add_sub_layer(encoder, {.kind = kFeedForward});
  add_sub_layer(decoder, {.kind = kAttention, .site = "decoder"});
  add_sub_layer(decoder, {.kind = kAttention, .site = "cross", .reads = "encoder"});
  add_sub_layer(decoder, {.kind = kFeedForward});
  const Blocks top = is_pre ? Blocks{{.kind = kNorm}} : Blocks{};
  Blocks output = top;
  output.push_back({.kind = kLinear});
  output.push_back({.kind = kSoftmax});
  return {{"encoder", nn::Side::kSource, input, {{encoder, config_.N_enc}}, top},
          {"decoder", nn::Side::kTarget, input, {{decoder, config_.N_dec}}, output}};
}

void Transformer::parameters(params::ParameterVisitor& visit) {
  visit.inside("embed", embeddings_);
  visit("embed.P_source", P_source_);
  visit("embed.P_target", P_target_);
  visit("embed.target_space", target_space_);
  visit.inside("enc", encoder_);
  visit.inside("dec", decoder_);
  visit("output.b", b_output_);
}

std::unique_ptr<Seq2Seq> make_model(const TransformerConfig& config) { return std::make_unique<Transformer>(config); }

std::string describe(const TransformerConfig& config) {
  return join(config.N_enc, " + ", config.N_dec, " layers of width ", config.d_model, ", ", counted(config.h, "head"));
}

}  // namespace dragoman::model::transformer
