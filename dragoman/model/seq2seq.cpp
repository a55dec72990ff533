#include "dragoman/model/seq2seq.h"

#include "dragoman/ops/arithmetic.h"
#include "dragoman/ops/linear.h"
#include "dragoman/ops/matmul.h"
#include "dragoman/ops/softmax.h"

namespace dragoman::model {

DecoderState start_decoding(const Seq2Seq& model, Backend& on, const DecoderCapacity& capacity) {
  return DecoderState(StateArrays(on, model.state_layout(), capacity), capacity);
}

void store_memory(const Seq2Seq& model, const Encoded& encoded, std::span<const std::int32_t> sentences,
                  DecoderState& state) {
  Backend& on = encoded.states.backend();
  const ArenaScope scratch(on.arena());
  model.store_memory(encoded, data::make_ids(on, state.memory_rows(sentences)), state.arrays());
}

Tensor step(const Seq2Seq& model, std::span<const std::int32_t> ids, DecoderState& state, nn::Pass& pass) {
  const std::int64_t rows = state.rows(), V = model.target_vocabulary();
  require<ShapeError>(static_cast<std::int64_t>(ids.size()) == rows, "step: ", ids.size(), " ids for ", rows, " rows");
  for (const std::int32_t id : ids) require<UsageError>(id >= 0 && id < V, "step: there is no token ", id);
  const Tensor next = model.step(state.begin_step(pass.on, ids), state.arrays(), pass);
  state.end_step();
  return next;
}

Tensor log_probabilities(const Seq2Seq& model, const Tensor& states) {
  const OutputProjection output = model.output();
  if (output.packed) return ops::log_softmax(ops::linear(states, output.packed, output.b));
  Tensor logits = ops::matmul(states, output.E, Transpose::kYes);
  if (output.b) logits = ops::add_bias(logits, output.b);
  return ops::log_softmax(logits);
}

void best_words(const Seq2Seq& model, const Tensor& states, const BestWords& best) {
  const OutputProjection output = model.output();
  const Backend& on = states.backend();
  const Array b = output.b ? output.b.array() : Array();
  output.packed ? on.best_words(states.array(), output.packed, b, best)
                : on.best_words(states.array(), output.E.array(), b, best);
}

}  // namespace dragoman::model
