// All that training and decoding know of a model. The Transformer is one; recurrent and convolutional models are
// others.
#pragma once

#include <cstdint>
#include <span>

#include "dragoman/data/tokens.h"
#include "dragoman/model/decoder.h"
#include "dragoman/nn/parameters.h"
#include "dragoman/nn/pass.h"

namespace dragoman::model {

// What the encoder made of the source sentences.
struct Encoded {
  Tensor states;  // [R, d_model]
  Segments segments;
};

// How the decoder's last states become scores of words: states E^T + b.
struct OutputProjection {
  Tensor E;                  // [V, d_model]; missing if it is packed
  Tensor b;                  // [V], or missing
  PackedMatrix packed = {};  // E^T, in a model for inference
};

class Seq2Seq {
 public:
  virtual ~Seq2Seq() = default;

  virtual Encoded encode(const data::Tokens& source, nn::Pass& pass) const = 0;

  // Teacher-forced: `target` is the target shifted right by one, so that row j predicts token j. Returns the states
  // [R, d_model] that the output projection scores.
  virtual Tensor decode(const data::Tokens& target, const Encoded& encoded, nn::Pass& pass) const = 0;
  virtual OutputProjection output() const = 0;

  // Step by step: one row for each sentence at first, with room for `rows` hypotheses of `steps` tokens. Everything
  // lies in the arena as it stands: steps may be wrapped in an ArenaScope of their own.
  virtual DecoderState start(const Encoded& encoded, std::int64_t rows, std::int64_t steps) const = 0;
  // Reads one token per row of the state and returns the states [rows, d_model] that predict the next.
  virtual Tensor step(std::span<const std::int32_t> ids, DecoderState& state) const = 0;

  // Makes row r of the state go on from what row parents[r] was; rows may be repeated, dropped and reordered.
  virtual void reorder(std::span<const std::int32_t> parents, DecoderState& state) const { state.reorder(parents); }

  virtual std::int64_t source_vocabulary() const = 0;
  virtual std::int64_t target_vocabulary() const = 0;
  virtual std::int32_t start_token() const = 0;  // what the decoder reads before the first word

  virtual void parameters(nn::ParameterVisitor& visit) = 0;
};

// log P(next word) for each row of the decoder's states: [rows, V].
Tensor log_probabilities(const Seq2Seq& model, const Tensor& states);

}  // namespace dragoman::model
