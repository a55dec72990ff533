// The convolutional encoder-decoder: embeddings with learned positions, encoder, decoder and output projection.
#pragma once

#include "dragoman/model/convolutional/config.h"
#include "dragoman/model/convolutional/decoder.h"
#include "dragoman/model/convolutional/encoder.h"
#include "dragoman/model/embeddings.h"

namespace dragoman::model::convolutional {

class ConvolutionalModel final : public Seq2Seq {
 public:
  // Defines the names and sizes of all parameters. A ParameterBlock must allocate their memory before use.
  explicit ConvolutionalModel(const ConvolutionalConfig& config);

  Encoded encode(const Tokens& source, nn::Pass& pass) const override;
  Tensor decode(const Tokens& target, const Encoded& encoded, nn::Pass& pass) const override;
  OutputProjection output() const override;
  StateLayout state_layout() const override { return decoder_.state_layout(embeddings_.target().dtype()); }
  void store_memory(const Encoded& encoded, const Array& rows, const StateArrays& state) const override;
  Tensor step(const StepRows& rows, const StateArrays& state, nn::Pass& pass) const override;
  bool steps_can_be_recorded() const override { return true; }
  std::int64_t source_vocabulary() const override { return config_.V_source; }
  std::int64_t target_vocabulary() const override { return config_.V_target; }
  std::int32_t start_token() const override { return model::start_token(config_.decoder_start); }
  std::int64_t max_positions() const override;
  std::vector<float> position_encodings(Backend& on, std::int64_t positions) const override;
  nn::AttentionSites sites() const override;
  BlockStacks blocks() const override;
  void parameters(params::ParameterVisitor& visit) override;

  const ConvolutionalConfig& config() const { return config_; }

 private:
  ConvolutionalConfig config_;
  Embeddings embeddings_;
  params::Parameter P_source_, P_target_;  // learned positions; optional
  params::NormedParameter E_output_;       // the output projection, unless it is tied to the target embedding
  params::Parameter b_output_;
  Encoder encoder_;
  Decoder decoder_;
};

}  // namespace dragoman::model::convolutional

namespace dragoman::model {
using convolutional::ConvolutionalModel;
}  // namespace dragoman::model
