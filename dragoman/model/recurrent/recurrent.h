// The recurrent encoder-decoder: embeddings, encoder, decoder and output projection.
#pragma once

#include "dragoman/model/embeddings.h"
#include "dragoman/model/recurrent/config.h"
#include "dragoman/model/recurrent/decoder.h"
#include "dragoman/model/recurrent/encoder.h"

namespace dragoman::model::recurrent {

class RecurrentModel final : public Seq2Seq {
 public:
  // Defines the names and sizes of all parameters. A ParameterBlock must allocate their memory before use.
  explicit RecurrentModel(const RecurrentConfig& config);

  Encoded encode(const Tokens& source, nn::Pass& pass) const override;
  Tensor decode(const Tokens& target, const Encoded& encoded, nn::Pass& pass) const override;
  OutputProjection output() const override { return embeddings_.projection(b_output_); }
  StateLayout state_layout() const override { return decoder_.state_layout(embeddings_.output().dtype()); }
  void store_memory(const Encoded& encoded, const Array& rows, const StateArrays& state) const override;
  Tensor step(const StepRows& rows, const StateArrays& state, nn::Pass& pass) const override;
  bool steps_can_be_recorded() const override { return true; }
  std::int64_t source_vocabulary() const override { return config_.V_source; }
  std::int64_t target_vocabulary() const override { return config_.V_target; }
  std::int32_t start_token() const override { return model::start_token(config_.decoder_start); }
  nn::AttentionSites sites() const override;
  BlockStacks blocks() const override;
  void parameters(params::ParameterVisitor& visit) override;

  const RecurrentConfig& config() const { return config_; }

 private:
  RecurrentConfig config_;
  Embeddings embeddings_;
  params::Parameter b_output_;
  Encoder encoder_;
  Decoder decoder_;
};

}  // namespace dragoman::model::recurrent

namespace dragoman::model {
using recurrent::RecurrentModel;
}  // namespace dragoman::model
