// The Universal Transformer: one encoder layer and one decoder layer, each run several times.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dragoman/model/embeddings.h"
#include "dragoman/model/seq2seq.h"
#include "dragoman/model/transformer/decoder.h"
#include "dragoman/model/transformer/encoder.h"
#include "dragoman/model/universal/config.h"
#include "dragoman/model/universal/depth.h"

namespace dragoman::model::universal {

class UniversalTransformer final : public Seq2Seq {
 public:
  // Defines the names and sizes of all parameters. A ParameterBlock must allocate their memory before use.
  explicit UniversalTransformer(const UniversalConfig& config);

  Encoded encode(const Tokens& source, nn::Pass& pass) const override;
  Tensor decode(const Tokens& target, const Encoded& encoded, nn::Pass& pass) const override;
  OutputProjection output() const override { return embeddings_.projection(b_output_); }
  // Keys and values of every step, as the Transformer has them for every layer. The memory's are the same in all steps.
  StateLayout state_layout() const override { return decoder_.state_layout(embeddings_.output().dtype(), config_.T); }
  void store_memory(const Encoded& encoded, const Array& rows, const StateArrays& state) const override;
  // Runs all steps, also if the tokens halt before: a later token may attend to the states of any step.
  Tensor step(const StepRows& rows, const StateArrays& state, nn::Pass& pass) const override;
  bool steps_can_be_recorded() const override { return true; }
  std::int64_t source_vocabulary() const override { return config_.V_source; }
  std::int64_t target_vocabulary() const override { return config_.V_target; }
  std::int32_t start_token() const override { return model::start_token(config_.decoder_start); }
  bool halts() const override { return config_.adaptive(); }
  std::vector<std::string> loss_names() const override;
  // The layers of a site are the steps.
  nn::AttentionSites sites() const override;
  BlockStacks blocks() const override;
  void parameters(params::ParameterVisitor& visit) override;

  std::vector<float> position_encodings(Backend& on, std::int64_t positions) const override;

 private:
  Tensor embed(const Tokens& tokens, const params::Parameter& E, nn::Pass& pass) const;
  // The positions of whole sentences: in training they may start at random.
  Places places(const Segments& segments, const nn::Pass& pass) const;
  // The LayerNorm after the last step; null with post-norm.
  const nn::LayerNorm* last_norm(const transformer::Stack& stack) const;

  UniversalConfig config_;
  Embeddings embeddings_;
  params::Parameter b_output_;  // optional
  transformer::Encoder encoder_;
  transformer::Decoder decoder_;
  Depth encoder_depth_, decoder_depth_;
  mutable nn::SinusoidTable sinusoids_;
};

}  // namespace dragoman::model::universal

namespace dragoman::model {
using universal::UniversalTransformer;
}  // namespace dragoman::model
