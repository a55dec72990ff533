// The decoder of a recurrent model, one token of each hypothesis at a time.
#include <string>

#include "dragoman/data/row_index.h"
#include "dragoman/data/time_rows.h"
#include "dragoman/model/recurrent/decoder.h"
#include "dragoman/ops/arithmetic.h"
#include "dragoman/ops/take_rows.h"

namespace dragoman::model::recurrent {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// Where everything is in the state: indices into its memory (one row for each source token) and into its cells (one row
// for each token of a hypothesis).
struct Places {
  struct Kept {
    std::size_t cells = kNone, initial = kNone;  // initial: in the memory, in the row of the first source token
  };
  std::size_t keys = kNone, values = kNone;
  std::size_t fixed_products = kNone, summary = kNone;  // of a fixed context
  std::vector<Kept> h, c;                               // of each layer
  Kept fed;                                             // the readout, for input feeding
  StateLayout layout;

  Places(const Decoder& decoder, DType dtype) {
    const RecurrentConfig& config = decoder.config;
    const auto in_memory = [&](const std::string& name, std::int64_t width, DType type) {
      layout.memory.push_back({name, width, type});
      return layout.memory.size() - 1;
    };
    const auto kept = [&](const std::string& name, std::int64_t width, DType type) {
      layout.cells.push_back({name, width, type});
      return Kept{layout.cells.size() - 1, in_memory(name, width, type)};
    };
    if (config.attends()) {
      values = in_memory("values", config.context_width(), dtype);
      keys = decoder.attention.W_K.W ? in_memory("keys", config.key_width(), dtype) : values;
    } else {
      fixed_products = in_memory("context", decoder.cells[0].C.W.shape().cols(), dtype);
      if (decoder.readout.W_c.W) summary = in_memory("summary", config.d_h(), dtype);
    }
    for (int l = 0; l < config.N_dec; ++l) {
      h.push_back(kept(std::to_string(l) + ".h", config.H_dec, dtype));
      if (config.cell == CellName::kLstm) {
        c.push_back(kept(std::to_string(l) + ".c", config.H_dec, accumulation_dtype(dtype)));
      }
    }
    if (config.input_feeding) fed = kept("readout", config.E, dtype);
  }
};

// The states of the hypotheses of a step.
class States {
 public:
  States(const StepRows& step, const StateArrays& state, Backend& on) : step_(step), state_(state), on_(on) {}

  Tensor take(const Places::Kept& place) const {
    const Array& stored = state_.cells(place.cells);
    Array taken = on_.empty({step_.count(), stored.cols()}, stored.dtype());
    on_.take_state(stored, state_.memory(place.initial), step_.cells, step_.lengths, step_.memory, taken);
    return Tensor(on_, taken);
  }
  void store(const Places::Kept& place, const Tensor& value) const {
    on_.store_state(value.array(), step_.cells, step_.lengths, state_.cells(place.cells));
  }
  // The row of each hypothesis' first source token.
  Tensor of_sentence(std::size_t place) const {
    const Array& memory = state_.memory(place);
    const Array taken = on_.empty({step_.count(), memory.cols()}, memory.dtype());
    on_.take_rows(memory,
                  {.rows = memory.rows(), .distinct = false, .taken = step_.memory.first, .starts = {}, .takers = {}},
                  Sink::overwrite(taken));
    return Tensor(on_, taken);
  }

 private:
  const StepRows& step_;
  const StateArrays& state_;
  Backend& on_;
};

}  // namespace

StateLayout Decoder::state_layout(DType dtype) const { return Places(*this, dtype).layout; }

