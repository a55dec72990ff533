// All that training and decoding know of a model. The Transformer is one; recurrent and convolutional models are
// others.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "dragoman/data/tokens.h"
#include "dragoman/model/decoder_state.h"
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

// Decoding steps all of whose inputs lie in arrays of the device, for who keeps account of hypotheses there.
class RowSteps {
 public:
  virtual ~RowSteps() = default;

  virtual DecoderCaches make_caches(Backend& on, const DecoderRoom& room) const = 0;
  // Row i of what was encoded is remembered as row rows[i] of the memory; int32 [R].
  virtual void remember(const Encoded& encoded, const Array& rows, const DecoderCaches& caches) const = 0;
  // As Seq2Seq::step. Launches the same for the same shapes and bounds, whatever the arrays hold.
  virtual Tensor step(const StepRows& rows, const DecoderCaches& caches, nn::Pass& pass) const = 0;
};

class Seq2Seq {
 public:
  virtual ~Seq2Seq() = default;

  virtual Encoded encode(const data::Tokens& source, nn::Pass& pass) const = 0;

  // Teacher-forced: `target` is the target shifted right by one, so that row j predicts token j. Returns the states
  // [R, d_model] that the output projection scores.
  virtual Tensor decode(const data::Tokens& target, const Encoded& encoded, nn::Pass& pass) const = 0;
  virtual OutputProjection output() const = 0;

  // Step by step. A state has room for translations under way, in the backend's arena as it stands: what follows may be
  // wrapped in an ArenaScope of its own.
  virtual DecoderState start(Backend& on, const DecoderRoom& room) const = 0;
  // Encoded sentences that have entered the state under these numbers, in order, are remembered there.
  virtual void remember(const Encoded& encoded, std::span<const std::int32_t> sentences, DecoderState& state) const = 0;
  // Reads one token per row of the state and returns the states [rows, d_model] that predict the next.
  virtual Tensor step(std::span<const std::int32_t> ids, DecoderState& state, nn::Pass& pass) const = 0;
  // Makes row r of the state go on from what row parents[r] was; rows may be repeated, dropped and reordered.
  virtual void reorder(std::span<const std::int32_t> parents, DecoderState& state) const { state.reorder(parents); }

  // The same for hypotheses that the device keeps account of; nothing if the model has no such steps.
  virtual const RowSteps* row_steps() const { return nullptr; }

  virtual std::int64_t source_vocabulary() const = 0;
  virtual std::int64_t target_vocabulary() const = 0;
  virtual std::int32_t start_token() const = 0;  // what the decoder reads before the first word
  // Tokens that a sentence may have on either side, EOS included.
  virtual std::int64_t most_positions() const { return std::numeric_limits<std::int64_t>::max(); }

  virtual void parameters(nn::ParameterVisitor& visit) = 0;
};

// log P(next word) for each row of the decoder's states: [rows, V].
Tensor log_probabilities(const Seq2Seq& model, const Tensor& states);

// The likeliest next words for each row of the decoder's states.
void best_words(const Seq2Seq& model, const Tensor& states, const BestWords& best);

}  // namespace dragoman::model
