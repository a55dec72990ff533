// The tables of searches on the device (backend/beam.h): making them, and reading the hypotheses of finished searches.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dragoman/backend/backend.h"
#include "dragoman/decode/search/search.h"

namespace dragoman::decode {

struct SlotSizes {
  std::int64_t slots = 1, beam = 1;  // number of slots, and rows of each
  std::int64_t steps = 1;            // most steps of a search
  std::int64_t cells = 0;            // cells of the searches; those of idle rows follow
};

// Takes memory from the backend's arena. The penalties are filled in and the counter of ended searches is 0; the slots
// are not initialised.
BeamSlots make_slots(Backend& on, const SearchSettings& settings, const SlotSizes& sizes);

// A copy of the tables on the host. Copying waits for the device.
class SearchTables {
 public:
  // Copies the states of the first `used` slots.
  SearchTables(const Backend& on, const BeamSlots& slots, std::int64_t used);

  bool is_over(std::int64_t slot) const { return at(slot, kSlotState) != kSlotSearching; }
  // Whether the search is over because the model's scores were not finite numbers.
  bool has_failed(std::int64_t slot) const { return at(slot, kSlotState) == kSlotFailed; }
  std::int64_t steps(std::int64_t slot) const { return at(slot, kSlotSteps); }

  // Copies what hypotheses() needs for these slots.
  void read_hypotheses(std::span<const std::int64_t> finished);
  // The settings.n_best best hypotheses: those that ended, then those that were cut off at the limit. None if the
  // search has failed.
  std::vector<Hypothesis> hypotheses(std::int64_t slot, const SearchSettings& settings) const;

 private:
  std::int32_t at(std::int64_t slot, SlotColumn column) const { return states_[slot * kSlotColumns + column]; }
  Hypothesis follow(std::int64_t slot, std::int64_t steps, std::int64_t row) const;

  const Backend& on_;
  const BeamSlots& slots_;
  std::int64_t used_, B_, S_;  // slots copied, rows of a slot, slots on the device
  std::vector<std::int32_t> states_, ended_, history_;
  std::vector<double> log_p_, ended_p_;
};

}  // namespace dragoman::decode
