#include "dragoman/decode/engine/search_tables.h"

#include <algorithm>

#include "dragoman/data/batch.h"

namespace dragoman::decode {
namespace {

template <class T>
std::vector<T> to_host(const Backend& on, const Array& x) {
  std::vector<T> values(static_cast<std::size_t>(x.count()));
  on.copy_out(x, values.data());
  return values;
}

}  // namespace

BeamSlots make_slots(Backend& on, const SearchSettings& settings, const SlotSizes& sizes) {
  const std::int64_t S = sizes.slots, B = sizes.beam, T = sizes.steps, R = S * B;
  BeamSlots slots;
  for (Array* x : {&slots.ids, &slots.lengths, &slots.memory_first, &slots.memory_count, &slots.forced}) {
    *x = on.empty({R}, DType::kInt32);
  }
  slots.cells = on.empty({R, T}, DType::kInt32);
  slots.slots = on.empty({S, kSlotColumns}, DType::kInt32);
  slots.log_p = on.empty({S, B}, DType::kFloat64);
  slots.ended = on.empty({S, 2 * B}, DType::kInt32);
  slots.ended_p = on.empty({S, 2 * B}, DType::kFloat64);
  slots.history = on.empty({T, R}, DType::kInt32);
  slots.done = data::make_ids(on, std::vector<std::int32_t>{0});
  std::vector<double> penalties;
  for (std::int64_t n = 0; n <= T; ++n) penalties.push_back(length_penalty(settings.length_norm, settings.alpha, n));
  slots.penalties = on.empty({T + 1}, DType::kFloat64);
  on.copy_in(penalties.data(), slots.penalties);
  slots.idle_cells = sizes.cells;
  return slots;
}

SearchTables::SearchTables(const Backend& on, const BeamSlots& slots, std::int64_t used)
    : on_(on),
      slots_(slots),
      used_(used),
      B_(slots.beam()),
      S_(slots.slots.rows()),
      states_(to_host<std::int32_t>(on, slots.slots.row_range(0, used))) {}

void SearchTables::read_hypotheses(std::span<const std::int64_t> finished) {
  std::int64_t longest = 0;
  for (const std::int64_t slot : finished) longest = std::max(longest, steps(slot));
  ended_ = to_host<std::int32_t>(on_, slots_.ended.row_range(0, used_));
  ended_p_ = to_host<double>(on_, slots_.ended_p.row_range(0, used_));
  log_p_ = to_host<double>(on_, slots_.log_p.row_range(0, used_));
  history_ = to_host<std::int32_t>(on_, slots_.history.row_range(0, longest));
}

std::vector<Hypothesis> SearchTables::hypotheses(std::int64_t slot, const SearchSettings& settings) const {
  std::vector<Hypothesis> found;
  if (has_failed(slot)) return found;
  const std::int64_t ended = std::min<std::int64_t>(at(slot, kSlotEnded), settings.n_best);
  for (std::int64_t i = 0; i < ended; ++i) {
    const std::int32_t* step_and_row = ended_.data() + 2 * (slot * B_ + i);
    const double* p_and_score = ended_p_.data() + 2 * (slot * B_ + i);
    Hypothesis& hypothesis = found.emplace_back(follow(slot, step_and_row[0], step_and_row[1]));
    hypothesis.log_probability = p_and_score[0];
    hypothesis.score = p_and_score[1];
    hypothesis.finished = true;
    hypothesis.rows.push_back(step_and_row[1]);
  }
  const std::int64_t alive = std::min<std::int64_t>(at(slot, kSlotAlive), settings.n_best - ended);
  const double penalty = length_penalty(settings.length_norm, settings.alpha, std::max<std::int64_t>(1, steps(slot)));
  for (std::int64_t b = 0; b < alive; ++b) {
    Hypothesis& hypothesis = found.emplace_back(follow(slot, steps(slot), b));
    hypothesis.log_probability = log_p_[slot * B_ + b];
    hypothesis.score = hypothesis.log_probability / penalty;
  }
  return found;
}

// Follows the history of a hypothesis back from its last row: each entry names the word and the row of the step before.
Hypothesis SearchTables::follow(std::int64_t slot, std::int64_t steps, std::int64_t row) const {
  Hypothesis hypothesis;
  for (std::int64_t t = steps - 1; t >= 0; --t) {
    const std::int64_t chosen = history_[(t * S_ + slot) * B_ + row];
    row = chosen % B_;
    hypothesis.tokens.push_back(static_cast<std::int32_t>(chosen / B_));
    hypothesis.rows.push_back(static_cast<std::int32_t>(row));
  }
  std::ranges::reverse(hypothesis.tokens);
  std::ranges::reverse(hypothesis.rows);
  return hypothesis;
}

}  // namespace dragoman::decode
