// The Transformer: embeddings, encoder, decoder and output projection (Figure 1 of the paper).
#pragma once

#include <cstdint>
#include <vector>

#include "dragoman/model/embeddings.h"
#include "dragoman/model/seq2seq.h"
#include "dragoman/model/transformer/config.h"
#include "dragoman/model/transformer/decoder.h"
#include "dragoman/model/transformer/encoder.h"
#include "dragoman/nn/positions.h"

namespace dragoman::model::transformer {

// The sizes of the embeddings. They are drawn from a normal distribution of variance 1 / d_model, so that an embedding
// times sqrt(d_model) has variance 1.
EmbeddingSizes embedding_sizes(const TransformerConfig& config);

class Transformer final : public Seq2Seq {
 public:
  // Defines the names and sizes of all parameters. A ParameterBlock must allocate their memory before use.
  explicit Transformer(const TransformerConfig& config);

  Encoded encode(const Tokens& source, nn::Pass& pass) const override;
  Tensor decode(const Tokens& target, const Encoded& encoded, nn::Pass& pass) const override;
  OutputProjection output() const override;
  StateLayout state_layout() const override { return decoder_.state_layout(embeddings_.output().dtype()); }
  void store_memory(const Encoded& encoded, const Array& rows, const StateArrays& state) const override;
  Tensor step(const StepRows& rows, const StateArrays& state, nn::Pass& pass) const override;
  bool steps_can_be_recorded() const override { return true; }
  bool uses_batch_statistics() const override { return config_.norm_kind == NormKind::kBatch; }
  std::int64_t source_vocabulary() const override { return config_.V_source; }
  std::int64_t target_vocabulary() const override { return config_.V_target; }
  std::int32_t start_token() const override { return model::start_token(config_.decoder_start); }
  std::int64_t max_positions() const override;
  nn::AttentionSites sites() const override;
  BlockStacks blocks() const override;
  void parameters(params::ParameterVisitor& visit) override;

  std::vector<float> position_encodings(Backend& on, std::int64_t positions) const override;

  const TransformerConfig& config() const { return config_; }

 private:
  Tensor positions(Backend& on, const params::Parameter& learned, std::int64_t longest) const;
  Tensor embed(Backend& on, const Tokens& tokens, const params::Parameter& E, const Tensor& P,
               const Dropout& dropout) const;

  TransformerConfig config_;
  Embeddings embeddings_;
  params::Parameter P_source_, P_target_;      // learned positions; optional
  params::Parameter b_output_, target_space_;  // optional
  Encoder encoder_;
  Decoder decoder_;
  mutable nn::SinusoidTable sinusoids_;
};

}  // namespace dragoman::model::transformer

namespace dragoman::model {
using transformer::Transformer;
}  // namespace dragoman::model
