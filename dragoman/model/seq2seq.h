// The interface of a model of any architecture. Training, decoding and the server know nothing else about a model.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "dragoman/data/tokens.h"
#include "dragoman/model/blocks.h"
#include "dragoman/model/state/decoder_state.h"
#include "dragoman/nn/pass.h"
#include "dragoman/params/parameter.h"

namespace dragoman::model {

// The encoder's output for a batch of source sentences.
struct Encoded {
  Tensor states;  // [R, ...]: a row for each source token
  Segments segments;
  std::vector<Tensor> summary = {};  // values for whole sentences, [B, ...] each; optional
  Tensor values = {};                // [R, ...]: what attention mixes, if these are not the states; optional
};

// The output projection, which turns the decoder's states into logits of the words: states E^T + b.
struct OutputProjection {
  Tensor E;                  // [V, d_model]; absent if it is packed
  Tensor b;                  // [V]; optional
  PackedMatrix packed = {};  // E^T, in a model with packed weights
};

class Seq2Seq {
 public:
  virtual ~Seq2Seq() = default;

  virtual Encoded encode(const Tokens& source, nn::Pass& pass) const = 0;

  // Teacher-forced: `target` is the target sentence shifted right by one, so that row j of a sentence predicts its
  // token j. Returns the states [R, d_model], which are the input of the output projection.
  virtual Tensor decode(const Tokens& target, const Encoded& encoded, nn::Pass& pass) const = 0;
  virtual OutputProjection output() const = 0;

  // Decoding step by step. The arrays that the model keeps between steps:
  virtual StateLayout state_layout() const = 0;
  // Stores what the steps need of row i of `encoded` in row rows[i] of the state's memory; rows is int32 [R].
  virtual void store_memory(const Encoded& encoded, const Array& rows, const StateArrays& state) const = 0;
  // One decoding step: reads one token per row and returns the states [rows, width] that predict the next tokens.
  virtual Tensor step(const StepRows& rows, const StateArrays& state, nn::Pass& pass) const = 0;
  // Whether the launches of a step depend only on the shapes and bounds of its arrays, not on their contents. Then the
  // launches can be recorded, and the search can stay on the device.
  virtual bool steps_can_be_recorded() const { return false; }
  // Whether training normalises with the statistics of its batch, and everything else with running values. Then
  // validation reports the loss with both (nn::Pass::batch_statistics).
  virtual bool uses_batch_statistics() const { return false; }

  virtual std::int64_t source_vocabulary() const = 0;
  virtual std::int64_t target_vocabulary() const = 0;
  virtual std::int32_t start_token() const = 0;  // the decoder's input before the first word
  // The largest number of tokens of a sentence on either side, EOS included.
  virtual std::int64_t max_positions() const { return std::numeric_limits<std::int64_t>::max(); }
  // The encodings that are added to the embeddings of source tokens, [positions, width] with row pos for position pos;
  // fewer rows if the model has fewer, and empty if it has none. `on` must not be in use elsewhere.
  virtual std::vector<float> position_encodings(Backend& /*on*/, std::int64_t /*positions*/) const { return {}; }

  // Whether tokens decide for themselves how many steps they take (adaptive computation time). Observers then see it.
  virtual bool halts() const { return false; }

  // The names of additional losses that training minimises too. encode() and decode() put these losses into
  // Pass::own_losses, in this order.
  virtual std::vector<std::string> loss_names() const { return {}; }

  // The places where the model uses attention. Observers and heads name a site by its index in this list. Empty for a
  // model without attention.
  virtual nn::AttentionSites sites() const { return {}; }
  // The model's blocks, from which the attention page draws it.
  virtual BlockStacks blocks() const { return default_blocks(sites()); }

  virtual void parameters(params::ParameterVisitor& visit) = 0;
};

// Decoding step by step with a DecoderState, which records on the host which rows belong to which hypothesis. The state
// takes its memory from the backend's arena now; an ArenaScope around later steps does not free it.
DecoderState start_decoding(const Seq2Seq& model, Backend& on, const DecoderCapacity& capacity);
// Stores encoded sentences in the state. sentences[i] is the number that DecoderState::enter gave to the i-th of them.
void store_memory(const Seq2Seq& model, const Encoded& encoded, std::span<const std::int32_t> sentences,
                  DecoderState& state);
// One decoding step: ids[r] is the next token of row r of the state.
Tensor step(const Seq2Seq& model, std::span<const std::int32_t> ids, DecoderState& state, nn::Pass& pass);

// log P(next word) for each row of the decoder's states: [rows, V].
Tensor log_probabilities(const Seq2Seq& model, const Tensor& states);

// The likeliest next words for each row of the decoder's states.
void best_words(const Seq2Seq& model, const Tensor& states, const BestWords& best);

}  // namespace dragoman::model
