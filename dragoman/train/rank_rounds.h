// What the ranks of a training run do together, update by update. Each of them makes the same calls.
#pragma once

#include <cstdint>
#include <optional>

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

 private:
  PreparedRun& run_;
  // The next update, once the ranks agreed on it.
  std::optional<data::Update> next_;
  ItemCounts whole_;
  double flops_ = 0;
};

// The run of a rank other than 0.
RunResult follow(PreparedRun& run);

}  // namespace dragoman::train
