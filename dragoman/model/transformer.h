// The Transformer: embeddings, encoder, decoder and output projection (Figure 1 of the paper).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dragoman/model/config.h"
#include "dragoman/model/decoder.h"
#include "dragoman/model/encoder.h"
#include "dragoman/model/seq2seq.h"
#include "dragoman/nn/positions.h"

namespace dragoman::model {

class Transformer final : public Seq2Seq, public RowSteps {
 public:
  // Knows all sizes and names, but has no memory until a ParameterBlock gives it some.
  explicit Transformer(const TransformerConfig& config);

  Encoded encode(const data::Tokens& source, nn::Pass& pass) const override;
  Tensor decode(const data::Tokens& target, const Encoded& encoded, nn::Pass& pass) const override;
  OutputProjection output() const override;
  DecoderState start(Backend& on, const DecoderRoom& room) const override;
  void remember(const Encoded& encoded, std::span<const std::int32_t> sentences, DecoderState& state) const override;
  Tensor step(std::span<const std::int32_t> ids, DecoderState& state, nn::Pass& pass) const override;
  const RowSteps* row_steps() const override { return this; }
  DecoderCaches make_caches(Backend& on, const DecoderRoom& room) const override;
  void remember(const Encoded& encoded, const Array& rows, const DecoderCaches& caches) const override;
  Tensor step(const StepRows& rows, const DecoderCaches& caches, nn::Pass& pass) const override;
  std::int64_t source_vocabulary() const override { return config_.V_source; }
  std::int64_t target_vocabulary() const override { return config_.V_target; }
  std::int32_t start_token() const override;
  std::int64_t most_positions() const override;
  void parameters(nn::ParameterVisitor& visit) override;

  const TransformerConfig& config() const { return config_; }
  // What is added to the embeddings of source tokens, row pos for position pos: [positions, d_model], fewer rows if the
  // model has fewer. Empty if it knows no positions. `on` must not be at work elsewhere.
  std::vector<float> position_encodings(Backend& on, std::int64_t positions) const;

 private:
  const nn::Parameter& source_embedding() const;
  const nn::Parameter& target_embedding() const;
  const nn::Parameter& output_embedding() const;
  Tensor positions(Backend& on, const nn::Parameter& learned, std::int64_t longest) const;
  Tensor embed(Backend& on, const data::Tokens& tokens, const nn::Parameter& E, const Tensor& P,
               const Dropout& dropout) const;

  TransformerConfig config_;
  nn::Parameter E_, E_source_, E_target_, E_output_;  // those that the tying leaves
  nn::Parameter P_source_, P_target_;                 // learned positions
  nn::Parameter b_output_, target_space_;
  Encoder encoder_;
  Decoder decoder_;
  mutable nn::SinusoidTable sinusoids_;
};

struct ParameterInfo {
  std::string name;
  std::vector<std::int64_t> shape;
  std::int64_t count;
};

// Every tensor of the model by name, in the order in which it is saved. Allocates no weights.
std::vector<ParameterInfo> parameter_table(const TransformerConfig& config);

}  // namespace dragoman::model
