// All that training, decoding and the server know of a model, whatever its architecture.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "dragoman/data/tokens.h"
#include "dragoman/model/decoder_state.h"
#include "dragoman/nn/parameters.h"
#include "dragoman/nn/pass.h"

namespace dragoman::model {

// What the encoder made of the source sentences.
struct Encoded {
  Tensor states;  // [R, ...]: a row for each source token
  Segments segments;
  std::vector<Tensor> summary = {};  // of whole sentences, [B, ...] each; optional
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

  virtual Encoded encode(const Tokens& source, nn::Pass& pass) const = 0;

  // Teacher-forced: `target` is the target shifted right by one, so that row j predicts token j. Returns the states
  // [R, d_model] that the output projection scores.
  virtual Tensor decode(const Tokens& target, const Encoded& encoded, nn::Pass& pass) const = 0;
  virtual OutputProjection output() const = 0;

  // Step by step. What the model keeps from one step to the next:
  virtual StateLayout state_layout() const = 0;
  // Row i of what was encoded is remembered in row rows[i] of the memory; int32 [R].
  virtual void remember(const Encoded& encoded, const Array& rows, const StateArrays& state) const = 0;
  // Reads one token per row and returns the states [rows, width] that predict the next.
  virtual Tensor step(const StepRows& rows, const StateArrays& state, nn::Pass& pass) const = 0;
  // Whether a step launches the same for the same shapes and bounds, whatever the arrays hold, so that its launches may
  // be recorded and the search may stay on the device.
  virtual bool steps_can_be_recorded() const { return false; }

  virtual std::int64_t source_vocabulary() const = 0;
  virtual std::int64_t target_vocabulary() const = 0;
  virtual std::int32_t start_token() const = 0;  // what the decoder reads before the first word
  // Tokens that a sentence may have on either side, EOS included.
  virtual std::int64_t most_positions() const { return std::numeric_limits<std::int64_t>::max(); }
  // What is added to the embeddings of source tokens, row pos for position pos: [positions, width], fewer rows if the
  // model has fewer. Empty if it knows no positions. `on` must not be at work elsewhere.
  virtual std::vector<float> position_encodings(Backend& /*on*/, std::int64_t /*positions*/) const { return {}; }

  // Losses of its own that training makes smaller too, by name: encode() and decode() put them into Pass::own_losses,
  // in this order.
  virtual std::vector<std::string> loss_names() const { return {}; }

  // Where it attends. Observers and heads name a site by its place in this list; it is empty for a model without
  // attention.
  virtual nn::AttentionSites sites() const { return {}; }

  virtual void parameters(nn::ParameterVisitor& visit) = 0;
};

// Decoding by steps with a DecoderState, which records on the host which rows belong to which hypothesis. The state
// takes its memory from the backend's arena as it stands: what follows may be wrapped in an ArenaScope of its own.
DecoderState start_decoding(const Seq2Seq& model, Backend& on, const DecoderRoom& room);
// Encoded sentences that have entered the state under these numbers, in order, are remembered there.
void remember(const Seq2Seq& model, const Encoded& encoded, std::span<const std::int32_t> sentences,
              DecoderState& state);
// Reads one token per row of the state.
Tensor step(const Seq2Seq& model, std::span<const std::int32_t> ids, DecoderState& state, nn::Pass& pass);

// log P(next word) for each row of the decoder's states: [rows, V].
Tensor log_probabilities(const Seq2Seq& model, const Tensor& states);

// The likeliest next words for each row of the decoder's states.
void best_words(const Seq2Seq& model, const Tensor& states, const BestWords& best);

}  // namespace dragoman::model