void Decoder::store_memory(const Encoded& encoded, const Array& rows, const StateArrays& state) const {
  Backend& on = encoded.states.backend();
  const ArenaScope scratch(on.arena());
  const Places places(*this, encoded.states.array().dtype());
  if (config.attends()) {
    const nn::Memory memory = attention.project(encoded.states, encoded.segments);
    on.place_rows(memory.V.array(), rows, state.memory(places.values));
    if (places.keys != places.values) on.place_rows(memory.K.array(), rows, state.memory(places.keys));
  }
  // Values of a whole sentence are copied to the rows of all its tokens: then the step finds them in that of the first.
  const std::vector<std::int32_t> offsets = data::host_offsets(on, encoded.segments);
  std::vector<std::int32_t> sentences;
  for (std::int32_t b = 0; b < encoded.segments.B; ++b) sentences.resize(offsets[b + 1], b);
  const RowIndex spread = data::row_index(on, sentences, encoded.segments.B);
  const auto store = [&](std::size_t place, const Tensor& value) {
    const Array& memory = state.memory(place);
    Array spread_out = on.empty({encoded.segments.R, memory.cols()}, memory.dtype());
    value ? on.take_rows(value.array(), spread, Sink::overwrite(spread_out)) : on.fill(spread_out, 0.0);
    on.place_rows(spread_out, rows, memory);
  };
  const std::vector<nn::CellState> start = bridge(encoded);
  for (std::size_t l = 0; l < places.h.size(); ++l) {
    store(places.h[l].initial, start[l].h);
    if (!places.c.empty()) store(places.c[l].initial, start[l].c);
  }
  if (config.input_feeding) store(places.fed.initial, {});
  const Tensor& summary = encoded.summary[static_cast<std::size_t>(config.N_enc) - 1];
  if (places.fixed_products != kNone) store(places.fixed_products, cells[0].C(summary));
  if (places.summary != kNone) store(places.summary, summary);
}

Tensor Decoder::step(const Tensor& embedded, const StepRows& rows, const StateArrays& state, nn::Pass& pass) const {
  const Places places(*this, embedded.array().dtype());
  const States states(rows, state, pass.on);
  const auto attend = [&](const Tensor& s) {
    const Array &K = state.memory(places.keys), &V = state.memory(places.values);
    const bool in_loop = config.attends_in_loop() || !config.attends_by_products();
    return in_loop ? attention.step(s, K, V, rows.memory, pass) : attention.step_as_whole(s, K, V, rows.memory, pass);
  };
  std::vector<nn::CellState> before, after;
  for (std::size_t l = 0; l < cells.size(); ++l) {
    before.push_back({states.take(places.h[l]), places.c.empty() ? Tensor() : states.take(places.c[l])});
  }

  // 1. The first layer, and the context if it is part of it.
  Tensor x = cells[0].W(embedded), c;
  switch (config.context) {
    case ContextName::kFixed:
      after.push_back(cells[0].step(x, states.of_sentence(places.fixed_products), before[0]));
      if (places.summary != kNone) c = states.of_sentence(places.summary);
      break;
    case ContextName::kPrevious:
      c = attend(before.back().h);
      after.push_back(cells[0].step(x, cells[0].C(c), before[0]));
      break;
    case ContextName::kCurrent:
      after.push_back(
          cells[0].step(x, config.input_feeding ? cells[0].C(states.take(places.fed)) : Tensor(), before[0]));
      break;
    case ContextName::kConditional: {
      const nn::CellState inner = cells[0].step(x, {}, before[0]);
      c = attend(inner.h);
      after.push_back(second.step(second.W(c), {}, inner));
      break;
    }
  }
  // 2. The layers above it, and the readout.
  for (std::size_t l = 1; l < cells.size(); ++l) {
    after.push_back(cells[l].step(cells[l].W(after[l - 1].h), {}, before[l]));
  }
  if (config.context == ContextName::kCurrent) c = attend(after.back().h);
  const Tensor output = readout(after.back().h, c, embedded);

  for (std::size_t l = 0; l < cells.size(); ++l) {
    states.store(places.h[l], after[l].h);
    if (!places.c.empty()) states.store(places.c[l], after[l].c);
  }
  if (config.input_feeding) states.store(places.fed, output);
  return output;
}

}  // namespace dragoman::model::recurrent
