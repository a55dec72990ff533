#include "dragoman/model/transformer/transformer.h"

#include <cmath>

#include "dragoman/base/strings.h"
#include "dragoman/model/transformer/description.h"
#include "dragoman/nn/embed.h"
#include "dragoman/ops/arithmetic.h"

namespace dragoman::model::transformer {

namespace {

constexpr std::int64_t kTargetSpaces = 32;  // rows of the unused table that the 2017 code had

params::Parameter position_table(const TransformerConfig& config) {
  return params::Parameter({config.max_positions, config.d_model},
                           params::Initial::normal(1.0 / std::sqrt(static_cast<double>(config.d_model))))
      .used_as(params::Use::kExact);
}

nn::Sinusoids layout_of(const TransformerConfig& config) {
  switch (config.positions) {
    case Positions::kSinusoidT2T: return nn::Sinusoids::kT2T;
    case Positions::kSinusoidHalf: return nn::Sinusoids::kHalves;
    default: return nn::Sinusoids::kPaper;
  }
}

const TransformerConfig& validated(const TransformerConfig& config) {
  config.validate();
  return config;
}

}  // namespace

EmbeddingSizes embedding_sizes(const TransformerConfig& config) {
  params::Initial initial = params::Initial::normal(1.0 / std::sqrt(static_cast<double>(config.d_model)));
  initial.zero_first_row = config.init == Init::kFairseq;
  return {config.V_source, config.V_target, config.d_model, config.tie, initial};
}

Transformer::Transformer(const TransformerConfig& config)
    : config_(validated(config)),
      embeddings_(embedding_sizes(config)),
      encoder_(config),
      decoder_(config),
      sinusoids_(layout_of(config), config.d_model, config.first_position) {
  if (config.positions == Positions::kLearned) P_source_ = P_target_ = position_table(config);
  if (config.output_bias) b_output_ = params::Parameter({config.V_target}, params::Initial::constant(0));
  if (config.target_space_table) {
    target_space_ = params::Parameter({kTargetSpaces, config.d_model}, params::Initial()).used_as(params::Use::kExact);
  }
}

Tensor Transformer::positions(Backend& on, const params::Parameter& learned, std::int64_t longest) const {
  switch (config_.positions) {
    case Positions::kNone: return {};
    case Positions::kLearned:
      if (config_.first_position == 0) return learned.tensor();
      return ops::rows(learned.tensor(), config_.first_position, max_positions());
    default: return sinusoids_.rows(on, longest, accumulation_dtype(embeddings_.output().dtype()));
  }
}

std::vector<float> Transformer::position_encodings(Backend& on, std::int64_t positions) const {
  if (config_.positions == Positions::kNone) return {};
  if (config_.positions == Positions::kLearned) return first_rows(on, P_source_, positions, config_.first_position);
  return nn::sinusoids(layout_of(config_), positions, config_.d_model, config_.first_position);
}

// Section 3.4: "In the embedding layers, we multiply those weights by sqrt(d_model)." Section 5.4: dropout applies "to
// the sums of the embeddings and the positional encodings in both the encoder and decoder stacks."
Tensor Transformer::embed(Backend& on, const Tokens& tokens, const params::Parameter& E, const Tensor& P,
                          const Dropout& dropout) const {
  return nn::embed(on, tokens, E, P, config_.embedding_factor(), dropout);
}

Encoded Transformer::encode(const Tokens& source, nn::Pass& pass) const {
  const Tensor P = positions(pass.on, P_source_, source.segments.longest);
  const Tensor embedded = embed(pass.on, source, embeddings_.source(), P, pass.dropout(config_.P_drop));
  return {encoder_(embedded, source.segments, pass).y, source.segments};
}

Tensor Transformer::decode(const Tokens& target, const Encoded& encoded, nn::Pass& pass) const {
  const Tensor P = positions(pass.on, P_target_, target.segments.longest);
  const Tensor embedded = embed(pass.on, target, embeddings_.target(), P, pass.dropout(config_.P_drop));
  return decoder_(embedded, target.segments, decoder_.project(encoded.states, encoded.segments), pass).y;
}

OutputProjection Transformer::output() const { return embeddings_.projection(b_output_); }

void Transformer::store_memory(const Encoded& encoded, const Array& rows, const StateArrays& state) const {
  decoder_.store_memory(encoded.states, rows, state);
}

Tensor Transformer::step(const StepRows& rows, const StateArrays& state, nn::Pass& pass) const {
  const Tensor P = positions(pass.on, P_target_, rows.positions);
  return decoder_.step(embed(pass.on, rows.tokens(), embeddings_.target(), P, {}), rows, state, pass).y;
}

std::int64_t Transformer::max_positions() const {
  return config_.positions == Positions::kLearned ? config_.max_positions - config_.first_position
                                                  : Seq2Seq::max_positions();
}

nn::AttentionSites Transformer::sites() const { return attention_sites(config_, config_.N_enc, config_.N_dec); }

BlockStacks Transformer::blocks() const {
  using enum Stack::Kind;
  Blocks input{{.kind = BlockKind::kEmbedding}};
  if (config_.positions != Positions::kNone) input.push_back({.kind = BlockKind::kPositions});
  return {{"encoder",
           nn::Side::kSource,
           input,
           {{layer_blocks(config_, kEncoder), config_.N_enc}},
           top_blocks(config_, kEncoder)},
          {"decoder",
           nn::Side::kTarget,
           input,
           {{layer_blocks(config_, kDecoder), config_.N_dec}},
           top_blocks(config_, kDecoder)}};
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
  const std::string scores = config.attention_score == nn::AttentionScore::kScaled
                                 ? ""
                                 : join(", ", to_string(config.attention_score), " scores");
  const int encoder = config.encoder_sizes().h, decoder = config.decoder_sizes().h;
  const std::string heads = encoder == decoder ? "" : join(encoder, " + ");
  return join(config.N_enc, " + ", config.N_dec, " layers of width ", config.d_model, ", ", heads,
              counted(decoder, "head"), scores, config.norm_kind == NormKind::kBatch ? ", BatchNorm" : "");
}

}  // namespace dragoman::model::transformer
