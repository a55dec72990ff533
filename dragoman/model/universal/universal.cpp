#include "dragoman/model/universal/universal.h"

#include "dragoman/base/random.h"
#include "dragoman/data/time_rows.h"
#include "dragoman/model/transformer/description.h"
#include "dragoman/model/transformer/transformer.h"
#include "dragoman/nn/embed.h"

namespace dragoman::model::universal {

namespace {

constexpr std::uint32_t kOffsetPurpose = 0x6F666673;  // "offs": of the random numbers of position-offset

const UniversalConfig& validated(const UniversalConfig& config) {
  config.validate();
  return config;
}

}  // namespace

UniversalTransformer::UniversalTransformer(const UniversalConfig& config)
    : config_(validated(config)),
      embeddings_(transformer::embedding_sizes(config)),
      encoder_(config),
      decoder_(config),
      encoder_depth_(config, nn::Side::kSource),
      decoder_depth_(config, nn::Side::kTarget),
      sinusoids_(nn::Sinusoids::kPaper, config.d_model) {
  if (config.output_bias) b_output_ = params::Parameter({config.V_target}, params::Initial::constant(0));
}

// H^0 has no positions: every step adds them.
Tensor UniversalTransformer::embed(const Tokens& tokens, const params::Parameter& E, nn::Pass& pass) const {
  return nn::embed(pass.on, tokens, E, {}, config_.embedding_factor(), pass.dropout(config_.P_drop));
}

// Both sides of a pair start at the same position, which depends on the seed, the update and the pair.
Places UniversalTransformer::places(const Segments& segments, const nn::Pass& pass) const {
  if (!pass.training || config_.position_offset == 0) return {segments.position, segments.longest};
  const std::vector<std::int32_t> offsets = data::host_offsets(pass.on, segments);
  std::vector<std::int32_t> positions;
  for (std::int64_t b = 0; b < segments.B; ++b) {
    const auto pair = static_cast<std::uint64_t>(segments.first_sentence + b);
    RandomStream random(pass.seed, kOffsetPurpose, std::uint64_t{pass.update} << 32 | pair);
    const auto offset =
        static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(config_.position_offset) + 1));
    const std::int32_t n = offsets[b + 1] - offsets[b];
    for (std::int32_t i = 0; i < n; ++i) positions.push_back(offset + i);
  }
  return {data::make_ids(pass.on, positions), segments.longest + config_.position_offset};
}

const nn::LayerNorm* UniversalTransformer::last_norm(const transformer::Stack& stack) const {
  return config_.norm == transformer::Norm::kPre ? &stack.ln.layer_norm() : nullptr;
}

Encoded UniversalTransformer::encode(const Tokens& source, nn::Pass& pass) const {
  const Tensor embedded = embed(source, embeddings_.source(), pass);
  const auto layer = [&](const Tensor& x) { return encoder_(x, source.segments, pass); };
  return {encoder_depth_.run(embedded, places(source.segments, pass), sinusoids_, last_norm(encoder_.stack),
                             Depth::Extent::kSentences, pass, layer),
          source.segments};
}

Tensor UniversalTransformer::decode(const Tokens& target, const Encoded& encoded, nn::Pass& pass) const {
  const Tensor embedded = embed(target, embeddings_.target(), pass);
  const transformer::ProjectedMemory memory = decoder_.project(encoded.states, encoded.segments);
  const auto layer = [&](const Tensor& x) { return decoder_(x, target.segments, memory, pass); };
  return decoder_depth_.run(embedded, places(target.segments, pass), sinusoids_, last_norm(decoder_.stack),
                            Depth::Extent::kSentences, pass, layer);
}

void UniversalTransformer::store_memory(const Encoded& encoded, const Array& rows, const StateArrays& state) const {
  decoder_.store_memory(encoded.states, rows, state);
}

Tensor UniversalTransformer::step(const StepRows& rows, const StateArrays& state, nn::Pass& pass) const {
  const Tokens tokens = rows.tokens();
  const auto layer = [&](const Tensor& x) { return decoder_.step(x, rows, state, pass); };
  return decoder_depth_.run(embed(tokens, embeddings_.target(), pass), {rows.lengths, rows.positions}, sinusoids_,
                            last_norm(decoder_.stack), Depth::Extent::kNextTokens, pass, layer);
}

std::vector<std::string> UniversalTransformer::loss_names() const {
  if (!config_.adaptive()) return {};
  return {"ponder-encoder", "ponder-decoder"};
}

nn::AttentionSites UniversalTransformer::sites() const {
  return transformer::attention_sites(config_, config_.T, config_.T);
}

BlockStacks UniversalTransformer::blocks() const {
  using transformer::Stack;
  const auto stack = [&](const char* name, Stack::Kind kind) {
    Blocks layer = transformer::layer_blocks(config_, kind);
    layer.insert(layer.begin(), Block{.kind = BlockKind::kPositions});
    return BlockStack{name,
                      Stack::side_of(kind),
                      {{.kind = BlockKind::kEmbedding}},
                      {{layer, config_.T, /*shared=*/true}},
                      transformer::top_blocks(config_, kind)};
  };
  return {stack("encoder", Stack::Kind::kEncoder), stack("decoder", Stack::Kind::kDecoder)};
}

std::vector<float> UniversalTransformer::position_encodings(Backend& /*on*/, std::int64_t positions) const {
  return nn::sinusoids(nn::Sinusoids::kPaper, positions, config_.d_model);
}

void UniversalTransformer::parameters(params::ParameterVisitor& visit) {
  visit.inside("embed", embeddings_);
  visit.inside("enc", encoder_);
  visit.inside("enc", encoder_depth_);
  visit.inside("dec", decoder_);
  visit.inside("dec", decoder_depth_);
  visit("output.b", b_output_);
}

std::unique_ptr<Seq2Seq> make_model(const UniversalConfig& config) {
  return std::make_unique<UniversalTransformer>(config);
}

}  // namespace dragoman::model::universal
