// What the ranks of a training run do together, update by update. Each of them makes the same calls.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dragoman/train/prepared_run.h"
#include "dragoman/train/run.h"

namespace dragoman::train {

// What follows the update with this number, by the settings of the run.
struct AfterUpdate {
  bool last = false, recorded = false, validated = false, scheduled = false;
};
AfterUpdate after_update(const TrainingSettings& settings, std::int64_t step);

class RankRounds {
 public:
  explicit RankRounds(PreparedRun& run) : run_(run) {}

  // Between two updates: rank 0 says whether the run ends, and all ranks learn it. A stop that another rank was asked
  // for counts too. If the run goes on, the update that comes next is known.
  std::optional<Ending> agree(std::optional<Ending> decided);

  // An update that was started; `flops` counts the floating-point operations of all ranks.
  struct Started {
    data::Position first, after;
    double flops = 0;
  };
  Started start_update();
  // Waits for the oldest update that was started.
  Losses finish_update();

  // Target tokens per second of each rank since the last call, in the time in which it did not wait for others. Empty
  // if there is one rank, or if nothing is known yet.
  std::vector<double> take_rank_rates();

 private:
  // Work of a rank.
  struct Work {
    std::int64_t tokens = 0;
    double seconds = 0;  // without waiting
  };
  // Measures the time of this rank while the object lives.
  class Measured;

  PreparedRun& run_;
  double seconds_ = 0;                     // of this rank, so far
  std::vector<std::int64_t> next_tokens_;  // of each rank in the next update
  std::vector<Work> work_, work_before_;   // of each rank: so far, and at the last call of take_rank_rates()
  // The next update, once the ranks agreed on it.
  std::optional<data::Update> next_;
  ItemCounts whole_;
  double flops_ = 0;
};

// Swaps the weights with their moving average. A second call swaps them back.
void swap_with_average(PreparedRun& run);
// Validates the model, or its moving average if there is one. All ranks call this.
Validation validate_together(PreparedRun& run);

// The run of a rank other than 0.
RunResult follow(PreparedRun& run);

}  // namespace dragoman::train
